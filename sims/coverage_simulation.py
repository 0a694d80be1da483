"""One block of the coverage study: simulated tables, the sets found on them, and who was right.

A block is keyed by (seed, truth, cases per cell, number of the block). Every depth treatment is
asked of the same tables, with one surface fitted to each; neither which treatments are asked
together nor the split of blocks over processes changes anything. Tallies are whole numbers and
add up in any order.
"""

import warnings
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cache

import numpy as np
from numpy.random import Generator, Philox, SeedSequence
from numpy.typing import NDArray

import lcstats as lc
from lcstats.errors import LcstatsWarning
from lcstats.lengths import Estimate
from lcstats.options import MassKind, SetKind

LENGTHS = 1024 * 2 ** np.arange(8)
DEPTHS = np.arange(11) / 10
LEVEL = 0.95

SIMULATIONS_PER_BLOCK = 50
N_DRAWN_BLOCKS = 2
"""Bootstrap masses of clustered tables are drawn, seconds each: only the first blocks have them."""
N_FITTED_BLOCKS = 2
"""The curve's set takes thousands of fits per table: only the first blocks have it."""
N_STRICT_BLOCKS = 4
"""The strict set takes a second surface: only the first blocks have it."""
N_MEAN_SURFACE_BLOCKS = 4
"""The surface's posterior of a mean is no headline, and slow: only the first blocks have it."""

BY_KIND = ("certified", "jeffreys", "strict", "posterior")
"""Sets that the study names by their kind."""

Run = tuple[int, int]
"""First and last outcome of a set."""


@dataclass(frozen=True, slots=True, order=True)
class Tables:
    """What tables are simulated from: all depth treatments are asked of the same ones."""

    truth: str
    n_cases: int


@dataclass(frozen=True, slots=True, order=True)
class Setting:
    """What is simulated and asked: one point of the study's design."""

    truth: str
    treatment: str
    n_cases: int

    @property
    def tables(self) -> Tables:
        return Tables(self.truth, self.n_cases)

    @property
    def criterion(self) -> lc.Criterion:
        threshold = lc.truths.get_truth(self.truth).default_threshold
        return lc.Criterion(threshold, depth_treatment=self.treatment)


@dataclass(frozen=True, slots=True)
class Block:
    """Some simulated tables, and the depth treatments asked of each."""

    tables: Tables
    treatments: tuple[str, ...]
    seed: int
    number: int
    n_simulations: int

    @property
    def rng(self) -> Generator:
        """The block's stream; the depth treatments are not part of its key."""
        truth, n_cases = self.tables.truth, self.tables.n_cases
        key = [self.seed, zlib.crc32(truth.encode()), n_cases, self.number]
        return Generator(Philox(SeedSequence(key)))

    @property
    def settings(self) -> tuple[Setting, ...]:
        truth, n_cases = self.tables.truth, self.tables.n_cases
        return tuple(Setting(truth, treatment, n_cases) for treatment in self.treatments)

    @property
    def table_numbers(self) -> range:
        """Numbers of the block's tables among all of the same truth and number of cases."""
        first = self.number * SIMULATIONS_PER_BLOCK
        return range(first, first + self.n_simulations)


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
        Simulations in which the effective length by the set's own method is the true one.
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
    run : (int, int)
    kind : str
    point : int
        The outcome of the estimate that the set belongs to.
    extended : bool
        The set was extended to hold its point.
    """

    run: Run
    kind: str
    point: int
    extended: bool = False


Results = dict[tuple[Setting, str, str], Tally]
"""By setting, name of the set in the study, and kind of the set that stood there."""


@dataclass(frozen=True, slots=True)
class Table:
    """Counts of one simulation, with what is fitted to them once for all depth treatments.

    Attributes
    ----------
    number : int
        Among all tables of the same truth and number of cases; the seed of what is drawn.
    """

    cells: lc.Cells
    number: int
    curve: lc.CurveFit | None
    surface: lc.FlexibleFit | None

    @property
    def block(self) -> int:
        return self.number // SIMULATIONS_PER_BLOCK


def run_block(block: Block) -> Results:
    """Simulate a block's tables and tally every set on them."""
    truth = lc.truths.get_truth(block.tables.truth)
    rng = block.rng
    results: Results = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LcstatsWarning)
        for number in block.table_numbers:
            cells, accuracy = simulate_table(truth, block.tables.n_cases, rng)
            tables = [fit_table(cells, number, block.settings)]
            if truth.haystack is not None:
                tables.append(fit_table(without_clusters(cells), number, block.settings))
            for setting in block.settings:
                found = find_sets(ask(tables[0], setting))
                for ignoring in tables[1:]:
                    found["clusters-ignored"] = find_default(ask_default(ignoring, setting))
                true = _true_outcome(truth, setting, accuracy)
                add_results(results, judge(setting, found, true))
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


def fit_table(cells: lc.Cells, number: int, settings: Sequence[Setting]) -> Table:
    """Fit what some setting has a use for: the surface, and in the first blocks the curve."""
    block = number // SIMULATIONS_PER_BLOCK
    needs_surface = any(_has_surface(setting, block) for setting in settings)
    return Table(
        cells,
        number,
        curve=lc.fit_curve(cells) if block < N_FITTED_BLOCKS else None,
        surface=lc.fit_flexible(cells, seed=number) if needs_surface else None,
    )


def without_clusters(cells: lc.Cells) -> lc.Cells:
    """Return the same counts when nobody says what cases share."""
    grid = cells.grid
    return lc.Cells.from_counts(
        grid.lengths, grid.depths, n_cases=grid.n_cases, successes=grid.numerators // grid.unit
    )


def ask(table: Table, setting: Setting) -> lc.EffectiveLength:
    """Ask for every set and all masses that this table can afford."""
    truth = lc.truths.get_truth(setting.truth)
    is_drawn = truth.haystack is not None
    masses: tuple[MassKind, ...] = ("bootstrap", "jeffreys")
    sets: tuple[SetKind, ...] = ("default", "certified", "jeffreys", "posterior")
    return lc.effective_length(
        table.cells,
        setting.criterion,
        fit=table.curve,
        flexible=table.surface if _has_surface(setting, table.block) else None,
        level=LEVEL,
        sets=(*sets, "strict") if table.block < N_STRICT_BLOCKS else sets,
        masses=masses[1:] if is_drawn and table.block >= N_DRAWN_BLOCKS else masses,
        seed=table.number,
    )


def ask_default(table: Table, setting: Setting) -> lc.EffectiveLength:
    """Ask for the default set alone."""
    return lc.effective_length(
        table.cells,
        setting.criterion,
        flexible=table.surface if _is_headline(setting) else None,
        level=LEVEL,
        masses=(),
        seed=table.number,
    )


def true_outcome(accuracy: NDArray[np.float64], criterion: lc.Criterion) -> int:
    """Apply the library's own rule to the accuracies: one case per cell, worth its accuracy."""
    cells = lc.Cells.from_counts(LENGTHS, DEPTHS, n_cases=1, successes=accuracy)
    answer = lc.effective_length(cells, criterion, sets=("certified",), masses=())
    return answer.observed.outcome


def find_sets(answer: lc.EffectiveLength) -> dict[str, FoundSet]:
    """Return an answer's sets by name and, as a warning, the quantiles of its masses.

    ``default`` is the one to quote. ``certified`` stands beside it only where it is another.
    """
    found = {"default": find_default(answer)}
    for estimate in answer.estimates:
        if estimate.method == "curve":
            found["curve"] = _found(estimate, estimate.default_set)
            continue
        for interval in estimate.sets:
            if interval.kind in BY_KIND and not (
                interval.kind == "certified" and estimate is answer.quoted
            ):
                found[interval.kind] = _found(estimate, interval)
    observed = answer.observed
    for kind, mass in observed.masses.items():
        run = equal_tailed(mass, LEVEL)
        found[f"{kind}-quantiles"] = FoundSet(run, "quantiles", observed.outcome)
    return found


def find_default(answer: lc.EffectiveLength) -> FoundSet:
    """Return the set to quote."""
    return _found(answer.quoted, answer.quoted.default_set)


def equal_tailed(masses: NDArray[np.float64], level: float) -> Run:
    """Return the outcomes between the equal-tailed quantiles of masses.

    What one would quote who took the masses for the uncertainty about the truth.
    """
    outside = (1 - level) / 2
    lower, upper = np.searchsorted(np.cumsum(masses), (outside, 1 - outside))
    return int(lower), int(upper)


def judge(setting: Setting, found: Mapping[str, FoundSet], true: int) -> Results:
    """Tally one simulation's sets against the true outcome."""
    results: Results = {}
    for name, candidate in found.items():
        lower, upper = candidate.run
        size = upper - lower + 1
        results[setting, name, candidate.kind] = Tally(
            simulations=1,
            held=int(lower <= true <= upper),
            truth_below=int(true < lower),
            truth_above=int(true > upper),
            size=size,
            squared_size=size**2,
            extended=int(candidate.extended),
            hit=int(candidate.point == true),
            true_outcome=true,
        )
    return results


def add_results(results: Results, more: Results) -> None:
    """Add tallies in place."""
    for key, tally in more.items():
        results[key] = results[key] + tally if key in results else tally


def _true_outcome(truth: lc.truths.Truth, setting: Setting, accuracy: NDArray[np.float64]) -> int:
    """True outcome of one simulation; looked up where every simulation has the same."""
    if truth.draw_cells is None:
        return _fixed_outcome(setting)
    return true_outcome(accuracy, setting.criterion)


@cache
def _fixed_outcome(setting: Setting) -> int:
    truth = lc.truths.get_truth(setting.truth)
    return true_outcome(truth.accuracy(LENGTHS, DEPTHS), setting.criterion)


def _has_surface(setting: Setting, block: int) -> bool:
    return _is_headline(setting) or block < N_MEAN_SURFACE_BLOCKS


def _is_headline(setting: Setting) -> bool:
    """Tell whether the surface's estimate is the one to quote."""
    return setting.criterion.treatment.is_order


def _found(estimate: Estimate, interval: lc.Interval) -> FoundSet:
    run = interval.lower, interval.upper
    return FoundSet(run, interval.kind, estimate.outcome, interval.extended)
