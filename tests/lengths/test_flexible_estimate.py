"""Effective length by the surface: masses of every depth treatment, point inside its set."""

import warnings
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest

from lcstats.cells import Cells
from lcstats.errors import LcstatsWarning, OptionError
from lcstats.fit import fit_curve
from lcstats.flexible import conditional_cells, fit_flexible
from lcstats.lengths import Criterion, EffectiveLength, effective_length
from lcstats.lengths.certified import certified_upper
from lcstats.lengths.criterion import parse_treatment
from lcstats.lengths.crossing import depth_weights, treated
from lcstats.lengths.flexible_estimate import (
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
        passes = treated(cells.draw(rng), treatment, depth_weights(fit.grid)) >= 0.85
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


class TestSets:
    """The sets of the surface inside the whole answer."""

    cells = Cells.from_counts(
        [4096, 8192, 16384],
        np.linspace(0, 1, 5),
        n_cases=20,
        successes=[[20, 20, 20, 19, 20], [20, 19, 18, 20, 20], [15, 9, 8, 10, 16]],
    )

    def answer(self, treatment="worst", **options):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", LcstatsWarning)
            criterion = Criterion(0.85, depth_treatment=treatment)
            return effective_length(self.cells, criterion, **options)

    def test_a_hybrid_has_a_proved_upper_end_and_the_surface_s_lower_one(self):
        answer = self.answer(sets=("default", "strict", "posterior"))
        hybrid, strict, _ = answer.quoted.sets
        assert [s.kind for s in answer.quoted.sets] == ["hybrid", "strict", "posterior"]
        assert hybrid.is_default
        assert not strict.is_default
        criterion = answer.criterion
        upper = certified_upper(self.cells.grid, Fraction(17, 20), criterion, 0.04, level=0.95)
        assert hybrid.upper == max(upper, hybrid.lower)
        surface = fit_flexible(self.cells)
        equal = replace(surface, draw_weights=np.full(surface.n_draws, 1 / surface.n_draws))
        below = np.cumsum(posterior_masses(equal, criterion, seed=0))
        assert below[hybrid.lower] > 0.045
        assert hybrid.lower == 0 or below[hybrid.lower - 1] <= 0.045 + 1e-9
        assert strict.lower <= hybrid.lower
        assert all(answer.quoted.outcome in interval for interval in answer.quoted.sets)

    @pytest.mark.parametrize("treatment", ["worst", "quantile:0.4", "window:2"])
    def test_parts_of_a_length_are_quoted_from_the_surface(self, treatment):
        answer = self.answer(treatment)
        assert (answer.headline, answer.quoted.default_set.kind) == ("flexible", "hybrid")
        assert answer.observed.default_set.kind == "certified"
        assert EffectiveLength.from_dict(answer.to_dict()).to_dict() == answer.to_dict()

    def test_a_mean_is_quoted_from_the_cells_with_the_surface_beside(self):
        answer = self.answer("mean", flexible=fit_flexible(self.cells))
        assert answer.headline == "observed"
        assert answer.estimates[1].default_set.kind == "posterior"

    def test_nothing_is_fitted_without_a_set_that_needs_it(self):
        assert [e.method for e in self.answer(sets="certified").estimates] == ["observed"]
        assert [e.method for e in self.answer("mean").estimates] == ["observed"]

    def test_many_cells_are_left_to_who_asks(self):
        cells = Cells.from_counts(
            np.arange(1, 22) * 100, np.linspace(0, 1, 20), n_cases=1, successes=np.ones((21, 20))
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", LcstatsWarning)
            answer = effective_length(cells, Criterion(0.85, depth_treatment="worst"))
        assert (answer.headline, len(answer.estimates)) == (None, 1)

    def test_a_relative_bar_has_no_proved_upper_end_and_says_so(self):
        criterion = Criterion(0.85, rule="relative", depth_treatment="worst")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", LcstatsWarning)
            answer = effective_length(self.cells, criterion)
        interval = answer.quoted.default_set
        assert interval.kind == "posterior"
        assert interval.fell_back_from.kind == "hybrid"
        assert "relative" in interval.fell_back_from.reason

    def test_the_posterior_of_the_curve_stands_with_it(self):
        answer = self.answer("mean", fit=fit_curve(self.cells), sets=("default", "posterior"))
        curve = next(e for e in answer.estimates if e.method == "curve")
        assert [s.kind for s in curve.sets] == ["parametric_bootstrap", "posterior"]
        assert set(curve.masses) == {"parametric_bootstrap", "posterior"}

    def test_a_surface_of_other_cells_is_refused(self):
        other = Cells.from_counts([1024], [0.5], n_cases=3, successes=[[2]])
        with pytest.raises(OptionError, match=r"pass flexible=fit_flexible\(cells\)"):
            self.answer(flexible=fit_flexible(other))
