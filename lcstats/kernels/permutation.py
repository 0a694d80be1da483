"""Permutations within strata: how pairs in a row go together when rows are put together by chance.

A kernel sees values and strata; it does not know of needles.
"""

import numpy as np
from numpy.typing import NDArray

from lcstats.kernels.jit import njit

Floats = NDArray[np.float64]
Whole = NDArray[np.int64]


@njit
def fill_pair_sums(
    values: Floats,
    places: Whole,
    starts: Whole,
    rng: np.random.Generator,
    all_pairs: Floats,
    neighbours: Floats,
) -> None:
    """Write the pair sums of tables whose values were shuffled within their strata.

    Parameters
    ----------
    values : ndarray of float64, shape (n_rows, n_columns)
    places : ndarray of int64, shape (n_rows * n_columns,)
        Flat positions in `values`, those of a stratum one after the other.
    starts : ndarray of int64, shape (n_strata + 1,)
        Where each stratum begins in `places`.
    rng : numpy.random.Generator
        Advanced.
    all_pairs, neighbours : ndarray of float64, shape (n_permutations,)
        Written: the sums over rows of products of all pairs, and of adjacent columns.
    """
    shuffled = values.copy()
    flat = shuffled.ravel()
    for permutation in range(all_pairs.size):
        for stratum in range(starts.size - 1):
            first, last = starts[stratum], starts[stratum + 1]
            for i in range(last - 1, first, -1):
                j = first + int(rng.random() * (i - first + 1))
                here, there = places[i], places[j]
                flat[here], flat[there] = flat[there], flat[here]
        all_pairs[permutation], neighbours[permutation] = pair_sums(shuffled)


@njit
def pair_sums(values: Floats) -> tuple[float, float]:
    """Return the sums over rows of products of all pairs of columns, and of adjacent ones."""
    every, adjacent = 0.0, 0.0
    for row in range(values.shape[0]):
        total, squares = 0.0, 0.0
        for column in range(values.shape[1]):
            x = values[row, column]
            total += x
            squares += x * x
            if column:
                adjacent += x * values[row, column - 1]
        every += (total * total - squares) / 2.0
    return every, adjacent
