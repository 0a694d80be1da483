"""Priors of the curve: stated once, weak, and the same for every table."""

import math
from dataclasses import dataclass, fields
from numbers import Real

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betaincinv, betaln, gammaln, ndtr

from lcstats.curve import FloatArray
from lcstats.errors import OptionError, describe
from lcstats.fit import CurveFit

LARGEST_SHARE = 1.0 - 1e-12


@dataclass(frozen=True, slots=True)
class Priors:
    """Scales of the priors, in log-odds; every coefficient has a Student t around 0.

    Attributes
    ----------
    level : float
        Of the logit of accuracy at the middle of the tested lengths (on the log scale) and the
        start of the context. 4: accuracies from .02 to .98 hold two thirds of the mass.
    length : float
        Of the fall over the curve's whole span: 7 doublings for tokens, from the shortest to the
        longest tested length for other units. 7: a logit per doubling, which is 4 times the
        published decay of common tasks.
    middle : float
        Of the middle penalty at the full span. 3: odds of a right answer 20 times lower.
    recency : float
        Of the bonus at the very end of the context. 2: odds 7 times higher. It rests on few
        cells and has a long tail upwards, where nothing but the prior holds it.
    lapse : tuple of float
        The two shapes of a Beta for the share ``lapse_rate / (1 - guess_rate)``, where a lapse
        rate is estimated. Mean 1/11; the mode is no lapse at all.
    degrees_of_freedom : float
        Of the Student t; ``inf`` makes them normal.

    Raises
    ------
    OptionError
        If a scale, a shape or the degrees of freedom are not above 0.

    Notes
    -----
    With l = log2(L / L0), l' the middle of the tested l's, and t7(s) a Student t with 7 degrees
    of freedom and scale s::

        a - b l' ~ t7(level)    b span ~ t7(length)    c ~ t7(middle)    r ~ t7(recency)
        lapse / (1 - guess) ~ Beta(1, 10)

    All are centred on 0: neither right nor wrong answers, neither decay nor growth with length
    are favoured. The level is taken in the middle of what was tested and not at 1K, because a
    curve that falls off a cliff at 64K is worth some 20 logits at 1K: an intercept's own prior
    would forbid cliffs. Two things were looked at when the scales were chosen. What they do to
    tables that decide: on METHOD's worked example with 20 cases per cell the posterior mean is
    within .2 standard deviations of the penalised fit in every coefficient. And that a table
    without a single error, or a separated one, still has a proper posterior.

    References
    ----------
    Gelman, Jakulin, Pittau and Su (2008), A weakly informative default prior distribution for
    logistic and other regression models, Annals of Applied Statistics 2, 1360-1383.
    Ghosh, Li and Mitra (2018), On the use of Cauchy prior distributions for Bayesian logistic
    regression, Bayesian Analysis 13, 359-383 (why 7 degrees of freedom and not 1).
    Schuett, Harmeling, Macke and Wichmann (2016), Painfree and accurate Bayesian estimation of
    psychometric functions for (potentially) overdispersed data, Vision Research 122, 105-123
    (Beta(1, 10) for the lapse rate).

    Examples
    --------
    >>> Priors(length=3.5).length
    3.5
    """

    level: float = 4.0
    length: float = 7.0
    middle: float = 3.0
    recency: float = 2.0
    lapse: tuple[float, float] = (1.0, 10.0)
    degrees_of_freedom: float = 7.0

    def __post_init__(self) -> None:
        """Refuse scales that are none."""
        for field in fields(self):
            value = getattr(self, field.name)
            for number in value if field.name == "lapse" else (value,):
                _check_scale(field.name, number)

    def scales(self, terms: tuple[str, ...]) -> FloatArray:
        """Scales of the terms' priors, shape (n_terms,); the intercept's is the level's."""
        return np.array([getattr(self, "level" if t == "intercept" else t) for t in terms])

    def log_density(self, standardised: FloatArray) -> FloatArray:
        """Log density of standardised coefficients, (..., n_terms) to (...)."""
        freedom = self.degrees_of_freedom
        squares = standardised**2
        if math.isinf(freedom):
            return np.asarray(-0.5 * (squares + np.log(2.0 * np.pi)).sum(axis=-1))
        constant = gammaln((freedom + 1.0) / 2.0) - gammaln(freedom / 2.0)
        constant -= 0.5 * np.log(freedom * np.pi)
        tails = -0.5 * (freedom + 1.0) * np.log1p(squares / freedom)
        return np.asarray((constant + tails).sum(axis=-1))

    def slope(self, standardised: FloatArray) -> FloatArray:
        """Derivative of :meth:`log_density` in every coefficient, same shape."""
        freedom = self.degrees_of_freedom
        if math.isinf(freedom):
            return -standardised
        return np.asarray(-(freedom + 1.0) * standardised / (freedom + standardised**2))

    def lapse_share(self, normal: FloatArray) -> FloatArray:
        """The lapse's share whose normal score under its prior is `normal`, same shape."""
        first, second = self.lapse
        return np.asarray(np.minimum(betaincinv(first, second, ndtr(normal)), LARGEST_SHARE))

    def lapse_slope(self, normal: float) -> float:
        """Derivative of :meth:`lapse_share`: the normal density over the Beta's."""
        first, second = self.lapse
        share = max(float(self.lapse_share(np.array(normal))), 1e-300)
        beta = (first - 1.0) * np.log(share) + (second - 1.0) * np.log1p(-share)
        beta -= betaln(first, second)
        return float(np.exp(-0.5 * normal**2 - 0.5 * np.log(2.0 * np.pi) - beta))

    def draw(self, terms: tuple[str, ...], n_draws: int, rng: np.random.Generator) -> FloatArray:
        """Draw standardised coefficients, shape (n_draws, n_terms)."""
        shape = (n_draws, len(terms))
        if math.isinf(self.degrees_of_freedom):
            return rng.standard_normal(shape)
        return rng.standard_t(self.degrees_of_freedom, shape)


@dataclass(frozen=True, slots=True, eq=False)
class Standardisation:
    """The way between a law's coefficients and those that have the priors, each of scale 1.

    Attributes
    ----------
    matrix : ndarray of float64, shape (n_terms, n_terms)
        Coefficients are ``standardised @ matrix.T``.
    """

    matrix: FloatArray

    def coefficients(self, standardised: ArrayLike) -> FloatArray:
        """Coefficients of the law, shape (..., n_terms)."""
        return np.asarray(np.asarray(standardised, dtype=np.float64) @ self.matrix.T)

    def design(self, design: FloatArray) -> FloatArray:
        """Columns of the standardised coefficients, shape (n_cells, n_terms)."""
        return np.ascontiguousarray(design @ self.matrix)

    def standardise(self, coefficients: ArrayLike) -> FloatArray:
        """Undo :meth:`coefficients`."""
        return np.asarray(np.linalg.solve(self.matrix, np.asarray(coefficients).T).T)


def standardise_by(fit: CurveFit, priors: Priors) -> Standardisation:
    """Make the standardisation of a fit's law on its tested lengths.

    Notes
    -----
    The coefficients are scale times standardised, but for ``length``, which is divided by the
    span, and the intercept, to which the length's share up to the middle is added.
    """
    matrix = np.diag(priors.scales(fit.terms))
    if "length" in fit.terms:
        at = fit.terms.index("length")
        ends = fit.grid.lengths[[0, -1]].astype(np.float64)
        middle = float(np.log2(ends / fit.law.base_length).mean())
        matrix[at, at] /= fit.law.span_doublings
        matrix[0, at] = middle * matrix[at, at]
    return Standardisation(matrix)


def _check_scale(name: str, value: object) -> None:
    if isinstance(value, bool) or not isinstance(value, Real) or not float(value) > 0.0:
        raise OptionError(
            describe(
                f"the prior's {name} is {value!r}",
                "expected numbers above 0",
                "write Priors() for the method's own priors",
            )
        )
