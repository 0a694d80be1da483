"""Cases that were added after looking: counted apart, and no set takes them for a fixed design."""

import numpy as np
import pandas as pd
import pytest

from lcstats.cells import Cells, average_tasks, count_cells
from lcstats.errors import DesignWarning, TableError
from lcstats.lengths import Criterion, effective_length
from lcstats.lengths.adaptive import on_all_lengths
from lcstats.lengths.answer import Interval
from lcstats.trials import Trials

DEPTHS = (0.0, 0.5, 1.0)


def rows(length, n_right, n, **more):
    return [
        {"length": length, "depth": depth, "score": int(i < n_right), **more}
        for depth in DEPTHS
        for i in range(n)
    ]


FIXED = [*rows(4096, 20, 20, stage=0), *rows(8192, 15, 20, stage=0)]
LATER = [*rows(8192, 40, 40, stage=1), *rows(6000, 30, 30, stage=2)]


@pytest.fixture
def fixed():
    return count_cells(Trials.from_frame(pd.DataFrame(FIXED)))


@pytest.fixture
def grown():
    return count_cells(Trials.from_frame(pd.DataFrame(FIXED + LATER)))


def test_later_cases_are_counted_apart(grown, fixed):
    grid = grown.grid
    assert grid.lengths.tolist() == [4096, 6000, 8192]
    assert grid.n_cases[:, 0].tolist() == [20, 30, 60]
    assert grid.n_adaptive[:, 0].tolist() == [0, 30, 40]
    assert grid.adaptive[:, 0].tolist() == [False, True, True]
    assert grid.pilot.n_cases.tolist() == fixed.grid.n_cases.tolist()
    assert not fixed.grid.is_adaptive
    assert fixed.grid.pilot is None


def test_a_missing_stage_is_of_the_fixed_design():
    frame = pd.DataFrame(FIXED + LATER)
    frame["stage"] = frame["stage"].replace(0, None)
    grid = count_cells(Trials.from_frame(frame)).grid
    assert grid.n_adaptive.sum() == len(LATER)


def test_a_stage_in_words_is_somebody_else_s_column():
    trials = Trials.from_frame(pd.DataFrame(rows(4096, 3, 5, stage="test")))
    assert trials.frame["stage"].tolist() == ["test"] * 15
    assert not count_cells(trials).grid.is_adaptive


def test_a_negative_stage_is_refused():
    with pytest.raises(TableError, match="map another column with --map stage=THEIRS"):
        Trials.from_frame(pd.DataFrame(rows(4096, 3, 5, stage=-1)))


def test_the_default_set_is_the_anytime_one_and_says_why(grown):
    with pytest.warns(
        DesignWarning, match="210 of 330 cases, in 6 cells, were added after looking"
    ):
        answer = effective_length(grown, Criterion(0.85))
    default = answer.observed.default_set
    assert default.kind == "anytime"
    assert default.fell_back_from.kind == "certified"
    assert "after looking" in default.fell_back_from.reason
    assert "however one looked" in answer.which_to_quote()
    assert answer.headline == "observed"


@pytest.mark.parametrize("kind", ["certified", "jeffreys"])
def test_sets_for_a_fixed_number_of_cases_take_the_pilot(grown, fixed, kind):
    criterion = Criterion(0.85)
    with pytest.warns(DesignWarning):
        answer = effective_length(grown, criterion, sets=("default", kind))
    (found,) = (s for s in answer.observed.sets if s.kind == kind)
    alone = effective_length(fixed, criterion, sets=(kind,)).observed
    (pilot,) = (s for s in alone.sets if s.kind == kind)
    assert found.diagnostics["based_on"] == "the fixed pilot"
    moved = on_all_lengths(pilot, grown.grid.lengths).holding(answer.observed.outcome)
    assert (found.lower, found.upper) == (moved.lower, moved.upper)


@pytest.mark.filterwarnings("ignore::lcstats.errors.SmallSampleWarning")
def test_worst_depth_gets_no_surface_and_no_headline(grown):
    with pytest.warns(DesignWarning):
        answer = effective_length(grown, Criterion(0.85, depth_treatment="worst"))
    assert answer.headline is None
    assert [estimate.method for estimate in answer.estimates] == ["observed"]


@pytest.mark.parametrize(
    ("ends", "lengths", "expected"),
    [
        ((1, 2), [1, 4, 8], (1, 2)),
        ((2, 2), [1, 2, 4, 8], (1, 3)),
        ((0, 3), [1, 4, 8, 16], (0, 4)),
        ((3, 3), [1, 4, 8, 16], (3, 4)),
        ((0, 0), [0, 1, 4, 8], (0, 1)),
    ],
)
def test_a_pilot_speaks_of_its_own_lengths_only(ends, lengths, expected):
    found = on_all_lengths(
        Interval("certified", 0.95, *ends, np.array([1, 4, 8])), np.array(lengths)
    )
    assert (found.lower, found.upper) == expected


def test_records_and_averages_remember(grown):
    again = Cells.from_dict(grown.to_dict()).grid
    assert again.n_adaptive.tolist() == grown.grid.n_adaptive.tolist()
    assert again.pilot.numerators.tolist() == grown.grid.pilot.numerators.tolist()
    frame = pd.DataFrame(FIXED + LATER)
    both = pd.concat([frame.assign(task="a"), frame.assign(task="b", stage=0)])
    cells = count_cells(Trials.from_frame(both))
    assert [grid.is_adaptive for grid in cells.grids] == [True, False]
    averaged = average_tasks(cells).grid
    assert averaged.n_adaptive.sum() == len(LATER)
    with pytest.warns(DesignWarning):
        answer = effective_length(Cells(grids=(averaged,)), Criterion(0.85))
    assert [s.kind for s in answer.observed.sets] == ["anytime"]


@pytest.mark.filterwarnings("ignore::lcstats.errors.LcstatsWarning")
def test_where_no_anytime_set_exists_the_pilot_s_is_the_default(grown):
    relative = Criterion(0.9, rule="relative", base_lengths=(4096,))
    default = effective_length(grown, relative).observed.default_set
    assert default.kind in ("certified", "jeffreys")
    assert default.fell_back_from.kind == "anytime"
    assert "base of a relative threshold" in default.fell_back_from.reason
    assert default.diagnostics["based_on"] == "the fixed pilot"


def test_an_average_has_the_pilot_of_the_same_tasks():
    staged = [dict(row, task="a") for row in FIXED + LATER]
    fixed_alone = [dict(row, task="b") for row in FIXED]
    both = average_tasks(count_cells(Trials.from_frame(pd.DataFrame(staged + fixed_alone))))
    pilots = [dict(row, task="a") for row in FIXED] + fixed_alone
    expected = average_tasks(count_cells(Trials.from_frame(pd.DataFrame(pilots)))).grid
    assert both.grid.pilot is not None
    assert both.grid.pilot.n_cases.tolist() == expected.n_cases.tolist()
    assert both.grid.pilot.members == expected.members
    with pytest.warns(DesignWarning):
        answer = effective_length(both, Criterion(0.85), sets=("default", "certified"))
    kinds = [interval.kind for interval in answer.observed.sets]
    assert kinds == ["anytime", "certified"]
