"""Sets whose level is guaranteed whatever the accuracies are, for independent cases.

Both ends invert tests. ``H_j`` says that the first j lengths all reach the bar; the upper end is
the largest j that is not rejected, so it falls short of the truth only if the one true
hypothesis is rejected: no multiplicity over lengths. The lower end counts leading lengths that
are accepted, each against "this length is bad"; it overshoots only if the first bad length is
accepted. docs/explanation/certified.md derives every step.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import ceil, floor, log

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaincinv, rel_entr

from lcstats.cells import CellGrid
from lcstats.lengths.binomial import at_least, at_most
from lcstats.lengths.criterion import Treatment
from lcstats.lengths.observed import leading

LAST_ROW_SHARE = 0.8
"""Share of the upper level spent on the last length of H_j; the rest watches earlier ones."""

N_BOUNDS = 6
"""How many acceptance bounds, from the smallest that is valid, are tried."""

ACCEPTANCE_RATES = (0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 1.0)
"""Where the two-bucket argument may split; at 1 it is the plain sum of the two levels."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """Lowest and highest outcome of a set, with what a reader may want to check."""

    lower: int
    upper: int
    floor: int | None
    diagnostics: Mapping[str, float | int | str]


@dataclass(frozen=True, slots=True)
class MeanLevels:
    """How the error budget is split between the two ends for a depth mean.

    Attributes
    ----------
    least : tuple of int, length n_lengths
        Successes from which each length is accepted.
    lower, upper : float
        Levels of the two ends.
    """

    least: tuple[int, ...]
    lower: float
    upper: float


def certification_floor(tau: Fraction, error: float) -> int | None:
    """Smallest number of perfect cases that can show an accuracy of `tau`: tau**n <= error.

    None for a bar of 1, which no number of cases can show.

    Examples
    --------
    >>> [certification_floor(Fraction(t), 0.05) for t in ("0.8", "0.85", "0.9", "0.95", "0.99")]
    [14, 19, 29, 59, 299]
    """
    return ceil(log(error) / log(tau)) if tau < 1 else None


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
    kept = np.flatnonzero(~rejected_hypotheses(k, n, float(tau), levels.upper))
    upper = int(kept.max(initial=-1)) + 1
    return Bounds(
        lower=leading(k >= np.array(levels.least)),
        upper=upper,
        floor=certification_floor(tau, 1 - level),
        diagnostics={
            "construction": "binomial tails by Hoeffding's inequality",
            "floor_counts": "perfect cases per length",
            "lower_error": levels.lower,
            "upper_error": levels.upper,
        },
    )


def certified_order(grid: CellGrid, tau: Fraction, treatment: Treatment, *, level: float) -> Bounds:
    """Return a simple proved set for worst depth or a quantile of the depths.

    Wide and honest. With r the rank of the cell that counts (1 for worst depth), a length is
    below the bar exactly if at least r of its cells are. Lower end: leading lengths of which
    all but r - 1 cells have P(Bin(n, tau) >= k) <= error / (2 r); a bad length is accepted only
    if one of r bad cells is. Upper end: the largest j such that no length up to j has r cells
    with P(Bin(n, tau) <= k) <= error / (2 N_j), N_j the number of cells up to there (Bonferroni).
    Cells need not be independent of one another; cases within a cell do.

    Graded scores use the Chernoff-Hoeffding bound for means of scores in [0, 1].
    """
    outside = (1 - level) / 2
    present = grid.n_cases > 0
    n_depths = present.sum(axis=1)
    rank = np.array([treatment.rank(int(n)) for n in n_depths])
    high, low = _cell_tails(grid, float(tau))
    shown = ((high <= (outside / rank)[:, None]) & present).sum(axis=1)
    missed = [
        ((low[: j + 1] <= outside / n_depths[: j + 1].sum()) & present[: j + 1]).sum(axis=1)
        for j in range(rank.size)
    ]
    kept = [j + 1 for j, count in enumerate(missed) if np.all(count < rank[: j + 1])]
    return Bounds(
        lower=leading(shown >= n_depths - rank + 1),
        upper=max(kept, default=0),
        floor=certification_floor(tau, outside / int(rank.max())),
        diagnostics={
            "construction": "binomial tails of single cells, Bonferroni"
            if not grid.has_fractions
            else "Chernoff-Hoeffding bounds of single cells, Bonferroni",
            "floor_counts": "perfect cases per cell",
            "lower_error": outside,
            "upper_error": outside,
        },
    )


def _cell_tails(grid: CellGrid, tau: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Bound P(a cell at tau does at least, at most, this well); shape (n_lengths, n_depths)."""
    n, k = grid.n_cases, grid.successes
    if not grid.has_fractions:
        return at_least(k, n, tau), at_most(k, n, tau)
    mean = np.divide(k, n, out=np.zeros(k.shape), where=n > 0)
    bound = np.exp(-n * (rel_entr(mean, tau) + rel_entr(1 - mean, 1 - tau)))
    return np.where(mean > tau, bound, 1.0), np.where(mean < tau, bound, 1.0)


def rejected_hypotheses(
    k: NDArray[np.int64], n: NDArray[np.int64], tau: float, error: float
) -> NDArray[np.bool_]:
    """Tell for every j whether "the first j lengths all reach tau" is rejected at level `error`.

    It is where the last of them has too few successes at level .8 error, or an earlier one at
    its equal share of .2 error; a first length alone has the whole level.

    Parameters
    ----------
    k, n : ndarray of int64, shape (n_lengths,)
        Successes and cases of every length.

    Returns
    -------
    ndarray of bool, shape (n_lengths,)
    """
    tails = np.where(k <= n * tau - 1, at_most(k, n, tau), 1.0)
    lowest_before = np.minimum.accumulate(np.append(1.0, tails))[:-1]
    last = np.where(np.arange(n.size) == 0, error, LAST_ROW_SHARE * error)
    earlier = (1 - LAST_ROW_SHARE) * error / np.maximum(np.arange(n.size), 1)
    rejected: NDArray[np.bool_] = (tails <= last) | (lowest_before <= earlier)
    return rejected


def _last_and_earlier(n_lengths: int, error: float) -> NDArray[np.float64]:
    """Level spent on each of the first `n_lengths` lengths; they add up to `error`."""
    if n_lengths == 1:
        return np.array([error])
    earlier = (1 - LAST_ROW_SHARE) * error / (n_lengths - 1)
    return np.append(np.full(n_lengths - 1, earlier), LAST_ROW_SHARE * error)


@lru_cache(maxsize=4096)
def mean_levels(n: tuple[int, ...], tau: Fraction, error: float) -> MeanLevels:
    """Split `error` between the two ends so that their sum is almost spent (two-bucket bound).

    Let x be the probability that all good lengths are accepted. The lower end is wrong with
    probability at most x aL. If x < delta, the total is below delta aL + aU. If not, every good
    length has P(K >= least) >= delta, hence an accuracy of at least A_delta, and H_theta is
    rejected with probability at most g(A_delta). So aU = error - delta aL is safe whenever
    g(A_delta) + aL <= error.
    """
    best = None
    for extra in range(N_BOUNDS):
        least = tuple(_least_accepted(size, tau, error) + extra for size in n)
        lower = float(at_least(least, n, float(tau)).max())
        for delta in ACCEPTANCE_RATES:
            upper = error - delta * lower
            if upper > 0 and _second_bucket(least, n, tau, delta, upper) + lower <= error:
                candidate = MeanLevels(least, lower, upper)
                if best is None or candidate.lower + candidate.upper > best.lower + best.upper:
                    best = candidate
    if best is None:
        return MeanLevels(tuple(size + 1 for size in n), 0.0, error)
    return best


@lru_cache(maxsize=65536)
def _least_accepted(n: int, tau: Fraction, error: float) -> int:
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
    if delta >= 1.0:
        return 0.0
    sizes, bounds = np.array(n), np.array(least)
    acceptable = leading(bounds <= sizes)
    sizes, bounds = sizes[:acceptable], bounds[:acceptable]
    rate = betaincinv(bounds, sizes - bounds + 1.0, delta)
    if np.any(bounds < sizes * rate + 1):
        return np.inf
    return max(
        (
            _rejection_bound(sizes[: j + 1], rate[: j + 1], float(tau), upper)
            for j in range(sizes.size)
        ),
        default=0.0,
    )


def _rejection_bound(
    n: NDArray[np.int64], rate: NDArray[np.float64], tau: float, error: float
) -> float:
    """Union bound on rejecting H_j when each length's accuracy is at least `rate`."""
    limits = _last_and_earlier(n.size, error)
    most = [
        _most_rejected(int(size), tau, float(limit)) for size, limit in zip(n, limits, strict=True)
    ]
    if np.any(most > n * rate - 1):
        return np.inf
    return float(at_most(most, n, rate).sum())


@lru_cache(maxsize=65536)
def _most_rejected(n: int, tau: float, limit: float) -> int:
    """Largest number of successes at which one length is rejected; -1 if none."""
    most = floor(n * tau - 1)
    if most < 0:
        return -1
    return _first(lambda c: bool(at_most(c, n, tau) > limit), 0, most + 1) - 1
