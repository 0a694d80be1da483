"""Plans by simulation, exactly and by fits, against the nested loops that one writes first."""

import random
import time
from collections.abc import Callable, Iterator
from itertools import product

import numpy as np
from numpy.typing import NDArray

import lcstats as lc
from benchmarks.measure import Measurement, best_seconds, show_seconds
from benchmarks.refits import fit_by_statsmodels, time_with_cores
from lcstats.curve import design_matrix
from lcstats.kernels.draws import SLICE, draw_counts, fill_counts
from lcstats.plan.exact import exact_probabilities
from lcstats.plan.simulation.simulate import Simulation, simulate_plan
from lcstats.plan.truths import PlannedTruth, planned_truth

LENGTHS = 1024 * 2 ** np.arange(8)
DEPTHS = np.arange(11) / 10
CRITERION = lc.Criterion(0.85)
TASKS = ("single-needle", "distractors", "four-values")
CASES = (5, 10, 20, 40, 80, 120, 160)
N_SIMULATIONS = 2000
UNIT = f"{len(TASKS)} tasks x {len(CASES)} numbers of cases"

N_LOOPS = 20
N_GLM = 6
"""Simulations and fits for each task and number of cases that are timed; the others would take as
long each."""

SIMULATION_TARGET, EXACT_TARGET, CURVE_TARGET = 1000, 500, 300
"""How many times faster than loops."""

NANOSECONDS_TARGET = 2.0
THREADS_TARGET = 1.8
FREE_CORES = 1.9
"""Of two cores, what a machine has to give for a second thread to show what it is worth."""

Integers = NDArray[np.int64]
Pair = tuple[PlannedTruth, int]


def measure_planner() -> list[Measurement]:
    """Time whole plans, single draws, and a second thread."""
    return [*_measure_plans(), _measure_fits(), *_measure_draws(), _measure_threads()]


def simulate_by_loops(
    accuracies: list[list[float]], n_cases: int, n_simulations: int, rng: random.Random
) -> list[int]:
    """Return numbers of leading lengths that pass, trial by trial, as one writes it first."""
    outcomes = []
    for _ in range(n_simulations):
        table = []
        for row in accuracies:
            cells = []
            for accuracy in row:
                right = sum(rng.random() < accuracy for _ in range(n_cases))
                cells.append(right / n_cases)
            table.append(cells)
        leading = 0
        for cells in table:
            if sum(cells) / len(cells) < float(CRITERION.threshold) - 1e-9:
                break
            leading += 1
        outcomes.append(leading)
    return outcomes


def _pairs() -> Iterator[Pair]:
    for name, n_cases in product(TASKS, CASES):
        yield planned_truth(name, LENGTHS, DEPTHS), n_cases


def _measure_plans() -> list[Measurement]:
    """Compare both engines with loops over the same tables."""
    pairs = list(_pairs())
    loop_seconds, found = _time_loops(pairs)
    exact = [exact_probabilities(*pair, CRITERION).hit for pair in pairs]
    drawn = [simulate_plan(*pair, CRITERION).probabilities().hit for pair in pairs]
    _check_agreement(np.array(exact), np.array(found), N_LOOPS)
    _check_agreement(np.array(exact), np.array(drawn), N_SIMULATIONS)
    beside = (
        f"nested loops, {N_SIMULATIONS} simulations each: {show_seconds(loop_seconds)} "
        f"(from {N_LOOPS})"
    )

    def line(name: str, run: Callable[[Pair], object], target: int) -> Measurement:
        seconds = _sum_of_best(run, pairs, repeats=25)
        ratio = loop_seconds / seconds
        value = f"{show_seconds(seconds)}, **{ratio:,.0f} times** faster"
        return Measurement(name, value, beside, f"{target} times", ratio >= target)

    return [
        line(
            f"plan by simulation, {UNIT} x {N_SIMULATIONS}",
            lambda pair: simulate_plan(*pair, CRITERION),
            SIMULATION_TARGET,
        ),
        line(
            f"exact plan, {UNIT}", lambda pair: exact_probabilities(*pair, CRITERION), EXACT_TARGET
        ),
    ]


def _time_loops(pairs: list[Pair]) -> tuple[float, list[float]]:
    """Return what all simulations would take, and hit probabilities from a few."""
    drawn: dict[int, list[int]] = {}

    def run(pair: Pair) -> None:
        planned, n_cases = pair
        table = planned.accuracies[0].tolist()
        drawn[pairs.index(pair)] = simulate_by_loops(table, n_cases, N_LOOPS, random.Random(1))

    seconds = _sum_of_best(run, pairs, repeats=3)
    true = [planned.true_outcomes(CRITERION)[0] for planned, _ in pairs]
    hits = [
        outcomes.count(own) / N_LOOPS for outcomes, own in zip(drawn.values(), true, strict=True)
    ]
    return seconds * N_SIMULATIONS / N_LOOPS, hits


def _measure_fits() -> Measurement:
    """Compare plans by the curve, from drawing to outcomes, with fits by statsmodels alone."""
    pairs = list(_pairs())
    design = design_matrix(LENGTHS[:, None], DEPTHS).reshape(-1, 4)

    def fit_by_loop(pair: Pair) -> None:
        planned, n_cases = pair
        rates = planned.accuracies.reshape(1, -1)
        counts = draw_counts(rates, n_cases, seed=1, n_simulations=N_GLM)[0]
        fit_by_statsmodels(design, n_cases, counts.astype(np.float64))

    def fit_here(pair: Pair) -> None:
        simulate_plan(*pair, CRITERION, method="curve")

    loop_seconds = _sum_of_best(fit_by_loop, pairs, repeats=3) * N_SIMULATIONS / N_GLM
    seconds = _sum_of_best(fit_here, pairs, repeats=9)
    ratio = loop_seconds / seconds
    n_fits = len(pairs) * N_SIMULATIONS
    return Measurement(
        f"plan by the curve, {UNIT} x {N_SIMULATIONS}: {n_fits} fits",
        f"{show_seconds(seconds)}, **{ratio:,.0f} times** faster",
        f"a loop of statsmodels GLM, fits only: {show_seconds(loop_seconds)} "
        f"(from {len(pairs) * N_GLM} fits)",
        f"{CURVE_TARGET} times",
        ratio >= CURVE_TARGET,
    )


def _measure_draws() -> Iterator[Measurement]:
    """Compare binomial draws, tables and all, with numpy's; both one cell after the other."""
    rates = planned_truth(TASKS[0], LENGTHS, DEPTHS).accuracies.reshape(1, -1)
    cells = np.arange(rates.size)
    counts = np.empty((rates.size, 4 * SLICE), dtype=np.int16)
    for n_cases in (5, 20, 80):
        cases, rng = np.full(rates.size, n_cases), np.random.default_rng(1)

        def draw(cases: Integers = cases) -> None:
            fill_counts(rates, cases, cells, (1, 0), 0, counts)

        def draw_by_numpy(n: int = n_cases, rng: np.random.Generator = rng) -> None:
            for rate in rates[0]:
                rng.binomial(n, rate, N_SIMULATIONS)

        ours = best_seconds(draw, repeats=25, timer=time.thread_time) / counts.size
        theirs = best_seconds(draw_by_numpy, repeats=5, timer=time.thread_time)
        theirs /= rates.size * N_SIMULATIONS
        yield Measurement(
            f"binomial draws, n = {n_cases}",
            f"{ours * 1e9:.2f} ns each, {theirs / ours:.0f} times faster",
            f"numpy's: {theirs * 1e9:.0f} ns each",
            f"{NANOSECONDS_TARGET:g} ns",
            ours * 1e9 < NANOSECONDS_TARGET,
        )


def _measure_threads() -> Measurement:
    """Compare times on the clock, beside the cores that the machine gave."""
    planned = planned_truth(TASKS[0], LENGTHS, DEPTHS)
    n_simulations = 400_000

    def run(n_threads: int) -> None:
        simulate_plan(
            planned, 20, CRITERION, simulation=Simulation(n_simulations, n_threads=n_threads)
        )

    one = best_seconds(lambda: run(1), repeats=7)
    two, cores = min(time_with_cores(lambda: run(2)) for _ in range(9))
    return Measurement(
        f"plan by simulation of {n_simulations} tables, 2 threads",
        f"{show_seconds(two)}, {one / two:.2f} times faster",
        f"1 thread: {show_seconds(one)}; the machine gave {cores:.2f} of 2 cores",
        f"{THREADS_TARGET} times where it gives {FREE_CORES}",
        one / two >= THREADS_TARGET or cores < FREE_CORES,
    )


def _sum_of_best(run: Callable[[Pair], object], pairs: list[Pair], *, repeats: int) -> float:
    """Return what all plans take, each at its best: short runs are disturbed less than long."""
    return sum(
        best_seconds(lambda pair=pair: run(pair), repeats=repeats, timer=time.thread_time)
        for pair in pairs
    )


def _check_agreement(
    exact: NDArray[np.float64], found: NDArray[np.float64], n_simulations: int
) -> None:
    """Fail if the ways do not compute the same thing, up to the draws' own error."""
    error = np.sqrt((exact * (1 - exact) + 1 / n_simulations) / n_simulations)
    distance = float(np.max(np.abs(exact - found) / error))
    if distance > 5:
        raise AssertionError(f"hit probabilities are {distance:.1f} Monte Carlo errors apart")
