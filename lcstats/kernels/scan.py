"""Sums of likelihood ratios over all rectangles of a row and the one above it."""

import numpy as np
from numpy.typing import NDArray

from lcstats.kernels.jit import njit


@njit
def rectangle_sizes(n: NDArray[np.int64]) -> NDArray[np.int64]:
    """Cases in every rectangle, shape (n_rows, n_depths, n_depths): height - 1, width - 1, start.

    A rectangle of height h takes the last h rows; places past the last start hold 0.
    """
    n_rows, n_depths = n.shape
    sizes = np.zeros((n_rows, n_depths, n_depths), dtype=np.int64)
    column = np.zeros(n_depths, dtype=np.int64)
    for h in range(n_rows):
        column += n[n_rows - 1 - h]
        for w in range(n_depths):
            for start in range(n_depths - w):
                sizes[h, w, start] = column[start : start + w + 1].sum()
    return sizes


@njit
def ratio_tables(
    sizes: NDArray[np.int64],
    log_right: NDArray[np.float64],
    log_wrong: NDArray[np.float64],
    largest: float,
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Likelihood ratios of every rectangle by its successes, one table after the other.

    Rectangles of equal width and size share a table. The ratio at x of N is the sum over the
    alternatives of exp(x log_right + (N - x) log_wrong), over the width and the number of places;
    logarithms beyond `largest` are cut.

    Returns
    -------
    values : ndarray of float64
    first : ndarray of int64, shape of `sizes`
        Where a rectangle's table begins.
    """
    n_rows, n_depths, _ = sizes.shape
    known = np.full((n_depths, sizes.max() + 1), -1)
    first = np.zeros(sizes.shape, dtype=np.int64)
    total = 0
    for h in range(n_rows):
        for w in range(n_depths):
            for start in range(n_depths - w):
                size = sizes[h, w, start]
                if known[w, size] < 0:
                    known[w, size] = total
                    total += size + 1
                first[h, w, start] = known[w, size]
    values = np.empty(total)
    for w in range(n_depths):
        share = 1.0 / ((w + 1) * (n_depths - w))
        for size in range(known.shape[1]):
            if known[w, size] >= 0:
                for x in range(size + 1):
                    ratio = 0.0
                    for a in range(log_right.size):
                        ratio += np.exp(min(x * log_right[a] + (size - x) * log_wrong[a], largest))
                    values[known[w, size] + x] = share * ratio
    return values, first


@njit
def scan_rectangles(
    k: NDArray[np.int64], values: NDArray[np.float64], first: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Sum of the likelihood ratios of all rectangles of every table.

    Parameters
    ----------
    k : ndarray of int64, shape (n_tables, n_rows, n_depths)
        Successes; rectangles end in the last row.
    values, first : ndarray
        As :func:`ratio_tables` returns them.

    Returns
    -------
    ndarray of float64, shape (n_tables,)
    """
    n_tables, n_rows, n_depths = k.shape
    sums = np.zeros(n_tables)
    column = np.empty(n_depths, dtype=np.int64)
    before = np.zeros(n_depths + 1, dtype=np.int64)
    for table in range(n_tables):
        column[:] = 0
        for h in range(n_rows):
            for d in range(n_depths):
                column[d] += k[table, n_rows - 1 - h, d]
                before[d + 1] = before[d] + column[d]
            for w in range(n_depths):
                for start in range(n_depths - w):
                    x = before[start + w + 1] - before[start]
                    sums[table] += values[first[h, w, start] + x]
    return sums


@njit
def subset_means(ratios: NDArray[np.float64]) -> NDArray[np.float64]:
    """Mean over all subsets of each size of the products of their ratios.

    They are elementary symmetric polynomials over their numbers of terms, built up so that
    nothing overflows before the ratios themselves do.

    Parameters
    ----------
    ratios : ndarray of float64, shape (n_tables, n_cells)

    Returns
    -------
    ndarray of float64, shape (n_tables, n_cells)
        Column w - 1 is for subsets of w cells.
    """
    n_tables, n_cells = ratios.shape
    means = np.zeros((n_tables, n_cells + 1))
    for table in range(n_tables):
        mean = means[table]
        mean[0] = 1.0
        for added in range(n_cells):
            for w in range(added + 1, 0, -1):
                share = w / (added + 1.0)
                mean[w] = (1.0 - share) * mean[w] + share * ratios[table, added] * mean[w - 1]
    return means[:, 1:]
