"""``fit_flexible``: the door of this room. It orchestrates; numbers happen elsewhere."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from lcstats.cells import CellGrid, Cells, design_effect
from lcstats.errors import DesignWarning, FitError, Notice, OptionError, announce, describe
from lcstats.flexible.conditional import hole_shares
from lcstats.flexible.latent import draw_latents, importance_weights
from lcstats.flexible.result import FlexibleFit, condition, observations_of, weighted_mean
from lcstats.flexible.solve import Mode, Observations, find_modes, weights_of
from lcstats.flexible.surface import Surface
from lcstats.options import check_type, check_whole

HOLE_RATE = 0.005
"""Prior probability that a cell does not follow the surface."""

LARGEST_HOLE_RATE = 0.2

WIDER = 0.85
"""Share of the curvature that draws are made with before they are weighed: their tails are then
heavier than the posterior's."""

N_DRAWS = 4000
FEW_CELLS = 400
N_DRAWS_OF_MANY = 2000
SMALLEST_POWER = 0.5
MOST_CELLS = 2500
"""Beyond, the time, which grows with the cube of the number of cells, is minutes."""


def fit_flexible(
    cells: Cells,
    *,
    guess_rate: float | None = None,
    hole_rate: float = HOLE_RATE,
    n_draws: int | None = None,
    seed: int = 0,
    exact: bool = True,
) -> FlexibleFit:
    """Fit a smooth surface over length and depth, with cells that scatter and rare holes.

    It assumes no law: only that neighbouring lengths and depths tend to be alike.

    Parameters
    ----------
    cells : Cells
        One language model on one task. Any grid: uneven lengths, one length, one depth or none,
        unequal numbers of cases, cells without cases (they are predicted), graded scores (a
        quasi-binomial), up to 2500 cells.
    guess_rate : float, optional
        Known floor of accuracy, in [0, 1); what the table says, or 0, without it.
    hole_rate : float
        Prior probability that a cell does not follow the surface, in (0, 0.2].
    n_draws : int, optional
        At least 2; 4000, or 2000 above 400 cells, without it.
    seed : int
        Equal seeds give the same draws bit for bit, on any number of threads.
    exact : bool
        Weigh the draws by their importance. Without it they are those of the Laplace
        approximation, which is a little too low where almost all cases are right.

    Returns
    -------
    FlexibleFit

    Raises
    ------
    OptionError
        If `cells` are no cells, several groups or an average, or an option is out of range.
    FitError
        If the grid has more than 2500 cells.

    Notes
    -----
    The surface z is a Gaussian process on the logit (:meth:`Surface.over`). A cell's accuracy is
    ``Beta(M mu, M (1 - mu))`` around ``mu = g + (1 - g) / (1 + exp(-z))`` with probability
    1 - e, and Beta(2, 1), a hole, otherwise; counts are binomial. Three standard deviations of the
    process and M are averaged over a grid of 72 settings, weighed by prior and evidence. Per
    setting z is drawn from Laplace's approximation (Rasmussen and Williams 2006, Gaussian Processes
    for Machine Learning, sections 3.4 and 5.5.1), made a little wider, and the draws are weighed by
    their importance, which makes up for what the approximation lacks; the
    cells given z are exact.

    Examples
    --------
    >>> cells = Cells.from_counts(
    ...     [4096, 8192, 16384, 32768],
    ...     [0.0, 0.5, 1.0],
    ...     n_cases=20,
    ...     successes=[[20, 20, 20], [20, 19, 20], [20, 17, 20], [18, 12, 19]],
    ... )
    >>> fit = fit_flexible(cells)
    >>> fit.accuracy[:, 1].round(2).tolist()
    [0.99, 0.96, 0.87, 0.63]
    """
    check_type(cells, Cells, "cells")
    grid = cells.grid
    _check_grid(grid)
    guess = grid.guess_rate if guess_rate is None else guess_rate
    _check_rates(guess, hole_rate)
    if n_draws is None:
        n_draws = N_DRAWS if grid.n_cases.size <= FEW_CELLS else N_DRAWS_OF_MANY
    check_whole(n_draws, "n_draws", least=2)
    check_whole(seed, "seed")
    effect = design_effect(grid)
    observations = observations_of(grid, float(guess), float(hole_rate), effect)
    surface = Surface.over(grid.lengths.astype(np.float64), grid.depths)
    modes = find_modes(surface, observations)
    fit = _summarise(grid, surface, observations, modes, n_draws, seed, exact)
    fit = replace(fit, design_effect=effect, notices=tuple(_notices(fit, effect)))
    announce(fit.notices)
    return fit


def is_quick(grid: CellGrid) -> bool:
    """Tell whether a surface is fitted in a fraction of a second: one task, at most 400 cells."""
    return grid.n_cases.size <= FEW_CELLS and not grid.members


def _summarise(
    grid: CellGrid,
    surface: Surface,
    observations: Observations,
    modes: tuple[Mode, ...],
    n_draws: int,
    seed: int,
    exact: bool,
) -> FlexibleFit:
    """Draw surfaces, weigh them, and average the cells given them."""
    curvature = WIDER if exact else 1.0
    drawn = draw_latents(
        surface, observations, modes, n_draws=n_draws, seed=seed, curvature=curvature
    )
    shares, log_likelihood = hole_shares(observations, drawn.latents, drawn.precisions)
    weights, power = np.full(n_draws, 1.0 / n_draws), 0.0
    if exact:
        weights, power = importance_weights(drawn.log_ratio + log_likelihood)
    shares = shares.reshape(-1, *grid.n_cases.shape)
    latents = drawn.latents.reshape(shares.shape)
    means = condition(observations, latents, drawn.precisions, shares).mean
    return FlexibleFit(
        grid=grid,
        accuracy=weighted_mean(means, weights),
        hole_probability=weighted_mean(shares, weights),
        settings=tuple(mode.setting for mode in modes),
        setting_weights=weights_of(modes),
        latents=latents,
        precisions=drawn.precisions,
        draw_weights=weights,
        importance_power=power,
        guess_rate=observations.guess_rate,
        hole_rate=observations.hole_rate,
        seed=seed,
        converged=all(mode.converged for mode in modes),
    )


def _check_grid(grid: CellGrid) -> None:
    if grid.members:
        raise OptionError(
            describe(
                f"these cells are an average over {len(grid.members)} tasks",
                "expected one task: every task has a surface of its own",
                "fit the tasks before averaging",
            )
        )
    if grid.n_cases.size > MOST_CELLS:
        m, n_depths = grid.n_cases.shape
        raise FitError(
            describe(
                f"{grid.model} on {grid.task} has {m} lengths and {n_depths} depths",
                f"expected at most {MOST_CELLS} cells for a surface",
                "count by the lengths asked for (axis='asked'), or round lengths and depths",
            )
        )


def _check_rates(guess_rate: float, hole_rate: float) -> None:
    if not 0.0 <= guess_rate < 1.0:
        raise OptionError(
            describe(
                f"guess_rate is {guess_rate!r}",
                "expected a number in [0, 1)",
                "write one in four as 0.25",
            )
        )
    if not 0.0 < hole_rate <= LARGEST_HOLE_RATE:
        raise OptionError(
            describe(
                f"hole_rate is {hole_rate!r}",
                f"expected a number in (0, {LARGEST_HOLE_RATE}]",
                f"leave it out for {HOLE_RATE}",
            )
        )


def _notices(fit: FlexibleFit, effect: float) -> Iterator[Notice]:
    grid, power = fit.grid, fit.importance_power
    n_empty = int((grid.n_cases == 0).sum())
    if n_empty:
        yield Notice(
            "predicted-cells",
            f"the surface predicts {n_empty} of {grid.n_cases.size} cells that have no cases",
            DesignWarning,
        )
    if grid.is_clustered:
        yield Notice(
            "clusters-as-fewer-cases",
            "cases share clusters: their sums vary as those of fewer independent cases, and the "
            f"surface counts n cases as n / {effect:.2f} (design effect)",
            DesignWarning,
        )
    if 0.0 < power < SMALLEST_POWER:
        yield Notice(
            "rough-posterior",
            "the drawn surfaces fit the posterior badly, and their weights were flattened "
            f"(power {power:.2f}): the surface's masses are approximate",
            DesignWarning,
        )
