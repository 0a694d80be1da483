"""A fitted surface: what it says of every cell, and the draws behind it."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from lcstats.cells import CellGrid
from lcstats.curve import FloatArray
from lcstats.errors import Notice
from lcstats.flexible.conditional import (
    HOLE_ALPHA,
    HOLE_BETA,
    ConditionalCells,
    hole_shares,
    means_of,
    pass_shares,
)
from lcstats.flexible.settings import Setting
from lcstats.flexible.solve import Observations
from lcstats.records import SCHEMA_VERSION, freeze_arrays, list_notices, list_numbers


@dataclass(frozen=True, slots=True, eq=False)
class FlexibleFit:
    """A smooth surface over length and depth, fitted to one language model on one task.

    It has no dictionary to come back from: the same counts, options and seed give the same draws,
    bit for bit.

    Attributes
    ----------
    grid : CellGrid
        The counts it was fitted to.
    accuracy : ndarray of float64, shape (n_lengths, n_depths)
        Posterior mean of every cell; cells without cases are predicted.
    hole_probability : ndarray of float64, shape (n_lengths, n_depths)
        Posterior probability that a cell does not follow the surface.
    settings : tuple of Setting
        Hyperparameters with a weight above a thousandth of the best one's.
    setting_weights : ndarray of float64, shape (n_settings,)
        Their posterior probabilities.
    latents : ndarray of float64, shape (n_draws, n_lengths, n_depths)
        Draws of the surface, on the logit.
    precisions : ndarray of float64, shape (n_draws,)
        M of every draw: given the surface a cell is Beta(M mu, M (1 - mu)), unless it is a hole.
    draw_weights : ndarray of float64, shape (n_draws,)
        Importance of every draw; they add up to 1.
    importance_power : float
        1, unless the weights had to be flattened to rest on a fifth of the draws: then the
        posterior is in part that of the Laplace approximation; 0 if it is that altogether.
    guess_rate, hole_rate : float
    seed : int
    converged : bool
        False if the search for some setting's mode did not settle.
    design_effect : float
        What counts were divided by because cases share clusters; 1 where none do.
    notices : tuple of Notice
    """

    grid: CellGrid
    accuracy: FloatArray
    hole_probability: FloatArray
    settings: tuple[Setting, ...]
    setting_weights: FloatArray
    latents: FloatArray
    precisions: FloatArray
    draw_weights: FloatArray
    importance_power: float
    guess_rate: float
    hole_rate: float
    seed: int
    converged: bool
    design_effect: float = 1.0
    notices: tuple[Notice, ...] = ()

    def __post_init__(self) -> None:
        """Make the arrays read-only."""
        freeze_arrays(self)

    @property
    def n_draws(self) -> int:
        """Number of draws."""
        return int(self.precisions.size)

    @property
    def effective_draws(self) -> float:
        """How many equally weighted draws the weighted ones are worth."""
        return float(1.0 / (self.draw_weights**2).sum())

    @property
    def accuracies(self) -> FloatArray:
        """Draws of every cell's accuracy, shape (n_draws, n_lengths, n_depths), equally weighted.

        Surfaces are drawn again by their weights, then the cells given them; the last draws asked
        for are kept.
        """
        return draw_accuracies(self)

    @property
    def observations(self) -> Observations:
        """The counts and rates it was fitted with, cells in a row."""
        return observations_of(self.grid, self.guess_rate, self.hole_rate, self.design_effect)

    def is_of(self, grid: CellGrid) -> bool:
        """Tell whether this is a fit to these very counts."""
        mine = self.grid
        return (mine.model, mine.task, mine.unit) == (grid.model, grid.task, grid.unit) and all(
            np.array_equal(getattr(mine, name), getattr(grid, name), equal_nan=name == "depths")
            for name in ("lengths", "depths", "n_cases", "numerators")
        )

    def __repr__(self) -> str:
        shape = f"{self.grid.lengths.size}x{self.grid.depths.size}"
        range_ = f"accuracy {self.accuracy.min():.3g} to {self.accuracy.max():.3g}"
        counts = f"{len(self.settings)} settings, {self.n_draws} draws"
        flag = "" if self.converged else ", not converged"
        return (
            f"FlexibleFit({self.grid.model} on {self.grid.task}: {shape}, {range_}, {counts}{flag})"
        )

    def to_frame(self) -> pd.DataFrame:
        """Return one row per cell: counts, observed accuracy, posterior mean, sd and 95% range."""
        row, column = np.indices(self.grid.n_cases.shape).reshape(2, -1)
        lower, upper = np.quantile(self.accuracies, (0.025, 0.975), axis=0)
        return pd.DataFrame(
            {
                "model": self.grid.model,
                "task": self.grid.task,
                "length": self.grid.lengths[row],
                "depth": self.grid.depths[column],
                "n_cases": self.grid.n_cases.ravel(),
                "observed": self.grid.accuracy.ravel(),
                "accuracy": self.accuracy.ravel(),
                "sd": self.accuracies.std(axis=0).ravel(),
                "lower": lower.ravel(),
                "upper": upper.ravel(),
                "hole_probability": self.hole_probability.ravel(),
            }
        )

    def to_dict(self) -> dict[str, Any]:
        """Return JSON-ready values, with the counts and without the draws."""
        return {
            "schema_version": SCHEMA_VERSION,
            "model": self.grid.model,
            "task": self.grid.task,
            "accuracy": list_numbers(self.accuracy),
            "hole_probability": list_numbers(self.hole_probability),
            "settings": [
                _setting_dict(setting, weight)
                for setting, weight in zip(self.settings, self.setting_weights, strict=True)
            ],
            "n_draws": self.n_draws,
            "effective_draws": self.effective_draws,
            "importance_power": self.importance_power,
            "guess_rate": self.guess_rate,
            "hole_rate": self.hole_rate,
            "seed": self.seed,
            "converged": self.converged,
            "design_effect": self.design_effect,
            "counts": self.grid.to_dict(),
            "notices": list_notices(self.notices),
        }


def _setting_dict(setting: Setting, weight: float) -> Mapping[str, float]:
    names = ("walk", "smooth", "rough", "precision")
    return {**{name: getattr(setting, name) for name in names}, "weight": float(weight)}


def observations_of(
    grid: CellGrid, guess_rate: float, hole_rate: float, effect: float = 1.0
) -> Observations:
    """Put the counts of a grid in a row, length by length, divided by the design effect."""
    return Observations(
        n_cases=grid.n_cases.ravel() / effect,
        successes=grid.successes.ravel() / effect,
        guess_rate=guess_rate,
        hole_rate=hole_rate,
    )


def conditional_cells(fit: FlexibleFit) -> ConditionalCells:
    """Return the law of every cell given every draw of the surface.

    Notes
    -----
    Given surface and counts a cell is ``(1 - h) Beta(k + M mu, n - k + M (1 - mu)) +
    h Beta(k + 2, n - k + 1)``; h is its posterior probability of being a hole.
    """
    observations, shape = fit.observations, fit.grid.n_cases.shape
    shares = _hole_shares(fit)
    return condition(observations, fit.latents, fit.precisions, shares.reshape(-1, *shape))


def condition(
    observations: Observations, latents: FloatArray, precisions: FloatArray, shares: FloatArray
) -> ConditionalCells:
    """Put the laws of all cells together; latents and shares (n_draws, n_lengths, n_depths)."""
    shape = latents.shape[1:]
    right = observations.successes.reshape(shape)
    wrong = (observations.n_cases - observations.successes).reshape(shape)
    means = means_of(latents.reshape(len(latents), -1), observations.guess_rate)
    expected = precisions[:, None, None] * means.reshape(latents.shape)
    return ConditionalCells(
        hole_shares=shares,
        alpha=right + expected,
        beta=wrong + (precisions[:, None, None] - expected),
        hole_alpha=right + HOLE_ALPHA,
        hole_beta=wrong + HOLE_BETA,
    )


@lru_cache(maxsize=2)
def pass_probabilities(fit: FlexibleFit, bar: float) -> NDArray[np.float64]:
    """Probability that a cell's accuracy is at least `bar` given each draw of the surface.

    Returns
    -------
    ndarray of float64, shape (n_draws, n_lengths, n_depths)
        Given the draw, cells are independent. Read-only: the last ones asked for are kept.
    """
    flat = fit.latents.reshape(fit.n_draws, -1)
    shares = _hole_shares(fit)
    passes = pass_shares(fit.observations, flat, fit.precisions, shares, bar)
    passes.flags.writeable = False
    return passes.reshape(fit.latents.shape)


@lru_cache(maxsize=2)
def draw_accuracies(fit: FlexibleFit) -> NDArray[np.float64]:
    """Draw surfaces by their weights and every cell once, (n_draws, n_lengths, n_depths).

    Systematic resampling (Kitagawa 1996, section 3.1 of the appendix): a surface comes up as often
    as its weight says, rounded up or down. Read-only: the last ones asked for are kept.
    """
    rng = np.random.default_rng([fit.seed, fit.n_draws])
    places = (rng.random() + np.arange(fit.n_draws)) / fit.n_draws
    chosen = np.minimum(np.searchsorted(np.cumsum(fit.draw_weights), places), fit.n_draws - 1)
    drawn = conditional_cells(fit).draw(rng, chosen)
    drawn.flags.writeable = False
    return drawn


def weighted_mean(values: FloatArray, weights: FloatArray) -> FloatArray:
    """Mean over the first axis, (n_draws, ...) to (...); always summed in the same order.

    What is summed are shares; rounding does not carry their mean beyond 0 or 1.
    """
    return np.asarray(np.clip(np.einsum("n,n...->...", weights, values), 0.0, 1.0))


@lru_cache(maxsize=2)
def _hole_shares(fit: FlexibleFit) -> NDArray[np.float64]:
    flat = fit.latents.reshape(fit.n_draws, -1)
    return hole_shares(fit.observations, flat, fit.precisions)[0]
