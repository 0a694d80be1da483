"""Kamradt's files: what a case and a repeat are, what marks mean, and the published numbers."""

import json

import pytest

from lcstats.cells import count_cells
from lcstats.errors import OptionError, TableError
from lcstats.readers import read_trials
from lcstats.readers.registry import find_format
from lcstats.readers.request import ReadRequest
from lcstats.readers.samples import look_at
from lcstats.readers.sources import find_sources

pytestmark = pytest.mark.filterwarnings("ignore::lcstats.errors.LcstatsWarning")

TRIAL = {
    "model": "gpt-4",
    "context_length": 1000,
    "depth_percent": 50.0,
    "version": 1,
    "needle": "\n  Eat a sandwich.\n ",
    "model_response": "A sandwich.",
    "score": 10,
    "test_duration_seconds": 1.5,
}


@pytest.fixture
def v1(tmp_path):
    """Write trials, one a file, and return their folder."""
    folder = tmp_path / "results"
    folder.mkdir()

    def write(**trials):
        for name, changes in trials.items():
            (folder / f"{name}.json").write_text(json.dumps({**TRIAL, **changes}))
        return folder

    return write


@pytest.fixture
def lists(tmp_path):
    """Write lists of (length, depth in percent, mark) and return their folder."""
    folder = tmp_path / "gpt4_128k"
    folder.mkdir()

    def write(**files):
        for name, rows in files.items():
            fields = ("token_limit", "depth_percent", "score")
            text = json.dumps([dict(zip(fields, row, strict=True)) for row in rows])
            (folder / f"{name}.json").write_text(text)
        return folder

    return write


def test_v1_fields(v1):
    trials = read_trials(v1(a_len_1000_depth_5000_results={}), score_threshold=7)
    assert trials.reading.format == "kamradt_v1"
    (row,) = trials.frame.to_dict("records")
    assert {name: row[name] for name in ("model", "case", "repeat", "length", "depth")} == {
        "model": "gpt-4",
        "case": "Eat a sandwich.",
        "repeat": 1,
        "length": 1000,
        "depth": 0.5,
    }
    assert (row["score"], row["output"], row["latency_s"]) == (1.0, "A sandwich.", 1.5)


def test_v1_depths_are_percentages_whatever_they_look_like(v1):
    trials = read_trials(v1(a={"depth_percent": 0.896}), score_scale="1-10")
    assert trials.frame["depth"].tolist() == [0.00896]


@pytest.mark.parametrize(
    "second",
    [
        {"a_results_2": {"version": 2}},
        {"a_results_2": {}},
        {"b_results": {"version": 2}},
    ],
    ids=["version and name", "name", "version"],
)
def test_v1_repeats(v1, second):
    folder = v1(a_results={}, **{name: {**changes, "score": 1} for name, changes in second.items()})
    trials = read_trials(folder, score_threshold=7)
    assert sorted(trials.frame["repeat"]) == [1, 2]
    assert trials.n_cases == 1


def test_v1_needles_are_cases(v1):
    folder = v1(
        a={}, b={"needle": "Berlin", "score": 1}, c={"needle": None, "context_length": 2000}
    )
    trials = read_trials(folder, score_threshold=7)
    assert trials.frame["case"].tolist() == ["Eat a sandwich.", "Berlin", "needle"]
    assert trials.n_cases == 3


def test_v1_without_needle_is_known_by_its_name(tmp_path):
    path = tmp_path / "demo_len_4096_depth_2500_results.json"
    path.write_text(json.dumps({"context_length": 4096, "depth_percent": 25.0, "score": 10}))
    trials = read_trials(path, score_threshold=7)
    assert trials.reading.format == "kamradt_v1"
    assert trials.models == (tmp_path.name,)


def test_two_runs_with_one_version_and_other_marks_contradict(v1):
    with pytest.raises(TableError, match=r"b\.json|a\.json.*has the scores"):
        read_trials(v1(a={}, b={"score": 1}), score_threshold=7)


def test_an_empty_mark_is_unscored(v1):
    trials = read_trials(v1(a={}, b={"score": None, "depth_percent": 0}), score_threshold=7)
    assert trials.frame["status"].tolist() == ["ok", "unparsed"]


@pytest.mark.parametrize("name", ["kamradt_v1", "kamradt_list"])
def test_marks_without_a_meaning_are_asked_about(v1, lists, name):
    path = v1(a={}) if name == "kamradt_v1" else lists(a=[(1000, 50, 10)])
    with pytest.raises(OptionError, match=rf"{name} .*--score-threshold 7.*--score-scale 1-10"):
        read_trials(path)


def test_list_names_the_language_model_after_its_folder_and_says_so(lists):
    folder = lists(a=[(1000, 0, 10), (1000, 50, 1)])
    trials = read_trials(folder / "a.json", score_threshold=7)
    assert trials.models == ("gpt4_128k",)
    assert "--model-name NAME" in trials.notices[0].message
    assert read_trials(folder, score_threshold=7, model_name="GPT-4").models == ("GPT-4",)


def test_a_list_names_no_needle_as_the_source_of_its_cases(lists, v1):
    assert read_trials(lists(a=[(1000, 0, 10)]), score_threshold=7).reading.mapping["case"] == (
        "length and depth"
    )
    assert read_trials(v1(a={}), score_threshold=7).reading.mapping["case"] == "needle"


def test_list_files_numbered_beside_another_are_repeats(lists):
    folder = lists(run=[(1000, 0, 10)], run_2=[(1000, 0, 1)], other_3=[(2000, 0, 1)])
    trials = read_trials(folder, score_threshold=7)
    assert trials.frame.sort_values("length")["repeat"].tolist() == [1, 2, 1]
    assert trials.n_cases == 2
    assert trials.reading.mapping["repeat"] == "file name"


def test_options_reach_the_marks(lists):
    folder = lists(a=[(1000, 50, 10), (1000, 100, 1)])
    assert read_trials(folder, score_scale="1-10").frame["score"].tolist() == [1.0, 0.0]
    named = read_trials(folder, score_threshold=7, columns={"task": "token_limit"})
    assert named.tasks == ("1000",)


def test_formats_are_found_by_content(v1, lists):
    request = ReadRequest()
    for folder, name in ((v1(a={}), "kamradt_v1"), (lists(a=[(1, 1, 1)]), "kamradt_list")):
        (source,) = find_sources(folder)
        assert find_format(look_at(source, request), {}).name == name


@pytest.mark.parametrize(("threshold", "right"), [(7, 831), (10, 819)])
def test_claude_2_1(real_data, threshold, right):
    trials = read_trials(real_data / "kamradt_v1" / "claude_2_1", score_threshold=threshold)
    assert trials.n_trials == trials.n_scored == 1376
    assert trials.frame["score"].sum() == right
    assert trials.n_cases == 1225
    assert (trials.frame["repeat"] == 2).sum() == 151
    assert trials.models == ("claude-2.1",)
    assert trials.frame["length"].nunique() == trials.frame["depth"].nunique() == 35
    assert [notice.code for notice in trials.notices] == ["identical-repeats"]


def test_claude_2_1_repeats_are_folded_by_case(real_data):
    trials = read_trials(real_data / "kamradt_v1" / "claude_2_1", score_threshold=7)
    grid = count_cells(trials).grid
    at = grid.lengths.tolist().index(24412)
    assert grid.n_cases[at].sum() == 35
    assert grid.n_trials[at].sum() == 46
    assert grid.accuracy[at].mean() == pytest.approx(0.771429, abs=1e-6)
    pooled = trials.frame.query("length == 24412")["score"].mean()
    assert pooled == pytest.approx(0.782609, abs=1e-6)


@pytest.mark.parametrize(("threshold", "right"), [(7, 295), (10, 294)])
def test_gpt4_both_files(real_data, threshold, right):
    trials = read_trials(real_data / "kamradt_v1" / "gpt4_128k", score_threshold=threshold)
    assert (trials.n_trials, trials.frame["score"].sum()) == (330, right)
    assert trials.n_cases == 225
    assert trials.frame["length"][trials.frame["repeat"] == 2].min() == 73571


def test_gpt4_first_file(real_data):
    path = real_data / "kamradt_v1" / "gpt4_128k" / "OpenAI_OriginalResults.json"
    trials = read_trials(path, score_threshold=7)
    assert (trials.n_trials, trials.frame["score"].sum()) == (225, 208)


@pytest.mark.parametrize("versions", [("a", "b"), (1.2, 1.7), (None, "2.1.0")])
def test_versions_that_do_not_count_are_runs_of_their_own(v1, versions):
    first, second = versions
    trials = read_trials(v1(one={"version": first}, two={"version": second}), score_threshold=7)
    assert trials.frame["repeat"].tolist() == [1, 2]
    assert trials.reading.n_duplicates == 0


def test_a_version_that_does_not_count_leaves_the_numbers_in_names(v1):
    folder = v1(a_results={"version": "x"}, a_results_2={"version": "x", "score": 1})
    trials = read_trials(folder, score_threshold=7)
    assert trials.frame["repeat"].tolist() == [1, 2]
    assert trials.frame["score"].tolist() == [1, 0]
