"""Mean scores of Lost in the Middle by position: refused, and the mend gives the counts."""

import pandas as pd
import pytest

from lcstats.errors import FormatError
from lcstats.readers import read_trials

pytestmark = pytest.mark.filterwarnings("ignore::lcstats.errors.LcstatsWarning")

FOLDER = ("litm", "viktortorp", "gpt")


@pytest.mark.parametrize(
    "name",
    [
        "original_position_scores.csv",
        "original_position_scores_kfold.csv",
        "original_position_scores_uncertainity.csv",
        "oracle_position_scores.csv",
    ],
)
def test_published_files_are_refused(real_data, name):
    with pytest.raises(FormatError, match="make a table of counts with the columns length"):
        read_trials(real_data.joinpath(*FOLDER, name))


def test_the_mend_gives_the_published_counts(real_data, tmp_path):
    scores = pd.read_csv(real_data.joinpath(*FOLDER, "original_position_scores.csv"))
    right = scores["metric"] * 2655
    assert right.to_numpy() == pytest.approx(right.round().to_numpy(), abs=1e-6)
    counts = pd.DataFrame({"length": 20, "depth": scores["position"] / 19, "n": 2655})
    path = tmp_path / "counts.csv"
    counts.assign(k=right.round().astype(int)).to_csv(path, index=False)
    grid = read_trials(path, length_unit="documents").grid
    assert grid.successes.tolist() == [[2247, 1937, 1775, 1408, 1843]]


def test_a_table_whose_columns_are_named_is_taken(tmp_path):
    path = tmp_path / "mine.csv"
    path.write_text("position,metric\n4096,1\n8192,0\n")
    trials = read_trials(path, columns={"length": "position"})
    assert trials.frame["length"].tolist() == [4096, 8192]


def test_the_refused_format_is_never_the_one_to_choose(real_data):
    with pytest.raises(FormatError, match=r"several formats: .*choose with format='litm_qa'"):
        read_trials(real_data.joinpath(*FOLDER[:-1]))
    trials = read_trials(real_data.joinpath(*FOLDER[:-1]), format="litm_qa")
    assert trials.n_scored == 21


def test_a_number_of_cases_does_not_hide_why_it_is_refused(tmp_path):
    path = tmp_path / "original_position_scores.csv"
    path.write_text("position,metric\n0,0.85\n4,0.73\n")
    with pytest.raises(FormatError, match="neither the number of documents nor that of questions"):
        read_trials(path, cases_per_cell=2655)
