"""Estimates of an effective length: outcomes, sets of outcomes, masses."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lcstats.lengths.crossing import Crossing
from lcstats.options import percent
from lcstats.records import freeze_arrays

TIE = 1e-12
"""Rounding allowed for where floating-point accuracies or masses meet a bound."""


def outcome_label(outcome: int, lengths: NDArray[np.int64], *, masses: bool = False) -> str:
    """Write an outcome: ``<4096``, ``32768``, or ``>=131072`` for the last.

    Parameters
    ----------
    outcome : int
        0..n_lengths.
    lengths : ndarray of int64, shape (n_lengths,)
    masses : bool
        Write the last outcome as its plain length; its mass includes "beyond".

    Examples
    --------
    >>> [outcome_label(i, np.array([4096, 8192])) for i in range(3)]
    ['<4096', '4096', '>=8192']
    """
    if outcome == 0:
        return f"<{lengths[0]}"
    beyond = outcome == lengths.size and not masses
    return f"{'>=' if beyond else ''}{lengths[outcome - 1]}"


def outcome_length(outcome: int, lengths: NDArray[np.int64]) -> int | None:
    """Return the length an outcome stands for; None for "no tested length passes"."""
    return int(lengths[outcome - 1]) if outcome else None


def outcome_of(length: int | None, lengths: NDArray[np.int64]) -> int:
    """Return the outcome that a length stands for: the inverse of :func:`outcome_length`."""
    return 0 if length is None else lengths.tolist().index(length) + 1


def equal_tailed_ends(masses: NDArray[np.float64], level: float) -> tuple[int, int]:
    """Return the first and last outcome that are left when half of the error, or less, is cut off.

    Examples
    --------
    >>> equal_tailed_ends(np.array([0.02, 0.01, 0.94, 0.03]), 0.95)
    (1, 3)
    """
    outside = (1.0 - level) / 2.0 + TIE
    lower = int(np.argmax(np.cumsum(masses) > outside))
    upper = int(masses.size - 1 - np.argmax(np.cumsum(masses[::-1]) > outside))
    return lower, upper


@dataclass(frozen=True, slots=True)
class FallBack:
    """Which set was asked for and why another stands in its place."""

    kind: str
    reason: str


@dataclass(frozen=True, slots=True, eq=False)
class Interval:
    """A run of consecutive outcomes, made to hold the truth at a level; it contains its point.

    Attributes
    ----------
    kind : {"certified", "jeffreys", "parametric_bootstrap", "cluster_bootstrap"}
        How it was made. Only ``certified`` is proved to hold the truth at the level, and that if
        cases are independent; ``jeffreys`` is built to; the bootstraps speak of a fitted curve,
        and hold good only if it fits. :data:`lcstats.lengths.answer.SET_MEANINGS` says so in words.
    level : float
    lower, upper : int
        First and last outcome, 0..n_lengths.
    lengths : ndarray of int64, shape (n_lengths,)
    is_default : bool
        True for the set to quote.
    extended : bool
        True where the construction left the point out and the run was extended to it.
    floor : int or None
        Smallest number of perfect cases with which anything can be certified.
    fell_back_from : FallBack or None
    diagnostics : mapping
    """

    kind: str
    level: float
    lower: int
    upper: int
    lengths: NDArray[np.int64]
    is_default: bool = False
    extended: bool = False
    floor: int | None = None
    fell_back_from: FallBack | None = None
    diagnostics: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Make the array read-only."""
        freeze_arrays(self)

    def __repr__(self) -> str:
        return f"Interval({percent(self.level)}, {self.kind}: {self.display})"

    @property
    def lower_length(self) -> int | None:
        """Length of the lower end; None if "no tested length passes" is in the set."""
        return outcome_length(self.lower, self.lengths)

    @property
    def upper_length(self) -> int | None:
        """Length of the upper end; None if no tested length passes at all."""
        return outcome_length(self.upper, self.lengths)

    @property
    def size(self) -> int:
        """Number of outcomes in the set."""
        return self.upper - self.lower + 1

    @property
    def display(self) -> str:
        """The set in words: ``16384 to 65536``, ``<4096 to 8192``, ``>=131072``."""
        lower = outcome_label(self.lower, self.lengths)
        if self.lower == self.upper:
            return lower
        return f"{lower} to {outcome_label(self.upper, self.lengths)}"

    def holding(self, outcome: int) -> "Interval":
        """Return this run, extended to the outcome and saying so where it leaves it out."""
        if outcome in self:
            return self
        lower, upper = min(self.lower, outcome), max(self.upper, outcome)
        return replace(self, lower=lower, upper=upper, extended=True)

    def __contains__(self, outcome: int) -> bool:
        """True if the outcome, 0..n_lengths, lies in the set."""
        return self.lower <= outcome <= self.upper

    def to_dict(self) -> dict[str, Any]:
        """Return JSON-ready values; a length that does not exist is None."""
        fall_back = self.fell_back_from
        return {
            "kind": self.kind,
            "default": self.is_default,
            "level": self.level,
            "lower": self.lower_length,
            "upper": self.upper_length,
            "display": self.display,
            "extended": self.extended,
            "floor": self.floor,
            "fell_back_from": fall_back and {"kind": fall_back.kind, "reason": fall_back.reason},
            "diagnostics": dict(self.diagnostics),
        }


@dataclass(frozen=True, slots=True, eq=False)
class Estimate:
    """Effective length by one method.

    Attributes
    ----------
    method : str
    outcome : int
        Number of leading lengths that pass, 0..n_lengths.
    lengths : ndarray of int64, shape (n_lengths,)
    longest_passing : int or None
        Longest length that passes whatever the shorter ones do.
    masses : mapping of str to ndarray of float64, shape (n_lengths + 1,)
    sets : tuple of Interval
    crossing : Crossing or None
        Continuous crossing of a fitted curve; None for raw cells and where there is none.
    """

    method: str
    outcome: int
    lengths: NDArray[np.int64]
    longest_passing: int | None
    masses: Mapping[str, NDArray[np.float64]]
    sets: tuple[Interval, ...]
    crossing: Crossing | None = None

    def __post_init__(self) -> None:
        """Make the arrays read-only."""
        freeze_arrays(self)

    def __repr__(self) -> str:
        return f"Estimate({self.method}: {self.display}, {self.default_set!r})"

    @property
    def length(self) -> int | None:
        """The effective length; None if no tested length passes."""
        return outcome_length(self.outcome, self.lengths)

    @property
    def status(self) -> str:
        """``below_tested``, ``crossed`` or ``beyond_tested``."""
        if self.outcome == 0:
            return "below_tested"
        return "beyond_tested" if self.outcome == self.lengths.size else "crossed"

    @property
    def display(self) -> str:
        """The effective length in words: ``<4096``, ``32768``, ``>=131072``."""
        return outcome_label(self.outcome, self.lengths)

    @property
    def crossing_status(self) -> str | None:
        """How a curve meets the bar: ``crossed``, ``never_falls``, ``starts_below``; else None."""
        if self.method == "observed":
            return None
        if self.crossing is not None:
            return "crossed"
        return "starts_below" if self.outcome == 0 else "never_falls"

    @property
    def default_set(self) -> Interval:
        """The set to quote."""
        return next((s for s in self.sets if s.is_default), self.sets[0])

    def to_dict(self) -> dict[str, Any]:
        """Return JSON-ready values."""
        return {
            "method": self.method,
            "length": self.length,
            "status": self.status,
            "display": self.display,
            "longest_passing": self.longest_passing,
            "crossing": self.crossing and self.crossing.to_dict(),
            "crossing_status": self.crossing_status,
            "masses": {kind: self._mass_by_label(mass) for kind, mass in self.masses.items()},
            "sets": [interval.to_dict() for interval in self.sets],
        }

    def _mass_by_label(self, mass: NDArray[np.float64]) -> dict[str, float]:
        return {
            outcome_label(outcome, self.lengths, masses=True): float(share)
            for outcome, share in enumerate(mass)
        }
