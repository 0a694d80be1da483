"""Kamradt's second runner: errors are unscored, seeds repeat, found needles are worked out."""

import copy
import json

import pytest

from lcstats.cells import count_cells
from lcstats.errors import FormatError, TableError
from lcstats.readers import read_trials

pytestmark = pytest.mark.filterwarnings("ignore::lcstats.errors.LcstatsWarning")

TRIAL = {
    "schema_version": 2,
    "run_name": "pizza",
    "model_id": "claude-x",
    "model_request_name": "claude-x-2026",
    "task_type": "multi",
    "context_length": 4000,
    "target_depth_percent": 0.0,
    "recipe": {
        "haystack": {"type": "files", "path": "PaulGrahamEssays"},
        "inserter": "even_spread",
        "needle_placements": [
            {"text": "Figs are one.", "insertion_token_index": 0, "actual_depth_percent": 0.0},
            {"text": "Goat cheese is.", "insertion_token_index": 9, "actual_depth_percent": 66.2},
        ],
        "final_context_token_count": 4020,
    },
    "needle_metadata": {"expected_fragments": ["figs", "goat cheese"]},
    "expected_answer": "figs / goat cheese",
    "prompt_question": "What is in the pizza?",
    "response": "Goat CHEESE and ham",
    "score": {"value": 0.5, "details": {"matches": 1, "total": 2}},
    "usage": {"input_tokens": 4044, "output_tokens": 5},
    "cost_usd": None,
    "duration_seconds": 1.5,
    "status": "ok",
    "error": None,
    "timestamp_utc": "2026-06-08T00:00:00+00:00",
    "seed": None,
}
ERROR = {"status": "error", "error": "429", "score": None, "response": None, "usage": None}


@pytest.fixture
def run(tmp_path):
    """Write rows that differ from TRIAL as given, and return their file."""
    path = tmp_path / "pizza.jsonl"

    def write(*changes, end="\n"):
        rows = [json.dumps({**copy.deepcopy(TRIAL), **change}) for change in changes]
        path.write_text("\n".join(rows) + end)
        return path

    return write


def test_fields(run):
    trials = read_trials(run({}))
    assert trials.reading.format == "kamradt_v2"
    (row,) = trials.frame.to_dict("records")
    assert row["case"].startswith("Figs are one. / Goat cheese is. #")
    expected = {
        "model": "claude-x",
        "task": "multi",
        "repeat": 1,
        "length": 4000,
        "tokens_received": 4044,
        "depth": 0.0,
        "score": 0.5,
        "status": "ok",
        "n_needles": 2,
        "n_found": 1,
        "needle_depths": [0.0, 0.662],
        "needle_found": [0, 1],
        "output": "Goat CHEESE and ham",
        "latency_s": 1.5,
        "question": "What is in the pizza?",
        "answer": "figs / goat cheese",
    }
    assert {name: row[name] for name in expected} == expected
    assert "cluster" not in trials.frame


def test_error_rows_are_unscored(run):
    trials = read_trials(run({"seed": 1}, {"seed": 2, **ERROR}))
    assert trials.frame["status"].tolist() == ["ok", "error"]
    assert trials.frame["score"].isna().tolist() == [False, True]
    assert trials.frame["n_found"].isna().tolist() == [False, True]


def test_an_error_that_was_run_again_gives_way(run):
    trials = read_trials(run({"seed": 1, **ERROR}, {"seed": 1}))
    assert trials.frame["status"].tolist() == ["ok"]


def test_a_run_of_errors_alone_has_nothing_to_analyse(run):
    with pytest.raises(TableError, match=r"no scored trials.*check that the sweep ran"):
        read_trials(run(ERROR, {**ERROR, "seed": 2}))


def test_float_noise_in_depths_does_not_split_a_cell(run):
    depths = [49.999999999999986, 50.0, 14.0, 14.29]
    changes = [{"target_depth_percent": depth, "seed": seed} for seed, depth in enumerate(depths)]
    trials = read_trials(run(*changes))
    assert trials.frame["depth"].tolist() == [0.5, 0.5, 0.14, 0.1429]
    assert trials.frame["repeat"].tolist() == [1, 2, 1, 1]


def test_seeds_that_change_nothing_are_repeats(run):
    trials = read_trials(run({"seed": 7}, {"seed": 40}, {"seed": 7, "run_name": "again"}))
    assert trials.n_cases == 1
    assert trials.frame["repeat"].tolist() == [1, 2, 3]


def test_another_haystack_question_or_needle_is_another_case(run):
    recipe = copy.deepcopy(TRIAL["recipe"])
    other_haystack = {**recipe, "haystack": {"type": "text", "text": "Once"}}
    recipe["needle_placements"][0]["text"] = "Dates are one."
    trials = read_trials(
        run({}, {"recipe": other_haystack}, {"recipe": recipe}, {"prompt_question": "And?"})
    )
    assert trials.n_cases == 4
    assert (trials.frame["repeat"] == 1).all()


def test_rows_written_twice_are_kept_once(run):
    trials = read_trials(run({}, {}))
    assert (trials.n_trials, trials.reading.n_duplicates) == (1, 1)


@pytest.mark.parametrize(
    "change",
    [
        {"needle_metadata": {"expected_fragments": ["figs", "goat", "cheese"]}},
        {"score": {"value": 1.0, "details": {"matches": 2, "total": 2}}},
    ],
    ids=["more fragments than needles", "another count than the stored one"],
)
def test_needles_that_cannot_be_matched_are_left_open(run, change):
    trials = read_trials(run({}, {"seed": 2, **change}))
    assert trials.frame["needle_found"].tolist() == [[0, 1], None]
    assert trials.frame["n_found"].isna().tolist() == [False, True]
    assert "needles-unclear" in {notice.code for notice in trials.notices}
    assert trials.n_scored == 2


def test_chains_say_how_far_and_not_which(run):
    chain = {
        "task_type": "uuid_chain",
        "needle_metadata": {"chain": ["a1", "b2", "c3"], "start": "a1"},
        "expected_answer": "c3",
        "response": "a1 b2",
        "score": {"value": 2 / 3, "details": {"hops_correct": 2, "chain_length": 3}},
    }
    trials = read_trials(run(chain))
    (row,) = trials.frame.to_dict("records")
    assert (row["score"], row["n_needles"], row["cluster"]) == (2 / 3, 2, "a1")
    assert "needle_found" not in trials.frame
    assert row["needle_depths"] == [0.0, 0.662]


def test_a_cut_last_line_is_left_out_and_named(run):
    trials = read_trials(run({"seed": 1}, {"seed": 2}, end='\n{"schema_version": 2, "run_na'))
    assert trials.n_trials == 2
    assert trials.notices[0].code == "cut-line"


def test_a_bad_line_within_is_refused_or_skipped(run):
    path = run({}, {"seed": 2})
    good = path.read_text().splitlines()
    path.write_text("\n".join([good[0], good[0][:90], good[1], ""]))
    with pytest.raises(FormatError, match=r"line 2.*--skip-bad-lines"):
        read_trials(path)
    assert read_trials(path, skip_bad_lines=True).n_trials == 2


def test_the_format_needs_a_length(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text('{"score": {"value": 1}}\n{"score": {"value": 0}}\n')
    with pytest.raises(TableError, match=r"no column for length.*--map length=THEIRS"):
        read_trials(path, format="kamradt_v2")


def test_single_needles_of_the_real_writer(real_data):
    path = real_data / "kamradt_v2_generated" / "single.jsonl"
    trials = read_trials(path, score_threshold=1)
    assert (trials.n_trials, trials.n_scored, trials.n_cases) == (30, 28, 15)
    assert trials.frame["score"].mean() == 0.75
    by_length = trials.frame.groupby("length")["score"].mean()
    assert by_length.to_dict() == pytest.approx({1000: 0.9, 4000: 0.7, 16000: 0.625})
    assert sorted(trials.frame["depth"].unique())[2] == 0.5
    assert count_cells(trials).grid.depths.size == 5
    assert dict(count_cells(trials).grid.unscored[16000]) == {"error": 2}


def test_several_needles_of_the_real_writer(real_data):
    trials = read_trials(real_data / "kamradt_v2_generated" / "multi.jsonl")
    assert (trials.n_trials, trials.n_cases) == (18, 9)
    assert trials.frame["score"].mean() == pytest.approx(0.611111, abs=1e-6)
    assert (trials.frame["n_found"] / 3 == trials.frame["score"]).all()
    assert trials.frame["needle_found"].map(sum).tolist() == trials.frame["n_found"].tolist()
    assert set(trials.frame["n_needles"]) == {3}


def test_chains_of_the_real_writer(real_data):
    trials = read_trials(real_data / "kamradt_v2_generated" / "uuid_chain.jsonl")
    assert (trials.n_trials, trials.n_scored, trials.n_cases) == (12, 12, 12)
    assert trials.frame["cluster"].nunique() == 2
    assert sorted(trials.frame["depth"].unique()) == [0, 0.4]


def test_the_tasks_of_a_folder_stay_apart(real_data):
    trials = read_trials(real_data / "kamradt_v2_generated")
    assert trials.tasks == ("multi", "single", "uuid_chain")
    assert trials.n_trials == 60
