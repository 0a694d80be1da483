"""Solving a joint fit: the kernel's arrays, where to start, and factors that cannot exceed 1."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lcstats.curve import Compound, FloatArray, TrialLikelihood, joint_likelihood
from lcstats.fit.joint.parameters import COMBINING_DECAY, Parameter, build_compound
from lcstats.fit.joint.tasks import TaskCounts
from lcstats.fit.table import Law
from lcstats.kernels.compound import Shared, fit_compound

FIRST_DECAY = 0.02
"""Of a combining factor where a fit starts, so that it begins below 1."""


@dataclass(frozen=True, slots=True, eq=False)
class Problem:
    """A table and everything about its curve but the coefficients.

    Attributes
    ----------
    parameters : tuple of Parameter
    compound : Compound
    n_cases : ndarray of float64, shape (n_cells,)
    start : ndarray of float64, shape (n_parameters,)
    """

    parameters: tuple[Parameter, ...]
    compound: Compound
    n_cases: FloatArray
    start: FloatArray


def pose(tasks: Sequence[TaskCounts], law: Law, parameters: tuple[Parameter, ...]) -> Problem:
    """Put the tasks of a joint fit together."""
    compound = build_compound(tasks, law, parameters)
    start = np.zeros(len(parameters))
    start[0] = _first_intercept(tasks, law)
    for j, parameter in enumerate(parameters):
        if parameter.combines:
            start[j] = FIRST_DECAY if parameter.term == COMBINING_DECAY else _room(tasks, law)
    n_cases = np.concatenate([task.n_cases for task in tasks])
    return Problem(parameters, compound, n_cases, start)


def successes_of(tasks: Sequence[TaskCounts]) -> FloatArray:
    """Return successes of all tasks, shape (n_cells,)."""
    return np.concatenate([task.successes for task in tasks])


def solve_joint(
    problem: Problem, successes: FloatArray, law: Law, *, penalised: bool
) -> tuple[FloatArray, bool]:
    """Maximise the (penalised) log-likelihood; return coefficients and whether that settled."""
    compound = problem.compound
    rates = np.array([law.guess_rate, law.lapse_rate, float(penalised)])
    shared: Shared = (
        compound.design,
        compound.factor_starts,
        compound.powers,
        compound.cell_starts,
        compound.combining,
        rates,
    )
    counts = np.stack([problem.n_cases, successes])
    start = problem.start
    n_terms = compound.design.shape[1]
    if n_terms < start.size:
        start = _without_factors(shared, counts, start)
    found = np.empty(start.size)
    converged, _ = fit_compound(shared, counts, start, found)
    return found, bool(converged)


def likelihood_at(
    problem: Problem, successes: FloatArray, law: Law, coefficients: FloatArray
) -> TrialLikelihood:
    """Return the log-likelihood of counts, without penalty, and its derivatives."""
    return joint_likelihood(
        problem.compound,
        coefficients,
        n_cases=problem.n_cases,
        successes=successes,
        guess_rate=law.guess_rate,
        lapse_rate=law.lapse_rate,
    )


def _without_factors(shared: Shared, counts: FloatArray, start: FloatArray) -> FloatArray:
    """Return where to start with combining factors: at the curve that needs none.

    On a flat curve nothing tells a combining rate from the intercept, and no step would be found.
    """
    design, factor_starts, powers, cell_starts, combining, rates = shared
    none = np.zeros((combining.shape[0], 0))
    n_terms = design.shape[1]
    terms = np.empty(n_terms)
    bare: Shared = (design, factor_starts, powers, cell_starts, none, rates)
    fit_compound(bare, counts, start[:n_terms], terms)
    return np.concatenate([terms, start[n_terms:]])


def exceeding(problem: Problem, coefficients: FloatArray) -> tuple[str, ...]:
    """Name the tasks whose combining factor is above 1 at a tested length."""
    compound = problem.compound
    n_terms = compound.design.shape[1]
    factors = problem.parameters[n_terms:]
    names = []
    for task in dict.fromkeys(parameter.task for parameter in factors):
        own = [j for j, parameter in enumerate(factors) if parameter.task == task]
        logs = compound.combining[:, own] @ coefficients[n_terms:][own]
        if (logs > 0.0).any():
            names.append(task)
    return tuple(names)


def _first_intercept(tasks: Sequence[TaskCounts], law: Law) -> float:
    """Logit of the rate per fact that a flat curve would need."""
    logs = [
        np.log((task.successes.sum() + 0.5) / (task.n_cases.sum() + 1.0)) / task.n_factors
        for task in tasks
    ]
    share = (np.exp(np.mean(logs)) - law.guess_rate) / (1.0 - law.guess_rate - law.lapse_rate)
    share = min(max(float(share), 0.02), 0.98)
    return float(np.log(share / (1.0 - share)))


def _room(tasks: Sequence[TaskCounts], law: Law) -> float:
    """Log of a combining rate that leaves the factor below 1 at the shortest length."""
    shortest = min(float(task.length.min()) for task in tasks)
    return -0.05 + FIRST_DECAY * min(0.0, float(np.log2(shortest / law.base_length)))
