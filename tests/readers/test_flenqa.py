"""FLenQA: dispersion as depth, conditions as tasks, guess rate of one half."""

import pandas as pd
import pytest

from lcstats.errors import FormatError
from lcstats.readers import read_trials

pytestmark = pytest.mark.filterwarnings("ignore::lcstats.errors.LcstatsWarning")


def row(**changes):
    return {
        "response": "True",
        "cot_coverage": 0,
        "normalized_response": "true",
        "correct": True,
        "early_response": False,
        "chain_of_thought": False,
        "model": "gpt-3.5-turbo-1106",
        "dataset": "PIR",
        "sample_dataset_id": 42,
        "sample_global_id": 9342,
        "label": "True",
        "dispersion": "middle",
        "padding_type": "books",
        "ctx_size": 1000,
    } | changes


@pytest.fixture(params=["csv", "jsonl", "json", "parquet"])
def read(request, tmp_path):
    def read(*rows, drop=()):
        frame, path = pd.DataFrame(rows).drop(columns=list(drop)), tmp_path / f"a.{request.param}"
        if request.param == "csv":
            frame.to_csv(path)
        elif request.param == "parquet":
            frame.to_parquet(path)
        else:
            frame.to_json(path, orient="records", lines=request.param == "jsonl")
        return read_trials(path)

    return read


def test_fields(read):
    trials = read(row(), row(sample_dataset_id=43, correct=False, response="False"))
    assert trials.reading.format == "flenqa"
    first = trials.frame.iloc[0]
    names = ["model", "task", "case", "length", "depth", "score", "cluster", "guess_rate", "output"]
    expected = ["gpt-3.5-turbo-1106", "PIR books", "42", 1000, 0.5, 1, "PIR 42", 0.5, "True"]
    assert first[names].tolist() == expected
    assert trials.frame["score"].tolist() == [1, 0]


def test_dispersions_are_depths_and_random_is_a_task(read):
    rows = [row(dispersion=where) for where in ("first", "middle", "last", "random")]
    trials = read(*rows, row(dispersion="random", chain_of_thought=True))
    assert trials.frame["depth"].tolist()[:3] == [0, 0.5, 1]
    assert trials.frame["depth"].isna().tolist()[3:] == [True, True]
    assert trials.tasks == ("PIR books", "PIR books random", "PIR books random cot")


def test_neither_true_nor_false_is_wrong_and_no_response_is_unscored(read):
    unclear = row(response="Perhaps", normalized_response="other/refused", correct=False)
    missing = row(response=None, normalized_response="other/refused", correct=False, ctx_size=500)
    trials = read(row(), unclear | {"sample_dataset_id": 7}, missing)
    assert trials.frame["status"].tolist() == ["ok", "ok", "error"]
    assert trials.frame["score"].tolist()[:2] == [1, 0]


@pytest.mark.parametrize("drop", [["correct"], ["correct", "normalized_response"]])
def test_scores_that_are_missing_are_worked_out(read, drop):
    said = ["True", "So it is not true.", "Hm"]
    words = ["true", "false", "other/refused"]
    rows = [
        row(response=text, normalized_response=word, sample_dataset_id=number)
        for number, (text, word) in enumerate(zip(said, words, strict=True))
    ]
    assert read(*rows, drop=drop).frame["score"].tolist() == [1, 0, 0]


def test_samples_pair_across_lengths(read):
    trials = read(row(), row(ctx_size=3000), row(dataset="MonoRel"))
    assert trials.frame["case"].nunique() == 1
    assert trials.frame["cluster"].tolist() == ["PIR 42", "PIR 42", "MonoRel 42"]


@pytest.mark.parametrize("labels", [(1, 0), (1.0, 0.0), ("1", "0"), (True, False), ("TRUE", "no")])
def test_labels_however_they_are_written(read, labels):
    rows = [
        row(label=label, response=text, sample_dataset_id=number)
        for number, (label, text) in enumerate(
            [(labels[0], "True."), (labels[1], "not true"), (labels[1], "True")]
        )
    ]
    drop = ["correct", "normalized_response"]
    if "no" in labels:
        with pytest.raises(FormatError, match=r"label is 'no'; expected true or false.*mend it"):
            read(*rows, drop=drop)
    else:
        assert read(*rows, drop=drop).frame["score"].tolist() == [1, 1, 0]


@pytest.mark.parametrize("drop", [[], ["correct"], ["correct", "normalized_response"]])
def test_empty_responses_are_unscored_and_wrong_to_the_suite(tmp_path, drop):
    empty = row(response=" ", normalized_response="other/refused", correct=False, ctx_size=500)
    frame = pd.DataFrame([row(), empty]).drop(columns=drop)
    frame.to_json(tmp_path / "a.jsonl", orient="records", lines=True)
    trials = read_trials(tmp_path / "a.jsonl")
    assert trials.frame["status"].tolist() == ["ok", "empty"]
    assert trials.frame["score"].fillna(-1).tolist() == [1, -1]
    assert any("1 output empty" in notice.message for notice in trials.notices)
    official = read_trials(tmp_path / "a.jsonl", columns={"score": "official_score"})
    assert official.frame["score"].tolist() == [1, 0]
    assert official.n_scored == 2
