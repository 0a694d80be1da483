"""Rates with intervals: needles of a trial are not separate evidence."""

import numpy as np
import pytest
from scipy.stats import binomtest

from lcstats.needles import tabulate_needles
from lcstats.needles.rates import effective_number, rows_by_length
from lcstats.truths import WORKED_CURVE, close_places, shared_rates, simulate_needles
from lcstats.wilson import exact_interval, wilson_interval

pytestmark = pytest.mark.filterwarnings("ignore::lcstats.errors.LcstatsWarning")


def test_partial_credit_is_worth_trials_and_not_parts(table_of):
    """Three trials with 4, 3 and 1 of 4 parts: 8 of 12, with the standard error of three trials."""
    row = rows_by_length(table_of([[1, 1, 1, 1], [1, 1, 1, 0], [1, 0, 0, 0]]))[0]
    shares = np.array([1, 0.75, 0.25])
    assert row.rate.value == pytest.approx(8 / 12)
    n_cases, freedom = effective_number(shares, np.zeros(3, int), np.arange(3), 4)
    error = np.sqrt(8 / 12 * 4 / 12 / n_cases)
    assert error == pytest.approx(shares.std(ddof=1) / np.sqrt(3))
    assert freedom == 2
    lower, upper = wilson_interval(8 / 12, 12)
    assert row.rate.lower < lower
    assert row.rate.upper > upper


def test_trials_that_do_not_scatter_are_worth_one_case_each():
    """Three trials with 8 of 12 parts each, say: nothing is known of how parts hang together."""
    n_cases, _ = effective_number(np.full(3, 8 / 12), np.zeros(3, int), np.arange(3), 12)
    assert n_cases == 3


def test_a_unit_is_worth_no_more_than_its_parts():
    """Shares that scatter less than independent parts would."""
    shares = np.array([0.5, 0.5, 0.5, 0.51])
    n_cases, _ = effective_number(shares, np.zeros(4, int), np.arange(4), 2)
    assert n_cases == 8


def test_repeats_of_a_single_case_have_no_interval(table_of):
    row = rows_by_length(table_of([[1, 0], [1, 1]], case="a", repeat=[1, 2]))[0]
    assert row.rate.value == 0.75
    assert np.isnan(row.rate.lower)


def test_a_haystack_is_the_unit_of_what_it_holds(table_of):
    found = [[1, 1]] * 10 + [[0, 0]] * 10
    cases = [str(number) for number in range(20)]
    alone = rows_by_length(table_of(found, case=cases))[0].rate
    shared = rows_by_length(table_of(found, case=cases, cluster=["h", "i"] * 5 + ["j", "k"] * 5))
    assert shared[0].rate.upper - shared[0].rate.lower > 1.5 * (alone.upper - alone.lower)


def test_intervals_hold_under_dependence_where_naive_ones_do_not():
    """100 tables of 20 trials whose needles share much luck; the study has more."""
    places = close_places(np.array([0.5]))[:, 0]
    true = shared_rates(WORKED_CURVE, 65536, places, 2.0)[0].mean()
    held, naive = [], []
    for seed in range(100):
        trials = simulate_needles([65536], [0.5], n_trials=20, seed=seed, shared_sd=2.0)
        row = rows_by_length(tabulate_needles(trials))[0]
        held.append(row.rate.lower <= true <= row.rate.upper)
        lower, upper = wilson_interval(row.rate.value, 80)
        naive.append(lower <= true <= upper)
    assert np.mean(held) >= 0.95 - 3 * np.sqrt(0.95 * 0.05 / 100)
    assert np.mean(naive) < 0.9


def test_products_are_those_of_the_rates_of_places(table_of):
    found = [[1, 1], [1, 0], [0, 1], [1, 1]]
    assert rows_by_length(table_of(found))[0].product == pytest.approx(0.75 * 0.75)


@pytest.mark.parametrize("n_trials", [3, 30, 300])
@pytest.mark.parametrize("n_missed", [0, 1, 2])
def test_a_single_needle_has_the_interval_of_clopper_and_pearson(table_of, n_trials, n_missed):
    row = rows_by_length(table_of([[0]] * n_missed + [[1]] * (n_trials - n_missed)))[0]
    exact = binomtest(n_trials - n_missed, n_trials).proportion_ci(method="exact")
    for stated in (row.rate, row.joint):
        assert (stated.lower, stated.upper) == pytest.approx((exact.low, exact.high), abs=1e-9)


@pytest.mark.parametrize("mark", [0, 1])
def test_trials_that_found_all_or_nothing_are_one_case_each(table_of, mark):
    """However the four needles of a trial hang together, thirty trials are thirty cases."""
    row = rows_by_length(table_of([[mark] * 4] * 30))[0]
    exact = binomtest(30 * mark, 30).proportion_ci(method="exact")
    assert (row.rate.lower, row.rate.upper) == pytest.approx((exact.low, exact.high), abs=1e-9)


def test_trials_of_one_haystack_are_one_case_together(table_of):
    """Thirty trials of three haystacks, the largest with fifteen: 30 / 15 cases."""
    haystacks = ["a"] * 15 + ["b"] * 10 + ["c"] * 5
    row = rows_by_length(table_of([[1]] * 30, cluster=haystacks))[0]
    assert row.rate.lower == pytest.approx(exact_interval(2, 2)[0])
    # The bound that the docstring proves, for clusters that find all or nothing.
    share = np.array([15, 10, 5]) / 30
    chances = np.random.default_rng(1).random((1000, 3))
    assert (chances.prod(axis=1) <= (chances @ share) ** (1 / share.max()) + 1e-12).all()
