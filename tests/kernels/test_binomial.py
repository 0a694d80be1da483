"""The convolution kernels against scipy, numpy and enumeration."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom

from lcstats.kernels.binomial import (
    accuracy_tails,
    at_most_failing,
    fill_binomial,
    joint_with_total,
    leading_run_law,
    sum_of_binomials,
)


@pytest.mark.parametrize("n", [1, 2, 5, 80, 5000])
@pytest.mark.parametrize("p", [1e-12, 0.001, 0.3, 0.85, 0.999, 1 - 1e-12])
def test_binomial_agrees_with_scipy(n, p):
    out = np.empty(n + 1)
    fill_binomial(n, p, out)
    np.testing.assert_allclose(out, binom.pmf(np.arange(n + 1), n, p), rtol=1e-10, atol=1e-290)


def test_binomial_far_from_its_mode_does_not_underflow_early():
    out = np.empty(20_001)
    fill_binomial(20_000, 0.999, out)
    assert out.sum() == pytest.approx(1, abs=1e-12)


def by_numpy(n, p, step):
    law = np.ones(1)
    for size, rate, width in zip(n, p, step, strict=True):
        cell = np.zeros(size * width + 1)
        cell[::width] = binom.pmf(np.arange(size + 1), size, rate)
        law = np.convolve(law, cell)
    return law


@settings(deadline=None)
@given(
    st.lists(
        st.tuples(
            st.integers(1, 9),
            st.sampled_from([0.0, 0.2, 0.5, 0.9, 1.0]),
            st.integers(1, 3),
        ),
        min_size=1,
        max_size=6,
    )
)
def test_sum_of_binomials_agrees_with_plain_convolution(cells):
    n, p, step = (np.array(column) for column in zip(*cells, strict=True))
    law = sum_of_binomials(n, p.astype(float), step)
    np.testing.assert_allclose(law, by_numpy(n, p, step), atol=1e-14)


def test_accuracy_tails_are_on_each_rows_own_lattice():
    n = np.array([[3, 0], [3, 2]])
    p = np.array([[0.5, 0.0], [0.5, 0.25]])
    tails = accuracy_tails(n, p, False, 7, 12)
    assert tails[0] == pytest.approx(0.5)
    assert tails[1] == pytest.approx(by_numpy(n[1], p[1], [2, 3])[7:].sum())
    pooled = accuracy_tails(n, p, True, 3, 5)
    assert pooled[1] == pytest.approx(by_numpy(n[1], p[1], [1, 1])[3:].sum())


def test_at_most_failing_agrees_with_enumeration():
    passing = np.array([[0.9, 0.5, 0.2, 1.0], [0.1, 0.0, 0.7, 0.6]])
    for most in range(5):
        by_hand = np.zeros(2)
        for fails in itertools.product([0, 1], repeat=4):
            if sum(fails) <= most:
                by_hand += np.prod(np.where(np.array(fails), 1 - passing, passing), axis=1)
        result = at_most_failing(passing, np.full(2, most))
        np.testing.assert_allclose(result, by_hand, atol=1e-15)


@pytest.mark.parametrize("n_bounded", [0, 1, 2, 3])
def test_joint_with_total_agrees_with_enumeration(n_bounded):
    rng = np.random.default_rng(3)
    laws = rng.dirichlet(np.ones(4), size=3)
    least = np.array([0, 0, 1, 1, 1, 2, 2, 2, 3, 3])
    by_hand = np.zeros(10)
    for values in itertools.product(range(4), repeat=3):
        total = sum(values)
        if all(value >= least[total] for value in values[:n_bounded]):
            by_hand[total] += np.prod([laws[i, value] for i, value in enumerate(values)])
    np.testing.assert_allclose(joint_with_total(laws, n_bounded, least), by_hand, atol=1e-15)


def test_leading_run_law_by_hand():
    np.testing.assert_allclose(leading_run_law(np.array([0.9, 0.5])), [0.1, 0.45, 0.45])
    assert leading_run_law(np.array([0.0, 1.0])).tolist() == [1.0, 0.0, 0.0]
