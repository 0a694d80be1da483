"""Tables that say which needles were found, or how many, need no other score."""

import pandas as pd
import pytest

from lcstats.errors import TableError
from lcstats.trials import Trials

pytestmark = pytest.mark.filterwarnings("ignore::lcstats.errors.LcstatsWarning")

BASE = {"length": [4096] * 3, "depth": [0.1, 0.2, 0.3]}


def codes(trials):
    return [notice.code for notice in trials.notices]


@pytest.mark.parametrize(
    "columns",
    [
        {"needle_found": ["[1, 0]", "[true, true]", ""]},
        {"needle_found": [[1, 0], [1, 1], None]},
        {"n_found": [1, 2, None], "n_needles": 2},
    ],
)
def test_the_share_of_needles_is_the_score(columns):
    trials = Trials.from_frame(pd.DataFrame({**BASE, **columns}))
    assert trials.frame["score"].tolist()[:2] == [0.5, 1.0]
    assert trials.n_scored == 2
    assert "score-from-needles" in codes(trials)


def test_a_score_that_is_there_stays():
    trials = Trials.from_frame(pd.DataFrame({**BASE, "score": 1, "needle_found": "[1, 0]"}))
    assert trials.frame["score"].tolist() == [1, 1, 1]
    assert "score-from-needles" not in codes(trials)


def test_a_number_of_found_needles_alone_is_no_score():
    with pytest.raises(TableError, match="no column for score"):
        Trials.from_frame(pd.DataFrame({**BASE, "n_found": [1, 2, 0]}))


def test_marks_that_are_no_ones_and_zeros_are_not_scored():
    frame = pd.DataFrame({**BASE, "needle_found": ["[1, 0]", "[1, 7]", "[1, 1]"]})
    assert Trials.from_frame(frame).frame["score"].isna().tolist() == [False, True, False]
