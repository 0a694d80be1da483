"""Tango's statistic and interval, against brute force and a published value."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar
from scipy.special import ndtri

from lcstats.comparison.tango import (
    restricted_variance,
    score_statistic,
    tango_interval,
)

Z = float(ndtri(0.975))


def interval(*table, quantile=Z):
    lower, upper = tango_interval(*table, quantile)
    return lower.item(), upper.item()


@st.composite
def tables(draw):
    n = draw(st.integers(1, 300))
    old_only = draw(st.integers(0, n))
    return old_only, draw(st.integers(0, n - old_only)), n


def likeliest_variance(old_only, new_only, n, difference):
    """Maximise the trinomial likelihood under a difference numerically."""

    def loss(share):
        parts = np.array([share, share + difference, 1 - 2 * share - difference])
        return -np.array([old_only, new_only, n - old_only - new_only]) @ np.log(parts)

    bounds = max(0.0, -difference) + 1e-12, (1 - difference) / 2 - 1e-12
    share = minimize_scalar(loss, bounds=bounds, method="bounded", options={"xatol": 1e-13}).x
    return n * (2 * share + difference - difference**2)


@pytest.mark.parametrize("difference", [-0.6, -0.3, -0.05, 0.0, 0.1, 0.45])
@pytest.mark.parametrize("table", [(10, 3, 60), (1, 7, 20), (0, 4, 40), (9, 0, 12)])
def test_the_restricted_variance_is_the_likeliest(table, difference):
    brute = likeliest_variance(*table, difference)
    assert restricted_variance(*table, difference).item() == pytest.approx(brute, rel=1e-5)


def test_a_published_interval_comes_out():
    # Airway hyper-responsiveness of 21 children, 7 and 1 discordant: Fagerland, Lydersen and Laake
    # 2014, Statistics in Medicine 33:2850, Table II.
    assert interval(7, 1, 21) == pytest.approx((-0.517, -0.026), abs=5e-4)


@pytest.mark.parametrize("table", [(10, 2, 100), (0, 0, 50), (3, 3, 8), (0, 5, 5), (40, 1, 60)])
def test_the_interval_is_where_the_test_does_not_reject(table):
    grid = np.linspace(-1, 1, 200_001)
    kept = grid[np.abs(score_statistic(*table, grid)) <= Z]
    assert interval(*table) == pytest.approx((kept.min(), kept.max()), abs=2e-5)


@given(tables(), st.floats(0.5, 4.0))
def test_the_interval_holds_its_point_and_stays_within_one(table, quantile):
    old_only, new_only, n = table
    lower, upper = interval(*table, quantile=quantile)
    assert -1 <= lower <= (new_only - old_only) / n <= upper <= 1
    if abs(new_only - old_only) < n:
        assert lower < upper


@given(tables())
def test_exchanging_the_sides_mirrors_the_interval_to_the_last_bit(table):
    old_only, new_only, n = table
    lower, upper = interval(old_only, new_only, n)
    assert interval(new_only, old_only, n) == (-upper, -lower)


@given(tables(), st.floats(-0.99, 0.99), st.floats(0.001, 0.5))
def test_the_statistic_falls_as_the_difference_grows(table, difference, step):
    further = min(difference + step, 1.0)
    assert score_statistic(*table, difference) >= score_statistic(*table, further) - 1e-9


def test_without_discordant_pairs_the_upper_end_is_wilsons():
    n = 50
    assert interval(0, 0, n)[1] == pytest.approx(Z**2 / (n + Z**2))
