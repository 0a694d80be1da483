"""Certified sets for a depth mean or a pooled accuracy: binomial tails by Hoeffding (1956)."""

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import lru_cache, partial
from math import ceil, floor

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaincinv

from lcstats.cells import CellGrid
from lcstats.lengths.binomial import at_least, at_most
from lcstats.lengths.certified.bounds import (
    Bounds,
    Candidate,
    Levels,
    best_levels,
    certification_floor,
    highest_kept,
    worst_union,
)
from lcstats.lengths.observed import leading

N_BOUNDS = 6
"""How many acceptance bounds, from the smallest that is valid, are tried."""


def certified_mean(grid: CellGrid, tau: Fraction, *, level: float) -> Bounds:
    """Return the certified set for a depth mean of balanced lengths, or a pooled accuracy.

    Parameters
    ----------
    grid : CellGrid
        0/1 cases, independent; for a depth mean every length has equal cells.
    tau : Fraction
        The bar.
    level : float
        Probability with which the set holds the truth, at least.

    Notes
    -----
    A length's successes are a sum of N independent 0/1 cases with mean N A. Hoeffding (1956):
    P(K >= c) <= P(Bin(N, A) >= c) for c >= N A + 1, and P(K <= c) <= P(Bin(N, A) <= c) for
    c <= N A - 1.
    """
    n = grid.n_cases.sum(axis=1)
    k = grid.numerators.sum(axis=1) // grid.unit
    levels = mean_levels(tuple(n.tolist()), tau, 1 - level)
    return Bounds(
        lower=leading(k >= np.array(levels.least)),
        upper=highest_kept(low_tails(k, n, tau), levels.upper),
        floor=certification_floor(tau, 1 - level),
        diagnostics={
            "construction": "binomial tails by Hoeffding's inequality",
            "floor_counts": "perfect cases per length",
            "lower_error": levels.lower,
            "upper_error": levels.upper,
        },
    )


def low_tails(k: NDArray[np.int64], n: NDArray[np.int64], tau: Fraction) -> NDArray[np.float64]:
    """P(Bin(n, tau) <= k) where Hoeffding's inequality holds, else 1."""
    return np.where(k <= n * float(tau) - 1, at_most(k, n, float(tau)), 1.0)


@lru_cache(maxsize=4096)
def mean_levels(n: tuple[int, ...], tau: Fraction, error: float) -> Levels:
    """Split `error` between the two ends of a set for lengths of `n` cases."""
    return best_levels(error, _candidates(n, tau, error))


def _candidates(n: tuple[int, ...], tau: Fraction, error: float) -> Iterator[Candidate]:
    for extra in range(N_BOUNDS):
        least = tuple(least_accepted(size, tau, error) + extra for size in n)
        lower = float(at_least(least, n, float(tau)).max())
        yield least, lower, partial(_second_bucket, least, n, tau)


def sum_candidates(
    sizes: Sequence[int],
    tau: Fraction,
    error: float,
    n_bounds: int,
    second_bucket: Callable[[tuple[int, ...], float, float], float],
) -> Iterator[Candidate]:
    """Yield ways to accept lengths by sums of `sizes` cases, from the smallest valid bounds on.

    Parameters
    ----------
    sizes : sequence of int
        Cases of the sum that is asked of every length.
    tau : Fraction
    error : float
    n_bounds : int
        How many bounds are tried.
    second_bucket : callable
        g, from the bounds of the leading lengths that can be accepted, delta and aU.
    """
    for extra in range(n_bounds):
        least = tuple(least_accepted(size, tau, error) + extra for size in sizes)
        n_leading = leading(np.array(least) <= np.array(sizes))
        tails = at_least(least, sizes, float(tau))[:n_leading]
        yield least, float(tails.max(initial=0.0)), partial(second_bucket, least[:n_leading])


@lru_cache(maxsize=65536)
def least_accepted(n: int, tau: Fraction, error: float) -> int:
    """Smallest c with P(Bin(n, tau) >= c) <= error for which Hoeffding's inequality holds."""
    least = ceil(n * tau + 1)
    return _first(lambda c: bool(at_least(c, n, float(tau)) <= error), min(least, n + 1), n + 1)


def _first(holds: Callable[[int], bool], low: int, high: int) -> int:
    """Smallest whole number from `low` at which a condition holds from there on; `high` if none."""
    while low < high:
        middle = (low + high) // 2
        if holds(middle):
            high = middle
        else:
            low = middle + 1
    return low


def _second_bucket(
    least: tuple[int, ...], n: tuple[int, ...], tau: Fraction, delta: float, upper: float
) -> float:
    """Largest probability of rejecting H_theta when every good length is accepted at rate delta."""
    sizes, bounds = np.array(n), np.array(least)
    acceptable = leading(bounds <= sizes)
    sizes, bounds = sizes[:acceptable], bounds[:acceptable]
    rates = accepted_rates(bounds, sizes, delta)

    def rejected(row: int, limit: float) -> float:
        return rejection_bound(int(sizes[row]), float(rates[row]), float(tau), limit)

    return worst_union(sizes.size, upper, rejected)


def accepted_rates(
    least: NDArray[np.int64], n: NDArray[np.int64], delta: float
) -> NDArray[np.float64]:
    """Return accuracies that sums of `n` cases must have to reach `least` at rate `delta`.

    P(K >= c) >= delta implies A >= the solution of P(Bin(n, A) >= c) = delta, as far as
    Hoeffding's inequality goes: c >= n A + 1. Beyond, it implies that end.
    """
    rates = betaincinv(least, n - least + 1.0, delta)
    return np.asarray(np.minimum(rates, (least - 1) / n))


@lru_cache(maxsize=65536)
def rejection_bound(n: int, rate: float, tau: float, limit: float) -> float:
    """Bound P(P(Bin(n, tau) <= K) <= limit) for a sum K of n cases that average `rate` or more."""
    most = most_rejected(n, tau, limit)
    return float(at_most(most, n, rate)) if most <= n * rate - 1 else np.inf


@lru_cache(maxsize=65536)
def most_rejected(n: int, tau: float, limit: float) -> int:
    """Largest number of successes at which one length is rejected; -1 if none."""
    most = floor(n * tau - 1)
    if most < 0:
        return -1
    return _first(lambda c: bool(at_most(c, n, tau) > limit), 0, most + 1) - 1
