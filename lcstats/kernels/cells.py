"""Cells around drawn surfaces: hole shares and pass probabilities.

Functions of one variable, the drawn logit or mean, are looked up in tables: there are as many
draws as cells times thousands, and only as many tables as there are distinct counts.
"""

import math

import numpy as np
from numpy.typing import NDArray

from lcstats.kernels.jit import njit, njit_fused
from lcstats.kernels.laplace import LARGEST_LATENT, log_beta_binomial, log_smooth_cell

Floats = NDArray[np.float64]
Whole = NDArray[np.int64]


@njit
def tabulate_smooth_cells(
    counts: Floats, precision: float, guess: float, latents: Floats
) -> Floats:
    """Log probability of the counts in a cell that follows the surface, (n_tables, n_nodes).

    Parameters
    ----------
    counts : ndarray of float64, shape (2, n_tables)
        Distinct pairs of cases and successes.
    precision, guess : float
    latents : ndarray of float64, shape (n_nodes,)
    """
    tables = np.empty((counts.shape[1], latents.size))
    for i in range(counts.shape[1]):
        for j in range(latents.size):
            tables[i, j] = log_smooth_cell(counts[0, i], counts[1, i], latents[j], precision, guess)
    return tables


@njit
def log_hole_cells(counts: Floats) -> Floats:
    """Log probability of the counts in a hole, whose accuracy is Beta(2, 1); (n_tables,)."""
    logs = np.empty(counts.shape[1])
    for i in range(counts.shape[1]):
        logs[i] = log_beta_binomial(counts[0, i], counts[1, i], 2.0, 1.0)
    return logs


@njit_fused
def look_up(table: Floats, place: float) -> float:
    """Cubic interpolation at `place`, counted in nodes; constant beyond the ends."""
    last = table.size - 1
    if place <= 0.0:
        return float(table[0])
    if place >= last:
        return float(table[last])
    first = min(max(int(place) - 1, 0), last - 3)
    x = place - first
    a, b, c, d = x, x - 1.0, x - 2.0, x - 3.0
    return float(
        -b * c * d / 6.0 * table[first]
        + a * c * d / 2.0 * table[first + 1]
        - a * b * d / 2.0 * table[first + 2]
        + a * b * c / 6.0 * table[first + 3]
    )


@njit_fused
def fill_hole_shares(
    latents: Floats,
    kind: Whole,
    tables: Floats,
    span: tuple[float, float],
    log_odds: Floats,
    shares: Floats,
    log_likelihood: Floats,
) -> None:
    """Write the posterior probability that a cell is a hole, given its drawn logit.

    Parameters
    ----------
    latents : ndarray of float64, shape (n_draws, n_cells)
        Draws of one precision.
    kind : ndarray of int64, shape (n_cells,)
        Table of every cell.
    tables : ndarray of float64, shape (n_tables, n_nodes)
        Of :func:`tabulate_smooth_cells`.
    span : tuple of float
        First node, and nodes per logit.
    log_odds : ndarray of float64, shape (n_tables,)
        Log of prior odds of a hole times its probability of the counts.
    shares : ndarray of float64, shape (n_draws, n_cells)
        Written.
    log_likelihood : ndarray of float64, shape (n_draws,)
        Written: log probability of all counts, but for a constant.
    """
    first, per_logit = span
    for draw in range(latents.shape[0]):
        total = 0.0
        for cell in range(latents.shape[1]):
            place = (latents[draw, cell] - first) * per_logit
            smooth = look_up(tables[kind[cell]], place)
            excess = log_odds[kind[cell]] - smooth
            rest = math.exp(-abs(excess))
            shares[draw, cell] = (1.0 if excess > 0.0 else rest) / (1.0 + rest)
            total += max(smooth, smooth + excess) + math.log1p(rest)
        log_likelihood[draw] = total


@njit_fused
def fill_means(latents: Floats, guess: float, means: Floats) -> None:
    """Write g + (1 - g) / (1 + exp(-z)), shape (n_draws, n_cells)."""
    for draw in range(latents.shape[0]):
        for cell in range(latents.shape[1]):
            z = min(max(latents[draw, cell], -LARGEST_LATENT), LARGEST_LATENT)
            means[draw, cell] = guess + (1.0 - guess) / (1.0 + math.exp(-z))


@njit_fused
def fill_pass_probabilities(
    means: Floats,
    shares: Floats,
    kind: Whole,
    tables: tuple[Floats, Floats, Floats],
    in_hole: Floats,
    passes: Floats,
) -> None:
    """Write (1 - h) P(smooth cell >= bar) + h P(hole >= bar).

    Parameters
    ----------
    means, shares, passes : ndarray of float64, shape (n_draws, n_cells)
        Drawn means, hole shares h, and what is written.
    kind : ndarray of int64, shape (n_cells,)
    tables : tuple of ndarray
        Pass probabilities (n_tables, n_nodes), first node and nodes per unit of the mean, each
        (n_tables,).
    in_hole : ndarray of float64, shape (n_tables,)
    """
    smooth, first, per_unit = tables
    for draw in range(means.shape[0]):
        for cell in range(means.shape[1]):
            table = kind[cell]
            place = (means[draw, cell] - first[table]) * per_unit[table]
            share = shares[draw, cell]
            reached = min(max(look_up(smooth[table], place), 0.0), 1.0)
            passes[draw, cell] = (1.0 - share) * reached + share * in_hole[table]
