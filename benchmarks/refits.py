"""Many refits of the curve, against a loop of statsmodels' GLM over the same tables."""

import time
from collections.abc import Callable

import numpy as np
import statsmodels.api as sm
from numpy.typing import NDArray

import lcstats as lc
from benchmarks.measure import Measurement, best_seconds, show_seconds
from lcstats.curve import design_matrix
from lcstats.kernels.logistic import BatchFit, fit_batch

LENGTHS = 1024 * 2 ** np.arange(8)
DEPTHS = np.arange(11) / 10
N_REFITS = 2000
N_GLM = 60
"""Fits by statsmodels that are timed; the others would take as long each."""

TARGET = 300
"""How many times faster plain refits have to be."""

CASES = (5, 20, 80)
Floats = NDArray[np.float64]


def measure_refits() -> list[Measurement]:
    """Time refits at 5, 20 and 80 cases per cell, and on a second thread."""
    lines = [line for n_cases in CASES for line in _measure(n_cases)]
    return [*lines, _measure_threads(20)]


def fit_by_statsmodels(design: Floats, n_cases: int, counts: Floats) -> Floats:
    """Return coefficients, shape (n_replicates, n_terms), as one writes it first."""
    found = []
    for row in counts:
        outcome = np.column_stack([row, n_cases - row])
        found.append(sm.GLM(outcome, design, family=sm.families.Binomial()).fit(tol=1e-10).params)
    return np.array(found)


def _draw(n_cases: int, n_refits: int) -> tuple[Floats, Floats]:
    """Return the design, and counts of shape (n_refits, n_cells)."""
    accuracy = lc.truths.SINGLE_NEEDLE.accuracy(LENGTHS, DEPTHS).ravel()
    counts = np.random.default_rng(1).binomial(n_cases, accuracy, (n_refits, accuracy.size))
    return design_matrix(LENGTHS[:, None], DEPTHS).reshape(-1, 4), counts.astype(np.float64)


def _fit(
    design: Floats, n_cases: int, counts: Floats, *, penalised: bool, n_threads: int = 1
) -> BatchFit:
    return fit_batch(
        design,
        np.full(design.shape[0], float(n_cases)),
        counts,
        start=lc.truths.WORKED_CURVE.coefficients,
        penalised=penalised,
        n_threads=n_threads,
    )


def _measure(n_cases: int) -> list[Measurement]:
    design, counts = _draw(n_cases, N_REFITS)
    few = counts[:N_GLM]
    reference = fit_by_statsmodels(design, n_cases, few)
    _check_agreement(_fit(design, n_cases, few, penalised=False), reference)
    loop_seconds = (
        best_seconds(
            lambda: fit_by_statsmodels(design, n_cases, few), repeats=3, timer=time.thread_time
        )
        * N_REFITS
        / N_GLM
    )
    beside = f"a loop of statsmodels GLM: {show_seconds(loop_seconds)} (from {N_GLM} fits)"
    lines = []
    for name, penalised in (("plain", False), ("Jeffreys", True)):
        seconds = best_seconds(
            lambda penalised=penalised: _fit(design, n_cases, counts, penalised=penalised),
            repeats=15,
            timer=time.thread_time,
        )
        ratio = loop_seconds / seconds
        goal = ("", True) if penalised else (f"{TARGET} times", ratio >= TARGET)
        value = f"{show_seconds(seconds)}, **{ratio:,.0f} times** faster"
        lines.append(Measurement(f"{N_REFITS} refits, {name}, n = {n_cases}", value, beside, *goal))
    return lines


def _measure_threads(n_cases: int) -> Measurement:
    """Compare times on the clock: what a second thread brings depends on who else is running."""
    design, counts = _draw(n_cases, 20 * N_REFITS)

    def run(n_threads: int) -> None:
        _fit(design, n_cases, counts, penalised=True, n_threads=n_threads)

    one = best_seconds(lambda: run(1), repeats=9)
    two, cores = min(time_with_cores(lambda: run(2)) for _ in range(9))
    return Measurement(
        f"{20 * N_REFITS} refits, Jeffreys, n = {n_cases}, 2 threads",
        f"{show_seconds(two)}, {one / two:.2f} times faster",
        f"1 thread: {show_seconds(one)}; the machine gave {cores:.2f} of 2 cores",
    )


def time_with_cores(function: Callable[[], None]) -> tuple[float, float]:
    """Return the time of a call on the clock, and how many cores worked for it on average."""
    clock, processor = time.perf_counter(), time.process_time()
    function()
    seconds = time.perf_counter() - clock
    return seconds, (time.process_time() - processor) / seconds


def _check_agreement(batch: BatchFit, reference: Floats) -> None:
    """Fail if the two ways do not find the same coefficients."""
    both = batch.converged & (np.abs(reference) < 15).all(axis=1)
    if both.sum() < N_GLM // 2:
        raise AssertionError(f"only {both.sum()} of {N_GLM} tables have a plain fit")
    distance = float(np.abs(batch.coefficients - reference)[both].max())
    if distance > 1e-6:
        raise AssertionError(f"coefficients are {distance:.2g} apart")
