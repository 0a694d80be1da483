"""The cells given a drawn surface: mixtures of two betas, independent of each other."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaincc

from lcstats.curve import FloatArray
from lcstats.flexible.solve import Observations
from lcstats.kernels.cells import (
    fill_hole_shares,
    fill_means,
    fill_pass_probabilities,
    log_hole_cells,
    tabulate_smooth_cells,
)
from lcstats.kernels.laplace import LARGEST_LATENT

NODES_PER_LOGIT = 8.0
N_MEAN_NODES = 160
REACH_SDS = 10.0
"""How far from the bar a cell's mean is tabulated: beyond, it reaches it surely or never."""

HOLE_ALPHA, HOLE_BETA = 2.0, 1.0
SMALLEST_SHAPE = 1e-12


@dataclass(frozen=True, slots=True, eq=False)
class ConditionalCells:
    """Law of every cell's accuracy given each draw of the surface.

    A cell's accuracy is Beta(alpha, beta) with probability ``1 - hole_shares`` and
    Beta(hole_alpha, hole_beta) otherwise; given the draw, cells are independent.

    Attributes
    ----------
    hole_shares, alpha, beta : ndarray of float64, shape (n_draws, n_lengths, n_depths)
    hole_alpha, hole_beta : ndarray of float64, shape (n_lengths, n_depths)
    """

    hole_shares: FloatArray
    alpha: FloatArray
    beta: FloatArray
    hole_alpha: FloatArray
    hole_beta: FloatArray

    @property
    def mean(self) -> FloatArray:
        """Mean of every cell given the draw, shape (n_draws, n_lengths, n_depths)."""
        smooth = self.alpha / (self.alpha + self.beta)
        return np.asarray(smooth + self.hole_shares * (self._hole_mean - smooth))

    @property
    def variance(self) -> FloatArray:
        """Variance of every cell given the draw, shape (n_draws, n_lengths, n_depths)."""
        smooth, hole = self.alpha / (self.alpha + self.beta), self._hole_mean
        within = smooth * (1.0 - smooth) / (self.alpha + self.beta + 1.0)
        in_hole = hole * (1.0 - hole) / (self.hole_alpha + self.hole_beta + 1.0)
        share = self.hole_shares
        between = share * (1.0 - share) * (hole - smooth) ** 2
        return np.asarray((1.0 - share) * within + share * in_hole + between)

    @property
    def _hole_mean(self) -> FloatArray:
        return np.asarray(self.hole_alpha / (self.hole_alpha + self.hole_beta))

    def draw(self, rng: np.random.Generator, chosen: NDArray[np.intp] | None = None) -> FloatArray:
        """Draw every cell once, strictly between 0 and 1.

        Parameters
        ----------
        rng : numpy.random.Generator
        chosen : ndarray of int, shape (n_chosen,), optional
            Draws of the surface to go by, repeated at will; each of them once without it.

        Returns
        -------
        ndarray of float64, shape (n_chosen, n_lengths, n_depths)
        """
        take = slice(None) if chosen is None else chosen
        is_hole = rng.random(self.alpha[take].shape) < self.hole_shares[take]
        alpha = np.where(is_hole, self.hole_alpha, self.alpha[take])
        beta = np.where(is_hole, self.hole_beta, self.beta[take])
        drawn = rng.beta(np.maximum(alpha, SMALLEST_SHAPE), np.maximum(beta, SMALLEST_SHAPE))
        tiny = np.finfo(np.float64).eps
        return np.clip(drawn, tiny, 1.0 - tiny)


def means_of(latents: FloatArray, guess_rate: float) -> FloatArray:
    """Mean accuracy that the surface gives, ``g + (1 - g) / (1 + exp(-z))``; shape as `latents`."""
    means = np.empty_like(latents)
    fill_means(latents, guess_rate, means)
    return means


def distinct_counts(observations: Observations) -> tuple[FloatArray, NDArray[np.int64]]:
    """Return distinct pairs of cases and successes, (2, n_tables), and the pair of every cell."""
    counts = np.stack([observations.n_cases, observations.successes])
    pairs, kind = np.unique(counts, axis=1, return_inverse=True)
    return np.ascontiguousarray(pairs), kind.reshape(-1).astype(np.int64)


def hole_shares(
    observations: Observations, latents: FloatArray, precisions: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return what counts say of holes, and of the draw as a whole.

    Parameters
    ----------
    observations : Observations
    latents : ndarray of float64, shape (n_draws, n_cells)
    precisions : ndarray of float64, shape (n_draws,)

    Returns
    -------
    shares : ndarray of float64, shape (n_draws, n_cells)
        Posterior probability that a cell is a hole given the draw.
    log_likelihood : ndarray of float64, shape (n_draws,)
        Of all counts given the draw, but for a constant.
    """
    pairs, kind = distinct_counts(observations)
    rate = observations.hole_rate
    log_odds = np.log(rate) - np.log1p(-rate) + log_hole_cells(pairs)
    lowest, highest = np.clip((latents.min(), latents.max()), -LARGEST_LATENT, LARGEST_LATENT)
    first = np.floor(lowest) - 1.0
    nodes = np.arange(first, highest + 2.0, 1.0 / NODES_PER_LOGIT)
    shares, log_likelihood = np.empty_like(latents), np.empty(len(latents))
    for precision in np.unique(precisions).tolist():
        of_it = np.flatnonzero(precisions == precision)
        tables = tabulate_smooth_cells(pairs, precision, observations.guess_rate, nodes)
        part, total = np.empty((of_it.size, kind.size)), np.empty(of_it.size)
        span = (first, NODES_PER_LOGIT)
        fill_hole_shares(latents[of_it], kind, tables, span, log_odds, part, total)
        shares[of_it], log_likelihood[of_it] = part, total
    return shares, log_likelihood


def pass_shares(
    observations: Observations,
    latents: FloatArray,
    precisions: FloatArray,
    shares: FloatArray,
    bar: float,
) -> FloatArray:
    """Probability that a cell's accuracy reaches `bar` given each draw, (n_draws, n_cells)."""
    pairs, kind = distinct_counts(observations)
    in_hole = _reach(pairs[1] + HOLE_ALPHA, pairs[0] - pairs[1] + HOLE_BETA, bar)
    passes = np.empty_like(latents)
    for precision in np.unique(precisions).tolist():
        of_it = np.flatnonzero(precisions == precision)
        tables = _tabulate_passes(pairs, precision, bar, observations.guess_rate)
        means = means_of(latents[of_it], observations.guess_rate)
        part = np.empty_like(means)
        fill_pass_probabilities(means, shares[of_it], kind, tables, in_hole, part)
        passes[of_it] = part
    return passes


def _tabulate_passes(
    pairs: FloatArray, precision: float, bar: float, guess_rate: float
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """P(Beta(k + M mu, n - k + M (1 - mu)) >= bar) over the means mu where it is not 0 or 1.

    Returns the probabilities, (n_tables, n_nodes), the first mean and the nodes per unit.
    """
    n, k = pairs
    total = n + precision
    center = (bar * total - k) / precision
    reach = REACH_SDS * np.sqrt(bar * (1.0 - bar) / (total + 1.0)) * total / precision
    reach = np.maximum(reach, REACH_SDS / total)
    low = np.clip(center - reach, guess_rate, 1.0)
    high = np.clip(center + reach, guess_rate, 1.0)
    width = np.maximum(high - low, 1e-9)
    low = np.minimum(low, 1.0 - width)
    means = low[:, None] + width[:, None] * np.linspace(0.0, 1.0, N_MEAN_NODES)
    alpha = k[:, None] + precision * means
    beta = (n - k)[:, None] + precision * (1.0 - means)
    return _reach(alpha, beta, bar), low, (N_MEAN_NODES - 1) / width


def _reach(alpha: FloatArray, beta: FloatArray, bar: float) -> FloatArray:
    """P(Beta(alpha, beta) >= bar)."""
    shapes = np.maximum(alpha, SMALLEST_SHAPE), np.maximum(beta, SMALLEST_SHAPE)
    if not 0.0 < bar < 1.0:
        return np.full(np.shape(alpha), float(bar <= 0.0))
    return np.asarray(betaincc(*shapes, bar))
