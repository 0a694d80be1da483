"""The likelihood of numbers of found facts: scipy's beta-binomial, differences, the binomial."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.optimize import approx_fprime
from scipy.stats import betabinom, binom

from lcstats.curve import (
    Compound,
    count_likelihood,
    count_log_shares,
    design_matrix,
    joint_likelihood,
    joint_penalty,
)

LENGTHS = np.array([1024.0, 16384.0, 131072.0])
PLACES = np.array([[0.1, 0.3], [0.5, 0.5], [0.6, 1.0]])
THETA = np.array([2.1, 0.35, 1.4, 0.7])
COMPOUND = Compound.of_unknown_places(design_matrix(LENGTHS[:, None], PLACES), 1)
FACTS = 5
TALLIES = np.random.default_rng(3).integers(0, 9, (3, FACTS + 1)).astype(float)
RATES = {"guess_rate": 0.1, "lapse_rate": 0.03}


@given(st.floats(1e-6, 1 - 1e-6), st.floats(1e-3, 50.0), st.integers(1, 12))
def test_shares_are_those_of_scipy(rate, ratio, n_facts):
    expected = betabinom.logpmf(np.arange(n_facts + 1), n_facts, rate / ratio, (1 - rate) / ratio)
    assert_allclose(count_log_shares([rate], ratio, n_facts)[0], expected, atol=1e-8)


def test_without_correlation_shares_are_binomial():
    expected = binom.logpmf(np.arange(6), 5, 0.3)
    assert_allclose(count_log_shares([0.3], 0.0, 5)[0], expected, atol=1e-12)


@pytest.mark.parametrize("ratio", [0.02, 0.3, 4.0])
def test_the_log_likelihood_is_that_of_scipy_but_for_ways(ratio):
    found = count_likelihood(COMPOUND, THETA, ratio, tallies=TALLIES, **RATES)
    p = np.exp(COMPOUND.log_rates(THETA, **RATES))[:, None]
    numbers = np.arange(FACTS + 1)
    logs = betabinom.logpmf(numbers, FACTS, p / ratio, (1 - p) / ratio)
    ways = binom.logpmf(numbers, FACTS, 0.5) + FACTS * np.log(2)
    assert found.log_likelihood == pytest.approx((TALLIES * (logs - ways)).sum(), rel=1e-12)


@pytest.mark.parametrize("ratio", [0.0, 0.02, 0.3, 4.0])
def test_derivatives_are_differences(ratio):
    def at(values):
        return count_likelihood(COMPOUND, values[:-1], values[-1], tallies=TALLIES, **RATES)

    point, step = np.append(THETA, ratio), 1e-6
    found = at(point)
    # Below 0 the ratio is no correlation, but the likelihood goes on smoothly.
    columns = [(at(point + own), at(point - own)) for own in step * np.eye(5)]
    slopes = [(above.log_likelihood - below.log_likelihood) / 2 / step for above, below in columns]
    bends = [(above.gradient - below.gradient) / 2 / step for above, below in columns]
    assert_allclose(found.gradient, slopes, rtol=1e-5, atol=1e-4)
    assert_allclose(found.hessian, bends, rtol=1e-5, atol=1e-4)


def test_the_information_is_the_mean_of_minus_the_hessian():
    p = np.exp(COMPOUND.log_rates(THETA))
    expected = TALLIES.sum(axis=1)[:, None] * np.exp(count_log_shares(p, 0.4, FACTS))
    exact = count_likelihood(COMPOUND, THETA, 0.4, tallies=expected)
    found = count_likelihood(COMPOUND, THETA, 0.4, tallies=TALLIES)
    assert_allclose(exact.gradient, 0, atol=1e-9)
    assert_allclose(found.information, -exact.hessian, rtol=1e-9, atol=1e-9)


def test_without_correlation_it_is_the_binomial_one():
    n, k = FACTS * TALLIES.sum(axis=1), TALLIES @ np.arange(FACTS + 1)
    binomial = joint_likelihood(COMPOUND, THETA, n_cases=n, successes=k, **RATES)
    found = count_likelihood(COMPOUND, THETA, 0.0, tallies=TALLIES, **RATES)
    assert found.log_likelihood == pytest.approx(binomial.log_likelihood)
    assert_allclose(found.gradient[:-1], binomial.gradient, rtol=1e-9)
    assert_allclose(found.information[:-1, :-1], binomial.information, rtol=1e-9)


@pytest.mark.parametrize("rates", [{}, RATES])
def test_the_penalty_is_half_the_log_determinant_with_its_gradient(rates):
    n = np.array([40.0, 30.0, 50.0, 20.0, 20.0, 35.0])
    design = design_matrix(np.tile(LENGTHS, 2)[:, None], np.repeat([0.2, 0.9], 3)[:, None])
    compound = Compound.of_unknown_places(np.repeat(design, 2, axis=1), 3)

    def value(theta):
        return joint_penalty(compound, theta, n_cases=n, **rates)[0]

    information = joint_likelihood(compound, THETA, n_cases=n, successes=n / 2, **rates).information
    found, gradient = joint_penalty(compound, THETA, n_cases=n, **rates)
    assert found == pytest.approx(np.linalg.slogdet(information)[1] / 2)
    assert_allclose(gradient, approx_fprime(THETA, value, 1e-7), atol=1e-4)


def test_a_singular_information_has_no_penalty():
    twice = Compound.of_places(np.ones((2, 1, 2)))
    assert joint_penalty(twice, [0.0, 0.0], n_cases=[5, 5])[0] < -10
