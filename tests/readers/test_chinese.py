"""Words of Chinese texts: those of jieba, without what it says and leaves behind."""

import logging
import tempfile

import jieba
import pytest

from lcstats import extras
from lcstats.errors import MissingExtraError
from lcstats.readers import chinese
from lcstats.readers.chinese import bare_words, cut_words


@pytest.fixture
def without_dictionary():
    chinese._cutter.cache_clear()
    yield
    chinese._cutter.cache_clear()


@pytest.mark.parametrize("text", ["他来到了网易杭研大厦。", "小明硕士毕业于 Bell Labs, 3.5 年", ""])
def test_words_are_those_of_jieba(text):
    jieba.setLogLevel(logging.WARNING)
    assert cut_words(text) == jieba.lcut(text)


def test_words_that_compare_have_no_punctuation():
    assert bare_words("他 来到，了：Bell") == ["他", "来到", "了", "bell"]  # noqa: RUF001


def test_nothing_is_said_or_left_behind(without_dictionary, tmp_path, monkeypatch, capfd):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    assert cut_words("北京")
    assert capfd.readouterr() == ("", "")
    assert list(tmp_path.iterdir()) == []


def test_without_jieba_the_extra_is_named(without_dictionary, monkeypatch):
    def fail(name):
        raise ImportError(name)

    monkeypatch.setattr(extras, "import_module", fail)
    with pytest.raises(MissingExtraError, match=r"jieba.*pip install 'lcstats\[chinese\]'"):
        cut_words("北京")
