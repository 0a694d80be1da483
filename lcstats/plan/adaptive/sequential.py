"""What further trials can be expected to do to anytime-valid evidence, and at what price.

A length is settled in one of a few ways: rounds of one trial at every depth, cells on their own, or
the stretch of depths that looks worst. For each, the rates that the counts leave open say how many
trials it may take; the number that buys most chance for its price is the bid.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import inf
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaincinv, xlogy

from lcstats.curve import FloatArray
from lcstats.errors import OptionError, describe
from lcstats.lengths.anytime import (
    PRIOR_CASES,
    Evidence,
    log_evidence_above,
    log_evidence_below,
    round_weights,
    scanned_stretches,
    weigh_counts,
)
from lcstats.lengths.certified.bounds import spend
from lcstats.lengths.criterion import Criterion, Treatment
from lcstats.records import freeze_arrays

RATES = (np.arange(15) + 0.5) / 15
"""Where the distribution of an open rate is looked at."""

STEPS = np.concatenate(([0.0], np.geomspace(1.0, 2.0**17, 35)))
"""Numbers of further cases that are looked at; more than the last is out of reach."""

BORROWED_CASES = 10.0
"""What a length's other cells are worth to the rate of one of its cells."""

SCANNED_WIDTHS = (1, 2, 3)
"""Stretches of depths that are tried for a failure, beside all depths together."""

Counting = Literal["rounds", "pooled", "each"]


@dataclass(frozen=True, slots=True, eq=False)
class Standing:
    """How one language model stands on one task, as counts.

    Attributes
    ----------
    successes, n_cases : ndarray, shape (n_lengths, n_depths)
    members : ndarray of int64, shape (n_depths,)
    bar : float
    treatment : Treatment
    level : float
        Of the anytime-valid set.
    evidence : Evidence
        Log e-values of every length.
    """

    successes: FloatArray
    n_cases: NDArray[np.int64]
    members: NDArray[np.int64]
    bar: float
    treatment: Treatment
    level: float
    evidence: Evidence

    def __post_init__(self) -> None:
        """Make the arrays read-only."""
        freeze_arrays(self)

    @classmethod
    def of(
        cls,
        successes: FloatArray,
        n_cases: NDArray[np.int64],
        members: NDArray[np.int64],
        criterion: Criterion,
        level: float,
    ) -> "Standing":
        """Return the standing of counts.

        Raises
        ------
        OptionError
            If the bar is a share of a base that is measured.
        """
        if criterion.fixed_bar is None:
            raise OptionError(
                describe("the bar is measured", "expected an absolute one", "use rule='absolute'")
            )
        bar, treatment = float(criterion.fixed_bar), criterion.treatment
        evidence = weigh_counts(successes, n_cases, members, bar, treatment)
        return cls(successes, n_cases, members, bar, treatment, level, evidence)

    @property
    def ends(self) -> tuple[int, int]:
        """First and last outcome of the anytime-valid set."""
        return self.evidence.ends(self.level)

    def settled(self, *, passes: bool) -> NDArray[np.bool_]:
        """Tell which lengths are accepted, or rejected each as the longest; (n_lengths,)."""
        evidence = self.evidence.passing if passes else self.evidence.failing
        thresholds = [self.threshold(row, passes=passes) for row in range(evidence.size)]
        return np.asarray(evidence >= np.array(thresholds))

    def expecting(self, row: int, trials: NDArray[np.int64]) -> "Standing":
        """Return the standing after further trials of a length that go as its counts foretell."""
        successes, n_cases = self.successes.copy(), self.n_cases.copy()
        successes[row] += trials * self.expected_rates(row)
        n_cases[row] += trials
        this = slice(row, row + 1)
        found = weigh_counts(successes[this], n_cases[this], self.members, self.bar, self.treatment)
        passing, failing = self.evidence.passing.copy(), self.evidence.failing.copy()
        passing[this], failing[this] = found.passing, found.failing
        evidence = Evidence(passing, failing)
        return replace(self, successes=successes, n_cases=n_cases, evidence=evidence)

    def row_rate(self, row: int) -> float:
        """Return the rate of a length's cases, half a success and half a failure added."""
        return float((self.successes[row].sum() + 0.5) / (self.n_cases[row].sum() + 1.0))

    def expected_rates(self, row: int) -> FloatArray:
        """Return what is expected of every cell of a length, which borrows from the others."""
        borrowed = BORROWED_CASES * self.row_rate(row)
        return np.asarray((self.successes[row] + borrowed) / (self.n_cases[row] + BORROWED_CASES))

    def threshold(self, row: int, *, passes: bool) -> float:
        """Return the log e-value with which a length is accepted, or rejected as the longest."""
        error = (1.0 - self.level) / 2.0
        return float(-np.log(error if passes else spend(row + 1, error)[-1]))


@dataclass(frozen=True, slots=True, eq=False)
class Way:
    """One way to settle a length.

    Attributes
    ----------
    row : int
    passes : bool
        Whether it shows that the length reaches the bar, or that it does not.
    counting : {"rounds", "pooled", "each"}
        Rounds of one case at every depth weighed, all cases weighed together, or every cell on
        its own.
    weighed, run : ndarray of int64
        Columns whose counts are weighed, and those that get trials.
    handicap : float
        Added to the threshold.
    """

    row: int
    passes: bool
    counting: Counting
    weighed: NDArray[np.int64]
    run: NDArray[np.int64]
    handicap: float = 0.0


@dataclass(frozen=True, slots=True, eq=False)
class Bid:
    """Trials that may settle a length.

    Attributes
    ----------
    row : int
    passes : bool
    trials : ndarray of int64, shape (n_depths,)
    chance : float
        That they settle it in this direction.
    """

    row: int
    passes: bool
    trials: NDArray[np.int64]
    chance: float


@dataclass(frozen=True, slots=True, eq=False)
class Offers:
    """What it may take to settle a length in one direction.

    Attributes
    ----------
    row : int
    passes : bool
    trials : ndarray of float64, shape (n_ways, n_rates, n_depths)
        By way and by rate, the rates that take least first; inf where nothing is enough.
    """

    row: int
    passes: bool
    trials: FloatArray

    def __post_init__(self) -> None:
        """Make the array read-only."""
        freeze_arrays(self)

    def best(self, price: float, affordable: float) -> Bid | None:
        """Return the trials that buy most chance for their price, or None.

        Parameters
        ----------
        price : float
            Of one trial at this length.
        affordable : float
            The most that may be spent, in the unit of `price`.
        """
        costs = self.trials.sum(axis=2) * price
        with np.errstate(divide="ignore"):  # What is settled already costs nothing.
            worth = np.where(costs <= affordable, RATES / costs, 0.0)
        if not worth.any():
            return None
        way, rate = np.unravel_index(int(np.argmax(worth)), worth.shape)
        trials = self.trials[way, rate].astype(np.int64)
        return Bid(self.row, self.passes, trials, float(RATES[rate]))


def offers(standing: Standing, row: int, *, passes: bool) -> Offers:
    """Return what it may take to settle a length in one direction.

    Examples
    --------
    >>> right, n_cases = np.array([[19.0, 20.0]]), np.array([[20, 20]])
    >>> one_task = np.zeros(2, dtype=np.int64)
    >>> standing = Standing.of(right, n_cases, one_task, Criterion(0.85), level=0.95)
    >>> bid = offers(standing, 0, passes=True).best(price=4096, affordable=1e6)
    >>> bid.trials.tolist(), round(bid.chance, 2)
    ([6, 6], 0.5)
    """
    ways = _ways_to_pass(standing, row) if passes else _ways_to_fail(standing, row)
    return Offers(row, passes, np.stack([_trials_by_rate(standing, way) for way in ways]))


def _ways_to_pass(standing: Standing, row: int) -> Iterator[Way]:
    every = np.arange(standing.members.size)
    if not standing.treatment.is_order:
        yield Way(row, True, "rounds", every, every)
    elif standing.treatment.is_window:
        lowest = _lowest_stretch(standing, row, standing.treatment.width)
        yield Way(row, True, "rounds", lowest, every)
    else:
        rank = standing.treatment.rank(every.size)
        best = np.sort(np.argsort(standing.expected_rates(row), kind="stable")[rank - 1 :])
        yield Way(row, True, "each", best, best, float(np.log(rank)))


def _ways_to_fail(standing: Standing, row: int) -> Iterator[Way]:
    every = np.arange(standing.members.size)
    treatment = standing.treatment
    if not treatment.is_order:
        yield Way(row, False, "rounds", every, every)
        return
    if treatment.is_window:
        lowest = _lowest_stretch(standing, row, treatment.width)
        n_windows = every.size - treatment.width + 1
        yield Way(row, False, "rounds", lowest, lowest, float(np.log(n_windows)))
        return
    rank = treatment.rank(every.size)
    if rank > 1:
        lowest = np.sort(np.argsort(standing.expected_rates(row), kind="stable")[:rank])
        yield Way(row, False, "each", lowest, lowest, float(np.log(every.size - rank + 1)))
        return
    first, end, weights = scanned_stretches(every.size)
    for width in {min(width, every.size) for width in (*SCANNED_WIDTHS, every.size)}:
        lowest = _lowest_stretch(standing, row, width)
        weight = weights[(first == lowest[0]) & (end == lowest[-1] + 1)].item()
        yield Way(row, False, "pooled", lowest, lowest, float(-np.log(weight)))


def _lowest_stretch(standing: Standing, row: int, width: int) -> NDArray[np.int64]:
    """Return the adjacent columns of a width that are expected to do worst."""
    sums = np.convolve(standing.expected_rates(row), np.ones(width), mode="valid")
    first = int(np.argmin(sums))
    return np.arange(first, first + width)


def _trials_by_rate(standing: Standing, way: Way) -> FloatArray:
    """Return trials of every column by rate, in order of their sum; shape (n_rates, n_depths)."""
    count = {"rounds": _rounds_needed, "pooled": _pooled_needed, "each": _each_needed}
    threshold = standing.threshold(way.row, passes=way.passes) + way.handicap
    trials = np.zeros((RATES.size, standing.members.size))
    trials[:, way.run] = count[way.counting](standing, way, threshold)
    return np.asarray(trials[np.argsort(trials.sum(axis=1), kind="stable")])


def _rounds_needed(standing: Standing, way: Way, threshold: float) -> FloatArray:
    """Rounds of one case at every depth, those that are not complete filled up first."""
    right, n_cases = _weighed(standing, way)
    weights = round_weights(standing.members)[way.weighed]
    rates = _open_rates(right.sum(), n_cases.sum(), 0.5, 0.5)
    last = n_cases.max()
    start = right @ weights + rates * ((last - n_cases) @ weights)
    size = float(weights.sum())
    needed = _cases_needed(start, last * size, rates, standing.bar, threshold, way.passes)
    return np.asarray(last + np.ceil(needed / size) - standing.n_cases[way.row][way.run])


def _pooled_needed(standing: Standing, way: Way, threshold: float) -> FloatArray:
    """All cases of a stretch together, further ones spread evenly."""
    right, n_cases = (part.sum() for part in _weighed(standing, way))
    rates = _open_rates(right, n_cases, 0.5, 0.5)
    needed = _cases_needed(right, n_cases, rates, standing.bar, threshold, way.passes)
    return np.asarray(np.ceil(needed / way.run.size))


def _each_needed(standing: Standing, way: Way, threshold: float) -> FloatArray:
    """Cells on their own, their rates low together or high together."""
    right, n_cases = _weighed(standing, way)
    rate = standing.row_rate(way.row)
    rates = _open_rates(right, n_cases, BORROWED_CASES * rate, BORROWED_CASES * (1.0 - rate))
    return _cases_needed(right, n_cases, rates, standing.bar, threshold, way.passes)


def _weighed(standing: Standing, way: Way) -> tuple[FloatArray, NDArray[np.int64]]:
    return standing.successes[way.row][way.weighed], standing.n_cases[way.row][way.weighed]


def _open_rates(
    successes: FloatArray | float, n_cases: NDArray[np.int64] | int, a: float, b: float
) -> FloatArray:
    """Return quantiles of the rates that counts and a Beta(a, b) leave open, (n_rates, n)."""
    right = np.atleast_1d(np.asarray(successes, dtype=np.float64))
    wrong = np.atleast_1d(np.asarray(n_cases - successes, dtype=np.float64))
    return np.asarray(betaincinv(right + a, wrong + b, RATES[:, None]))


def _cases_needed(
    successes: FloatArray | float,
    n_cases: NDArray[np.int64] | float,
    rates: FloatArray,
    bar: float,
    threshold: float,
    passes: bool,
) -> FloatArray:
    """Return how many further cases at a rate make the evidence strong enough, inf for never."""
    right, total = (np.broadcast_to(part, rates.shape)[..., None] for part in (successes, n_cases))
    foretold = foretell(right + rates[..., None] * STEPS, total + STEPS, bar, passes=passes)
    # The evidence there is counts as it is; only its growth is foretold.
    weigh = log_evidence_above if passes else log_evidence_below
    now = np.broadcast_to(weigh(successes, n_cases, bar), rates.shape)
    begins = np.isfinite(foretold[..., 0])
    foretold += np.subtract(now, foretold[..., 0], out=np.zeros(rates.shape), where=begins)[
        ..., None
    ]
    enough = foretold >= threshold
    first = enough.argmax(axis=-1)
    before = np.maximum(first - 1, 0)
    low, high = (
        np.take_along_axis(foretold, place[..., None], -1)[..., 0] for place in (before, first)
    )
    rises = enough.any(axis=-1) & (first > 0) & np.isfinite(low)
    climb = np.subtract(high, low, out=np.ones(first.shape), where=rises)
    share = np.divide(threshold - low, climb, out=np.ones(first.shape), where=rises)
    needed = np.ceil(STEPS[before] + share * (STEPS[first] - STEPS[before]))
    return np.where(enough.any(axis=-1), needed, inf)


def foretell(successes: FloatArray, n_cases: FloatArray, bar: float, *, passes: bool) -> FloatArray:
    """Return roughly what log e-value counts will have, by Laplace's approximation.

    Within about one of :func:`lcstats.lengths.anytime.log_evidence_above` and ``_below`` where it
    is near their thresholds; a plan does not need it closer, and it costs two logarithms.

    Parameters
    ----------
    successes, n_cases : ndarray
        They broadcast.
    bar : float
    passes : bool
        For a length at the bar or above, or for one below it.

    Examples
    --------
    >>> foretell(np.array([190.0]), np.array([200.0]), 0.85, passes=True).round(1).tolist()
    [8.3]
    """
    rate = np.divide(successes, n_cases, out=np.full(successes.shape, bar), where=n_cases > 0)
    if bar >= 1.0:  # One miss is enough, and nothing lies above.
        return np.where((rate < bar) & (not passes), inf, -inf)
    distance = xlogy(rate, rate / bar) + xlogy(1.0 - rate, (1.0 - rate) / (1.0 - bar))
    reached = n_cases * distance - 0.5 * np.log1p(n_cases / PRIOR_CASES)
    return np.asarray(np.where((rate > bar) == passes, reached, -inf))
