"""Effective length by the curve: its grid length, its crossing, and what resampling says."""

import os
from functools import lru_cache

import numpy as np

from lcstats.curve import FloatArray
from lcstats.draws import Draws, resample
from lcstats.fit import CurveFit
from lcstats.lengths.answer import Estimate, Interval
from lcstats.lengths.criterion import Criterion
from lcstats.lengths.crossing import curve_bar, depth_weights, find_crossing, treated
from lcstats.lengths.observed import leading
from lcstats.lengths.resampling import outcomes_of_draws
from lcstats.options import DrawKind

TIE = 1e-12


def estimate_from_curve(
    fit: CurveFit, criterion: Criterion, *, level: float, seed: int
) -> Estimate:
    """Apply the criterion to a fitted curve; masses and set from refits to its own draws.

    Cases that share clusters are drawn whole (``cluster_bootstrap``); otherwise counts are drawn
    from the curve (``parametric_bootstrap``).
    """
    weights = depth_weights(fit)
    accuracy = treated(fit.accuracy, criterion.treatment, weights)
    passes = accuracy >= curve_bar(fit, fit.curve, criterion) - TIE
    passing = np.flatnonzero(passes)
    outcome = leading(passes)
    draws = draw_curves(fit, seed=seed)
    treated_draws = treated(draws.accuracies, criterion.treatment, weights)
    outcomes = outcomes_of_draws(treated_draws, fit.grid.lengths, criterion)
    masses = np.bincount(outcomes, minlength=fit.grid.lengths.size + 1) / len(draws)
    return Estimate(
        method="curve",
        outcome=outcome,
        lengths=fit.grid.lengths,
        longest_passing=int(fit.grid.lengths[passing[-1]]) if passing.size else None,
        masses={draws.kind: masses},
        sets=(_equal_tailed(masses, outcome, fit, draws, level),),
        crossing=find_crossing(fit, criterion, level=level, draws=draws),
    )


@lru_cache(maxsize=2)
def draw_curves(fit: CurveFit, *, seed: int) -> Draws:
    """Draw curves by the bootstrap that the data allow.

    The last draws are kept: several depth treatments and figures ask for those of the same fit.
    """
    clustered = fit.grid.cases is not None and fit.grid.cases.is_clustered
    fractional = fit.grid.cases is not None and fit.grid.has_fractions
    kind: DrawKind = "cluster_bootstrap" if clustered or fractional else "parametric_bootstrap"
    return resample(fit, kind=kind, seed=seed, n_threads=os.cpu_count() or 1)


def _equal_tailed(
    masses: FloatArray, outcome: int, fit: CurveFit, draws: Draws, level: float
) -> Interval:
    """Cut off less than half of the error at each end."""
    outside = (1.0 - level) / 2.0 + 1e-12
    below = np.cumsum(masses)
    lower = int(np.argmax(below > outside))
    upper = int(masses.size - 1 - np.argmax(np.cumsum(masses[::-1]) > outside))
    return Interval(
        kind=draws.kind,
        level=level,
        lower=min(lower, outcome),
        upper=max(upper, outcome),
        lengths=fit.grid.lengths,
        is_default=True,
        extended=not lower <= outcome <= upper,
        diagnostics={"n_draws": len(draws), "n_failed_fits": draws.n_failed},
    )
