"""Fits of trials that need several facts, against scipy with numerical gradients."""

import time
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import expit

from benchmarks.measure import Measurement, best_seconds, show_seconds
from lcstats.curve import Compound, design_matrix, joint_likelihood
from lcstats.fit.joint.solve import Problem, solve_joint
from lcstats.fit.table import Law
from lcstats.truths import AGGREGATE_TEN, FOUR_VALUES, Truth, close_places, spread_places

LENGTHS = 1024 * 2 ** np.arange(8)
DEPTHS = np.arange(11) / 10
N_CASES = 200
START = np.array([2.0, 0.0, 0.0, 0.0])
LAW = Law(("intercept", "length", "middle", "recency"), 0.0, 0.0, 0.1, 1024.0, 7.0)
TARGET = 50
"""How many times faster fits have to be."""

Floats = NDArray[np.float64]


def measure_needles() -> list[Measurement]:
    """Time fits of four values close together and of ten spread items, plain and penalised."""
    four = _table(FOUR_VALUES, close_places(DEPTHS), 4)
    ten = _table(AGGREGATE_TEN, spread_places(DEPTHS), 2)
    return [
        _measure("all four of four values, plain", *four, penalised=False),
        _measure("all four of four values, Jeffreys", *four, penalised=True),
        _measure("all ten of ten items, two terms, plain", *ten, penalised=False),
        _measure("all ten of ten items, two terms, Jeffreys", *ten, penalised=True),
    ]


def fit_by_scipy(design: Floats, counts: Floats, *, penalised: bool) -> Floats:
    """Return coefficients as one writes it first: a loss, and gradients by differences.

    Parameters
    ----------
    design : ndarray of float64, shape (n_cells, n_facts, n_terms)
    counts : ndarray of float64, shape (n_cells,)
    penalised : bool
        With half the log determinant of the information, by our own likelihood.
    """
    compound = Compound.of_places(design)

    def plain(theta: Floats) -> float:
        rate = expit(design @ theta).prod(axis=1)
        return -float((counts * np.log(rate) + (N_CASES - counts) * np.log1p(-rate)).sum())

    def jeffreys(theta: Floats) -> float:
        cases = np.full(counts.size, float(N_CASES))
        found = joint_likelihood(compound, theta, n_cases=cases, successes=counts)
        return plain(theta) - float(np.linalg.slogdet(found.information)[1]) / 2.0

    loss = jeffreys if penalised else plain
    return np.asarray(minimize(loss, START[: design.shape[2]]).x)


def _table(truth: Truth, places: Floats, n_terms: int) -> tuple[Floats, Floats]:
    """Return the design of every fact, and simulated counts."""
    design = design_matrix(LENGTHS[:, None, None], places.T[None])[..., :n_terms]
    rates = truth.accuracy(LENGTHS, DEPTHS).ravel()
    counts = np.random.default_rng(1).binomial(N_CASES, rates).astype(np.float64)
    return np.ascontiguousarray(design.reshape(rates.size, -1, n_terms)), counts


def _measure(name: str, design: Floats, counts: Floats, *, penalised: bool) -> Measurement:
    start = START[: design.shape[2]]
    cases = np.full(counts.size, float(N_CASES))
    problem = Problem((), Compound.of_places(design), cases, start)

    def ours() -> Floats:
        return solve_joint(problem, counts, LAW, penalised=penalised)[0]

    def theirs() -> Floats:
        return fit_by_scipy(design, counts, penalised=penalised)

    distance = float(np.abs(ours() - theirs()).max())
    if distance > 1e-3:
        raise AssertionError(f"coefficients are {distance:.2g} apart")
    seconds, other = _best(ours, 40), _best(theirs, 5)
    return Measurement(
        f"fit of {name}, {counts.size} cells",
        f"{show_seconds(seconds)}, **{other / seconds:,.0f} times** faster",
        f"`scipy.optimize.minimize`, numerical gradients: {show_seconds(other)}",
        f"{TARGET} times",
        other / seconds >= TARGET,
    )


def _best(call: Callable[[], object], repeats: int) -> float:
    return best_seconds(call, number=3, repeats=repeats, timer=time.thread_time)
