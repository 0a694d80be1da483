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


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"needle_found": "[1, 7]"}, r"table row 1: needle_found is '\[1, 7\]'; .*0 or 1.*empty"),
        ({"needle_found": "[]"}, r"table row 1: needle_found is '\[\]'; expected a list.*empty"),
        ({"needle_depths": "[2]"}, r"table row 1: needle_depths is '\[2\]'; .*fraction.*empty"),
        ({"n_needles": 0}, "table row 1: n_needles is 0; expected at least 1 needle; leave"),
    ],
)
def test_needles_that_cannot_be_are_named_with_their_place(columns, message):
    usual = {"n_needles": 2, "needle_found": "[1, 0]", "needle_depths": "[0.1, 0.2]"}
    rows = [usual, usual | columns, usual]
    with pytest.raises(TableError, match=message):
        Trials.from_frame(pd.DataFrame(rows).assign(**BASE))


def test_all_faulty_needles_are_named_at_once():
    frame = pd.DataFrame({**BASE, "n_needles": [0, 2, 2], "needle_found": ["[1]", "[]", "[3, 1]"]})
    with pytest.raises(TableError) as caught:
        Trials.from_frame(frame)
    assert len(str(caught.value).split("\n")) == 3


def test_a_trial_that_failed_may_have_an_empty_list():
    marks = {"needle_found": ["[1, 0]", "[]", "[1, 1]"], "n_needles": 2}
    for said in ({"status": ["ok", "timeout", "ok"]}, {"score": [0.5, None, 1.0]}):
        trials = Trials.from_frame(pd.DataFrame({**BASE, **marks, **said}))
        assert trials.frame["needle_found"].isna().tolist() == [False, True, False]
