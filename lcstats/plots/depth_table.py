"""What the depth figure shows: accuracy by depth for short, middling and long contexts."""

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from lcstats.cells import CellGrid, Cells
from lcstats.draws import Draws
from lcstats.errors import OptionError, describe
from lcstats.fit import CurveFit
from lcstats.plots.band import accuracy_of_draws, band_around
from lcstats.plots.decay_table import check_same_counts
from lcstats.wilson import wilson_interval

MOST_PROFILES = 4
"""Profiles that can be told apart in one figure; more lengths are put together."""
MOST_POINTS = 12
"""Depths that can be told apart; more are put together."""
N_POOLED_POINTS = 7
N_CURVE_POINTS = 61


def depth_data(
    cells: Cells,
    *,
    level: float = 0.95,
    fit: CurveFit | None = None,
    draws: Draws | None = None,
) -> pd.DataFrame:
    """Return accuracy by depth with intervals, and a fitted curve with its band.

    Up to four lengths have a profile each; of more, neighbours are put together into four, and
    of more than twelve depths, neighbours into seven. Cases put together count alike.

    Parameters
    ----------
    cells : Cells
        One (model, task) group.
    level : float
        Level of the intervals and, point by point, of the band.
    fit : CurveFit, optional
        Of these cells; adds its rows.
    draws : Draws, optional
        Of `fit`, for the band; drawn here unless given.

    Returns
    -------
    DataFrame
        Rows with ``series`` "cells": ``profile`` (0 for the shortest lengths), ``first_length``
        and ``last_length`` of the profile, ``depth`` (the cases' mean), ``accuracy``, ``lower``
        and ``upper`` of Wilson's interval, ``n_cases``. With a fit there follow rows with
        ``series`` "curve": the curve at many depths, averaged over the profile's cases.

    Raises
    ------
    OptionError
        If `cells` holds several groups, averaged tasks or no depth, or others than `fit` was made
        from.

    Examples
    --------
    >>> cells = Cells.from_counts([4096, 8192], [0.0, 0.5], n_cases=10, successes=[[10, 9], [8, 0]])
    >>> depth_data(cells)[["profile", "first_length", "depth", "accuracy", "lower"]].round(4)
       profile  first_length  depth  accuracy   lower
    0        0          4096    0.0       1.0  0.7225
    1        0          4096    0.5       0.9  0.5958
    2        1          8192    0.0       0.8  0.4902
    3        1          8192    0.5       0.0  0.0000
    """
    grid = cells.grid
    placed = _placed_depths(grid)
    groups = [group for group in _profiles(grid) if grid.n_cases[group][:, placed].any()]
    table = pd.concat(
        [_points(grid, group, placed, number) for number, group in enumerate(groups)],
        ignore_index=True,
    )
    lower, upper = wilson_interval(table["accuracy"], table["n_cases"].astype(np.float64), level)
    table = table.assign(lower=lower, upper=upper)
    if fit is not None:
        check_same_counts(grid, fit)
        curves = [
            _curve_points(fit, group, placed, number, level=level, draws=draws)
            for number, group in enumerate(groups)
        ]
        table = pd.concat([table, *curves], ignore_index=True)
    columns = ["series", "profile", "first_length", "last_length", "depth", "accuracy"]
    return table[[*columns, "lower", "upper", "n_cases"]]


def _placed_depths(grid: CellGrid) -> NDArray[np.int64]:
    """Positions of the depths that are known."""
    if grid.members:
        raise OptionError(
            describe(
                f"{grid.model} on {grid.task} is an average over tasks",
                "expected one task, whose accuracy over depth can be drawn",
                "draw a heatmap, which has every task's depths, or leave the tasks apart",
            )
        )
    placed = np.flatnonzero(~np.isnan(grid.depths))
    if not placed.size:
        raise OptionError(
            describe(
                f"no trial of {grid.model} on {grid.task} has a depth",
                "expected trials with the depth of their evidence",
                "draw the decay over length instead",
            )
        )
    return placed


def _profiles(grid: CellGrid) -> list[NDArray[np.int64]]:
    """Split the lengths into groups of neighbours, positions of each."""
    n_profiles = min(grid.lengths.size, MOST_PROFILES)
    return list(np.array_split(np.arange(grid.lengths.size), n_profiles))


def _points(
    grid: CellGrid, rows: NDArray[np.int64], placed: NDArray[np.int64], number: int
) -> pd.DataFrame:
    n_points = placed.size if placed.size <= MOST_POINTS else N_POOLED_POINTS
    bins = [
        columns
        for columns in np.array_split(placed, n_points)
        if grid.n_cases[np.ix_(rows, columns)].any()
    ]
    n_cases = [int(grid.n_cases[np.ix_(rows, columns)].sum()) for columns in bins]
    successes = [float(grid.successes[np.ix_(rows, columns)].sum()) for columns in bins]
    depths = [
        float(np.average(grid.depths[columns], weights=grid.n_cases[np.ix_(rows, columns)].sum(0)))
        for columns in bins
    ]
    return pd.DataFrame(
        {
            "series": "cells",
            **_names(grid, rows, number),
            "depth": depths,
            "accuracy": np.array(successes) / np.array(n_cases),
            "n_cases": n_cases,
        }
    )


def _names(grid: CellGrid, rows: NDArray[np.int64], number: int) -> dict[str, int]:
    return {
        "profile": number,
        "first_length": int(grid.lengths[rows[0]]),
        "last_length": int(grid.lengths[rows[-1]]),
    }


def _curve_points(
    fit: CurveFit,
    rows: NDArray[np.int64],
    placed: NDArray[np.int64],
    number: int,
    *,
    level: float,
    draws: Draws | None,
) -> pd.DataFrame:
    """Average the curve, and each of its draws, over the profile's lengths as its cases lie."""
    tested = fit.grid.depths[placed]
    depths = np.unique(np.linspace(tested[0], tested[-1], N_CURVE_POINTS))
    lengths = fit.grid.lengths[rows].astype(np.float64)
    share = fit.grid.n_cases[np.ix_(rows, placed)].sum(axis=1)
    weights = share / share.sum()
    accuracy = weights @ fit.curve.accuracy(lengths, depths)
    drawn = np.tensordot(accuracy_of_draws(fit, draws, lengths, depths), weights, axes=(1, 0))
    lower, upper = band_around(accuracy, drawn, level)
    return pd.DataFrame(
        {
            "series": "curve",
            **_names(fit.grid, rows, number),
            "depth": depths,
            "accuracy": accuracy,
            "lower": lower,
            "upper": upper,
            "n_cases": 0,
        }
    )
