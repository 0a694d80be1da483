"""What each method makes of simulated tables: the outcome of every one, and which fits failed."""

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from lcstats.cells import Cells
from lcstats.draws import accuracies_of
from lcstats.errors import LcstatsWarning
from lcstats.fit import CurveFit, fit_curve, refit
from lcstats.flexible import FlexibleFit, fit_flexible
from lcstats.kernels.draws import SLICE
from lcstats.lengths import Criterion, effective_length
from lcstats.lengths.crossing import depth_weights, treated
from lcstats.lengths.flexible_sets import estimate_with_sets
from lcstats.lengths.observed import observe
from lcstats.lengths.request import Request
from lcstats.lengths.resampling import outcomes_of_draws, treat_draws
from lcstats.options import Method
from lcstats.plan.simulation.counts import CountSource
from lcstats.plan.simulation.passing import row_tests
from lcstats.plan.truths import PlannedTruth

LEVEL = 0.95
"""Of the sets whose size is planned."""

EXPECTED_PER_CASE = 1000
"""Cases that stand for one where a curve is fitted to what is expected: it is then known well."""

CLOSE_ENOUGH = 1e-8
"""Squared step, in standard errors, at which a simulated fit is done: what is left decides fewer
than one outcome in ten thousand."""

Integers = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Design:
    """One set of numbers of cases, and everything that its simulated outcomes depend on.

    Attributes
    ----------
    planned : PlannedTruth
    n_cases : ndarray of int64, shape (n_lengths, n_depths)
    criterion : Criterion
    method : {"observed", "curve", "flexible"}
    seed : int
    """

    planned: PlannedTruth
    n_cases: Integers
    criterion: Criterion
    method: Method
    seed: int

    @property
    def source(self) -> CountSource:
        """Where its counts come from."""
        return CountSource(self.planned, self.n_cases, self.seed)

    @property
    def guess_rate(self) -> float:
        """What fits take as the floor of accuracy."""
        return float(self.criterion.exact_guess_rate)

    def cells(self, successes: Integers) -> Cells:
        """Return the cells of one simulated table."""
        return Cells.from_counts(
            self.planned.lengths, self.planned.depths, n_cases=self.n_cases, successes=successes
        )


@dataclass(frozen=True, slots=True, eq=False)
class Estimated:
    """Estimates of consecutive simulations.

    Attributes
    ----------
    values : ndarray of int64, shape (n_simulations,)
        Outcomes, or sizes of sets.
    failed : ndarray of bool, shape (n_simulations,)
        Fits that did not converge; their values are from where they stopped.
    """

    values: Integers
    failed: NDArray[np.bool_]


Estimator = Callable[[Design, int, int], Estimated]
"""A design and the first and the end of some simulations, to their estimates."""


def estimate_outcomes(design: Design, first: int, stop: int) -> Estimated:
    """Return the outcomes of simulations `first` up to, not including, `stop`."""
    estimate = ESTIMATORS[design.method]
    starts = range(first, stop, SLICE)
    parts = [estimate(design, start, min(start + SLICE, stop)) for start in starts]
    return Estimated(
        np.concatenate([part.values for part in parts]),
        np.concatenate([part.failed for part in parts]),
    )


def estimate_set_sizes(design: Design, first: int, stop: int) -> Estimated:
    """Return the numbers of outcomes in the method's default sets of some simulations."""
    tables = design.source.tables(first, stop)
    sizes, failed = [], []
    with quiet():
        for successes in tables:
            cells = design.cells(successes)
            fit = fit_table(design, cells)
            answer = effective_length(
                cells,
                design.criterion,
                fit=fit if isinstance(fit, CurveFit) else None,
                flexible=fit if isinstance(fit, FlexibleFit) else None,
                level=LEVEL,
                masses=(),
            )
            chosen = next(e for e in answer.estimates if e.method == design.method).default_set
            sizes.append(chosen.upper - chosen.lower + 1)
            failed.append(fit is not None and not fit.converged)
    return Estimated(np.array(sizes), np.array(failed))


def fit_table(design: Design, cells: Cells) -> CurveFit | FlexibleFit | None:
    """Fit what the method of a design fits."""
    if design.method == "curve":
        return fit_curve(cells, guess_rate=design.guess_rate)
    if design.method == "flexible":
        return fit_flexible(cells, guess_rate=design.guess_rate)
    return None


def _observed(design: Design, first: int, stop: int) -> Estimated:
    outcomes = np.zeros(stop - first, dtype=np.int64)
    failed = np.zeros(outcomes.size, dtype=np.bool_)
    criterion, source = design.criterion, design.source
    if criterion.fixed_bar is None:
        return Estimated(_observed_against_base(design, first, stop), failed)
    passes = np.ones(outcomes.size, dtype=np.bool_)
    tests = row_tests(design.n_cases, criterion.fixed_bar, criterion.treatment)
    for i, test in enumerate(tests):
        test.drop(source.row(i, first, stop), passes)
        if not passes.any():
            break
        outcomes += passes
    return Estimated(outcomes, failed)


def _observed_against_base(design: Design, first: int, stop: int) -> Integers:
    """Judge by a bar that is measured on the same table, up to the library's own tolerance."""
    tables = design.source.tables(first, stop).astype(np.float64)
    n_cases = np.broadcast_to(design.n_cases, tables.shape)
    accuracies = treat_draws(tables, n_cases, design.criterion.treatment)
    return outcomes_of_draws(accuracies, design.planned.lengths, design.criterion)


def _curve(design: Design, first: int, stop: int) -> Estimated:
    expected = fit_expected(design)
    row, column = np.nonzero(design.n_cases)
    successes = design.source.tables(first, stop)[:, row, column].astype(np.float64)
    n_cases = design.n_cases[row, column].astype(np.float64)
    batch = refit(expected, n_cases, successes, done_below=CLOSE_ENOUGH)
    criterion = design.criterion
    accuracies = treated(
        accuracies_of(expected, batch.coefficients),
        criterion.treatment,
        depth_weights(expected.grid),
    )
    outcomes = outcomes_of_draws(accuracies, design.planned.lengths, criterion)
    return Estimated(outcomes, ~batch.converged)


def fit_expected(design: Design) -> CurveFit:
    """Fit the curve to what is expected: the law of every simulated fit, and where it starts."""
    relative = design.n_cases // np.gcd.reduce(design.n_cases, axis=None)
    return _fit_expected(design.planned, relative.tobytes(), design.guess_rate)


@lru_cache(maxsize=8)
def _fit_expected(planned: PlannedTruth, relative: bytes, guess_rate: float) -> CurveFit:
    """Fit to expected counts of many cases; numbers of cases matter by their ratios alone."""
    shape = (planned.lengths.size, planned.depths.size)
    n_cases = np.frombuffer(relative, dtype=np.int64).reshape(shape) * EXPECTED_PER_CASE
    expected = np.rint(planned.accuracies.mean(axis=0) * n_cases).astype(np.int64)
    cells = Cells.from_counts(planned.lengths, planned.depths, n_cases=n_cases, successes=expected)
    with quiet():
        return fit_curve(cells, guess_rate=guess_rate)


def _flexible(design: Design, first: int, stop: int) -> Estimated:
    outcomes, failed = [], []
    with quiet():
        for successes in design.source.tables(first, stop):
            cells = design.cells(successes)
            fit = fit_flexible(cells, guess_rate=design.guess_rate)
            bar = observe(cells.grid, design.criterion).applied_threshold
            outcomes.append(estimate_with_sets(fit, Request(design.criterion, bar, LEVEL)).outcome)
            failed.append(not fit.converged)
    return Estimated(np.array(outcomes), np.array(failed))


ESTIMATORS: dict[str, Estimator] = {
    "observed": _observed,
    "curve": _curve,
    "flexible": _flexible,
}


class _Hush:
    """Silence shared by threads: Python's own is not safe where two of them come and go."""

    def __init__(self) -> None:
        self.lock = Lock()
        self.n_users = 0
        self.silence = warnings.catch_warnings()


_hush = _Hush()


@contextmanager
def quiet() -> Iterator[None]:
    """Keep back what simulated tables would warn of, in all threads until the last has left."""
    with _hush.lock:
        _hush.n_users += 1
        if _hush.n_users == 1:
            _hush.silence = warnings.catch_warnings()
            _hush.silence.__enter__()
            warnings.simplefilter("ignore", LcstatsWarning)
    try:
        yield
    finally:
        with _hush.lock:
            _hush.n_users -= 1
            if _hush.n_users == 0:
                _hush.silence.__exit__(None, None, None)
