"""Words of Chinese texts, as suites take them from the package jieba to compare answers."""

import string
import warnings
from collections.abc import Callable, Iterable
from functools import cache

from lcstats.extras import load_extra

_MARKS = (
    "！？｡。＂＃＄％＆＇（）＊＋，－／：；＜＝＞＠［＼］＾＿｀｛｜｝～｟｠｢｣､、〃》「」『』【】〔〕"  # noqa: RUF001
    "〖〗〘〙〚〛〜〝〞〟〰〾〿–—‘’‛“”„‟…‧﹏."  # noqa: RUF001
)
_NO_MARKS = str.maketrans("", "", string.punctuation + _MARKS)


def bare_text(text: str) -> str:
    """Return a text in lower case, without punctuation and spaces.

    Examples
    --------
    >>> bare_text("红楼梦。 AB 12!")
    '红楼梦ab12'
    """
    return "".join(text.lower().translate(_NO_MARKS).split())


def cut_words(text: str) -> list[str]:
    """Return the words of a text, with its spaces and punctuation.

    Raises
    ------
    MissingExtraError
        If jieba is not installed.

    Examples
    --------
    >>> cut_words("我来到北京清华大学")
    ['我', '来到', '北京', '清华大学']
    """
    return list(_cutter()(text))


def bare_words(text: str) -> list[str]:
    """Return the words of a text in lower case, without punctuation and spaces.

    Raises
    ------
    MissingExtraError
        If jieba is not installed.

    Examples
    --------
    >>> bare_words("我来到 北京。")
    ['我', '来到', '北京']
    """
    return [word for word in map(bare_text, cut_words(text)) if word]


@cache
def _cutter() -> Callable[[str], Iterable[str]]:
    """Return the function that cuts a text, with its dictionary loaded.

    The dictionary is put in by hand: left to itself, jieba says on stderr that it loads it, and
    keeps a copy in the folder for temporary files. Its import warns of what it imports in turn.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        jieba = load_extra("jieba", extra="chinese", purpose="scoring Chinese answers")
    cutter = jieba.Tokenizer()
    cutter.FREQ, cutter.total = cutter.gen_pfdict(cutter.get_dict_file())
    cutter.initialized = True
    cut: Callable[[str], Iterable[str]] = cutter.cut
    return cut
