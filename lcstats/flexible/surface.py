"""The prior over surfaces: a Gaussian process over length and depth, part by part."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lcstats.curve import FloatArray, middle_weight
from lcstats.kernels.cholesky import factor_in_place, multiply_columns
from lcstats.kernels.laplace import fill_covariance

Cells = NDArray[np.int64]
"""Cells of a grid, numbered length by length."""

PRIOR_MEAN = 2.5
"""Logit of the accuracy that is expected before any data: .92."""

LEVEL_SD = 2.0
SLOPE_SD = 0.4
DIP_SD, BONUS_SD, LOSS_SD = 1.5, 0.5, 0.8
JITTER_SD = 0.01
OCTAVES_OF_MEMORY = 3.0
GROWTH = 7.0
SHARE_GROWING = 0.4
DEPTH_SCALES = ((0.7, 0.3), (0.3, 0.12))
"""Share and reach, as a fraction of the context, of the two smooth parts over depth."""
EDGE_SCALES = (0.1, 0.2)


@dataclass(frozen=True, slots=True, eq=False)
class Surface:
    """The parts of the prior covariance on one grid; cells are in a row, length by length.

    Attributes
    ----------
    octaves : ndarray of float64, shape (n_lengths,)
        Doublings from the shortest length.
    shapes : ndarray of float64, shape (n_cells, 7)
        Columns of the level, the slope over length and the known depth curves.
    over_length : ndarray of float64, shape (n_lengths, n_lengths)
        R, how deviations at one depth hang together over lengths.
    over_depth : ndarray of float64, shape (n_depths, n_depths)
        Kd, how deviations at one length hang together over depths.
    """

    octaves: FloatArray
    shapes: FloatArray
    over_length: FloatArray
    over_depth: FloatArray

    @classmethod
    def over(cls, lengths: FloatArray, depths: FloatArray) -> "Surface":
        """Build the parts for a grid.

        Parameters
        ----------
        lengths : ndarray of float64, shape (n_lengths,)
            Ascending; only their ratios count.
        depths : ndarray of float64, shape (n_depths,)
            Fractions; NaN for trials without a depth, which share no deviation with others.

        Notes
        -----
        With l = log2(L / L_1), t = l / max l and depth d, the covariance of two cells is
        ``2^2 + .4^2 l l' + sum_f phi_f phi_f' + walk^2 min(l, l') + smooth^2 Kd(d, d') R(t, l)
        + rough^2 1[d = d'] R(t, l) + 1e-4 I``, where R = .4 (1 + 7 t) (1 + 7 t') / 64
        + .6 exp(-|l - l'| / 3) and Kd = .7 exp(-(d - d')^2 / (2 .3^2)) + .3 exp(-(d - d')^2 /
        (2 .12^2)). The shapes phi are what is known of depth curves: a dip in the middle and
        losses at the edges that grow with length, and bonuses at the edges.
        """
        octaves = np.asarray(np.log2(lengths / lengths[0]))
        share = octaves / octaves[-1] if octaves[-1] > 0.0 else octaves
        return cls(
            octaves=octaves,
            shapes=_shapes(octaves, share, depths),
            over_length=_over_length(octaves, share),
            over_depth=_over_depth(depths),
        )

    @property
    def n_cells(self) -> int:
        """Number of cells of the grid, with and without data."""
        return int(self.shapes.shape[0])

    def covariance(
        self, sds: tuple[float, float, float], rows: Cells, columns: Cells
    ) -> FloatArray:
        """Return the covariance between two sets of cells, shape (n_rows, n_columns)."""
        covariance = np.empty((rows.size, columns.size))
        known = (self.shapes, self.octaves, self.over_length, self.over_depth)
        fill_covariance(known, (*sds, JITTER_SD), rows, columns, covariance)
        return covariance

    def draw(
        self, sds: tuple[float, float, float], n_draws: int, rng: np.random.Generator
    ) -> FloatArray:
        """Draw surfaces around 0, part by part, shape (n_cells, n_draws).

        A sum of independent parts needs no factor of the whole covariance.
        """
        walk, smooth, rough = sds
        m, n_depths = self.octaves.size, self.over_depth.shape[0]
        surface = multiply_columns(self.shapes, rng.standard_normal((7, n_draws)))
        steps = np.sqrt(np.diff(self.octaves, prepend=0.0))[:, None]
        path = np.cumsum(steps * rng.standard_normal((m, n_draws)), axis=0)
        surface += walk * np.repeat(path, n_depths, axis=0)
        noise = rng.standard_normal((m, n_depths, n_draws)).transpose(1, 0, 2)
        along = multiply_columns(_lower(self.over_depth), noise.reshape(n_depths, -1))
        deviations = smooth * along.reshape(n_depths, m, n_draws).transpose(1, 0, 2)
        deviations = deviations + rough * rng.standard_normal((m, n_depths, n_draws))
        flat = np.ascontiguousarray(deviations).reshape(m, -1)
        surface += multiply_columns(_lower(self.over_length), flat).reshape(-1, n_draws)
        return np.asarray(surface + JITTER_SD * rng.standard_normal(surface.shape))


def _shapes(octaves: FloatArray, share: FloatArray, depths: FloatArray) -> FloatArray:
    """Return level, slope, growing dip, bonuses at both edges and growing losses there."""
    near, far = EDGE_SCALES
    has_depth = ~np.isnan(depths)
    start, end = np.where(has_depth, depths, 0.0), np.where(has_depth, 1.0 - depths, 0.0)
    flat = np.ones_like(octaves)
    columns = (
        (LEVEL_SD * flat, np.ones_like(depths)),
        (SLOPE_SD * octaves, np.ones_like(depths)),
        (DIP_SD * share, middle_weight(depths)),
        (BONUS_SD * flat, has_depth * np.exp(-end / near)),
        (BONUS_SD * flat, has_depth * np.exp(-start / near)),
        (LOSS_SD * share, has_depth * np.exp(-start / far)),
        (LOSS_SD * share, has_depth * np.exp(-end / far)),
    )
    return np.stack([np.outer(by_length, by_depth).ravel() for by_length, by_depth in columns], 1)


def _over_length(octaves: FloatArray, share: FloatArray) -> FloatArray:
    growth = (1.0 + GROWTH * share) / (1.0 + GROWTH)
    fading = np.exp(-np.abs(np.subtract.outer(octaves, octaves)) / OCTAVES_OF_MEMORY)
    return np.asarray(SHARE_GROWING * np.outer(growth, growth) + (1.0 - SHARE_GROWING) * fading)


def _over_depth(depths: FloatArray) -> FloatArray:
    apart = np.subtract.outer(depths, depths)
    together = sum(w * np.exp(-0.5 * (apart / scale) ** 2) for w, scale in DEPTH_SCALES)
    return np.where(np.isnan(apart), np.eye(depths.size), together)


def _lower(covariance: FloatArray) -> NDArray[np.float64]:
    """Lower Cholesky factor of a covariance that may be singular to rounding."""
    factor = covariance + 1e-9 * np.eye(covariance.shape[0])
    factor_in_place(factor)
    return np.ascontiguousarray(np.triu(factor).T)
