"""Cholesky factors and triangular solves of symmetric matrices, on one thread.

A linear algebra library cuts its sums where its number of threads puts the cuts, so that the last
bits of its results depend on the machine's load; these sums are always taken in one order.
Matrices are held as their upper triangle by rows: every inner loop then runs along a row.
"""

import numpy as np
from numpy.typing import NDArray

from lcstats.kernels.jit import njit_fused

Floats = NDArray[np.float64]

PANEL = 16
"""Rows that are factored before the rest of the matrix is updated for all of them at once."""
TILE = 128
"""Columns updated at a time: a panel's tile stays in the processor's first cache."""


@njit_fused
def factor_in_place(matrix: Floats) -> bool:
    """Turn the upper triangle of a symmetric matrix into U with matrix = U' U.

    Parameters
    ----------
    matrix : ndarray of float64, shape (n, n)
        Below the diagonal nothing is read or written.

    Returns
    -------
    bool
        False if a pivot is not positive: the matrix is then half done.

    Notes
    -----
    Right-looking by panels (Golub and Van Loan, Matrix Computations, 4th ed., section 4.2.6).
    """
    n = matrix.shape[0]
    for first in range(0, n, PANEL):
        last = min(first + PANEL, n)
        for k in range(first, last):
            pivot = matrix[k, k]
            if not pivot > 0.0:
                return False
            scale = 1.0 / np.sqrt(pivot)
            for j in range(k, n):
                matrix[k, j] *= scale
            for i in range(k + 1, last):
                c = matrix[k, i]
                for j in range(i, n):
                    matrix[i, j] -= c * matrix[k, j]
        subtract_panel(matrix, first, last)
    return True


@njit_fused
def subtract_panel(matrix: Floats, first: int, last: int) -> None:
    """Subtract the products of rows `first` to `last` from every later row."""
    n = matrix.shape[0]
    for tile in range(last, n, TILE):
        stop = min(tile + TILE, n)
        i = last
        while i + 1 < stop:
            start = max(i, tile)
            upper, lower = matrix[i], matrix[i + 1]
            k = first
            while k + 3 < last:
                a, b, c, d = matrix[k], matrix[k + 1], matrix[k + 2], matrix[k + 3]
                a0, b0, c0, d0 = a[i], b[i], c[i], d[i]
                a1, b1, c1, d1 = a[i + 1], b[i + 1], c[i + 1], d[i + 1]
                for j in range(start, stop):
                    upper[j] = upper[j] - a0 * a[j] - b0 * b[j] - c0 * c[j] - d0 * d[j]
                    lower[j] = lower[j] - a1 * a[j] - b1 * b[j] - c1 * c[j] - d1 * d[j]
                k += 4
            while k < last:
                a = matrix[k]
                a0, a1 = a[i], a[i + 1]
                for j in range(start, stop):
                    upper[j] -= a0 * a[j]
                    lower[j] -= a1 * a[j]
                k += 1
            i += 2
        if i < stop:
            for k in range(first, last):
                a0 = matrix[k, i]
                for j in range(max(i, tile), stop):
                    matrix[i, j] -= a0 * matrix[k, j]


@njit_fused
def solve_in_place(factor: Floats, columns: Floats) -> None:
    """Turn right-hand sides into solutions X of U' U X = B.

    Parameters
    ----------
    factor : ndarray of float64, shape (n, n)
        U, as :func:`factor_in_place` leaves it.
    columns : ndarray of float64, shape (n, n_columns)
        B on entry, X on return; every column is treated alike, whatever its neighbours.
    """
    n, n_columns = columns.shape
    for k in range(n):
        scale = 1.0 / factor[k, k]
        for w in range(n_columns):
            columns[k, w] *= scale
        for i in range(k + 1, n):
            c = factor[k, i]
            for w in range(n_columns):
                columns[i, w] -= c * columns[k, w]
    for back in range(n):
        k = n - 1 - back
        for i in range(k + 1, n):
            c = factor[k, i]
            for w in range(n_columns):
                columns[k, w] -= c * columns[i, w]
        scale = 1.0 / factor[k, k]
        for w in range(n_columns):
            columns[k, w] *= scale


@njit_fused
def solve_one_in_place(factor: Floats, vector: Floats) -> None:
    """Turn one right-hand side, shape (n,), into the solution x of U' U x = b."""
    n = vector.size
    for k in range(n):
        vector[k] /= factor[k, k]
        c = vector[k]
        for i in range(k + 1, n):
            vector[i] -= c * factor[k, i]
    for back in range(n):
        k = n - 1 - back
        value = vector[k]
        for i in range(k + 1, n):
            value -= factor[k, i] * vector[i]
        vector[k] = value / factor[k, k]


@njit_fused
def multiply(symmetric: Floats, vector: Floats, product: Floats) -> None:
    """Write the product of a whole symmetric matrix, shape (n, n), and a vector, shape (n,)."""
    n = vector.size
    product[:] = 0.0
    for i in range(n):
        c = vector[i]
        for j in range(n):
            product[j] += c * symmetric[i, j]


@njit_fused
def multiply_columns(left: Floats, columns: Floats) -> Floats:
    """Return left @ columns, shapes (n, m) and (m, n_columns)."""
    product = np.zeros((left.shape[0], columns.shape[1]))
    for i in range(left.shape[0]):
        for k in range(left.shape[1]):
            c = left[i, k]
            for w in range(columns.shape[1]):
                product[i, w] += c * columns[k, w]
    return product
