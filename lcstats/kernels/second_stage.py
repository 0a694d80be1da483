"""The second stage of many pilots: step by step the trials that raise P(hit) most for the money."""

import numpy as np
from numpy.typing import NDArray

from lcstats.kernels.jit import njit

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


@njit
def choose_numbers(
    right: Integers,
    worth: Floats,
    falls: Floats,
    costs: Floats,
    left: float,
    doubt: float,
    places: Integers,
) -> None:
    """Buy trials for every pilot until no purchase helps or is paid for.

    Parameters
    ----------
    right : ndarray of int64, shape (n_pilots, n_lengths)
        Successes of each length; what is known of a length is looked up by them.
    worth : ndarray of float64, shape (2, n_pilot + 1, n_numbers)
        P(truly above the bar and seen to pass), P(truly below and seen to fail).
    falls : ndarray of float64, shape (n_pilot + 1,)
        P(truly below the bar).
    costs : ndarray of float64, shape (n_lengths, n_numbers)
        Ascending along the numbers.
    left : float
        Money.
    doubt : float
        Weight of truths that may rise again above the bar, in [0, 1]; the others fall once.
    places : ndarray of int64, shape (n_pilots, n_lengths)
        Bought so far, as places among the numbers; written.
    """
    n_lengths, n_numbers = costs.shape
    passing, failing = worth[0], worth[1]
    after = np.empty((2, n_lengths + 1))
    below = np.empty(n_lengths + 1)
    for pilot in range(right.shape[0]):
        known, bought = right[pilot], places[pilot]
        money = left
        below[n_lengths] = 1.0
        once = 1.0
        for i in range(n_lengths - 1, -1, -1):
            below[i] = below[i + 1] * falls[known[i]]
            once = below[i] + (1.0 - falls[known[i]]) * once
        trust = (1.0 - doubt) / max(once, 1e-300)
        while True:
            after[:, n_lengths] = 1.0
            for i in range(n_lengths - 1, -1, -1):
                u, v = passing[known[i], bought[i]], failing[known[i], bought[i]]
                after[0, i] = v + u * after[0, i + 1]
                after[1, i] = v * below[i + 1] + u * after[1, i + 1]
            best, length, place = 0.0, -1, -1
            before = 1.0
            for i in range(n_lengths):
                k, j = known[i], bought[i]
                by_pass = before * (doubt * after[0, i + 1] + trust * after[1, i + 1])
                by_fail = before * (doubt + trust * below[i + 1])
                for n in range(j + 1, n_numbers):
                    cost = costs[i, n] - costs[i, j]
                    if cost > money:
                        break
                    rise = by_pass * (passing[k, n] - passing[k, j])
                    rise += by_fail * (failing[k, n] - failing[k, j])
                    if rise > best * cost:
                        best, length, place = rise / cost, i, n
                before *= passing[k, j]
            if length < 0:
                break
            money -= costs[length, place] - costs[length, bought[length]]
            bought[length] = place
