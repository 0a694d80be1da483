"""The certified set for a quantile of the depths: likelihood ratios of cells in order of size.

A length is good if at most r - 1 of its cells are below the bar, whichever they are. Leave out
the r - 1 smallest counts: the t-th smallest of the rest is at least the t-th smallest of the good
cells. So a statistic of the ordered rest that falls in each count is largest, in law, where
D - r + 1 cells lie at the bar: one law to simulate. docs/explanation/certified.md derives it.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache, partial

import numpy as np
from numpy.typing import NDArray

from lcstats.cells import CellGrid
from lcstats.kernels.scan import subset_means
from lcstats.lengths.certified.bounds import (
    Bounds,
    Levels,
    best_levels,
    certification_floor,
    highest_kept,
    worst_union,
)
from lcstats.lengths.certified.means import accepted_rates, sum_candidates
from lcstats.lengths.certified.nulls import TailLaw, kept_law, p_values_by_block
from lcstats.lengths.certified.scan import SHORTFALLS, log_ratios
from lcstats.lengths.observed import leading

N_TABLES = 65536
N_BOUNDS = 3
LARGEST_LOG_RATIO = 300.0
"""Of all cells of a row together."""


@dataclass(frozen=True, slots=True)
class RankDesign:
    """Cases per cell of every length, and what has to be good.

    Attributes
    ----------
    n_cases : tuple of int, length n_lengths
        Equal over the depths of a length.
    n_depths : int
    rank : int
        A length is good if at most rank - 1 of its cells are below the bar.
    tau : Fraction
        Below 1.
    """

    n_cases: tuple[int, ...]
    n_depths: int
    rank: int
    tau: Fraction

    @property
    def n_good(self) -> int:
        """Cells that a good length has at least."""
        return self.n_depths - self.rank + 1

    def block(self, row: int) -> tuple[int, ...]:
        """Cases per cell of a length and the one before it."""
        return self.n_cases[max(row - 1, 0) : row + 1]


def certified_rank(grid: CellGrid, tau: Fraction, rank: int, *, level: float) -> Bounds:
    """Return the certified set for the rank-th smallest cell of every length.

    Parameters
    ----------
    grid : CellGrid
        Independent 0/1 cases, equally many in all cells of a length.
    tau : Fraction
        The bar, below 1.
    rank : int
        1 is the worst depth.
    level : float
        Probability with which the set holds the truth, at least.

    Notes
    -----
    The lower end counts leading lengths whose `rank` smallest counts add up to c or more. A bad
    length has `rank` cells below the bar, whose successes are at least that sum; by Hoeffding
    (1956) P(sum >= c) <= P(Bin(rank n, tau) >= c) for c >= rank n tau + 1.
    """
    k = np.sort(grid.numerators // grid.unit, axis=1)
    n_cases = tuple(grid.n_cases[:, 0].tolist())
    design = RankDesign(n_cases, grid.depths.size, rank, tau)
    error = 1 - level
    levels = rank_levels(design, error)
    p_values = p_values_by_block(
        k[:, rank - 1 :],
        design.block,
        lambda block: law_at_bar(block, design.n_good, tau),
        lambda tables, block: _statistics(tables, block, tau),
    )
    return Bounds(
        lower=leading(k[:, :rank].sum(axis=1) >= np.array(levels.least)),
        upper=highest_kept(p_values, levels.upper),
        floor=-(-(certification_floor(tau, error) or 0) // rank),
        diagnostics={
            "construction": "likelihood ratios of ordered cells; binomial tail of the smallest",
            "floor_counts": "perfect cases per cell",
            "lower_error": levels.lower,
            "upper_error": levels.upper,
        },
        p_values=p_values,
    )


@lru_cache(maxsize=4096)
def law_at_bar(n_cases: tuple[int, ...], n_good: int, tau: Fraction) -> TailLaw:
    """Law of a row's statistic where all good cells lie at the bar."""
    return kept_law(
        f"rank {n_cases} {n_good} {tau} {N_TABLES} {SHORTFALLS}",
        lambda: _simulate(n_cases, n_good, tau, (float(tau),) * len(n_cases), N_TABLES),
    )


def _simulate(
    n_cases: tuple[int, ...], n_good: int, tau: Fraction, rates: tuple[float, ...], n_tables: int
) -> NDArray[np.float64]:
    rng = np.random.default_rng(2)
    n, rate = np.array(n_cases)[:, None], np.array(rates)[:, None]
    k = np.sort(rng.binomial(n, rate, size=(n_tables, len(n_cases), n_good)), axis=2)
    return _statistics(k, n_cases, tau)


def _statistics(
    k: NDArray[np.int64], n_cases: tuple[int, ...], tau: Fraction
) -> NDArray[np.float64]:
    """Sum over shortfalls and numbers of bad cells, of the last row and of all rows together.

    `k` is (n_tables, n_rows, n_cells), ascending along the cells.
    """
    n_tables, n_rows, n_cells = k.shape
    share = 1.0 / np.arange(1, n_cells + 1)
    sums = np.zeros(n_tables)
    for right, wrong in zip(*log_ratios(tau), strict=True):
        rows = [_ratios(n, right, wrong, n_cells)[k[:, row]] for row, n in enumerate(n_cases)]
        ratios = np.stack(rows, axis=1).reshape(-1, n_cells)
        means = subset_means(ratios).reshape(n_tables, n_rows, n_cells)
        sums += means[:, -1] @ share
        if n_rows > 1:
            sums += means.prod(axis=1) @ share
    return sums


def _ratios(n: int, right: float, wrong: float, n_cells: int) -> NDArray[np.float64]:
    """Likelihood ratio of a cell by its successes, shape (n + 1,)."""
    k = np.arange(n + 1)
    return np.exp(np.minimum(k * right + (n - k) * wrong, LARGEST_LOG_RATIO / n_cells))


@lru_cache(maxsize=1024)
def rank_levels(design: RankDesign, error: float) -> Levels:
    """Split `error` between the two ends; `least` has a bound for every length's smallest sum."""
    sizes = [n * design.rank for n in design.n_cases]
    bucket = partial(_second_bucket, design)
    return best_levels(error, sum_candidates(sizes, design.tau, error, N_BOUNDS, bucket))


def _second_bucket(design: RankDesign, least: tuple[int, ...], delta: float, upper: float) -> float:
    """Bound how often H_theta is rejected when each good length is accepted at rate delta or more.

    The `rank` cells of lowest accuracy then average at least A with P(Bin(rank n, A) >= c) =
    delta (Hoeffding), so the rank-th smallest accuracy, and all above it, are at least A.
    """
    sizes, bounds = np.array(design.n_cases)[: len(least)] * design.rank, np.array(least)
    rates = accepted_rates(bounds, sizes, delta)
    blocks = [design.block(row) for row in range(len(least))]
    draws = [
        _drawn(
            block, design.n_good, design.tau, tuple(rates[row + 1 - len(block) : row + 1].tolist())
        )
        for row, block in enumerate(blocks)
    ]

    def rejected(row: int, limit: float) -> float:
        law = law_at_bar(blocks[row], design.n_good, design.tau)
        return law.share_rejected(draws[row], limit)

    return worst_union(len(blocks), upper, rejected)


@lru_cache(maxsize=64)
def _drawn(
    block: tuple[int, ...], n_good: int, tau: Fraction, rates: tuple[float, ...]
) -> NDArray[np.float64]:
    return _simulate(block, n_good, tau, rates, N_TABLES)
