"""Writing: what is written reads back the same, and appears whole or not at all."""

import json
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from lcstats.cells import Cells
from lcstats.errors import MissingExtraError, OptionError
from lcstats.readers import read_trials, write_trials
from lcstats.trials import TableOptions, Trials

pytestmark = pytest.mark.filterwarnings("ignore::lcstats.errors.LcstatsWarning")

SUFFIXES = [".csv", ".jsonl", ".parquet"]
FRACTIONS = TableOptions(depth_unit="fraction", score_scale="0-1")


def round_trip(trials, path):
    write_trials(trials, path)
    return read_trials(path)


def assert_same(again, trials):
    pd.testing.assert_frame_equal(again.frame, trials.frame)
    assert again.length_unit == trials.length_unit
    assert again.has_case_ids == trials.has_case_ids
    assert again.reading.format == "lcstats"


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_every_canonical_column_survives(tmp_path, suffix):
    table = {
        "model": ["org/m", "NA"],
        "task": ["t", "None"],
        "id": ["007", "null"],
        "rep": [1, 2],
        "length": [4096, 131072],
        "prompt_tokens": [4100, None],
        "depth": [1, 1 / 3],
        "score": [2 / 3, None],
        "status": ["ok", "http 429"],
        "n_needles": [4, None],
        "n_found": [3, None],
        "needle_depths": [[0.1, 0.2], None],
        "needle_found": [[1, 0], None],
        "cluster": ["a", None],
        "latency": [0.1, None],
        "ttft": [None, 0.3],
        "response": ['say "7",\nor\r8 \u2028 ü', None],
        "note": ["x", "y"],
    }
    trials = Trials.from_frame(pd.DataFrame(table), FRACTIONS)
    assert_same(round_trip(trials, tmp_path / f"a{suffix}"), trials)


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize("numbered", [True, False])
def test_a_table_without_ids_stays_one(tmp_path, suffix, numbered):
    table = {"length": [4096, 4096, 8192], "depth": [0, 1, 1], "score": [1, 1, 1]}
    table |= {"trial": [5, 6, 5]} if numbered else {}
    trials = Trials.from_frame(pd.DataFrame(table), FRACTIONS)
    assert_same(round_trip(trials, tmp_path / f"a{suffix}"), trials)


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_the_unit_of_length_survives(tmp_path, suffix):
    table = pd.DataFrame({"length": [500, 1000], "score": [1, 0]})
    trials = Trials.from_frame(table, TableOptions(length_unit="characters"))
    assert round_trip(trials, tmp_path / f"a{suffix}").length_unit == "characters"


def test_what_is_written_twice_is_the_same_bytes(tmp_path):
    trials = Trials.from_frame(pd.DataFrame({"length": [1, 2], "score": [0.1, 1]}))
    for suffix in SUFFIXES:
        again = round_trip(trials, tmp_path / f"a{suffix}")
        write_trials(again, tmp_path / f"b{suffix}")
        first, second = (tmp_path / f"{name}{suffix}" for name in "ab")
        assert first.read_bytes() == second.read_bytes()


def test_jsonl_is_one_object_a_line_with_nulls(tmp_path):
    table = pd.DataFrame({"length": [1, 2], "score": [0.1, None], "prompt_tokens": [7, None]})
    write_trials(Trials.from_frame(table), tmp_path / "a.jsonl")
    first, second = map(json.loads, (tmp_path / "a.jsonl").read_text().splitlines())
    assert (first["score"], first["tokens_received"]) == (0.1, 7)
    assert (second["score"], second["tokens_received"], second["status"]) == (None, None, "error")


def test_another_suffix_is_refused(tmp_path):
    trials = Trials.from_frame(pd.DataFrame({"length": [1], "score": [0]}))
    with pytest.raises(OptionError, match=r"\.csv, \.jsonl, \.parquet; choose one of these"):
        write_trials(trials, tmp_path / "a.xlsx")


def test_counts_are_refused(tmp_path):
    cells = Cells.from_counts([4096], [0.5], n_cases=10, successes=[[9]])
    with pytest.raises(OptionError, match="keep the file that was read"):
        write_trials(cells, tmp_path / "a.csv")


def test_parquet_without_pyarrow_names_the_extra(tmp_path, monkeypatch):
    def refuse(name):
        raise ImportError(name)

    monkeypatch.setattr("lcstats.extras.import_module", refuse)
    trials = Trials.from_frame(pd.DataFrame({"length": [1], "score": [0]}))
    with pytest.raises(MissingExtraError, match=r"pip install 'lcstats\[parquet\]'"):
        write_trials(trials, tmp_path / "a.parquet")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("was_there", [True, False])
def test_nothing_half_written_is_left(tmp_path, monkeypatch, was_there):
    place = tmp_path / "a.csv"
    if was_there:
        place.write_text("old")

    def break_off(self, path, **options):
        Path(path).write_text("half")
        raise KeyboardInterrupt

    monkeypatch.setattr(pd.DataFrame, "to_csv", break_off)
    trials = Trials.from_frame(pd.DataFrame({"length": [1], "score": [0]}))
    with pytest.raises(KeyboardInterrupt):
        write_trials(trials, place)
    assert [path.name for path in tmp_path.iterdir()] == ["a.csv"] * was_there
    assert not was_there or place.read_text() == "old"


words = st.text(
    st.characters(codec="utf-8", exclude_characters="\0", exclude_categories=["Cs"]), min_size=1
).filter(lambda word: word == word.strip())


@pytest.mark.parametrize("suffix", SUFFIXES)
@settings(
    deadline=None, max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    st.lists(
        st.tuples(
            words,
            words,
            st.integers(min_value=1, max_value=10**9),
            st.floats(min_value=0, max_value=1),
            st.floats(min_value=0, max_value=1),
        ),
        min_size=1,
        max_size=5,
        unique_by=lambda row: row[:3],
    )
)
@example([("m\r", "0\r1", 1, 0.0, 0.0), ("00", "+0", 1, 0.0, 0.0)])
def test_any_table_survives(tmp_path, suffix, rows):
    table = pd.DataFrame(rows, columns=["model", "id", "length", "depth", "score"])
    trials = Trials.from_frame(table, FRACTIONS)
    assert_same(round_trip(trials, tmp_path / f"a{suffix}"), trials)


@pytest.mark.parametrize(
    "values",
    [
        ["B", ["B", "the dog"]],
        [{"a": 1}, {}],
        [{"a": {}}, None],
        [1, "two"],
        [[1, "two"], [3]],
        [2**70, "x"],
        [["a"], None],
    ],
)
def test_parquet_holds_extras_of_every_type(tmp_path, values):
    frame = pd.DataFrame({"length": [4096, 8192], "score": [1, 0]})
    trials = Trials.from_frame(frame.assign(ground_truth=pd.Series(values, dtype=object)))
    write_trials(trials, tmp_path / "a.parquet")
    back = read_trials(tmp_path / "a.parquet").frame
    assert back["score"].tolist() == [1, 0]
    for value, kept in zip(values, back["ground_truth"], strict=True):
        if isinstance(value, str):
            assert kept == value
        elif value is not None:
            assert (json.loads(kept) if isinstance(kept, str) else list(kept)) == value


def test_lists_of_further_columns_are_json_in_csv(tmp_path):
    table = {"length": [4096], "depth": [0.5], "score": [1], "wrong": [["a'b", "c"]]}
    write_trials(Trials.from_frame(pd.DataFrame(table), FRACTIONS), tmp_path / "a.csv")
    (text,) = pd.read_csv(tmp_path / "a.csv")["wrong"]
    assert json.loads(text) == ["a'b", "c"]
