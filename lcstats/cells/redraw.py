"""Cases drawn again: clusters whole, within the parts of a design that are drawn apart."""

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from lcstats.cells.grid import CaseIndex

BLOCK_SIZE = 2_000_000
"""Weights that are held at a time, one per draw and cluster."""


def split_strata(cases: CaseIndex, n_depths: int) -> list[NDArray[np.int64]]:
    """Split cases into the parts that are drawn apart: cells, lengths, or nothing finer.

    The finest split that cuts no cluster.

    Parameters
    ----------
    cases : CaseIndex
    n_depths : int
        Of the grid that the cases are of.

    Returns
    -------
    list of ndarray of int64
        Positions of the cases of each part.

    Examples
    --------
    >>> cell, numerator = np.array([0, 0, 1, 1, 2]), np.ones(5, dtype=np.int64)
    >>> of_lengths = CaseIndex(cell, numerator, cluster=np.array([0, 1, 0, 1, 2]))
    >>> [part.tolist() for part in split_strata(of_lengths, n_depths=2)]
    [[0, 1, 2, 3], [4]]
    """
    for part in (cases.cell, cases.cell // n_depths):
        pairs = np.unique(np.stack([cases.cluster, part]), axis=1)
        if pairs.shape[1] == np.unique(cases.cluster).size:
            order = np.argsort(part, kind="stable")
            return np.split(order, np.flatnonzero(np.diff(part[order])) + 1)
    return [np.arange(cases.cell.size)]


def redraw_clusters(
    cell: NDArray[np.int64],
    cluster: NDArray[np.int64],
    values: NDArray[np.int64],
    *,
    n_cells: int,
    n_draws: int,
    rng: np.random.Generator,
) -> NDArray[np.int64]:
    """Draw as many clusters as there are, with replacement, and add their cases up by cell.

    Parameters
    ----------
    cell, cluster : ndarray of int64, shape (n_cases,)
    values : ndarray of int64, shape (n_columns, n_cases)
        What is added up: one column per language model, and ones to count cases, say. All columns
        are of the same draws.
    n_cells, n_draws : int
    rng : Generator

    Returns
    -------
    ndarray of int64, shape (n_columns, n_draws, n_cells)

    Examples
    --------
    >>> same = np.arange(4)
    >>> drawn = redraw_clusters(
    ...     same // 2, same, np.ones((1, 4), dtype=np.int64), n_cells=2, n_draws=3,
    ...     rng=np.random.default_rng(1),
    ... )  # fmt: skip
    >>> drawn.shape, drawn.sum(axis=-1).tolist()
    ((1, 3, 2), [[4, 4, 4]])
    """
    _, code = np.unique(cluster, return_inverse=True)
    n_clusters, n_columns = int(code.max()) + 1, len(values)
    places = (cell + n_cells * np.arange(n_columns)[:, None]).ravel()
    totals = csr_array(
        (values.ravel(), (np.tile(code, n_columns), places)),
        shape=(n_clusters, n_columns * n_cells),
    )
    drawn = np.empty((n_draws, n_columns * n_cells), dtype=np.int64)
    step = max(1, BLOCK_SIZE // n_clusters)
    for first in range(0, n_draws, step):
        block = drawn[first : first + step]
        chosen = rng.integers(n_clusters, size=(len(block), n_clusters))
        chosen += n_clusters * np.arange(len(block))[:, None]
        weights = np.bincount(chosen.ravel(), minlength=len(block) * n_clusters)
        block[:] = np.asarray(weights.reshape(len(block), n_clusters) @ totals)
    return np.moveaxis(drawn.reshape(n_draws, n_columns, n_cells), 1, 0)
