"""The certified set for windows of adjacent depths: binomial tails of windows, Bonferroni."""

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache, partial

import numpy as np
from numpy.typing import NDArray

from lcstats.cells import CellGrid
from lcstats.lengths.certified.bounds import (
    Bounds,
    Levels,
    best_levels,
    certification_floor,
    highest_kept,
    worst_union,
)
from lcstats.lengths.certified.means import (
    accepted_rates,
    low_tails,
    rejection_bound,
    sum_candidates,
)
from lcstats.lengths.observed import leading
from lcstats.lengths.windows import stretches

SHARES = (0.7, 0.3)
"""Of a length's level: its own windows, and those taken together with the length before."""

N_BOUNDS = 6


@dataclass(frozen=True, slots=True)
class WindowDesign:
    """Cases per window of every length, the number of windows, and the bar."""

    sizes: tuple[int, ...]
    n_windows: int
    tau: Fraction

    def shares(self, row: int) -> tuple[float, ...]:
        """Share of a row's level that one window has, alone and with the row before."""
        shares = SHARES if row else (1.0,)
        return tuple(share / self.n_windows for share in shares)

    def joint_sizes(self, row: int) -> tuple[int, ...]:
        """Cases of one window, alone and with the row before."""
        own = self.sizes[row]
        return (own, own + self.sizes[row - 1]) if row else (own,)


def certified_window(grid: CellGrid, tau: Fraction, width: int, *, level: float) -> Bounds:
    """Return the certified set for the smallest mean over `width` adjacent depths.

    Parameters
    ----------
    grid : CellGrid
        Independent 0/1 cases, equally many in all cells of a length.
    tau : Fraction
        The bar.
    width : int
    level : float
        Probability with which the set holds the truth, at least.

    Notes
    -----
    A length is good if every window averages at least `tau`. Its p-value is the smallest binomial
    tail of its windows, alone and with the same window of the length before, over its share of
    the level. It is accepted if each of its windows has c successes or more, with
    P(Bin(n width, tau) >= c) at most aL. Hoeffding (1956) makes both hold whatever the
    accuracies within a window are.
    """
    k = _window_sums(grid, width)
    sizes = tuple((grid.n_cases[:, 0] * width).tolist())
    design = WindowDesign(sizes, k.shape[1], tau)
    error = 1 - level
    levels = window_levels(design, error)
    p_values = np.array([_p_value(k, row, design) for row in range(len(k))])
    return Bounds(
        lower=leading(k.min(axis=1) >= np.array(levels.least)),
        upper=highest_kept(p_values, levels.upper),
        floor=certification_floor(tau, error),
        diagnostics={
            "construction": "binomial tails of windows by Hoeffding's inequality, Bonferroni",
            "floor_counts": "perfect cases per window",
            "lower_error": levels.lower,
            "upper_error": levels.upper,
        },
        p_values=p_values,
    )


def _window_sums(grid: CellGrid, width: int) -> NDArray[np.int64]:
    """Successes of every window, shape (n_lengths, n_windows)."""
    k = grid.numerators // grid.unit
    present = np.ones(grid.depths.size, dtype=np.bool_)
    sums = [
        np.lib.stride_tricks.sliding_window_view(k[:, run], width, axis=1).sum(axis=2)
        for run in stretches(present, grid.member_codes, width)
    ]
    return np.concatenate(sums, axis=1)


def _p_value(k: NDArray[np.int64], row: int, design: WindowDesign) -> float:
    counts = (k[row], k[row] + k[row - 1]) if row else (k[row],)
    tails = [
        float(low_tails(count, np.array(n), design.tau).min()) / share
        for count, n, share in zip(counts, design.joint_sizes(row), design.shares(row), strict=True)
    ]
    return min(1.0, *tails)


@lru_cache(maxsize=1024)
def window_levels(design: WindowDesign, error: float) -> Levels:
    """Split `error` between the two ends; `least` has a bound for the windows of every length."""
    bucket = partial(_second_bucket, design)
    return best_levels(error, sum_candidates(design.sizes, design.tau, error, N_BOUNDS, bucket))


def _second_bucket(
    design: WindowDesign, least: tuple[int, ...], delta: float, upper: float
) -> float:
    """Bound how often H_theta is rejected when each good length is accepted at rate delta or more.

    Each of its windows is then accepted at that rate, and has an average to match.
    """
    sizes = np.array(design.sizes[: len(least)])
    rates = accepted_rates(np.array(least), sizes, delta)
    return worst_union(len(least), upper, partial(_rejected, design, rates))


def _rejected(design: WindowDesign, rates: NDArray[np.float64], row: int, limit: float) -> float:
    """Union bound, over a row's windows, on a p-value of at most `limit`."""
    rate = float(rates[max(row - 1, 0) : row + 1].min())
    return design.n_windows * sum(
        rejection_bound(n, rate, float(design.tau), limit * share)
        for n, share in zip(design.joint_sizes(row), design.shares(row), strict=True)
    )
