"""``simulate_plan``: how often a plan's effective length is right, over simulated tables."""

import os
import time
from concurrent.futures import Executor
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lcstats.curve import FloatArray
from lcstats.errors import OptionError, describe
from lcstats.kernels.draws import MOST_CASES
from lcstats.lengths import Criterion
from lcstats.lengths.windows import check_runs
from lcstats.options import Method, check_option, check_type, check_whole
from lcstats.plan.exact import Probabilities, near_outcomes
from lcstats.plan.simulation.blocks import Progress, Run, run_parts
from lcstats.plan.simulation.checkpoint import Checkpoint, key_of
from lcstats.plan.simulation.estimates import Design, estimate_outcomes
from lcstats.plan.truths import PlannedTruth

LARGEST_SEED = 2**63 - 1


@dataclass(frozen=True, slots=True)
class Simulation:
    """How a plan is simulated; nothing here but the seed and the numbers changes a result.

    Attributes
    ----------
    n_simulations : int
        At least 1. With the same seed more continue the fewer.
    seed : int
    n_threads : int
        Threads of our own, where there is no executor.
    n_set_tables : int
        Simulated tables whose default set is made, too, which takes up to seconds for each.
    executor : concurrent.futures.Executor, optional
        Threads, processes or a cluster: Dask's ``client.get_executor(pure=False)`` is one.
    progress : callable, optional
        Told, as parts finish, how many simulations are done and of how many.
    checkpoint : path, optional
        A file of finished simulations. An interrupted plan goes on from it, and one for other
        numbers of cases adds to it.

    Raises
    ------
    OptionError
        If a number is out of range.
    """

    n_simulations: int = 2000
    seed: int = 0
    n_threads: int = 1
    n_set_tables: int = 0
    executor: Executor | None = None
    progress: Progress | None = None
    checkpoint: str | os.PathLike[str] | None = None

    def __post_init__(self) -> None:
        """Refuse numbers out of range."""
        for name, least in (("n_simulations", 1), ("seed", 0), ("n_threads", 1)):
            check_whole(getattr(self, name), name, least=least)
        check_whole(self.n_set_tables, "n_set_tables")
        if self.seed > LARGEST_SEED:
            raise OptionError(
                describe(
                    f"seed is {self.seed}",
                    f"expected a whole number up to {LARGEST_SEED}",
                    "pass a smaller one",
                )
            )


@dataclass(frozen=True, slots=True, eq=False)
class Simulated:
    """Outcomes of simulated tables.

    Attributes
    ----------
    lengths : ndarray of int64, shape (n_lengths,)
    outcomes : ndarray of int64, shape (n_simulations,)
        What the method says: numbers of leading lengths that pass.
    true : ndarray of int64, shape (n_simulations,)
        The truth that each simulation followed.
    n_draws : int
        Truths that the simulations take in turn; 1 where it is known.
    n_failed_fits : int
        Fits that did not converge; their outcomes count as they came out.
    set_sizes : ndarray of int64, shape (n_set_tables,), or None
        Numbers of outcomes in the default sets of the first tables.
    """

    lengths: NDArray[np.int64]
    outcomes: NDArray[np.int64]
    true: NDArray[np.int64]
    n_draws: int = 1
    n_failed_fits: int = 0
    set_sizes: NDArray[np.int64] | None = None

    def probabilities(self) -> Probabilities:
        """Return how often the outcome is the true one, and within one doubling of it."""
        hits = self.outcomes == self.true
        within = near_outcomes(self.lengths)[self.true, self.outcomes]
        return Probabilities(float(hits.mean()), float(within.mean()), self._error(hits))

    @property
    def mean_set_size(self) -> float | None:
        """Mean number of outcomes in the default sets."""
        return None if self.set_sizes is None else float(self.set_sizes.mean())

    @property
    def set_size_error(self) -> float | None:
        """Standard error of the mean size; None for fewer than two tables."""
        if self.set_sizes is None or self.set_sizes.size < 2:
            return None
        return float(self.set_sizes.std(ddof=1) / np.sqrt(self.set_sizes.size))

    def _error(self, hits: NDArray[np.bool_]) -> float:
        """Of an open truth, at least the spread of the truths that were followed."""
        error = monte_carlo_error(float(hits.mean()), hits.size)
        if self.n_draws == 1 or hits.size < 2:
            return error
        draw = np.arange(hits.size) % self.n_draws
        means: FloatArray = np.bincount(draw, hits) / np.bincount(draw)
        return max(error, float(means.std(ddof=1) / np.sqrt(means.size)))


def monte_carlo_error(share: float, n_simulations: int) -> float:
    """Return the standard error of a share of simulations, which is never 0.

    Notes
    -----
    Half of Wilson's interval at one standard error,
    ``sqrt(p (1 - p) / n + 1 / (4 n**2)) / (1 + 1 / n)``: ``sqrt(p (1 - p) / n)`` but for p near
    0 or 1.

    Examples
    --------
    >>> round(monte_carlo_error(0.75, 2000), 4), round(monte_carlo_error(1.0, 2000), 5)
    (0.0097, 0.00025)
    """
    variance = share * (1.0 - share) / n_simulations + 0.25 / n_simulations**2
    return float(np.sqrt(variance)) / (1.0 + 1.0 / n_simulations)


def simulate_plan(
    planned: PlannedTruth,
    n_cases: int | NDArray[np.int64],
    criterion: Criterion,
    *,
    method: Method = "observed",
    simulation: Simulation | None = None,
) -> Simulated:
    """Simulate tables of a plan and apply a method to each.

    Parameters
    ----------
    planned : PlannedTruth
        Simulation i follows draw i modulo n_draws of an open truth. Trials that share haystacks
        are drawn with them.
    n_cases : int or ndarray of int64, shape (n_lengths, n_depths)
        Cases per cell, at least one at every length, at most 32767.
    criterion : Criterion
        Its guess rate is also that of the fits.
    method : {"observed", "curve", "flexible"}
    simulation : Simulation, optional
        2000 simulations in this thread without it.

    Returns
    -------
    Simulated
        Byte for byte the same on any number of threads and on any executor.

    Raises
    ------
    OptionError
        If the numbers of cases cannot be used, an option is unknown, or the checkpoint is of
        another plan.
    FormatError
        If the checkpoint is no such file.

    Examples
    --------
    >>> from lcstats.plan.truths import planned_truth
    >>> planned = planned_truth("single-needle", 1024 * 2 ** np.arange(8), np.arange(11) / 10)
    >>> simulated = simulate_plan(planned, 20, Criterion(0.85), method="curve")
    >>> found = simulated.probabilities()
    >>> abs(found.hit - 0.93) < 0.02, round(found.error, 3)
    (True, 0.006)
    """
    simulation = simulation or Simulation()
    design = _design(planned, n_cases, criterion, method, simulation)
    checkpoint = Checkpoint.open(simulation.checkpoint, design)
    how = (simulation.n_threads, simulation.executor, simulation.progress)
    run = Run("outcomes", simulation.n_simulations, *how)
    values, failed = run_parts(design, run, checkpoint, key_of("outcomes", design.n_cases))
    sizes = None
    if simulation.n_set_tables:
        run = Run("sets", simulation.n_set_tables, *how)
        sizes = run_parts(design, run, checkpoint, key_of("sets", design.n_cases))[0]
    n_draws = len(planned.accuracies)
    true = planned.true_outcomes(criterion)
    return Simulated(
        lengths=planned.lengths,
        outcomes=values.astype(np.int64),
        true=true[np.arange(values.size) % n_draws],
        n_draws=n_draws,
        n_failed_fits=int(failed.sum()),
        set_sizes=None if sizes is None else sizes.astype(np.int64),
    )


def expected_seconds(
    planned: PlannedTruth,
    n_cases: int | NDArray[np.int64],
    criterion: Criterion,
    *,
    method: Method = "observed",
    simulation: Simulation | None = None,
) -> float:
    """Estimate how long one worker takes for the outcomes, by doing a few of them.

    Parameters
    ----------
    planned, n_cases, criterion, method, simulation
        As in :func:`simulate_plan`; sets are not counted.

    Returns
    -------
    float
        Seconds. The estimate itself takes some tenths of a second for ``flexible``.
    """
    simulation = simulation or Simulation()
    design = _design(planned, n_cases, criterion, method, simulation)
    n_tried = min(simulation.n_simulations, 2 if method == "flexible" else 200)
    estimate_outcomes(design, 0, 1)
    start = time.perf_counter()
    estimate_outcomes(design, 0, n_tried)
    return (time.perf_counter() - start) / n_tried * simulation.n_simulations


def _design(
    planned: PlannedTruth,
    n_cases: int | NDArray[np.int64],
    criterion: Criterion,
    method: Method,
    simulation: Simulation,
) -> Design:
    """Check what is to be simulated."""
    check_type(criterion, Criterion, "criterion")
    check_option(method, Method, "method")
    shape = (planned.lengths.size, planned.depths.size)
    cases = np.asarray(n_cases)
    if cases.shape not in ((), shape) or not np.issubdtype(cases.dtype, np.integer):
        raise _unusable(f"of shape {cases.shape} and type {cases.dtype}", shape)
    cases = np.broadcast_to(cases.astype(np.int64), shape).copy()
    if cases.min() < 0 or cases.max() > MOST_CASES or not cases.any(axis=1).all():
        raise _unusable(f"from {cases.min()} to {cases.max()}", shape)
    if criterion.treatment.is_window:
        check_runs(cases, criterion.treatment.width, [str(n) for n in planned.lengths])
    return Design(planned, cases, criterion, method, simulation.seed)


def _unusable(found: str, shape: tuple[int, int]) -> OptionError:
    return OptionError(
        describe(
            f"n_cases is {found}",
            f"expected whole numbers from 0 to {MOST_CASES}, some at every length: one for all "
            f"cells, or {shape[0]} x {shape[1]}",
            "pass 20, say",
        )
    )
