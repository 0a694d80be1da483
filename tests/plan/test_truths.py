"""Every kind of truth a plan can be made for, on its grid; and what cannot be planned."""

import numpy as np
import pandas as pd
import pytest

import lcstats as lc
from lcstats.datasets import ruler_2024
from lcstats.errors import OptionError
from lcstats.plan.truths import N_OPEN_DRAWS, planned_truth
from lcstats.truths import SINGLE_NEEDLE

LENGTHS = [4096, 16384, 65536]
DEPTHS = [0.0, 0.5, 1.0]


@pytest.fixture(scope="module")
def cells() -> lc.Cells:
    return lc.count_cells(lc.simulate_trials("single-needle", LENGTHS, DEPTHS, n_trials=20, seed=3))


def test_names_truths_and_curves_are_known() -> None:
    by_name = planned_truth("single-needle", LENGTHS, DEPTHS)
    assert np.array_equal(by_name.accuracies[0], SINGLE_NEEDLE.accuracy(LENGTHS, DEPTHS))
    assert np.array_equal(
        planned_truth(SINGLE_NEEDLE, LENGTHS, DEPTHS).accuracies, by_name.accuracies
    )
    assert not by_name.is_open


def test_a_fit_is_planned_for_at_any_length(cells: lc.Cells) -> None:
    fit = lc.fit_curve(cells)
    planned = planned_truth(fit, [2048, 1_000_000], [0.25])
    assert np.array_equal(planned.accuracies[0], fit.curve.accuracy([2048, 1_000_000], [0.25]))


def test_draws_and_surfaces_leave_the_truth_open(cells: lc.Cells) -> None:
    fit = lc.fit_curve(cells)
    for truth in (lc.sample_posterior(fit, seed=1), lc.fit_flexible(cells, seed=1)):
        planned = planned_truth(truth, LENGTHS[1:], DEPTHS)
        assert planned.accuracies.shape == (N_OPEN_DRAWS, 2, 3)
        assert np.isin(planned.accuracies, truth.accuracies[:, 1:]).all()
    with pytest.raises(OptionError, match="ask for one of the table's lengths"):
        planned_truth(truth, [2048], DEPTHS)


def test_a_published_row_stands_at_every_depth() -> None:
    row = next(row for row in ruler_2024().rows if row.reported)
    planned = planned_truth(row, list(row.accuracies), DEPTHS)
    published = [float(share) for share in row.accuracies.values()]
    assert (planned.accuracies[0] == np.array(published)[:, None]).all()


def test_a_table_is_read_by_its_columns() -> None:
    rows = [(n, d, 0.9 - 0.1 * d) for n in LENGTHS for d in DEPTHS]
    frame = pd.DataFrame(rows[::-1], columns=["length", "depth", "accuracy"])
    planned = planned_truth(frame, LENGTHS[:2], DEPTHS)
    assert planned.accuracies[0] == pytest.approx(np.tile([0.9, 0.85, 0.8], (2, 1)))
    with pytest.raises(OptionError, match="leave one row"):
        planned_truth(pd.concat([frame, frame]), LENGTHS, DEPTHS)
    with pytest.raises(OptionError, match="add accuracy, depth"):
        planned_truth(frame[["length"]], LENGTHS, DEPTHS)
    with pytest.raises(OptionError, match="plan only for lengths and depths that are known"):
        planned_truth(frame.iloc[1:], LENGTHS, DEPTHS)


@pytest.mark.parametrize(
    ("column", "value", "named"),
    [
        ("length", "long", "row 1 .* length 'long'"),
        ("length", None, "row 1 .* length missing"),
        ("depth", "middle", "row 1 .* depth 'middle'"),
        ("accuracy", "85%", "row 1 .* accuracy '85%'"),
    ],
)
def test_a_table_holds_numbers(column: str, value: object, named: str) -> None:
    frame = pd.DataFrame({"length": [4096, 16384], "depth": [0.0, 0.0], "accuracy": [0.9, 0.8]})
    frame[column] = [value, *frame[column].astype(object)[1:]]
    with pytest.raises(OptionError, match=f"{named}; .*; write one row for each cell"):
        planned_truth(frame, [4096, 16384], [0.0])
    with pytest.raises(OptionError, match=r"is empty; .*; write one row for each cell"):
        planned_truth(frame[:0], [4096, 16384], [0.0])


def test_a_window_wider_than_the_depths_is_refused() -> None:
    planned = planned_truth("single-needle", LENGTHS, [0.3, 0.4])
    with pytest.raises(OptionError, match=r"length 4096 has at most 2 .*; use window:2"):
        planned.true_outcomes(lc.Criterion(0.85, depth_treatment="window:3"))


@pytest.mark.parametrize("truth", [object(), [[0.5]], None, [["a", "b"]]])
def test_what_is_no_truth_is_refused(truth: object) -> None:
    with pytest.raises(OptionError, match="name a built-in truth"):
        planned_truth(truth, LENGTHS, DEPTHS)


@pytest.mark.parametrize("accuracy", [85.0, -0.1, np.nan])
def test_accuracies_are_shares(accuracy: float) -> None:
    with pytest.raises(OptionError, match="divide percentages by 100"):
        planned_truth(np.full((3, 3), accuracy), LENGTHS, DEPTHS)


def test_true_outcomes_follow_the_rule_in_every_draw() -> None:
    accuracy = np.array([[0.9, 0.8], [0.85, 0.85], [0.84, 0.86]])
    planned = planned_truth(accuracy, LENGTHS, [0.0, 1.0])
    outcomes = {
        treatment: int(planned.true_outcomes(lc.Criterion(0.85, depth_treatment=treatment))[0])
        for treatment in ("mean", "pooled", "worst", "window:2")
    }
    assert outcomes == {"mean": 3, "pooled": 3, "worst": 0, "window:2": 3}
