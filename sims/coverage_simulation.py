"""One block of the coverage study: simulated tables, the sets found on them, and who was right.

A block is keyed by (seed, truth, cases per cell, number of the block), so that every depth
treatment meets the same tables and the split of blocks over processes changes nothing. Tallies are
whole numbers and add up in any order.
"""

import warnings
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace

import numpy as np
from numpy.random import Generator, Philox, SeedSequence
from numpy.typing import NDArray

import lcstats as lc
from lcstats.errors import LcstatsWarning
from lcstats.options import MassKind

LENGTHS = 1024 * 2 ** np.arange(8)
DEPTHS = np.arange(11) / 10
LEVEL = 0.95

SIMULATIONS_PER_BLOCK = 50
N_DRAWN_BLOCKS = 2
"""Bootstrap masses of clustered tables are drawn, seconds each: only the first blocks have them."""
N_FITTED_BLOCKS = 2
"""The curve's set takes thousands of fits per table: only the first blocks have it."""

Run = tuple[int, int]
"""First and last outcome of a set."""


@dataclass(frozen=True, slots=True, order=True)
class Setting:
    """What is simulated and asked: one point of the study's design."""

    truth: str
    treatment: str
    n_cases: int

    @property
    def criterion(self) -> lc.Criterion:
        threshold = lc.truths.get_truth(self.truth).default_threshold
        return lc.Criterion(threshold, depth_treatment=self.treatment)


@dataclass(frozen=True, slots=True)
class Block:
    """Some simulations of one setting."""

    setting: Setting
    seed: int
    number: int
    n_simulations: int

    @property
    def rng(self) -> Generator:
        """The block's stream; the depth treatment is not part of its key."""
        name = zlib.crc32(self.setting.truth.encode())
        return Generator(Philox(SeedSequence([self.seed, name, self.setting.n_cases, self.number])))


@dataclass(frozen=True, slots=True)
class Tally:
    """What became of one kind of set over some simulations; tallies add up.

    Attributes
    ----------
    held : int
        Simulations whose set holds the true outcome.
    truth_below, truth_above : int
        Simulations whose set lies above the true outcome, and below it.
    size, squared_size : int
        Sums over simulations of the number of outcomes in the set.
    extended : int
        Simulations whose set was extended to hold its point.
    hit : int
        Simulations whose effective length, observed or by the curve, is the true one.
    true_outcome : int
        Sum of the true outcomes.
    """

    simulations: int
    held: int
    truth_below: int
    truth_above: int
    size: int
    squared_size: int
    extended: int
    hit: int
    true_outcome: int

    def __add__(self, other: "Tally") -> "Tally":
        return Tally(*(getattr(self, f.name) + getattr(other, f.name) for f in fields(Tally)))


@dataclass(frozen=True, slots=True)
class FoundSet:
    """A set of outcomes as the study judges it.

    Attributes
    ----------
    point : int, optional
        The outcome it belongs to, where that is not the observed one.
    """

    run: Run
    kind: str
    extended: bool = False
    point: int | None = None


Results = dict[tuple[str, str], Tally]
"""By name of the set in the study, and kind of the set that stood there."""


def run_block(block: Block) -> Results:
    """Simulate a block's tables and tally every set on them."""
    truth = lc.truths.get_truth(block.setting.truth)
    criterion, rng = block.setting.criterion, block.rng
    masses = _affordable_masses(truth, block)
    results: Results = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LcstatsWarning)
        for _ in range(block.n_simulations):
            cells, accuracy = simulate_table(truth, block.setting.n_cases, rng)
            outcome = true_outcome(accuracy, criterion)
            answer = lc.effective_length(
                cells,
                criterion,
                fit=lc.fit_curve(cells) if block.number < N_FITTED_BLOCKS else None,
                level=LEVEL,
                sets=("default", "jeffreys"),
                masses=masses,
            )
            found = find_sets(answer)
            if truth.haystack is not None:
                found |= {"clusters-ignored": _set_without_clusters(cells, criterion)}
            add_results(results, judge(found, answer.observed.outcome, outcome))
    return results


def simulate_table(
    truth: lc.truths.Truth, n_cases: int, rng: Generator
) -> tuple[lc.Cells, NDArray[np.float64]]:
    """Return the counts of one simulated table, and the accuracies to be found from them.

    Haystacks need the table of trials: they are its clusters.
    """
    if truth.haystack is not None:
        seed = int(rng.integers(2**63))
        trials = lc.simulate_trials(truth, LENGTHS, DEPTHS, n_trials=n_cases, seed=seed)
        return lc.count_cells(trials), truth.accuracy(LENGTHS, DEPTHS)
    fixed = truth.drawn(LENGTHS, DEPTHS, rng)
    cells = lc.truths.simulate_cells(fixed, LENGTHS, DEPTHS, n_cases=n_cases, rng=rng)
    return cells, fixed.accuracy(LENGTHS, DEPTHS)


def true_outcome(accuracy: NDArray[np.float64], criterion: lc.Criterion) -> int:
    """Apply the library's own rule to the accuracies: one case per cell, worth its accuracy."""
    cells = lc.Cells.from_counts(LENGTHS, DEPTHS, n_cases=1, successes=accuracy)
    return lc.effective_length(cells, criterion, masses=()).observed.outcome


def find_sets(answer: lc.EffectiveLength) -> dict[str, FoundSet]:
    """Return the default, Jeffreys and curve's sets and, as a warning, quantiles of the masses."""
    observed = answer.observed
    found = {"default": _found(observed.default_set)}
    for interval in observed.sets:
        if interval.kind == "jeffreys":
            found["jeffreys"] = _found(interval)
    for kind, mass in observed.masses.items():
        found[f"{kind}-quantiles"] = FoundSet(equal_tailed(mass, LEVEL), "quantiles")
    for estimate in answer.estimates:
        if estimate.method == "curve":
            found["curve"] = replace(_found(estimate.default_set), point=estimate.outcome)
    return found


def equal_tailed(masses: NDArray[np.float64], level: float) -> Run:
    """Return the outcomes between the equal-tailed quantiles of masses.

    What one would quote who took the masses for the uncertainty about the truth.
    """
    outside = (1 - level) / 2
    lower, upper = np.searchsorted(np.cumsum(masses), (outside, 1 - outside))
    return int(lower), int(upper)


def judge(found: Mapping[str, FoundSet], observed: int, true: int) -> Results:
    """Tally one simulation's sets against the true outcome."""
    results: Results = {}
    for name, candidate in found.items():
        lower, upper = candidate.run
        size = upper - lower + 1
        results[name, candidate.kind] = Tally(
            simulations=1,
            held=int(lower <= true <= upper),
            truth_below=int(true < lower),
            truth_above=int(true > upper),
            size=size,
            squared_size=size**2,
            extended=int(candidate.extended),
            hit=int((observed if candidate.point is None else candidate.point) == true),
            true_outcome=true,
        )
    return results


def add_results(results: Results, more: Results) -> None:
    """Add tallies in place."""
    for key, tally in more.items():
        results[key] = results[key] + tally if key in results else tally


def _affordable_masses(truth: lc.truths.Truth, block: Block) -> tuple[MassKind, ...]:
    if truth.haystack is not None and block.number >= N_DRAWN_BLOCKS:
        return ("jeffreys",)
    return ("bootstrap", "jeffreys")


def _set_without_clusters(cells: lc.Cells, criterion: lc.Criterion) -> FoundSet:
    """Return the default set of the same counts when nobody says what cases share."""
    grid = cells.grid
    counts = lc.Cells.from_counts(
        grid.lengths, grid.depths, n_cases=grid.n_cases, successes=grid.numerators // grid.unit
    )
    return _found(lc.effective_length(counts, criterion, masses=()).observed.default_set)


def _found(interval: lc.Interval) -> FoundSet:
    return FoundSet((interval.lower, interval.upper), interval.kind, interval.extended)
