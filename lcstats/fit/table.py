"""What a fit sees: the cells with data in a row, and the law but for its coefficients."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lcstats.cells import CellGrid
from lcstats.curve import (
    BASE_LENGTH,
    SPAN_DOUBLINGS,
    TERMS,
    Curve,
    FloatArray,
    design_matrix,
)
from lcstats.errors import OptionError, describe
from lcstats.records import freeze_arrays

SMALLEST_NEW_DIRECTION = 1e-8
"""A column that adds less than this share of its size to the columns before it is no news."""

LARGEST_TERM_ERROR = 100.0
"""Standard error, in log-odds, from which a term is not determined."""

MOST_INFORMATION = 0.25
"""Of one case on its logit: at a rate of one half."""


@dataclass(frozen=True, slots=True, eq=False)
class CellTable:
    """The cells with data of one grid.

    Attributes
    ----------
    length, depth : ndarray of float64, shape (n_cells,)
    n_cases, successes : ndarray of float64, shape (n_cells,)
    flat : ndarray of int64, shape (n_cells,)
        Position of each cell in the grid.
    """

    length: FloatArray
    depth: FloatArray
    n_cases: FloatArray
    successes: FloatArray
    flat: NDArray[np.int64]

    def __post_init__(self) -> None:
        """Make the arrays read-only."""
        freeze_arrays(self)


@dataclass(frozen=True, slots=True)
class DroppedTerm:
    """A term the data cannot inform, and why."""

    term: str
    reason: str


@dataclass(frozen=True, slots=True)
class Law:
    """Everything about a curve but its coefficients."""

    terms: tuple[str, ...]
    guess_rate: float
    lapse_rate: float
    recency_scale: float
    base_length: float
    span_doublings: float

    def design(self, length: FloatArray, depth: FloatArray) -> FloatArray:
        """Return the columns of the fitted terms; (...,) lengths to (..., n_terms)."""
        columns = design_matrix(
            length,
            depth,
            recency_scale=self.recency_scale,
            base_length=self.base_length,
            span_doublings=self.span_doublings,
        )
        if self.terms == TERMS:
            return columns
        return np.ascontiguousarray(columns[..., [TERMS.index(term) for term in self.terms]])

    def curve(self, coefficients: FloatArray) -> Curve:
        """Return the curve with these coefficients, shape (n_terms,), and 0 for other terms."""
        values = dict(zip(self.terms, coefficients.tolist(), strict=True))
        return Curve(
            *(values.get(term, 0.0) for term in TERMS),
            guess_rate=self.guess_rate,
            lapse_rate=self.lapse_rate,
            recency_scale=self.recency_scale,
            base_length=self.base_length,
            span_doublings=self.span_doublings,
        )


def tabulate(grid: CellGrid) -> CellTable:
    """Put the cells with data in a row, by length and then depth."""
    row, column = np.nonzero(grid.n_cases)
    return CellTable(
        length=grid.lengths[row].astype(np.float64),
        depth=grid.depths[column],
        n_cases=grid.n_cases[row, column].astype(np.float64),
        successes=grid.successes[row, column],
        flat=row * grid.depths.size + column,
    )


def base_and_span(lengths: NDArray[np.int64], length_unit: str) -> tuple[float, float]:
    """Return the law's base length and its span in doublings, by the unit of the lengths."""
    if length_unit == "tokens":
        return BASE_LENGTH, SPAN_DOUBLINGS
    return float(lengths[0]), max(1.0, float(np.log2(lengths[-1] / lengths[0])))


def law_of(
    grid: CellGrid,
    terms: Sequence[str],
    *,
    guess_rate: float,
    lapse_rate: float,
    recency_scale: float,
) -> Law:
    """Return the law for a grid's unit: tokens from 1024, other units from the shortest length.

    Raises
    ------
    OptionError
        If a term is unknown or a number is outside its range.
    """
    unknown = [term for term in terms if term not in TERMS]
    if unknown or "intercept" not in terms:
        raise OptionError(
            describe(
                f"terms are {', '.join(terms)}",
                f"expected intercept and some of {', '.join(TERMS[1:])}",
                "leave terms out for all four",
            )
        )
    base, span = base_and_span(grid.lengths, grid.length_unit)
    law = Law(
        tuple(t for t in TERMS if t in terms), guess_rate, lapse_rate, recency_scale, base, span
    )
    law.curve(np.zeros(len(law.terms)))
    return law


def drop_uninformed(law: Law, table: CellTable) -> tuple[Law, tuple[DroppedTerm, ...]]:
    """Leave out terms whose column is a combination of the columns before it."""
    weight = MOST_INFORMATION * table.n_cases
    kept = independent_columns(law.design(table.length, table.depth), weight)
    dropped = [
        DroppedTerm(term, _why(term, table)) for j, term in enumerate(law.terms) if j not in kept
    ]
    terms = tuple(law.terms[j] for j in kept)
    informed = Law(
        terms,
        law.guess_rate,
        law.lapse_rate,
        law.recency_scale,
        law.base_length,
        law.span_doublings,
    )
    return informed, tuple(dropped)


def independent_columns(design: FloatArray, weight: FloatArray) -> list[int]:
    """Return which columns are no combination of the columns before them, nor nearly one.

    Parameters
    ----------
    design : ndarray of float64, shape (n_cells, n_columns)
    weight : ndarray of float64, shape (n_cells,)
        The most that every cell can say of its logit: where what a column adds would have a
        standard error beyond :data:`LARGEST_TERM_ERROR` even so, it is no news either.

    Examples
    --------
    >>> design = np.array([[1.0, 2.0, 0.0, 0.5], [1.0, 2.0, 1.0, 0.5], [1.0, 2.0, 1.0, 0.5 + 1e-4]])
    >>> independent_columns(design, np.full(3, 100.0)), independent_columns(design, np.full(3, 1e6))
    ([0, 2], [0, 2, 3])
    """
    kept: list[int] = []
    for j, column in enumerate(design.T):
        rest: FloatArray = column
        if kept:
            basis = design[:, kept]
            rest = column - basis @ np.linalg.lstsq(basis, column, rcond=None)[0]
        is_new = _size(rest) > SMALLEST_NEW_DIRECTION * max(1.0, _size(column))
        if is_new and _size(np.sqrt(weight) * rest) * LARGEST_TERM_ERROR > 1.0:
            kept.append(j)
    return kept


def _size(column: FloatArray) -> float:
    return float(np.sqrt(np.sum(column**2)))


def _why(term: str, table: CellTable) -> str:
    depths = np.unique(table.depth[~np.isnan(table.depth)])
    if term == "length":
        return "only one length was tested"
    if depths.size == 0:
        return "no trial has a depth"
    if depths.size == 1:
        return f"only depth {depths[0]:g} was tested"
    return "the tested cells cannot tell it from the other terms"
