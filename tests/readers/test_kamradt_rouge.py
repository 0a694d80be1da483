"""ROUGE scores in the v1 layout: never taken for a judge's marks; the scale told or asked for."""

import json

import pytest

from lcstats.errors import FormatError, OptionError
from lcstats.readers import read_trials

pytestmark = pytest.mark.filterwarnings("ignore::lcstats.errors.LcstatsWarning")


@pytest.fixture
def scored(tmp_path):
    """Write one file per score and return their folder."""

    def write(*scores):
        for depth, score in enumerate(scores):
            trial = {
                "model": "llama-2-7b-80k",
                "context_length": 1000,
                "depth_percent": float(depth),
                "version": 1,
                "needle": "\nEat a sandwich.\n",
                "model_response": "Eat.",
                "score": score,
                "test_duration_seconds": 1.5,
            }
            name = f"llama_len_1000_depth_{depth * 100}_results.json"
            (tmp_path / name).write_text(json.dumps(trial))
        return tmp_path

    return write


def test_fields(scored):
    trials = read_trials(scored(100.0))
    assert trials.reading.format == "kamradt_rouge"
    (row,) = trials.frame.to_dict("records")
    expected = {"model": "llama-2-7b-80k", "case": "Eat a sandwich.", "length": 1000, "depth": 0.0}
    assert {name: row[name] for name in expected} == expected


def test_a_score_above_10_tells_the_scale_of_all(scored):
    trials = read_trials(scored(95.2, 4.76, 0.0, 10.0))
    assert trials.frame["score"].tolist() == pytest.approx([0.952, 0.0476, 0, 0.1])
    assert trials.reading.score_scale == "0-100"
    assert "Retrieval_Head" in trials.notices[0].message


def test_without_one_the_scale_is_asked_for(scored):
    folder = scored(10.0, 9.52, 0.0)
    with pytest.raises(
        OptionError, match=r"of 10 .*or of 100.*--score-threshold 5.*--score-scale 0-100"
    ):
        read_trials(folder)
    as_percent = read_trials(folder, score_scale="0-100")
    assert as_percent.frame["score"].tolist() == pytest.approx([0.1, 0.0952, 0])


def test_a_threshold_is_in_the_scale_of_the_files(scored):
    assert read_trials(scored(10.0, 9.5, 3.1), score_threshold=5).frame["score"].tolist() == [
        1,
        1,
        0,
    ]
    assert read_trials(scored(95.2, 9.5, 3.1), score_threshold=50).frame["score"].tolist() == [
        1,
        0,
        0,
    ]


@pytest.mark.parametrize("score", [9.5, 10.0, 0.0, 100, 95.2])
def test_such_scores_are_no_marks(scored, score):
    trials = read_trials(scored(score), score_threshold=7)
    assert trials.reading.format == "kamradt_rouge"


@pytest.mark.parametrize("mark", [1, 10, 7])
def test_whole_marks_stay_marks(scored, mark):
    assert read_trials(scored(mark), score_threshold=7).reading.format == "kamradt_v1"


def test_marks_and_shares_are_not_read_together(scored):
    with pytest.raises(FormatError, match=r"several formats: .*--format kamradt"):
        read_trials(scored(10, 9.5), score_threshold=7)
