"""Whether drawn counts of a length reach a bar: comparisons of whole numbers."""

import numpy as np
from numpy.typing import NDArray

from lcstats.kernels.jit import njit

Counts = NDArray[np.int16]
Flags = NDArray[np.bool_]


@njit
def drop_by_sums(
    counts: Counts, weights: NDArray[np.float64], least: NDArray[np.float64], passes: Flags
) -> None:
    """Clear `passes` where a weighted sum of counts is too small.

    Parameters
    ----------
    counts : ndarray of int16, shape (n_depths, n_simulations)
    weights : ndarray of float64, shape (n_sums, n_depths)
        Whole numbers whose sums stay below 2**53 are added without rounding.
    least : ndarray of float64, shape (n_sums,)
        What every sum has to reach.
    passes : ndarray of bool, shape (n_simulations,)
    """
    total = np.empty(passes.size)
    for j in range(weights.shape[0]):
        total[:] = 0.0
        for d in range(counts.shape[0]):
            weight = weights[j, d]
            if weight != 0.0:
                for i in range(total.size):
                    total[i] += weight * counts[d, i]
        for i in range(total.size):
            passes[i] &= total[i] >= least[j]


@njit
def drop_by_failures(
    counts: Counts, needed: NDArray[np.int64], n_allowed: int, passes: Flags
) -> None:
    """Clear `passes` where more cells than allowed have fewer successes than they need.

    Parameters
    ----------
    counts : ndarray of int16, shape (n_depths, n_simulations)
    needed : ndarray of int64, shape (n_depths,)
    n_allowed : int
    passes : ndarray of bool, shape (n_simulations,)
    """
    failures = np.zeros(passes.size, dtype=np.int16)
    for d in range(counts.shape[0]):
        need = np.int16(needed[d])
        for i in range(failures.size):
            failures[i] += counts[d, i] < need
    for i in range(failures.size):
        passes[i] &= failures[i] <= n_allowed
