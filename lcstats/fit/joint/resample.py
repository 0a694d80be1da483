"""Tables drawn from a joint fit, and fits to them in the way the data were fitted."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike

from lcstats.curve import FloatArray, count_log_shares
from lcstats.fit.joint.overdispersed import choose_counts, solve_counts
from lcstats.fit.joint.result import JointFit
from lcstats.fit.joint.solve import Problem, likelihood_at, pose, solve_joint
from lcstats.fit.joint.tasks import excess_scatter

MOST_FAILED = 0.5
"""Share of fits that may fail to settle."""


@dataclass(frozen=True, slots=True, eq=False)
class Refit:
    """A fit to drawn counts.

    Attributes
    ----------
    coefficients : ndarray of float64, shape (n_parameters,)
    log_likelihood : float
    converged : bool
    """

    coefficients: FloatArray
    log_likelihood: float
    converged: bool


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
        Rates under the curve that all tasks share; no draws where most fits did not settle. Numbers
        of found facts scatter as the data do: as their likelihood says, or, where it is not known
        how many each trial found, with as many times the binomial variance.
    """
    problem = pose(fit.tasks, fit.law, fit.fitted)
    rng = np.random.default_rng(seed)
    rates = np.concatenate(list(fit.rates.values()))
    drawn, n_failed = np.empty((n_draws, np.size(lengths), np.size(depths))), 0
    for draw in drawn:
        again = refit_counts(fit, problem, draw_counts(fit, problem, rates, rng))
        n_failed += not again.converged
        draw[:] = fit.with_coefficients(again.coefficients).curve.accuracy(lengths, depths)
    return drawn if n_failed <= MOST_FAILED * n_draws else drawn[:0]


def draw_counts(fit: JointFit, problem: Problem, rates: FloatArray, rng: Generator) -> FloatArray:
    """Draw a table from a fit.

    Parameters
    ----------
    rates : ndarray of float64, shape (n_cells,)
        Of the fit.

    Returns
    -------
    ndarray of float64
        Successes, shape (n_cells,); where it is known how many facts each trial found, trials by
        that number, shape (n_cells, n_facts + 1).
    """
    if fit.tallies is not None:
        return _draw_tallies(fit, fit.tallies, rates, rng)
    excess = excess_scatter(fit.tasks, fit.dispersion)
    # Of fewer cases, stretched: the variance is `excess` times the binomial one.
    worth = np.maximum(np.rint(problem.n_cases / excess), 1).astype(np.int64)
    return np.asarray(rng.binomial(worth, rates) * (problem.n_cases / worth))


def _draw_tallies(
    fit: JointFit, tallies: FloatArray, rates: FloatArray, rng: Generator
) -> FloatArray:
    n_trials = np.maximum(np.rint(tallies.sum(axis=1)), 1).astype(np.int64)
    correlation = 0.0 if fit.overdispersion is None else fit.overdispersion.correlation
    logs = count_log_shares(rates, correlation / (1.0 - correlation), tallies.shape[1] - 1)
    shares = np.exp(logs)
    return rng.multinomial(n_trials, shares / shares.sum(axis=1, keepdims=True)).astype(np.float64)


def refit_counts(
    fit: JointFit, problem: Problem, counts: FloatArray, *, is_chosen: bool = True
) -> Refit:
    """Fit a drawn table in the way of a fit, with the same parameters.

    Parameters
    ----------
    counts : ndarray of float64
        From :func:`draw_counts`, or of another fit to the same tasks.
    is_chosen : bool
        Whether numbers of found facts are beta-binomial only where a test says so, as in a fit.
        Otherwise wherever that is likelier, so that likelihoods of nested curves are nested.
    """
    penalised, tallies = fit.penalty == "jeffreys", counts if counts.ndim > 1 else None
    successes = counts if tallies is None else tallies @ np.arange(tallies.shape[1])
    if tallies is not None:
        cases = tallies.sum(axis=1) * (tallies.shape[1] - 1)
        problem = replace(problem, n_cases=cases)
    found, settled = solve_joint(problem, successes, fit.law, penalised=penalised)
    value = likelihood_at(problem, successes, fit.law, found).log_likelihood
    if tallies is not None:
        given = (problem, tallies, fit.law, found)
        over = (
            choose_counts(*given, penalised=penalised, binomial=value)
            if is_chosen
            else solve_counts(*given, penalised=penalised)
        )
        if over is not None:
            return Refit(over.coefficients, over.likelihood.log_likelihood, over.converged)
    return Refit(found, value, settled)
