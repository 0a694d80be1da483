"""Counted resampling: cases or whole clusters drawn again, where no exact law is at hand."""

import numpy as np
from numpy.typing import NDArray

from lcstats.cells import CellGrid
from lcstats.lengths.criterion import Criterion, Treatment
from lcstats.lengths.observed import base_rows

N_DRAWS = 4000
TIE = 1e-9
"""Accuracies this close to the bar reach it; a lattice finer than this is not counted here."""


def resampled_masses(
    grid: CellGrid, criterion: Criterion, *, seed: int, n_draws: int = N_DRAWS
) -> NDArray[np.float64]:
    """Return the share of draws at every outcome, shape (n_lengths + 1,).

    Cases that share a cluster are drawn together; clusters that lie within one length are
    drawn within it. Sources without cases are drawn cell by cell from binomials.
    """
    rng = np.random.default_rng(seed)
    if grid.cases is None:
        rates = np.nan_to_num(grid.accuracy)
        n_cases = np.broadcast_to(grid.n_cases, (n_draws, *grid.n_cases.shape))
        successes = rng.binomial(n_cases, rates).astype(np.float64)
    else:
        successes, n_cases = _redraw_clusters(grid, rng, n_draws)
    accuracies = treat_draws(successes, n_cases, criterion.treatment)
    outcomes = outcomes_of_draws(accuracies, grid.lengths, criterion)
    masses: NDArray[np.float64] = np.bincount(outcomes, minlength=grid.lengths.size + 1) / n_draws
    return masses


def _redraw_clusters(
    grid: CellGrid, rng: np.random.Generator, n_draws: int
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Draw clusters again; return successes and cases, (n_draws, n_lengths, n_depths)."""
    assert grid.cases is not None
    strata = _strata(grid)
    n_cells = grid.n_cases.size
    successes = np.zeros((n_draws, n_cells))
    n_cases = np.zeros((n_draws, n_cells), dtype=np.int64)
    for members in strata:
        cell = grid.cases.cell[members]
        value = grid.cases.numerator[members] / grid.unit
        _, cluster = np.unique(grid.cases.cluster[members], return_inverse=True)
        n_clusters = int(cluster.max()) + 1
        for draw in range(n_draws):
            drawn = rng.integers(n_clusters, size=n_clusters)
            weight = np.bincount(drawn, minlength=n_clusters)[cluster]
            successes[draw] += np.bincount(cell, weight * value, minlength=n_cells)
            n_cases[draw] += np.bincount(cell, weight, minlength=n_cells).astype(np.int64)
    shape = (n_draws, *grid.n_cases.shape)
    return successes.reshape(shape), n_cases.reshape(shape)


def _strata(grid: CellGrid) -> list[NDArray[np.int64]]:
    """Split the cases into parts that are drawn apart: cells, lengths, or nothing finer."""
    assert grid.cases is not None
    cell, cluster = grid.cases.cell, grid.cases.cluster
    for part in (cell, cell // grid.depths.size):
        pairs = np.unique(np.stack([cluster, part]), axis=1)
        if pairs.shape[1] == np.unique(cluster).size:
            order = np.argsort(part, kind="stable")
            return np.split(order, np.flatnonzero(np.diff(part[order])) + 1)
    return [np.arange(cell.size)]


def treat_draws(
    successes: NDArray[np.float64], n_cases: NDArray[np.int64], treatment: Treatment
) -> NDArray[np.float64]:
    """Apply a depth treatment to drawn counts.

    Parameters
    ----------
    successes, n_cases : ndarray, shape (n_draws, n_lengths, n_depths)

    Returns
    -------
    ndarray of float64, shape (n_draws, n_lengths)
        A draw in which a length has no case at all has accuracy 0 there.
    """
    if treatment.kind == "pooled":
        pooled: NDArray[np.float64] = successes.sum(-1) / np.maximum(n_cases.sum(-1), 1)
        return pooled
    present = n_cases > 0
    cells = successes / np.maximum(n_cases, 1)
    n_present = present.sum(-1)
    if treatment.kind == "mean":
        mean: NDArray[np.float64] = cells.sum(-1) / np.maximum(n_present, 1)
        return mean
    ascending = np.sort(np.where(present, cells, np.inf), axis=-1)
    ranks = np.array([treatment.rank(int(n)) - 1 for n in range(cells.shape[-1] + 1)])
    chosen = np.take_along_axis(ascending, ranks[n_present][..., None], axis=-1)[..., 0]
    return np.where(n_present > 0, chosen, 0.0)


def outcomes_of_draws(
    accuracies: NDArray[np.float64], lengths: NDArray[np.int64], criterion: Criterion
) -> NDArray[np.int64]:
    """Apply the threshold rule to every draw; shape (n_draws, n_lengths) to (n_draws,)."""
    tau = float(criterion.exact_threshold)
    bar = np.full(len(accuracies), tau)
    if criterion.rule == "above_chance":
        guess = float(criterion.exact_guess_rate)
        bar = np.full(len(accuracies), guess + tau * (1 - guess))
    elif criterion.rule == "relative":
        bar = tau * accuracies[:, list(base_rows(lengths, criterion))].mean(axis=1)
    passes = accuracies >= bar[:, None] - TIE
    outcomes: NDArray[np.int64] = np.cumprod(passes, axis=1).sum(axis=1)
    return outcomes
