"""Tango's score statistic of a difference between paired outcomes, and its interval."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

FloatArray = NDArray[np.float64]

N_HALVINGS = 60
"""Of an interval no longer than 2, which leaves less than a float can tell from its end."""


def restricted_variance(
    old_only: ArrayLike, new_only: ArrayLike, n_pairs: ArrayLike, difference: ArrayLike
) -> FloatArray:
    """Return n times the variance of a pair's difference, most likely under a given difference.

    Parameters
    ----------
    old_only, new_only : array-like, shape (...)
        Pairs that only the one, or only the other, gets right; they need not be whole.
    n_pairs : array-like, shape (...)
    difference : array-like, shape (...)
        P(new only) minus P(old only), in [-1, 1].

    Notes
    -----
    Under a difference d >= 0 the likelihood is largest at P(old only) = q, the larger root of
    ``2 n q^2 + ((2 n - y + x) d - x - y) q - x d (1 - d) = 0`` with x = `old_only` and y =
    `new_only`; the variance is then ``n (2 q + d (1 - d))`` (Tango 1998, Statistics in Medicine
    17:891). Below 0 the sides are exchanged, so that the two are treated alike to the last bit.
    """
    x, y, n, d = np.broadcast_arrays(*np.atleast_1d(old_only, new_only, n_pairs, difference))
    x, y, d = np.where(d >= 0, x, y), np.where(d >= 0, y, x), np.abs(d)
    linear = (2.0 * n - y + x) * d - x - y
    constant = x * d * (1.0 - d)
    root = np.sqrt(linear**2 + 8.0 * n * constant)
    # Of the two ways to write the root, the one that does not subtract nearly equal numbers.
    with np.errstate(invalid="ignore", divide="ignore"):
        share = np.where(linear > 0, 2.0 * constant / (linear + root), (root - linear) / (4.0 * n))
    return np.asarray(n * (2.0 * share + d * (1.0 - d)))


def score_statistic(
    old_only: ArrayLike, new_only: ArrayLike, n_pairs: ArrayLike, difference: ArrayLike
) -> FloatArray:
    """Return by how many standard errors the observed difference lies above a given one.

    Examples
    --------
    >>> score_statistic(10, 2, 100, 0.0).round(4).item()
    -2.3094
    """
    excess = np.subtract(new_only, old_only) - np.multiply(n_pairs, difference)
    spread = np.sqrt(restricted_variance(old_only, new_only, n_pairs, difference))
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(excess == 0.0, 0.0, excess / spread)


def tango_interval(
    old_only: ArrayLike, new_only: ArrayLike, n_pairs: ArrayLike, quantile: ArrayLike
) -> tuple[FloatArray, FloatArray]:
    """Return the differences that are no more than so many standard errors from the observed one.

    Parameters
    ----------
    old_only, new_only, n_pairs : array-like, shape (...)
        As for :func:`restricted_variance`.
    quantile : array-like, shape (...)
        Standard errors, above 0.

    Returns
    -------
    lower, upper : ndarray of float64, shape (...)
        In [-1, 1], with the observed difference between them. The lower end is the upper one of
        the sides exchanged, and both are found at once.

    Examples
    --------
    >>> lower, upper = tango_interval(10, 2, 100, 1.959964)
    >>> lower.round(4).item(), upper.round(4).item()
    (-0.158, -0.0143)
    """
    x, y, n, z = np.broadcast_arrays(*np.atleast_1d(old_only, new_only, n_pairs, quantile))
    x, y = np.stack([x, y]), np.stack([y, x])
    inside, outside = (y - x) / n, np.ones(x.shape)
    for _ in range(N_HALVINGS):
        middle = (inside + outside) / 2.0
        holds = score_statistic(x, y, n, middle) >= -z
        inside, outside = np.where(holds, middle, inside), np.where(holds, outside, middle)
    upper, mirrored = np.where(y - x == n, 1.0, inside)
    return -mirrored, upper
