"""Importance weights: Pareto smoothing of their tail, and resampling to equal weights."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp

from lcstats.curve import FloatArray

FEWEST_IN_TAIL = 5
"""Weights from which a generalised Pareto is fitted; with fewer the tail is left as it is."""
PRIOR_WEIGHT, PRIOR_SHAPE = 10.0, 0.5
"""The shape is drawn towards .5 as if by ten more weights (Vehtari et al. 2024, appendix G)."""
N_PROFILE_POINTS = 30


@dataclass(frozen=True, slots=True, eq=False)
class SmoothedWeights:
    """Importance weights with a smoothed tail.

    Attributes
    ----------
    log_weights : ndarray of float64, shape (n_points,)
        Logs of weights that sum to 1.
    pareto_shape : float
        k-hat of the largest weights: up to .7 they can be trusted; -inf where all are equal, inf
        where there are too few to tell.
    """

    log_weights: FloatArray
    pareto_shape: float

    @property
    def effective_size(self) -> float:
        """1 over the sum of squared weights: independent points of equal weight."""
        return float(np.exp(-logsumexp(2.0 * self.log_weights)))


def smooth_weights(log_ratios: FloatArray) -> SmoothedWeights:
    """Replace the largest weights by the order statistics of a generalised Pareto.

    Parameters
    ----------
    log_ratios : ndarray of float64, shape (n_points,)
        Log of target over proposal density, up to a constant.

    Returns
    -------
    SmoothedWeights

    Notes
    -----
    The M = min(S / 5, 3 sqrt(S)) largest of S weights are, above the next one, replaced by the
    quantiles (j - 1/2) / M of the generalised Pareto fitted to them, and none is left above the
    largest raw weight.

    References
    ----------
    Vehtari, Simpson, Gelman, Yao and Gabry (2024), Pareto smoothed importance sampling, Journal of
    Machine Learning Research 25 (72).

    Examples
    --------
    >>> smoothed = smooth_weights(np.log(np.arange(1.0, 101.0)))
    >>> round(float(np.exp(smoothed.log_weights).sum()), 12), smoothed.pareto_shape < 0.5
    (1.0, True)
    """
    logs = log_ratios - np.max(log_ratios)
    n_points = logs.size
    n_tail = int(np.ceil(min(0.2 * n_points, 3.0 * np.sqrt(n_points))))
    order = np.argsort(logs, kind="stable")
    cut = max(float(logs[order[-n_tail - 1]]), float(np.log(np.finfo(np.float64).tiny)))
    tail = order[np.searchsorted(logs[order], cut, side="right") :]
    shape = np.inf
    if logs[order[0]] == 0.0:
        shape = -np.inf
    elif tail.size >= FEWEST_IN_TAIL:
        excess = np.exp(logs[tail]) - np.exp(cut)
        shape, scale = fit_generalised_pareto(excess)
        middles = (np.arange(tail.size) + 0.5) / tail.size
        quantiles = _pareto_quantiles(middles, shape, scale) + np.exp(cut)
        logs = logs.copy()
        logs[tail] = np.minimum(np.log(quantiles), 0.0)
    return SmoothedWeights(logs - logsumexp(logs), float(shape))


def fit_generalised_pareto(excesses: FloatArray) -> tuple[float, float]:
    """Return shape and scale of a generalised Pareto.

    Parameters
    ----------
    excesses : ndarray of float64, shape (n,)
        Ascending, above 0.

    Notes
    -----
    Zhang and Stephens (2009): the mean of b = -shape / scale over its profile likelihood on a
    grid, under a prior that the data's first quartile sets, gives the scale; the shape is that of
    the maximum at this b, drawn towards 1/2.

    References
    ----------
    Zhang and Stephens (2009), A new and efficient estimation method for the generalized Pareto
    distribution, Technometrics 51, 316-325.

    Examples
    --------
    >>> middles = (np.arange(2000) + 0.5) / 2000
    >>> shape, scale = fit_generalised_pareto((1 - middles) ** -0.3 / 0.3 - 1 / 0.3)
    >>> round(shape, 2), round(scale, 2)
    (0.3, 1.0)
    """
    n = excesses.size
    n_grid = N_PROFILE_POINTS + int(np.sqrt(n))
    grid = 1.0 - np.sqrt(n_grid / (np.arange(1, n_grid + 1) - 0.5))
    grid = grid / (3.0 * excesses[int(n / 4 + 0.5) - 1]) + 1.0 / excesses[-1]
    shapes = np.log1p(-grid[:, None] * excesses).mean(axis=1)
    profile = n * (np.log(-grid / shapes) - shapes - 1.0)
    weights = np.exp(profile - logsumexp(profile))
    kept = weights >= 10.0 * np.finfo(np.float64).eps
    b = float((grid[kept] * weights[kept]).sum() / weights[kept].sum())
    shape = float(np.log1p(-b * excesses).mean())
    scale = -shape / b
    return (n * shape + PRIOR_WEIGHT * PRIOR_SHAPE) / (n + PRIOR_WEIGHT), scale


def _pareto_quantiles(shares: FloatArray, shape: float, scale: float) -> FloatArray:
    logs = np.log1p(-shares)
    if abs(shape) < np.finfo(np.float64).eps:
        return np.asarray(-scale * logs)
    return np.asarray(scale * np.expm1(-shape * logs) / shape)


def resample_systematically(
    log_weights: FloatArray, n_draws: int, rng: np.random.Generator
) -> NDArray[np.int64]:
    """Choose points so that each comes up as often as its weight says, to within one.

    Parameters
    ----------
    log_weights : ndarray of float64, shape (n_points,)
        Logs of weights that sum to 1.

    Returns
    -------
    ndarray of int64, shape (n_draws,)
        Positions, ascending.

    Notes
    -----
    One uniform u places the teeth (u + i) / n_draws of a comb over the cumulated weights: exact in
    expectation, with less added variance than independent choices (Kitagawa 1996).

    Examples
    --------
    >>> weights = np.log([0.5, 0.25, 0.25])
    >>> resample_systematically(weights, 4, np.random.default_rng(1)).tolist()
    [0, 0, 1, 2]
    """
    teeth = (rng.random() + np.arange(n_draws)) / n_draws
    cumulated = np.cumsum(np.exp(log_weights))
    places = np.searchsorted(cumulated / cumulated[-1], teeth, side="right")
    return np.minimum(places, log_weights.size - 1).astype(np.int64)
