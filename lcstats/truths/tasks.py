"""The five tasks built from the curve, each a function of a :class:`~lcstats.curve.Curve`."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np
from numpy.typing import ArrayLike

from lcstats.curve import Curve, FloatArray, check_depths, check_lengths
from lcstats.truths.truth import Truth

WORKED_CURVE = Curve(intercept=4.2, length=0.3, middle=1.9, recency=0.6)
"""The method's worked parameters: illustrative, fitted to no language model."""

FOUR_VALUES_OFFSETS = (-0.03, -0.01, 0.01, 0.03)
"""Where four values lie around the asked depth, as fractions of the context."""

N_AGGREGATED = 10
"""Items of the aggregation task, evenly spaced from the start of the context to its end."""


def joint_accuracy(
    curve: Curve,
    lengths: ArrayLike,
    needle_depths: FloatArray,
    *,
    combining_rate: float = 1.0,
    combining_decay: float = 0.0,
) -> FloatArray:
    """Return the probability that all needles of a trial are found and combined.

    Parameters
    ----------
    curve : Curve
        Accuracy for one needle.
    lengths : array_like, shape (n_lengths,)
    needle_depths : ndarray of float64, shape (n_needles, n_depths)
        Where each needle lies, for each asked depth.
    combining_rate : float
        Probability of combining the found needles at the curve's base length; 1 for retrieval.
    combining_decay : float
        Its decay with each doubling, on the log scale.

    Returns
    -------
    ndarray of float64, shape (n_lengths, n_depths)

    Notes
    -----
    METHOD section 2, compounding: ``h(L) * prod_i p(L, d_i)`` with ``h(L) = combining_rate *
    exp(-combining_decay * l)``; h is held at 1 where l is so far below 0 that it would exceed it.

    Examples
    --------
    >>> joint_accuracy(WORKED_CURVE, 1024, np.array([[0.0], [1.0]])).round(3).tolist()
    [[0.977]]
    """
    n_needles, n_depths = needle_depths.shape
    each = curve.accuracy(lengths, needle_depths.ravel()).reshape(-1, n_needles, n_depths)
    doublings = np.log2(check_lengths(lengths) / curve.base_length)[:, None]
    combined = np.minimum(combining_rate * np.exp(-combining_decay * doublings), 1.0)
    return np.asarray(combined * each.prod(axis=1))


def single_needle(curve: Curve = WORKED_CURVE) -> Truth:
    """Return one needle: the curve itself."""
    return Truth("single-needle", "one needle in a haystack", curve.accuracy)


def distractors(curve: Curve = WORKED_CURVE) -> Truth:
    """Return one needle among three distractors: the logit lowered by 0.9 + 0.12 l."""
    lowered = replace(curve, intercept=curve.intercept - 0.9, length=curve.length + 0.12)
    return Truth("distractors", "one needle among three distractors", lowered.accuracy)


def four_values(curve: Curve = WORKED_CURVE) -> Truth:
    """Return four values close together, all of them wanted; the logit of each lowered by 0.31."""
    lowered = replace(curve, intercept=curve.intercept - 0.31)
    return Truth(
        "four-values",
        "four values close together, all of them wanted",
        partial(_joint_surface, lowered, close_places),
    )


def aggregate_ten(curve: Curve = WORKED_CURVE) -> Truth:
    """Return ten items spread over the context, all of them wanted; the depth does not matter."""
    return Truth(
        "aggregate-ten",
        "ten items spread over the whole context, all of them wanted",
        partial(_joint_surface, curve, spread_places),
    )


def two_hop(curve: Curve = WORKED_CURVE) -> Truth:
    """Return two facts, at d and 1 - d, both found and joined with chance 0.92 exp(-0.06 l)."""
    surface = partial(
        _joint_surface, curve, mirrored_places, combining_rate=0.92, combining_decay=0.06
    )
    return Truth("two-hop", "two facts at mirrored depths, to be joined", surface)


def _joint_surface(
    curve: Curve,
    places: Callable[[FloatArray], FloatArray],
    lengths: ArrayLike,
    depths: ArrayLike,
    *,
    combining_rate: float = 1.0,
    combining_decay: float = 0.0,
) -> FloatArray:
    return joint_accuracy(
        curve,
        lengths,
        places(check_depths(depths)),
        combining_rate=combining_rate,
        combining_decay=combining_decay,
    )


def close_places(depths: FloatArray) -> FloatArray:
    """Return the depths of four values around each depth, shape (4, n_depths)."""
    return np.asarray(np.clip(depths + np.array(FOUR_VALUES_OFFSETS)[:, None], 0.0, 1.0))


def spread_places(depths: FloatArray) -> FloatArray:
    """Return the depths of ten items, the same for each depth, shape (10, n_depths)."""
    return np.repeat(np.linspace(0.0, 1.0, N_AGGREGATED)[:, None], depths.size, axis=1)


def mirrored_places(depths: FloatArray) -> FloatArray:
    """Return each depth and its mirror image, shape (2, n_depths)."""
    return np.stack((depths, 1.0 - depths))


SINGLE_NEEDLE = single_needle()
DISTRACTORS = distractors()
FOUR_VALUES = four_values()
AGGREGATE_TEN = aggregate_ten()
TWO_HOP = two_hop()

TASKS = (SINGLE_NEEDLE, DISTRACTORS, FOUR_VALUES, AGGREGATE_TEN, TWO_HOP)
"""The five tasks built from the worked curve."""
