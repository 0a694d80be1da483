"""Permutations within strata: by full enumeration on tables small enough for it."""

from itertools import permutations, product

import numpy as np
import pytest
from numpy.testing import assert_allclose

from lcstats.kernels.permutation import fill_pair_sums, pair_sums

VALUES = np.array([[0.6, 0.5, -0.2], [0.6, -0.5, -0.2], [-1.2, 0.0, 0.4]])


def test_pair_sums_are_those_of_loops():
    pairs = sum(row[i] * row[j] for row in VALUES for i in range(3) for j in range(i))
    neighbours = sum(row[i] * row[i + 1] for row in VALUES for i in range(2))
    assert_allclose(pair_sums(VALUES), (pairs, neighbours))


@pytest.fixture(scope="module")
def enumerated():
    """Pair sums of all tables that shuffling each column can make."""
    orders = list(permutations(range(3)))
    return np.array(
        [
            pair_sums(np.stack([VALUES[list(order), j] for j, order in enumerate(chosen)], axis=1))
            for chosen in product(orders, repeat=3)
        ]
    )


def test_drawn_tables_are_those_of_the_enumeration_equally_often(enumerated):
    code = np.tile(np.arange(3), 3)
    places = np.argsort(code, kind="stable")
    drawn = np.empty((2, 60_000))
    rng = np.random.default_rng(1)
    fill_pair_sums(VALUES, places, np.array([0, 3, 6, 9]), rng, drawn[0], drawn[1])
    for which in range(2):
        values, expected = np.unique(enumerated[:, which].round(9), return_counts=True)
        seen, counts = np.unique(drawn[which].round(9), return_counts=True)
        assert_allclose(seen, values)
        assert_allclose(counts / counts.sum(), expected / expected.sum(), atol=0.01)


def test_values_stay_in_their_strata():
    """Two strata that never meet: sums of each row's single value do not change."""
    values = np.array([[1.0], [2.0], [3.0]])
    drawn = np.empty((2, 5))
    places, starts = np.arange(3), np.array([0, 1, 2, 3])
    fill_pair_sums(values, places, starts, np.random.default_rng(1), drawn[0], drawn[1])
    assert not drawn.any()
