"""Faults: all at once, five shown, places in words."""

import numpy as np
import pandas as pd
import pytest

from lcstats.errors import TableError
from lcstats.trials.faults import Faults
from lcstats.trials.origin import Origin, Part
from lcstats.trials.wording import counted, flag, shown

WANTED = ("expected a fraction in [0, 1]", "pass --depth-unit percent")


def test_a_message_has_place_value_expectation_and_mend():
    faults = Faults(Origin((Part("trials.csv", 200, "line", lambda row: row + 2),)))
    depth = pd.Series(np.zeros(200))
    depth[116] = 43
    faults.add(depth > 1, "depth", depth, WANTED)
    with pytest.raises(TableError) as caught:
        faults.raise_any()
    assert str(caught.value) == (
        "trials.csv line 118: depth is 43; expected a fraction in [0, 1]; pass --depth-unit percent"
    )


def test_five_are_shown_in_the_order_of_rows_and_the_rest_counted():
    faults = Faults(Origin.of_frame(10))
    wrong = pd.Series(np.arange(10))
    faults.add(wrong >= 6, "b", wrong, WANTED)
    faults.add(wrong < 3, "a", wrong, WANTED)
    assert len(faults) == 7
    with pytest.raises(TableError) as caught:
        faults.raise_any()
    lines = str(caught.value).split("\n")
    assert [line.split(":")[0] for line in lines[:5]] == [f"table row {i}" for i in (0, 1, 2, 6, 7)]
    assert lines[5] == "and 2 more (faults by column: b 4, a 3)"


def test_faults_of_the_table_come_first():
    faults = Faults(Origin.of_frame(1, "a.csv"))
    faults.add(np.array([True]), "depth", pd.Series([9]), WANTED)
    faults.add_table("depth holds only 0 and 1", "expected a unit", "declare it")
    with pytest.raises(TableError, match=r"(?s)^a.csv: depth holds only.*declare it\na.csv row 0"):
        faults.raise_any()


def test_no_fault_raises_nothing():
    faults = Faults(Origin.of_frame(1))
    faults.add(np.array([False]), "depth", pd.Series([0.5]), WANTED)
    assert faults.raise_any() is None


def test_places_of_a_table_of_several_files():
    origin = Origin((Part("a.csv", 2, "line", lambda row: row + 2), Part("b.json", 1, "")))
    assert [origin.place(row) for row in range(3)] == ["a.csv line 2", "a.csv line 3", "b.json"]
    assert origin.name == "a.csv and 1 more"


def test_places_stay_when_rows_are_selected():
    origin = Origin((Part("a.csv", 3, "line", lambda row: row + 2), Part("b.csv", 2)))
    kept = origin.select(np.array([False, True, True, False, True]))
    assert [kept.place(row) for row in range(3)] == ["a.csv line 3", "a.csv line 4", "b.csv row 2"]


def test_files_that_lack_a_mark():
    origin = Origin((Part("a", 2), Part("b", 2), Part("c", 0), Part("d", 2)))
    mark = np.array([True, False, False, False, False, False])
    where = np.array([True, True, True, True, False, False])
    assert origin.files_without(mark, where=where) == ("b",)


def test_wording():
    assert flag("score_threshold", "7").endswith("(--score-threshold 7)")
    assert counted(1, "trial") == "1 trial"
    assert shown("x" * 50) == repr("x" * 37 + "...")
    assert shown(np.nan) == shown(pd.NA) == shown(None) == "missing"
    assert shown([1, 2]) == "[1, 2]"
    assert shown(0.25) == "0.25"


def test_huge_numbers_are_shown_with_an_exponent():
    assert shown(1e308) == "1e+308"
    assert shown(2.0**53) == "9007199254740992"
