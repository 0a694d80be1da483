"""Counts to bootstrap masses, against the bootstrap of nested lists that one writes first."""

import random
import time
import warnings

import numpy as np
from numpy.typing import NDArray

import lcstats as lc
from benchmarks.measure import Measurement, best_seconds, show_seconds
from lcstats.errors import LcstatsWarning
from lcstats.lengths.laws import outcome_masses, passing_probabilities

LENGTHS = 1024 * 2 ** np.arange(8)
DEPTHS = np.arange(11) / 10
N_DRAWS = 2000
TARGETS = {5: 10_000, 20: 2_000, 80: 500}
"""How many times faster counts to masses has to be, by cases per cell."""

Outcomes = list[list[list[int]]]
"""Right (1) and wrong (0), by length, depth and case."""


def measure_masses() -> list[Measurement]:
    """Time the three ways to masses, at 5, 20 and 80 cases per cell."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LcstatsWarning)
        return [line for n_cases in TARGETS for line in _measure(n_cases)]


def bootstrap_nested_lists(outcomes: Outcomes, threshold: float, rng: random.Random) -> list[float]:
    """Return the share of draws at each number of leading lengths that pass."""
    counts = [0] * (len(outcomes) + 1)
    for _ in range(N_DRAWS):
        leading = 0
        for cells in outcomes:
            means = []
            for cell in cells:
                drawn = rng.choices(cell, k=len(cell))
                means.append(sum(drawn) / len(drawn))
            if sum(means) / len(means) < threshold:
                break
            leading += 1
        counts[leading] += 1
    return [count / N_DRAWS for count in counts]


def _measure(n_cases: int) -> list[Measurement]:
    rng = np.random.default_rng(1)
    cells = lc.truths.simulate_cells("single-needle", LENGTHS, DEPTHS, n_cases=n_cases, rng=rng)
    counts, cases = cells.grid.numerators, cells.grid.n_cases
    criterion = lc.Criterion(0.85)
    tau, treatment = criterion.exact_threshold, criterion.treatment

    def counts_to_masses() -> NDArray[np.float64]:
        return outcome_masses(passing_probabilities(counts / cases, cases, tau, treatment))

    nested_seconds, drawn = _time_nested(counts, n_cases)
    _check_agreement(counts_to_masses(), drawn)
    timer = time.process_time
    exact_seconds = best_seconds(counts_to_masses, number=200, repeats=40, timer=timer)
    public_seconds = best_seconds(
        lambda: lc.effective_length(cells, criterion), number=20, repeats=20, timer=timer
    )
    ratio, public_ratio = nested_seconds / exact_seconds, nested_seconds / public_seconds
    beside = f"nested lists, {N_DRAWS} draws: {show_seconds(nested_seconds)}"
    return [
        Measurement(
            f"counts to masses, n = {n_cases}",
            f"{show_seconds(exact_seconds)}, **{ratio:,.0f} times** faster",
            beside,
            f"{TARGETS[n_cases]:,} times",
            ratio >= TARGETS[n_cases],
        ),
        Measurement(
            f"`effective_length`, n = {n_cases}",
            f"{show_seconds(public_seconds)}, {public_ratio:,.0f} times faster",
            "the same; the call also makes Jeffreys masses, sets and notices",
        ),
    ]


def _time_nested(counts: NDArray[np.int64], n_cases: int) -> tuple[float, list[float]]:
    outcomes = [[[1] * k + [0] * (n_cases - k) for k in row] for row in counts.tolist()]
    seconds = []
    for _ in range(3):
        start = time.process_time()
        drawn = bootstrap_nested_lists(outcomes, 0.85, random.Random(1))
        seconds.append(time.process_time() - start)
    return min(seconds), drawn


def _check_agreement(exact: NDArray[np.float64], drawn: list[float]) -> None:
    """Fail if the two ways do not compute the same thing, up to the draws' own error."""
    error = np.sqrt((exact * (1 - exact) + 1 / N_DRAWS) / N_DRAWS)
    distance = float(np.max(np.abs(exact - drawn) / error))
    if distance > 5:
        raise AssertionError(f"masses are {distance:.1f} Monte Carlo errors apart")
