"""Tails of the binomial distribution, vectorised and without the cost of a frozen distribution."""

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import betainc


def at_least(k: ArrayLike, n: ArrayLike, rate: ArrayLike) -> NDArray[np.float64]:
    """P(Bin(n, rate) >= k), broadcast over whole numbers `k` and `n` (DLMF 8.17.5).

    Examples
    --------
    >>> at_least([0, 20, 21], 20, 0.85).round(4).tolist()
    [1.0, 0.0388, 0.0]
    """
    k, n, rate = np.broadcast_arrays(
        np.asarray(k, np.float64), np.asarray(n, np.float64), np.asarray(rate, np.float64)
    )
    possible = (k >= 1) & (k <= n)
    tail = betainc(np.where(possible, k, 1.0), np.where(possible, n - k + 1.0, 1.0), rate)
    return np.where(possible, tail, (k < 1).astype(np.float64))


def at_most(k: ArrayLike, n: ArrayLike, rate: ArrayLike) -> NDArray[np.float64]:
    """P(Bin(n, rate) <= k), broadcast over whole numbers `k` and `n`.

    Examples
    --------
    >>> at_most([-1, 10, 20], 20, 0.85).round(4).tolist()
    [0.0, 0.0002, 1.0]
    """
    failures = np.asarray(n, np.float64) - np.asarray(k, np.float64)
    return at_least(failures, n, 1.0 - np.asarray(rate, np.float64))
