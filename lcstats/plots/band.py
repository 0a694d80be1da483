"""The band around a drawn curve: its bootstrap draws, cut point by point."""

import numpy as np

from lcstats.curve import FloatArray, accuracy_from_logit
from lcstats.draws import Draws
from lcstats.fit import CurveFit
from lcstats.lengths.curve_estimate import draw_curves

MOST_DRAWS = 1000
"""Enough for the ends of a band as thick as a line; more cost time."""


def accuracy_of_draws(
    fit: CurveFit, draws: Draws | None, lengths: FloatArray, depths: FloatArray
) -> FloatArray:
    """Evaluate draws of a curve anywhere, shape (n_draws, n_lengths, n_depths).

    Parameters
    ----------
    fit : CurveFit
    draws : Draws or None
        Of `fit`; None draws them, with seed 0.
    lengths : ndarray of float64, shape (n_lengths,)
    depths : ndarray of float64, shape (n_depths,)
    """
    if draws is None:
        draws = draw_curves(fit, seed=0)
    design = fit.law.design(lengths[:, None], depths[None, :])
    logits = np.moveaxis(design @ draws.coefficients[:MOST_DRAWS].T, -1, 0)
    return accuracy_from_logit(
        logits, guess_rate=fit.curve.guess_rate, lapse_rate=fit.curve.lapse_rate
    )


def band_around(
    accuracy: FloatArray, draws: FloatArray, level: float
) -> tuple[FloatArray, FloatArray]:
    """Return the ends of the band: quantiles of the draws at every point, and the curve inside.

    Parameters
    ----------
    accuracy : ndarray of float64, shape (n_points,)
    draws : ndarray of float64, shape (n_draws, n_points)
    level : float

    Examples
    --------
    >>> lower, upper = band_around(np.array([0.5]), np.array([[0.2], [0.3], [0.4]]), 0.5)
    >>> lower.tolist(), upper.tolist()
    ([0.25], [0.5])
    """
    outside = (1.0 - level) / 2.0
    lower, upper = np.quantile(draws, [outside, 1.0 - outside], axis=0)
    return np.minimum(lower, accuracy), np.maximum(upper, accuracy)
