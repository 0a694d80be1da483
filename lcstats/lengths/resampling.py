"""Counted resampling: cases or whole clusters drawn again, where no exact law is at hand."""

import numpy as np
from numpy.typing import NDArray

from lcstats.cells import CaseIndex, CellGrid, peer_accuracy, redraw_clusters, split_strata
from lcstats.lengths.criterion import Criterion, Treatment
from lcstats.lengths.observed import base_rows
from lcstats.lengths.shares import case_divisors
from lcstats.lengths.windows import stretches

N_DRAWS = 4000
TIE = 1e-9
"""Accuracies this close to the bar reach it; a lattice finer than this is not counted here."""


def resampled_masses(
    grid: CellGrid, criterion: Criterion, *, seed: int, n_draws: int = N_DRAWS
) -> NDArray[np.float64]:
    """Return the share of draws at every outcome, shape (n_lengths + 1,).

    Cases that share a cluster are drawn together; clusters that lie within one length are
    drawn within it. Independent 0/1 cases are drawn cell by cell from binomials.
    """
    rng = np.random.default_rng(seed)
    if grid.cases is None or not (grid.has_fractions or grid.cases.is_clustered):
        rates = bootstrap_rates(grid)
        n_cases = np.broadcast_to(grid.n_cases, (n_draws, *grid.n_cases.shape))
        successes = rng.binomial(n_cases, rates).astype(np.float64)
    else:
        successes, n_cases = _redraw_clusters(grid, rng, n_draws)
    accuracies = treat_draws(successes, n_cases, criterion.treatment, grid.member_codes)
    outcomes = outcomes_of_draws(accuracies, grid.lengths, criterion)
    masses: NDArray[np.float64] = np.bincount(outcomes, minlength=grid.lengths.size + 1) / n_draws
    return masses


def bootstrap_rates(grid: CellGrid) -> NDArray[np.float64]:
    """Return k/n of every cell; of a cell with a single case, its task's over the length."""
    rates = np.where(grid.n_cases > 1, grid.accuracy, peer_accuracy(grid))
    return np.where(grid.n_cases > 0, rates, 0.0)


def _redraw_clusters(
    grid: CellGrid, rng: np.random.Generator, n_draws: int
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Draw clusters again; return successes and cases, (n_draws, n_lengths, n_depths)."""
    assert grid.cases is not None
    ones = np.ones_like(grid.cases.numerator)
    values = np.stack([grid.cases.numerator, ones])
    numerators, n_cases = redraw_strata(grid.cases, values, grid.n_cases.shape, rng, n_draws)
    return numerators / grid.unit, n_cases


def redraw_strata(
    cases: CaseIndex,
    values: NDArray[np.int64],
    shape: tuple[int, ...],
    rng: np.random.Generator,
    n_draws: int,
) -> NDArray[np.int64]:
    """Draw clusters again within the finest parts that hold them whole.

    Parameters
    ----------
    cases : CaseIndex
    values : ndarray of int64, shape (n_columns, n_cases)
        What is added up by cell, all columns of the same draws.
    shape : (int, int)
        Lengths and depths of the grid.
    rng : Generator
    n_draws : int

    Returns
    -------
    ndarray of int64, shape (n_columns, n_draws, n_lengths, n_depths)
    """
    n_cells = shape[0] * shape[1]
    drawn = np.zeros((len(values), n_draws, n_cells), dtype=np.int64)
    for members in split_strata(cases, shape[1]):
        cell, cluster = cases.cell[members], cases.cluster[members]
        drawn += redraw_clusters(
            cell, cluster, values[:, members], n_cells=n_cells, n_draws=n_draws, rng=rng
        )
    return drawn.reshape(len(values), n_draws, *shape)


def treat_draws(
    successes: NDArray[np.float64],
    n_cases: NDArray[np.int64],
    treatment: Treatment,
    members: NDArray[np.int64] | None = None,
) -> NDArray[np.float64]:
    """Apply a depth treatment to drawn counts.

    Parameters
    ----------
    successes, n_cases : ndarray, shape (n_draws, n_lengths, n_depths)
    treatment : Treatment
    members : ndarray of int64, shape (n_depths,), optional
        The averaged task of every column.

    Returns
    -------
    ndarray of float64, shape (n_draws, n_lengths)
        A draw in which a length has no case at all has accuracy 0 there. A window that holds a
        cell without cases in every draw is left out; in a draw its mean is over those of its
        cells that drew cases.
    """
    if treatment.is_window:
        return _lowest_windows(successes, n_cases, treatment.width, members)
    if not treatment.is_order:
        divisors = case_divisors(n_cases, treatment, members)
        treated: NDArray[np.float64] = (successes / np.maximum(divisors, 1)).sum(-1)
        return treated
    present = n_cases > 0
    cells = successes / np.maximum(n_cases, 1)
    n_present = present.sum(-1)
    ascending = np.sort(np.where(present, cells, np.inf), axis=-1)
    ranks = np.array([treatment.rank(int(n)) - 1 for n in range(cells.shape[-1] + 1)])
    chosen = np.take_along_axis(ascending, ranks[n_present][..., None], axis=-1)[..., 0]
    return np.where(n_present > 0, chosen, 0.0)


def _lowest_windows(
    successes: NDArray[np.float64],
    n_cases: NDArray[np.int64],
    width: int,
    members: NDArray[np.int64] | None,
) -> NDArray[np.float64]:
    """Return the smallest mean over adjacent cells, shape (n_draws, n_lengths)."""
    is_drawn = n_cases > 0
    cells = successes / np.maximum(n_cases, 1)
    lowest = np.full(cells.shape[:2], np.inf)
    for i in range(cells.shape[1]):
        for run in stretches(np.asarray(is_drawn[:, i].any(axis=0)), members, width):
            for first in range(run.size - width + 1):
                window = run[first : first + width]
                n_drawn = is_drawn[:, i, window].sum(axis=-1)
                mean = cells[:, i, window].sum(axis=-1) / np.maximum(n_drawn, 1)
                lowest[:, i] = np.minimum(lowest[:, i], np.where(n_drawn > 0, mean, np.inf))
    return np.where(np.isfinite(lowest), lowest, 0.0)


def outcomes_of_draws(
    accuracies: NDArray[np.float64], lengths: NDArray[np.int64], criterion: Criterion
) -> NDArray[np.int64]:
    """Apply the threshold rule to every draw; shape (n_draws, n_lengths) to (n_draws,)."""
    if criterion.fixed_bar is not None:
        bar = np.full(len(accuracies), float(criterion.fixed_bar))
    else:
        base = accuracies[:, list(base_rows(lengths, criterion))]
        bar = float(criterion.exact_threshold) * base.mean(axis=1)
    passes = accuracies >= bar[:, None] - TIE
    outcomes: NDArray[np.int64] = np.cumprod(passes, axis=1).sum(axis=1)
    return outcomes
