"""How far the likelihood and the draws can be trusted, in numbers and in notices."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from scipy.special import chdtrc

from lcstats.errors import DesignWarning, Notice, SmallSampleWarning
from lcstats.fit import CurveFit
from lcstats.fit.covariance import graded_dispersion

BAD_SHAPE = 0.7
"""k-hat above which weights are not to be used."""
FEWEST_EFFECTIVE = 400.0
"""Independent draws below which the ends of a 95% interval shake."""
LARGEST_RHAT = 1.01
SMALLEST_RATIO = 0.1
OVERDISPERSED = 1.5
OVERDISPERSED_LEVEL = 0.001


def variance_ratio(fit: CurveFit) -> float:
    """How many times more the counts scatter than independent 0/1 cases.

    Notes
    -----
    For graded scores the dispersion of the cases; where cases share clusters, times the mean
    eigenvalue of robust over model-based covariance, tr(model^-1 robust) / n_parameters, and at
    least 1: few clusters may look regular by chance. (Pauli, Racugno and Ventura 2011.) It is never
    below .1: graded scores near the ceiling look regular too, and too wide is the safe side.
    """
    ratio = 1.0
    if fit.grid.has_fractions:
        accuracy = fit.accuracy.ravel()[fit.cells.flat]
        ratio = graded_dispersion(fit.grid, fit.cells, accuracy, len(fit.parameters))
    if fit.grid.is_clustered and fit.robust_covariance is not None:
        finite = np.all(np.isfinite(fit.covariance)) and np.all(np.isfinite(fit.robust_covariance))
        if finite:
            product = np.linalg.solve(fit.covariance, fit.robust_covariance)
            ratio *= max(1.0, float(np.trace(product)) / len(fit.parameters))
    return max(ratio, SMALLEST_RATIO) if np.isfinite(ratio) else 1.0


def notices_on_data(fit: CurveFit, ratio: float) -> tuple[Notice, ...]:
    """Say what the likelihood leaves out."""
    return tuple(_on_data(fit, ratio))


def _on_data(fit: CurveFit, ratio: float) -> Iterator[Notice]:
    clustered = fit.grid.is_clustered
    if clustered or fit.grid.has_fractions:
        why = "cases share clusters" if clustered else "scores are graded or repeats are folded"
        yield Notice(
            "quasi-posterior",
            f"{why}: the log-likelihood of independent 0/1 cases is divided by {ratio:.3g}, how "
            "many times more (or less) the cases scatter, so this is a quasi-posterior",
            DesignWarning,
        )
    elif _is_overdispersed(fit):
        yield Notice(
            "overdispersed",
            f"the cells scatter {fit.dispersion:.2g} times as much as the curve and independent "
            "cases allow: the posterior takes both for granted and is too narrow",
            DesignWarning,
        )
    if "recency_scale" in fit.parameters:
        yield Notice(
            "recency-scale-held",
            "the recency scale was estimated and is held there: the posterior knows no other",
            DesignWarning,
        )


def _is_overdispersed(fit: CurveFit) -> bool:
    degrees = fit.cells.n_cases.size - len(fit.parameters)
    if degrees < 1 or not fit.dispersion > OVERDISPERSED:
        return False
    return bool(chdtrc(degrees, fit.dispersion * degrees) < OVERDISPERSED_LEVEL)


def notices_on_sampling(found: Mapping[str, Any]) -> tuple[Notice, ...]:
    """Say what is wrong with the draws, from a sampler's diagnostics."""
    return tuple(_on_weights(found) if found["sampler"] == "importance" else _on_chains(found))


def _on_weights(found: Mapping[str, Any]) -> Iterator[Notice]:
    shape, size = found["pareto_shape"], found["effective_size"]
    if shape > BAD_SHAPE:
        yield Notice(
            "pareto-shape",
            f"the importance weights' k-hat is {shape:.2g}, above {BAD_SHAPE}: these draws are not "
            "to be used; sampler='nuts' does without weights",
            SmallSampleWarning,
        )
    elif size < FEWEST_EFFECTIVE:
        yield _few(size)


def _on_chains(found: Mapping[str, Any]) -> Iterator[Notice]:
    rhat, n_divergences = found["largest_rhat"], found["n_divergences"]
    size = min(found["smallest_bulk_size"], found["smallest_tail_size"])
    if not rhat <= LARGEST_RHAT:
        yield Notice(
            "chains-differ",
            f"the largest R-hat is {rhat:.3f}, above {LARGEST_RHAT}: the chains have not met; draw "
            "more",
            SmallSampleWarning,
        )
    if n_divergences:
        yield Notice(
            "divergences",
            f"{n_divergences} draws diverged: the chains may miss a corner of the posterior",
            SmallSampleWarning,
        )
    if size < FEWEST_EFFECTIVE:
        yield _few(size)


def _few(size: float) -> Notice:
    return Notice(
        "few-effective-draws",
        f"the draws are worth {size:.0f} independent ones, below {FEWEST_EFFECTIVE:.0f}: the ends "
        "of intervals shake; draw more",
        SmallSampleWarning,
    )
