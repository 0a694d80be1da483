"""Intervals of an accuracy, apart from what needs more of scipy: figures draw many."""

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import betaincinv, ndtri


def wilson_interval(
    accuracy: ArrayLike, n_cases: ArrayLike, level: float = 0.95
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the ends of Wilson's interval, inside [0, 1] and around the accuracy.

    Parameters
    ----------
    accuracy, n_cases : array-like of float
        Broadcast together; an effective number of cases need not be whole.
    level : float

    Examples
    --------
    >>> lower, upper = wilson_interval([0.85, 1.0], 20)
    >>> lower.round(3).tolist(), upper.round(3).tolist()
    ([0.64, 0.839], [0.948, 1.0])
    """
    share, n = np.asarray(accuracy, np.float64), np.asarray(n_cases, np.float64)
    center, half = center_and_half_width(share, n, level)
    lower, upper = center - half, center + half
    return np.clip(np.minimum(lower, share), 0, 1), np.clip(np.maximum(upper, share), 0, 1)


def exact_interval(right: float, n_cases: float, level: float = 0.95) -> tuple[float, float]:
    """Return the ends of Clopper and Pearson's interval (1934, Biometrika 26:404).

    Parameters
    ----------
    right, n_cases : float
        Need not be whole.
    level : float

    Examples
    --------
    >>> [round(end, 3) for end in exact_interval(3, 3)]
    [0.292, 1.0]
    """
    wrong, outside = n_cases - right, (1.0 - level) / 2.0
    lower = float(betaincinv(right, wrong + 1.0, outside)) if right > 0.0 else 0.0
    upper = float(betaincinv(right + 1.0, wrong, 1.0 - outside)) if wrong > 0.0 else 1.0
    return lower, upper


def center_and_half_width(
    share: NDArray[np.float64], n: NDArray[np.float64], level: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the center of Wilson's interval and half its width (Wilson 1927, JASA 22:209)."""
    square = two_sided_quantile(level) ** 2 / n
    center = (share + square / 2.0) / (1.0 + square)
    half = np.sqrt(square * (share * (1.0 - share) + square / 4.0)) / (1.0 + square)
    return center, half


def two_sided_quantile(level: float) -> float:
    """Return the normal quantile that leaves half of 1 - level on each side.

    Examples
    --------
    >>> round(two_sided_quantile(0.95), 3)
    1.96
    """
    return float(ndtri((1.0 + level) / 2.0))
