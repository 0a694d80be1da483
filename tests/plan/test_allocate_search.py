"""Tables of passing probabilities, the knapsack and the exchanges, against brute force."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lcstats.errors import OptionError
from lcstats.lengths import Criterion
from lcstats.lengths.laws import passing_probabilities
from lcstats.plan.allocation.search import (
    Menu,
    best_uniform,
    exchange,
    fill_knapsack,
    probability_of_run,
)
from lcstats.plan.allocation.tables import cell_passing_table, passing_table

BAR = Fraction(17, 20)
ACCURACIES = np.array([[[0.95, 0.9, 0.97], [0.9, 0.8, 0.93], [0.7, 0.5, 0.9]]])
NUMBERS = np.arange(1, 8)


@pytest.mark.parametrize("treatment", ["mean", "pooled", "worst", "quantile:0.5", "window:2"])
def test_tables_agree_with_the_exact_engine_number_by_number(treatment):
    criterion = Criterion(BAR, depth_treatment=treatment)
    numbers = np.array([1, 2, 6, 7, 20, 41])
    table = passing_table(ACCURACIES, criterion, numbers)
    for place, number in enumerate(numbers):
        cases = np.full(ACCURACIES[0].shape, number)
        exact = passing_probabilities(ACCURACIES[0], cases, BAR, criterion.treatment)
        np.testing.assert_allclose(table[0, :, place], exact, atol=1e-13)


def test_a_tie_at_the_bar_counts_as_passing():
    table = passing_table(np.array([[[0.85]]]), Criterion(BAR), np.array([20]))
    assert table[0, 0, 0] == pytest.approx(0.6477, abs=1e-4)


def test_cells_pass_by_whole_successes():
    table = cell_passing_table(np.array([0.9]), BAR, np.array([6, 7]))
    assert table[0].tolist() == pytest.approx([0.9**6, 0.9**7 + 7 * 0.1 * 0.9**6])


def test_relative_thresholds_are_refused():
    with pytest.raises(OptionError, match=r"allocate for the accuracy that the bar is expected"):
        passing_table(ACCURACIES, Criterion(0.85, rule="relative"), NUMBERS)


@pytest.mark.parametrize(
    ("first", "last"), [(0, 0), (1, 1), (2, 2), (3, 3), (0, 1), (1, 3), (0, 3)]
)
def test_a_run_of_outcomes_adds_up_its_masses(first, last):
    passing = np.array([[0.9, 0.6, 0.3]])
    q1, q2, q3 = passing[0]
    masses = [1 - q1, q1 * (1 - q2), q1 * q2 * (1 - q3), q1 * q2 * q3]
    found = probability_of_run(passing, np.array([first]), np.array([last]))
    assert found[0] == pytest.approx(sum(masses[first : last + 1]))


def _menu(passing, prices, first, last, rows=None):
    n_draws, n_items, n_numbers = passing.shape
    return Menu(
        passing=passing,
        numbers=np.arange(1, n_numbers + 1),
        prices=np.asarray(prices, dtype=np.float64),
        rows=np.arange(n_items) if rows is None else np.asarray(rows),
        first=np.full(n_draws, first),
        last=np.full(n_draws, last),
    )


def _by_brute_force(menu, budget):
    choices = map(np.array, product(range(menu.numbers.size), repeat=menu.prices.size))
    return max(menu.probability(choice) for choice in choices if menu.cost(choice) <= budget)


@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    run=st.sampled_from([(0, 0), (1, 1), (2, 2), (3, 3), (0, 1), (1, 2), (1, 3), (0, 3)]),
    budget=st.integers(7, 60),
)
def test_the_knapsack_finds_the_best_of_all_choices(seed, run, budget):
    # Any table: whatever numbers of trials do, ties or not.
    menu = _menu(np.random.default_rng(seed).random((1, 3, 5)), [1, 2, 4], *run)
    bought = fill_knapsack(menu, budget)
    assert bought.is_exact
    assert menu.cost(bought.chosen) <= budget
    assert menu.probability(bought.chosen) == pytest.approx(_by_brute_force(menu, budget))


@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 10_000), budget=st.integers(14, 60))
def test_the_knapsack_allocates_cells_of_a_length_apart(seed, budget):
    passing = np.random.default_rng(seed).random((1, 6, 3))
    menu = _menu(passing, [1, 1, 2, 2, 4, 4], 1, 1, rows=[0, 0, 1, 1, 2, 2])
    bought = fill_knapsack(menu, budget)
    assert menu.probability(bought.chosen) == pytest.approx(_by_brute_force(menu, budget))


@pytest.mark.parametrize("seed", range(8))
def test_prices_that_are_not_whole_are_rounded_up_never_beyond_the_budget(seed):
    rng = np.random.default_rng(seed)
    menu = _menu(rng.random((1, 3, 5)), rng.uniform(1, 3, 3), 1, 1)
    bought = fill_knapsack(menu, 15.0)
    assert not bought.is_exact
    assert menu.cost(bought.chosen) <= 15.0
    assert menu.probability(bought.chosen) == pytest.approx(_by_brute_force(menu, 15.0), abs=1e-3)


@pytest.mark.parametrize("seed", range(8))
def test_exchanges_end_where_no_pair_helps_and_near_the_best(seed):
    accuracies = np.random.default_rng(seed).uniform(0.6, 1.0, (20, 3, 2))
    accuracies.sort(axis=1)
    accuracies = accuracies[:, ::-1]
    passing = passing_table(accuracies, Criterion(BAR), NUMBERS)
    true = np.cumprod(accuracies.mean(axis=2) >= 0.85, axis=1).sum(axis=1)
    menu = Menu(passing, NUMBERS, np.array([1.0, 2.0, 4.0]), np.arange(3), true, true)
    start = best_uniform(menu, 28.0)
    found = exchange(menu, start, 28.0)
    best = _by_brute_force(menu, 28.0)
    assert menu.cost(found) <= 28.0
    assert menu.probability(start) <= menu.probability(found) <= best + 1e-12
    assert menu.probability(found) >= best - 0.01


def test_exchanges_look_past_a_number_that_a_tie_makes_worse():
    # Seven of seven, then eight of eight, then only eight of nine: the ninth trial pays, not the
    # eighth.
    passing = np.array([[[0.5, 0.3, 0.9], [0.5, 0.5, 0.5]]])
    menu = _menu(passing, [1, 1], 1, 1)
    assert exchange(menu, np.array([0, 0]), 4.0).tolist() == [2, 0]
