"""Shifts between two effective lengths, in doublings: values, half-known values, and unknown ones.

Outcomes are those of :mod:`lcstats.lengths`: 0 where no tested length passes, i for the i-th, and
the number of lengths where all of them pass. The first and the last are known on one side only, and
so is a shift from or to them; from a length nobody tested to another nothing is known.
"""

import math
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from lcstats.curve import FloatArray

BOTH_BELOW, BOTH_BEYOND = "both_below", "both_beyond"
"""Outcomes of a shift of which nothing is known."""

DECIMALS = 4
"""Of a shift on lengths that are no doublings, where it names a mass."""


def shift_between(old: int, new: int, lengths: NDArray[np.int64]) -> float:
    """Return log2 of the ratio of two tested lengths; an outcome below stands at the shortest.

    Examples
    --------
    >>> shift_between(1, 3, np.array([4096, 8192, 16384]))
    2.0
    """
    places = np.log2(lengths.astype(np.float64))
    return float(places[max(new, 1) - 1] - places[max(old, 1) - 1])


def shift_range(old: int, new: int, lengths: NDArray[np.int64]) -> tuple[float, float]:
    """Return the smallest and the largest shift that a pair of outcomes allows.

    Examples
    --------
    >>> lengths = np.array([4096, 8192, 16384])
    >>> shift_range(1, 2, lengths), shift_range(3, 2, lengths), shift_range(0, 0, lengths)
    ((1.0, 1.0), (-inf, -1.0), (-inf, inf))
    """
    value, last = shift_between(old, new, lengths), lengths.size
    may_be_lower = old == last or new == 0
    may_be_higher = new == last or old == 0
    return (-math.inf if may_be_lower else value, math.inf if may_be_higher else value)


def shift_label(old: int, new: int, lengths: NDArray[np.int64]) -> str:
    """Write a shift: ``-1``, ``>=2`` to beyond the tested lengths, ``>0`` from below them.

    Examples
    --------
    >>> lengths = np.array([4096, 8192, 16384])
    >>> [shift_label(1, new, lengths) for new in range(4)]
    ['<0', '0', '1', '>=2']
    >>> [shift_label(3, new, lengths) for new in range(4)]
    ['<-2', '<=-2', '<=-1', 'both_beyond']
    """
    if old == new and old in (0, lengths.size):
        return BOTH_BEYOND if old else BOTH_BELOW
    lower, upper = shift_range(old, new, lengths)
    number = write_doublings(shift_between(old, new, lengths))
    if lower == upper:
        return number
    sign = "<" if math.isinf(lower) else ">"
    return f"{sign}{'' if 0 in (old, new) else '='}{number}"


def write_doublings(value: float) -> str:
    """Write a number of doublings in few digits.

    Examples
    --------
    >>> write_doublings(-1.0), write_doublings(np.log2(100 / 64)), write_doublings(-0.0)
    ('-1', '0.6439', '0')
    """
    return f"{round(value, DECIMALS) + 0.0:g}"


def shift_masses(joint: FloatArray, lengths: NDArray[np.int64]) -> Mapping[str, float]:
    """Add up the masses of pairs of outcomes with the same shift; from loss to gain.

    Parameters
    ----------
    joint : ndarray of float64, shape (n_lengths + 1, n_lengths + 1)
        Old by new.
    lengths : ndarray of int64, shape (n_lengths,)

    Returns
    -------
    mapping of str to float
        Without shifts of no mass; ``both_below`` and ``both_beyond`` last.

    Examples
    --------
    >>> joint = np.array([[0.1, 0.0, 0.0], [0.0, 0.5, 0.2], [0.0, 0.1, 0.1]])
    >>> shift_masses(joint, np.array([4096, 8192]))
    {'<=-1': 0.1, '0': 0.5, '>=1': 0.2, 'both_below': 0.1, 'both_beyond': 0.1}
    """
    pairs = [(int(old), int(new)) for old, new in np.argwhere(joint > 0)]
    masses: dict[str, float] = {}
    for old, new in sorted(pairs, key=lambda pair: _place(pair[0], pair[1], lengths)):
        label = shift_label(old, new, lengths)
        masses[label] = masses.get(label, 0.0) + float(joint[old, new])
    return masses


def _place(old: int, new: int, lengths: NDArray[np.int64]) -> tuple[bool, float, float, int, int]:
    """Put losses before gains, and what is known on one side outside of what is known."""
    ends = shift_range(old, new, lengths)
    unknown = math.isinf(ends[0]) and math.isinf(ends[1])
    strict = 1 + (0 in (old, new))
    side = float(strict * (math.isinf(ends[1]) - math.isinf(ends[0])))
    value = round(shift_between(old, new, lengths), DECIMALS)
    return unknown, value, side, old, new


def attainable_shifts(lengths: NDArray[np.int64]) -> FloatArray:
    """Return every shift between two tested lengths, ascending.

    Examples
    --------
    >>> attainable_shifts(np.array([4096, 8192])).tolist()
    [-1.0, 0.0, 1.0]
    """
    places = np.log2(lengths.astype(np.float64))
    return np.unique((places[None, :] - places[:, None]).round(12))
