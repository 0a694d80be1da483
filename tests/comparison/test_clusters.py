"""Graded scores and clusters: effective counts and exchanges of signs, against brute force."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lcstats.comparison.clusters import effective_counts, flip_signs
from lcstats.power import mcnemar_p_value


def flip_by_hand(difference, cluster):
    """Go through every assignment of signs to clusters."""
    sums = np.array([difference[cluster == code].sum() for code in np.unique(cluster)])
    totals = np.array([np.dot(signs, sums) for signs in product((1, -1), repeat=sums.size)])
    seen = abs(sums.sum())
    beyond, same = (totals > seen).mean(), (totals == seen).mean()
    return min(2 * (beyond + same), 1.0), 2 * beyond + same


@given(
    st.lists(st.tuples(st.integers(-12, 12), st.integers(0, 7)), min_size=1, max_size=30),
)
def test_the_exchange_of_signs_is_the_permutation_test(rows):
    difference, cluster = (np.array(part) for part in zip(*rows, strict=True))
    found = flip_signs(difference, cluster)
    assert (found.exact, found.mid) == pytest.approx(flip_by_hand(difference, cluster), abs=1e-12)


@pytest.mark.parametrize(("old_only", "new_only"), [(10, 2), (0, 0), (3, 3), (0, 9), (140, 90)])
def test_for_single_outcomes_it_is_mcnemars_test(old_only, new_only):
    difference = np.array([-1] * old_only + [1] * new_only + [0] * 20)
    found = flip_signs(difference, np.arange(difference.size))
    for value, test in ((found.exact, "exact"), (found.mid, "mid-p")):
        expected = mcnemar_p_value(old_only, new_only, test=test).item()
        assert value == pytest.approx(expected, rel=1e-9)


def test_a_lattice_too_fine_is_rounded_and_close():
    rng = np.random.default_rng(5)
    coarse = rng.integers(-60, 80, 40)
    fine = coarse * 10**6 + rng.integers(-3, 4, 40)
    rough = flip_signs(coarse, np.arange(40)).exact
    assert flip_signs(fine, np.arange(40)).exact == pytest.approx(rough, abs=5e-3)


def test_more_clusters_than_the_lattice_has_steps_still_show_a_difference():
    rng = np.random.default_rng(4)
    difference = np.where(rng.random(80_000) < 0.495, 1, -1)
    old_only, new_only = int((difference < 0).sum()), int((difference > 0).sum())
    expected = mcnemar_p_value(old_only, new_only, test="mid-p").item()
    found = flip_signs(difference, np.arange(difference.size))
    assert expected < 0.05
    assert found.mid == pytest.approx(expected, rel=1e-3)


def test_many_graded_scores_are_not_blurred_by_rounding():
    rng = np.random.default_rng(11)
    difference = np.rint(rng.normal(1.0, 200.0, 40_000)).astype(np.int64)
    totals = [abs(rng.choice([-1, 1], difference.size) @ difference) for _ in range(1_000)]
    share = np.mean(np.array(totals) >= abs(difference.sum()))
    found = flip_signs(difference, np.arange(difference.size))
    assert found.exact == pytest.approx(share, abs=4 * np.sqrt(share * (1 - share) / 1_000))


def test_a_cluster_that_outweighs_a_fine_lattice_is_counted_and_not_taken_for_normal():
    difference = np.array([10**9, *([3] * 50)])
    assert flip_signs(difference, np.arange(51)).exact == pytest.approx(1.0, abs=0.01)


def test_the_smallest_p_value_is_that_of_one_assignment():
    assert flip_signs(np.full(60, 7), np.arange(60)).exact == pytest.approx(2.0**-59)


def test_independent_outcomes_lose_one_case_to_the_estimated_variance():
    difference = np.array([-1.0] * 10 + [1.0] * 2 + [0.0] * 88)
    found = effective_counts(difference, np.arange(100))
    assert found.n_pairs == pytest.approx(99)
    assert (found.old_only, found.new_only) == pytest.approx((9.9, 1.98))
    assert found.freedom == 99


def test_copies_in_a_cluster_count_once():
    single = np.array([-1.0, 0.0, 0.0, 1.0, -1.0, 0.0])
    alone = effective_counts(single, np.arange(6))
    copied = effective_counts(np.repeat(single, 4), np.repeat(np.arange(6), 4))
    assert copied.n_pairs == pytest.approx(alone.n_pairs)
    assert copied.freedom == alone.freedom == 5


def test_clusters_never_gain_over_single_cases():
    balanced = np.tile([1.0, -1.0], 10)
    clustered = effective_counts(balanced, np.repeat(np.arange(10), 2))
    assert clustered.n_pairs == pytest.approx(effective_counts(balanced, np.arange(20)).n_pairs)


def test_where_nothing_varies_a_cluster_is_one_case():
    found = effective_counts(np.zeros(40), np.repeat(np.arange(8), 5))
    assert (found.n_pairs, found.old_only, found.new_only) == (8.0, 0.0, 0.0)


def test_graded_scores_say_more_than_outcomes_of_the_same_mean():
    rng = np.random.default_rng(2)
    found = effective_counts(rng.normal(0.1, 0.05, 50), np.arange(50))
    assert found.n_pairs > 50
