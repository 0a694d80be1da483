"""Chroma's files: failed requests are not wrong, overwritten token counts are not lengths."""

import pytest

from lcstats.cells import count_cells
from lcstats.errors import FormatError
from lcstats.lengths import Criterion, effective_length
from lcstats.readers import read_trials

pytestmark = pytest.mark.filterwarnings("ignore::lcstats.errors.LcstatsWarning")

HEADER = "token_count,approximate_input_length,needle_depth,question,answer,output,llm_judge_output"


@pytest.fixture
def csv(tmp_path):
    """Write lines below the header and return the file."""
    path = tmp_path / "gpt_evaluated.csv"

    def write(*lines, header=HEADER):
        path.write_text("\n".join([header, *lines, ""]))
        return path

    return write


def test_fields(csv):
    trials = read_trials(
        csv('501,500,0,Why?,So.,"So,\nit is.",true', "1000,1000,1,Why?,So.,No.,False")
    )
    assert trials.reading.format == "context_rot"
    row = trials.frame.to_dict("records")[0]
    expected = {
        "case": "Why?",
        "length": 500,
        "tokens_received": 501,
        "depth": 0.0,
        "score": 1.0,
        "status": "ok",
        "output": "So,\nit is.",
        "answer": "So.",
    }
    assert {name: row[name] for name in expected} == expected
    assert trials.frame["depth"].tolist() == [0, 0.01]


def test_failed_requests_are_unscored_whatever_the_judge_says(csv):
    outputs = ["No.", "ERROR_TIMEOUT: Request exceeded 500s", "FUTURE_ERROR: 429", ""]
    lines = [f"1,{length},0,Why?,So.,{output},false" for length, output in enumerate(outputs, 500)]
    trials = read_trials(csv(*lines))
    assert trials.frame["status"].tolist() == ["ok", "timeout", "error", "empty"]
    assert trials.frame["score"].isna().tolist() == [False, True, True, True]


def test_a_judge_that_failed_leaves_a_trial_unscored(csv):
    trials = read_trials(
        csv("500,500,0,Why?,So.,No.,true", "500,500,10,Why?,So.,No.,ERROR_TIMEOUT")
    )
    assert trials.frame["status"].tolist() == ["ok", "unparsed"]


@pytest.mark.parametrize("lengths", [(500, 900000), (500, 500)])
def test_token_counts_that_were_overwritten_are_left_out(csv, lengths):
    lines = [f"100,{length},{depth},Why?,So.,So.,true" for depth, length in enumerate(lengths)]
    trials = read_trials(csv(*lines))
    assert "token_count" not in trials.frame
    assert "tokens_received" not in trials.frame
    assert "token_count is 100 on every row" in trials.notices[0].message


def test_files_that_were_not_judged_are_refused(csv):
    path = csv("500,500,0,Why?,So.,So.", header=HEADER.removesuffix(",llm_judge_output"))
    with pytest.raises(FormatError, match=r"no column llm_judge_output.*_evaluated\.csv"):
        read_trials(path)


def test_gpt_4_1(real_data):
    trials = read_trials(real_data / "context_rot" / "gpt_4_1_niah_evaluated.csv")
    assert (trials.n_trials, trials.n_scored, trials.frame["score"].sum()) == (88, 88, 49)
    grid = count_cells(trials).grid
    assert grid.n_cases.shape == (8, 11)
    assert (grid.n_cases == 1).all()
    assert (grid.lengths.min(), grid.lengths.max()) == (500, 900000)
    assert grid.successes.sum(axis=1).tolist() == [11, 11, 11, 2, 1, 4, 4, 5]
    assert trials.notices[0].code == "tokens-overwritten"


@pytest.mark.parametrize("depth_treatment", ["mean", "worst"])
@pytest.mark.parametrize("threshold", [0.85, 0.9])
def test_gpt_4_1_effective_length(real_data, threshold, depth_treatment):
    cells = count_cells(read_trials(real_data / "context_rot" / "gpt_4_1_niah_evaluated.csv"))
    criterion = Criterion(threshold, depth_treatment=depth_treatment)
    assert effective_length(cells, criterion).observed.length == 5000


def test_a_folder_with_both_files_is_read_once(real_data):
    trials = read_trials(real_data / "context_rot")
    assert trials.n_trials == 88
    assert "1 file not judged, left out: " in trials.notices[0].message
