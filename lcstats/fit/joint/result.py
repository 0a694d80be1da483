"""A fit of one curve to the counts of several tasks, with everything needed to judge it."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from lcstats.curve import Curve, FloatArray
from lcstats.errors import Notice, OptionError, describe
from lcstats.fit.covariance import standard_errors
from lcstats.fit.joint.overdispersed import Overdispersion
from lcstats.fit.joint.parameters import COMBINING_DECAY, COMBINING_RATE, Parameter, build_compound
from lcstats.fit.joint.tasks import TaskCounts, tallies_of
from lcstats.fit.table import DroppedTerm, Law
from lcstats.options import Penalty
from lcstats.records import (
    SCHEMA_VERSION,
    array_of,
    finite_or_none,
    freeze_arrays,
    list_notices,
    list_numbers,
    notices_of,
    restoring,
)


@dataclass(frozen=True, slots=True, eq=False)
class JointFit:
    """One curve of single facts, fitted to tasks that need one or several of them.

    Attributes
    ----------
    tasks : tuple of TaskCounts
    law : Law
        Constants, and the terms that were asked for.
    fitted : tuple of Parameter
        In the order of `coefficients`.
    coefficients : ndarray of float64, shape (n_parameters,)
    covariance : ndarray of float64, shape (n_parameters, n_parameters)
        Inverse Fisher information; times the dispersion where facts are counted of several tasks,
        or how many each trial found is not known.
    log_likelihood : float
        Without penalty or binomial coefficients.
    dispersion : float
        Pearson chi-square over its degrees of freedom; NaN without any.
    penalty : {"jeffreys", "none"}
    converged : bool
    separated : bool
        Whether nothing but the penalty holds some coefficients: all facts found, say.
    dropped_terms : tuple of DroppedTerm
    overdispersion : Overdispersion or None
        Of a beta-binomial fit: numbers of found facts that scatter more than binomial ones, by a
        test at .05.
    notices : tuple of Notice
    """

    tasks: tuple[TaskCounts, ...]
    law: Law
    fitted: tuple[Parameter, ...]
    coefficients: FloatArray
    covariance: FloatArray
    log_likelihood: float
    dispersion: float
    penalty: Penalty
    converged: bool
    separated: bool
    dropped_terms: tuple[DroppedTerm, ...]
    overdispersion: Overdispersion | None = None
    notices: tuple[Notice, ...] = ()

    def __post_init__(self) -> None:
        """Make the arrays read-only."""
        freeze_arrays(self)

    @property
    def parameters(self) -> tuple[str, ...]:
        """Names of the coefficients: ``length``, ``length[distractors]``."""
        return tuple(parameter.name for parameter in self.fitted)

    @property
    def estimates(self) -> Mapping[str, float]:
        """Every coefficient by its name."""
        return dict(zip(self.parameters, self.coefficients.tolist(), strict=True))

    @property
    def standard_errors(self) -> Mapping[str, float]:
        """Standard error of every coefficient by its name."""
        errors = standard_errors(self.covariance).tolist()
        return dict(zip(self.parameters, errors, strict=True))

    @property
    def aic(self) -> float:
        """Akaike's criterion: twice the number of parameters less twice the log-likelihood."""
        n_parameters = len(self.fitted) + (self.overdispersion is not None)
        return 2.0 * n_parameters - 2.0 * self.log_likelihood

    @property
    def likelihood(self) -> str:
        """Of what the log-likelihood is: ``binomial``, or ``beta-binomial``."""
        return "binomial" if self.overdispersion is None else "beta-binomial"

    @property
    def curve(self) -> Curve:
        """The curve of single facts that the tasks share."""
        return self.curve_of("")

    def curve_of(self, task: str) -> Curve:
        """Return the curve of single facts under a task, its own differences added."""
        values = dict.fromkeys(self.law.terms, 0.0)
        for parameter, value in zip(self.fitted, self.coefficients.tolist(), strict=True):
            if not parameter.combines and parameter.task in ("", task):
                values[parameter.term] += value
        return self.law.curve(np.array([*values.values()]))

    def with_coefficients(self, coefficients: FloatArray) -> "JointFit":
        """Return the fit with other coefficients, as draws have them."""
        return replace(self, coefficients=coefficients)

    def combining_of(self, task: str) -> tuple[float, float]:
        """Return kappa and omega of a task: the chance to combine found facts, and its decay."""
        estimates = self.estimates
        log_rate = estimates.get(f"{COMBINING_RATE}[{task}]", 0.0)
        return float(np.exp(log_rate)), estimates.get(f"{COMBINING_DECAY}[{task}]", 0.0)

    @property
    def rates(self) -> Mapping[str, FloatArray]:
        """Fitted chance of success in every cell of every task, shape (n_cells,) each."""
        compound = build_compound(self.tasks, self.law, self.fitted)
        logs = compound.log_rates(
            self.coefficients, guess_rate=self.law.guess_rate, lapse_rate=self.law.lapse_rate
        )
        ends = np.cumsum([task.length.size for task in self.tasks])[:-1]
        parts = np.split(np.exp(logs), ends)
        return {task.name: part for task, part in zip(self.tasks, parts, strict=True)}

    @property
    def tallies(self) -> FloatArray | None:
        """Trials by number of found facts, where a single task says it; None elsewhere."""
        return tallies_of(self.tasks)

    def task(self, name: str) -> TaskCounts:
        """Return the counts of one task.

        Raises
        ------
        OptionError
            If there is none of that name.
        """
        for task in self.tasks:
            if task.name == name:
                return task
        names = ", ".join(task.name for task in self.tasks)
        raise OptionError(
            describe(f"task is {name!r}", f"expected one of {names}", "choose one of these")
        )

    def __repr__(self) -> str:
        errors = self.standard_errors
        shown = ", ".join(f"{n} {v:.3g} ({errors[n]:.2g})" for n, v in self.estimates.items())
        flag = "" if self.converged else ", not converged"
        return f"JointFit({' and '.join(task.name for task in self.tasks)}: {shown}{flag})"

    def to_dict(self) -> dict[str, Any]:
        """Return JSON-ready values."""
        return {
            "schema_version": SCHEMA_VERSION,
            "tasks": [task.name for task in self.tasks],
            "coefficients": dict(self.estimates),
            "standard_errors": {
                name: finite_or_none(error) for name, error in self.standard_errors.items()
            },
            "covariance": list_numbers(self.covariance),
            "likelihood": self.likelihood,
            "overdispersion": self.overdispersion and self.overdispersion.to_dict(),
            "log_likelihood": self.log_likelihood,
            "aic": self.aic,
            "dispersion": finite_or_none(self.dispersion),
            "penalty": self.penalty,
            "converged": self.converged,
            "separated": self.separated,
            "dropped_terms": [dropped.term for dropped in self.dropped_terms],
            "dropped_because": [dropped.reason for dropped in self.dropped_terms],
            "terms": list(self.law.terms),
            **{name: getattr(self.law, name) for name in _CONSTANTS},
            "parameters": [[parameter.term, parameter.task] for parameter in self.fitted],
            "counts": [task.to_dict() for task in self.tasks],
            "notices": list_notices(self.notices),
        }

    @classmethod
    def from_dict(cls, document: Mapping[str, Any]) -> "JointFit":
        """Restore what :meth:`to_dict` returned.

        Raises
        ------
        FormatError
            If it is of an unknown schema version or not whole.

        Notes
        -----
        A covariance that is not finite comes back as infinite.
        """
        with restoring("JointFit", document):
            return _restored(document)


_CONSTANTS = ("guess_rate", "lapse_rate", "recency_scale", "base_length", "span_doublings")


def _restored(document: Mapping[str, Any]) -> JointFit:
    fitted = tuple(Parameter(*pair) for pair in document["parameters"])
    reasons = zip(document["dropped_terms"], document["dropped_because"], strict=True)
    overdispersion = document.get("overdispersion")
    return JointFit(
        tasks=tuple(TaskCounts.from_dict(task) for task in document["counts"]),
        law=Law(tuple(document["terms"]), *(document[name] for name in _CONSTANTS)),
        fitted=fitted,
        coefficients=np.array([document["coefficients"][p.name] for p in fitted]),
        covariance=array_of(document["covariance"], missing=np.inf),
        log_likelihood=document["log_likelihood"],
        dispersion=float(array_of(document["dispersion"])),
        penalty=document["penalty"],
        converged=document["converged"],
        separated=document.get("separated", False),
        dropped_terms=tuple(DroppedTerm(*pair) for pair in reasons),
        overdispersion=overdispersion and Overdispersion(**overdispersion),
        notices=notices_of(document["notices"]),
    )
