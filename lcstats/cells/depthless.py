"""Trials without a depth beside trials with depths: no depth of their own in a mean over depths."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from lcstats.cells.grid import CaseIndex, CellGrid


def set_aside_depthless(grid: CellGrid) -> tuple[CellGrid, int]:
    """Take the cases without a depth out of the lengths where other cases have one.

    A mean over depths is over the tested ones; "no depth" is not one more of them. Lengths, and
    averaged tasks, that have no depths at all keep their cases.

    Parameters
    ----------
    grid : CellGrid

    Returns
    -------
    grid : CellGrid
        The same grid where there is nothing to take out.
    n_cases : int
        How many scored cases were taken out.

    Examples
    --------
    >>> from lcstats.cells import Cells
    >>> grid = Cells.from_counts(
    ...     [4096], [0.5, float("nan")], n_cases=[[50, 1]], successes=[[0, 1]]
    ... ).grid
    >>> trimmed, n_cases = set_aside_depthless(grid)
    >>> trimmed.accuracy.tolist(), n_cases
    ([[0.0]], 1)
    """
    return _without(grid, _cells_aside(grid))


def keep_depths(grid: CellGrid) -> tuple[CellGrid, int]:
    """Take every case without a depth out of a grid that has cases with one.

    A law of length and depth says nothing about a case whose depth nobody knows: at lengths that
    have no other cases either. Such lengths stay, without cases.

    Parameters
    ----------
    grid : CellGrid
        Of one task.

    Returns
    -------
    grid : CellGrid
        The same grid where no case has a depth, or every case.
    n_cases : int
        How many scored cases were taken out.

    Examples
    --------
    >>> from lcstats.cells import Cells
    >>> grid = Cells.from_counts(
    ...     [4096, 8192], [0.5, float("nan")], n_cases=[[50, 0], [0, 1]], successes=[[9, 0], [0, 1]]
    ... ).grid
    >>> kept, n_cases = keep_depths(grid)
    >>> kept.depths.tolist(), kept.n_cases.tolist(), n_cases
    ([0.5], [[50], [0]], 1)
    """
    is_depthless = np.isnan(grid.depths)
    if not grid.n_cases[:, ~is_depthless].any():
        return grid, 0
    return _without(grid, np.broadcast_to(is_depthless, grid.n_cases.shape))


def _without(grid: CellGrid, aside: NDArray[np.bool_]) -> tuple[CellGrid, int]:
    """Take out cells, and columns of which nothing is left; count their cases."""
    n_cases = int(grid.n_cases[aside].sum())
    if not n_cases:
        return grid, 0

    def left(counts: NDArray[np.int64]) -> NDArray[np.int64]:
        return np.asarray(np.where(aside, 0, counts)[:, kept], dtype=np.int64)

    kept = ~aside.any(axis=0) | ((grid.n_cases > 0) & ~aside).any(axis=0)
    trimmed = replace(
        grid,
        depths=grid.depths[kept],
        n_cases=left(grid.n_cases),
        n_trials=left(grid.n_trials),
        numerators=left(grid.numerators),
        n_missing=None if grid.n_missing is None else left(grid.n_missing),
        n_adaptive=None if grid.n_adaptive is None else left(grid.n_adaptive),
        pilot=grid.pilot and set_aside_depthless(grid.pilot)[0],
        member_of=tuple(grid.member_codes[kept].tolist()) if grid.members else (),
        cases=None if grid.cases is None else _cases_left(grid.cases, aside, np.asarray(kept)),
    )
    return trimmed, n_cases


def _cells_aside(grid: CellGrid) -> NDArray[np.bool_]:
    """Mark the cells without a depth at lengths where their task has cases with one."""
    is_depthless = np.isnan(grid.depths)
    is_of = grid.member_codes[:, None] == grid.member_codes
    has_depths = ((grid.n_cases > 0) & ~is_depthless) @ is_of
    return np.asarray(is_depthless & has_depths, dtype=bool)


def _cases_left(cases: CaseIndex, aside: NDArray[np.bool_], kept: NDArray[np.bool_]) -> CaseIndex:
    row, column = np.divmod(cases.cell, kept.size)
    stays = ~aside[row, column]
    number = np.cumsum(kept) - 1
    return CaseIndex(
        cell=row[stays] * int(kept.sum()) + number[column[stays]],
        numerator=cases.numerator[stays],
        cluster=cases.cluster[stays],
    )
