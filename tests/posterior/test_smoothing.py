"""Pareto smoothing against ArviZ's, and resampling against its weights."""

from importlib import import_module

import numpy as np
import pytest

from lcstats.posterior.smoothing import (
    fit_generalised_pareto,
    resample_systematically,
    smooth_weights,
)


def psis_of_arviz(log_ratios):
    arviz = import_module("arviz")
    if arviz.__version__.startswith("0."):
        return arviz.psislw(log_ratios.copy())
    return import_module("arviz_stats.base").array_stats.psislw(-log_ratios)


# Where 3 sqrt(n) is whole: ArviZ 0.23 rounds the number in the tail up, as we do, 1.x down.
@pytest.mark.parametrize("n_points", [100, 400, 10000])
@pytest.mark.parametrize("shape", [0.1, 0.5, 0.9])
def test_smoothing_is_that_of_arviz(n_points, shape):
    uniform = np.random.default_rng(n_points).random(n_points)
    log_ratios = np.log(uniform) * -shape - 300.0
    log_weights, k_hat = psis_of_arviz(log_ratios)
    smoothed = smooth_weights(log_ratios)
    assert smoothed.pareto_shape == pytest.approx(float(k_hat), rel=1e-8)
    np.testing.assert_allclose(smoothed.log_weights, log_weights, rtol=1e-8)


def test_a_poor_proposal_has_a_large_shape_and_a_good_one_has_not():
    narrow = np.random.default_rng(1).standard_normal(4000) * 0.3
    log_ratios = -0.5 * narrow**2 + 0.5 * (narrow / 0.3) ** 2
    assert smooth_weights(log_ratios).pareto_shape > 0.7
    wide = np.random.default_rng(1).standard_normal(4000) * 1.2
    log_ratios = -0.5 * wide**2 + 0.5 * (wide / 1.2) ** 2
    assert smooth_weights(log_ratios).pareto_shape < 0.3


def test_equal_weights_are_as_good_as_weights_get():
    smoothed = smooth_weights(np.full(500, -7.0))
    assert smoothed.pareto_shape == -np.inf
    assert smoothed.effective_size == pytest.approx(500.0)


def test_too_few_weights_to_judge_are_not_trusted():
    assert smooth_weights(np.log([1.0, 2.0, 3.0])).pareto_shape == np.inf


@pytest.mark.parametrize("shape", [-0.3, 0.2, 0.8])
def test_a_large_tail_gives_its_shape_back(shape):
    uniform = np.random.default_rng(3).random(20000)
    excesses = np.sort(2.0 * ((1.0 - uniform) ** -shape - 1.0) / shape)
    found, scale = fit_generalised_pareto(excesses)
    assert found == pytest.approx(shape, abs=0.03)
    assert scale == pytest.approx(2.0, rel=0.03)


def test_every_point_comes_up_as_often_as_its_weight_says_to_within_one():
    rng = np.random.default_rng(4)
    weights = rng.dirichlet(np.full(50, 0.3))
    counts = np.bincount(resample_systematically(np.log(weights), 1000, rng), minlength=50)
    assert counts.sum() == 1000
    assert np.all(np.abs(counts - 1000 * weights) < 1.0)
