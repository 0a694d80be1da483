"""Draws of the latent surface from the Laplace approximations, setting by setting."""

from dataclasses import dataclass

import numpy as np

from lcstats.curve import FloatArray
from lcstats.flexible.solve import Mode, Observations, weights_of
from lcstats.flexible.surface import PRIOR_MEAN, Surface
from lcstats.kernels.cholesky import multiply_columns, solve_in_place
from lcstats.kernels.laplace import fill_factor

SMALLEST_SHARE = 0.2
"""Effective share of the draws below which importance weights are flattened."""
N_BISECTIONS = 30


@dataclass(frozen=True, slots=True, eq=False)
class LatentDraws:
    """Draws of the surface from the Laplace approximations of all settings.

    Attributes
    ----------
    latents : ndarray of float64, shape (n_draws, n_cells)
        Antithetic pairs are neighbours; settings are shuffled, so that the first draws stand for
        all.
    precisions : ndarray of float64, shape (n_draws,)
        M of every draw's setting.
    log_ratio : ndarray of float64, shape (n_draws,)
        Log of the prior density over that of the draw: with the log likelihood, the importance of
        the draw, but for a constant.
    """

    latents: FloatArray
    precisions: FloatArray
    log_ratio: FloatArray


def draw_latents(
    surface: Surface,
    observations: Observations,
    modes: tuple[Mode, ...],
    *,
    n_draws: int,
    seed: int,
    curvature: float = 1.0,
) -> LatentDraws:
    """Draw surfaces, in antithetic pairs, every setting as often as its weight says.

    Parameters
    ----------
    surface : Surface
    observations : Observations
    modes : tuple of Mode
    n_draws : int
    seed : int
    curvature : float
        Share of the curvature at the modes to draw with, in (0, 1].

    Notes
    -----
    With deviation v from a mode z, alpha = K^-1 (z - m) and curvature W, the prior's density over
    the draw's is ``exp(-alpha' (z - m) / 2 - log|B| / 2 - alpha' v + v' W v / 2)``: K^-1 cancels.
    """
    n_pairs = (n_draws + 1) // 2
    weights = weights_of(modes)
    ends = np.floor(np.cumsum(weights) * n_pairs + 0.5).astype(np.int64)
    numbers = np.diff(ends, prepend=0)
    latents, log_ratio = np.empty((n_pairs, 2, surface.n_cells)), np.empty((n_pairs, 2))
    proposal: Proposal | None = None
    for index in np.flatnonzero(numbers).tolist():
        n_own, own = int(numbers[index]), slice(int(ends[index] - numbers[index]), int(ends[index]))
        rng = np.random.default_rng([seed, index])
        if proposal is None or not proposal.serves(modes[index]):
            proposal = propose(surface, observations, modes[index], curvature)
        around = draw_around(surface, observations, proposal, n_draws=n_own, rng=rng)
        around_level = around.level + modes[index].setting.log_prior - np.log(n_own)
        for side, sign in enumerate((1.0, -1.0)):
            latents[own, side] = around.center + sign * around.deviations
            log_ratio[own, side] = around_level + sign * around.slope + around.curve
    order = np.random.default_rng(seed).permutation(n_pairs)
    precisions = np.repeat([mode.setting.precision for mode in modes], numbers)[order]
    return LatentDraws(
        latents=latents[order].reshape(2 * n_pairs, -1)[:n_draws],
        precisions=np.repeat(precisions, 2)[:n_draws],
        log_ratio=log_ratio[order].reshape(-1)[:n_draws],
    )


@dataclass(frozen=True, slots=True, eq=False)
class DrawsAround:
    """Deviations v from the mode of one setting, and the parts of their log ratio.

    Attributes
    ----------
    center : ndarray of float64, shape (n_cells,)
    deviations : ndarray of float64, shape (n_draws, n_cells)
    level : float
        What all draws share, -alpha' (z - m) / 2 - log|B| / 2.
    slope, curve : ndarray of float64, shape (n_draws,)
        -alpha' v and v' W v / 2: the part that changes sign with v and the one that does not.
    """

    center: FloatArray
    deviations: FloatArray
    level: float
    slope: FloatArray
    curve: FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class Proposal:
    """What draws around the mode of one setting are made with.

    Attributes
    ----------
    mode : Mode
    root_weight : ndarray of float64, shape (n_seen,)
        Root of the curvature that is drawn with.
    factor : ndarray of float64, shape (n_seen, n_seen)
        U with U' U = B = I + W^.5 K W^.5.
    across : ndarray of float64, shape (n_cells, n_seen)
        Covariance of all cells with those that have data.
    """

    mode: Mode
    root_weight: FloatArray
    factor: FloatArray
    across: FloatArray

    def serves(self, mode: Mode) -> bool:
        """Tell whether another setting has this very approximation, up to its prior."""
        return mode.setting.sds == self.mode.setting.sds and mode.latent is self.mode.latent


def propose(
    surface: Surface, observations: Observations, mode: Mode, curvature: float = 1.0
) -> Proposal:
    """Prepare draws around a mode."""
    across = surface.covariance(mode.setting.sds, np.arange(surface.n_cells), observations.seen)
    root = np.sqrt(curvature) * mode.root_weight
    factor = np.empty((root.size, root.size))
    fill_factor(np.ascontiguousarray(across[observations.seen]), root, factor)
    return Proposal(mode, root, factor, across)


def draw_around(
    surface: Surface,
    observations: Observations,
    proposal: Proposal,
    *,
    n_draws: int,
    rng: np.random.Generator,
) -> DrawsAround:
    """Draw from the Laplace approximation of one setting.

    Notes
    -----
    Matheron's rule (Wilson and others 2021, JMLR 22:105, equation 12): with x ~ N(0, K) over all
    cells, x_s in those with data and e ~ N(0, I), ``x - K_s W^.5 B^-1 (W^.5 x_s + e)`` has the
    covariance of the Laplace approximation, (K^-1 + W)^-1, W being 0 in cells without data.
    """
    seen, root, alpha = observations.seen, proposal.root_weight[:, None], proposal.mode.alpha
    drawn = surface.draw(proposal.mode.setting.sds, n_draws, rng)
    columns = root * drawn[seen] + rng.standard_normal((seen.size, n_draws))
    solve_in_place(proposal.factor, columns)
    drawn -= multiply_columns(proposal.across, root * columns)
    shift = multiply_columns(proposal.across, alpha[:, None])[:, 0]
    log_root = np.log(np.diag(proposal.factor)).sum()
    return DrawsAround(
        center=PRIOR_MEAN + shift,
        deviations=drawn.T,
        level=-0.5 * float((alpha * shift[seen]).sum()) - float(log_root),
        slope=-(alpha[:, None] * drawn[seen]).sum(axis=0),
        curve=0.5 * ((root * drawn[seen]) ** 2).sum(axis=0),
    )


def importance_weights(log_weights: FloatArray) -> tuple[FloatArray, float]:
    """Return weights that add up to 1, flattened where they would rest on few draws.

    Parameters
    ----------
    log_weights : ndarray of float64, shape (n_draws,)

    Returns
    -------
    weights : ndarray of float64, shape (n_draws,)
    power : float
        What the weights were raised to, 1 where they are taken as they are: the largest power
        with which they are worth :data:`SMALLEST_SHARE` of the draws.
    """
    low, high = 0.0, 1.0
    weights = _normalised(log_weights)
    if _worth(weights) >= SMALLEST_SHARE:
        return weights, 1.0
    for _ in range(N_BISECTIONS):
        middle = 0.5 * (low + high)
        enough = _worth(_normalised(middle * log_weights)) >= SMALLEST_SHARE
        low, high = (middle, high) if enough else (low, middle)
    return _normalised(low * log_weights), low


def _normalised(log_weights: FloatArray) -> FloatArray:
    weights = np.exp(log_weights - log_weights.max())
    return np.asarray(weights / weights.sum())


def _worth(weights: FloatArray) -> float:
    """Effective number of draws, as a share of all."""
    return float(1.0 / (weights**2).sum() / weights.size)
