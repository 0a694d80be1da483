"""What every certified set has in common: its ends, its floor, and how its error is spent."""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, log

import numpy as np
from numpy.typing import NDArray

LAST_ROW_SHARE = 0.8
"""Share of the upper level spent on the last length of H_j; the rest watches earlier ones."""

ACCEPTANCE_RATES = (0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.5, 0.7)
"""Where the two-bucket argument may split."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """Lowest and highest outcome of a set, with what a reader may want to check.

    Attributes
    ----------
    lower, upper : int
    floor : int or None
        Smallest number of perfect cases with which anything can be certified.
    diagnostics : mapping
    p_values : ndarray of float64, shape (n_lengths,), or None
        Of "this length is good", each on its own; None where the construction has none.
    """

    lower: int
    upper: int
    floor: int | None
    diagnostics: Mapping[str, float | int | str]
    p_values: NDArray[np.float64] | None = None


@dataclass(frozen=True, slots=True)
class Levels:
    """How the error budget is split between the two ends.

    Attributes
    ----------
    least : tuple of int
        Successes from which something is accepted: a length, a cell or a stretch of cells, as
        the construction has it.
    lower, upper : float
        Levels of the two ends.
    """

    least: tuple[int, ...]
    lower: float
    upper: float


Candidate = tuple[tuple[int, ...], float, Callable[[float, float], float]]


def certification_floor(tau: Fraction, error: float) -> int | None:
    """Smallest number of perfect cases that can show an accuracy of `tau`: tau**n <= error.

    None for a bar of 1, which no number of cases can show.

    Examples
    --------
    >>> [certification_floor(Fraction(t), 0.05) for t in ("0.8", "0.85", "0.9", "0.95", "0.99")]
    [14, 19, 29, 59, 299]
    """
    return ceil(log(error) / log(tau)) if tau < 1 else None


def upper_level(
    error: float, lower: float, second_bucket: Callable[[float, float], float]
) -> float:
    """Return the level left for the upper end beside `lower` (two-bucket bound).

    Let x be the probability that all good lengths are accepted. They are independent of the first
    bad one, so the lower end is wrong with probability at most x aL. If x < delta the total is
    below delta aL + aU. If not, every good length is accepted at a rate of at least delta, hence
    well above the bar, and H_theta is rejected with probability at most g. So
    aU = error - delta aL is safe whenever g + aL <= error; with delta = 1 it always is.

    Parameters
    ----------
    error : float
        One minus the level.
    lower : float
        aL.
    second_bucket : callable
        g, from delta and the level of the upper end; falls as delta rises.
    """
    if lower == 0.0:
        return error
    levels = [max(error - delta * lower, 0.0) for delta in ACCEPTANCE_RATES]

    def is_safe(i: int) -> bool:
        return second_bucket(ACCEPTANCE_RATES[i], levels[i]) + lower <= error

    first = bisect_left(range(len(levels)), True, key=is_safe)
    return levels[first] if first < len(levels) else max(error - lower, 0.0)


def best_levels(error: float, candidates: Iterable[Candidate]) -> Levels:
    """Return the levels that spend most of the two ends together, the first of equals.

    Parameters
    ----------
    error : float
    candidates : iterable of (least, aL, second bucket)
        Acceptance bounds, the level that they give the lower end, and g as for
        :func:`upper_level`. The upper end never has more than `error`, so that g, which may take
        a simulation, is left alone where nothing can be gained.
    """
    best = Levels((), 0.0, 0.0)
    for least, lower, second_bucket in candidates:
        if error + lower > best.lower + best.upper:
            upper = upper_level(error, lower, second_bucket)
            if lower + upper > best.lower + best.upper:
                best = Levels(least, lower, upper)
    return best


def spend(n_lengths: int, error: float) -> NDArray[np.float64]:
    """Level spent on each of the first `n_lengths` lengths; they add up to `error`."""
    if n_lengths == 1:
        return np.array([error])
    earlier = (1 - LAST_ROW_SHARE) * error / (n_lengths - 1)
    return np.append(np.full(n_lengths - 1, earlier), LAST_ROW_SHARE * error)


def worst_union(n_lengths: int, error: float, rejected: Callable[[int, float], float]) -> float:
    """Bound how often "the first j lengths are all good" is rejected, for the worst j.

    Parameters
    ----------
    n_lengths : int
    error : float
        Level of the rejections.
    rejected : callable
        Bound on P(p-value of a length <= limit), from its number and the limit.
    """
    return max(
        (
            sum(rejected(row, limit) for row, limit in enumerate(spend(j, error).tolist()))
            for j in range(1, n_lengths + 1)
        ),
        default=0.0,
    )


def highest_kept(p_values: NDArray[np.float64], error: float) -> int:
    """Return the largest j for which "the first j lengths are all good" is not rejected.

    It is rejected where the last of them has a p-value of at most .8 error, or an earlier one of
    at most its equal share of .2 error; a first length alone has the whole level.

    Parameters
    ----------
    p_values : ndarray of float64, shape (n_lengths,)
        Of "this length is good", each on its own.

    Examples
    --------
    >>> highest_kept(np.array([0.5, 0.001, 0.5]), 0.05), highest_kept(np.array([0.5, 0.02]), 0.05)
    (1, 1)
    """
    kept = 0
    for j in range(1, p_values.size + 1):
        if np.all(p_values[:j] > spend(j, error)):
            kept = j
    return kept
