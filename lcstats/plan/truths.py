"""What a plan is made for: accuracies on the planned lengths and depths, known or left open."""

from dataclasses import dataclass
from functools import singledispatch
from typing import Any

import numpy as np
import pandas as pd
from numpy.random import Generator, Philox
from numpy.typing import ArrayLike, NDArray

from lcstats.curve import Curve, FloatArray
from lcstats.datasets import PublishedRow
from lcstats.draws import Draws
from lcstats.errors import OptionError, describe
from lcstats.fit import CurveFit
from lcstats.flexible import FlexibleFit
from lcstats.lengths.criterion import Criterion
from lcstats.lengths.crossing import treated
from lcstats.lengths.resampling import outcomes_of_draws
from lcstats.lengths.windows import check_runs
from lcstats.records import freeze_arrays
from lcstats.trials.wording import shown
from lcstats.truths import AccuracyTable, SharedHaystack, Truth, check_axes, get_truth

N_OPEN_DRAWS = 200
"""Accuracies that an open truth is averaged over, taken evenly from all that it has."""

TABLE_COLUMNS = ("length", "depth", "accuracy")
"""Columns of a table of accuracies."""

PlannableTruth = (
    Truth | str | Curve | CurveFit | FlexibleFit | Draws | PublishedRow | pd.DataFrame | ArrayLike
)
"""What :func:`planned_truth` understands."""


@dataclass(frozen=True, slots=True, eq=False)
class PlannedTruth:
    """Accuracies on a planned grid.

    Attributes
    ----------
    name : str
    lengths : ndarray of int64, shape (n_lengths,)
    depths : ndarray of float64, shape (n_depths,)
    accuracies : ndarray of float64, shape (n_draws, n_lengths, n_depths)
        One draw where the truth is known; many, equally likely, where a pilot or a posterior
        leaves it open. What is averaged over them is an assurance.
    haystack : SharedHaystack or None
        What makes the trials of a length depend on each other.
    """

    name: str
    lengths: NDArray[np.int64]
    depths: FloatArray
    accuracies: FloatArray
    haystack: SharedHaystack | None = None

    def __post_init__(self) -> None:
        """Make the arrays read-only."""
        freeze_arrays(self)

    @property
    def is_open(self) -> bool:
        """True where the accuracies are not known but have a distribution."""
        return len(self.accuracies) > 1

    def treated_accuracies(self, criterion: Criterion) -> FloatArray:
        """Return the depth-treated accuracy of every length, shape (n_draws, n_lengths).

        ``pooled`` weighs all depths alike: a plan has the same number of cases at each.
        """
        if criterion.treatment.is_window:
            one_each = np.ones(self.accuracies.shape[1:], dtype=np.int64)
            names = [str(length) for length in self.lengths.tolist()]
            check_runs(one_each, criterion.treatment.width, names)
        alike = np.full(self.depths.size, 1.0 / self.depths.size)
        return treated(self.accuracies, criterion.treatment, alike)

    def true_outcomes(self, criterion: Criterion) -> NDArray[np.int64]:
        """Apply the threshold rule to the accuracies of every draw; shape (n_draws,)."""
        return outcomes_of_draws(self.treated_accuracies(criterion), self.lengths, criterion)


def planned_truth(truth: PlannableTruth, lengths: ArrayLike, depths: ArrayLike) -> PlannedTruth:
    """Return the accuracies of any kind of truth on a grid.

    Parameters
    ----------
    truth : Truth, str, Curve, CurveFit, FlexibleFit, Draws, PublishedRow, DataFrame or array_like
        A truth or the name of a built-in one; a curve or the fit of one; draws or a fitted
        surface, which know their own lengths and depths only and leave the truth open; a row of a
        published table, whose accuracy stands at every depth; a table of accuracies with columns
        ``length``, ``depth`` and ``accuracy``, or an array of shape (n_lengths, n_depths).
    lengths : array_like of int, shape (n_lengths,)
        Ascending.
    depths : array_like of float, shape (n_depths,)
        Fractions in [0, 1], ascending.

    Returns
    -------
    PlannedTruth

    Raises
    ------
    OptionError
        If the truth is of none of these kinds or lacks a length or a depth, or if an accuracy is
        no number in [0, 1].

    Examples
    --------
    >>> planned = planned_truth("single-needle", [1024, 131072], [0.0, 0.5])
    >>> planned.accuracies.round(2).tolist()
    [[[0.99, 0.99], [0.89, 0.55]]]
    """
    rows, columns = check_axes(lengths, depths)
    known = _on_grid(truth, rows, columns)
    _check_accuracies(known.accuracies)
    return PlannedTruth(
        known.name, rows.astype(np.int64), columns, known.accuracies, known.haystack
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Known:
    """A truth on a grid: accuracies of shape (n_draws, n_lengths, n_depths)."""

    name: str
    accuracies: FloatArray
    haystack: SharedHaystack | None = None


@singledispatch
def _on_grid(truth: Any, lengths: FloatArray, depths: FloatArray) -> _Known:
    """Return what is known of a truth; here: an array of accuracies."""
    try:
        accuracies = np.asarray(truth, dtype=np.float64)
    except (TypeError, ValueError):
        accuracies = np.empty(0)
    if accuracies.shape != (lengths.size, depths.size):
        raise OptionError(
            describe(
                f"truth is {_what_it_is(truth)}",
                f"expected a truth, or accuracies of {lengths.size} lengths and {depths.size} "
                "depths",
                "name a built-in truth, or pass a Curve, a fit, draws or a table of accuracies",
            )
        )
    return _Known("table of accuracies", accuracies[None])


@_on_grid.register
def _(truth: str, lengths: FloatArray, depths: FloatArray) -> _Known:
    return _on_grid(get_truth(truth), lengths, depths)


@_on_grid.register
def _(truth: Truth, lengths: FloatArray, depths: FloatArray) -> _Known:
    if truth.draw_cells is None:
        return _Known(truth.name, truth.accuracy(lengths, depths)[None], truth.haystack)
    rng = Generator(Philox(0))
    drawn = [truth.draw_cells(lengths, depths, rng) for _ in range(N_OPEN_DRAWS)]
    return _Known(truth.name, np.stack(drawn))


@_on_grid.register
def _(truth: Curve, lengths: FloatArray, depths: FloatArray) -> _Known:
    return _Known("curve", truth.accuracy(lengths, depths)[None])


@_on_grid.register
def _(truth: CurveFit, lengths: FloatArray, depths: FloatArray) -> _Known:
    name = f"curve of {truth.grid.model} on {truth.grid.task}"
    return _Known(name, truth.curve.accuracy(lengths, depths)[None])


@_on_grid.register
def _(truth: FlexibleFit, lengths: FloatArray, depths: FloatArray) -> _Known:
    grid = truth.grid
    drawn = _drawn_on(grid.lengths, grid.depths, truth.accuracies, lengths, depths)
    return _Known(f"surface of {grid.model} on {grid.task}", drawn)


@_on_grid.register
def _(truth: Draws, lengths: FloatArray, depths: FloatArray) -> _Known:
    drawn = _drawn_on(truth.lengths, truth.depths, truth.accuracies, lengths, depths)
    return _Known(f"{len(truth)} draws of a curve", drawn)


@_on_grid.register
def _(truth: PublishedRow, lengths: FloatArray, depths: FloatArray) -> _Known:
    published = np.array([float(share) for share in truth.accuracies.values()])
    tested = np.array(list(truth.accuracies), dtype=np.float64)
    by_length = AccuracyTable(tested, np.array([np.nan]), published[:, None])
    accuracy = by_length(lengths, [np.nan])
    return _Known(truth.model, np.repeat(accuracy, depths.size, axis=1)[None])


@_on_grid.register
def _(truth: pd.DataFrame, lengths: FloatArray, depths: FloatArray) -> _Known:
    lacking = set(TABLE_COLUMNS) - set(truth.columns)
    if lacking:
        raise OptionError(
            describe(
                f"the table of accuracies has columns {', '.join(map(str, truth.columns))}",
                "expected length, depth and accuracy",
                f"add {', '.join(sorted(lacking))}",
            )
        )
    numbers = _numbers_of(truth)
    if numbers.duplicated(["length", "depth"]).any():
        again = numbers[numbers.duplicated(["length", "depth"])].iloc[0]
        raise OptionError(
            describe(
                f"the table of accuracies has length {again['length']}, depth {again['depth']} "
                "more than once",
                "expected every cell once",
                "leave one row for each length and depth",
            )
        )
    wide = numbers.pivot(index="length", columns="depth", values="accuracy")
    axes = (wide.index.to_numpy(np.float64), wide.columns.to_numpy(np.float64))
    table = AccuracyTable(*axes, wide.to_numpy(np.float64))
    return _Known("table of accuracies", table(lengths, depths)[None])


def _numbers_of(table: pd.DataFrame) -> pd.DataFrame:
    """Return a table of accuracies as numbers; what may be missing is a depth or an accuracy."""
    given = table[list(TABLE_COLUMNS)]
    numbers: pd.DataFrame = given.apply(pd.to_numeric, errors="coerce")
    wrong = numbers.isna() & given.notna()
    wrong["length"] |= numbers["length"].isna()
    if table.empty or wrong.to_numpy().any():
        found = "the table of accuracies is empty"
        if not table.empty:
            row, column = np.argwhere(wrong.to_numpy())[0]
            value = shown(given.iat[row, column])
            found = f"row {row + 1} of the table of accuracies has {TABLE_COLUMNS[column]} {value}"
        raise OptionError(
            describe(
                found,
                "expected a number for the length, depth and accuracy of every cell",
                "write one row for each cell, with points in numbers and without %",
            )
        )
    return numbers


def _drawn_on(
    own_lengths: NDArray[np.int64],
    own_depths: FloatArray,
    drawn: FloatArray,
    lengths: FloatArray,
    depths: FloatArray,
) -> FloatArray:
    """Draws at some of their own lengths and depths, at most :data:`N_OPEN_DRAWS` of them."""
    taken = np.linspace(0, len(drawn) - 1, min(len(drawn), N_OPEN_DRAWS)).astype(np.int64)
    table = AccuracyTable(own_lengths.astype(np.float64), own_depths, drawn[taken])
    return table(lengths, depths)


def _check_accuracies(accuracies: FloatArray) -> None:
    wrong = accuracies[~((accuracies >= 0) & (accuracies <= 1))]
    if wrong.size:
        raise OptionError(
            describe(
                f"an accuracy of the truth is {wrong[0]:g}",
                "expected numbers in [0, 1] for every length and depth",
                "divide percentages by 100, and plan only for lengths and depths that are known",
            )
        )


def _what_it_is(truth: object) -> str:
    shape = getattr(truth, "shape", None)
    return f"an array of shape {shape}" if shape is not None else f"of type {type(truth).__name__}"
