"""Rates of single facts under joint fits to counts that were drawn from a fitted one."""

import numpy as np
from numpy.typing import ArrayLike

from lcstats.curve import FloatArray
from lcstats.fit.joint.result import JointFit
from lcstats.fit.joint.solve import pose, solve_joint
from lcstats.fit.joint.tasks import excess_scatter

MOST_FAILED = 0.5
"""Share of fits that may fail to settle."""


def resample_joint(
    fit: JointFit, lengths: ArrayLike, depths: ArrayLike, *, n_draws: int, seed: int
) -> FloatArray:
    """Draw curves: parametric bootstrap.

    Parameters
    ----------
    fit : JointFit
        Of whole numbers of cases; others are rounded.
    lengths : ndarray, shape (n_lengths,)
    depths : ndarray of float64, shape (n_depths,)
    n_draws, seed : int

    Returns
    -------
    ndarray of float64, shape (n_draws, n_lengths, n_depths)
        Rates under the curve that all tasks share; no draws where most fits did not settle. Where
        facts are counted, counts scatter as much more than binomial ones as the data do.
    """
    problem = pose(fit.tasks, fit.law, fit.fitted)
    rng = np.random.default_rng(seed)
    rates = np.concatenate(list(fit.rates.values()))
    excess = excess_scatter(fit.tasks, fit.dispersion)
    drawn, n_failed = np.empty((n_draws, np.size(lengths), np.size(depths))), 0
    for draw in drawn:
        counts = _draw(problem.n_cases, rates, excess, rng)
        found, settled = solve_joint(problem, counts, fit.law, penalised=fit.penalty == "jeffreys")
        n_failed += not settled
        draw[:] = fit.with_coefficients(found).curve.accuracy(lengths, depths)
    return drawn if n_failed <= MOST_FAILED * n_draws else drawn[:0]


def _draw(
    n_cases: FloatArray, rates: FloatArray, excess: float, rng: np.random.Generator
) -> FloatArray:
    """Draw counts whose variance is `excess` times the binomial one: of fewer cases, stretched."""
    worth = np.maximum(np.rint(n_cases / excess), 1).astype(np.int64)
    return np.asarray(rng.binomial(worth, rates) * (n_cases / worth))
