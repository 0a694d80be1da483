"""Simulations in parts, run here or by any executor, kept as they finish."""

import math
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Literal, TextIO

import numpy as np

from lcstats.kernels.draws import SLICE
from lcstats.plan.simulation.checkpoint import UNKNOWN, Checkpoint, Results
from lcstats.plan.simulation.estimates import Design, estimate_outcomes, estimate_set_sizes

SHORTEST_TASK = 0.05
"""Seconds of work that an executor is given at a time, at least: it may start a process, or sit
at the other end of a network."""

SHORTEST_THREAD_TASK = 0.002
"""The same for threads of our own, which cost less to start."""

SECONDS_PER_CELL = {"observed": 1e-9, "curve": 2e-8}
"""What a simulated cell takes on a fast machine, where many tables are worked on together."""

SECONDS_PER_TABLE = 0.05
"""What a table takes that is worked on by itself."""

Progress = Callable[[int, int], None]
"""Told how many simulations are finished, and of how many."""

Kind = Literal["outcomes", "sets"]


@dataclass(frozen=True, slots=True)
class Part:
    """Simulations `first` up to, not including, `stop`."""

    first: int
    stop: int


@dataclass(frozen=True, slots=True)
class Run:
    """What is to be done, and how.

    Attributes
    ----------
    kind : {"outcomes", "sets"}
    n_simulations : int
    n_threads : int
        Of our own, where there is no executor.
    executor : concurrent.futures.Executor or None
    progress : callable or None
    """

    kind: Kind
    n_simulations: int
    n_threads: int = 1
    executor: Executor | None = None
    progress: Progress | None = None


def run_parts(design: Design, run: Run, checkpoint: Checkpoint, key: str) -> Results:
    """Fill in what a checkpoint lacks of a design's simulations.

    Whatever ends the run - an interruption, too - the finished parts are in the checkpoint's file.

    Returns
    -------
    ndarray of int32, shape (2, n_simulations)
        Values, and whether the fit failed.
    """
    results = checkpoint.reserve(key, run.n_simulations)
    left = [part for part in _parts(design, run) if _is_open(results, part)]
    n_done = run.n_simulations - sum(part.stop - part.first for part in left)
    work = partial(work_on, design, run.kind)
    try:
        with _workers(run) as workers:
            for part, finished in _finish(work, left, workers):
                results[:, part.first : part.stop] = finished
                n_done += part.stop - part.first
                checkpoint.write()
                if run.progress is not None:
                    run.progress(n_done, run.n_simulations)
    finally:
        if left:
            checkpoint.write(now=True)
    return results[:, : run.n_simulations]


def work_on(design: Design, kind: Kind, part: Part) -> Results:
    """Simulate one part; wherever it runs the result is the same."""
    estimate = estimate_outcomes if kind == "outcomes" else estimate_set_sizes
    estimated = estimate(design, part.first, part.stop)
    return np.stack([estimated.values, estimated.failed]).astype(np.int32)


def progress_line(label: str, stream: TextIO | None = None) -> Progress | None:
    """Return a callback that keeps one line of a terminal up to date; None if it is none.

    Parameters
    ----------
    label : str
    stream : file, optional
        Standard error without it.
    """
    stream = sys.stderr if stream is None else stream
    if not stream.isatty():
        return None

    def show(n_done: int, n_all: int) -> None:
        end = "\n" if n_done == n_all else ""
        stream.write(f"\r{label}: {n_done} of {n_all} simulations{end}")
        stream.flush()

    return show


def seconds_per_simulation(design: Design, kind: Kind) -> float:
    """Return what a simulation takes at least, to cut parts that are worth sending."""
    if kind == "sets" or design.method not in SECONDS_PER_CELL:
        return SECONDS_PER_TABLE
    return SECONDS_PER_CELL[design.method] * design.n_cases.size


def _parts(design: Design, run: Run) -> Iterator[Part]:
    """Cut the simulations, where many are worked on together at whole slices of streams."""
    shortest = SHORTEST_TASK if run.executor is not None else SHORTEST_THREAD_TASK
    each = seconds_per_simulation(design, run.kind)
    whole = SLICE if each < SECONDS_PER_TABLE else 1
    size = whole * math.ceil(shortest / (each * whole))
    for first in range(0, run.n_simulations, size):
        yield Part(first, min(first + size, run.n_simulations))


def _is_open(results: Results, part: Part) -> bool:
    return bool((results[0, part.first : part.stop] == UNKNOWN).any())


@contextmanager
def _workers(run: Run) -> Iterator[Executor | None]:
    """Yield who does the work: the executor given, threads of our own, or nobody else."""
    if run.executor is not None or run.n_threads == 1:
        yield run.executor
    else:
        with ThreadPoolExecutor(run.n_threads) as pool:
            yield pool


def _finish(
    work: Callable[[Part], Results], parts: list[Part], workers: Executor | None
) -> Iterator[tuple[Part, Results]]:
    """Yield the parts as they are finished; those not begun are given up if nobody waits."""
    if workers is None:
        yield from ((part, work(part)) for part in parts)
        return
    futures = {workers.submit(work, part): part for part in parts}
    try:
        for future in as_completed(futures):
            yield futures[future], future.result()
    finally:
        for future in futures:
            future.cancel()
