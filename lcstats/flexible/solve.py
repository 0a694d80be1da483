"""Modes and evidence of the settings that matter."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from lcstats.curve import FloatArray
from lcstats.flexible.settings import FIRST_PRECISION, SETTINGS, Setting
from lcstats.flexible.surface import PRIOR_MEAN, Surface
from lcstats.kernels.laplace import find_mode

NEGLIGIBLE_NATS = 7.0
"""A setting this far below the best is left out: at most a thousandth of its weight."""

DOUBTFUL_NATS = 10.0
"""A surface this far below the best at the first precision is not tried at others."""


@dataclass(frozen=True, slots=True, eq=False)
class Observations:
    """What the surface is fitted to, the cells of a grid in a row.

    Attributes
    ----------
    n_cases, successes : ndarray of float64, shape (n_cells,)
        0 cases in a cell without data.
    guess_rate, hole_rate : float
    """

    n_cases: FloatArray
    successes: FloatArray
    guess_rate: float
    hole_rate: float

    @property
    def seen(self) -> NDArray[np.int64]:
        """Cells with data."""
        return np.flatnonzero(self.n_cases)

    @property
    def is_single(self) -> bool:
        """True if no cell has more than one case, or one that is partly right."""
        is_whole = self.successes == np.rint(self.successes)
        return bool(np.all((self.n_cases <= 1.0) & is_whole))

    def constants(self, precision: float) -> tuple[float, float, float, float]:
        """Return what the kernel needs to know besides counts."""
        return PRIOR_MEAN, precision, self.guess_rate, self.hole_rate


@dataclass(frozen=True, slots=True, eq=False)
class Mode:
    """The Laplace approximation of one setting's surface.

    Attributes
    ----------
    setting : Setting
    latent : ndarray of float64, shape (n_seen,)
        In the cells with data.
    alpha, root_weight : ndarray of float64, shape (n_seen,)
        K^-1 (mode - prior mean), and the root of the curvature W.
    score : float
        Log evidence plus log prior.
    converged : bool
    """

    setting: Setting
    latent: FloatArray
    alpha: FloatArray
    root_weight: FloatArray
    score: float
    converged: bool


def find_modes(surface: Surface, observations: Observations) -> tuple[Mode, ...]:
    """Fit every setting that can matter, in the order of :data:`SETTINGS`.

    Every surface is fitted at the first precision, starting where the one before it ended; the
    other precisions follow for surfaces that are not out of the running.
    """
    first = _first_modes(surface, observations)
    best = max(mode.score for mode in first)
    modes = list(first)
    for mode in sorted(first, key=lambda mode: -mode.score):
        if mode.score < best - DOUBTFUL_NATS:
            break
        modes += _other_precisions(surface, observations, mode, best - NEGLIGIBLE_NATS)
        best = max(best, *(other.score for other in modes[-3:]))
    kept = (mode for mode in modes if mode.score >= best - NEGLIGIBLE_NATS)
    return tuple(sorted(kept, key=lambda mode: SETTINGS.index(mode.setting)))


def _first_modes(surface: Surface, observations: Observations) -> list[Mode]:
    """Fit all surfaces at the first precision."""
    seen = observations.seen
    start = np.full(seen.size, _pooled_logit(observations))
    modes: list[Mode] = []
    best = -np.inf
    for setting in (s for s in SETTINGS if s.precision == FIRST_PRECISION):
        covariance = surface.covariance(setting.sds, seen, seen)
        mode = climb(setting, covariance, observations, start, best - DOUBTFUL_NATS)
        modes.append(mode)
        best, start = max(best, mode.score), mode.latent
    return modes


def _other_precisions(
    surface: Surface, observations: Observations, mode: Mode, cutoff: float
) -> list[Mode]:
    """Fit a surface at the other precisions, starting from its mode at the first.

    A single case, right or wrong, cannot scatter: where no cell has more, precisions are alike.
    """
    seen, same = observations.seen, mode.setting
    others = [s for s in SETTINGS if s.sds == same.sds and s.precision != same.precision]
    if observations.is_single:
        shift = mode.score - same.log_prior
        return [replace(mode, setting=s, score=shift + s.log_prior) for s in others]
    covariance = surface.covariance(same.sds, seen, seen)
    return [climb(s, covariance, observations, mode.latent, cutoff) for s in others]


def climb(
    setting: Setting,
    covariance: FloatArray,
    observations: Observations,
    start: FloatArray,
    cutoff: float = -np.inf,
) -> Mode:
    """Find the mode of one setting; give up where its score stays below `cutoff`."""
    latent, seen = start.copy(), observations.seen
    alpha, root_weight = np.zeros_like(latent), np.empty_like(latent)
    factor = np.empty_like(covariance)
    evidence, converged = find_mode(
        covariance,
        np.stack([observations.n_cases[seen], observations.successes[seen]]),
        observations.constants(setting.precision),
        cutoff - setting.log_prior,
        latent,
        alpha,
        root_weight,
        factor,
    )
    score = float(evidence) + setting.log_prior
    return Mode(setting, latent, alpha, root_weight, score, bool(converged))


def weights_of(modes: tuple[Mode, ...]) -> NDArray[np.float64]:
    """Posterior probabilities of the settings, shape (n_modes,)."""
    scores = np.array([mode.score for mode in modes])
    relative = np.exp(scores - scores.max())
    return np.asarray(relative / relative.sum())


def _pooled_logit(observations: Observations) -> float:
    """Logit of the pooled accuracy above guessing, where a search can start."""
    pooled = (observations.successes.sum() + 1.0) / (observations.n_cases.sum() + 1.1)
    guess = observations.guess_rate
    share = min(max((pooled - guess) / (1.0 - guess), 0.05), 0.95)
    return float(np.log(share / (1.0 - share)))
