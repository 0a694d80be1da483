"""A fitted curve with everything needed to judge it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from lcstats.cells import CellGrid, keep_depths
from lcstats.curve import TERMS, Curve, FloatArray
from lcstats.errors import Notice
from lcstats.fit.covariance import standard_errors
from lcstats.fit.table import CellTable, DroppedTerm, Law, tabulate
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
class CurveFit:
    """A curve fitted to one language model on one task.

    Attributes
    ----------
    curve : Curve
        Dropped terms have coefficient 0.
    parameters : tuple of str
        The fitted terms, then ``lapse_rate`` and ``recency_scale`` where they were estimated.
    covariance : ndarray of float64, shape (n_parameters, n_parameters)
        Inverse Fisher information; times the dispersion for graded scores.
    robust_covariance : ndarray of float64 or None
        From the scatter of cases or clusters; None for sources without cases, and where the fit is
        separated: what does not scatter says nothing of how far estimates may be off.
    log_likelihood : float
        Without penalty, one Bernoulli term per case.
    deviance : float
        Against a curve that meets every cell.
    dispersion : float
        Pearson chi-square over degrees of freedom; NaN without any.
    penalty : {"jeffreys", "none"}
    separated, converged : bool
    dropped_terms : tuple of DroppedTerm
    grid : CellGrid
        The counts it was fitted to.
    law : Law
        Terms and constants, without coefficients.
    cells : CellTable
        The counts in a row.
    notices : tuple of Notice
    """

    curve: Curve
    parameters: tuple[str, ...]
    covariance: FloatArray
    robust_covariance: FloatArray | None
    log_likelihood: float
    deviance: float
    dispersion: float
    penalty: Penalty
    separated: bool
    converged: bool
    dropped_terms: tuple[DroppedTerm, ...]
    grid: CellGrid
    law: Law
    cells: CellTable
    notices: tuple[Notice, ...] = ()

    def __post_init__(self) -> None:
        """Make the arrays read-only."""
        freeze_arrays(self)

    @property
    def terms(self) -> tuple[str, ...]:
        """The fitted terms, in the order of the design's columns."""
        return self.law.terms

    @property
    def coefficients(self) -> FloatArray:
        """Coefficients of the fitted terms, shape (n_terms,)."""
        return self.curve.coefficients[[TERMS.index(term) for term in self.terms]]

    @property
    def design(self) -> FloatArray:
        """Columns of the fitted terms, shape (n_cells, n_terms)."""
        return self.law.design(self.cells.length, self.cells.depth)

    @property
    def standard_errors(self) -> Mapping[str, float]:
        """Model-based standard error of every fitted parameter."""
        return _errors_by_name(self.parameters, self.covariance)

    @property
    def robust_standard_errors(self) -> Mapping[str, float] | None:
        """Standard errors from the scatter of cases or clusters; None as `robust_covariance`."""
        if self.robust_covariance is None:
            return None
        return _errors_by_name(self.parameters, self.robust_covariance)

    @property
    def accuracy(self) -> FloatArray:
        """Fitted accuracy on the grid, shape (n_lengths, n_depths)."""
        return self.curve.accuracy(self.grid.lengths, self.grid.depths)

    @property
    def aic(self) -> float:
        """Akaike's criterion: twice the number of parameters less twice the log-likelihood."""
        return 2.0 * len(self.parameters) - 2.0 * self.log_likelihood

    def is_of(self, grid: CellGrid) -> bool:
        """Tell whether this is a fit to these very counts; to those with a depth, if some have."""
        mine, (grid, _) = self.grid, keep_depths(grid)
        return (mine.model, mine.task, mine.unit) == (grid.model, grid.task, grid.unit) and all(
            np.array_equal(getattr(mine, name), getattr(grid, name), equal_nan=name == "depths")
            for name in ("lengths", "depths", "n_cases", "numerators")
        )

    def __repr__(self) -> str:
        errors = self.standard_errors
        shown = ", ".join(
            f"{name} {getattr(self.curve, name):.3g} ({errors[name]:.2g})"
            for name in self.parameters
        )
        flags = [
            word
            for word, on in (("separated", self.separated), ("not converged", not self.converged))
            if on
        ]
        return f"CurveFit({', '.join([f'{self.grid.model} on {self.grid.task}: {shown}', *flags])})"

    def to_dict(self) -> dict[str, Any]:
        """Return the group of the ``fit`` JSON, without goodness of fit but with its counts."""
        robust = self.robust_standard_errors
        return {
            "schema_version": SCHEMA_VERSION,
            "model": self.grid.model,
            "task": self.grid.task,
            "n_trials": int(self.grid.n_trials.sum()),
            "n_cases": int(self.grid.n_cases.sum()),
            "n_cells": int(self.cells.length.size),
            "coefficients": {
                term: getattr(self.curve, term) if term in self.terms else None for term in TERMS
            },
            "standard_errors": _jsonable(self.standard_errors),
            "robust_standard_errors": None if robust is None else _jsonable(robust),
            "parameters": list(self.parameters),
            "covariance": list_numbers(self.covariance),
            "robust_covariance": None
            if self.robust_covariance is None
            else list_numbers(self.robust_covariance),
            "log_likelihood": self.log_likelihood,
            "deviance": self.deviance,
            "aic": self.aic,
            "penalty": self.penalty,
            "separated": self.separated,
            "converged": self.converged,
            "dropped_terms": [dropped.term for dropped in self.dropped_terms],
            "dropped_because": [dropped.reason for dropped in self.dropped_terms],
            "dispersion": finite_or_none(self.dispersion),
            **{name: getattr(self.curve, name) for name in _CONSTANTS},
            "counts": self.grid.to_dict(),
            "notices": list_notices(self.notices),
        }

    @classmethod
    def from_dict(cls, document: Mapping[str, Any]) -> "CurveFit":
        """Restore what :meth:`to_dict` returned.

        Raises
        ------
        FormatError
            If it is of an unknown schema version or not whole.

        Notes
        -----
        A covariance that is not finite comes back as infinite, a robust one as NaN.
        """
        with restoring("CurveFit", document):
            return _restored(document)


def _restored(document: Mapping[str, Any]) -> CurveFit:
    coefficients = document["coefficients"]
    constants = {name: document[name] for name in _CONSTANTS}
    terms = tuple(term for term in TERMS if coefficients[term] is not None)
    robust = document["robust_covariance"]
    reasons = zip(document["dropped_terms"], document["dropped_because"], strict=True)
    grid = CellGrid.from_dict(document["counts"])
    return CurveFit(
        curve=Curve(*(coefficients[term] or 0.0 for term in TERMS), **constants),
        parameters=tuple(document["parameters"]),
        covariance=array_of(document["covariance"], missing=np.inf),
        robust_covariance=None if robust is None else array_of(robust),
        dispersion=float(array_of(document["dispersion"])),
        dropped_terms=tuple(DroppedTerm(*pair) for pair in reasons),
        grid=grid,
        law=Law(terms, **constants),
        cells=tabulate(grid),
        notices=notices_of(document["notices"]),
        **{name: document[name] for name in _AS_THEY_ARE},
    )


_CONSTANTS = ("guess_rate", "lapse_rate", "recency_scale", "base_length", "span_doublings")
_AS_THEY_ARE = ("log_likelihood", "deviance", "penalty", "separated", "converged")


def _errors_by_name(names: tuple[str, ...], covariance: FloatArray) -> Mapping[str, float]:
    return dict(zip(names, standard_errors(covariance).tolist(), strict=True))


def _jsonable(values: Mapping[str, float]) -> dict[str, float | None]:
    return {name: finite_or_none(value) for name, value in values.items()}
