"""How likely numbers of found facts are where the facts of a trial hang together: beta-binomial.

The chance of a trial's facts varies between trials as a beta variable about the law's rate p. With
rho the correlation of two facts of a trial and t = rho / (1 - rho), m found facts of k have

    C(k, m) prod_{j<m} (p + j t) prod_{j<k-m} (1 - p + j t) / prod_{j<k} (1 + j t)

which needs no gamma functions and is the binomial chance at t = 0. A table enters by how many
trials found more than j facts, and how many missed more than j.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import gammaln, xlogy

from lcstats.curve.law import FloatArray
from lcstats.curve.likelihood import Compound, TrialLikelihood


def count_likelihood(
    compound: Compound,
    coefficients: ArrayLike,
    ratio: float,
    *,
    tallies: FloatArray,
    guess_rate: float = 0.0,
    lapse_rate: float = 0.0,
) -> TrialLikelihood:
    """Return the log-likelihood of numbers of found facts, and its derivatives.

    Parameters
    ----------
    compound : Compound
        Of cells whose rate is that of one fact.
    coefficients : array_like, shape (n_terms + n_combining,)
    ratio : float
        t = rho / (1 - rho), at least 0; 0 is the binomial likelihood.
    tallies : ndarray of float64, shape (n_cells, n_facts + 1)
        Trials that found 0, 1, ... n_facts facts.
    guess_rate, lapse_rate : float
        Of a single fact.

    Returns
    -------
    TrialLikelihood
        Without the binomial coefficients; derivatives by the coefficients and then by `ratio`.

    Notes
    -----
    With u_j trials that found more than j facts, w_j that missed more than j and n in all, a cell
    has ``sum_j u_j log(p + j t) + w_j log(1 - p + j t) - n log(1 + j t)``, j from 0 to k - 1
    (Griffiths 1973, Biometrics 29:637).

    Examples
    --------
    >>> half = Compound.of_places(np.ones((1, 1, 1)))
    >>> tallies = np.array([[2.0, 1.0, 2.0]])
    >>> [
    ...     round(count_likelihood(half, [0.0], t, tallies=tallies).log_likelihood, 3)
    ...     for t in (0.0, 1.0)
    ... ]
    [-6.931, -6.003]
    """
    logs, slopes, bends = compound.expand(coefficients, guess_rate, lapse_rate)
    rate, wrong = np.exp(logs), -np.expm1(logs)
    n_facts = tallies.shape[1] - 1
    steps = ratio * np.arange(n_facts)
    at_p, at_wrong = rate[:, None] + steps, wrong[:, None] + steps
    values = _sums(tallies, at_p, at_wrong, steps)
    expected = _sums(_expected(tallies, at_p, at_wrong, steps), at_p, at_wrong, steps)
    slope = rate[:, None] * slopes
    bend = rate[:, None, None] * (bends + slopes[:, :, None] * slopes[:, None, :])
    hessian = _hessian(values, slope)
    hessian[:-1, :-1] += np.tensordot(values.by_rate, bend, axes=1)
    return TrialLikelihood(
        log_likelihood=values.log_likelihood,
        gradient=np.append(slope.T @ values.by_rate, values.by_ratio.sum()),
        hessian=hessian,
        information=-_hessian(expected, slope),
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Sums:
    """Log-likelihood, and every cell's derivatives by its rate and the ratio."""

    log_likelihood: float
    by_rate: FloatArray
    by_ratio: FloatArray
    by_rate_twice: FloatArray
    by_both: FloatArray
    by_ratio_twice: FloatArray


def _sums(tallies: FloatArray, at_p: FloatArray, at_wrong: FloatArray, steps: FloatArray) -> _Sums:
    n = tallies.sum(axis=1)[:, None]
    more = np.cumsum(tallies[:, :0:-1], axis=1)[:, ::-1]
    missed = np.cumsum(tallies[:, :-1], axis=1)[:, ::-1]
    rank = np.arange(steps.size)
    with np.errstate(divide="ignore", invalid="ignore"):
        found, lost = (
            np.where(number > 0, number / place, 0.0)
            for number, place in ((more, at_p), (missed, at_wrong))
        )
        found_twice, lost_twice = (
            np.where(number > 0, number / place**2, 0.0)
            for number, place in ((more, at_p), (missed, at_wrong))
        )
    every = n / (1.0 + steps)
    return _Sums(
        log_likelihood=float(
            (xlogy(more, at_p) + xlogy(missed, at_wrong) - n * np.log1p(steps)).sum()
        ),
        by_rate=(found - lost).sum(axis=1),
        by_ratio=((found + lost - every) * rank).sum(axis=1),
        by_rate_twice=-(found_twice + lost_twice).sum(axis=1),
        by_both=((lost_twice - found_twice) * rank).sum(axis=1),
        by_ratio_twice=((every / (1.0 + steps) - found_twice - lost_twice) * rank**2).sum(axis=1),
    )


def _expected(
    tallies: FloatArray, at_p: FloatArray, at_wrong: FloatArray, steps: FloatArray
) -> FloatArray:
    """Return the tallies that the rates and the ratio lead one to expect."""
    shares = np.exp(_log_shares(at_p, at_wrong, steps))
    return np.asarray(tallies.sum(axis=1)[:, None] * shares)


def _log_shares(at_p: FloatArray, at_wrong: FloatArray, steps: FloatArray) -> FloatArray:
    """Log chances of 0, 1, ... n_facts found facts, shape (n_cells, n_facts + 1)."""
    n_facts = steps.size
    found = np.arange(n_facts + 1)
    ways = gammaln(n_facts + 1) - gammaln(found + 1) - gammaln(n_facts - found + 1)
    zero = np.zeros((at_p.shape[0], 1))
    with np.errstate(divide="ignore"):
        up = np.hstack([zero, np.cumsum(np.log(at_p), axis=1)])
        down = np.hstack([zero, np.cumsum(np.log(at_wrong), axis=1)])[:, ::-1]
    return np.asarray(ways + up + down - np.log1p(steps).sum())


def count_log_shares(rates: ArrayLike, ratio: float, n_facts: int) -> FloatArray:
    """Return log chances of 0, 1, ... n_facts found facts, shape (n_cells, n_facts + 1).

    Parameters
    ----------
    rates : array_like, shape (n_cells,)
        Of one fact, within (0, 1).
    ratio : float
        t = rho / (1 - rho), at least 0.
    n_facts : int

    Examples
    --------
    >>> np.exp(count_log_shares([0.5], 1.0, 2)).round(3).tolist()
    [[0.375, 0.25, 0.375]]
    """
    rate = np.asarray(rates, dtype=np.float64)[:, None]
    steps = ratio * np.arange(n_facts, dtype=np.float64)
    return _log_shares(rate + steps, 1.0 - rate + steps, steps)


def _hessian(sums: _Sums, slope: FloatArray) -> FloatArray:
    """Second derivatives by coefficients and ratio where rates are linear in coefficients."""
    n_terms = slope.shape[1]
    hessian = np.empty((n_terms + 1, n_terms + 1))
    hessian[:-1, :-1] = slope.T @ (sums.by_rate_twice[:, None] * slope)
    hessian[-1, :-1] = hessian[:-1, -1] = slope.T @ sums.by_both
    hessian[-1, -1] = sums.by_ratio_twice.sum()
    return hessian
