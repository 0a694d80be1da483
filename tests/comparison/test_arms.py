"""Unpaired counts: the stratified score test against statsmodels and brute force."""

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from scipy.special import xlogy
from statsmodels.stats.proportion import score_test_proportions_2indep

from lcstats.cells import Cells
from lcstats.comparison.arms import arms_of, evidence_of_arms, restricted_share


def arms(right_old, n_old, right_new, n_new, *, lengths=(4096,)):
    sides = [
        Cells.from_counts(
            lengths,
            [0.5],
            n_cases=np.reshape(n, (-1, 1)),
            successes=np.reshape(right, (-1, 1)),
            model=name,
        ).grid
        for right, n, name in ((right_old, n_old, "old"), (right_new, n_new, "new"))
    ]
    return arms_of(*sides)


TABLES = [(70, 100, 62, 100), (20, 20, 15, 30), (0, 40, 3, 25), (9, 10, 8, 10)]


@pytest.mark.parametrize(
    ("table", "ends"), [((48, 80, 56, 70), (0.0528, 0.3382)), ((3, 10, 9, 10), (0.1700, 0.8406))]
)
def test_published_intervals_come_out(table, ends):
    # Newcombe 1998, Statistics in Medicine 17:873, Table II, method 6.
    assert evidence_of_arms(arms(*table)).bounds(0.975) == pytest.approx(ends, abs=1e-4)


@pytest.mark.parametrize("table", TABLES)
def test_one_cell_gives_the_score_test(table):
    right_old, n_old, right_new, n_new = table
    expected = score_test_proportions_2indep(right_new, n_new, right_old, n_old, compare="diff")
    assert evidence_of_arms(arms(*table)).counts.p_value == pytest.approx(expected.pvalue, rel=1e-6)


@pytest.mark.parametrize("difference", [-0.5, -0.1, 0.0, 0.2])
@pytest.mark.parametrize("table", TABLES)
def test_the_restricted_share_is_the_likeliest(table, difference):
    right_old, n_old, right_new, n_new = (np.array([float(part)]) for part in table)

    def loss(share):
        other = min(max(share + difference, 0.0), 1.0)
        return -float(
            xlogy(right_old, share)[0]
            + xlogy(n_old - right_old, 1 - share)[0]
            + xlogy(right_new, other)[0]
            + xlogy(n_new - right_new, 1 - other)[0]
        )

    bounds = max(0.0, -difference), min(1.0, 1.0 - difference)
    brute = minimize_scalar(loss, bounds=bounds, method="bounded", options={"xatol": 1e-12})
    found = restricted_share(n_old, n_new, right_old, right_new, difference).item()
    assert loss(found) <= brute.fun + 1e-7


def test_equal_cells_are_pooled():
    one = evidence_of_arms(arms(60, 100, 50, 100)).counts
    two = evidence_of_arms(arms([40, 20], [50, 50], [35, 15], [50, 50], lengths=(4096, 8192)))
    assert two.counts.difference == pytest.approx(one.difference)


def test_a_difference_of_designs_is_no_difference():
    easy, hard = 90, 10
    same = arms([90, 10], [100, 100], [easy * 2, hard // 2], [200, 50], lengths=(4096, 8192))
    counts = evidence_of_arms(same).counts
    assert counts.difference == pytest.approx(0.0)
    assert counts.p_value == pytest.approx(1.0)


def test_cells_of_one_side_are_left_out_and_counted():
    old = Cells.from_counts([4096, 8192], [0.5], n_cases=20, successes=[[20], [10]]).grid
    new = Cells.from_counts([4096], [0.5], n_cases=20, successes=[[19]]).grid
    found = arms_of(old, new)
    assert found.length.tolist() == [4096]
    assert (found.n_unmatched_old, found.n_unmatched_new) == (20, 0)


def test_the_margin_test_agrees_with_its_bounds():
    evidence = evidence_of_arms(arms(70, 100, 62, 100))
    for margin in (0.0, 0.05, 0.18, 0.2):
        test = evidence.test_margin(margin, 0.95)
        assert (test.excluded_p <= 0.05) == (test.lower >= -margin)
        assert test.loss_p + test.excluded_p == pytest.approx(1.0)
