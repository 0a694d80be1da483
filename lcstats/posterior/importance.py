"""Importance draws: a multivariate t around the mode, weighted to the posterior."""

from dataclasses import dataclass, replace

import numpy as np
from scipy.linalg import solve_triangular
from scipy.special import gammaln, logsumexp

from lcstats.curve import FloatArray
from lcstats.posterior.density import Mode, PosteriorDensity, find_mode
from lcstats.posterior.sample import Sample
from lcstats.posterior.smoothing import SmoothedWeights, resample_systematically, smooth_weights

PROPOSAL_FREEDOM = 5.0
"""Degrees of freedom of the proposal: below the prior's 7, so that no tail is missed."""
PROPOSALS_PER_DRAW = 4
FEWEST_PROPOSALS = 4000
GOOD_SHAPE = 0.5
"""k-hat from which another proposal is tried."""
MOST_ROUNDS = 4
SCORES = np.linspace(-3.0, 3.0, 13)
"""Normal scores of the lapse rate under its prior at which the coefficients are looked for."""
SMALLEST_SHARE = 1e-3


@dataclass(frozen=True, slots=True, eq=False)
class Mixture:
    """Multivariate t's, each with its share.

    Attributes
    ----------
    components : tuple of Mode
        Centre and scale matrix of each.
    shares : ndarray of float64, shape (n_components,)
    """

    components: tuple[Mode, ...]
    shares: FloatArray

    def joined_by(self, component: Mode, share: float) -> "Mixture":
        """Return the mixture with one more component that takes `share`."""
        shares = np.append((1.0 - share) * self.shares, share)
        return Mixture((*self.components, component), shares)


@dataclass(frozen=True, slots=True, eq=False)
class WeightedPoints:
    """Points with importance weights.

    Attributes
    ----------
    points : ndarray of float64, shape (n_points, n_dimensions)
    weights : SmoothedWeights
    """

    points: FloatArray
    weights: SmoothedWeights


def draw_weighted(
    density: PosteriorDensity, mixture: Mixture, n_points: int, rng: np.random.Generator
) -> WeightedPoints:
    """Draw from a mixture of t's; while its weights are poor, from one with more of them.

    Every further t has the weighted mean and covariance of the round before. Each round draws
    anew and is weighted by the density of its whole mixture; the one with the best k-hat is
    returned.
    """
    best: WeightedPoints | None = None
    for number in range(1, MOST_ROUNDS + 1):
        points = draw_mixture(mixture, n_points, rng)
        log_ratios = density.log_density(points) - log_mixture_density(mixture, points)
        weights = smooth_weights(log_ratios)
        if best is None or weights.pareto_shape < best.weights.pareto_shape:
            best = WeightedPoints(points, weights)
        if best.weights.pareto_shape < GOOD_SHAPE:
            break
        mixture = mixture.joined_by(_moments(points, weights), 1.0 / (number + 1))
    assert best is not None
    return best


def make_proposal(density: PosteriorDensity, start: FloatArray) -> Mixture:
    """Make the first proposal: a t around the mode, or one at every lapse rate of a grid.

    Notes
    -----
    The higher the lapse rate, the less the coefficients are determined, and the further they lie
    from 0: a funnel that no single t fits. With the lapse rate at each of a grid of normal
    scores, a step apart, the mode and curvature of the coefficients give a component: it leans
    along the modes' own slope, is a step wide in the score, and has the share that Laplace's
    approximation gives its lapse rate, prior(score) * density at the mode * |covariance|^(1/2).
    """
    if not density.estimates_lapse:
        return Mixture((find_mode(density, start),), np.ones(1))
    modes, logs = [], []
    place = start[:-1]
    for score in SCORES.tolist():
        lapse = density.lapse_rates(np.append(place, score)[None])[0]
        held = replace(density, estimates_lapse=False, lapse_rate=float(lapse))
        mode = find_mode(held, place)
        place = mode.point
        modes.append(mode)
        log_height = held.log_density(place[None])[0] - 0.5 * score**2
        logs.append(log_height + 0.5 * np.linalg.slogdet(mode.covariance)[1])
    slopes = np.gradient(np.array([mode.point for mode in modes]), SCORES, axis=0)
    step = float(SCORES[1] - SCORES[0])
    shares = np.exp(np.array(logs) - np.max(logs)) + SMALLEST_SHARE
    components = [
        _leaning(mode, score, slope, step)
        for mode, score, slope in zip(modes, SCORES.tolist(), slopes, strict=True)
    ]
    return Mixture(tuple(components), shares / shares.sum())


def _leaning(mode: Mode, score: float, slope: FloatArray, width: float) -> Mode:
    """Add the lapse's score to a mode: the coefficients move by `slope` with it."""
    lean = np.append(slope, 1.0)
    covariance = width**2 * np.outer(lean, lean)
    covariance[:-1, :-1] += mode.covariance
    return Mode(np.append(mode.point, score), covariance)


def draw_mixture(mixture: Mixture, n_points: int, rng: np.random.Generator) -> FloatArray:
    """Draw from a mixture of multivariate t's, shape (n_points, n_dimensions).

    Every component gives its share of the points, to within one.
    """
    labels = rng.permutation(resample_systematically(np.log(mixture.shares), n_points, rng))
    points = rng.standard_normal((n_points, mixture.components[0].point.size))
    points *= np.sqrt(PROPOSAL_FREEDOM / rng.chisquare(PROPOSAL_FREEDOM, n_points))[:, None]
    for number, component in enumerate(mixture.components):
        own = labels == number
        factor = np.linalg.cholesky(component.covariance)
        # Not `@`: equal seeds must give equal bytes whatever BLAS does with its threads.
        points[own] = component.point + (points[own, None, :] * factor).sum(axis=-1)
    return points


def log_mixture_density(mixture: Mixture, points: FloatArray) -> FloatArray:
    """Log density of a mixture of multivariate t's, (n_points, n_dimensions) to (n_points,).

    Examples
    --------
    >>> alone = Mixture((Mode(np.zeros(1), np.eye(1)),), np.ones(1))
    >>> log_mixture_density(alone, np.zeros((1, 1))).round(4).tolist()
    [-0.9686]
    """
    logs = np.stack([_log_student(component, points) for component in mixture.components])
    return np.asarray(logsumexp(logs, axis=0, b=mixture.shares[:, None]))


def _log_student(component: Mode, points: FloatArray) -> FloatArray:
    n_dimensions = component.point.size
    factor = np.linalg.cholesky(component.covariance)
    inverse = solve_triangular(factor, np.eye(n_dimensions), lower=True)
    away = points - component.point
    squares = ((away[:, None, :] * inverse).sum(axis=-1) ** 2).sum(axis=1)
    half = (PROPOSAL_FREEDOM + n_dimensions) / 2.0
    constant = gammaln(half) - gammaln(PROPOSAL_FREEDOM / 2.0)
    constant -= 0.5 * n_dimensions * np.log(PROPOSAL_FREEDOM * np.pi)
    constant -= np.log(np.diag(factor)).sum()
    return np.asarray(constant - half * np.log1p(squares / PROPOSAL_FREEDOM))


def equal_weights(weighted: WeightedPoints, n_draws: int, rng: np.random.Generator) -> Sample:
    """Resample weighted points to draws of equal weight."""
    chosen = resample_systematically(weighted.weights.log_weights, n_draws, rng)
    return Sample(
        points=weighted.points[chosen],
        statistics={},
        diagnostics={
            "sampler": "importance",
            "n_chains": 1,
            "pareto_shape": weighted.weights.pareto_shape,
            "effective_size": weighted.weights.effective_size,
            "n_proposals": len(weighted.points),
        },
    )


def _moments(points: FloatArray, weights: SmoothedWeights) -> Mode:
    """Weighted mean and covariance; as the scale of a t, which is wider, they miss no tail."""
    shares = np.exp(weights.log_weights)
    mean = shares @ points
    away = points - mean
    covariance = (shares[:, None] * away).T @ away
    # A few heavy weights may collapse it in some direction.
    floor = 1e-6 * np.eye(mean.size)
    return Mode(mean, covariance + floor)
