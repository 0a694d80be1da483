"""StackAI's replications: characters and thousands of tokens, same prompts, failed requests."""

import json

import pytest

from lcstats.errors import FormatError
from lcstats.readers import read_trials

pytestmark = pytest.mark.filterwarnings("ignore::lcstats.errors.LcstatsWarning")


def v1(trial=0, passcode="TOL-371", prediction="TOL-371", **changes):
    return {
        "position": 0.1,
        "position_label": "Beginning",
        "trial": trial,
        "passcode": passcode,
        "prediction": prediction,
        "correct": passcode in prediction,
        "context_length": 16186,
        **changes,
    }


def v2(trial=0, passcode="TYML-7821", prediction="TYML-7821", **changes):
    return {
        "context_length_k": 8,
        "position": 0.05,
        "trial": trial,
        "passcode": passcode,
        "prediction": prediction,
        "correct": passcode in prediction,
        "actual_tokens": 7908,
        "prompt_tokens": 7900,
        "completion_tokens": 5,
        **changes,
    }


@pytest.fixture
def results(tmp_path):
    """Write trials as the scripts do, and return the file."""

    def write(*trials, **fields):
        path = tmp_path / "results.json"
        path.write_text(json.dumps({**fields, "detailed_results": list(trials)}, indent=2))
        return path

    return write


def test_v1_fields(results):
    trials = read_trials(results(v1()), model_name="gpt-4o-mini")
    assert trials.reading.format == "stackai_v1"
    assert trials.length_unit == "characters"
    assert trials.models == ("gpt-4o-mini",)
    (row,) = trials.frame.to_dict("records")
    assert (row["case"], row["length"], row["depth"], row["score"]) == ("TOL-371", 16186, 0.1, 1)


def test_v1_same_prompts_are_repeats_of_one_case(results):
    same = [v1(number) for number in range(1, 30)]
    trials = read_trials(results(v1(0, "BEB-184", "BEB-184"), *same, v1(0, position=0.9)))
    assert (trials.n_trials, trials.n_cases) == (31, 3)
    assert trials.frame["repeat"].tolist() == [1, *range(1, 30), 1]


def test_v1_failed_requests_are_unscored(results):
    trials = read_trials(results(v1(), v1(1, prediction="")))
    assert trials.frame["status"].tolist() == ["ok", "empty"]
    assert trials.frame["score"].isna().tolist() == [False, True]


def test_v2_fields(results):
    trials = read_trials(results(v2(context_length_k=64, prompt_tokens=63000), model="gpt-4o-mini"))
    assert trials.reading.format == "stackai_v2"
    assert trials.length_unit == "tokens"
    (row,) = trials.frame.to_dict("records")
    assert (row["length"], row["depth"], row["score"]) == (64000, 0.05, 1)
    assert (row["model"], row["case"], row["status"]) == ("gpt-4o-mini", "TYML-7821", "ok")


def test_v2_failed_requests_are_unscored_and_wrong_answers_are_not(results):
    failed = v2(1, "A-1", "", prompt_tokens=0, completion_tokens=0)
    trials = read_trials(results(v2(), failed, v2(2, "B-2", "no"), v2(3, "C-3", ""), model="m"))
    assert trials.frame["status"].tolist() == ["ok", "error", "ok", "ok"]
    assert trials.frame["score"].fillna(-1).tolist() == [1.0, -1.0, 0.0, 0.0]
    assert trials.frame["tokens_received"].isna().tolist() == [False, True, False, False]


@pytest.mark.parametrize(("row", "name"), [(v1, "stackai_v1"), (v2, "stackai_v2")])
def test_trials_without_their_fields_are_named(results, row, name):
    lacking = row(1)
    del lacking["passcode"]
    path = results(row(0), lacking, model="m")
    with pytest.raises(FormatError, match=rf"trial 2: .*'passcode'.*{name}.*leave out --format"):
        read_trials(path)


@pytest.mark.parametrize("fields", [{}, {"model": None}])
def test_v2_without_a_language_model_can_be_given_one(results, fields):
    path = results(v2(), **fields)
    with pytest.warns(UserWarning, match=r"called 'model'.*--model-name NAME"):
        assert read_trials(path).models == ("model",)
    assert read_trials(path, model_name="gpt").models == ("gpt",)
