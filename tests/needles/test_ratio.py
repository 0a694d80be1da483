"""The dependence ratio's interval: its parts by brute force, its ends where counts are extreme."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from lcstats.needles import measure_dependence, tabulate_needles
from lcstats.needles.compared import compare_trials
from lcstats.needles.ratio import (
    _bias_of_product,
    _linear_products,
    dependence_ratio,
    products_of_others,
)
from lcstats.needles.strata import make_strata, stratum_means
from lcstats.trials import Trials
from lcstats.wilson import wilson_interval

pytestmark = pytest.mark.filterwarnings("ignore::lcstats.errors.LcstatsWarning")


def compared_of(table):
    return compare_trials(table, make_strata(table))


def drawn(n_trials, n_needles, seed=1):
    rng = np.random.default_rng(seed)
    return (rng.random((n_trials, n_needles)) < rng.beta(3, 1, (n_trials, 1))).astype(int)


def test_products_of_others_leave_one_out():
    rates = np.random.default_rng(0).random((5, 6))
    rates[0, 2] = rates[1, 3] = rates[1, 4] = 0.0
    expected = [[np.delete(row, j).prod() for j in range(6)] for row in rates]
    assert_allclose(products_of_others(rates), expected, rtol=1e-12)


def test_linear_products_are_the_derivative_by_the_weight_of_a_trial(table_of):
    """Raising one trial's weight moves the mean product as its linear part says."""
    compared = compared_of(table_of(drawn(12, 3), length=[4096] * 5 + [8192] * 7))
    rates = stratum_means(compared.found, compared.code, compared.weight)
    linear = _linear_products(compared, rates)
    step = 1e-6
    for trial in range(12):
        weight = compared.weight.copy()
        weight[trial] += step
        moved = stratum_means(compared.found, compared.code, weight)[compared.code].prod(axis=1)
        still = rates[compared.code].prod(axis=1)
        slope = (weight @ moved - compared.weight @ still) / step
        assert slope == pytest.approx(linear[trial], abs=1e-5)


def test_the_bias_is_that_of_covariances_of_the_rates(table_of):
    found = drawn(15, 4)
    compared = compared_of(table_of(found))
    rates = stratum_means(compared.found, compared.code, compared.weight)
    covariance, p = np.cov(found.T, bias=True) / 15, found.mean(axis=0)
    expected = sum(
        covariance[i, j] * np.delete(p, [i, j]).prod() for i, j in combinations(range(4), 2)
    )
    assert _bias_of_product(compared, rates) == pytest.approx(expected)


def test_rates_that_needles_share_have_the_bias_of_their_variance(trials_of):
    """Of counts the product is p ** 3, whose bias is 3 p Var(p)."""
    found = drawn(20, 3)
    frame = trials_of(found).frame.drop(columns=["needle_found"])
    compared = compared_of(tabulate_needles(Trials(frame)))
    share = found.mean(axis=1)
    rates = stratum_means(compared.found, compared.code, compared.weight)
    expected = 3 * share.mean() * share.var() / 20
    assert _bias_of_product(compared, rates) == pytest.approx(expected)


@settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    st.lists(st.lists(st.integers(0, 1), min_size=3, max_size=3), min_size=2, max_size=30),
    st.sampled_from([0.5, 0.9, 0.95, 0.99]),
)
def test_an_interval_holds_its_point_and_grows_with_its_level(table_of, found, level):
    table = table_of(found)
    stated = dependence_ratio(compared_of(table), level)
    wider = dependence_ratio(compared_of(table), (1 + level) / 2)
    rates = np.mean(found, axis=0)
    if not rates.all():
        assert not stated.is_known
        return
    assert stated.value == pytest.approx(np.all(found, axis=1).mean() / rates.prod())
    assert 0 <= wider.lower <= stated.lower <= stated.value <= stated.upper <= wider.upper
    assert stated.lower < stated.upper < np.inf


def test_no_trial_that_finds_all_bounds_the_ratio_from_above(table_of):
    found = [[1, 0], [0, 1]] * 20
    stated = measure_dependence(table_of(found), n_permutations=0, n_draws=0).ratio
    assert (stated.value, stated.lower) == (0.0, 0.0)
    least = wilson_interval(0.0, 40)[1] / 0.25
    assert stated.upper == pytest.approx(float(least), rel=0.2)


def test_trials_that_all_find_all_leave_the_ratio_open_above(table_of):
    small, large = (
        measure_dependence(table_of([[1, 1]] * n), n_permutations=0, n_draws=0).ratio
        for n in (20, 200)
    )
    assert small.value == small.lower == large.lower == 1.0
    assert 1.0 < large.upper < small.upper < 1.5


def test_a_single_case_has_a_ratio_without_interval(table_of):
    table = table_of([[1, 1], [1, 0]] * 10, "independent", cluster="one")
    stated = measure_dependence(table, n_permutations=0, n_draws=0).ratio
    assert stated.value == pytest.approx(1.0)
    assert np.isnan(stated.lower)


def test_needles_that_avoid_each_other_scatter_below(table_of):
    """Misses that never meet: the estimate is the least that rates allow, the truth may be less."""
    found = np.ones((40, 4), dtype=int)
    found[np.arange(16), np.arange(16) % 4] = 0
    stated = measure_dependence(table_of(found), n_permutations=0, n_draws=0).ratio
    assert stated.value == pytest.approx(0.6 / 0.9**4)
    assert stated.lower < 0.9 < stated.upper


def test_shared_clusters_widen_the_interval(table_of):
    found = np.repeat(drawn(20, 3, seed=2), 3, axis=0)
    alone = measure_dependence(table_of(found), n_permutations=0, n_draws=0).ratio
    shared = measure_dependence(
        table_of(found, cluster=np.repeat(np.arange(20), 3).astype(str)),
        n_permutations=0,
        n_draws=0,
    ).ratio
    assert shared.value == pytest.approx(alone.value)
    assert shared.upper - shared.lower > 1.4 * (alone.upper - alone.lower)
