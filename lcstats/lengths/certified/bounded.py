"""The certified set for graded scores, and for cases that share clusters.

What is counted are units, independent of one another and worth 0 to 1: cases, or, where cases
share clusters, the mean of a cluster's cases in the cells looked at. Their mean is bounded by the
Chernoff-Hoeffding inequality, for single cells and for rectangles of adjacent depths.
"""

from collections.abc import Iterator
from fractions import Fraction
from typing import cast

import numpy as np
from numpy.typing import NDArray
from scipy.special import rel_entr

from lcstats.cells import CaseIndex, CellGrid
from lcstats.lengths.certified.bounds import Bounds, certification_floor, highest_kept
from lcstats.lengths.observed import leading

HEIGHT = 2


def certified_bounded(
    grid: CellGrid, tau: Fraction, *, level: float, width: int | None = None
) -> Bounds:
    """Return the certified set for worst depth, or for windows, from means of independent units.

    Parameters
    ----------
    grid : CellGrid
        Scores in [0, 1]; clusters are independent of one another and may span depths and
        lengths. Cells may differ in their numbers of cases.
    tau : Fraction
        The bar.
    level : float
        Probability with which the set holds the truth, at least.
    width : int, optional
        For windows of so many depths: cases are independent then, and equally many in all cells
        of a length.

    Notes
    -----
    Hoeffding (1963), inequality 2.1: the mean x of N independent units in [0, 1], none of whose
    expectations is below tau, is as low as this with probability at most exp(-N KL(x || tau));
    likewise above. A length's p-value is the smallest such bound over the rectangles of adjacent
    depths, of its own or with the length before, over their shares of the level: all widths w
    have 1/w, and all places of a width the same. The lower end counts leading lengths whose cells
    all have a bound of at most aL. For windows, rectangles have their width, and they are what
    has to be accepted.
    """
    units = _Units(grid, tuple(range(1, grid.depths.size + 1)) if width is None else (width,))
    error = 1 - level
    rows = range(grid.lengths.size)
    cell_units = [units.sums(row, row) for row in rows]
    can_certify = float(tau) ** cell_units[0][1][0].min() <= error / 2
    lower_error = error / 2 if can_certify else 0.0
    accepted = [
        bool(np.all(_bound(n[0] - x[0], n[0], 1 - float(tau)) <= lower_error) and np.all(n[0] > 0))
        for x, n in cell_units
    ]
    p_values = np.array([_p_value(units, row, float(tau)) for row in rows])
    return Bounds(
        lower=leading(np.array(accepted)),
        upper=highest_kept(p_values, error - lower_error),
        floor=certification_floor(tau, error / 2),
        diagnostics={
            "construction": "Chernoff-Hoeffding bounds of rectangles, Bonferroni",
            "floor_counts": f"perfect cases per {'cell' if width is None else 'window'}",
            "lower_error": lower_error,
            "upper_error": error - lower_error,
        },
        p_values=p_values,
    )


class _Units:
    """Sums and numbers of the independent units of every stretch of depths.

    Parameters
    ----------
    grid : CellGrid
    widths : tuple of int
        Numbers of adjacent depths that are looked at together.
    """

    def __init__(self, grid: CellGrid, widths: tuple[int, ...]) -> None:
        self.grid = grid
        self.widths = widths
        self.is_clustered = grid.is_clustered

    def sums(
        self, first: int, last: int
    ) -> tuple[list[NDArray[np.float64]], list[NDArray[np.float64]]]:
        """Return, for every width, sums of the units and their numbers, by where it starts."""
        scores, counts = (
            self._of_clusters(first, last) if self.is_clustered else self._of_cells(first, last)
        )
        parts = (self._stretch(scores, counts, width) for width in self.widths)
        worth, number = zip(*parts, strict=True)
        return list(worth), list(number)

    def _of_cells(self, first: int, last: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Scores and cases, of all units in one row."""
        rows = slice(first, last + 1)
        scores = self.grid.successes[rows].sum(axis=0, keepdims=True)
        return scores, self.grid.n_cases[rows].sum(axis=0, keepdims=True).astype(np.float64)

    def _of_clusters(
        self, first: int, last: int
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Scores and cases of every cluster, shape (n_clusters, n_depths)."""
        cases, n_depths = cast("CaseIndex", self.grid.cases), self.grid.depths.size
        row, depth = np.divmod(cases.cell, n_depths)
        inside = (row >= first) & (row <= last)
        _, code = np.unique(cases.cluster[inside], return_inverse=True)
        flat = code * n_depths + depth[inside]
        size = (int(code.max(initial=-1)) + 1) * n_depths
        worth = cases.numerator[inside] / self.grid.unit
        scores = np.bincount(flat, worth, minlength=size).astype(np.float64)
        counts = np.bincount(flat, minlength=size).astype(np.float64)
        return scores.reshape(-1, n_depths), counts.reshape(-1, n_depths)

    def _stretch(
        self, scores: NDArray[np.float64], counts: NDArray[np.float64], width: int
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        score, count = (_sliding_sum(part, width) for part in (scores, counts))
        if not self.is_clustered:
            return score[0], count[0]
        means = np.divide(score, count, out=np.zeros_like(score), where=count > 0)
        return means.sum(axis=0), (count > 0).sum(axis=0).astype(np.float64)


def _sliding_sum(values: NDArray[np.float64], width: int) -> NDArray[np.float64]:
    before = np.cumsum(np.pad(values, ((0, 0), (1, 0))), axis=1)
    return np.asarray(before[:, width:] - before[:, :-width])


def _p_value(units: _Units, row: int, tau: float) -> float:
    heights = min(HEIGHT, row + 1)
    bounds = [
        _smallest_bounds(units, row - height + 1, row, tau) for height in range(1, heights + 1)
    ]
    return min(1.0, *(heights * bound for of_height in bounds for bound in of_height))


def _smallest_bounds(units: _Units, first: int, last: int, tau: float) -> Iterator[float]:
    """Yield the smallest bound of every width, over a rectangle's share of the level."""
    total = sum(1.0 / width for width in units.widths)
    for width, x, n in zip(units.widths, *units.sums(first, last), strict=True):
        yield float(_bound(x, n, tau).min()) * width * total * x.size


def _bound(x: NDArray[np.float64], n: NDArray[np.float64], tau: float) -> NDArray[np.float64]:
    """P(a sum of n units of mean tau is as low as x) at most; 1 where it is not low."""
    mean = np.clip(np.divide(x, n, out=np.ones_like(x), where=n > 0), 0.0, 1.0)
    bound = np.exp(-n * (rel_entr(mean, tau) + rel_entr(1 - mean, 1 - tau)))
    return np.where(mean < tau - 1e-12, bound, 1.0)
