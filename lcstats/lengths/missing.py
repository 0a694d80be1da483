"""What unscored cases could change: accuracy and effective length if all were wrong, or right.

A length that was asked for and has no score at all is missing as a whole: its accuracy may be
anything from 0 to 1. It is no tested length, and it stays visible here.
"""

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from lcstats.cells import CellGrid
from lcstats.errors import DesignWarning, Notice
from lcstats.lengths.answer import MissingBounds, outcome_label
from lcstats.lengths.criterion import Criterion
from lcstats.lengths.observed import apply_rule, base_rows, leading, treated_accuracies
from lcstats.lengths.shares import membership
from lcstats.trials.wording import counted, listed

LARGEST_SHARE = 0.05
"""Share of a length's cases that may be unscored without bounds being stated."""

Accuracies = tuple[Fraction, ...]


def bounds_for_missing(grid: CellGrid, criterion: Criterion) -> MissingBounds | None:
    """Return the bounds, or None where no length lacks more than a twentieth of its cases.

    Under a relative threshold, whose bar moves with the base, the worst case has the base's own
    missing cases right and all others wrong: nothing they were is outside of the bounds.
    """
    concerned, unscored = _lacking_rows(grid), _lengths_without_score(grid)
    if not concerned.size and not unscored:
        return None
    worst, best = (_accuracies_with(grid, right, criterion) for right in (0, 1))
    lengths = np.sort(np.concatenate([grid.lengths, np.array(unscored, dtype=np.int64)]))
    accuracy = {
        int(grid.lengths[i]): (float(worst[i]), float(best[i])) for i in concerned
    } | dict.fromkeys(unscored, (0.0, 1.0))
    return MissingBounds(
        accuracy=dict(sorted(accuracy.items())),
        worst=_outcome(worst, best, grid, lengths, criterion, gap_passes=False),
        best=_outcome(best, worst, grid, lengths, criterion, gap_passes=True),
    )


def notices_on_gaps(grid: CellGrid) -> Iterator[Notice]:
    """Name the lengths inside the tested range that were asked for and have no score at all."""
    inside = [n for n in _lengths_without_score(grid) if grid.lengths[0] < n < grid.lengths[-1]]
    if not inside:
        return
    n_trials = sum(sum(grid.unscored[length].values()) for length in inside)
    yield Notice(
        "length-passed-over",
        f"length {listed(inside)} lies inside the tested range, and "
        f"{'its only trial is' if n_trials == 1 else f'none of its {n_trials} trials is'} "
        f"scored: effective lengths and sets above {inside[0]} pass over "
        f"{'it' if len(inside) == 1 else counted(len(inside), 'such length')}; "
        "run it again, or quote the bounds for unscored cases",
        DesignWarning,
    )


def _lacking_rows(grid: CellGrid) -> NDArray[np.int64]:
    """Return the rows that lack more than a twentieth of their cases, or of an averaged task's."""
    if grid.n_missing is None:
        return np.empty(0, dtype=np.int64)
    is_of = membership(grid.member_codes)
    n_missing, n_cases = grid.n_missing @ is_of, grid.n_cases @ is_of
    lacks = n_missing > LARGEST_SHARE * (n_cases + n_missing)
    return np.flatnonzero(lacks.any(axis=1))


def _lengths_without_score(grid: CellGrid) -> list[int]:
    """Return the lengths that were asked for and have no score, ascending."""
    return sorted(set(grid.unscored) - set(grid.lengths.tolist()))


def _accuracies_with(grid: CellGrid, right: int, criterion: Criterion) -> Accuracies:
    """Return every tested length's accuracy with its missing cases right (1) or wrong (0)."""
    missing = np.zeros_like(grid.n_cases) if grid.n_missing is None else grid.n_missing
    filled = replace(
        grid,
        n_cases=grid.n_cases + missing,
        numerators=grid.numerators + missing * (grid.unit * right),
        cases=None,
    )
    return treated_accuracies(filled, criterion.treatment)


def _outcome(
    accuracies: Accuracies,
    opposite: Accuracies,
    grid: CellGrid,
    lengths: NDArray[np.int64],
    criterion: Criterion,
    *,
    gap_passes: bool,
) -> str:
    """Apply the rule to these accuracies, the base of a relative bar being the opposite ones."""
    bar = apply_rule(opposite, grid.lengths, criterion)
    passes = {
        int(length): accuracy >= bar
        for length, accuracy in zip(grid.lengths, accuracies, strict=True)
    }
    if criterion.rule == "relative" and len(base := base_rows(grid.lengths, criterion)) == 1:
        passes[int(grid.lengths[base[0]])] = True
    return outcome_label(
        leading(tuple(passes.get(n, gap_passes) for n in lengths.tolist())), lengths
    )
