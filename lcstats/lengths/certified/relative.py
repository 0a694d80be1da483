"""The certified set where the bar is a share of a base that was measured itself."""

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaincinv

from lcstats.cells import CellGrid
from lcstats.lengths.certified.bounds import Bounds, certification_floor, highest_kept
from lcstats.lengths.certified.means import least_accepted, low_tails
from lcstats.lengths.criterion import Criterion
from lcstats.lengths.observed import base_rows, leading

BASE_SHARE = 0.2
"""Of the error, for the interval of the base; the two ends of the set have the rest."""


def certified_relative(grid: CellGrid, criterion: Criterion, *, level: float) -> Bounds:
    """Return the certified set for a mean or pooled accuracy with a relative threshold.

    Parameters
    ----------
    grid : CellGrid
        Independent 0/1 cases, which at each length all weigh the same.
    criterion : Criterion
        With the relative rule.
    level : float
        Probability with which the set holds the truth, at least.

    Notes
    -----
    The base lies in a Clopper-Pearson interval, at a fifth of the error. The lower end is that of
    the highest bar in it, the upper end that of the lowest. Both ends fall when the bar rises, as
    their levels do not depend on it; so if the base is in its interval they are no tighter than
    with the true bar. Everything adds up, so the base may be one of the lengths. A length that
    is the whole base always passes.
    """
    n = grid.n_cases.sum(axis=1)
    k = grid.numerators.sum(axis=1) // grid.unit
    base = np.array(base_rows(grid.lengths, criterion))
    error = 1 - level
    low, high = _base_interval(k[base], n[base], BASE_SHARE * error)
    share = criterion.exact_threshold
    hardest, easiest = share * Fraction(high), share * Fraction(low)
    each = (1 - BASE_SHARE) * error / 2
    is_base = (np.arange(n.size) == base[0]) & (base.size == 1)
    least = np.array([least_accepted(int(size), hardest, each) for size in n])
    return Bounds(
        lower=leading((k >= least) | is_base),
        upper=highest_kept(np.where(is_base, 1.0, low_tails(k, n, easiest)), each),
        floor=certification_floor(hardest, each),
        diagnostics={
            "construction": "binomial tails over an interval of the base",
            "floor_counts": "perfect cases per length",
            "base_lower": low,
            "base_upper": high,
            "lower_error": each,
            "upper_error": each,
        },
    )


def _base_interval(k: NDArray[np.int64], n: NDArray[np.int64], error: float) -> tuple[float, float]:
    """Return ends that hold the mean of the base lengths' accuracies but for `error`.

    Lengths of equal numbers of cases are one sum; others have an interval each.
    """
    if np.unique(n).size == 1:
        k, n = k.sum(keepdims=True), n.sum(keepdims=True)
    outside = error / (2 * n.size)
    high = 1.0 - _lower_ends(n - k, n, outside)
    return float(_lower_ends(k, n, outside).mean()), float(high.mean())


def _lower_ends(k: NDArray[np.int64], n: NDArray[np.int64], outside: float) -> NDArray[np.float64]:
    """Return accuracies below which k or more successes of n are rarer than `outside`.

    They are no higher than (k - 1)/n, up to where Hoeffding's inequality holds.
    """
    ends = betaincinv(np.maximum(k, 1), n - k + 1.0, outside)
    return np.where(k > 0, np.minimum(ends, np.maximum(k - 1, 0) / n), 0.0)
