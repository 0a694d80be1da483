"""The answer to "how long?": outcomes, sets of outcomes, and everything said beside them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from lcstats.errors import Notice, UnscoredWarning
from lcstats.lengths.criterion import Criterion, Treatment, parse_treatment
from lcstats.lengths.crossing import Crossing
from lcstats.options import percent
from lcstats.records import (
    SCHEMA_VERSION,
    array_of,
    freeze_arrays,
    list_notices,
    notices_of,
    restoring,
)

SET_MEANINGS = {
    "certified": "proved to hold the true one at least that often, if cases are independent",
    "jeffreys": "built to hold the true one that often, which simulations check but no proof does",
    "parametric_bootstrap": "of the curve, from tables drawn from it: good only if the curve fits",
    "cluster_bootstrap": "of the curve, from cases drawn again: good only if the curve fits",
    "hybrid": "upper end proved, lower end from the flexible surface, which simulations check",
    "strict": "a hybrid whose lower end doubts lone cells more; simulations check it",
    "posterior": "probability under the method's model and priors: good only if they are",
}
"""What each kind of set promises at its level: the one source of these words."""

METHOD_WORDS = {
    "observed": "By the raw cells",
    "curve": "By the curve",
    "flexible": "By the flexible surface",
}


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
        and hold good only if it fits. :data:`SET_MEANINGS` says so in words.
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


@dataclass(frozen=True, slots=True)
class MissingBounds:
    """Best and worst case over what the unscored cases would have been.

    Attributes
    ----------
    accuracy : mapping of int to (float, float)
        Length with too many unscored cases to depth-treated accuracy, all of them wrong and right.
    worst, best : str
        Effective length with every unscored case wrong, and right.
    """

    accuracy: Mapping[int, tuple[float, float]]
    worst: str
    best: str

    def to_dict(self) -> dict[str, Any]:
        """Return the ``unscored_bounds`` object of the JSON."""
        return {
            "accuracy_by_length": {str(n): list(pair) for n, pair in self.accuracy.items()},
            "worst": self.worst,
            "best": self.best,
        }

    def notice(self) -> Notice:
        """Say the bounds."""
        lengths = "; ".join(
            f"{low:.3g} to {high:.3g} at {length}" for length, (low, high) in self.accuracy.items()
        )
        return Notice(
            "unscored-bounds",
            f"many cases are unscored at some lengths: whatever they were, accuracy lies from "
            f"{lengths}, and the effective length from {self.worst} to {self.best}",
            UnscoredWarning,
        )


@dataclass(frozen=True, slots=True, eq=False)
class EffectiveLength:
    """Effective length of one language model on one task, by every method asked for.

    Attributes
    ----------
    model, task : str
    criterion : Criterion
    applied_threshold : Fraction
        The bar in accuracy, after the threshold rule.
    length_unit : str
    lengths : ndarray of int64, shape (n_lengths,)
    accuracy : ndarray of float64, shape (n_lengths,)
        Depth-treated accuracy of every length.
    n_trials, n_cases, n_unscored : ndarray of int64, shape (n_lengths,)
    unscored_by_length : mapping of int to int
        Also for lengths at which nothing was scored.
    estimates : tuple of Estimate
    headline : str or None
        Method to quote; None where no method deserves it.
    unscored_bounds : MissingBounds or None
        Best and worst case over the unscored cases; None where few are.
    members : tuple of str
        Tasks that were averaged; empty for a single task.
    notices : tuple of Notice
    """

    model: str
    task: str
    criterion: Criterion
    applied_threshold: Fraction
    length_unit: str
    lengths: NDArray[np.int64]
    accuracy: NDArray[np.float64]
    n_trials: NDArray[np.int64]
    n_cases: NDArray[np.int64]
    n_unscored: NDArray[np.int64]
    unscored_by_length: Mapping[int, int]
    estimates: tuple[Estimate, ...]
    headline: str | None
    unscored_bounds: MissingBounds | None = None
    members: tuple[str, ...] = ()
    notices: tuple[Notice, ...] = ()

    def __post_init__(self) -> None:
        """Make the arrays read-only."""
        freeze_arrays(self)

    @property
    def observed(self) -> Estimate:
        """The estimate from the raw cells."""
        return next(e for e in self.estimates if e.method == "observed")

    @property
    def headline_estimate(self) -> Estimate | None:
        """The estimate to quote, if there is one."""
        return next((e for e in self.estimates if e.method == self.headline), None)

    @property
    def quoted(self) -> Estimate:
        """The estimate to show first: the headline or, where there is none, the observed one."""
        return self.headline_estimate or self.observed

    @property
    def beside(self) -> tuple[Estimate, ...]:
        """The estimates by the other methods."""
        return tuple(e for e in self.estimates if e is not self.quoted)

    def sentence(self) -> str:
        """Say the result with task, threshold, depth treatment, method and set."""
        estimate = self.quoted
        interval = estimate.default_set
        quoted = f"{percent(interval.level)} set {interval.display}, {interval.kind}"
        text = (
            f"{self.model} on {self.task}: effective length {estimate.display} "
            f"{self.length_unit} at {self.bar_in_words()}, {self.depth_in_words()} "
            f"({estimate.method}; {quoted})."
        )
        if self.headline is None:
            text += (
                " Raw cells are no headline for this depth treatment: quote the set, not the point."
            )
        return text

    def bar_in_words(self) -> str:
        """The bar, with its rule: ``accuracy 0.85``, ``0.85 of the base (accuracy 0.816)``."""
        tau = f"{float(self.criterion.exact_threshold):g}"
        applied = f"{float(self.applied_threshold):.4g}"
        return {
            "absolute": f"accuracy {tau}",
            "relative": f"{tau} of the base score (accuracy {applied})",
            "above_chance": f"{tau} above chance (accuracy {applied})",
        }[self.criterion.rule]

    def depth_in_words(self) -> str:
        """The depth treatment in words."""
        return treatment_words(self.criterion.depth_treatment, len(self.members))

    def __repr__(self) -> str:
        return f"EffectiveLength({self.sentence()})"

    def to_frame(self) -> pd.DataFrame:
        """Return one row per length as a pandas table."""
        return pd.DataFrame(
            {
                "length": self.lengths,
                "accuracy": self.accuracy,
                "passes": self.accuracy >= float(self.applied_threshold),
                "n_trials": self.n_trials,
                "n_cases": self.n_cases,
                "n_unscored": self.n_unscored,
            }
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the group of the ``effective-length`` JSON, with the notices."""
        return {
            "schema_version": SCHEMA_VERSION,
            "model": self.model,
            "task": self.task,
            "criterion": {
                **self.criterion.to_dict(),
                "applied_threshold": float(self.applied_threshold),
                "exact_applied_threshold": str(self.applied_threshold),
            },
            "length_unit": self.length_unit,
            "tested_lengths": self.lengths.tolist(),
            "n_trials_by_length": self._by_length(self.n_trials),
            "n_cases_by_length": self._by_length(self.n_cases),
            "n_unscored_by_length": {str(k): v for k, v in self.unscored_by_length.items()},
            "accuracy_by_length": self._by_length(self.accuracy),
            "headline": self.headline,
            "unscored_bounds": self.unscored_bounds and self.unscored_bounds.to_dict(),
            "averaged_tasks": list(self.members),
            "estimates": [estimate.to_dict() for estimate in self.estimates],
            "notices": list_notices(self.notices),
        }

    @classmethod
    def from_dict(cls, document: Mapping[str, Any]) -> "EffectiveLength":
        """Restore what :meth:`to_dict` returned, with its estimates and their sets.

        Raises
        ------
        FormatError
            If it is of an unknown schema version or not whole.
        """
        with restoring("EffectiveLength", document):
            return _restored(document)

    def _by_length(self, values: NDArray[Any]) -> dict[str, Any]:
        return dict(zip(map(str, self.lengths.tolist()), values.tolist(), strict=True))


def treatment_words(treatment: str, n_tasks: int = 0) -> str:
    """Say a depth treatment, of one task or of several that are averaged.

    Examples
    --------
    >>> treatment_words("mean"), treatment_words("mean", 2)
    ('mean over depths', "unweighted mean of 2 tasks' means over depths")
    >>> treatment_words("window:3")
    'worst window of 3 adjacent depths'
    """
    parsed = parse_treatment(treatment)
    if parsed.is_window:
        window = f"worst window of {parsed.width} adjacent depths"
        return window + f" of {n_tasks} tasks" * bool(n_tasks)
    if parsed == Treatment("order"):
        treatment = "worst"
    if not n_tasks:
        names = {"mean": "mean over depths", "worst": "worst depth", "pooled": "all cases pooled"}
        return names.get(treatment, f"depth {treatment.replace(':', ' ')}")
    names = {
        "mean": f"unweighted mean of {n_tasks} tasks' means over depths",
        "pooled": f"unweighted mean of {n_tasks} tasks' pooled accuracies",
    }
    order = f"{treatment.replace(':', ' ')} of all depths of {n_tasks} tasks"
    return names.get(treatment, order)


def _restored(document: Mapping[str, Any]) -> EffectiveLength:
    lengths = np.array(document["tested_lengths"], dtype=np.int64)
    unscored = {int(length): n for length, n in document["n_unscored_by_length"].items()}
    n_trials, n_cases = (
        np.array(list(document[f"{name}_by_length"].values()), dtype=np.int64)
        for name in ("n_trials", "n_cases")
    )
    return EffectiveLength(
        **{name: document[name] for name in ("model", "task", "length_unit", "headline")},
        criterion=Criterion.from_dict(document["criterion"]),
        applied_threshold=Fraction(document["criterion"]["exact_applied_threshold"]),
        lengths=lengths,
        accuracy=array_of(list(document["accuracy_by_length"].values())),
        n_trials=n_trials,
        n_cases=n_cases,
        n_unscored=np.array([unscored.get(n, 0) for n in lengths.tolist()], dtype=np.int64),
        unscored_by_length=unscored,
        estimates=tuple(_estimate_of(part, lengths) for part in document["estimates"]),
        unscored_bounds=_bounds_of(document["unscored_bounds"]),
        members=tuple(document["averaged_tasks"]),
        notices=notices_of(document["notices"]),
    )


def _bounds_of(document: Mapping[str, Any] | None) -> MissingBounds | None:
    if document is None:
        return None
    pairs = {int(n): (low, high) for n, (low, high) in document["accuracy_by_length"].items()}
    return MissingBounds(pairs, document["worst"], document["best"])


def _estimate_of(document: Mapping[str, Any], lengths: NDArray[np.int64]) -> Estimate:
    crossing = document["crossing"]
    return Estimate(
        method=document["method"],
        outcome=outcome_of(document["length"], lengths),
        lengths=lengths,
        longest_passing=document["longest_passing"],
        masses={kind: array_of(list(by.values())) for kind, by in document["masses"].items()},
        sets=tuple(_interval_of(part, lengths) for part in document["sets"]),
        crossing=crossing and Crossing(**crossing),
    )


def _interval_of(document: Mapping[str, Any], lengths: NDArray[np.int64]) -> Interval:
    """Restore a set; its own dictionary does not say which lengths were tested."""
    asked = document["fell_back_from"]
    return Interval(
        **{name: document[name] for name in ("kind", "level", "extended", "floor", "diagnostics")},
        lower=outcome_of(document["lower"], lengths),
        upper=outcome_of(document["upper"], lengths),
        lengths=lengths,
        is_default=document["default"],
        fell_back_from=asked and FallBack(**asked),
    )
