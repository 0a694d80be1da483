"""What the heat map shows: every length by every depth, holes included."""

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from lcstats.cells import CellGrid, Cells
from lcstats.wilson import wilson_interval

LEVEL = 0.95
"""Level of the intervals whose half-widths are given."""


def heatmap_data(cells: Cells) -> pd.DataFrame:
    """Return the cells of one language model on one task, holes included.

    Parameters
    ----------
    cells : Cells
        One (model, task) group.

    Returns
    -------
    DataFrame
        One row per length and depth, ascending, n_lengths * n_depths rows: ``model``, ``task``,
        for an average ``averaged_task``, whose depths follow those of the task before, ``length``
        (also lengths at which no trial is scored), ``depth`` (NaN, last: none),
        ``n_trials``, ``n_cases`` (0 in a hole), ``successes`` and ``accuracy`` (NaN in a hole),
        ``half_width`` (half of Wilson's 95% interval, NaN in a hole),
        and ``n_unscored_at_length``: unscored trials of that length, over all depths;
        ``n_too_long_at_length`` are those whose prompt did not fit the context window.

    Raises
    ------
    OptionError
        If `cells` holds several groups.

    Examples
    --------
    >>> cells = Cells.from_counts([4096, 8192], [0.5], n_cases=[[4], [0]], successes=[[3], [0]])
    >>> heatmap_data(cells)[["length", "depth", "n_cases", "accuracy"]]
       length  depth  n_cases  accuracy
    0    4096    0.5        4      0.75
    1    8192    0.5        0       NaN
    """
    grid = cells.grid
    lengths = np.union1d(grid.lengths, np.array(list(grid.unscored), dtype=np.int64))
    shape = (lengths.size, grid.depths.size)
    row = np.searchsorted(lengths, grid.lengths)
    statuses = [grid.unscored.get(length, {}) for length in lengths.tolist()]
    n_unscored = [sum(counts.values()) for counts in statuses]
    n_too_long = [counts.get("context_exceeded", 0) for counts in statuses]
    return pd.DataFrame(
        {
            "model": grid.model,
            "task": grid.task,
            **grid.name_members(np.tile(np.arange(grid.depths.size), lengths.size)),
            "length": np.repeat(lengths, grid.depths.size),
            "depth": np.tile(grid.depths, lengths.size),
            "n_trials": _spread(grid.n_trials, row, shape, 0).astype(np.int64),
            "n_cases": _spread(grid.n_cases, row, shape, 0).astype(np.int64),
            "successes": _spread(_successes(grid), row, shape, np.nan),
            "accuracy": _spread(grid.accuracy, row, shape, np.nan),
            "half_width": _spread(_half_widths(grid), row, shape, np.nan),
            "n_unscored_at_length": np.repeat(np.array(n_unscored, np.int64), grid.depths.size),
            "n_too_long_at_length": np.repeat(np.array(n_too_long, np.int64), grid.depths.size),
        }
    )


def _successes(grid: CellGrid) -> NDArray[np.float64]:
    return np.where(grid.n_cases > 0, grid.successes, np.nan)


def _half_widths(grid: CellGrid) -> NDArray[np.float64]:
    """Half of each cell's Wilson interval: how far its accuracy can be trusted."""
    widths = np.full(grid.n_cases.shape, np.nan)
    filled = grid.n_cases > 0
    cases = grid.n_cases[filled].astype(np.float64)
    lower, upper = wilson_interval(grid.accuracy[filled], cases, LEVEL)
    widths[filled] = (upper - lower) / 2.0
    return widths


def _spread(
    values: NDArray[np.float64] | NDArray[np.int64],
    row: NDArray[np.int64],
    shape: tuple[int, int],
    blank: float,
) -> NDArray[np.float64]:
    """Put the rows of tested lengths among those of all lengths."""
    spread = np.full(shape, blank, dtype=np.float64)
    spread[row] = values
    return spread.ravel()
