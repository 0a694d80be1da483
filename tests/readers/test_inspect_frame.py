"""Tables that Inspect's samples_df makes: scorers as columns, errors as text.

``written/inspect_frame.csv.gz`` is what ``samples_df`` of inspect_ai 0.3.285 made of twelve
questions with four choices, two epochs each, one of which failed in both. Inspect counted 22
completed samples of 24, and an accuracy of 3/22.
"""

from pathlib import Path

import pandas as pd
import pytest

from lcstats.errors import FormatError, OptionError
from lcstats.readers import read_trials

WRITTEN = Path(__file__).parent / "written" / "inspect_frame.csv.gz"

pytestmark = pytest.mark.filterwarnings("ignore::lcstats.errors.LcstatsWarning")


def frame(**changes):
    rows = {
        "sample_id": ["u1", "u2", "u3"],
        "eval_id": ["e1"] * 3,
        "log": ["logs/a.eval"] * 3,
        "id": ["niah_1", "niah_1", "niah_2"],
        "epoch": [1, 2, 1],
        "input": ["long"] * 3,
        "target": ["sandwich"] * 3,
        "metadata_target_context_length": [2000] * 3,
        "metadata_target_position": [28] * 3,
        "score_judge": ["10", "3", None],
        "score_judge_answer": ["a", "b", None],
        "total_time": [1.5, 2.5, None],
        "error": ["", "", "boom"],
    }
    return pd.DataFrame(rows | changes)


@pytest.fixture(params=["csv", "parquet"])
def write(request, tmp_path):
    def write(table):
        path = tmp_path / f"samples.{request.param}"
        table.to_csv(path) if request.param == "csv" else table.to_parquet(path)
        return path

    return write


def test_fields(write):
    trials = read_trials(write(frame()), score_threshold=7)
    assert trials.reading.format == "inspect_frame"
    assert trials.frame["case"].tolist() == ["niah_1", "niah_1", "niah_2"]
    assert trials.frame["repeat"].tolist() == [1, 2, 1]
    assert trials.frame["score"].tolist()[:2] == [1, 0]
    assert trials.frame["status"].tolist() == ["ok", "ok", "error"]
    assert trials.frame[["length", "depth"]].drop_duplicates().values.tolist() == [[2000, 0.28]]
    assert "model-unnamed" in {notice.code for notice in trials.notices}


def test_a_column_of_language_models(write):
    assert read_trials(write(frame(model="gpt-x")), score_threshold=7).models == ("gpt-x",)


def test_several_scorers_are_asked_about(write):
    path = write(frame(score_includes=["C", "I", None]))
    with pytest.raises(OptionError, match=r"judge, includes.*--filter judge"):
        read_trials(path)
    trials = read_trials(path, filter_name="includes")
    assert trials.frame["score"].tolist()[:2] == [1, 0]
    assert trials.n_trials == 3


def test_a_grader_that_failed_is_no_error(write):
    rows = frame(score_judge=["10", None, "3"], error=["", None, ""])
    trials = read_trials(write(rows), score_threshold=7)
    assert trials.frame["status"].tolist() == ["ok", "unparsed", "ok"]


def test_a_limit_before_scoring_leaves_a_sample_unscored(write):
    rows = frame(score_judge=["10", None, None], limit=["time", "context", "token"], error=None)
    trials = read_trials(write(rows), score_threshold=7)
    assert trials.frame["status"].tolist() == ["ok", "context_exceeded", "budget_exhausted"]


def test_choices_are_guessed(write):
    trials = read_trials(write(frame(choices='["a", "b", "c", "d"]')), score_threshold=7)
    assert trials.frame["guess_rate"].tolist() == [0.25] * 3
    without = read_trials(write(frame(choices=None)), score_threshold=7)
    assert "guess_rate" not in without.frame


def test_logs_are_further_repeats(write):
    both = pd.concat([frame(), frame(eval_id="e2")], ignore_index=True)
    trials = read_trials(write(both), score_threshold=7)
    assert trials.frame["repeat"].tolist() == [1, 2, 1, 3, 4, 2]


def test_a_table_without_scores_is_refused(write):
    failed = frame(error="boom").drop(columns=["score_judge", "score_judge_answer"])
    with pytest.raises(FormatError, match=r"no column score_SCORER.*read the logs"):
        read_trials(write(failed))


def test_counts_agree_with_those_of_inspect():
    trials = read_trials(WRITTEN)
    assert trials.reading.format == "inspect_frame"
    assert (trials.n_trials, trials.n_scored, trials.n_cases) == (24, 22, 12)
    assert trials.frame["score"].mean() == pytest.approx(3 / 22)
    assert trials.frame["status"].value_counts().to_dict() == {"ok": 22, "error": 2}
    assert set(trials.frame["guess_rate"]) == {0.25}
    assert sorted(set(trials.frame["length"])) == [1000, 2000, 4000]
