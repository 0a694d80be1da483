"""Intervals for a shift between effective lengths: from two sets, or from masses."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from lcstats.comparison.doublings import (
    attainable_shifts,
    shift_between,
    shift_range,
    write_doublings,
)
from lcstats.curve import FloatArray
from lcstats.lengths.estimate import TIE, Interval
from lcstats.options import percent

ShiftIntervalKind = Literal["both_sets", "combined", "bootstrap", "posterior"]

PROVED_SETS = ("certified", "anytime")

INTERVAL_MEANINGS: Mapping[str, str] = {
    "both_sets": "every shift from the one language model's set to the other's, each set at half "
    "the error: holds the true shift as often as said wherever the two sets do",
    "combined": "distances from point to set added in squares: simulations check it, no proof does",
    "bootstrap": "of the curve, from cases drawn again: good only if the curve fits",
    "posterior": "probability under the surface's priors, the two surfaces taken as independent",
}
"""What each kind of interval promises at its level."""


@dataclass(frozen=True, slots=True)
class ShiftInterval:
    """A range of shifts, in doublings; it contains the point.

    Attributes
    ----------
    kind : {"both_sets", "combined", "bootstrap", "posterior"}
        How it was made; :data:`INTERVAL_MEANINGS` says what it promises.
    level : float
    lower, upper : float
        Infinite where the tested lengths give no bound.
    is_default : bool
        True for the interval to quote.
    diagnostics : mapping
        The sets it was made of, say.
    """

    kind: ShiftIntervalKind
    level: float
    lower: float
    upper: float
    is_default: bool = False
    diagnostics: Mapping[str, Any] = field(default_factory=dict)

    def __contains__(self, shift: float) -> bool:
        """True if the shift, in doublings, lies inside."""
        return self.lower - TIE <= shift <= self.upper + TIE

    @property
    def is_proved(self) -> bool:
        """True where both sets are proved to hold the truth, for independent cases."""
        sets = (self.diagnostics.get("old_kind"), self.diagnostics.get("new_kind"))
        return self.kind == "both_sets" and all(one in PROVED_SETS for one in sets)

    @property
    def display(self) -> str:
        """The interval in words: ``-1 to 0``, ``1 or more``, ``not bounded``."""
        if math.isinf(self.lower) and math.isinf(self.upper):
            return "not bounded"
        if math.isinf(self.upper):
            return f"{write_doublings(self.lower)} or more"
        if math.isinf(self.lower):
            return f"{write_doublings(self.upper)} or less"
        if self.lower == self.upper:
            return write_doublings(self.lower)
        return f"{write_doublings(self.lower)} to {write_doublings(self.upper)}"

    def __repr__(self) -> str:
        return f"ShiftInterval({percent(self.level)}, {self.kind}: {self.display})"

    def to_dict(self) -> dict[str, Any]:
        """Return JSON-ready values; an end that is not bounded is None."""
        return {
            "kind": self.kind,
            "level": self.level,
            "lower": None if math.isinf(self.lower) else self.lower,
            "upper": None if math.isinf(self.upper) else self.upper,
            "display": self.display,
            "default": self.is_default,
            "proved": self.is_proved,
            "diagnostics": dict(self.diagnostics),
        }

    @classmethod
    def from_dict(cls, document: Mapping[str, Any]) -> "ShiftInterval":
        """Restore what :meth:`to_dict` returned."""
        lower, upper = document["lower"], document["upper"]
        return cls(
            document["kind"],
            document["level"],
            lower=-math.inf if lower is None else lower,
            upper=math.inf if upper is None else upper,
            is_default=document["default"],
            diagnostics=document["diagnostics"],
        )

    def holding(self, old: int, new: int, lengths: NDArray[np.int64]) -> "ShiftInterval":
        """Return this interval, wide enough for what a pair of outcomes allows."""
        lower, upper = shift_range(old, new, lengths)
        return replace(self, lower=min(self.lower, lower), upper=max(self.upper, upper))


def from_both_sets(old: Interval, new: Interval, *, level: float) -> ShiftInterval:
    """Take every shift from an outcome of the one set to an outcome of the other.

    Parameters
    ----------
    old, new : Interval
        Each at half of the error.
    level : float
        That of the shift.

    Notes
    -----
    Bonferroni: if each set misses its truth with probability at most (1 - level) / 2, both hold it
    with probability at least `level`, however the two depend on each other; and then the true shift
    is among these.

    Examples
    --------
    >>> lengths = np.array([4096, 8192, 16384, 32768])
    >>> old, new = (Interval("certified", 0.975, lower, 3, lengths) for lower in (2, 1))
    >>> from_both_sets(old, new, level=0.95).display
    '-2 to 1'
    """
    ranges = [
        shift_range(i, j, old.lengths)
        for i in range(old.lower, old.upper + 1)
        for j in range(new.lower, new.upper + 1)
    ]
    return ShiftInterval(
        "both_sets",
        level,
        lower=min(lower for lower, _ in ranges),
        upper=max(upper for _, upper in ranges),
        diagnostics=_sets_used(old, new),
    )


def from_combined_sets(
    old: Interval, new: Interval, points: tuple[int, int], *, level: float
) -> ShiftInterval | None:
    """Add the distances from the points to the ends of their sets in squares.

    Parameters
    ----------
    old, new : Interval
        Each at `level`.
    points : (int, int)
        Outcomes of the old and of the new language model.
    level : float

    Returns
    -------
    ShiftInterval or None
        None where a point lies outside the tested lengths: it has no distance from anything. Ends
        are moved inwards to the next shift between tested lengths.

    Notes
    -----
    Zou and Donner 2008, Construction of confidence limits about effect measures (Statistics in
    Medicine 27:1693), equation 6: exact for the difference of two independent normal estimates, and
    wide where the two rise and fall together.

    Examples
    --------
    >>> lengths = np.array([4096, 8192, 16384, 32768])
    >>> old, new = (Interval("certified", 0.95, lower, 3, lengths) for lower in (2, 1))
    >>> from_combined_sets(old, new, (3, 2), level=0.95).display
    '-2 to 0'
    """
    last = old.lengths.size
    if any(point in (0, last) for point in points):
        return None
    (old_down, old_up), (new_down, new_up) = (
        _distances(interval, point) for interval, point in zip((old, new), points, strict=True)
    )
    center = shift_between(*points, old.lengths)
    lower, upper = center - math.hypot(new_down, old_up), center + math.hypot(new_up, old_down)
    shifts = attainable_shifts(old.lengths)
    inside = shifts[(shifts >= lower - TIE) & (shifts <= upper + TIE)]
    return ShiftInterval(
        "combined",
        level,
        lower=lower if math.isinf(lower) else float(inside[0]),
        upper=upper if math.isinf(upper) else float(inside[-1]),
        diagnostics=_sets_used(old, new),
    )


def _distances(interval: Interval, point: int) -> tuple[float, float]:
    """Return the doublings from a point down and up to the ends of its set."""
    lengths = interval.lengths
    down = -shift_between(point, interval.lower, lengths) if interval.lower else math.inf
    beyond = interval.upper == lengths.size
    return down, math.inf if beyond else shift_between(point, interval.upper, lengths)


def _sets_used(old: Interval, new: Interval) -> dict[str, str]:
    return {
        "old_kind": old.kind,
        "new_kind": new.kind,
        "old_set": old.display,
        "new_set": new.display,
    }


def from_masses(
    joint: FloatArray, lengths: NDArray[np.int64], kind: ShiftIntervalKind, *, level: float
) -> ShiftInterval:
    """Cut off at most half of the error at each end of masses over pairs of outcomes.

    Parameters
    ----------
    joint : ndarray of float64, shape (n_lengths + 1, n_lengths + 1)
        Old by new.
    lengths : ndarray of int64, shape (n_lengths,)
    kind : {"bootstrap", "posterior"}
    level : float

    Examples
    --------
    >>> joint = np.array([[0.0, 0.0, 0.0], [0.0, 0.97, 0.03], [0.0, 0.0, 0.0]])
    >>> from_masses(joint, np.array([4096, 8192]), "bootstrap", level=0.9).display
    '0'
    """
    pairs = [(int(old), int(new)) for old, new in np.argwhere(joint > 0)]
    ranges = np.array([shift_range(old, new, lengths) for old, new in pairs])
    masses = np.array([joint[pair] for pair in pairs])
    outside = (1.0 - level) / 2.0 + TIE
    ends = []
    for values in (ranges[:, 0], -ranges[:, 1]):
        order = np.argsort(values, kind="stable")
        first = int(np.argmax(np.cumsum(masses[order]) > outside))
        ends.append(float(values[order][first]))
    return ShiftInterval(kind, level, lower=ends[0], upper=-ends[1])
