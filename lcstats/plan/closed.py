"""Targets that need no distribution of outcomes: half-widths, power, and what can be certified."""

from dataclasses import dataclass
from math import ceil

import numpy as np

from lcstats.cells import Cells
from lcstats.errors import OptionError, describe
from lcstats.lengths import Criterion, certification_floor
from lcstats.lengths.certified.door import certify
from lcstats.plan.target import Target
from lcstats.plan.truths import PlannedTruth
from lcstats.power import arms_for_difference, cases_for_half_width, pairs_for_difference
from lcstats.trials.wording import counted

MOST_ABOVE_FLOOR = 3
"""Times the floor up to which a number that certifies is looked for."""


@dataclass(frozen=True, slots=True)
class Required:
    """What a closed form asks for.

    Attributes
    ----------
    trials_per_cell : int
    n_cases : int
        In all: of a cell or a length whose half-width is meant, of an arm, or pairs.
    what : str
        Words for them.
    """

    trials_per_cell: int
    n_cases: int
    what: str

    def words(self) -> str:
        """Return the requirement as a sentence without its end."""
        return f"{counted(self.trials_per_cell, 'trial')} per cell, {self.n_cases:,} {self.what}"


def require(planned: PlannedTruth, criterion: Criterion, target: Target, level: float) -> Required:
    """Return the trials per cell that a half-width, a power or a certificate takes.

    Parameters
    ----------
    planned : PlannedTruth
        Where the target names no accuracy, its own are taken: for a half-width the cell or length
        that needs most cases, for a power the mean over the grid.
    criterion : Criterion
        A half-width is that of a depth mean for ``mean`` and ``pooled``, of a mean over a window,
        else of a single cell.
    target : Target
        Of kind half-width, power or certify.
    level : float
    """
    if target.kind == "half-width":
        return _for_half_width(planned, criterion, target, level)
    if target.kind == "power":
        return _for_power(planned, target, level)
    return _for_certificate(planned, criterion, level)


def cells_together(planned: PlannedTruth, criterion: Criterion) -> int:
    """Count the cells whose mean the criterion looks at: all depths, a window, or one."""
    treatment = criterion.treatment
    if treatment.is_window:
        return treatment.width
    return 1 if treatment.is_order else int(planned.depths.size)


def _for_half_width(
    planned: PlannedTruth, criterion: Criterion, target: Target, level: float
) -> Required:
    assert target.value is not None
    n_cells = cells_together(planned, criterion)
    if target.accuracy is not None:
        accuracies = [target.accuracy]
    else:
        by_length = planned.treated_accuracies(criterion)
        whole = by_length if n_cells > 1 else planned.accuracies
        # The interval is widest where the accuracy is nearest to one half.
        accuracies = [float(whole.flat[np.abs(whole - 0.5).argmin()])]
    needed = cases_for_half_width(accuracies[0], target.value, level=level, n_cells=n_cells)
    what = "cases in a cell" if n_cells == 1 else f"cases in the {n_cells} cells of a mean"
    return Required(needed, needed * n_cells, f"{what} at accuracy {accuracies[0]:.3g}")


def _for_power(planned: PlannedTruth, target: Target, level: float) -> Required:
    assert target.value is not None
    assert target.difference is not None
    old = float(planned.accuracies.mean()) if target.accuracy is None else target.accuracy
    if target.difference > old:
        raise OptionError(
            describe(
                f"difference is {target.difference:g} and the mean accuracy {old:.3g}",
                "expected a loss that an accuracy can have",
                "name a smaller difference, or the better accuracy",
            )
        )
    new = old - target.difference
    if target.correlation is None:
        n = arms_for_difference(old, new, level=level, power=target.value)
        what = "cases of each language model, not the same ones"
    else:
        n = pairs_for_difference(old, new, target.correlation, level=level, power=target.value)
        what = "pairs of the same case"
    n_cells = planned.lengths.size * planned.depths.size
    return Required(ceil(n / n_cells), n, f"{what}, {old:.3g} against {new:.3g}")


def _for_certificate(planned: PlannedTruth, criterion: Criterion, level: float) -> Required:
    """Look from the floor on for the first number with which perfect cases certify something."""
    bar = criterion.fixed_bar
    floor = None if bar is None else certification_floor(bar, 1.0 - level)
    if bar is None or floor is None:
        raise OptionError(
            describe(
                f"the threshold is {float(criterion.exact_threshold):g}, {criterion.rule}",
                "expected a bar below 1 that is known before anything is measured",
                "plan for an absolute threshold below 1",
            )
        )
    n_cells = cells_together(planned, criterion)
    numbers = range(ceil(floor / n_cells), MOST_ABOVE_FLOOR * floor + 1)
    first = next((n for n in numbers if _certifies(planned, criterion, n, level)), None)
    if first is None:
        raise OptionError(
            describe(
                f"{numbers[-1]} perfect cases per cell certify nothing by {criterion}",
                "expected a depth treatment with a proved set on this design",
                "ask for the mean or for the worst depth",
            )
        )
    where = "a cell" if n_cells == 1 else f"{n_cells} cells together"
    return Required(first, first * n_cells, f"perfect cases in {where}")


def _certifies(planned: PlannedTruth, criterion: Criterion, n_cases: int, level: float) -> bool:
    """Tell whether a table without a miss certifies the first length."""
    perfect = np.full(planned.accuracies.shape[1:], n_cases)
    cells = Cells.from_counts(planned.lengths, planned.depths, n_cases=n_cases, successes=perfect)
    bar = criterion.fixed_bar
    return bar is not None and certify(cells.grid, bar, criterion, level=level).lower >= 1
