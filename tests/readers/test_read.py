"""read_trials: finding the one format of some files, setting others aside, refusing the rest."""

import gzip
import io
import json
import sys
import warnings

import pandas as pd
import pytest

from lcstats.errors import FormatError, MissingExtraError, OptionError, TableError
from lcstats.readers import read_trials
from lcstats.trials import Trials

pytestmark = pytest.mark.filterwarnings("ignore::lcstats.errors.LcstatsWarning")

CSV = "model,length,depth,score\nm,4096,50,1\nm,8192,100,0\n"
JSONL = '{"model": "m", "length": 4096, "score": 0}\n'


@pytest.fixture
def folder(tmp_path):
    """Write files into a folder and return it."""
    place = tmp_path / "results"
    place.mkdir()

    def write(**files):
        for name, content in files.items():
            data = content if isinstance(content, bytes) else content.encode()
            (place / name.replace("__", ".")).write_bytes(data)
        return place

    return write


def codes(trials):
    return [notice.code for notice in trials.notices]


def test_what_was_found_is_recorded(folder):
    path = folder(a__csv=CSV) / "a.csv"
    trials = read_trials(path)
    assert isinstance(trials, Trials)
    assert trials.reading.format == "csv"
    assert trials.reading.files == (str(path),)
    assert trials.reading.depth_unit == "percent"
    assert trials.reading.score_scale == "0-1"
    assert trials.reading.mapping == {n: n for n in ("model", "length", "depth", "score")}


def test_the_extension_does_not_matter(folder):
    place = folder(a__txt=CSV, b__json=gzip.compress(JSONL.encode()))
    assert read_trials(place / "a.txt").reading.format == "csv"
    assert read_trials(place / "b.json").reading.format == "jsonl"


def test_files_of_one_format_are_one_table(folder):
    place = folder(a__csv=CSV, b__csv=CSV.replace("m,", "n,").replace(",depth", ",Depth"))
    trials = read_trials(place)
    assert trials.n_trials == 4
    assert trials.models == ("m", "n")
    assert trials.reading.mapping["depth"] == "depth or Depth"
    with pytest.raises(
        TableError, match=r"(?s)results/b\.csv line 2: depth is 50; .*--depth-unit percent"
    ):
        read_trials(place, depth_unit="fraction")


def test_standard_input(monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(CSV.encode())))
    assert read_trials("-").n_trials == 2
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"")))
    with pytest.raises(TableError, match="no scored trials in standard input"):
        read_trials("-")


def test_files_of_several_formats_are_refused_until_one_is_chosen(folder):
    place = folder(a__csv=CSV, b__csv=CSV, c__jsonl=JSONL)
    with pytest.raises(FormatError, match=r"csv \(2, .*a\.csv\), jsonl \(1, .*--format csv"):
        read_trials(place)
    trials = read_trials(place, format="jsonl")
    assert (trials.n_trials, codes(trials)[0]) == (1, "other-files")


def test_empty_and_unknown_files_are_set_aside_and_counted(folder):
    place = folder(a__csv=CSV, b__csv="", c__png=b"\x89PNG\0", README__md="# A, b\n")
    trials = read_trials(place)
    messages = {notice.code: notice.message for notice in trials.notices}
    assert messages["empty-files"] == "1 file empty, left out: results/b.csv"
    assert messages["other-files"].startswith("2 files not of the format csv, left out")


@pytest.mark.parametrize(
    ("files", "message"),
    [
        (
            {"zero__csv": ""},
            r"no scored trials in results/zero\.csv: the file is empty; .*sweep ran",
        ),
        ({"a__csv": "", "b__csv": " "}, "all 2 files are empty; .*check that the sweep ran"),
        ({"a__csv": "length,score\n"}, "it has a header and no rows; .*check that the sweep ran"),
        ({"a__csv": "length,score\n1,\n"}, r"1 row without a score \(error 1\); .*sweep ran"),
        ({"a__json": "[]"}, r"it holds nothing but \[\]"),
        ({"a__csv": "ctx,mark\n1,1\n"}, "--map length=THEIRS --map score=THEIRS"),
        ({"a__json": '{"results": []}'}, "columns found: results; .*--map length=THEIRS"),
    ],
)
def test_files_that_hold_nothing_to_analyse(folder, files, message):
    with pytest.raises(TableError, match=message):
        read_trials(folder(**files))


@pytest.mark.parametrize(
    "files",
    [
        {"a__png": b"\x89PNG\0"},
        {"a__md": "# Results, and what they mean\n"},
        {"a__txt": "hello\n"},
        {"a__csv": "4096,1\n8192,0\n"},
        {"a__txt": "hello\n", "b__png": b"\0"},
        {"a__csv": "name,age\nx,1\n", "b__json": '[{"name": 1}]'},
    ],
)
def test_files_of_no_known_format(folder, files):
    with pytest.raises(FormatError, match=r"known format.*name the results files themselves"):
        read_trials(folder(**files))


def test_utf16_without_a_mark_is_refused_and_mended(folder):
    path = folder(a__csv=CSV.encode("utf-16-le")) / "a.csv"
    with pytest.raises(FormatError, match="--encoding utf-16-le"):
        read_trials(path)
    assert read_trials(path, encoding="utf-16-le").n_trials == 2


def test_a_chosen_format_must_fit(folder):
    place = folder(a__csv=CSV)
    with pytest.raises(FormatError, match=r"of shape csv; expected jsonl .*leave out --format"):
        read_trials(place, format="jsonl")
    with pytest.raises(OptionError, match="--format csv"):
        read_trials(place, format="cvs")
    assert read_trials(place, format="csv").n_trials == 2


def test_columns_can_be_named(folder):
    path = folder(a__csv="ctx,mark\n4096,1\n8192,0\n")
    trials = read_trials(path, columns={"length": "ctx", "score": "mark"})
    assert trials.frame["length"].tolist() == [4096, 8192]


def test_parquet(folder):
    path = folder() / "a.parquet"
    pd.DataFrame({"length": [4096, 8192], "score": [True, False], "id": ["NA", "07"]}).to_parquet(
        path
    )
    trials = read_trials(path)
    assert trials.reading.format == "parquet"
    assert trials.frame["case"].tolist() == ["NA", "07"]
    path.write_bytes(path.read_bytes()[:-20] + b"PAR1")
    with pytest.raises(FormatError, match=r"cannot be read as Parquet: .*copy it again"):
        read_trials(path)


def test_parquet_without_pyarrow_names_the_extra(folder, monkeypatch):
    def refuse(name):
        raise ImportError(name)

    monkeypatch.setattr("lcstats.extras.import_module", refuse)
    with pytest.raises(MissingExtraError, match=r"pip install 'lcstats\[parquet\]'"):
        read_trials(folder(a__parquet=b"PAR1...PAR1"))


def test_names_of_language_models_are_data(folder):
    record = {"model": "../../evil/model", "length": 4096, "score": 0}
    assert read_trials(folder(a__jsonl=json.dumps(record))).models == ("../../evil/model",)


def test_decimal_commas_in_json(folder):
    rows = [{"length": "4.096", "score": "0,5"}, {"length": 8192, "score": 1}]
    trials = read_trials(folder(a__json=json.dumps(rows)), decimal=",")
    assert trials.frame["length"].tolist() == [4096, 8192]
    assert trials.frame["score"].tolist() == [0.5, 1.0]


def test_every_notice_is_announced_once(folder):
    place = folder(a__jsonl='{"length": "4k", "score": 0}\n{"length": 1, "sco')
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        trials = read_trials(place)
    assert [str(warning.message) for warning in caught] == [n.message for n in trials.notices]
    assert codes(trials) == ["cut-line", "length-base", "model-unnamed"]


@pytest.mark.parametrize(
    "text", ["length,score\n4096,1\n8192,0\n", "length,n,k\n4096,9,3\n"], ids=["trials", "counts"]
)
def test_a_language_model_without_a_name_is_said(folder, text):
    place = folder(a__csv=text)
    assert "--model-name NAME" in read_trials(place).notices[-1].message
    assert "model-unnamed" not in codes(read_trials(place, model_name="GPT-4"))
    named = folder(a__csv=text.replace("length", "model,length").replace("\n4", "\nm,4")
                   .replace("\n8", "\nm,8"))  # fmt: skip
    assert "model-unnamed" not in codes(read_trials(named))


@pytest.mark.parametrize("paths", [pd.DataFrame({"a": [1]}), 5, None, [5]], ids=repr)
def test_what_is_no_path_is_refused_with_the_mend(paths):
    with pytest.raises(OptionError, match=r"expected str or PathLike; .*Trials\.from_frame"):
        read_trials(paths)


@pytest.mark.parametrize("value", ["1" * 400, "[" * 50 + "]" * 50])
def test_values_that_no_table_holds_are_bad_input(folder, value):
    place = folder(a__jsonl=f'{{"length": 4096, "score": 1}}\n{{"length": {value}, "score": 1}}\n')
    with pytest.raises((FormatError, TableError), match=r"a\.jsonl.*; expected .*; mend"):
        read_trials(place)


def test_shards_with_other_fields_are_joined(folder):
    place = folder(
        a__jsonl='{"length": 4096, "score": 0}\n{"length": 4096, "score": 1}\n',
        b__jsonl='{"context_length": 8192, "score": 0, "model": "m"}\n' * 2,
    )
    with pytest.raises(TableError, match=r"model is missing; .*fill it in"):
        read_trials(place)
    assert read_trials(place, model_name="m").frame["length"].tolist() == [4096, 4096, 8192, 8192]


@pytest.mark.parametrize("encoding", ["nonsense", "base64", "idna", "rot13"])
def test_what_is_no_encoding_of_text_is_refused(tmp_path, encoding):
    (tmp_path / "a.csv").write_text("length,score\n4096,1\n")
    with pytest.raises(OptionError, match="--encoding cp1252"):
        read_trials(tmp_path / "a.csv", encoding=encoding)


def test_a_table_with_other_separators_is_told_which_there_are(folder):
    place = folder(a__csv=CSV.replace(",", "|"))
    with pytest.raises(FormatError, match="separate its columns by commas, semicolons or tabs"):
        read_trials(place / "a.csv")


def test_an_encoding_that_leaves_nothing_to_read_is_named(folder):
    with pytest.raises(FormatError, match=r"leave out encoding='utf-16' \(--encoding utf-16\)"):
        read_trials(folder(a__csv=CSV), encoding="utf-16")


def test_a_trial_without_a_depth_is_named_without_one(folder):
    place = folder(a__csv="model,id,length,score\nm,x,4096,1\nm,x,4096,0\n")
    with pytest.raises(TableError, match="length 4096, case x, repeat 1 has the scores 0, 1"):
        read_trials(place)
