"""L-Eval's predictions: refused as they are, read where lengths and scores were added."""

import json

import pytest

from lcstats.errors import FormatError
from lcstats.readers import read_trials

pytestmark = pytest.mark.filterwarnings("ignore::lcstats.errors.LcstatsWarning")

ROW = {
    "query": "What is the first topic we discussed?",
    "gt": "The role of art",
    "prompt": "Document is as follows. {} Question: {}",
    "gpt4-x_pred": "The role of art",
    "evaluation": "exam",
}


@pytest.fixture
def write(tmp_path):
    def write(*changes, name="topic_retrieval.pred.jsonl", folder="gpt4-32k"):
        path = tmp_path / folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("".join(f"{json.dumps(ROW | change)}\n" for change in changes))
        return path

    return write


def test_the_suites_own_files_say_what_is_missing(write):
    with pytest.raises(FormatError, match=r"no length and no score.*auto_eval\.py.*--map length="):
        read_trials(write({}))
    with pytest.raises(FormatError, match=r"no length; .*count the tokens.*--map length=THEIRS \("):
        read_trials(write({"score": 1}))
    with pytest.raises(FormatError, match=r"no score; .*--map score=THEIRS \("):
        read_trials(write({"length": 1}))


def test_fields(write):
    trials = read_trials(write({"length": 8000, "score": 1}, {"length": 8000, "score": 0}))
    assert trials.reading.format == "leval"
    first, second = trials.frame.to_dict("records")
    expected = {
        "model": "gpt4-x",
        "task": "topic_retrieval",
        "case": "1",
        "length": 8000,
        "score": 1,
        "output": "The role of art",
    }
    assert {name: first[name] for name in expected} == expected
    assert second["case"] == "2"
    assert not {"query", "prompt", "gpt4-x_pred"} & first.keys()


def test_the_same_question_about_two_documents_is_two_cases(write):
    trials = read_trials(write(*[{"length": 8000, "score": 1}] * 3))
    assert trials.n_cases == 3


def test_columns_of_any_name_on_request(write):
    path = write({"toks": 8000, "em": 1})
    trials = read_trials(path, columns={"length": "toks", "score": "em"})
    assert trials.frame[["length", "score"]].values.tolist() == [[8000, 1]]


def test_tokens_received_are_lengths_where_there_are_no_others(write):
    trials = read_trials(write({"input_tokens": 7990, "score": 1, "guess_rate": 0.25}))
    (row,) = trials.frame.to_dict("records")
    assert (row["length"], row["tokens_received"], row["guess_rate"]) == (7990, 7990, 0.25)


def test_a_file_of_all_tasks_has_the_folders_name(write):
    path = write({"length": 8, "score": 1}, name="gpt4-32k.pred.jsonl", folder="llm_gpt4_eval")
    assert read_trials(path).tasks == ("llm_gpt4_eval",)
