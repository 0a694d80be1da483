"""Independent units in rectangles of adjacent depths, of one length or several."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np
from numpy.typing import NDArray

from lcstats.cells import CaseIndex, CellGrid
from lcstats.lengths.certified.tails import upper_tails


@dataclass(frozen=True, slots=True, eq=False)
class Stretches:
    """Sums of independent units in all stretches of so many adjacent depths.

    Attributes
    ----------
    sums, numbers : ndarray of float64, shape (n_places,)
        Of the units in a stretch, by its first depth.
    is_binary : ndarray of bool, shape (n_places,)
        Every unit of the stretch is a case worth 0 or 1.
    """

    sums: NDArray[np.float64]
    numbers: NDArray[np.float64]
    is_binary: NDArray[np.bool_]

    def low_bounds(self, tau: float) -> NDArray[np.float64]:
        """Bound P(as low as this) where no unit has an expectation below `tau`."""
        return self._tails(self.numbers - self.sums, 1.0 - tau)

    def high_bounds(self, tau: float) -> NDArray[np.float64]:
        """Bound P(as high as this) where no unit has an expectation above `tau`."""
        return self._tails(self.sums, tau)

    def _tails(self, sums: NDArray[np.float64], rate: float) -> NDArray[np.float64]:
        bounds = np.ones(sums.size)
        for is_binary in (True, False):
            chosen = (self.is_binary == is_binary) & (self.numbers > 0)
            bounds[chosen] = upper_tails(
                sums[chosen], self.numbers[chosen], rate, is_binary=is_binary
            )
        return bounds


def joined(parts: Sequence[Stretches]) -> Stretches:
    """Put stretches one after another, so that equal ones are bounded at once."""
    return Stretches(
        np.concatenate([part.sums for part in parts]),
        np.concatenate([part.numbers for part in parts]),
        np.concatenate([part.is_binary for part in parts]),
    )


def stretches_of(grid: CellGrid, first: int, last: int, widths: range) -> list[Stretches]:
    """Count the units of every stretch over the lengths from `first` to `last`, by width.

    A unit is a case or, where cases share clusters, the mean of a cluster's cases in the stretch.

    Parameters
    ----------
    grid : CellGrid
    first, last : int
        Numbers of lengths.
    widths : range
    """
    is_clustered = grid.is_clustered
    if is_clustered:
        scores, counts = _by_cluster(grid, first, last)
    else:
        rows = slice(first, last + 1)
        scores, counts = (
            part[rows].sum(axis=0, keepdims=True).astype(np.float64)
            for part in (grid.successes, grid.n_cases)
        )
    running = [_running_sum(part) for part in (scores, counts)]
    are_whole = not grid.has_fractions
    parts = ([sums[:, width:] - sums[:, :-width] for sums in running] for width in widths)
    if is_clustered:
        return [_of_clusters(score, count, are_whole) for score, count in parts]
    return [
        Stretches(score[0], count[0], np.full(count.shape[1], are_whole)) for score, count in parts
    ]


def _by_cluster(
    grid: CellGrid, first: int, last: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Scores and cases of every cluster, shape (n_clusters, n_depths)."""
    cases, n_depths = cast("CaseIndex", grid.cases), grid.depths.size
    row, depth = np.divmod(cases.cell, n_depths)
    inside = (row >= first) & (row <= last)
    _, code = np.unique(cases.cluster[inside], return_inverse=True)
    flat = code * n_depths + depth[inside]
    size = (int(code.max(initial=-1)) + 1) * n_depths
    scores = np.bincount(flat, cases.numerator[inside] / grid.unit, minlength=size).astype(
        np.float64
    )
    counts = np.bincount(flat, minlength=size).astype(np.float64)
    return scores.reshape(-1, n_depths), counts.reshape(-1, n_depths)


def _of_clusters(
    score: NDArray[np.float64], count: NDArray[np.float64], are_whole: bool
) -> Stretches:
    """Take the mean of every cluster, in stretches by columns; shape (n_clusters, n_places)."""
    means = np.divide(score, count, out=np.zeros_like(score), where=count > 0)
    is_binary = (count <= 1).all(axis=0) & are_whole
    numbers = (count > 0).sum(axis=0).astype(np.float64)
    return Stretches(means.sum(axis=0), numbers, np.asarray(is_binary))


def _running_sum(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Add up along the depths, from 0."""
    sums = np.zeros((values.shape[0], values.shape[1] + 1))
    np.cumsum(values, axis=1, out=sums[:, 1:])
    return sums
