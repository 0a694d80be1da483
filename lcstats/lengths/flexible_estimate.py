"""Effective length by the flexible surface: its grid length, masses and set."""

from dataclasses import replace
from functools import lru_cache

import numpy as np
from scipy.special import betaincc

from lcstats.curve import FloatArray
from lcstats.flexible import FlexibleFit, conditional_cells, draw_accuracies, pass_probabilities
from lcstats.kernels.binomial import at_most_failing, mean_run_law
from lcstats.lengths.criterion import Criterion, Treatment
from lcstats.lengths.crossing import depth_weights, treated
from lcstats.lengths.estimate import TIE, Estimate, Interval, equal_tailed_ends
from lcstats.lengths.observed import base_rows, leading
from lcstats.lengths.resampling import outcomes_of_draws

N_CELL_DRAWS = 2
"""Draws of the cells for each surface, where rows are counted and not computed."""


def estimate_from_flexible(
    fit: FlexibleFit, criterion: Criterion, *, level: float, seed: int
) -> Estimate:
    """Apply the criterion to a fitted surface; masses and an equal-tailed set from its posterior.

    The point is the effective length of the posterior mean accuracies, moved to the nearest end
    of the set where it lies outside.

    Parameters
    ----------
    fit : FlexibleFit
    criterion : Criterion
    level : float
        Level of the set, in (0, 1).
    seed : int
        For drawing cells where a treatment needs it.
    """
    accuracy = treated(fit.accuracy, criterion.treatment, depth_weights(fit.grid))
    passes = accuracy >= _bar_on(accuracy, fit, criterion) - TIE
    passing = np.flatnonzero(passes)
    masses = posterior_masses(fit, criterion, seed=seed)
    interval = equal_tailed_set(masses, fit, level=level)
    return Estimate(
        method="flexible",
        outcome=min(max(leading(passes), interval.lower), interval.upper),
        lengths=fit.grid.lengths,
        longest_passing=int(fit.grid.lengths[passing[-1]]) if passing.size else None,
        masses={"posterior": masses},
        sets=(interval,),
    )


def posterior_masses(
    fit: FlexibleFit, criterion: Criterion, *, seed: int, as_drawn: bool = False
) -> FloatArray:
    """Posterior probability of every outcome, shape (n_lengths + 1,).

    A relative bar is measured on the same draw of the cells as the lengths that have to reach it.
    With `as_drawn` the surfaces count alike, whatever their importance.
    """
    weights = np.full(fit.n_draws, 1.0 / fit.n_draws) if as_drawn else fit.draw_weights
    if criterion.fixed_bar is not None:
        reaches = _reaches(fit, float(criterion.fixed_bar), criterion.treatment, seed)
        return np.asarray(mean_run_law(reaches, weights))
    fit = replace(fit, draw_weights=weights)
    drawn = treated(draw_accuracies(fit), criterion.treatment, depth_weights(fit.grid))
    outcomes = outcomes_of_draws(drawn, fit.grid.lengths, criterion)
    return np.bincount(outcomes, minlength=fit.grid.lengths.size + 1) / fit.n_draws


def flexible_masses(
    fit: FlexibleFit, bar: float, treatment: Treatment, *, seed: int = 0
) -> FloatArray:
    """Posterior probability of every number of leading lengths that reach `bar`.

    Parameters
    ----------
    fit : FlexibleFit
    bar : float
        In accuracy.
    treatment : Treatment
    seed : int
        Used for windows only, whose cells are drawn.

    Returns
    -------
    ndarray of float64, shape (n_lengths + 1,)

    Notes
    -----
    Rao-Blackwell: given a draw of the surface lengths are independent, so P(outcome >= j) is the
    mean over draws of the product over the first j lengths of P(length reaches the bar | draw).
    """
    return np.asarray(mean_run_law(_reaches(fit, bar, treatment, seed), fit.draw_weights))


def equal_tailed_set(masses: FloatArray, fit: FlexibleFit, *, level: float) -> Interval:
    """Cut off at most half of the error at each end of the posterior masses."""
    lower, upper = equal_tailed_ends(masses, level)
    return Interval(
        kind="posterior",
        level=level,
        lower=lower,
        upper=upper,
        lengths=fit.grid.lengths,
        is_default=True,
        diagnostics={
            "n_draws": fit.n_draws,
            "n_settings": len(fit.settings),
            **effect_of_clusters(fit),
        },
    )


def effect_of_clusters(fit: FlexibleFit) -> dict[str, float]:
    """Say by what counts were divided, where cases share clusters."""
    return {"design_effect": fit.design_effect} if fit.design_effect > 1.0 else {}


def _bar_on(accuracy: FloatArray, fit: FlexibleFit, criterion: Criterion) -> float:
    """Return the bar in accuracy; a relative one is measured on the depth-treated `accuracy`."""
    if criterion.fixed_bar is not None:
        return float(criterion.fixed_bar)
    base = accuracy[list(base_rows(fit.grid.lengths, criterion))]
    return float(criterion.exact_threshold) * float(base.mean())


@lru_cache(maxsize=2)
def _reaches(fit: FlexibleFit, bar: float, treatment: Treatment, seed: int) -> FloatArray:
    """P(length reaches the bar | draw of the surface), shape (n_draws, n_lengths).

    The last ones are kept: two sets of one answer differ only in how they weigh the draws.
    """
    n_depths = fit.grid.depths.size
    if n_depths == 1 or not (treatment.is_window or treatment.kind in ("mean", "pooled")):
        most = 0 if n_depths == 1 else treatment.rank(n_depths) - 1
        rows = pass_probabilities(fit, bar).reshape(-1, n_depths)
        return at_most_failing(rows, np.full(len(rows), most)).reshape(fit.n_draws, -1)
    if treatment.is_window:
        return _counted_reaches(fit, bar, treatment, seed)
    shares = np.full(n_depths, 1.0 / n_depths)
    if treatment.kind == "pooled":
        shares = depth_weights(fit.grid)
    return _average_reaches(fit, bar, shares)


def _average_reaches(fit: FlexibleFit, bar: float, shares: FloatArray) -> FloatArray:
    """P(weighted mean of a length's cells reaches the bar | draw).

    The mean of independent cells is taken as a beta with its mean and variance, which are exact.
    """
    cells = conditional_cells(fit)
    mean = cells.mean @ shares
    variance = cells.variance @ shares**2
    size = np.maximum(mean * (1.0 - mean) / np.maximum(variance, 1e-300) - 1.0, 1e-9)
    return np.asarray(betaincc(mean * size, (1.0 - mean) * size, min(max(bar, 0.0), 1.0)))


def _counted_reaches(fit: FlexibleFit, bar: float, treatment: Treatment, seed: int) -> FloatArray:
    """Share of drawn cells in which a length reaches the bar, for every draw of the surface."""
    cells, rng = conditional_cells(fit), np.random.default_rng(seed)
    shares = depth_weights(fit.grid)
    counted = np.zeros(fit.latents.shape[:2])
    for _ in range(N_CELL_DRAWS):
        counted += treated(cells.draw(rng), treatment, shares) >= bar - TIE
    return counted / N_CELL_DRAWS
