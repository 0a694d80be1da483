"""Effective length by the curve: its grid length, its crossing, and what resampling says."""

import os
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from lcstats.curve import FloatArray
from lcstats.draws import Draws, resample
from lcstats.errors import OptionError, describe
from lcstats.fit import CurveFit
from lcstats.lengths.criterion import Criterion
from lcstats.lengths.crossing import curve_bar, depth_weights, find_crossing, treated
from lcstats.lengths.estimate import TIE, Estimate, Interval, equal_tailed_ends
from lcstats.lengths.observed import leading
from lcstats.lengths.resampling import outcomes_of_draws
from lcstats.options import BootstrapKind


def estimate_from_curve(
    fit: CurveFit,
    criterion: Criterion,
    *,
    level: float,
    seed: int,
    draws: Draws | Sequence[Draws] = (),
) -> Estimate:
    """Apply the criterion to a fitted curve; masses and a set from every kind of draws of it.

    Without draws they are made here: cases that share clusters are drawn whole
    (``cluster_bootstrap``); otherwise counts are drawn from the curve (``parametric_bootstrap``).

    Parameters
    ----------
    fit : CurveFit
    criterion : Criterion
    level : float
    seed : int
        Of the draws that are made here.
    draws : Draws or sequence of Draws
        Of `fit`, one of each kind: ``posterior`` by :func:`lcstats.posterior.sample_posterior`,
        say. The set of the first is the default one, and the crossing's own interval is that of
        the first with the fit's lapse rate.

    Returns
    -------
    Estimate

    Raises
    ------
    OptionError
        If draws are of another grid, or two are of one kind.
    """
    given = (draws,) if isinstance(draws, Draws) else tuple(draws)
    given = given or (draw_curves(fit, seed=seed),)
    _check_draws(fit, given)
    passes = curve_passes(fit, criterion)
    passing = np.flatnonzero(passes)
    outcome = leading(passes)
    masses: dict[str, FloatArray] = {
        drawn.kind: masses_of_draws(fit, drawn, criterion) for drawn in given
    }
    return Estimate(
        method="curve",
        outcome=outcome,
        lengths=fit.grid.lengths,
        longest_passing=int(fit.grid.lengths[passing[-1]]) if passing.size else None,
        masses=masses,
        sets=tuple(
            _equal_tailed(masses[drawn.kind], outcome, fit, drawn, level, is_default=not number)
            for number, drawn in enumerate(given)
        ),
        crossing=find_crossing(
            fit,
            criterion,
            level=level,
            draws=next((drawn for drawn in given if drawn.lapse_rates is None), None),
        ),
    )


def curve_passes(fit: CurveFit, criterion: Criterion) -> NDArray[np.bool_]:
    """Tell which lengths reach the bar on the fitted curve itself, shape (n_lengths,)."""
    accuracy = treated(fit.accuracy, criterion.treatment, depth_weights(fit.grid))
    return np.asarray(accuracy >= curve_bar(fit, fit.curve, criterion) - TIE)


def masses_of_draws(fit: CurveFit, draws: Draws, criterion: Criterion) -> FloatArray:
    """Share of draws at every outcome, shape (n_lengths + 1,); the criterion draw by draw."""
    accuracies = treated(draws.accuracies, criterion.treatment, depth_weights(fit.grid))
    outcomes = outcomes_of_draws(accuracies, fit.grid.lengths, criterion)
    counts = np.bincount(outcomes, minlength=fit.grid.lengths.size + 1)
    return np.asarray(counts / len(draws), dtype=np.float64)


def _check_draws(fit: CurveFit, given: tuple[Draws, ...]) -> None:
    kinds = [draws.kind for draws in given]
    if len(set(kinds)) < len(kinds):
        raise OptionError(
            describe(
                f"there are draws of kind {', '.join(kinds)}",
                "expected one of each kind",
                "pass one of them",
            )
        )
    for draws in given:
        same = np.array_equal(draws.lengths, fit.grid.lengths) and np.array_equal(
            draws.depths, fit.grid.depths, equal_nan=True
        )
        if not same:
            raise OptionError(
                describe(
                    f"the {draws.kind} draws are of other lengths or depths than the fit",
                    f"expected draws of the fit of {fit.grid.model} on {fit.grid.task}",
                    "pass sample_posterior(fit) or resample(fit)",
                )
            )


@lru_cache(maxsize=2)
def draw_curves(fit: CurveFit, *, seed: int) -> Draws:
    """Draw curves by the bootstrap that the data allow.

    The last draws are kept: several depth treatments and figures ask for those of the same fit.
    """
    fractional = fit.grid.cases is not None and fit.grid.has_fractions
    whole = fit.grid.is_clustered or fractional
    kind: BootstrapKind = "cluster_bootstrap" if whole else "parametric_bootstrap"
    return resample(fit, kind=kind, seed=seed, n_threads=os.cpu_count() or 1)


def _equal_tailed(
    masses: FloatArray,
    outcome: int,
    fit: CurveFit,
    draws: Draws,
    level: float,
    *,
    is_default: bool,
) -> Interval:
    """Cut off less than half of the error at each end."""
    lower, upper = equal_tailed_ends(masses, level)
    numbers = draws.diagnostics.items()
    return Interval(
        kind=draws.kind,
        level=level,
        lower=lower,
        upper=upper,
        lengths=fit.grid.lengths,
        is_default=is_default,
        diagnostics={
            "n_draws": len(draws),
            "n_failed_fits": draws.n_failed,
            **{k: v for k, v in numbers if not isinstance(v, float) or np.isfinite(v)},
        },
    ).holding(outcome)
