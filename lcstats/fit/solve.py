"""Solving for the coefficients, and for a lapse rate or a recency scale around them."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.optimize import minimize, minimize_scalar

from lcstats.curve import FloatArray, TrialLikelihood, trial_likelihood
from lcstats.fit.table import CellTable, Law
from lcstats.kernels.logistic import fit_batch

LARGEST_LAPSE = 0.5
SMALLEST_LAPSE = 1e-6
"""A lapse rate below this is taken as 0: the data show no ceiling."""

MOST_SWEEPS = 12
SMALLEST_GAIN = 0.01
"""Log-likelihood that another round over the constants has to bring."""

RECENCY_SCALES = (0.02, 1.0)
N_PROFILE_POINTS = 15


@dataclass(frozen=True, slots=True, eq=False)
class Solution:
    """The maximum of the (penalised) log-likelihood.

    Attributes
    ----------
    coefficients : ndarray of float64, shape (n_terms,)
    converged : bool
    objective : float
        Penalised log-likelihood there.
    likelihood : TrialLikelihood
        Unpenalised, with its derivatives.
    """

    coefficients: FloatArray
    converged: bool
    objective: float
    likelihood: TrialLikelihood


def solve(law: Law, table: CellTable, *, penalised: bool) -> Solution:
    """Maximise over the coefficients by the batch kernel; where that stalls, by BFGS."""
    design = law.design(table.length, table.depth)
    start = starting_point(law, table)
    batch = fit_batch(
        design,
        table.n_cases,
        table.successes[None],
        start=start,
        guess_rate=law.guess_rate,
        lapse_rate=law.lapse_rate,
        penalised=penalised,
    )
    found = batch.coefficients[0]
    converged = bool(batch.converged[0])
    if not converged and (penalised or law.guess_rate or law.lapse_rate):
        found, converged = _by_bfgs(law, table, design, start, penalised=penalised)
    likelihood = likelihood_at(law, table, design, found)
    objective = likelihood.log_likelihood
    if penalised:
        objective += half_log_determinant(likelihood.information)
    return Solution(found, converged, objective, likelihood)


def starting_point(law: Law, table: CellTable) -> FloatArray:
    """A flat curve at the pooled accuracy, shape (n_terms,)."""
    pooled = (table.successes.sum() + 0.5) / (table.n_cases.sum() + 1.0)
    share = (pooled - law.guess_rate) / (1.0 - law.guess_rate - law.lapse_rate)
    share = min(max(share, 0.02), 0.98)
    start = np.zeros(len(law.terms))
    start[0] = np.log(share / (1.0 - share))
    return start


def likelihood_at(
    law: Law, table: CellTable, design: FloatArray, coefficients: FloatArray
) -> TrialLikelihood:
    """Return the likelihood of the table under the law with these coefficients."""
    return trial_likelihood(
        design,
        coefficients,
        n_cases=table.n_cases,
        successes=table.successes,
        guess_rate=law.guess_rate,
        lapse_rate=law.lapse_rate,
    )


def half_log_determinant(information: FloatArray) -> float:
    """Jeffreys' penalty: half the log determinant of the Fisher information."""
    sign, log_determinant = np.linalg.slogdet(information)
    return 0.5 * float(log_determinant) if sign > 0 else -np.inf


def _by_bfgs(
    law: Law, table: CellTable, design: FloatArray, start: FloatArray, *, penalised: bool
) -> tuple[FloatArray, bool]:
    def loss(coefficients: FloatArray) -> float:
        likelihood = likelihood_at(law, table, design, coefficients)
        penalty = half_log_determinant(likelihood.information) if penalised else 0.0
        return -(likelihood.log_likelihood + penalty) if np.isfinite(penalty) else 1e300

    result = minimize(loss, start, method="BFGS", options={"gtol": 1e-6})
    settled = bool(result.success) or float(np.abs(result.jac).max()) < 1e-3
    return np.asarray(result.x, dtype=np.float64), settled


def profile_constants(
    law: Law, table: CellTable, names: tuple[str, ...], *, penalised: bool
) -> Law:
    """Return the law whose named constants maximise the (penalised) log-likelihood.

    Parameters
    ----------
    names : tuple of str
        Some of ``lapse_rate`` and ``recency_scale``; in turn over a grid until neither helps,
        then together. A lapse rate that does not help is 0.
    """

    def loss(trial: Law) -> float:
        return -solve(trial, table, penalised=penalised).objective

    for _ in range(MOST_SWEEPS if len(names) > 1 else len(names)):
        before = law
        for name in names:
            law = _profile_one(law, name, _points(name, law), loss)
        if loss(before) - loss(law) < SMALLEST_GAIN:
            break
    if len(names) > 1 and law.lapse_rate > 0:
        law = _polish(law, names, loss)
    bare = replace(law, lapse_rate=0.0)
    if "lapse_rate" in names and (law.lapse_rate < SMALLEST_LAPSE or loss(bare) <= loss(law)):
        return bare
    return law


def _points(name: str, law: Law) -> FloatArray:
    if name == "recency_scale":
        return np.geomspace(*RECENCY_SCALES, N_PROFILE_POINTS)
    largest = min(LARGEST_LAPSE, 0.99 * (1.0 - law.guess_rate))
    return np.append(0.0, np.geomspace(1e-4, largest, N_PROFILE_POINTS))


def _profile_one(law: Law, name: str, points: FloatArray, loss: Callable[[Law], float]) -> Law:
    """Look at a grid, then refine between the neighbours of the best point."""

    def along(value: float) -> float:
        return loss(_with(law, name, float(value)))

    values = [along(point) for point in points]
    best = int(np.argmin(values))
    bounds = (float(points[max(best - 1, 0)]), float(points[min(best + 1, len(points) - 1)]))
    refined = minimize_scalar(along, bounds=bounds, method="bounded", options={"xatol": 1e-9})
    return _with(law, name, float(refined.x if refined.fun < values[best] else points[best]))


def _polish(law: Law, names: tuple[str, ...], loss: Callable[[Law], float]) -> Law:
    """Move the constants together, on the log scale, where one moves the other."""

    def at(logs: FloatArray) -> Law:
        moved = law
        for name, value in zip(names, np.exp(logs).tolist(), strict=True):
            ceiling = RECENCY_SCALES[1] if name == "recency_scale" else LARGEST_LAPSE
            moved = _with(moved, name, min(value, ceiling))
        return moved

    def loss_at(logs: FloatArray) -> float:
        return loss(at(logs))

    start: FloatArray = np.log([getattr(law, name) for name in names])
    simplex = np.vstack([start, start + 0.1 * np.eye(start.size)])
    options: Any = {"xatol": 1e-7, "fatol": 1e-9, "initial_simplex": simplex}
    best = minimize(loss_at, start, method="Nelder-Mead", options=options)
    return at(np.asarray(best.x, dtype=np.float64))


def _with(law: Law, name: str, value: float) -> Law:
    if name == "lapse_rate":
        return replace(law, lapse_rate=value)
    return replace(law, recency_scale=value)
