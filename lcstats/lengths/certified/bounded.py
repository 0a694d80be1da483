"""The certified set for graded scores, and for cases that share clusters.

What is counted are units, independent of one another and worth 0 to 1: cases, or, where cases
share clusters, the mean of a cluster's cases in the cells looked at. Their mean is bounded, for
single cells and for rectangles of adjacent depths, by what is known of sums of such units.
"""

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from lcstats.cells import CellGrid
from lcstats.lengths.certified.bounds import Bounds, certification_floor, highest_kept
from lcstats.lengths.certified.rectangles import joined, stretches_of
from lcstats.lengths.certified.tails import upper_tails
from lcstats.lengths.observed import leading

HEIGHT = 2


def certified_bounded(grid: CellGrid, tau: Fraction, *, level: float) -> Bounds:
    """Return the certified set for worst depth, from means of independent units.

    Parameters
    ----------
    grid : CellGrid
        Scores in [0, 1]; clusters are independent of one another and may span depths and
        lengths. Cells may differ in their numbers of cases. A length that lacks a depth is never
        accepted.
    tau : Fraction
        The bar.
    level : float
        Probability with which the set holds the truth, at least.

    Notes
    -----
    Of independent units in [0, 1] none of whose expectations is below tau, P(a sum as low as
    this) is bounded by :func:`.tails.upper_tails` of their failures. A length's p-value is the
    smallest such bound over the rectangles of adjacent depths, of its own or with the length
    before, over their shares of the level: all widths w have 1/w, and all places of a width the
    same. The lower end counts leading lengths whose cells all have a bound of at most aL.
    """
    error, rate = 1 - level, float(tau)
    rows = range(grid.lengths.size)
    high = [_high_bounds(grid, row, rate) for row in rows]
    lower_error = error / 2 if _can_certify(grid, rate, error / 2) else 0.0
    accepted = [bool(np.all(bounds <= lower_error)) for bounds in high]
    p_values = _p_values(grid, rate)
    return Bounds(
        lower=leading(np.array(accepted)),
        upper=highest_kept(p_values, error - lower_error),
        floor=certification_floor(tau, error / 2),
        diagnostics={
            "construction": "bounds of rectangles of independent units, Bonferroni",
            "floor_counts": "perfect cases per cell",
            "lower_error": lower_error,
            "upper_error": error - lower_error,
        },
        p_values=p_values,
    )


def _high_bounds(grid: CellGrid, row: int, tau: float) -> NDArray[np.float64]:
    """P(a cell at the bar does this well) at most, shape (n_depths,); 1 where it has no cases."""
    return stretches_of(grid, row, row, range(1, 2))[0].high_bounds(tau)


def _can_certify(grid: CellGrid, tau: float, error: float) -> bool:
    """Tell whether the first length would be accepted if all of its cases were right."""
    n = stretches_of(grid, 0, 0, range(1, 2))[0].numbers
    return bool(np.all(upper_tails(n, n, tau, is_binary=False) <= error))


def _p_values(grid: CellGrid, tau: float) -> NDArray[np.float64]:
    """Return the smallest bound of every length's rectangles over their shares of the level."""
    widths = range(1, grid.depths.size + 1)
    found, factors, rows = [], [], []
    for row in range(grid.lengths.size):
        heights = min(HEIGHT, row + 1)
        total = heights * sum(1.0 / width for width in widths)
        for height in range(1, heights + 1):
            of_rows = stretches_of(grid, row - height + 1, row, widths)
            for width, stretches in zip(widths, of_rows, strict=True):
                found.append(stretches)
                factors.append(np.full(stretches.sums.size, width * total * stretches.sums.size))
                rows.append(np.full(stretches.sums.size, row))
    p_values = np.ones(grid.lengths.size)
    bounds = joined(found).low_bounds(tau) * np.concatenate(factors)
    np.minimum.at(p_values, np.concatenate(rows), bounds)
    return p_values
