"""A simple certified set for worst depth and quantiles, from the tails of single cells."""

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from lcstats.cells import CellGrid
from lcstats.lengths.binomial import at_least, at_most
from lcstats.lengths.certified.bounds import Bounds, certification_floor
from lcstats.lengths.certified.rectangles import stretches_of
from lcstats.lengths.criterion import Treatment
from lcstats.lengths.observed import leading


def certified_cells(grid: CellGrid, tau: Fraction, treatment: Treatment, *, level: float) -> Bounds:
    """Return a simple proved set for worst depth or a quantile of the depths.

    Wide and honest. With r the rank of the cell that counts (1 for worst depth), a length is
    below the bar exactly if at least r of its cells are. Lower end: leading lengths of which
    all but r - 1 cells have P(Bin(n, tau) >= k) <= error / (2 r); a bad length is accepted only
    if one of r bad cells is. Upper end: the largest j such that no length up to j has r cells
    with P(Bin(n, tau) <= k) <= error / (2 N_j), N_j the number of cells up to there (Bonferroni).
    Cells need not be independent of one another. Cases that share clusters within a cell count as
    one unit, their mean; graded scores have the bounds of :mod:`.tails`.
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
            "construction": "tails of single cells, Bonferroni",
            "floor_counts": "perfect cases per cell",
            "lower_error": outside,
            "upper_error": outside,
        },
    )


def _cell_tails(grid: CellGrid, tau: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Bound P(a cell at tau does at least, at most, this well); shape (n_lengths, n_depths)."""
    if not (grid.has_fractions or grid.is_clustered):
        n, k = grid.n_cases, grid.successes
        return at_least(k, n, tau), at_most(k, n, tau)
    cells = [stretches_of(grid, row, row, range(1, 2))[0] for row in range(grid.lengths.size)]
    return (
        np.array([of_row.high_bounds(tau) for of_row in cells]),
        np.array([of_row.low_bounds(tau) for of_row in cells]),
    )
