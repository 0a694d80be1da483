"""Cases without a depth beside cases with depths: no depth is no tested depth."""

import numpy as np
import pandas as pd
import pytest

from lcstats.cells import Cells, average_tasks, count_cells, set_aside_depthless
from lcstats.lengths import Criterion, effective_length
from lcstats.plots import decay_data
from lcstats.trials import Trials

pytestmark = pytest.mark.filterwarnings("ignore::lcstats.errors.LcstatsWarning")
NONE = float("nan")


def sweep():
    """50 wrong trials at depth .5 and one right without a depth, at two lengths."""
    rows = [
        {"length": length, "item_id": f"q{i}", "depth": 50 if i < 50 else None, "score": i // 50}
        for length in (4096, 8192)
        for i in range(51)
    ]
    return count_cells(Trials.from_frame(pd.DataFrame(rows)))


@pytest.mark.parametrize(
    ("treatment", "accuracy"), [("mean", 0), ("worst", 0), ("pooled", 1 / 51), ("quantile:0.9", 0)]
)
def test_they_are_no_depth_of_equal_weight(treatment, accuracy):
    answer = effective_length(sweep(), Criterion(0.4, depth_treatment=treatment), sets="certified")
    assert answer.accuracy.tolist() == [pytest.approx(accuracy)] * 2
    assert answer.observed.display == "<4096"
    said = [n.message for n in answer.notices if n.code == "depthless-left-out"]
    assert len(said) == (treatment != "pooled")
    assert all("2 of 102 cases" in message and "--depth pooled" in message for message in said)


def test_the_decay_plot_shows_what_is_judged():
    cells = sweep()
    table = decay_data(cells)
    assert table[table["series"] == "length"]["accuracy"].tolist() == [0, 0]


def test_the_cases_left_are_those_of_the_cells_left():
    grid = sweep().grid
    trimmed, n_cases = set_aside_depthless(grid)
    assert n_cases == 2
    assert trimmed.depths.tolist() == [0.5]
    assert np.bincount(trimmed.cases.cell).tolist() == trimmed.n_cases.ravel().tolist() == [50, 50]
    assert trimmed.cases.numerator.sum() == 0
    assert set_aside_depthless(trimmed) == (trimmed, 0)


def test_a_length_without_any_depth_keeps_its_cases():
    cells = Cells.from_counts(
        [4096, 8192], [0.5, NONE], n_cases=[[20, 5], [0, 20]], successes=[[20, 0], [0, 19]]
    )
    answer = effective_length(cells, Criterion(0.85))
    assert answer.accuracy.tolist() == [1, 0.95]


def test_an_averaged_task_without_depths_is_left_alone():
    tasks = [
        Cells.from_counts([4096], depths, n_cases=20, successes=[[k]], task=name).grid
        for name, depths, k in (("a", [0.5], 20), ("b", [NONE], 10))
    ]
    answer = effective_length(average_tasks(Cells(grids=tuple(tasks))), Criterion(0.7))
    assert answer.accuracy.tolist() == [0.75]
    assert "depthless-left-out" not in {notice.code for notice in answer.notices}
