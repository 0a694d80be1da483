"""Two effective lengths at once: masses over what both language models come out at.

Both are read off the same resampled cases, so that a case that both find hard makes both outcomes
fall. Only the flexible surface takes them as independent.
"""

from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from lcstats.cells import CellGrid
from lcstats.curve import FloatArray
from lcstats.draws import accuracies_of
from lcstats.fit import CurveFit
from lcstats.fit.refit import refit
from lcstats.lengths import Criterion
from lcstats.lengths.crossing import depth_weights, treated
from lcstats.lengths.resampling import outcomes_of_draws, redraw_strata, treat_draws

Grids = tuple[CellGrid, CellGrid]
"""Counts of the old and of the new language model on the same cases, case for case."""

DRAWN_AT_ONCE = 2**15
"""Cases that are drawn at a time, so that they stay in the processor's cache."""


@dataclass(frozen=True, slots=True, eq=False)
class RedrawnPairs:
    """Counts of both language models on resampled cases.

    Attributes
    ----------
    old, new : ndarray of float64, shape (n_draws, n_lengths, n_depths)
        Sums of case means.
    n_cases : ndarray of int64, shape (n_draws, n_lengths, n_depths)
    """

    old: FloatArray
    new: FloatArray
    n_cases: NDArray[np.int64]


def redraw_pairs(grids: Grids, *, n_draws: int, seed: int) -> RedrawnPairs:
    """Draw cases again, or the clusters they share, each with its two scores.

    Cases that share nothing are drawn within their cell; a cell with a single case, which could
    not vary, takes one of its length. Clusters are drawn within the finest parts of the design that
    hold them whole, as :func:`lcstats.lengths.resampling.redraw_strata` does.

    Parameters
    ----------
    grids : (CellGrid, CellGrid)
        With the same cases in the same order.
    n_draws, seed : int
    """
    old, new = grids
    assert old.cases is not None
    assert new.cases is not None
    rng, shape = np.random.default_rng(seed), old.n_cases.shape
    values = np.stack([old.cases.numerator, new.cases.numerator])
    if old.is_clustered:
        counted = np.vstack([values, np.ones_like(values[:1])])
        sums = redraw_strata(old.cases, counted, shape, rng, n_draws)
        return RedrawnPairs(sums[0] / old.unit, sums[1] / new.unit, sums[2])
    sums = _redraw_cases(old.cases.cell, values, shape, rng, n_draws)
    n_cases = np.broadcast_to(old.n_cases, sums.shape[1:])
    return RedrawnPairs(sums[0] / old.unit, sums[1] / new.unit, n_cases)


def _redraw_cases(
    cell: NDArray[np.int64],
    values: NDArray[np.int64],
    shape: tuple[int, ...],
    rng: np.random.Generator,
    n_draws: int,
) -> NDArray[np.int64]:
    """Draw every cell's cases from its own, (n_columns, n_draws, n_lengths, n_depths)."""
    drawn = np.zeros((len(values), n_draws, shape[0] * shape[1]), dtype=np.int64)
    for number in np.unique(cell).tolist():
        own = cell == number
        n_own = int(own.sum())
        donors = values[:, own if n_own > 1 else cell // shape[1] == number // shape[1]]
        at_once = max(DRAWN_AT_ONCE // n_own, 1)
        for first in range(0, n_draws, at_once):
            part = slice(first, min(first + at_once, n_draws))
            chosen = rng.integers(donors.shape[1], size=(part.stop - first, n_own))
            for column, scores in zip(drawn, donors, strict=True):
                column[part, number] = scores.take(chosen).sum(axis=-1)
    return drawn.reshape(len(values), n_draws, *shape)


def observed_joint(grids: Grids, criterion: Criterion, *, n_draws: int, seed: int) -> FloatArray:
    """Masses over (old, new) outcomes of raw cells, shape (n_lengths + 1, n_lengths + 1)."""
    drawn = redraw_pairs(grids, n_draws=n_draws, seed=seed)
    lengths = grids[0].lengths
    outcomes = (
        outcomes_of_draws(
            treat_draws(right, drawn.n_cases, criterion.treatment), lengths, criterion
        )
        for right in (drawn.old, drawn.new)
    )
    return count_joint(*outcomes, n_lengths=lengths.size)


@dataclass(frozen=True, slots=True, eq=False)
class CurveJoint:
    """Masses over the outcomes of two fitted curves.

    Attributes
    ----------
    masses : ndarray of float64, shape (n_lengths + 1, n_lengths + 1)
    n_failed : int
        Draws in which one of the two fits did not settle; they stay in, where it stopped.
    """

    masses: FloatArray
    n_failed: int


def curve_joint(
    fits: tuple[CurveFit, CurveFit],
    criterion: Criterion,
    *,
    n_draws: int,
    seed: int,
    n_threads: int = 1,
) -> CurveJoint:
    """Fit both curves again to the same resampled cases.

    Parameters
    ----------
    fits : (CurveFit, CurveFit)
        Of the same cases in the same order.
    criterion : Criterion
    n_draws, seed, n_threads : int
        The result is the same bit for bit on any number of threads.
    """
    drawn = redraw_pairs((fits[0].grid, fits[1].grid), n_draws=n_draws, seed=seed)
    again = partial(_refit_outcomes, drawn.n_cases, criterion=criterion, n_threads=n_threads)
    old, settled_old = again(fits[0], drawn.old)
    new, settled_new = again(fits[1], drawn.new)
    masses = count_joint(old, new, n_lengths=fits[0].grid.lengths.size)
    return CurveJoint(masses, n_failed=int((~(settled_old & settled_new)).sum()))


def _refit_outcomes(
    n_cases: NDArray[np.int64],
    fit: CurveFit,
    successes: FloatArray,
    *,
    criterion: Criterion,
    n_threads: int,
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Return the outcome of every refit and whether it settled, shape (n_draws,) each."""
    counts = [
        part.reshape(len(part), -1)[:, fit.cells.flat].astype(np.float64)
        for part in (n_cases, successes)
    ]
    batch = refit(fit, *counts, n_threads=n_threads)
    accuracies = accuracies_of(fit, batch.coefficients)
    heights = treated(accuracies, criterion.treatment, depth_weights(fit.grid))
    return outcomes_of_draws(heights, fit.grid.lengths, criterion), batch.converged


def count_joint(old: NDArray[np.int64], new: NDArray[np.int64], *, n_lengths: int) -> FloatArray:
    """Share of draws at every pair of outcomes, shape (n_lengths + 1, n_lengths + 1).

    Examples
    --------
    >>> count_joint(np.array([0, 1, 1, 1]), np.array([0, 1, 0, 1]), n_lengths=1).tolist()
    [[0.25, 0.0], [0.25, 0.5]]
    """
    n_outcomes = n_lengths + 1
    counts = np.bincount(old * n_outcomes + new, minlength=n_outcomes**2)
    return np.asarray(counts.reshape(n_outcomes, n_outcomes) / old.size)
