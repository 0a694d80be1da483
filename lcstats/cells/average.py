"""The average over tasks, as cells: one column per task in place of the depths."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from lcstats.cells.grid import CaseIndex, CellGrid
from lcstats.cells.table import Cells
from lcstats.errors import DesignWarning, Notice, OptionError, TableError, describe
from lcstats.options import check_type


def average_tasks(cells: Cells, tasks: Sequence[str] | None = None) -> Cells:
    """Put the tasks of every language model side by side, to be averaged without weights.

    The mean over the columns of a length is then the unweighted mean over the tasks of their means
    over depths, RULER's number; masses, sets and a relative base belong to that same mean.

    Parameters
    ----------
    cells : Cells
        Groups with equal length units; at each length every depth of a task has as many cases.
    tasks : sequence of str, optional
        Tasks to average; all of them without it.

    Returns
    -------
    Cells
        One group per language model, its ``grid.members`` naming the tasks. A length that lacks a
        task has no cases in its column.

    Raises
    ------
    TableError
        If a task's depths hold unequal numbers of cases, so that its mean over depths is no mean
        of its cases.
    OptionError
        If a task is not there, a language model has fewer than two, or units differ.

    Examples
    --------
    >>> from lcstats.cells import average_tasks
    >>> one, two = (
    ...     Cells.from_counts([4096], [0.5], n_cases=n, successes=[[k]], task=name)
    ...     for name, n, k in (("a", 10, 9), ("b", 40, 20))
    ... )
    >>> both = average_tasks(Cells(grids=(one.grid, two.grid)))
    >>> both.grid.members, both.grid.accuracy.mean().item()
    (('a', 'b'), 0.7)
    """
    check_type(cells, Cells, "cells")
    models = dict.fromkeys(grid.model for grid in cells.grids)
    grids = tuple(
        _average([grid for grid in cells.grids if grid.model == model], model, tasks)
        for model in models
    )
    wanted = [grid for grid in cells.grids if tasks is None or grid.task in tasks]
    return replace(cells, grids=grids, notices=(*cells.notices, *_ragged_notices(wanted)))


def _average(grids: list[CellGrid], model: str, tasks: Sequence[str] | None) -> CellGrid:
    chosen = _chosen(grids, model, tasks)
    unit = int(np.lcm.reduce([grid.unit for grid in chosen]))
    lengths = np.unique(np.concatenate([grid.lengths for grid in chosen]))
    columns = [_column(grid, lengths, unit) for grid in chosen]
    n_cases, n_trials, numerators, missing = (
        np.stack(part, axis=1) for part in zip(*columns, strict=True)
    )
    return CellGrid(
        model=model,
        task=f"mean of {len(chosen)} tasks",
        length_unit=chosen[0].length_unit,
        lengths=lengths,
        depths=np.full(len(chosen), np.nan),
        n_cases=n_cases,
        n_trials=n_trials,
        numerators=numerators,
        unit=unit,
        unscored=_unscored(chosen),
        cases=_cases(chosen, lengths, unit),
        n_missing=missing if missing.any() else None,
        guess_rate=float(np.mean([grid.guess_rate for grid in chosen])),
        members=tuple(grid.task for grid in chosen),
    )


def _ragged_notices(grids: list[CellGrid]) -> Iterator[Notice]:
    """Name the tasks whose lengths do not all have the same depths: their means differ in kind."""
    for grid in grids:
        lacking = grid.lengths[(grid.n_cases == 0).any(axis=1)]
        if lacking.size:
            named = ", ".join(map(str, lacking[:5]))
            yield Notice(
                "ragged-task",
                f"{grid.model} on {grid.task}: length {named} lacks some of the "
                f"{grid.depths.size} depths, so the task's mean there is over other depths",
                DesignWarning,
            )


def _chosen(grids: list[CellGrid], model: str, tasks: Sequence[str] | None) -> list[CellGrid]:
    present = [grid.task for grid in grids]
    wanted = present if tasks is None else list(tasks)
    unknown = [task for task in wanted if task not in present]
    units = {grid.length_unit for grid in grids}
    if unknown or len(wanted) < 2 or len(units) > 1:
        units_found = ", ".join(sorted(units))
        raise OptionError(
            describe(
                f"{model} has the tasks {', '.join(present)}, with lengths in {units_found}",
                f"expected {', '.join(wanted) if unknown else 'two tasks or more'}, in one unit",
                "leave out averaging, or name tasks that every language model has",
            )
        )
    return [grid for grid in grids if grid.task in wanted]


def _column(grid: CellGrid, lengths: NDArray[np.int64], unit: int) -> tuple[NDArray[np.int64], ...]:
    """Return cases, trials, numerators and missing cases of one task at every length."""
    for length, n_cases in zip(grid.lengths, grid.n_cases, strict=True):
        present = n_cases[n_cases > 0]
        if np.any(present != present[0]):
            raise TableError(
                describe(
                    f"{grid.model} on {grid.task}: depths of length {length} hold "
                    f"{present.min()} to {present.max()} cases",
                    "expected as many at every depth, to average the task over its depths",
                    "leave the task out, or average without its surplus cases",
                )
            )
    row = np.searchsorted(lengths, grid.lengths)
    missing = np.zeros_like(grid.n_cases) if grid.n_missing is None else grid.n_missing
    parts = (grid.n_cases, grid.n_trials, grid.numerators * (unit // grid.unit), missing)
    column = np.zeros((len(parts), lengths.size), dtype=np.int64)
    column[:, row] = [part.sum(axis=1) for part in parts]
    return tuple(column)


def _unscored(grids: list[CellGrid]) -> dict[int, dict[str, int]]:
    total: dict[int, dict[str, int]] = {}
    for grid in grids:
        for length, by_status in grid.unscored.items():
            here = total.setdefault(length, {})
            for status, n in by_status.items():
                here[status] = here.get(status, 0) + n
    return total


def _cases(grids: list[CellGrid], lengths: NDArray[np.int64], unit: int) -> CaseIndex | None:
    """Put the cases of all tasks together; None where a task has counts only."""
    parts = []
    for number, grid in enumerate(grids):
        if grid.cases is None:
            return None
        row = np.searchsorted(lengths, grid.lengths)[grid.cases.cell // grid.depths.size]
        worth = grid.cases.numerator * (unit // grid.unit)
        parts.append((row * len(grids) + number, worth, grid.cases.cluster))
    cell, numerator, cluster = (np.concatenate(part) for part in zip(*parts, strict=True))
    order = np.lexsort((cluster, numerator, cell))
    return CaseIndex(cell=cell[order], numerator=numerator[order], cluster=cluster[order])
