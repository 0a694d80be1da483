"""Independent units behind a weighted mean of cells, and bounds for how low or high it came out."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lcstats.cells import CellGrid
from lcstats.lengths.certified.tails import convex_tails, upper_tails, weighted_tail

WHOLE = 1e-9
"""Relative error within which a share is a whole number of others."""


@dataclass(frozen=True, slots=True, eq=False)
class Units:
    """Groups of independent scores in [0, 1], and their weighted mean.

    Attributes
    ----------
    shares : ndarray of float64, shape (n_groups,)
        Of the groups in the mean; they add up to 1.
    sizes : ndarray of int64, shape (n_groups,)
        Scores of a group, which share its weight equally: the cases of a cell, or 1 for a cluster.
    total : float
        The weighted mean.
    is_binary : bool
        Every score is 0 or 1.
    """

    shares: NDArray[np.float64]
    sizes: NDArray[np.int64]
    total: float
    is_binary: bool

    def low_bound(self, rate: float) -> float:
        """Bound P(as low as this), the mean's expectation being `rate` or more.

        Failures are what is summed: a low mean is a large sum of them.
        """
        if self._is_even:
            return self._even_tail(1.0 - self.total, 1.0 - rate)
        weight, n = self._coarse()
        fails = (1.0 - rate) / (n * weight)
        convex = _convex_tail((1.0 - self.total) / weight, n, fails)
        return min(convex, self._weighted(1.0 - self.total, 1.0 - rate))

    def high_bound(self, rate: float) -> float:
        """Bound P(as high as this), the mean's expectation being `rate` or less."""
        if self._is_even:
            return self._even_tail(self.total, rate)
        weight, n = self._coarse()
        fails = (1.0 - rate) / (n * weight)
        convex = _convex_tail(n - (1.0 - self.total) / weight, n, 1.0 - fails)
        return min(convex, self._weighted(self.total, rate))

    @property
    def _is_even(self) -> bool:
        weights = self.shares / self.sizes
        return bool(np.ptp(weights) <= WHOLE * weights[0])

    def _even_tail(self, mean: float, rate: float) -> float:
        n = np.array([self.sizes.sum()], dtype=np.float64)
        return float(upper_tails(mean * n, n, rate, is_binary=self.is_binary)[0])

    def _weighted(self, x: float, mean: float) -> float:
        weights, kind = np.unique(self.shares / self.sizes, return_inverse=True)
        numbers = np.bincount(kind, self.sizes).astype(np.float64)
        return weighted_tail(x, weights, numbers, mean)

    def _coarse(self) -> tuple[float, int]:
        """Weight and number of equal scores that dominate the groups in the convex order.

        The mean of a group is dominated by that of fewer of its scores, and a score by a 0/1
        score of a larger weight; so all have the largest weight there is.
        """
        largest = float((self.shares / self.sizes).max())
        fewer = np.maximum(np.floor(self.shares / largest * (1.0 + WHOLE)), 1.0)
        return float((self.shares / fewer).max()), int(fewer.sum())


def _convex_tail(x: float, n: int, rate: float) -> float:
    return float(convex_tails(np.array([x]), n, rate)[0])


def units_of(grid: CellGrid, weights: NDArray[np.float64]) -> Units:
    """Take the units of a weighted sum of cases.

    Parameters
    ----------
    grid : CellGrid
    weights : ndarray of float64, shape (n_lengths, n_depths)
        Of every case of a cell; 0 where a cell is not looked at. Over all cases they add up to 1.
    """
    looked_at = (weights > 0) & (grid.n_cases > 0)
    total = float((weights * grid.successes)[looked_at].sum())
    shares = _cluster_shares(grid, np.where(looked_at, weights, 0.0))
    if shares is not None:
        return Units(shares, np.ones(shares.size, dtype=np.int64), total, is_binary=False)
    n_cases = grid.n_cases[looked_at]
    return Units(weights[looked_at] * n_cases, n_cases, total, is_binary=not grid.has_fractions)


def _cluster_shares(grid: CellGrid, weights: NDArray[np.float64]) -> NDArray[np.float64] | None:
    """Return the share of every cluster; None where no two of the cases share one."""
    if grid.cases is None or not grid.cases.is_clustered:
        return None
    of_case = weights.ravel()[grid.cases.cell]
    _, code = np.unique(grid.cases.cluster[of_case > 0], return_inverse=True)
    shares = np.bincount(code, of_case[of_case > 0]).astype(np.float64)
    return shares if shares.size < code.size else None
