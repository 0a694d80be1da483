"""Pairs that are no independent 0/1 outcomes: graded scores, and cases that share something."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

FINEST_SUM = 2**15
"""Steps of the lattice of sign flips; a finer one is rounded to it, or left for the normal law."""

LARGEST_PART = 1e-3
"""Part of a cluster in the variance of the total, up to which finer totals are taken for normal."""


@dataclass(frozen=True, slots=True)
class EffectiveCounts:
    """The independent 0/1 pairs that would say as much, and their degrees of freedom.

    Attributes
    ----------
    old_only, new_only, n_pairs : float
        Effective counts of pairs on which only the one, or only the other, is right, and of all.
    freedom : int or None
        Degrees of freedom of the variance that was estimated; None where none was.
    """

    old_only: float
    new_only: float
    n_pairs: float
    freedom: int | None


def effective_counts(difference: FloatArray, cluster: IntArray) -> EffectiveCounts:
    """Return the independent 0/1 pairs whose mean difference varies as much as that of these.

    Parameters
    ----------
    difference : ndarray of float64, shape (n_pairs,)
        New minus old, in [-1, 1].
    cluster : ndarray of int64, shape (n_pairs,)
        Equal codes vary together.

    Notes
    -----
    Counts are divided by the design effect, the cluster-robust variance of the mean difference over
    that of as many independent outcomes -1, 0 and 1 (Rao and Scott 1992, Biometrics 48:577; for
    matched pairs Yang, Sun and Hardin 2012, Pharmaceutical Statistics 11:386). Scores that are
    graded have a design effect below 1; clusters never gain over cases taken alone. Where nothing
    varies, every cluster is taken for a single case, which is the worst that is possible.

    Examples
    --------
    >>> difference = np.array([-1.0, -1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0])
    >>> effective_counts(difference, np.arange(8)).n_pairs
    7.0
    >>> round(effective_counts(difference, np.array([0, 0, 1, 1, 2, 2, 3, 3])).n_pairs, 2)
    3.63
    """
    n = difference.size
    number, sizes = np.unique(cluster, return_inverse=True, return_counts=True)[1:]
    residual = difference - difference.mean()
    robust = max(
        _variance_of_sum(np.bincount(number, residual).astype(np.float64)),
        _variance_of_sum(residual),
    )
    gains, losses = np.maximum(difference, 0.0).sum(), np.maximum(-difference, 0.0).sum()
    simple = gains + losses - n * difference.mean() ** 2
    effect = robust / simple if min(robust, simple) > 0.0 else float(sizes @ sizes) / n
    return EffectiveCounts(
        float(losses / effect), float(gains / effect), float(n / effect), sizes.size - 1
    )


def _variance_of_sum(values: FloatArray) -> float:
    """Return the variance of a sum of independent values with mean 0."""
    return float(values @ values) * values.size / max(values.size - 1, 1)


@dataclass(frozen=True, slots=True)
class FlipPValues:
    """Two-sided p-values of the hypothesis that the two sides may be exchanged.

    Attributes
    ----------
    exact, mid : float
        Twice the tail with the whole, and with half, the probability of what was seen itself; at
        most 1.
    """

    exact: float
    mid: float


def flip_signs(difference: IntArray, cluster: IntArray) -> FlipPValues:
    """Test a mean difference by exchanging the two sides, a whole cluster at a time.

    Parameters
    ----------
    difference : ndarray of int64, shape (n_pairs,)
        New minus old, in steps of a lattice.
    cluster : ndarray of int64, shape (n_pairs,)

    Notes
    -----
    If the language models are alike, every cluster's sum of differences is as likely with the other
    sign. The distribution of the total over all 2^G signs is exact: it is the inverse Fourier
    transform of the product of ``cos(t a_g)``. Where the lattice is too fine for that, the total is
    taken for normal if no cluster has more than a thousandth of its variance; else the sums are
    rounded, alike for both signs, so that the test keeps its level. For independent 0/1 pairs it is
    McNemar's test.

    Examples
    --------
    >>> flip_signs(np.array([-1] * 10 + [1] * 2), np.arange(12))
    FlipPValues(exact=0.0385..., mid=0.0224...)
    """
    sums = np.zeros(int(np.unique(cluster).size), dtype=np.int64)
    np.add.at(sums, np.unique(cluster, return_inverse=True)[1], difference)
    steps = _in_least_steps(sums[sums != 0])
    if steps.size == 0:
        return FlipPValues(1.0, 1.0)
    if int(np.abs(steps).sum()) <= FINEST_SUM:
        return _count_flips(steps)
    squares = np.square(steps.astype(np.float64))
    if squares.max() > LARGEST_PART * squares.sum():
        return _count_flips(_on_coarse_lattice(steps))
    p_value = float(2.0 * ndtr(-abs(int(steps.sum())) / np.sqrt(squares.sum())))
    return FlipPValues(p_value, p_value)


def _in_least_steps(sums: IntArray) -> IntArray:
    """Divide by the common divisor."""
    return sums // max(int(np.gcd.reduce(sums)), 1) if sums.size else sums


def _on_coarse_lattice(steps: IntArray) -> IntArray:
    """Round to a lattice on which all steps together are about as many as can be counted."""
    scale = FINEST_SUM / float(np.abs(steps).sum())
    return np.asarray(np.rint(steps * scale), dtype=np.int64)


def _count_flips(steps: IntArray) -> FlipPValues:
    """Return the p-values by the exact law of the total."""
    total, reach = abs(int(steps.sum())), int(np.abs(steps).sum())
    law = _law_of_flips(np.abs(steps), reach)
    beyond, same = law[reach + total + 1 :].sum(), law[reach + total]
    rarest = 2.0 ** (1 - min(steps.size, 1000))
    exact = float(np.clip(2.0 * (beyond + same), rarest, 1.0))
    return FlipPValues(exact, float(np.clip(2.0 * beyond + same, rarest / 2.0, 1.0)))


def _law_of_flips(steps: IntArray, reach: int) -> FloatArray:
    """Return the probabilities of totals -reach..reach, shape (2 * reach + 1,)."""
    n_points = 2 * reach + 1
    frequency = np.arange(reach + 1) * (2.0 * np.pi / n_points)
    transform = np.ones(reach + 1)
    for step, times in zip(*np.unique(steps, return_counts=True), strict=True):
        transform *= np.cos(frequency * step) ** times
    law = np.fft.irfft(transform, n_points)
    return np.maximum(np.roll(law, reach), 0.0)
