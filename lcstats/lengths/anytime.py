"""Evidence that may be looked at after every trial, and the set of outcomes built on it.

An e-value is evidence against a hypothesis that has mean 1 at most where the hypothesis holds; one
that holds however one looks (an e-process) exceeds 1 / a, ever, with probability a at most. Here
it is a likelihood ratio against the bar, averaged over rates beyond it. ``docs/explanation/
anytime.md`` derives every step.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import betaincc, betaln, logsumexp

from lcstats.cells import CellGrid
from lcstats.curve import FloatArray
from lcstats.lengths.certified.bounds import Bounds, highest_kept
from lcstats.lengths.criterion import Criterion, Treatment
from lcstats.lengths.observed import leading
from lcstats.lengths.shares import case_divisors, weigh_equally
from lcstats.records import freeze_arrays

PRIOR_CASES = 5.0
"""What the averaging over rates is worth in cases: a Beta around the bar, cut off there."""


def log_evidence_above(successes: ArrayLike, n_cases: ArrayLike, bar: float) -> NDArray[np.float64]:
    """Log e-value against "the accuracy is at or below the bar".

    Parameters
    ----------
    successes, n_cases : array_like
        Sums of scores in [0, 1] and the number of them; they broadcast.
    bar : float
        In (0, 1].

    Returns
    -------
    ndarray of float64
        0 without a case, and for a bar of 1, above which there is nothing.

    Notes
    -----
    With weights Beta(c bar, c (1 - bar)) on rates q > bar, c = 5, it is the log of the average of
    (q / bar)^S ((1 - q) / (1 - bar))^(N - S). Scores need not be 0 or 1, and cells need not be
    alike: E exp(s X) <= 1 - A + A exp(s) for scores of mean A, and the log of the right side is
    concave in A.

    Examples
    --------
    Thirty right of thirty show an accuracy above .85 at level 2.5%; 29 of 29 do not.

    >>> (log_evidence_above([29, 30], [29, 30], 0.85) >= np.log(1 / 0.025)).tolist()
    [False, True]
    """
    right, n = np.broadcast_arrays(np.asarray(successes, float), np.asarray(n_cases, float))
    if bar >= 1.0:
        return np.zeros(right.shape)
    wrong = n - right
    a, b = PRIOR_CASES * bar, PRIOR_CASES * (1.0 - bar)
    with np.errstate(divide="ignore"):  # A weight too small to hold is no evidence at all.
        beyond = np.log(betaincc(right + a, wrong + b, bar) / betaincc(a, b, bar))
    average = betaln(right + a, wrong + b) - betaln(a, b) + beyond
    return np.asarray(average - right * np.log(bar) - wrong * np.log1p(-bar))


def log_evidence_below(successes: ArrayLike, n_cases: ArrayLike, bar: float) -> NDArray[np.float64]:
    """Log e-value against "the accuracy is at or above the bar"; see :func:`log_evidence_above`.

    Examples
    --------
    >>> (log_evidence_below([6, 5], [12, 12], 0.85) >= np.log(1 / 0.02)).tolist()
    [False, True]
    """
    right, n = np.broadcast_arrays(np.asarray(successes, float), np.asarray(n_cases, float))
    if bar >= 1.0:
        return np.where(right < n, np.inf, 0.0)
    return log_evidence_above(n - right, n, 1.0 - bar)


@dataclass(frozen=True, slots=True, eq=False)
class Evidence:
    """What a grid's counts say of every length, on its own.

    Attributes
    ----------
    passing, failing : ndarray of float64, shape (n_lengths,)
        Log e-values against "it is below the bar" and "it is at the bar or above".
    """

    passing: FloatArray
    failing: FloatArray

    def __post_init__(self) -> None:
        """Make the arrays read-only."""
        freeze_arrays(self)

    def ends(self, level: float) -> tuple[int, int]:
        """First and last outcome of the set at a level, half of the error for either end.

        Only the first bad length can be accepted to the harm of the lower end, so its level is
        not divided; the upper end spends its own as certified sets do.

        Examples
        --------
        >>> Evidence(np.array([9.0, 1.0, 0.0]), np.array([-9.0, -1.0, 8.0])).ends(0.95)
        (1, 2)
        """
        error = (1.0 - level) / 2.0
        lower = leading(self.passing >= -np.log(error))
        p_values = np.exp(-np.maximum(self.failing, 0.0))
        return lower, max(lower, highest_kept(p_values, error))


def anytime_evidence(grid: CellGrid, bar: Fraction, treatment: Treatment) -> Evidence:
    """Weigh the counts of every length of a grid for and against the bar."""
    return weigh_counts(grid.successes, grid.n_cases, grid.member_codes, float(bar), treatment)


def weigh_counts(
    successes: FloatArray,
    n_cases: NDArray[np.int64],
    members: NDArray[np.int64],
    bar: float,
    treatment: Treatment,
) -> Evidence:
    """Weigh counts of independent cases for and against the bar.

    Parameters
    ----------
    successes, n_cases : ndarray, shape (n_lengths, n_depths)
        Sums of scores and numbers of cases. Cases that a depth lacks count as not yet run.
    members : ndarray of int64, shape (n_depths,)
        Number of the averaged task of every column.
    bar : float
        In accuracy.
    treatment : Treatment

    Examples
    --------
    >>> right, n = np.array([[40.0, 39.0], [20.0, 18.0]]), np.full((2, 2), 40)
    >>> found = weigh_counts(right, n, np.zeros(2, dtype=np.int64), 0.85, Treatment("mean"))
    >>> found.passing.round(1).tolist(), found.failing.round(1).tolist()
    ([8.2, 0.0], [0.0, 28.2])
    """
    weights = round_weights(members)
    rank = 1 if treatment.is_window else treatment.rank(members.size)
    rows = [
        _window_row(*row, members, treatment.width, bar)
        if treatment.is_window
        else (_cells_row(*row, bar, rank) if treatment.is_order else _mean_row(*row, weights, bar))
        for row in zip(successes, n_cases, strict=True)
    ]
    passing, failing = np.array(rows).T
    return Evidence(passing, failing)


def anytime_bounds(grid: CellGrid, bar: Fraction, criterion: Criterion, *, level: float) -> Bounds:
    """Return the anytime-valid set; it holds every outcome, and says why, where there is none.

    Parameters
    ----------
    grid : CellGrid
    bar : Fraction
        In accuracy, after the threshold rule.
    criterion : Criterion
    level : float

    Examples
    --------
    >>> from lcstats.cells import Cells
    >>> grid = Cells.from_counts(
    ...     [4096, 8192], [0.0, 0.5], n_cases=40, successes=[[40, 39], [20, 18]]
    ... ).grid
    >>> bounds = anytime_bounds(grid, Fraction(17, 20), Criterion(0.85), level=0.95)
    >>> bounds.lower, bounds.upper
    (1, 1)
    """
    gap = anytime_gap(grid, criterion)
    if gap:
        return Bounds(0, grid.lengths.size, None, {"construction": f"every outcome: {gap}"})
    lower, upper = anytime_evidence(grid, bar, criterion.treatment).ends(level)
    return Bounds(lower, upper, None, {"construction": "likelihood ratios averaged over rates"})


def anytime_gap(grid: CellGrid, criterion: Criterion) -> str | None:
    """Say what keeps a grid from having an anytime-valid set, or None."""
    if criterion.rule == "relative":
        return "the base of a relative threshold is measured too"
    if grid.is_clustered:
        return "cases share clusters, so they are not independent"
    if criterion.treatment.kind == "pooled" and not weigh_equally(grid, Treatment("mean")):
        return "what pooled cases measure moves with the number of cases at every depth"
    return None


def round_weights(members: NDArray[np.int64]) -> FloatArray:
    """Weight of one case of every column in a round, the heaviest being 1; (n_depths,).

    Columns of averaged tasks weigh less in tasks with more depths.

    Examples
    --------
    >>> round_weights(np.array([0, 0, 1])).tolist()
    [0.5, 0.5, 1.0]
    """
    divisors = case_divisors(np.ones_like(members), Treatment("mean"), members)
    return np.asarray(divisors.min() / divisors)


@lru_cache(maxsize=32)
def scanned_stretches(
    n_depths: int,
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
    """Return first column, end and weight of every stretch of adjacent depths; weights sum to 1.

    A stretch of w depths weighs 1 / w of a single one.
    """
    width = np.concatenate([np.full(n_depths - w + 1, w) for w in range(1, n_depths + 1)])
    first = np.concatenate([np.arange(n_depths - w + 1) for w in range(1, n_depths + 1)])
    return first, first + width, (1.0 / width) / (1.0 / width).sum()


def _mean_row(
    successes: FloatArray, n_cases: NDArray[np.int64], weights: FloatArray, bar: float
) -> tuple[float, float]:
    """Weigh rounds of one case at every depth, after every round that the counts may bound.

    Which cases came first is not known: the first r of n hold at least k - (n - r) successes and
    at most k of them; a case not yet run is a failure to one side and a success to the other.
    """
    last = int(n_cases.max())
    rounds = np.arange(max(int(n_cases.min()), 1), last + 1)[:, None]
    surplus, lacking = np.maximum(n_cases - rounds, 0), np.maximum(rounds - n_cases, 0)
    lowest = np.maximum(successes - surplus, 0.0) @ weights
    highest = (np.minimum(successes, rounds) + lacking) @ weights
    size = rounds[:, 0] * weights.sum()
    passing = log_evidence_above(lowest, size, bar)
    failing = log_evidence_below(highest, size, bar)
    return float(passing.max(initial=0.0)), float(failing.max(initial=0.0))


def _cells_row(
    successes: FloatArray, n_cases: NDArray[np.int64], bar: float, rank: int
) -> tuple[float, float]:
    """Weigh the cells of a length where the one at `rank` from below counts."""
    passing = np.sort(log_evidence_above(successes, n_cases, bar))[rank - 1] - np.log(rank)
    if rank == 1:
        return float(passing), _scan(successes, n_cases, bar)
    # Whichever cells are below the bar, at most rank - 1 are if the length passes.
    failing = np.sort(log_evidence_below(successes, n_cases, bar))[: n_cases.size - rank + 1]
    return float(passing), float(logsumexp(failing) - np.log(failing.size))


def _scan(successes: FloatArray, n_cases: NDArray[np.int64], bar: float) -> float:
    """Average the evidence of all stretches of adjacent depths that a cell is below the bar."""
    first, end, weights = scanned_stretches(n_cases.size)
    right = np.append(0.0, np.cumsum(successes))
    n = np.append(0, np.cumsum(n_cases))
    evidence = log_evidence_below(right[end] - right[first], n[end] - n[first], bar)
    return float(logsumexp(evidence, b=weights))


def _window_row(
    successes: FloatArray,
    n_cases: NDArray[np.int64],
    members: NDArray[np.int64],
    width: int,
    bar: float,
) -> tuple[float, float]:
    """Weigh all windows of adjacent depths: every one has to pass, one that fails is enough."""
    alike = np.ones(width)
    windows = [
        _mean_row(successes[first : first + width], n_cases[first : first + width], alike, bar)
        for first in range(n_cases.size - width + 1)
        if np.ptp(members[first : first + width]) == 0
    ]
    passing, failing = np.array(windows).T
    return float(passing.min()), float(failing.max() - np.log(len(windows)))
