"""The curve of a single needle behind the needles of trials, whatever is known of them."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from lcstats.curve import Curve, FloatArray
from lcstats.fit import CurveFit, GoodnessOfFit, fit_curve, goodness_of_fit
from lcstats.fit.joint import JointFit, TaskCounts, fit_joint
from lcstats.fit.joint.resample import resample_joint
from lcstats.fit.table import base_and_span
from lcstats.lengths.curve_estimate import draw_curves
from lcstats.needles.cells import needle_cells
from lcstats.needles.data import Floats, NeedleTable, Whole
from lcstats.options import Penalty
from lcstats.records import array_of, finite_or_none, freeze_arrays, list_numbers
from lcstats.trials.wording import counted

MOST_PLACES = 101
"""Distinct depths beyond which a mean over depths is taken at even ones."""

FEWEST_UNITS = 10
"""Units below which no set is made of units drawn again."""

N_DRAWS = 1000


@dataclass(frozen=True, slots=True, eq=False)
class SingleNeedle:
    """The rate of one needle by length and depth, as a curve fitted to trials of several.

    Attributes
    ----------
    curve : Curve
    lengths : ndarray of int64, shape (n_lengths,)
    depths : ndarray of float64, shape (n_depths,)
        Where needles were: means over depths are over these.
    rates : ndarray of float64, shape (n_lengths, n_depths)
    draws : ndarray of float64, shape (n_draws, n_lengths, n_depths)
        Rates of curves fitted to resampled trials; no draws where units are few, or
        such fits did not settle.
    kind : {"cluster_bootstrap", "parametric_bootstrap"}
        What was resampled: units with what they share, or counts from the curve.
    fit : CurveFit or JointFit
        ``CurveFit`` where each needle is known to be found or not.
    goodness : GoodnessOfFit or None
        Its test, which takes needles for independent; None where it is not known which were found.
    is_of_prompts : bool
        Whether the test takes repeats for trials of their own, as it has to where those of a case
        disagree: it then speaks of these very prompts.
    n_units : int
        That the curve was fitted to.
    """

    curve: Curve
    lengths: Whole
    depths: Floats
    rates: Floats
    draws: Floats
    kind: str
    fit: CurveFit | JointFit
    goodness: GoodnessOfFit | None
    is_of_prompts: bool
    n_units: int

    def __post_init__(self) -> None:
        """Make the arrays read-only."""
        freeze_arrays(self)

    @property
    def fails(self) -> bool:
        """True if the test speaks against the curve."""
        return self.goodness is not None and not self.goodness.passes

    @property
    def estimates(self) -> Mapping[str, float]:
        """Every coefficient by its name."""
        if isinstance(self.fit, JointFit):
            return self.fit.estimates
        return {term: getattr(self.fit.curve, term) for term in self.fit.parameters}

    @property
    def error_kind(self) -> str:
        """Where standard errors come from: ``robust``, ``beta-binomial`` or ``model-based``."""
        if isinstance(self.fit, JointFit):
            return "model-based" if self.fit.overdispersion is None else "beta-binomial"
        return "model-based" if self.fit.robust_standard_errors is None else "robust"

    @property
    def why_no_errors(self) -> str:
        """Why no standard error is stated; empty where they are."""
        if self.fit.separated:
            return "found and missed needles are separated, so that they would mean nothing"
        if self.error_kind == "robust" and self.n_units < FEWEST_UNITS:
            return f"{counted(self.n_units, 'unit')}, too few for their scatter to be known"
        return ""

    @property
    def standard_errors(self) -> Mapping[str, float] | None:
        """Standard error of every coefficient; None where they would say nothing."""
        if self.why_no_errors:
            return None
        robust = None if isinstance(self.fit, JointFit) else self.fit.robust_standard_errors
        return robust or self.fit.standard_errors

    def to_dict(self) -> dict[str, Any]:
        """Return JSON-ready values: the fit, what is stated of its errors, and its test."""
        errors = self.standard_errors
        return {
            "fit": {k: v for k, v in self.fit.to_dict().items() if k not in ("counts", "notices")},
            "standard_errors": errors and {k: finite_or_none(v) for k, v in errors.items()},
            "standard_error_kind": errors and self.error_kind,
            "no_standard_errors_because": self.why_no_errors or None,
            "goodness_of_fit": None if self.goodness is None else self.goodness.to_dict(),
            "goodness_is_of_prompts": self.is_of_prompts,
        }

    def to_record(self) -> dict[str, Any]:
        """Return everything but the draws, JSON-ready, for :meth:`from_record`."""
        return {
            "fit": self.fit.to_dict(),
            "kind": self.kind,
            "is_of_prompts": self.is_of_prompts,
            "n_units": self.n_units,
            "goodness_of_fit": self.goodness and self.goodness.to_record(),
            "lengths": self.lengths.tolist(),
            **{name: list_numbers(getattr(self, name)) for name in ("depths", "rates")},
        }

    @classmethod
    def from_record(cls, document: Mapping[str, Any]) -> "SingleNeedle":
        """Restore what :meth:`to_record` returned, without draws."""
        is_joint = "tasks" in document["fit"]
        fit = (JointFit if is_joint else CurveFit).from_dict(document["fit"])
        goodness, rates = document["goodness_of_fit"], array_of(document["rates"])
        return cls(
            curve=fit.curve,
            lengths=np.array(document["lengths"], dtype=np.int64),
            depths=array_of(document["depths"]),
            rates=rates,
            draws=np.empty((0, *rates.shape)),
            kind=document["kind"],
            fit=fit,
            goodness=goodness and GoodnessOfFit.from_record(goodness),
            is_of_prompts=document["is_of_prompts"],
            n_units=document["n_units"],
        )


def fit_single_needle(
    table: NeedleTable, *, penalty: Penalty = "jeffreys", seed: int = 0
) -> SingleNeedle:
    """Fit the curve of a single needle.

    Parameters
    ----------
    table : NeedleTable
    penalty : {"jeffreys", "none"}
    seed : int

    Notes
    -----
    Known needles are 0/1 cases at their own depths, in clusters of their trials. Of counts the mean
    rate over the trial's needles is fitted, of all-or-nothing outcomes the product of their rates;
    where needles lay is then integrated over the design, if nobody knows it.
    """
    if table.kind == "needles":
        return _of_needles(table, penalty, seed)
    return _of_trials(table, penalty, seed)


def _of_needles(table: NeedleTable, penalty: Penalty, seed: int) -> SingleNeedle:
    fit = fit_curve(needle_cells(table), penalty=penalty)
    draws = draw_curves(fit, seed=seed)
    rates, depths = fit.accuracy, fit.grid.depths
    is_enough = draws.are_settled and table.n_units >= FEWEST_UNITS
    return SingleNeedle(
        curve=fit.curve,
        lengths=fit.grid.lengths,
        depths=depths,
        rates=rates,
        draws=draws.accuracies if is_enough else np.empty((0, *rates.shape)),
        kind=draws.kind,
        fit=fit,
        goodness=_test(table, fit, seed),
        is_of_prompts=fit.grid.has_fractions,
        n_units=table.n_units,
    )


def _test(table: NeedleTable, fit: CurveFit, seed: int) -> GoodnessOfFit | None:
    """Test a curve of cases; where repeats of a case disagree, that of the repeats themselves."""
    if fit.grid.has_fractions:
        fit = fit_curve(needle_cells(_unfolded(table)), penalty=fit.penalty)
    is_testable = fit.cells.length.size > len(fit.parameters)
    return goodness_of_fit(fit, seed=seed) if is_testable else None


def _unfolded(table: NeedleTable) -> NeedleTable:
    return replace(
        table,
        repeats="independent",
        unit=np.arange(table.n_trials),
        weight=np.ones(table.n_trials),
        cluster=table.cluster[table.unit],
    )


def _of_trials(table: NeedleTable, penalty: Penalty, seed: int) -> SingleNeedle:
    base, span = base_and_span(table.lengths, table.length_unit)
    task = task_counts(table)
    fit = fit_joint(task, penalty=penalty, base_length=base, span_doublings=span)
    places = np.unique(task.places)
    depths = places if places.size <= MOST_PLACES else np.linspace(0.0, 1.0, MOST_PLACES)
    return SingleNeedle(
        curve=fit.curve,
        lengths=table.lengths,
        depths=depths,
        rates=fit.curve.accuracy(table.lengths, depths),
        draws=resample_joint(fit, table.lengths, depths, n_draws=N_DRAWS, seed=seed),
        kind="parametric_bootstrap",
        fit=fit,
        goodness=None,
        is_of_prompts=False,
        n_units=table.n_units,
    )


def task_counts(table: NeedleTable) -> TaskCounts:
    """Count successes by placement: trials that found all, or found needles where those are known.

    Parameters
    ----------
    table : NeedleTable
        A unit counts once, with the mean of its trials.
    """
    counts_facts = table.kind != "all_or_nothing"
    value = table.found.sum(axis=1) if counts_facts else table.all_found
    per_unit = table.n_needles if counts_facts else 1
    _, first, code = np.unique(table.placement, return_index=True, return_inverse=True)
    places = table.depths[first] if table.has_depths else _design_places(table, first.size)
    return TaskCounts(
        name=table.task,
        length=table.length[first].astype(np.float64),
        places=places,
        n_cases=np.bincount(code, per_unit * table.weight).astype(np.float64),
        successes=np.bincount(code, table.weight * value).astype(np.float64),
        n_facts=table.n_needles,
        are_placed=table.has_depths,
        counted="facts" if counts_facts else "all",
        tallies=_tallies(table, code) if counts_facts and table.n_needles > 1 else None,
    )


def _tallies(table: NeedleTable, code: Whole) -> Floats:
    """Count units by placement and number of found needles, (n_cells, n_needles + 1)."""
    tallies = np.zeros((code.max() + 1, table.n_needles + 1))
    np.add.at(tallies, (code, table.found.sum(axis=1).astype(np.int64)), table.weight)
    return tallies


def _design_places(table: NeedleTable, n_cells: int) -> FloatArray:
    """Return the depths of the design, where needles may be; NaN where there are none."""
    asked = np.unique(table.asked_depth[~np.isnan(table.asked_depth)])
    places = asked if asked.size else np.array([np.nan])
    return np.repeat(places[None], n_cells, axis=0)
