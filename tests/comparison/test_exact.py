"""Exact unconditional tests of a margin, against the enumeration of every table."""

import numpy as np
import pytest
from scipy.stats import multinomial

from lcstats.comparison.exact import (
    excluded_loss_p_value,
    largest_difference,
    loss_p_value,
    smallest_difference,
)
from lcstats.comparison.tango import score_statistic


def every_table(n):
    old_only, new_only = np.meshgrid(np.arange(n + 1), np.arange(n + 1), indexing="ij")
    possible = old_only + new_only <= n
    return old_only[possible], new_only[possible]


def law(old_only, new_only, n, spare, difference):
    """Probabilities of tables with a discordance `spare` beyond the difference, on each side."""
    old, new = spare + max(-difference, 0), spare + max(difference, 0)
    counts = np.stack([old_only, new_only, n - old_only - new_only], axis=1)
    return multinomial.pmf(counts, n, [old, new, max(1 - old - new, 0.0)])


@pytest.mark.parametrize("difference", [-0.2, -0.02, 0.0, 0.1])
@pytest.mark.parametrize("table", [(3, 1), (5, 0), (1, 1), (0, 4), (0, 0), (12, 0)])
def test_the_p_value_is_the_largest_over_the_discordance(table, difference):
    n = 12
    old_only, new_only = every_table(n)
    statistic = score_statistic(old_only, new_only, n, difference)
    extreme = statistic <= score_statistic(*table, n, difference) + 1e-9
    spares = np.linspace(0, (1 - abs(difference)) / 2, 401)
    brute = max(law(old_only, new_only, n, s, difference)[extreme].sum() for s in spares)
    found = loss_p_value(*table, n, difference)
    assert found == pytest.approx(brute, abs=2e-4)
    assert found >= brute - 1e-9


@pytest.mark.parametrize("margin", [0.0, 0.02, 0.1])
@pytest.mark.parametrize("n", [8, 15])
def test_a_true_loss_of_the_margin_is_rejected_at_most_at_the_level(n, margin):
    old_only, new_only = every_table(n)
    p_values = np.array(
        [loss_p_value(x, y, n, -margin) for x, y in zip(old_only, new_only, strict=True)]
    )
    rejected = p_values <= 0.05
    sizes = [
        law(old_only, new_only, n, spare, -margin)[rejected].sum()
        for spare in np.linspace(0, (1 - margin) / 2, 201)
    ]
    assert 0 < max(sizes) <= 0.05


def test_a_loss_below_the_margin_is_rejected_no_more_often_than_one_at_it():
    n, margin = 12, 0.1
    old_only, new_only = every_table(n)
    rejected = np.array(
        [loss_p_value(x, y, n, -margin) for x, y in zip(old_only, new_only, strict=True)]
    )
    rejected = rejected <= 0.05
    for difference in (-0.09, -0.05, 0.0, 0.05, 0.3):
        for spare in np.linspace(0, (1 - abs(difference)) / 2, 41):
            assert law(old_only, new_only, n, spare, difference)[rejected].sum() <= 0.05


def test_exclusion_mirrors_loss():
    assert excluded_loss_p_value(3, 8, 40, -0.05) == loss_p_value(8, 3, 40, 0.05)


@pytest.mark.parametrize("table", [(10, 2, 100), (0, 0, 60), (4, 9, 50), (30, 0, 30)])
@pytest.mark.parametrize("margin", [0.0, 0.02, 0.2])
def test_bounds_agree_with_the_tests(table, margin):
    options = {"level": 0.95, "margin": margin}
    lower, upper = smallest_difference(*table, **options), largest_difference(*table, **options)
    point = (table[1] - table[0]) / table[2]
    assert -1 <= lower <= point <= upper <= 1
    assert (lower >= -margin) == (excluded_loss_p_value(*table, -margin) <= 0.05)
    assert (upper <= -margin) == (loss_p_value(*table, -margin) <= 0.05)
