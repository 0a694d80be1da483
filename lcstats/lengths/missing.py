"""What unscored cases could change: accuracy and effective length if all were wrong, or right."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from lcstats.cells import CellGrid
from lcstats.lengths.answer import MissingBounds, outcome_label
from lcstats.lengths.criterion import Criterion
from lcstats.lengths.observed import Observed, observe

LARGEST_SHARE = 0.05
"""Share of a length's cases that may be unscored without bounds being stated."""


def bounds_for_missing(grid: CellGrid, criterion: Criterion) -> MissingBounds | None:
    """Return the bounds, or None where no length lacks more than a twentieth of its cases."""
    if grid.n_missing is None:
        return None
    n_cases = grid.n_cases + grid.n_missing
    share = grid.n_missing.sum(axis=1) / n_cases.sum(axis=1)
    concerned = np.flatnonzero(share > LARGEST_SHARE)
    if not concerned.size:
        return None
    worst, best = (_observed_with(grid, grid.n_missing, right, criterion) for right in (0, 1))
    return MissingBounds(
        accuracy={
            int(grid.lengths[i]): (float(worst.accuracies[i]), float(best.accuracies[i]))
            for i in concerned
        },
        worst=outcome_label(worst.outcome, grid.lengths),
        best=outcome_label(best.outcome, grid.lengths),
    )


def _observed_with(
    grid: CellGrid, missing: NDArray[np.int64], right: int, criterion: Criterion
) -> Observed:
    """Apply the rule with every missing case right (1) or wrong (0)."""
    filled = replace(
        grid,
        n_cases=grid.n_cases + missing,
        numerators=grid.numerators + missing * (grid.unit * right),
        cases=None,
    )
    return observe(filled, criterion)
