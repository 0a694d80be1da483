"""Effective length by the surface: masses of every depth treatment, point inside its set."""

from itertools import pairwise

import numpy as np
import pytest

from lcstats.cells import Cells
from lcstats.flexible import conditional_cells, fit_flexible
from lcstats.lengths import Criterion
from lcstats.lengths.criterion import parse_treatment
from lcstats.lengths.crossing import treated
from lcstats.lengths.flexible_estimate import (
    case_shares,
    estimate_from_flexible,
    flexible_masses,
    posterior_masses,
)
from lcstats.truths import get_truth, simulate_cells

LENGTHS = 1024 * 2 ** np.arange(8)
DEPTHS = np.linspace(0, 1, 11)
TREATMENTS = ("mean", "pooled", "worst", "quantile:0.2", "window:3")


@pytest.fixture(scope="module")
def fit():
    rng = np.random.default_rng(1)
    return fit_flexible(
        simulate_cells(get_truth("single-needle"), LENGTHS, DEPTHS, n_cases=10, rng=rng)
    )


@pytest.mark.parametrize("name", TREATMENTS)
def test_masses_meet_counted_draws_of_the_cells(fit, name):
    treatment, cells = parse_treatment(name), conditional_cells(fit)
    rng = np.random.default_rng(0)
    counted = np.zeros(9)
    for _ in range(10):
        passes = treated(cells.draw(rng), treatment, case_shares(fit)) >= 0.85
        leading = np.cumprod(passes, axis=1).sum(axis=1)
        counted += np.bincount(leading, weights=fit.draw_weights, minlength=9) / 10
    masses = flexible_masses(fit, 0.85, treatment)
    assert masses.sum() == pytest.approx(1)
    np.testing.assert_allclose(np.cumsum(masses), np.cumsum(counted), atol=0.012)


@pytest.mark.parametrize("name", TREATMENTS)
def test_the_point_lies_in_its_set(fit, name):
    estimate = estimate_from_flexible(
        fit, Criterion(0.85, depth_treatment=name), level=0.95, seed=0
    )
    interval = estimate.default_set
    assert interval.kind == "posterior"
    assert estimate.outcome in interval
    assert not interval.extended
    below = np.cumsum(estimate.masses["posterior"])
    assert below[interval.upper] - (below[interval.lower - 1] if interval.lower else 0) >= 0.95


def test_treatments_are_ordered(fit):
    """The worst depth is below the worst window, and that below the mean, whatever the draw."""
    tails = [
        np.cumsum(flexible_masses(fit, 0.85, parse_treatment(name)))
        for name in ("worst", "quantile:0.2", "window:11")
    ]
    for lower, higher in pairwise(tails):
        assert np.all(lower >= higher - 0.02)


def test_rules_of_the_threshold(fit):
    relative = Criterion(0.9, rule="relative", base_lengths=(1024,))
    masses = posterior_masses(fit, relative, seed=0)
    assert masses.sum() == pytest.approx(1)
    assert masses[0] == 0
    chance = Criterion(0.8, rule="above_chance", guess_rate=0.25)
    np.testing.assert_array_equal(
        posterior_masses(fit, chance, seed=0), posterior_masses(fit, Criterion(0.85), seed=0)
    )


@pytest.mark.parametrize("name", ["mean", "worst", "window:1"])
def test_one_depth_is_every_treatment(name):
    cells = Cells.from_counts([1024, 4096, 16384], [0.5], n_cases=20, successes=[[20], [19], [14]])
    fit = fit_flexible(cells, n_draws=500)
    np.testing.assert_array_equal(
        flexible_masses(fit, 0.85, parse_treatment(name)),
        flexible_masses(fit, 0.85, parse_treatment("worst")),
    )


@pytest.mark.parametrize(("bar", "outcome"), [(1.0, 0), (1e-9, 8)])
def test_bars_at_the_ends(fit, bar, outcome):
    for name in TREATMENTS:
        assert flexible_masses(fit, bar, parse_treatment(name))[outcome] > 0.999
