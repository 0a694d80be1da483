"""What clusters do to averages: residuals of cases, and how much their sums vary together."""

from typing import cast

import numpy as np
from numpy.typing import NDArray

from lcstats.cells.grid import CaseIndex, CellGrid


def peer_accuracy(grid: CellGrid) -> NDArray[np.float64]:
    """Return, for every cell, the pooled accuracy of its task at its length.

    What a cell with a single case or cluster is measured against: it does not vary about itself,
    which would look like certainty. Shape (n_lengths, n_depths); NaN where a task has no cases.
    """
    codes = grid.member_codes
    is_of = (codes[:, None] == np.unique(codes)).astype(np.int64)
    right, n_cases = ((part @ is_of) @ is_of.T for part in (grid.successes, grid.n_cases))
    empty = np.full(n_cases.shape, np.nan)
    return np.asarray(np.divide(right, n_cases, out=empty, where=n_cases > 0))


def case_residuals(grid: CellGrid) -> NDArray[np.float64]:
    """Return by how much every case is above its cell's mean, shape (n_cases,).

    Where a cell holds a single cluster, above the mean of its task at its length.

    Parameters
    ----------
    grid : CellGrid
        With cases.
    """
    cases = cast("CaseIndex", grid.cases)
    pairs = np.unique(np.stack([cases.cell, cases.cluster]), axis=1)
    n_clusters = np.bincount(pairs[0], minlength=grid.n_cases.size).reshape(grid.n_cases.shape)
    center = np.where(n_clusters > 1, grid.accuracy, peer_accuracy(grid)).ravel()
    return np.asarray(cases.numerator / grid.unit - center[cases.cell])


def variance_inflation(
    values: NDArray[np.float64],
    clusters: NDArray[np.int64],
    strata: NDArray[np.int64],
    n_strata: int,
) -> NDArray[np.float64]:
    """Return how many times more a stratum's sum varies than if no two cases shared a cluster.

    The sum over clusters of squared sums, over the sum of squares; at least 1, and 1 where nothing
    varies. Shape (n_strata,).

    Parameters
    ----------
    values : ndarray of float64, shape (n_cases,)
        With expectation 0.
    clusters, strata : ndarray of int64, shape (n_cases,)
    n_strata : int

    Examples
    --------
    >>> values, one = np.array([0.5, 0.5, -0.5, -0.5]), np.zeros(4, dtype=int)
    >>> variance_inflation(values, np.array([0, 0, 1, 1]), one, 1).tolist()
    [2.0]
    """
    pairs, code = np.unique(np.stack([strata, clusters]), axis=1, return_inverse=True)
    together = np.bincount(code.ravel(), values)
    clustered = np.bincount(pairs[0], together**2, minlength=n_strata)
    alone = np.bincount(strata, values**2, minlength=n_strata)
    ratio = np.divide(clustered, alone, out=np.ones(n_strata), where=alone > 0)
    return np.maximum(ratio, 1.0)


def design_effect(grid: CellGrid) -> float:
    """Return one design effect for a whole grid, at least 1: cases over independent cases.

    The larger of two, of sums over all cases: clusters cut at lengths, as where a haystack serves
    the depths of one length, and whole, as where a question is asked at every length.

    Parameters
    ----------
    grid : CellGrid
        1 without clusters.
    """
    if grid.cases is None or not grid.is_clustered:
        return 1.0
    residuals, everywhere = case_residuals(grid), np.zeros(grid.cases.cell.size, dtype=np.int64)
    by_length = grid.cases.cell // grid.depths.size * (int(grid.cases.cluster.max()) + 1)
    cuts = (grid.cases.cluster, by_length + grid.cases.cluster)
    return max(float(variance_inflation(residuals, cut, everywhere, 1)[0]) for cut in cuts)
