"""The worst place of a table: its lowest cell, with an interval that knows it was picked."""

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from lcstats.cells import CellGrid, design_effect
from lcstats.options import percent
from lcstats.plots.labels import depth_labels
from lcstats.wilson import exact_interval


@dataclass(frozen=True, slots=True)
class WorstPlace:
    """The lowest cell of a group.

    Attributes
    ----------
    length : int
    depth : float or None
        None where it has none.
    place : str
        Length and depth in words.
    successes : float
        Graded scores add up to fractions.
    n_cases : int
    lower, upper : float
        Interval of the cell's accuracy that holds for all cells at once.
    level : float
    n_cells : int
        Cells that it is the lowest of.
    n_as_low : int
        Cells with the same accuracy, itself among them.
    """

    length: int
    depth: float | None
    place: str
    successes: float
    n_cases: int
    lower: float
    upper: float
    level: float
    n_cells: int
    n_as_low: int

    @property
    def accuracy(self) -> float:
        """Accuracy of the cell."""
        return self.successes / self.n_cases

    def sentence(self) -> str:
        """Say where it is and how sure that is.

        Examples
        --------
        >>> from lcstats.cells import Cells
        >>> cells = Cells.from_counts(
        ...     [4096, 8192], [0, 1], n_cases=20, successes=[[20, 19], [9, 20]]
        ... )
        >>> print(find_worst_place(cells.grid).sentence())
        length 8192, depth 0: 9 of 20 right (0.45; 0.19 to 0.74, 95% for all 4 cells at once)
        """
        if self.accuracy == 1.0:
            return f"none: all {self.n_cells} cells are perfect, with {self.lower:.2f} to 1 in each"
        words = (
            f"{self.place}: {self.successes:.10g} of {self.n_cases} right ({self.accuracy:.2f}; "
            f"{self.lower:.2f} to {self.upper:.2f}, {percent(self.level)} for all {self.n_cells} "
            "cells at once)"
        )
        others = self.n_as_low - 1
        if not others:
            return words
        return f"{words}; {others} more {'cells are' if others > 1 else 'cell is'} as low"

    def to_dict(self) -> dict[str, Any]:
        """Return the ``worst_place`` object of ``report.json``."""
        return {**asdict(self), "accuracy": self.accuracy}


def find_worst_place(grid: CellGrid, *, level: float = 0.95) -> WorstPlace:
    """Return the lowest cell; of equals the one with most cases, at the shortest length.

    Notes
    -----
    The lowest of many cells is low by luck, too. Its Clopper-Pearson interval is at the level
    1 - (1 - level)/n_cells, so that the intervals of all cells hold together (Bonferroni). Where
    cases share clusters it counts independent ones.
    """
    rows, columns = np.nonzero(grid.n_cases)
    accuracy = grid.accuracy[rows, columns]
    n_cases = grid.n_cases[rows, columns]
    chosen = int(np.lexsort((np.arange(rows.size), -n_cases, accuracy))[0])
    row, column = int(rows[chosen]), int(columns[chosen])
    effect = design_effect(grid)
    successes, n = float(grid.successes[row, column]), int(n_cases[chosen])
    lower, upper = exact_interval(successes / effect, n / effect, 1.0 - (1.0 - level) / rows.size)
    depth = float(grid.depths[column])
    return WorstPlace(
        length=int(grid.lengths[row]),
        depth=None if np.isnan(depth) else depth,
        place=_place(grid, row, column),
        successes=successes,
        n_cases=n,
        lower=lower,
        upper=upper,
        level=level,
        n_cells=rows.size,
        n_as_low=int((accuracy == accuracy[chosen]).sum()),
    )


def _place(grid: CellGrid, row: int, column: int) -> str:
    words = f"length {grid.lengths[row]}"
    if grid.members:
        words = f"{grid.members[grid.member_codes[column]]}, {words}"
    if np.isnan(grid.depths[column]):
        return words
    return f"{words}, depth {depth_labels(grid.depths)[column]}"
