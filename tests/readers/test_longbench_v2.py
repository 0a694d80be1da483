"""LongBench v2: length classes, four choices, questions that are missing because they were long."""

import json

import pytest

from lcstats.cells import count_cells
from lcstats.errors import FormatError, UnscoredWarning
from lcstats.readers import read_trials

pytestmark = pytest.mark.filterwarnings("ignore::lcstats.errors.LcstatsWarning")

ROW = {
    "_id": "66f3",
    "domain": "Single-Document QA",
    "sub_domain": "Financial",
    "difficulty": "easy",
    "length": "short",
    "question": "Why?",
    **{f"choice_{letter}": "So." for letter in "ABCD"},
    "answer": "A",
    "context": "long",
    "response": "The correct answer is (A)",
    "pred": "A",
    "judge": True,
}


@pytest.fixture
def results(tmp_path):
    """Write rows as LongBench v2 does and return the file."""

    def write(*rows, name="llama.jsonl"):
        path = tmp_path / name
        path.write_text("".join(json.dumps(ROW | row) + "\n" for row in rows))
        return path

    return write


def test_fields(results):
    trials = read_trials(results({}))
    assert trials.reading.format == "longbench_v2"
    row = trials.frame.to_dict("records")[0]
    expected = {
        "model": "llama",
        "task": "longbench_v2",
        "case": "66f3",
        "length": 32000,
        "score": 1.0,
        "status": "ok",
        "guess_rate": 0.25,
        "output": "The correct answer is (A)",
        "domain": "Single-Document QA",
        "difficulty": "easy",
        "length_in_file": "short",
    }
    assert {name: row[name] for name in expected} == expected
    assert trials.length_unit == "words"
    assert not {"question", "context", "choice_A"} & set(trials.frame)


def test_classes_are_in_order(results):
    rows = [{"_id": str(i), "length": name} for i, name in enumerate(["long", "short", "medium"])]
    assert read_trials(results(*rows)).frame["length"].tolist() == [2000000, 32000, 128000]


def test_another_word_is_asked_about(results):
    with pytest.raises(FormatError, match=r"line 2: length is 'huge'.*mend the word"):
        read_trials(results({}, {"length": "huge"}))


@pytest.mark.parametrize(
    ("name", "model", "task"),
    [
        ("llama_cot.jsonl", "llama", "longbench_v2_cot"),
        ("llama_no_context.jsonl", "llama", "longbench_v2_no_context"),
        ("my_llama_rag_8.jsonl", "my_llama", "longbench_v2_rag_8"),
    ],
)
def test_ways_of_prompting_are_tasks(results, name, model, task):
    trials = read_trials(results({}, name=name))
    assert (trials.models, trials.tasks) == ((model,), (task,))


def test_no_choice_is_wrong_and_no_response_is_unscored(results):
    rows = [{"pred": None, "judge": False}, {"_id": "b", "response": None, "judge": False}]
    trials = read_trials(results(*rows))
    assert trials.frame["status"].tolist() == ["ok", "error"]
    assert trials.frame["score"].fillna(-1).tolist() == [0, -1]
    assert any("1 response without a choice" in notice.message for notice in trials.notices)


def test_missing_questions_are_said(results):
    notice = read_trials(results({})).notices[0]
    assert (
        "502 questions of 503 not there (there are 1 of 180 short, 0 of 215 medium"
        in notice.message
    )
    assert notice.category is UnscoredWarning


def test_published_results(real_data):
    trials = read_trials(real_data / "longbench_v2")
    assert (trials.n_trials, trials.n_scored, trials.frame["score"].sum()) == (284, 284, 94)
    grid = count_cells(trials).grid
    assert grid.lengths.tolist() == [32000, 128000]
    assert grid.n_cases.ravel().tolist() == [178, 106]
    assert grid.successes.ravel().tolist() == [63, 31]
    assert (trials.frame["guess_rate"] == 0.25).all()
    messages = " ".join(notice.message for notice in trials.notices)
    assert "7 responses without a choice" in messages
    assert (
        "219 questions of 503 not there (there are 178 of 180 short, 106 of 215 medium" in messages
    )
