"""The posterior density of one curve, in the standardised coefficients that have the priors."""

from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize

from lcstats.curve import FloatArray
from lcstats.fit import CurveFit
from lcstats.kernels.likelihood import TINY, log_likelihoods
from lcstats.posterior.priors import Priors, Standardisation, standardise_by

FAR = 5.0
STARTING_LAPSE = -1.0
DIFFERENCE = 1e-4
"""Step of the numerical second derivatives, in prior scales; the gradient is exact."""


@dataclass(frozen=True, slots=True, eq=False)
class PosteriorDensity:
    """Log posterior density of a curve's coefficients, up to a constant.

    A point is one row: the standardised coefficients, and after them, where the lapse rate is
    estimated, the normal score of ``lapse_rate / (1 - guess_rate)`` under its prior. (A logit has a
    long tail where the data see no lapse; on this scale the prior is a standard normal.)

    Attributes
    ----------
    design : ndarray of float64, shape (n_cells, n_terms)
        Columns of the standardised coefficients.
    n_cases, successes : ndarray of float64, shape (n_cells,)
    guess_rate, lapse_rate : float
        `lapse_rate` counts where it is not estimated.
    estimates_lapse : bool
    variance_ratio : float
        By which the log-likelihood is divided: how many times more (or less) the counts scatter
        than independent 0/1 cases.
    priors : Priors
    standardisation : Standardisation
    """

    design: FloatArray
    n_cases: FloatArray
    successes: FloatArray
    guess_rate: float
    lapse_rate: float
    estimates_lapse: bool
    variance_ratio: float
    priors: Priors
    standardisation: Standardisation

    @property
    def n_terms(self) -> int:
        """Number of coefficients."""
        return int(self.design.shape[1])

    @property
    def n_dimensions(self) -> int:
        """Length of a point."""
        return self.n_terms + self.estimates_lapse

    def log_density(self, points: FloatArray) -> FloatArray:
        """Log posterior density, (n_points, n_dimensions) to (n_points,)."""
        fit = log_likelihoods(
            self.design,
            np.ascontiguousarray(points[:, : self.n_terms]),
            self.n_cases,
            self.successes,
            self.guess_rate,
            self.lapse_rates(points),
        )
        return np.asarray(fit / self.variance_ratio + self.log_prior(points))

    def log_prior(self, points: FloatArray) -> FloatArray:
        """Log prior density, (n_points, n_dimensions) to (n_points,)."""
        density = self.priors.log_density(points[:, : self.n_terms])
        if self.estimates_lapse:
            density = density - 0.5 * (points[:, -1] ** 2 + np.log(2.0 * np.pi))
        return density

    def lapse_rates(self, points: FloatArray) -> FloatArray:
        """Lapse rate of every point, shape (n_points,)."""
        if not self.estimates_lapse:
            return np.full(len(points), self.lapse_rate)
        return np.asarray((1.0 - self.guess_rate) * self.priors.lapse_share(points[:, -1]))

    def gradient(self, point: FloatArray) -> FloatArray:
        """Derivative of the log density at one point, shape (n_dimensions,)."""
        lapse = float(self.lapse_rates(point[None])[0])
        right, wrong = _two_sides(self.design @ point[: self.n_terms])
        share = 1.0 - self.guess_rate - lapse
        p = np.maximum(self.guess_rate + share * right, TINY)
        q = np.maximum(lapse + share * wrong, TINY)
        pull = (self.successes / p - (self.n_cases - self.successes) / q) / self.variance_ratio
        by_term = self.design.T @ (pull * share * right * wrong)
        by_term += self.priors.slope(point[: self.n_terms])
        if not self.estimates_lapse:
            return np.asarray(by_term)
        score = float(point[-1])
        by_lapse = -(1.0 - self.guess_rate) * self.priors.lapse_slope(score) * float(pull @ right)
        return np.append(by_term, by_lapse - score)

    def coefficients(self, points: FloatArray) -> FloatArray:
        """Coefficients of the law, shape (n_points, n_terms)."""
        return self.standardisation.coefficients(points[:, : self.n_terms])

    def start(self, fit: CurveFit) -> FloatArray:
        """The fit as a point, held within a few prior scales; a lapse rate starts low."""
        terms = np.clip(self.standardisation.standardise(fit.coefficients), -FAR, FAR)
        return np.append(terms, STARTING_LAPSE) if self.estimates_lapse else terms


@dataclass(frozen=True, slots=True, eq=False)
class Mode:
    """The highest point of a density and its curvature there.

    Attributes
    ----------
    point : ndarray of float64, shape (n_dimensions,)
    covariance : ndarray of float64, shape (n_dimensions, n_dimensions)
        Inverse of minus the second derivatives.
    """

    point: FloatArray
    covariance: FloatArray


def density_of(
    fit: CurveFit, priors: Priors, *, estimates_lapse: bool, variance_ratio: float = 1.0
) -> PosteriorDensity:
    """Make the posterior density of a fit's law and counts."""
    standardisation = standardise_by(fit, priors)
    return PosteriorDensity(
        design=standardisation.design(fit.design),
        n_cases=np.ascontiguousarray(fit.cells.n_cases),
        successes=np.ascontiguousarray(fit.cells.successes),
        guess_rate=fit.curve.guess_rate,
        lapse_rate=fit.curve.lapse_rate,
        estimates_lapse=estimates_lapse,
        variance_ratio=variance_ratio,
        priors=priors,
        standardisation=standardisation,
    )


def find_mode(density: PosteriorDensity, start: FloatArray) -> Mode:
    """Climb from `start`; the curvature is differences of the exact gradient."""

    def loss(point: FloatArray) -> float:
        return -float(density.log_density(point[None])[0])

    def slope(point: FloatArray) -> FloatArray:
        return -density.gradient(point)

    result = minimize(loss, start, jac=slope, method="BFGS")
    point = np.asarray(result.x, dtype=np.float64)
    steps = DIFFERENCE * np.eye(point.size)
    rows = [density.gradient(point - h) - density.gradient(point + h) for h in steps]
    curvature = np.array(rows) / (2.0 * DIFFERENCE)
    values, vectors = np.linalg.eigh((curvature + curvature.T) / 2.0)
    # The prior's own curvature is about 1 here: less is no curvature to draw by.
    return Mode(point, np.asarray((vectors / np.maximum(values, 0.1)) @ vectors.T))


def _two_sides(logits: FloatArray) -> tuple[FloatArray, FloatArray]:
    """1 / (1 + exp(-x)) and 1 / (1 + exp(x)), each to full relative precision."""
    small = np.exp(-np.abs(logits))
    large = 1.0 / (1.0 + small)
    small *= large
    positive = logits > 0
    return np.where(positive, large, small), np.where(positive, small, large)
