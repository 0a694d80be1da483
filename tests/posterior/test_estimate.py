"""The posterior's masses and set of the curve's effective length."""

import numpy as np
import pytest

from lcstats.draws import resample
from lcstats.errors import OptionError
from lcstats.lengths import Criterion
from lcstats.lengths.curve_estimate import estimate_from_curve
from lcstats.posterior import sample_posterior

CRITERION = Criterion(0.85)


def test_masses_are_the_posterior_share_of_each_outcome(make_fit):
    fit = make_fit()
    draws = sample_posterior(fit)
    estimate = estimate_from_curve(fit, CRITERION, level=0.9, seed=0, draws=draws)
    passes = np.cumprod(draws.accuracies.mean(axis=2) >= 0.85, axis=1).sum(axis=1)
    expected = np.bincount(passes, minlength=9) / len(draws)
    assert list(estimate.masses) == ["posterior"]
    np.testing.assert_allclose(estimate.masses["posterior"], expected)
    (interval,) = estimate.sets
    assert (interval.kind, interval.level, interval.is_default) == ("posterior", 0.9, True)
    below = np.cumsum(expected)
    assert below[interval.lower] > 0.05
    assert interval.lower == 0 or below[interval.lower - 1] <= 0.05
    assert interval.diagnostics["sampler"] == "importance"
    assert estimate.crossing.bootstrap_lower < estimate.crossing.value


def test_the_posterior_stands_beside_the_bootstrap(make_fit):
    fit = make_fit()
    both = (resample(fit), sample_posterior(fit))
    estimate = estimate_from_curve(fit, CRITERION, level=0.95, seed=0, draws=both)
    assert list(estimate.masses) == ["parametric_bootstrap", "posterior"]
    assert [interval.is_default for interval in estimate.sets] == [True, False]
    bootstrap, posterior = estimate.masses.values()
    assert np.abs(bootstrap - posterior).max() < 0.1
    alone = estimate_from_curve(fit, CRITERION, level=0.95, seed=0)
    assert alone.sets[0].to_dict() == estimate.sets[0].to_dict()


def test_a_drawn_lapse_rate_gives_masses_but_no_ends_of_the_crossing(make_fit):
    fit = make_fit()
    draws = sample_posterior(fit, lapse_rate="estimate", n_draws=500)
    estimate = estimate_from_curve(fit, CRITERION, level=0.95, seed=0, draws=draws)
    assert estimate.masses["posterior"].sum() == pytest.approx(1.0)
    assert estimate.crossing.bootstrap_lower is None


def test_draws_of_something_else_are_refused(make_fit):
    fit = make_fit()
    draws = sample_posterior(fit, n_draws=20)
    with pytest.raises(OptionError, match="pass one of them"):
        estimate_from_curve(fit, CRITERION, level=0.95, seed=0, draws=(draws, draws))
    other = make_fit(np.full((8, 11), 15), terms=("intercept", "length"))
    shorter = sample_posterior(other, n_draws=20)
    object.__setattr__(shorter, "lengths", shorter.lengths * 2)
    with pytest.raises(OptionError, match=r"pass sample_posterior\(fit\)"):
        estimate_from_curve(fit, CRITERION, level=0.95, seed=0, draws=shorter)
