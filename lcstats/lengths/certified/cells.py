"""A simple certified set for worst depth and quantiles, from the tails of single cells."""

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray
from scipy.special import rel_entr

from lcstats.cells import CellGrid
from lcstats.lengths.binomial import at_least, at_most
from lcstats.lengths.certified.bounds import Bounds, certification_floor
from lcstats.lengths.criterion import Treatment
from lcstats.lengths.observed import leading


def certified_cells(grid: CellGrid, tau: Fraction, treatment: Treatment, *, level: float) -> Bounds:
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
