"""Cells whose number of cases depended on outcomes: what was fixed before, and what came later.

A column ``stage`` says so, trial by trial: 0 or nothing for a design that was fixed in advance, 1
or more for trials that were added after looking.
"""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from lcstats.cells.grid import CellGrid


def came_later(frame: pd.DataFrame) -> NDArray[np.bool_]:
    """Tell which trials were added after looking at outcomes, shape (n_trials,).

    Examples
    --------
    >>> came_later(pd.DataFrame({"stage": [0, 2, 1]})).tolist()
    [False, True, True]
    """
    if "stage" not in frame or not pd.api.types.is_numeric_dtype(frame["stage"]):
        return np.zeros(len(frame), dtype=bool)
    return np.asarray(frame["stage"].fillna(0).to_numpy(dtype=np.int64) > 0)


def mark_adaptive(
    grids: tuple[CellGrid, ...], pilots: Mapping[tuple[str, str], CellGrid]
) -> tuple[CellGrid, ...]:
    """Give grids their fixed pilots, and the number of cases that came later.

    Parameters
    ----------
    grids : tuple of CellGrid
        Of all trials.
    pilots : mapping of (str, str) to CellGrid
        Of the trials that were fixed in advance, by language model and task.
    """
    return tuple(_marked(grid, pilots.get((grid.model, grid.task))) for grid in grids)


def _marked(grid: CellGrid, pilot: CellGrid | None) -> CellGrid:
    n_fixed = np.zeros_like(grid.n_cases)
    if pilot is not None:
        rows = np.searchsorted(grid.lengths, pilot.lengths)
        columns = np.searchsorted(grid.depths, pilot.depths)  # NaN, which is last, is found last.
        n_fixed[np.ix_(rows, columns)] = pilot.n_cases
    n_adaptive = grid.n_cases - n_fixed
    return replace(grid, n_adaptive=n_adaptive, pilot=pilot) if n_adaptive.any() else grid
