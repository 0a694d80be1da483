"""c-optimal designs: against Elfving's linear programme, and the interval of a real fit."""

import numpy as np
import pytest
from scipy.optimize import linprog

from lcstats.cells import Cells
from lcstats.curve import Curve
from lcstats.errors import OptionError
from lcstats.fit import fit_curve
from lcstats.lengths import Criterion
from lcstats.lengths.crossing import find_crossing
from lcstats.plan.allocation.curve import ask_curve, spend_on_curve, whole_trials
from lcstats.truths import WORKED_CURVE

LENGTHS = 1024 * 2 ** np.arange(8)
DEPTHS = np.arange(11) / 10
PRICES = np.repeat(LENGTHS.astype(np.float64), DEPTHS.size)
BUDGET = 20 * PRICES.sum()
TREATMENTS = ("mean", "worst", "quantile:0.1", "window:3")


def _question(treatment="mean", curve=WORKED_CURVE):
    return ask_curve(curve, LENGTHS, DEPTHS, Criterion(0.85, depth_treatment=treatment))


def _elfving(question):
    """Return the least variance that the budget buys: Elfving's theorem as a linear programme."""
    columns = (question.roots / np.sqrt(PRICES)[:, None]).T
    both = np.hstack([columns, -columns])
    found = linprog(np.ones(both.shape[1]), A_eq=both, b_eq=question.gradient, bounds=(0, None))
    return found.fun**2 / BUDGET


@pytest.mark.parametrize("treatment", TREATMENTS)
def test_the_design_is_the_one_of_elfvings_theorem(treatment):
    question = _question(treatment)
    spending = spend_on_curve(question, PRICES, BUDGET, floor=0)
    assert question.variance(spending.spent / PRICES) == pytest.approx(
        _elfving(question), rel=2 * 1e-4
    )
    assert spending.gap <= 1e-4


@pytest.mark.parametrize("treatment", TREATMENTS)
def test_variance_is_that_of_the_interval_of_a_fit_without_noise(treatment):
    many = 100_000
    right = np.rint(many * WORKED_CURVE.accuracy(LENGTHS, DEPTHS)).astype(np.int64)
    fit = fit_curve(Cells.from_counts(LENGTHS, DEPTHS, n_cases=many, successes=right))
    crossing = find_crossing(fit, Criterion(0.85, depth_treatment=treatment), level=0.95)
    error = np.log2(crossing.upper / crossing.lower) / (2 * 1.959964)
    question = _question(treatment)
    found = question.variance(np.full((LENGTHS.size, DEPTHS.size), many))
    assert np.sqrt(found) == pytest.approx(error, rel=1e-3)
    assert 2**question.crossing == pytest.approx(crossing.value, rel=1e-3)


@pytest.mark.parametrize("floor", [1, 5, 15])
def test_equivalence_theorem_beside_a_floor(floor):
    question = _question("worst")
    rest = BUDGET - floor * PRICES.sum()
    spending = spend_on_curve(question, PRICES, rest, floor=floor)
    trials = floor + spending.spent / PRICES
    best = question.variance(trials)
    for cell in range(PRICES.size):
        moved = 0.999 * spending.spent
        moved[cell] += 0.001 * rest
        assert question.variance(floor + moved / PRICES) >= best * (1 - 2e-4)


def test_spending_adds_up_and_more_floor_costs_precision():
    question = _question("worst")
    variances = []
    for floor in (0, 5, 10, 20):
        rest = BUDGET - floor * PRICES.sum()
        spending = spend_on_curve(question, PRICES, rest, floor=floor)
        assert spending.spent.sum() == pytest.approx(rest)
        variances.append(question.variance(floor + spending.spent / PRICES))
    assert variances == sorted(variances)
    assert variances[-1] == pytest.approx(question.variance(np.full(PRICES.size, 20)))


@pytest.mark.parametrize("floor", [0, 3, 10])
def test_whole_trials_keep_floor_budget_and_nearly_the_variance(floor):
    question = _question()
    spending = spend_on_curve(question, PRICES, BUDGET - floor * PRICES.sum(), floor=floor)
    trials = whole_trials(spending.spent, PRICES, BUDGET, floor=floor)
    assert trials.min() >= floor
    assert trials @ PRICES <= BUDGET
    exact = question.variance(floor + spending.spent / PRICES)
    assert question.variance(trials) == pytest.approx(exact, rel=0.01)


def test_a_curve_without_depth_has_no_middle_and_no_recency_to_learn():
    curve = Curve(4.2, 0.5, 0.0, 0.0)
    question = ask_curve(curve, LENGTHS, np.array([np.nan]), Criterion(0.85))
    assert question.roots.shape == (LENGTHS.size, 2)
    assert np.isfinite(question.variance(np.full(LENGTHS.size, 10)))


def test_a_design_that_cannot_tell_has_infinite_variance():
    one_cell = np.zeros(PRICES.size)
    one_cell[0] = 50
    assert _question().variance(one_cell) == np.inf


def test_pooled_depth_is_refused():
    with pytest.raises(OptionError, match="allocate for depth_treatment='mean'"):
        _question("pooled")


@pytest.mark.parametrize("curve", [Curve(9.0, 0.1, 0.0, 0.0), Curve(1.0, 0.1, 0.0, 0.0)])
def test_a_curve_that_does_not_cross_within_the_lengths_is_refused(curve):
    with pytest.raises(OptionError, match="plan for lengths on both sides of the bend"):
        _question(curve=curve)
