"""What an allocation is worth where its truth is wrong: does it hit, and does it show."""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from lcstats.cells import Cells
from lcstats.curve import FloatArray, accuracy_from_logit
from lcstats.errors import LcstatsWarning
from lcstats.fit import CurveFit, draw_counts, fit_curve, refit
from lcstats.fit.goodness import LEVEL, statistics
from lcstats.fit.table import tabulate
from lcstats.lengths import Criterion
from lcstats.plan.exact import exact_probabilities
from lcstats.plan.truths import PlannedTruth, planned_truth

WRONG_TRUTHS = ("cliff", "one-bad-depth")
"""Truths that no curve of the fitted kind follows."""

N_SIMULATIONS = 500
LARGE = 10_000
"""Cases per cell at which a fitted curve is what it would be with infinitely many."""


@dataclass(frozen=True, slots=True)
class Robustness:
    """An allocation and a uniform plan of the same price on a truth neither was made for.

    Attributes
    ----------
    truth : str
    probability, uniform_probability : float
        That the effective length is the true one: of raw cells exactly, of a curve simulated.
    misfit_seen, uniform_misfit_seen : float
        How often a goodness-of-fit test at level .05 rejects the curve; simulated.
    """

    truth: str
    probability: float
    uniform_probability: float
    misfit_seen: float
    uniform_misfit_seen: float


@dataclass(frozen=True, slots=True)
class CurveTry:
    """Simulated tables to which the curve was fitted.

    Attributes
    ----------
    hit : float
        Share of them whose curve has the true tested length.
    misfit_seen : float
        Share in which the goodness-of-fit test rejects the curve.
    """

    hit: float
    misfit_seen: float


def wrong_truths(planned: PlannedTruth) -> list[PlannedTruth]:
    """Return the truths that no curve follows, on the planned lengths and depths."""
    axes = planned.lengths, planned.depths
    return [planned_truth(name, *axes) for name in WRONG_TRUTHS if name != planned.name]


def judge_robustness(
    truths: Sequence[PlannedTruth],
    trials: NDArray[np.int64],
    uniform_trials: int,
    criterion: Criterion,
    *,
    of_curve: bool,
) -> tuple[Robustness, ...]:
    """Judge an allocation and a uniform plan on other truths.

    Parameters
    ----------
    truths : sequence of PlannedTruth
        Known ones, on the lengths and depths of the allocation.
    trials : ndarray of int64, shape (n_lengths, n_depths)
    uniform_trials : int
        Per cell.
    criterion : Criterion
    of_curve : bool
        The effective length is that of a fitted curve, not of raw cells.
    """
    designs = (trials, np.full(trials.shape, uniform_trials))
    judged = []
    for truth in truths:
        tries = [try_curve(truth, design, criterion) for design in designs]
        hits = [tried.hit for tried in tries]
        if not of_curve:
            hits = [exact_probabilities(truth, design, criterion).hit for design in designs]
        judged.append(Robustness(truth.name, *hits, *(tried.misfit_seen for tried in tries)))
    return tuple(judged)


def try_curve(
    truth: PlannedTruth,
    trials: NDArray[np.int64],
    criterion: Criterion,
    *,
    n_simulations: int = N_SIMULATIONS,
    seed: int = 0,
) -> CurveTry:
    """Fit the curve to simulated tables of a known truth, and count hits and misfits seen.

    Parameters
    ----------
    truth : PlannedTruth
        Its first accuracies are taken.
    trials : ndarray of int64, shape (n_lengths, n_depths)
        More than parameters in number; 0 leaves a cell out.
    criterion : Criterion
    n_simulations : int
        Tables from the truth, and as many from the curve.
    seed : int

    Returns
    -------
    CurveTry

    Notes
    -----
    ``goodness_of_fit`` compares a table with tables from the curve fitted to it. Here all are
    compared with tables from one curve, that which infinitely many cases would be fitted by: one
    set of simulated tables serves instead of one for each. With few cases that is a little sharper
    than the test itself (on one bad depth with 5 in a cell .68 and .60).

    Examples
    --------
    >>> from lcstats.plan.truths import planned_truth
    >>> cliff = planned_truth("cliff", 1024 * 2 ** np.arange(8), np.linspace(0, 1, 11))
    >>> try_curve(cliff, np.full((8, 11), 20), Criterion(0.85))
    CurveTry(hit=0.0, misfit_seen=1.0)
    """
    rng = np.random.default_rng(seed)
    fit = _closest_curve(truth, trials)
    rates = truth.accuracies[0].ravel()[fit.cells.flat]
    cases = np.rint(fit.cells.n_cases).astype(np.int64)
    seen = rng.binomial(cases, rates, size=(n_simulations, cases.size)).astype(np.float64)
    counts = np.concatenate([draw_counts(fit, n_simulations, rng), seen])
    batch = refit(fit, fit.cells.n_cases, counts)
    fitted = accuracy_from_logit(batch.coefficients @ fit.design.T)
    outcomes = _outcomes(fit, truth, batch.coefficients[n_simulations:], criterion)
    hit = (outcomes == truth.true_outcomes(criterion)[0]) & batch.converged[n_simulations:]
    misfit_seen = _share_rejected(statistics(fit, counts, fitted), n_simulations)
    return CurveTry(float(hit.mean()), misfit_seen)


def _outcomes(
    fit: CurveFit, truth: PlannedTruth, coefficients: FloatArray, criterion: Criterion
) -> NDArray[np.int64]:
    """Return the outcome of every curve on the planned grid, shape (n_simulations,)."""
    design = fit.law.design(truth.lengths[:, None].astype(np.float64), truth.depths)
    accuracies = accuracy_from_logit(np.einsum("ldt,nt->nld", design, coefficients))
    drawn = replace(truth, accuracies=accuracies)
    return drawn.true_outcomes(criterion)


def _closest_curve(truth: PlannedTruth, trials: NDArray[np.int64]) -> CurveFit:
    """Return the curve of a truth without noise, with the cases of the design as its own."""
    axes = truth.lengths, truth.depths
    many = trials * LARGE
    right = np.rint(many * truth.accuracies[0]).astype(np.int64)
    with warnings.catch_warnings():
        # That no curve fits is what this is about.
        warnings.simplefilter("ignore", LcstatsWarning)
        fit = fit_curve(Cells.from_counts(*axes, n_cases=many, successes=right))
    planned = Cells.from_counts(*axes, n_cases=trials, successes=np.zeros_like(trials)).grid
    return replace(fit, grid=planned, cells=tabulate(planned))


def _share_rejected(values: FloatArray, n_null: int) -> float:
    """Share of the tables behind the first `n_null` whose smallest p-value is too small.

    Parameters
    ----------
    values : ndarray of float64, shape (n_statistics, n_tables)
    """
    ordered = np.sort(values[:, :n_null], axis=1)
    above = [n_null - np.searchsorted(row, own) for row, own in zip(ordered, values, strict=True)]
    smallest = np.min(above, axis=0)
    ranks = rankdata(smallest[:n_null], method="max")
    allowed = smallest[:n_null][ranks <= LEVEL * n_null]
    return float((smallest[n_null:] <= allowed.max(initial=-1)).mean())
