"""The answer to "how long?": outcomes, sets of outcomes, and everything said beside them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from lcstats.errors import Notice, UnscoredWarning
from lcstats.lengths.criterion import Criterion, Treatment, parse_treatment
from lcstats.lengths.crossing import Crossing
from lcstats.lengths.estimate import Estimate as Estimate
from lcstats.lengths.estimate import FallBack as FallBack
from lcstats.lengths.estimate import Interval as Interval
from lcstats.lengths.estimate import outcome_label as outcome_label
from lcstats.lengths.estimate import outcome_length as outcome_length
from lcstats.lengths.estimate import outcome_of as outcome_of
from lcstats.lengths.quoting import CURVE_FAILS, NAMES, quote_sentence
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
    "anytime": "proved to hold the true one at least that often, however often one looked and "
    "wherever cases were added, if cases are independent",
    "jeffreys": "built to hold the true one that often, which simulations check but no proof does",
    "parametric_bootstrap": "of the curve, from tables drawn from it: good only if the curve fits",
    "cluster_bootstrap": "of the curve, from cases drawn again: good only if the curve fits",
    "hybrid": "upper end proved, lower end from the flexible surface, which simulations check",
    "strict": "a hybrid whose lower end doubts lone cells more; simulations check it",
    "posterior": "probability under the method's model and priors: good only if they are",
}
"""What each kind of set promises at its level: the one source of these words."""

METHOD_WORDS = {method: f"By {name}" for method, name in NAMES.items()}


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
        outcome = "is" if self.worst == self.best else f"from {self.worst} to"
        return Notice(
            "unscored-bounds",
            f"many cases are unscored at some lengths: whatever they were, accuracy lies from "
            f"{lengths}, and the effective length {outcome} {self.best}",
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
        return text + self._passed_over_in_words()

    @property
    def passed_over(self) -> tuple[int, ...]:
        """Lengths at which trials were asked for and none is scored: they are not tested ones."""
        return tuple(sorted(set(self.unscored_by_length) - set(self.lengths.tolist())))

    def _passed_over_in_words(self) -> str:
        """Name the lengths of which nothing is known, and those that the answer reaches across."""
        if not self.passed_over:
            return ""
        found = self.quoted.length
        across = [length for length in self.passed_over if found is not None and length < found]
        named = f"No trial at {_listed(self.passed_over)} {self.length_unit} is scored"
        if not across:
            return f" {named}: nothing is known there."
        return f" {named}: the answer passes over {_listed(across)}, where nothing is known."

    def which_to_quote(self) -> str:
        """Say which estimate and set to quote and why, and what the other methods say."""
        return quote_sentence(
            self.quoted,
            self.beside,
            has_headline=self.headline is not None,
            treatment=self.criterion.treatment,
            codes=frozenset(notice.code for notice in self.notices),
            unit=self.length_unit,
        )

    @property
    def curve_fails(self) -> bool:
        """True if a curve's test spoke against it, as the notices say."""
        return any(notice.code == CURVE_FAILS for notice in self.notices)

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
            "quote": self.which_to_quote(),
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


def _listed(lengths: Sequence[int]) -> str:
    """Write lengths as part of a sentence.

    Examples
    --------
    >>> _listed([4096]), _listed([4096, 8192, 16384])
    ('4096', '4096, 8192 and 16384')
    """
    *first, last = map(str, lengths)
    return f"{', '.join(first)} and {last}" if first else last


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
        estimates=tuple(estimate_of(part, lengths) for part in document["estimates"]),
        unscored_bounds=_bounds_of(document["unscored_bounds"]),
        members=tuple(document["averaged_tasks"]),
        notices=notices_of(document["notices"]),
    )


def _bounds_of(document: Mapping[str, Any] | None) -> MissingBounds | None:
    if document is None:
        return None
    pairs = {int(n): (low, high) for n, (low, high) in document["accuracy_by_length"].items()}
    return MissingBounds(pairs, document["worst"], document["best"])


def estimate_of(document: Mapping[str, Any], lengths: NDArray[np.int64]) -> Estimate:
    """Restore an estimate; its own dictionary does not say which lengths were tested."""
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
