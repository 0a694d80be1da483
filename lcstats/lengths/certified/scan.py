"""The certified set for worst depth: a scan of likelihood ratios over stretches of bad depths.

"Length r is good" says that all of its cells reach the bar. Its statistic adds up likelihood
ratios against every rectangle of adjacent depths, of this length alone or with the one before,
being bad. Each ratio falls in each count, so under the hypothesis the sum is largest where every
cell lies at the bar exactly: one law to simulate. docs/explanation/certified.md derives it.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache, partial

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaincinv, expit, logit

from lcstats.cells import CellGrid
from lcstats.kernels.scan import ratio_tables, rectangle_sizes, scan_rectangles
from lcstats.lengths.binomial import at_least
from lcstats.lengths.certified.bounds import (
    Bounds,
    Candidate,
    Levels,
    best_levels,
    certification_floor,
    highest_kept,
    worst_union,
)
from lcstats.lengths.certified.nulls import TailLaw, kept_law, p_values_by_block
from lcstats.lengths.observed import leading

SHORTFALLS = (0.5, 1.0, 2.0, 4.0)
"""How far below the bar the cells of a rectangle may be, in log-odds."""

HEIGHT = 2
"""Rows of the highest rectangles; higher ones gained nothing on the truths of the study."""

LOWER_SHARES = (1.0, 0.9, 0.8, 0.65, 0.5)
"""Of the error, that the acceptance of one cell may take; the best of them is kept."""

MOST_DRAWN = 16384
"""Tables simulated where lengths are better than at the bar."""

TABLES = {1: 65536, 2: 16384}
"""Simulated tables per law: of designs in which all rows are alike, and of others."""

LARGEST_LOG_RATIO = 600.0
"""Of one rectangle; beyond it evidence is beyond doubt, and exp() not far from its end."""

Rows = tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True)
class Design:
    """Cases of every cell, and the bar.

    Attributes
    ----------
    n_cases : tuple of tuple of int, shape (n_lengths, n_depths)
    tau : Fraction
        Below 1.
    """

    n_cases: Rows
    tau: Fraction

    @property
    def n_tables(self) -> int:
        """Number of tables to simulate for a law."""
        return TABLES[1 if len(set(self.n_cases)) == 1 else 2]

    def block(self, row: int) -> Rows:
        """Cases of the rows that a row's statistic looks at."""
        return self.n_cases[max(row - HEIGHT + 1, 0) : row + 1]


def certified_worst(grid: CellGrid, tau: Fraction, *, level: float) -> Bounds:
    """Return the certified set for worst depth.

    Parameters
    ----------
    grid : CellGrid
        Independent 0/1 cases; cells may differ in their numbers. A length that lacks a depth
        is never accepted, and is only rejected by the cells that it has.
    tau : Fraction
        The bar.
    level : float
        Probability with which the set holds the truth, at least.

    Notes
    -----
    The lower end counts leading lengths all of whose cells have k >= c, with P(Bin(n, tau) >= c)
    at most aL: a length with a bad cell is accepted only if that cell is. Among all rules that
    more successes cannot hurt this is the best, as the other cells may be perfect.
    """
    k = grid.numerators // grid.unit
    error = 1 - level
    design = Design(tuple(map(tuple, grid.n_cases.tolist())), tau)
    if tau == 1:
        p_values = np.all(k == grid.n_cases, axis=1).astype(np.float64)
        levels = Levels((), 0.0, error)
        accepted = np.zeros(len(k), dtype=np.bool_)
    else:
        p_values = scan_p_values(k, design)
        levels = scan_levels(design, error)
        accepted = np.all(k >= np.array(levels.least).reshape(k.shape), axis=1)
    return Bounds(
        lower=leading(accepted),
        upper=highest_kept(p_values, levels.upper),
        floor=certification_floor(tau, error),
        diagnostics={
            "construction": "likelihood-ratio scan; binomial tails of single cells",
            "floor_counts": "perfect cases per cell",
            "lower_error": levels.lower,
            "upper_error": levels.upper,
        },
        p_values=p_values,
    )


def scan_p_values(k: NDArray[np.int64], design: Design) -> NDArray[np.float64]:
    """Return a p-value of "this length is good" for every length, shape (n_lengths,)."""
    return p_values_by_block(
        k,
        design.block,
        lambda block: law_at_bar(block, design.tau, design.n_tables),
        lambda tables, block: _statistics(tables, block, design.tau),
    )


@lru_cache(maxsize=4096)
def law_at_bar(block: Rows, tau: Fraction, n_tables: int) -> TailLaw:
    """Law of a row's statistic where every cell lies at the bar."""
    return kept_law(
        f"scan {block} {tau} {n_tables} {SHORTFALLS}",
        lambda: _simulate(block, tau, np.full(np.shape(block), float(tau)), n_tables, seed=0),
    )


def _simulate(
    block: Rows, tau: Fraction, rates: NDArray[np.float64], n_tables: int, *, seed: int
) -> NDArray[np.float64]:
    rng = np.random.default_rng(seed)
    k = rng.binomial(np.array(block), rates, size=(n_tables, *rates.shape))
    return _statistics(k, block, tau)


def _statistics(k: NDArray[np.int64], block: Rows, tau: Fraction) -> NDArray[np.float64]:
    values, first = _tables(block, tau)
    return np.asarray(scan_rectangles(np.ascontiguousarray(k), values, first))


@lru_cache(maxsize=256)
def _tables(block: Rows, tau: Fraction) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    sizes = rectangle_sizes(np.array(block))
    return ratio_tables(sizes, *log_ratios(tau), LARGEST_LOG_RATIO)


def log_ratios(tau: Fraction) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Log likelihood ratios of one right and one wrong case, against every shortfall."""
    worse = expit(logit(float(tau)) - np.array(SHORTFALLS))
    return np.log(worse / float(tau)), np.log((1 - worse) / (1 - float(tau)))


@lru_cache(maxsize=1024)
def scan_levels(design: Design, error: float) -> Levels:
    """Split `error` between the two ends; `least` has a bound for every cell, row by row."""
    return best_levels(error, _candidates(design, error))


def _candidates(design: Design, error: float) -> Iterator[Candidate]:
    n_cases = np.array(design.n_cases)
    for share in LOWER_SHARES:
        bounds = _cell_bounds(n_cases, design.tau, share * error)
        n_leading = leading(np.all(bounds <= n_cases, axis=1))
        tails = at_least(bounds, n_cases, float(design.tau))[:n_leading]
        bucket = partial(_second_bucket, design, bounds[:n_leading])
        yield tuple(bounds.ravel().tolist()), float(tails.max(initial=0.0)), bucket


def _cell_bounds(n_cases: NDArray[np.int64], tau: Fraction, error: float) -> NDArray[np.int64]:
    """Return the smallest c with P(Bin(n, tau) >= c) <= error of every cell; n + 1 if none."""
    least = {n: first_within(n, tau, error) for n in np.unique(n_cases).tolist()}
    bounds = np.array([least[n] for n in n_cases.ravel().tolist()])
    return bounds.reshape(n_cases.shape)


@lru_cache(maxsize=65536)
def first_within(n: int, tau: Fraction, error: float) -> int:
    """Smallest c with P(Bin(n, tau) >= c) <= error; n + 1 if there is none.

    Examples
    --------
    >>> first_within(20, Fraction(17, 20), 0.05), first_within(5, Fraction(17, 20), 0.05)
    (20, 6)
    """
    return int(np.argmax(at_least(np.arange(n + 2), n, float(tau)) <= error))


def _second_bucket(design: Design, bounds: NDArray[np.int64], delta: float, upper: float) -> float:
    """Bound how often H_theta is rejected when each good length is accepted at rate delta or more.

    Every cell of a good length is then accepted at that rate. More successes make a rejection
    rarer, so it is likeliest where each cell's accuracy is the one that gives just that rate.

    Parameters
    ----------
    bounds : ndarray of int64, shape (n_leading, n_depths)
        Successes from which a cell is accepted, of the leading lengths that can be.
    """
    n_cases = np.array(design.n_cases)[: len(bounds)]
    rates = betaincinv(bounds, n_cases - bounds + 1.0, delta)
    blocks = [design.block(row) for row in range(len(bounds))]
    draws = []
    for row, block in enumerate(blocks):
        block_rates = tuple(map(tuple, rates[row + 1 - len(block) : row + 1].tolist()))
        draws.append(_drawn(block, design.tau, block_rates, min(design.n_tables, MOST_DRAWN)))

    def rejected(row: int, limit: float) -> float:
        law = law_at_bar(blocks[row], design.tau, design.n_tables)
        return law.share_rejected(draws[row], limit)

    return worst_union(len(blocks), upper, rejected)


@lru_cache(maxsize=64)
def _drawn(
    block: Rows, tau: Fraction, rates: tuple[tuple[float, ...], ...], n_tables: int
) -> NDArray[np.float64]:
    return _simulate(block, tau, np.array(rates), n_tables, seed=1)
