"""What the decay figure shows: accuracy by length with intervals, and single cells beside it."""

from collections.abc import Callable

import numpy as np
import pandas as pd

from lcstats.cells import CellGrid, Cells, set_aside_depthless
from lcstats.draws import Draws
from lcstats.errors import OptionError, describe
from lcstats.fit import CurveFit
from lcstats.lengths import EffectiveLength
from lcstats.lengths.criterion import Treatment, parse_treatment
from lcstats.lengths.crossing import depth_weights, treated
from lcstats.lengths.jeffreys import design_effects, effective_cases
from lcstats.lengths.observed import treated_accuracies
from lcstats.lengths.windows import check_windows, lowest_window
from lcstats.plots.band import accuracy_of_draws, band_around
from lcstats.wilson import wilson_interval

N_CURVE_POINTS = 65
"""Lengths at which a curve is drawn."""


def decay_data(
    cells: Cells,
    effective_length: EffectiveLength | None = None,
    *,
    level: float = 0.95,
    fit: CurveFit | None = None,
    draws: Draws | None = None,
) -> pd.DataFrame:
    """Return accuracy by length with intervals, and a fitted curve with its band.

    Parameters
    ----------
    cells : Cells
        One (model, task) group.
    effective_length : EffectiveLength, optional
        Brings the depth treatment; without it, the mean over depths.
    level : float
        Level of the intervals and, point by point, of the band.
    fit : CurveFit, optional
        Of these cells; adds its rows.
    draws : Draws, optional
        Of `fit`, for the band; drawn here unless given.

    Returns
    -------
    DataFrame
        Rows with ``series`` "length", one per length: the depth-treated ``accuracy``, ``lower``
        and ``upper`` of its Wilson interval, ``n_cases`` and ``n_effective``, the number of
        independent cases the interval rests on. For mean and pooled depth ``depth`` is NaN; for
        worst depth and quantiles it is the depth of the cell that counts and the interval is
        that cell's own; for windows the mean depth of the lowest window, with the interval of that
        window's mean. There follow rows with ``series`` "cell", one per cell with data, and
        with ``series`` "curve", the fit at many lengths between the shortest and the longest.

    Raises
    ------
    OptionError
        If `cells` holds several groups, or others than `effective_length` or `fit` was made from.

    Notes
    -----
    A mean over D depths with n_d cases each has the information of D**2 / sum(1/n_d) cases, less
    by the design effect where cases share clusters. Wilson's interval on that number is
    conservative where depths differ [1]_.

    References
    ----------
    .. [1] L. D. Brown, T. T. Cai, A. DasGupta (2001), Interval Estimation for a Binomial
       Proportion, Statistical Science 16(2).

    Examples
    --------
    >>> cells = Cells.from_counts([4096, 8192], [0.5], n_cases=10, successes=[[10], [0]])
    >>> decay_data(cells)[["series", "length", "accuracy", "lower", "upper"]].round(4)
       series  length  accuracy   lower   upper
    0  length    4096       1.0  0.7225  1.0000
    1  length    8192       0.0  0.0000  0.2775
    2    cell    4096       1.0  0.7225  1.0000
    3    cell    8192       0.0  0.0000  0.2775
    """
    grid = cells.grid
    check_same_group(grid, effective_length)
    treatment = parse_treatment("mean")
    if effective_length is not None:
        treatment = effective_length.criterion.treatment
    tested = grid if treatment.kind == "pooled" else set_aside_depthless(grid)[0]
    rows = _rows_of(treatment)(tested, treatment)
    table = pd.concat([rows, _all_cells(grid)], ignore_index=True)
    lower, upper = wilson_interval(table["accuracy"], table["n_effective"], level)
    bounds = table.assign(lower=lower, upper=upper)
    if fit is not None:
        check_same_counts(grid, fit)
        curve = _curve_rows(fit, treatment, level=level, draws=draws)
        bounds = pd.concat([bounds, curve], ignore_index=True)
    columns = ["series", "length", "depth", "accuracy", "lower", "upper", "n_cases", "n_effective"]
    return bounds[columns]


def check_same_group(grid: CellGrid, answer: EffectiveLength | None) -> None:
    """Raise unless `answer` was made from `grid`'s group and lengths."""
    if answer is None:
        return
    mine = (grid.model, grid.task, grid.lengths.tolist())
    theirs = (answer.model, answer.task, answer.lengths.tolist())
    if mine != theirs:
        raise OptionError(
            describe(
                f"the effective length is that of {answer.model!r} on {answer.task!r} at "
                f"{answer.lengths.size} lengths, the cells are {grid.model!r} on {grid.task!r} "
                f"at {grid.lengths.size}",
                "expected an effective length made from these cells",
                "pass effective_length(cells, criterion) of the same cells",
            )
        )


def check_same_counts(grid: CellGrid, fit: CurveFit) -> None:
    """Raise unless `fit` is of `grid`'s own counts."""
    if not fit.is_of(grid):
        raise OptionError(
            describe(
                f"the fit is of {fit.grid.model!r} on {fit.grid.task!r} with other counts",
                f"expected a fit to these cells, {grid.model!r} on {grid.task!r}",
                "pass fit=fit_curve(cells) of the same cells",
            )
        )


def _rows_of(treatment: Treatment) -> Callable[[CellGrid, Treatment], pd.DataFrame]:
    if treatment.is_window:
        return _window_rows
    return _cell_rows if treatment.is_order else _mean_rows


def _mean_rows(grid: CellGrid, treatment: Treatment) -> pd.DataFrame:
    pooled = treatment.kind == "pooled"
    n_effective = effective_cases(grid.n_cases, pooled=pooled, members=grid.member_codes)
    n_effective /= design_effects(grid, pooled=pooled)
    return pd.DataFrame(
        {
            "series": "length",
            "length": grid.lengths,
            "depth": np.nan,
            "accuracy": _treated(grid, treatment),
            "n_cases": grid.n_cases.sum(axis=1),
            "n_effective": n_effective,
        }
    )


def _cell_rows(grid: CellGrid, treatment: Treatment) -> pd.DataFrame:
    """Find the cell of each length that counts: the lowest, or the quantile's."""
    row = np.arange(grid.lengths.size)
    ascending = np.argsort(grid.accuracy, axis=1, kind="stable")
    n_present = (grid.n_cases > 0).sum(axis=1)
    rank = np.array([treatment.rank(count) for count in n_present.tolist()])
    column = ascending[row, rank - 1]
    n_cases = grid.n_cases[row, column]
    return pd.DataFrame(
        {
            "series": "length",
            "length": grid.lengths,
            "depth": grid.depths[column],
            "accuracy": _treated(grid, treatment),
            "n_cases": n_cases,
            "n_effective": n_cases.astype(np.float64),
        }
    )


def _window_rows(grid: CellGrid, treatment: Treatment) -> pd.DataFrame:
    """Find the lowest window of each length; shared clusters weigh as they do in its mean."""
    check_windows(grid, treatment.width)
    counts = zip(grid.numerators, grid.n_cases, strict=True)
    windows = [lowest_window(*row, grid.member_codes, treatment.width) for row in counts]
    n_cases = np.array([n[w.columns] for n, w in zip(grid.n_cases, windows, strict=True)])
    n_effective = treatment.width**2 / (1.0 / n_cases).sum(axis=1)
    return pd.DataFrame(
        {
            "series": "length",
            "length": grid.lengths,
            "depth": [grid.depths[window.columns].mean() for window in windows],
            "accuracy": [float(window.accuracy / grid.unit) for window in windows],
            "n_cases": n_cases.sum(axis=1),
            "n_effective": n_effective / design_effects(grid, pooled=False),
        }
    )


def _all_cells(grid: CellGrid) -> pd.DataFrame:
    frame = grid.to_frame()
    return pd.DataFrame(
        {
            "series": "cell",
            "length": frame["length"],
            "depth": frame["depth"],
            "accuracy": frame["accuracy"],
            "n_cases": frame["n_cases"],
            "n_effective": frame["n_cases"].astype(np.float64),
        }
    )


def _treated(grid: CellGrid, treatment: Treatment) -> list[float]:
    return [float(accuracy) for accuracy in treated_accuracies(grid, treatment)]


def _curve_rows(
    fit: CurveFit, treatment: Treatment, *, level: float, draws: Draws | None
) -> pd.DataFrame:
    """Evaluate the curve and its bootstrap draws between the tested lengths."""
    shortest, longest = float(fit.grid.lengths[0]), float(fit.grid.lengths[-1])
    lengths = np.unique(np.geomspace(shortest, longest, N_CURVE_POINTS))
    weights = depth_weights(fit.grid)
    accuracy = treated(fit.curve.accuracy(lengths, fit.grid.depths), treatment, weights)
    drawn = treated(accuracy_of_draws(fit, draws, lengths, fit.grid.depths), treatment, weights)
    lower, upper = band_around(accuracy, drawn, level)
    return pd.DataFrame(
        {
            "series": "curve",
            "length": lengths,
            "depth": np.nan,
            "accuracy": accuracy,
            "lower": lower,
            "upper": upper,
            "n_cases": 0,
            "n_effective": 0.0,
        }
    )
