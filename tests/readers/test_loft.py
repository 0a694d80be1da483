"""LOFT: lengths from folders, metrics to choose from, unanswered queries."""

import json

import pytest

from lcstats.errors import FormatError, OptionError
from lcstats.readers import read_trials

pytestmark = pytest.mark.filterwarnings("ignore::lcstats.errors.LcstatsWarning")


def scored(qid="test1", turn="0", **metrics):
    return {"qid": qid, "turn_id": turn} | (metrics or {"em": 0.0, "subspan_em": 1.0, "f1": 0.5})


def predicted(qid):
    return {"qid": qid, "num_turns": 1, "model_outputs": [["x"]]}


@pytest.fixture
def write(tmp_path):
    def write(*rows, name="preds_metrics_per_line", folder="nq/128k"):
        place = tmp_path / folder
        place.mkdir(parents=True, exist_ok=True)
        path = place / f"{name}.jsonl"
        path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
        return path

    return write


def test_fields(write):
    path = write(scored(), scored(turn="1", em=1.0, subspan_em=1.0, f1=1.0))
    with pytest.raises(OptionError, match=r"em, subspan_em, f1.*--filter em"):
        read_trials(path)
    trials = read_trials(path, filter_name="em", model_name="gemini")
    assert trials.reading.format == "loft"
    first = trials.frame.iloc[0]
    names = ["model", "task", "case", "cluster", "length", "score"]
    assert first[names].tolist() == ["gemini", "nq", "test1 0", "test1", 128000, 0]
    assert trials.frame["score"].tolist() == [0, 1]


def test_several_lengths(write, tmp_path):
    for folder in ("nq/32k", "nq/128k", "nq/1m"):
        write(scored(em=1.0), folder=folder)
    trials = read_trials(tmp_path)
    assert trials.frame["length"].tolist() == [128000, 1000000, 32000]


def test_an_answer_of_nothing_covers_nothing(write):
    nothing = {"qid": "b", "em": 0.0, "subspan_em": 0.0, "f1": 0.0}
    some = {"qid": "a", "em": 0.0, "coverage": 0.75, "subspan_em": 0.0}
    trials = read_trials(write(some, nothing), filter_name="coverage")
    assert trials.frame["score"].tolist() == [0.75, 0]


def test_turns_of_sql(write):
    turns = [{"qid": "a", "exec_acc": 1.0, "metadata": {"turn_number": n}} for n in range(2)]
    assert read_trials(write(*turns)).frame["case"].tolist() == ["a 0", "a 1"]


def test_queries_without_an_answer_are_unscored_where_predictions_are_read(write, tmp_path):
    scores = write(scored("a", em=1.0), scored("b", em=0.0))
    write(predicted("a"), name="preds")
    alone = read_trials(scores)
    assert alone.frame["score"].tolist() == [1, 0]
    trials = read_trials(tmp_path)
    assert trials.frame["status"].tolist() == ["ok", "error"]
    assert "unanswered" in {notice.code for notice in trials.notices}


def test_predictions_alone_are_refused(write):
    with pytest.raises(FormatError, match=r"no scores.*run_evaluation\.py"):
        read_trials(write(predicted("a"), name="preds"))


def test_a_path_without_a_length_is_refused(write):
    path = write(scored(em=1.0), folder="nq")
    with pytest.raises(FormatError, match=r"does not say its length.*32k, 128k or 1m"):
        read_trials(path)
