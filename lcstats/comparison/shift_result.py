"""The result of comparing two effective lengths: outcomes, masses over shifts, intervals."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from lcstats.comparison.doublings import BOTH_BELOW, BOTH_BEYOND, shift_label, shift_masses
from lcstats.comparison.shift_interval import ShiftInterval
from lcstats.curve import FloatArray
from lcstats.errors import Notice
from lcstats.lengths import Criterion, outcome_label
from lcstats.lengths.answer import treatment_words
from lcstats.options import Method, percent
from lcstats.records import (
    SCHEMA_VERSION,
    array_of,
    freeze_arrays,
    list_notices,
    notices_of,
    restoring,
)

ShiftMassKind = Literal["bootstrap", "cluster_bootstrap", "posterior"]

UNKNOWN_WORDS = {
    BOTH_BELOW: "unknown, both below the tested lengths",
    BOTH_BEYOND: "unknown, both beyond the tested lengths",
}


@dataclass(frozen=True, slots=True, eq=False)
class LengthShift:
    """By how many doublings one language model's effective length is above the other's.

    Attributes
    ----------
    method : {"observed", "curve", "flexible"}
    old_model, new_model, task : str
    criterion : Criterion
    length_unit : str
    lengths : ndarray of int64, shape (n_lengths,)
        Tested on both.
    outcomes : (int, int)
        How many leading lengths pass, of the old and of the new language model.
    joint : ndarray of float64, shape (n_lengths + 1, n_lengths + 1)
        Masses over the outcomes of both, old by new; they add up to 1.
    mass_kind : {"bootstrap", "cluster_bootstrap", "posterior"}
    is_paired : bool
        False where masses take the two as independent, which is wide if they err on the same cases.
    intervals : tuple of ShiftInterval
        The first is the one to quote.
    notices : tuple of Notice
    """

    method: Method
    old_model: str
    new_model: str
    task: str
    criterion: Criterion
    length_unit: str
    lengths: NDArray[np.int64]
    outcomes: tuple[int, int]
    joint: FloatArray
    mass_kind: ShiftMassKind
    is_paired: bool
    intervals: tuple[ShiftInterval, ...]
    notices: tuple[Notice, ...] = ()

    def __post_init__(self) -> None:
        """Make the arrays read-only."""
        freeze_arrays(self)

    @property
    def doublings(self) -> Mapping[str, float]:
        """Masses over shifts: ``-1``, ``>=2``, ``both_beyond``; from loss to gain."""
        return shift_masses(self.joint, self.lengths)

    @property
    def point(self) -> str:
        """The shift of the two effective lengths themselves, as the masses write it."""
        return shift_label(*self.outcomes, self.lengths)

    @property
    def default_interval(self) -> ShiftInterval:
        """The interval to quote."""
        return self.intervals[0]

    @property
    def mass_shorter(self) -> float:
        """Mass of all shifts to a shorter effective length."""
        return float(np.tril(self.joint, -1).sum())

    @property
    def mass_longer(self) -> float:
        """Mass of all shifts to a longer effective length."""
        return float(np.triu(self.joint, 1).sum())

    @property
    def mass_unknown(self) -> float:
        """Mass of both below or both beyond the tested lengths."""
        return float(self.joint[0, 0] + self.joint[-1, -1])

    def criterion_in_words(self) -> str:
        """The bar and the depth treatment: ``accuracy 0.85, mean over depths``."""
        rule = {"absolute": "", "relative": " of its own base", "above_chance": " above chance"}
        bar = f"accuracy {float(self.criterion.exact_threshold):g}{rule[self.criterion.rule]}"
        return f"{bar}, {treatment_words(self.criterion.depth_treatment)}"

    def sentence(self) -> str:
        """Say the shift with its interval and masses.

        Examples
        --------
        >>> shift = LengthShift(
        ...     "observed", "a", "b", "kv", Criterion(0.85), "tokens", np.array([4096, 8192]),
        ...     (2, 1), np.diag([0.5, 0.5], 1), "bootstrap", is_paired=True,
        ...     intervals=(ShiftInterval("both_sets", 0.95, -np.inf, 0.0),),
        ... )  # fmt: skip
        >>> print(shift.sentence())
        effective length >=8192 (old) and 4096 (new) tokens at accuracy 0.85, mean over depths: \
shift <=-1 doublings (observed; 95% interval 0 or less; masses: shorter 0.00, longer 1.00)
        """
        old, new = (outcome_label(outcome, self.lengths) for outcome in self.outcomes)
        interval = self.default_interval
        shift = UNKNOWN_WORDS.get(self.point, f"{self.point} doublings")
        return (
            f"effective length {old} (old) and {new} (new) {self.length_unit} at "
            f"{self.criterion_in_words()}: shift {shift} ({self.method}; "
            f"{percent(interval.level)} interval {interval.display}; masses: shorter "
            f"{self.mass_shorter:.2f}, longer {self.mass_longer:.2f})"
        )

    def __repr__(self) -> str:
        return f"LengthShift({self.sentence()})"

    def to_dict(self) -> dict[str, Any]:
        """Return an entry of ``effective_length_shift`` in the ``compare`` JSON."""
        old, new = (outcome_label(outcome, self.lengths) for outcome in self.outcomes)
        return {
            "schema_version": SCHEMA_VERSION,
            **{name: getattr(self, name) for name in _NAMES},
            "criterion": self.criterion.to_dict(),
            "old": old,
            "new": new,
            "point": self.point,
            "doublings": dict(self.doublings),
            "mass_shorter": self.mass_shorter,
            "mass_longer": self.mass_longer,
            "mass_unknown": self.mass_unknown,
            "paired": self.is_paired,
            "intervals": [interval.to_dict() for interval in self.intervals],
            "tested_lengths": self.lengths.tolist(),
            "outcomes": list(self.outcomes),
            "joint_masses": self.joint.tolist(),
            "notices": list_notices(self.notices),
        }

    @classmethod
    def from_dict(cls, document: Mapping[str, Any]) -> "LengthShift":
        """Restore what :meth:`to_dict` returned.

        Raises
        ------
        FormatError
            If it is of an unknown schema version or not whole.
        """
        with restoring("LengthShift", document):
            old, new = document["outcomes"]
            return cls(
                **{name: document[name] for name in _NAMES},
                criterion=Criterion.from_dict(document["criterion"]),
                lengths=np.array(document["tested_lengths"], dtype=np.int64),
                outcomes=(old, new),
                joint=array_of(document["joint_masses"]),
                is_paired=document["paired"],
                intervals=tuple(ShiftInterval.from_dict(part) for part in document["intervals"]),
                notices=notices_of(document["notices"]),
            )


_NAMES = ("method", "old_model", "new_model", "task", "length_unit", "mass_kind")
