"""Contrasts against exact laws, scipy, and closed forms."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import binom, fisher_exact, hypergeom, norm, ttest_ind_from_stats

from lcstats.cells import CaseIndex, Cells
from lcstats.report.contrasts import Contrast, Counted, differences, tail_at_most, trend


def counted(successes, n_cases, lengths=None, depths=None) -> Counted:
    successes = np.asarray(successes)
    lengths = 1024 * 2 ** np.arange(successes.shape[0]) if lengths is None else lengths
    depths = np.linspace(0, 1, successes.shape[1]) if depths is None else depths
    return Counted.of(Cells.from_counts(lengths, depths, n_cases=n_cases, successes=successes).grid)


def test_the_trend_s_variance_is_that_of_all_permutations():
    """One stratum of two columns: the statistic's law is hypergeometric."""
    n, right = np.array([[7.0, 5.0]]), np.array([[6.0, 2.0]])
    found = trend(right, n, np.array([0.0, 1.0]))
    law = hypergeom(12, 8, 7)
    z = (6 - law.mean()) / law.std()
    # The statistic moves with the first column's count: same z, whatever its scale.
    assert_allclose(found.p_value, norm.sf(z), rtol=1e-9)
    assert_allclose(found.value, 6 / 7 - 2 / 5)


def test_the_trend_agrees_with_fisher_s_exact_test_for_many_cases():
    right, n = np.array([[180.0, 155.0]]), np.full((1, 2), 200.0)
    exact = fisher_exact([[180, 20], [155, 45]], alternative="greater").pvalue
    assert trend(right, n, np.array([0.0, 1.0])).p_value == pytest.approx(exact, rel=0.6)


def test_strata_of_other_accuracies_do_not_make_a_trend():
    """Simpson: each stratum is flat, while the easy one has more of its cases at small x."""
    right, n = np.array([[90.0, 9.0], [1.0, 10.0]]), np.array([[100.0, 10.0], [10.0, 100.0]])
    assert trend(right, n, np.array([0.0, 1.0])).value == pytest.approx(0.0)


def test_no_stratum_with_two_places_is_no_trend():
    n = np.array([[20.0, 0.0], [0.0, 20.0]])
    assert trend(n / 2, n, np.array([0.0, 1.0])) is None


@pytest.mark.parametrize("margin", [0.0, 0.2])
def test_a_difference_is_a_t_test_on_padded_counts(margin):
    counts = counted([[19], [9]], 20)
    first = np.array([[[True], [False]]])
    (found,) = differences(counts, first, ~first, margin)
    high, low = 20 / 22, 10 / 22
    spread = [np.sqrt(p * (1 - p)) for p in (high, low)]
    # scipy's own t-test has n - 1 in a variance; scaled, so that its standard error is ours.
    by_scipy = ttest_ind_from_stats(
        0.95 - margin, spread[0] * np.sqrt(20 / 22), 20, 0.45, spread[1] * np.sqrt(20 / 22), 20
    )
    assert found.value == pytest.approx(0.5)
    assert_allclose(found.p_value, by_scipy.pvalue / 2, rtol=1e-6)


def test_means_of_parts_are_unweighted_over_their_cells():
    counts = counted([[10, 80], [5, 5]], [[10, 100], [10, 10]])
    row = np.zeros((1, 2, 2), bool)
    row[0, 0] = True
    (found,) = differences(counts, row, ~row)
    assert found.value == pytest.approx((1.0 + 0.8) / 2 - 0.5)


def test_the_binomial_tail_is_scipy_s_for_whole_counts():
    for right, n in ((0, 5), (3, 5), (204, 220), (5, 5)):
        assert_allclose(tail_at_most(right, n, 0.98), binom.cdf(right, n, 0.98), rtol=1e-9)


def test_the_interval_holds_the_value_in_its_middle():
    low, high = Contrast(0.1, 0.02, 0.01, degrees=10).interval(0.9)
    assert_allclose((low + high) / 2, 0.1)
    assert_allclose(high - 0.1, 0.02 * 1.812461, rtol=1e-5)


def test_shared_clusters_weigh_as_fewer_cases():
    from dataclasses import replace

    cells = Cells.from_counts([4096], [0.0, 1.0], n_cases=4, successes=[[2, 2]])
    cluster = np.array([0, 0, 1, 1, 2, 2, 3, 3])
    right = np.array([1, 1, 0, 0, 1, 1, 0, 0])
    cases = CaseIndex(cell=np.repeat([0, 1], 4), numerator=right, cluster=cluster)
    alone = Counted.of(cells.grid)
    shared = Counted.of(replace(cells.grid, cases=cases))
    assert_allclose(shared.n, alone.n / 2)
    assert_allclose(shared.accuracy, alone.accuracy)
