"""Tails of sums of independent scores in [0, 1]: what is known of them is their mean.

Three bounds, each for any scores: the binomial tail where they are 0 or 1 (Hoeffding 1956), the
Chernoff bound (Hoeffding 1963), and the convex bound, sharper where tails are not far out.
docs/explanation/certified.md derives them.
"""

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy.special import logit, rel_entr

from lcstats.lengths.binomial import at_least

FloatArray = NDArray[np.float64]

FACTORS = np.geomspace(0.1, 10.0, 25)
"""Of the exponent that is best for equal weights; every exponent gives a bound."""

N_BISECTIONS = 36
LARGEST_LOGIT = 30.0
TIE = 1e-12


def upper_tails(x: FloatArray, n: FloatArray, rate: float, *, is_binary: bool) -> FloatArray:
    """Bound P(a sum of n independent scores is x or more), whose mean is `rate` or less.

    Parameters
    ----------
    x, n : ndarray of float64, shape (n_sums,)
        Sums, and whole numbers of scores in them.
    rate : float
    is_binary : bool
        The scores are 0 or 1, so that Hoeffding's (1956) inequality for binomial tails holds.

    Returns
    -------
    ndarray of float64, shape (n_sums,)
        1 where the sum is not above its mean.

    Examples
    --------
    >>> x, n = np.array([19.0, 20.0]), np.array([20.0, 20.0])
    >>> upper_tails(x, n, 0.85, is_binary=True).round(3).tolist()
    [0.176, 0.039]
    >>> upper_tails(x, n, 0.85, is_binary=False).round(3).tolist()
    [0.214, 0.039]
    """
    if is_binary:
        right = np.rint(x)
        return np.where(right >= n * rate + 1 - TIE, at_least(right, n, rate), 1.0)
    bounds: FloatArray = np.ones(x.shape)
    for size in np.unique(n):
        above = (n == size) & (x > n * rate + TIE)
        bounds[above] = _graded_tails(x[above], int(size), rate)
    return bounds


def _graded_tails(x: FloatArray, n: int, rate: float) -> FloatArray:
    mean = np.minimum(x / n, 1.0)
    chernoff = np.exp(-n * (rel_entr(mean, rate) + rel_entr(1 - mean, 1 - rate)))
    return np.asarray(np.minimum(chernoff, convex_tails(x, n, rate)))


def convex_tails(x: FloatArray, n: int, rate: float) -> FloatArray:
    """Bound P(S >= x) for every S that a binomial dominates in the convex order.

    ``min over t < x of E max(B - t, 0) / (x - t)``, B binomial; it is at most e times a binomial
    tail (Bentkus 2004, Annals of Probability 32, 1650-1673).

    Parameters
    ----------
    x : ndarray of float64, shape (n_sums,)
    n : int
    rate : float
        Of B.

    Examples
    --------
    >>> convex_tails(np.array([20.0, 19.5, 17.0]), 20, 0.85).round(4).tolist()
    [0.0388, 0.0775, 1.0]
    """
    room = x[:, None] - np.arange(n)
    ratios = np.divide(_excess(n, rate), room, out=np.full(room.shape, np.inf), where=room > 0)
    return np.asarray(ratios.min(axis=1, initial=1.0))


@lru_cache(maxsize=4096)
def _excess(n: int, rate: float) -> FloatArray:
    """E max(B - t, 0) for t = 0 to n - 1: the sum of P(B >= j) over j above t."""
    tails = at_least(np.arange(n, 0, -1), n, rate)
    return np.asarray(np.cumsum(tails)[::-1])


def weighted_tail(x: float, weights: FloatArray, numbers: FloatArray, mean: float) -> float:
    """Bound P(a weighted sum of independent scores is x or more), whose expectation is `mean`.

    Parameters
    ----------
    x : float
    weights, numbers : ndarray of float64, shape (n_kinds,)
        Of the scores of every kind; all weights together are 1.
    mean : float
        At most; how it is spread over the scores is unknown.

    Notes
    -----
    For every s > 0, P(sum >= x) <= exp(-s x) prod(1 + v (exp(s w) - 1)): a score of mean v has at
    most the moments of a 0/1 one. The logarithm is concave in the means v, whose weighted sum is
    `mean`; so for every multiplier m its largest value is at most ``m mean + sum of the largest
    log(1 + v (exp(s w) - 1)) - m w v``, which is at v = 1/(m w) - 1/(exp(s w) - 1). The smallest
    bound over a grid of s is taken, with the m that spreads the mean.
    """
    if x <= mean + TIE:
        return 1.0
    if mean <= 0.0:
        return 0.0
    worth = 1.0 / float(numbers @ weights**2)
    gap = min(float(logit(min(x, 1.0 - TIE)) - logit(mean)), LARGEST_LOGIT)
    exponents = (worth * gap * FACTORS)[:, None] * weights
    log_gain = exponents + np.log(-np.expm1(-exponents))
    multiplier = _multipliers(log_gain, weights, numbers, mean)
    v = _means(multiplier, log_gain, weights)
    with np.errstate(divide="ignore"):
        logs = np.logaddexp(np.log1p(-v), np.log(v) + exponents)
    spread = (logs - multiplier * weights * v) @ numbers + multiplier[:, 0] * mean
    return float(min(1.0, np.exp((spread - worth * gap * FACTORS * x).min())))


def _multipliers(
    log_gain: FloatArray, weights: FloatArray, numbers: FloatArray, mean: float
) -> FloatArray:
    """Find, for every exponent, the multiplier at which the means add up; shape (n, 1)."""
    at_one = -np.log(weights) - np.logaddexp(0.0, -log_gain)
    low = at_one.min(axis=1, keepdims=True)
    high = (log_gain - np.log(weights)).max(axis=1, keepdims=True)
    for _ in range(N_BISECTIONS):
        middle = 0.5 * (low + high)
        total = _means(np.exp(middle), log_gain, weights) @ (numbers * weights)
        above = (total > mean)[:, None]
        low, high = np.where(above, middle, low), np.where(above, high, middle)
    return np.asarray(np.exp(0.5 * (low + high)))


def _means(multiplier: FloatArray, log_gain: FloatArray, weights: FloatArray) -> FloatArray:
    return np.clip(1.0 / (multiplier * weights) - np.exp(-log_gain), 0.0, 1.0)
