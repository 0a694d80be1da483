"""NoLiMa: one file per test and length, depths within, the same word for rule and verdict."""

import json

import pytest

from lcstats.cells import count_cells
from lcstats.errors import FormatError
from lcstats.readers import read_trials

pytestmark = pytest.mark.filterwarnings("ignore::lcstats.errors.LcstatsWarning")

TEST = "0402_T15_C02_onehop"


def result(depth, metric=1, response="Yuki", **more):
    placed = {"static_depth": -1, "token_depth": 10, "depth": depth, "context_length_wo_needle": 1}
    tokens = {"prompt_tokens": 1050, "completion_tokens": 3, "total_tokens": 1053}
    row = {"selected_character": "Yuki", "placement_metadata": placed, "metric": metric}
    return row | {"response": response, "finish_reason": "stop"} | tokens | more


@pytest.fixture
def nolima(tmp_path):
    """Write a file as NoLiMa does and return the folder of results."""

    def write(*results, time=1, test=TEST, length=1000, haystack="book_1"):
        folder = tmp_path / "results_llama" / "CL32K" / test
        folder.mkdir(parents=True, exist_ok=True)
        run = {
            "eval_name": "book",
            "test_name": test,
            "model_name": "llama-3.3-70b",
            "needle": "Actually, Yuki lives next to the Semper Opera House.",
            "retrieval_question": "Which character has been to Dresden?",
            "haystack_path": f"{haystack}.txt",
            "haystack_hash": haystack,
            "context_length": length,
            "metric": "contains",
            "seed": 42,
            "results": list(results),
        }
        name = f"llama_book_{test}_{length}_{haystack}_{time}.json"
        (folder / name).write_text(json.dumps(run, indent=4))
        return tmp_path / "results_llama"

    return write


def test_fields(nolima):
    trials = read_trials(nolima(result(0.0), result(0.04, 0, "Nobody")))
    assert trials.reading.format == "nolima"
    row = trials.frame.to_dict("records")[1]
    expected = {
        "model": "llama-3.3-70b",
        "task": "nolima",
        "repeat": 1,
        "length": 1000,
        "tokens_received": 1050,
        "depth": 0.04,
        "score": 0.0,
        "status": "ok",
        "cluster": TEST,
        "output": "Nobody",
        "rule": "contains",
        "selected_character": "Yuki",
    }
    assert {name: row[name] for name in expected} == expected
    assert row["case"].startswith(f"{TEST} ")
    assert trials.notices == ()


def test_haystacks_are_cases_and_tests_clusters(nolima):
    nolima(result(0.5), haystack="book_1")
    nolima(result(0.5), haystack="book_2")
    trials = read_trials(nolima(result(0.5, prompt_tokens=2050), haystack="book_1", length=2000))
    assert trials.frame["case"].nunique() == 2
    assert trials.frame["cluster"].nunique() == 1
    assert {grid.n_cases.sum() for grid in count_cells(trials).grids} == {3}


def test_files_of_the_same_prompts_are_repeats(nolima):
    nolima(result(0.5, 1), time=1)
    trials = read_trials(nolima(result(0.5, 0), time=2))
    assert sorted(trials.frame["repeat"]) == [1, 2]
    assert trials.n_cases == 1


def test_direct_questions_are_a_task_of_their_own(nolima):
    nolima(result(0.5))
    trials = read_trials(nolima(result(0.5), test="0402_T15_C02_direct"))
    assert sorted(trials.tasks) == ["nolima", "nolima_direct"]


def test_what_has_no_score(nolima):
    rows = [
        result(0.0),
        result(0.2, 0, " "),
        result(0.4, 0, None),
        result(0.6, 0, "", finish_reason="content_filter"),
    ]
    folder = nolima(*rows)
    trials = read_trials(folder)
    assert trials.frame["status"].tolist() == ["ok", "empty", "error", "refused"]
    assert trials.n_scored == 1
    assert "scores-ignored" not in {notice.code for notice in trials.notices}
    official = read_trials(folder, columns={"score": "official_score"})
    assert official.frame["score"].fillna(-1).tolist() == [1, 0, -1, -1]


def test_a_result_without_a_placement(nolima):
    with pytest.raises(FormatError, match=r"result 1: no usable field 'placement_metadata'"):
        read_trials(nolima({"metric": 1, "response": "Yuki"}))
