"""The average over tasks, as cells: the tasks' own length by depth cells side by side."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from lcstats.cells.grid import CaseIndex, CellGrid
from lcstats.cells.table import Cells
from lcstats.errors import DesignWarning, Notice, OptionError, describe
from lcstats.options import check_type
from lcstats.trials.wording import listed


def average_tasks(cells: Cells, tasks: Sequence[str] | None = None) -> Cells:
    """Put the tasks of every language model side by side, to be averaged without weights.

    Accuracy of a length is then the unweighted mean over the tasks of their means over depths,
    RULER's number, however many depths a task has and cases a cell; masses, sets and a relative
    base belong to that same mean. Pooled depth pools within each task. Worst depth and quantiles
    are those of all cells, so "worst" is no average: every depth of every task has to pass.

    Parameters
    ----------
    cells : Cells
        Groups with equal length units.
    tasks : sequence of str, optional
        Tasks to average; all of them without it.

    Returns
    -------
    Cells
        One group per language model. Its columns are the depths of the first task, then those of
        the next; ``grid.members`` names the tasks and ``grid.member_of`` the task of a column. A
        length that lacks a task has no cases in its columns.

    Raises
    ------
    OptionError
        If a task is not there, a language model has fewer than two, or units differ.

    Examples
    --------
    >>> one, two = (
    ...     Cells.from_counts([4096, 8192], depths, n_cases=n, successes=[k, k], task=name)
    ...     for name, depths, n, k in (("a", [0.5], 20, [18]), ("b", [0, 1], 40, [10, 30]))
    ... )
    >>> both = average_tasks(Cells(grids=(one.grid, two.grid)))
    >>> both.to_frame()[["task", "averaged_task", "depth", "accuracy"]].head(3)
          task averaged_task  depth  accuracy
    0  2 tasks             a    0.5      0.90
    1  2 tasks             b    0.0      0.25
    2  2 tasks             b    1.0      0.75

    Their average is (0.9 + 0.5) / 2, which is not the mean of the three cells.

    >>> from lcstats.lengths import Criterion, effective_length
    >>> effective_length(both, Criterion(0.5)).accuracy.tolist()
    [0.7, 0.7]
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
    fixed = [grid.pilot if grid.is_adaptive else grid for grid in chosen]
    pilots = [grid for grid in fixed if grid is not None]
    is_whole = len(pilots) == len(chosen) and any(grid.is_adaptive for grid in chosen)
    return _side_by_side(chosen, model, pilot=_side_by_side(pilots, model) if is_whole else None)


def _side_by_side(chosen: list[CellGrid], model: str, *, pilot: CellGrid | None = None) -> CellGrid:
    unit = int(np.lcm.reduce([grid.unit for grid in chosen]))
    lengths = np.unique(np.concatenate([grid.lengths for grid in chosen]))
    blocks = [_block(grid, lengths, unit) for grid in chosen]
    n_cases, n_trials, numerators, missing, later = np.concatenate(blocks, axis=2)
    return CellGrid(
        model=model,
        task=f"{len(chosen)} tasks",
        length_unit=chosen[0].length_unit,
        lengths=lengths,
        depths=np.concatenate([grid.depths for grid in chosen]),
        n_cases=n_cases,
        n_trials=n_trials,
        numerators=numerators,
        unit=unit,
        unscored=_unscored(chosen),
        cases=_cases(chosen, lengths, unit),
        n_missing=missing if missing.any() else None,
        n_adaptive=later if later.any() else None,
        pilot=pilot,
        guess_rate=float(np.mean([grid.guess_rate for grid in chosen])),
        members=tuple(grid.task for grid in chosen),
        member_of=tuple(number for number, grid in enumerate(chosen) for _ in grid.depths),
    )


def _ragged_notices(grids: list[CellGrid]) -> Iterator[Notice]:
    """Name the tasks whose lengths do not all have the same depths: their means differ in kind."""
    for grid in grids:
        lacking = grid.lengths[(grid.n_cases == 0).any(axis=1)]
        if lacking.size:
            yield Notice(
                "ragged-task",
                f"{grid.model} on {grid.task}: length {listed(lacking.tolist())} lacks some of the "
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


def _block(grid: CellGrid, lengths: NDArray[np.int64], unit: int) -> NDArray[np.int64]:
    """Return cases, trials, numerators, missing and later cases; (5, n_lengths, n_depths)."""
    none = np.zeros_like(grid.n_cases)
    missing = none if grid.n_missing is None else grid.n_missing
    later = none if grid.n_adaptive is None else grid.n_adaptive
    parts = (grid.n_cases, grid.n_trials, grid.numerators * (unit // grid.unit), missing, later)
    block = np.zeros((len(parts), lengths.size, grid.depths.size), dtype=np.int64)
    block[:, np.searchsorted(lengths, grid.lengths)] = parts
    for length in set(grid.unscored) & set(lengths.tolist()) - set(grid.lengths.tolist()):
        # A task without any score at a length misses all of it, at depths nobody counts.
        n_unscored = sum(grid.unscored[length].values())
        block[3, np.searchsorted(lengths, length)] = -(-n_unscored // grid.depths.size)
    return block


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
    n_columns = sum(grid.depths.size for grid in grids)
    first = 0
    for grid in grids:
        if grid.cases is None:
            return None
        row, column = np.divmod(grid.cases.cell, grid.depths.size)
        cell = np.searchsorted(lengths, grid.lengths)[row] * n_columns + first + column
        parts.append((cell, grid.cases.numerator * (unit // grid.unit), grid.cases.cluster))
        first += grid.depths.size
    cell, numerator, cluster = (np.concatenate(part) for part in zip(*parts, strict=True))
    order = np.lexsort((cluster, numerator, cell))
    return CaseIndex(cell=cell[order], numerator=numerator[order], cluster=cluster[order])
