"""The likelihood of trials that need several facts: enumeration, differences, statsmodels."""

from itertools import product

import numpy as np
import pytest
import statsmodels.api as sm
from numpy.testing import assert_allclose
from scipy.stats import binom

from lcstats.curve import (
    Compound,
    accuracy_from_logit,
    design_matrix,
    joint_likelihood,
    trial_likelihood,
)
from lcstats.truths import close_places

LENGTHS = np.array([1024.0, 16384.0, 131072.0])
DEPTHS = np.array([0.0, 0.3, 1.0])
THETA = np.array([3.1, 0.35, 1.4, 0.7])
STEP = 1e-6


def four_values(combining=False):
    """Cells of four values, three lengths by three depths."""
    places = close_places(DEPTHS).T
    design = design_matrix(LENGTHS[:, None, None], places[None]).reshape(9, 4, 4)
    doublings = np.log2(np.repeat(LENGTHS, 3) / 1024)
    columns = np.stack([np.ones(9), -doublings], axis=1) if combining else None
    return Compound.of_places(design, columns)


def unknown_places(n_facts):
    design = np.repeat(design_matrix(LENGTHS[:, None], DEPTHS), 1, axis=0)
    return Compound.of_unknown_places(design, n_facts)


COMPOUNDS = {
    "four values": (four_values(), THETA),
    "combined": (four_values(combining=True), np.append(THETA, [-0.2, 0.05])),
    "anywhere": (unknown_places(3), THETA),
    "counted": (unknown_places(1), THETA),
}


def table_of(compound, seed=1):
    n = np.full(compound.cell_starts.size - 1, 40.0)
    return n, np.random.default_rng(seed).integers(5, 38, n.size).astype(float)


@pytest.mark.parametrize("rates", [(0.0, 0.0), (0.2, 0.03)])
@pytest.mark.parametrize("name", COMPOUNDS)
def test_derivatives_are_those_of_the_log_likelihood(name, rates):
    compound, theta = COMPOUNDS[name]
    n, k = table_of(compound)

    def at(values):
        return joint_likelihood(
            compound, values, n_cases=n, successes=k, guess_rate=rates[0], lapse_rate=rates[1]
        )

    steps = STEP * np.eye(theta.size)
    gradient = [
        (at(theta + s).log_likelihood - at(theta - s).log_likelihood) / (2 * STEP) for s in steps
    ]
    hessian = [(at(theta + s).gradient - at(theta - s).gradient) / (2 * STEP) for s in steps]
    assert_allclose(at(theta).gradient, gradient, rtol=1e-5, atol=1e-4)
    assert_allclose(at(theta).hessian, hessian, rtol=1e-5, atol=1e-4)


@pytest.mark.parametrize("name", COMPOUNDS)
def test_information_is_the_mean_square_of_the_score(name):
    """Summed over all counts of two cases per cell, which are few enough to go through."""
    compound, theta = COMPOUNDS[name]
    n_cells = compound.cell_starts.size - 1
    n = np.full(n_cells, 2.0)
    rates = np.exp(compound.log_rates(theta))
    total = 0.0
    for cell in range(n_cells):
        for k in range(3):
            counts = np.where(np.arange(n_cells) == cell, k, 2 * rates)
            score = joint_likelihood(compound, theta, n_cases=n, successes=counts).gradient
            total = total + binom.pmf(k, 2, rates[cell]) * np.outer(score, score)
    found = joint_likelihood(compound, theta, n_cases=n, successes=2 * rates).information
    assert_allclose(total, found, rtol=1e-9)


def test_rates_are_those_of_all_ways_in_which_needles_can_be_found():
    compound, theta = COMPOUNDS["four values"]
    each = accuracy_from_logit(compound.design @ theta, guess_rate=0.1).reshape(9, 4)
    everything = sum(
        np.prod([p if found else 1 - p for p, found in zip(each.T, ways, strict=True)], axis=0)
        for ways in product([0, 1], repeat=4)
        if all(ways)
    )
    assert_allclose(np.exp(compound.log_rates(theta, guess_rate=0.1)), everything, rtol=1e-12)


def test_facts_anywhere_have_the_mean_over_all_placements():
    compound, theta = COMPOUNDS["anywhere"]
    each = accuracy_from_logit(design_matrix(LENGTHS[:, None], DEPTHS) @ theta)
    placements = [
        np.prod([each[:, place] for place in places], axis=0)
        for places in product(range(3), repeat=3)
    ]
    assert_allclose(np.exp(compound.log_rates(theta)), np.mean(placements, axis=0), rtol=1e-12)


def test_one_fact_per_trial_is_the_plain_likelihood():
    design = design_matrix(LENGTHS[:, None], DEPTHS).reshape(9, 4)
    n, k = np.full(9, 30.0), np.arange(20.0, 29.0)
    ours = joint_likelihood(Compound.of_places(design[:, None]), THETA, n_cases=n, successes=k)
    plain = trial_likelihood(design, THETA, n_cases=n, successes=k)
    for name in ("log_likelihood", "gradient", "hessian", "information"):
        assert_allclose(getattr(ours, name), getattr(plain, name), rtol=1e-9, atol=1e-9)


def test_one_fact_per_trial_is_statsmodels_binomial():
    design = design_matrix(LENGTHS[:, None], DEPTHS).reshape(9, 4)
    n, k = np.full(9, 30.0), np.arange(20.0, 29.0)
    theirs = sm.GLM(np.stack([k, n - k], axis=1), design, family=sm.families.Binomial()).fit()
    ours = joint_likelihood(
        Compound.of_places(design[:, None]), theirs.params, n_cases=n, successes=k
    )
    assert_allclose(ours.gradient, 0.0, atol=1e-6)
    assert_allclose(np.linalg.inv(ours.information), theirs.cov_params(), rtol=1e-6)


def test_a_factor_above_one_has_no_likelihood():
    compound, theta = COMPOUNDS["combined"]
    n, k = table_of(compound)
    far = theta + np.array([20.0, 0, 0, 0, 0.4, 0])
    assert joint_likelihood(compound, far, n_cases=n, successes=k).log_likelihood == -np.inf
