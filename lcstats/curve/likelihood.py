"""How likely counts are under the law: right and wrong trials, and trials that need several facts.

Pure functions of a design, coefficients and counts, each with its derivatives.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit, xlogy

from lcstats.curve.law import FloatArray, logit_accuracy
from lcstats.records import freeze_arrays

Whole = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class TrialLikelihood:
    """Log-likelihood of counts under the law, with its derivatives in the coefficients.

    Attributes
    ----------
    log_likelihood : float
        ``sum(k log p + (n - k) log(1 - p))``: one Bernoulli term per trial, no binomial
        coefficients.
    gradient : ndarray of float64, shape (n_terms,)
    hessian : ndarray of float64, shape (n_terms, n_terms)
        Second derivatives at these counts.
    information : ndarray of float64, shape (n_terms, n_terms)
        Minus the expected Hessian (Fisher information).
    """

    log_likelihood: float
    gradient: FloatArray
    hessian: FloatArray
    information: FloatArray


def trial_likelihood(
    design: FloatArray,
    coefficients: ArrayLike,
    *,
    n_cases: ArrayLike,
    successes: ArrayLike,
    guess_rate: float = 0.0,
    lapse_rate: float = 0.0,
) -> TrialLikelihood:
    """Return the log-likelihood of right and wrong trials and its derivatives.

    Parameters
    ----------
    design : ndarray of float64, shape (n_cells, n_terms)
    coefficients : array_like, shape (n_terms,)
    n_cases, successes : array_like, shape (n_cells,)
        Successes may be fractions of cases (quasi-binomial).
    guess_rate, lapse_rate : float

    Returns
    -------
    TrialLikelihood

    Notes
    -----
    With s = sigma(eta), c = 1 - guess - lapse, p = guess + c s, p' = c s (1 - s) and
    v = p (1 - p): the score in eta is ``(k - n p) p' / v`` and the information ``n p'^2 / v``.

    Examples
    --------
    >>> design = np.ones((1, 1))
    >>> trial_likelihood(design, [0.0], n_cases=[10], successes=[7]).gradient.tolist()
    [2.0]
    """
    n, k = np.asarray(n_cases, np.float64), np.asarray(successes, np.float64)
    sigma = expit(logit_accuracy(design, coefficients))
    share = 1.0 - guess_rate - lapse_rate
    p = guess_rate + share * sigma
    slope = share * sigma * (1.0 - sigma)
    bend = slope * (1.0 - 2.0 * sigma)
    variance = p * (1.0 - p)
    ratio = np.divide(slope, variance, out=np.ones_like(slope), where=variance > 0)
    # d(p'/v)/d(eta) = (p'' v - p'^2 (1 - 2p)) / v^2
    bend_ratio = np.divide(bend, variance, out=np.zeros_like(bend), where=variance > 0)
    turn = bend_ratio - ratio**2 * (1.0 - 2.0 * p)
    residual = k - n * p
    curvature = residual * turn - n * slope * ratio
    return TrialLikelihood(
        log_likelihood=float((xlogy(k, p) + xlogy(n - k, 1.0 - p)).sum()),
        gradient=design.T @ (residual * ratio),
        hessian=design.T @ (curvature[:, None] * design),
        information=design.T @ ((n * slope * ratio)[:, None] * design),
    )


@dataclass(frozen=True, slots=True, eq=False)
class Compound:
    """How the facts of a trial make its outcome, whatever law gives their logits.

    The chance that a trial of a cell is right is the product over its factors of the mean over
    each factor's points, each to its power, times a combining factor: ``h * prod_f mean_f ** m_f``.
    A fact at a known depth is a factor of one point; one whose depth is unknown but uniform over
    some depths is a factor with a point for each; k such facts are one factor of power k. A count
    of found facts, in cases of one fact each, is one factor with a point for every fact.

    Attributes
    ----------
    design : ndarray of float64, shape (n_points, n_terms)
        Factor by factor, cell by cell.
    factor_starts : ndarray of int64, shape (n_factors + 1,)
        First point of every factor, and the number of points.
    powers : ndarray of float64, shape (n_factors,)
    cell_starts : ndarray of int64, shape (n_cells + 1,)
        First factor of every cell, and the number of factors.
    combining : ndarray of float64, shape (n_cells, n_combining)
        Columns of log h; none where nothing has to be combined.

    Examples
    --------
    Two facts at two places, found independently:

    >>> two = Compound.of_places(np.array([[[1.0], [1.0]]]))
    >>> round(float(np.exp(two.log_rates([0.0])[0])), 3)
    0.25
    """

    design: FloatArray
    factor_starts: Whole
    powers: FloatArray
    cell_starts: Whole
    combining: FloatArray

    def __post_init__(self) -> None:
        """Make the arrays read-only."""
        freeze_arrays(self)

    @classmethod
    def of_places(cls, design: FloatArray, combining: FloatArray | None = None) -> "Compound":
        """Return cells whose facts lie at known places.

        Parameters
        ----------
        design : ndarray of float64, shape (n_cells, n_facts, n_terms)
        combining : ndarray of float64, shape (n_cells, n_combining), optional
        """
        n_cells, n_facts, n_terms = design.shape
        return cls(
            design=design.reshape(-1, n_terms),
            factor_starts=np.arange(n_cells * n_facts + 1),
            powers=np.ones(n_cells * n_facts),
            cell_starts=np.arange(n_cells + 1) * n_facts,
            combining=np.zeros((n_cells, 0)) if combining is None else combining,
        )

    @classmethod
    def of_unknown_places(
        cls, design: FloatArray, n_facts: int, combining: FloatArray | None = None
    ) -> "Compound":
        """Return cells whose facts lie anywhere among some points, independently and uniformly.

        With ``n_facts=1`` a cell's rate is the mean over its points: that of a count of facts.

        Parameters
        ----------
        design : ndarray of float64, shape (n_cells, n_points, n_terms)
        n_facts : int
        combining : ndarray of float64, shape (n_cells, n_combining), optional
        """
        n_cells, n_points, n_terms = design.shape
        return cls(
            design=design.reshape(-1, n_terms),
            factor_starts=np.arange(n_cells + 1) * n_points,
            powers=np.full(n_cells, float(n_facts)),
            cell_starts=np.arange(n_cells + 1),
            combining=np.zeros((n_cells, 0)) if combining is None else combining,
        )

    def log_rates(
        self, coefficients: ArrayLike, *, guess_rate: float = 0.0, lapse_rate: float = 0.0
    ) -> FloatArray:
        """Return the log of every cell's chance of success, shape (n_cells,).

        Parameters
        ----------
        coefficients : array_like, shape (n_terms + n_combining,)
        guess_rate, lapse_rate : float
            Of a single fact.
        """
        return self.expand(coefficients, guess_rate, lapse_rate)[0]

    def expand(
        self, coefficients: ArrayLike, guess_rate: float, lapse_rate: float
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return log rates with their gradients and their Hessians in all coefficients.

        Shapes (n_cells,), (n_cells, n_all) and (n_cells, n_all, n_all).
        """
        theta = np.asarray(coefficients, dtype=np.float64)
        n_terms = self.design.shape[1]
        logit = logit_accuracy(self.design, theta[:n_terms])
        sigma = expit(logit)
        share = 1.0 - guess_rate - lapse_rate
        slope = share * sigma * (1.0 - sigma)
        bend = slope * (1.0 - 2.0 * sigma)
        points = np.diff(self.factor_starts)[:, None]
        first, outer = self.factor_starts[:-1], self.design[:, :, None] * self.design[:, None, :]
        rate = np.add.reduceat(guess_rate + share * sigma, first) / points[:, 0]
        miss = np.add.reduceat(lapse_rate + share * expit(-logit), first) / points[:, 0]
        gradient = np.add.reduceat(slope[:, None] * self.design, first) / points
        hessian = np.add.reduceat(bend[:, None, None] * outer, first) / points[:, :, None]
        # d2 log q = q''/q - (q'/q)(q'/q)'
        gradient = gradient / rate[:, None]
        hessian = hessian / rate[:, None, None] - gradient[:, :, None] * gradient[:, None, :]
        cells, power = self.cell_starts[:-1], self.powers
        n_all = theta.size
        slopes, bends = np.zeros((cells.size, n_all)), np.zeros((cells.size, n_all, n_all))
        slopes[:, :n_terms] = np.add.reduceat(power[:, None] * gradient, cells)
        slopes[:, n_terms:] = self.combining
        bends[:, :n_terms, :n_terms] = np.add.reduceat(power[:, None, None] * hessian, cells)
        # By the chance to miss where that is small: a fact that is nearly sure keeps its digits.
        log_rate = np.where(miss < 0.5, np.log1p(-np.minimum(miss, 0.5)), np.log(rate))
        logs = np.add.reduceat(power * log_rate, cells)
        return logs + self.combining @ theta[n_terms:], slopes, bends


def joint_likelihood(
    compound: Compound,
    coefficients: ArrayLike,
    *,
    n_cases: ArrayLike,
    successes: ArrayLike,
    guess_rate: float = 0.0,
    lapse_rate: float = 0.0,
) -> TrialLikelihood:
    """Return the log-likelihood of trials that need several facts, and its derivatives.

    Parameters
    ----------
    compound : Compound
    coefficients : array_like, shape (n_terms + n_combining,)
    n_cases, successes : array_like, shape (n_cells,)
        Successes may be fractions of cases (quasi-binomial).
    guess_rate, lapse_rate : float
        Of a single fact.

    Returns
    -------
    TrialLikelihood
        With a log-likelihood of minus infinity where a combining factor makes a rate reach 1.

    Notes
    -----
    With P the chance of success and g, H the derivatives of log P: the score is
    ``(k - n P) / (1 - P) g``, the Hessian ``(k - n P) / (1 - P) H - (n - k) P / (1 - P)^2 g g'``
    and the information ``n P / (1 - P) g g'``.

    Examples
    --------
    >>> two = Compound.of_places(np.array([[[1.0], [1.0]]]))
    >>> joint_likelihood(two, [0.0], n_cases=[16], successes=[4]).gradient.tolist()
    [0.0]
    """
    n, k = np.asarray(n_cases, np.float64), np.asarray(successes, np.float64)
    logs, slopes, bends = compound.expand(coefficients, guess_rate, lapse_rate)
    wrong = -np.expm1(logs)
    if (wrong <= 0.0).any():
        nothing = np.full(slopes.shape[1:] * 2, np.nan)
        return TrialLikelihood(-np.inf, np.full(slopes.shape[1], np.nan), nothing, nothing)
    rate = np.exp(logs)
    residual = (k - n * rate) / wrong
    odds = rate / wrong
    squares = slopes[:, :, None] * slopes[:, None, :]
    twist = (n - k) * odds / wrong
    hessian = residual[:, None, None] * bends - twist[:, None, None] * squares
    return TrialLikelihood(
        log_likelihood=float((k * logs + xlogy(n - k, wrong)).sum()),
        gradient=slopes.T @ residual,
        hessian=hessian.sum(axis=0),
        information=((n * odds)[:, None, None] * squares).sum(axis=0),
    )


def joint_penalty(
    compound: Compound,
    coefficients: ArrayLike,
    *,
    n_cases: ArrayLike,
    guess_rate: float = 0.0,
    lapse_rate: float = 0.0,
) -> tuple[float, FloatArray]:
    """Return Jeffreys' penalty, half the log determinant of the information, and its gradient.

    Parameters
    ----------
    compound : Compound
    coefficients : array_like, shape (n_terms + n_combining,)
    n_cases : array_like, shape (n_cells,)
    guess_rate, lapse_rate : float
        Of a single fact.

    Returns
    -------
    float and ndarray of float64, shape (n_terms + n_combining,)
        Minus infinity and NaN where the information is singular.

    Notes
    -----
    With w = n P / (1 - P), g and H the derivatives of log P and V the inverse of the information,
    the gradient is ``sum w / (1 - P) (g' V g) g / 2 + w H V g`` (Firth 1993, Biometrika 80:27).

    Examples
    --------
    >>> one = Compound.of_places(np.ones((1, 1, 1)))
    >>> value, gradient = joint_penalty(one, [0.0], n_cases=[16])
    >>> round(value, 4), gradient.tolist()
    (0.6931, [0.0])
    """
    logs, slopes, bends = compound.expand(coefficients, guess_rate, lapse_rate)
    wrong = -np.expm1(logs)
    with np.errstate(divide="ignore", invalid="ignore"):
        weight = np.asarray(n_cases, np.float64) * np.exp(logs) / wrong
        information = slopes.T @ (weight[:, None] * slopes)
        sign, log_determinant = np.linalg.slogdet(information)
    if not sign > 0.0:
        return -np.inf, np.full(slopes.shape[1], np.nan)
    pulled = slopes @ np.linalg.inv(information)
    leverage = (pulled * slopes).sum(axis=1)
    return float(log_determinant) / 2.0, (
        (weight / wrong * leverage / 2.0) @ slopes + np.einsum("c,cij,cj->i", weight, bends, pulled)
    )
