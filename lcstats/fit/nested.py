"""Is a term needed at all? A curve with it against the curve without it, on the same cells."""

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from scipy.special import chdtrc, fdtrc, xlog1py, xlogy

from lcstats.curve import FloatArray, accuracy_from_logit
from lcstats.errors import OptionError, describe
from lcstats.fit.covariance import graded_dispersion
from lcstats.fit.goodness import N_SIMULATIONS, check_simulations
from lcstats.fit.refit import draw_counts, refit
from lcstats.fit.result import CurveFit
from lcstats.options import TermTestKind, check_type
from lcstats.records import SCHEMA_VERSION

ROUNDING = 1e-6
"""Equal tables, fitted from other starts, have statistics that differ by less than this."""


@dataclass(frozen=True, slots=True)
class TermTest:
    """How surprising the gain of further terms is where they are not needed.

    Attributes
    ----------
    terms : tuple of str
        What the larger curve has beyond the smaller one.
    statistic : float
        Twice the gain in log-likelihood.
    p_value : float
    asymptotic_p_value : float
        Of the chi-square distribution with one degree of freedom per term, which wants many cases
        per cell and no penalty.
    aic_difference : float or None
        Larger less smaller; below 0 speaks for the larger curve. None for graded scores, which have
        no likelihood to compare.
    kind : {"parametric_bootstrap", "quasi_likelihood"}
        Where `p_value` comes from: tables drawn from the smaller curve, or, for graded scores, the
        F distribution with the statistic divided by the dispersion of the scores.
    """

    terms: tuple[str, ...]
    statistic: float
    p_value: float
    asymptotic_p_value: float
    aic_difference: float | None
    kind: TermTestKind

    def to_dict(self) -> dict[str, Any]:
        """Return an entry of ``term_tests`` in the ``fit`` JSON."""
        return {"schema_version": SCHEMA_VERSION, **asdict(self), "terms": list(self.terms)}


def compare_terms(
    smaller: CurveFit,
    larger: CurveFit,
    *,
    n_simulations: int = N_SIMULATIONS,
    seed: int = 0,
    n_threads: int = 1,
) -> TermTest:
    """Test whether the further terms of a curve are needed.

    Parameters
    ----------
    smaller, larger : CurveFit
        Of the same cells, with the same penalty and constants; the terms of `smaller` are some of
        those of `larger`.
    n_simulations : int
        Tables to draw from `smaller`; at least 99. Not used for graded scores.
    seed, n_threads : int

    Returns
    -------
    TermTest

    Raises
    ------
    OptionError
        If `smaller` or `larger` is no fit, the curves are not nested, or there are too few
        simulations.

    Notes
    -----
    The statistic is 2 (l_larger - l_smaller), l the log-likelihood without penalty at each fit.
    Both curves are fitted to every simulated table in the way they were fitted to the data, so
    that few cases, separation and the penalty are accounted for; a lapse rate or recency scale
    that was estimated is held at its estimate.

    Examples
    --------
    >>> from lcstats.cells import Cells
    >>> from lcstats.fit import fit_curve
    >>> cells = Cells.from_counts(
    ...     [4096, 16384, 65536], [0.0, 0.5, 1.0], n_cases=80,
    ...     successes=[[79, 78, 78], [77, 61, 78], [70, 38, 71]],
    ... )  # fmt: skip
    >>> smaller = fit_curve(cells, terms=("intercept", "length"))
    >>> test = compare_terms(smaller, fit_curve(cells, terms=("intercept", "length", "middle")))
    >>> test.terms, test.p_value
    (('middle',), 0.001)
    """
    check_type(smaller, CurveFit, "smaller")
    check_type(larger, CurveFit, "larger")
    further = _further_terms(smaller, larger)
    statistic = 2.0 * (larger.log_likelihood - smaller.log_likelihood)
    if larger.grid.has_fractions:
        kind: TermTestKind = "quasi_likelihood"
        p_value = _quasi_likelihood(larger, statistic, len(further))
    else:
        kind = "parametric_bootstrap"
        check_simulations(n_simulations, seed, n_threads)
        drawn = _simulated(smaller, larger, n_simulations, seed, n_threads)
        p_value = simulated_p_value(statistic, drawn)
    return TermTest(
        terms=further,
        statistic=statistic,
        p_value=p_value,
        asymptotic_p_value=float(chdtrc(len(further), max(statistic, 0.0))),
        aic_difference=None if larger.grid.has_fractions else larger.aic - smaller.aic,
        kind=kind,
    )


def simulated_p_value(statistic: float, drawn: FloatArray) -> float:
    """Return the share of statistics as large as the observed one, which counts among them."""
    reach = np.count_nonzero(drawn >= statistic - ROUNDING * max(1.0, abs(statistic)))
    return float((1 + reach) / (1 + drawn.size))


def _simulated(
    smaller: CurveFit, larger: CurveFit, n_simulations: int, seed: int, n_threads: int
) -> FloatArray:
    """Statistics of tables drawn from the smaller curve, shape (n_simulations,)."""
    counts = draw_counts(smaller, n_simulations, np.random.default_rng(seed))
    of_smaller, of_larger = (
        log_likelihoods(fit, counts, n_threads=n_threads) for fit in (smaller, larger)
    )
    return 2.0 * (of_larger - of_smaller)


def log_likelihoods(fit: CurveFit, counts: FloatArray, *, n_threads: int) -> FloatArray:
    """Log-likelihood of every table at its own fit, shape (n_replicates,)."""
    batch = refit(fit, fit.cells.n_cases, counts, n_threads=n_threads)
    accuracy = accuracy_from_logit(
        batch.coefficients @ fit.design.T,
        guess_rate=fit.curve.guess_rate,
        lapse_rate=fit.curve.lapse_rate,
    )
    wrong = fit.cells.n_cases - counts
    return np.asarray((xlogy(counts, accuracy) + xlog1py(wrong, -accuracy)).sum(axis=1))


def _quasi_likelihood(larger: CurveFit, statistic: float, n_terms: int) -> float:
    """Compare with F, the scatter of cases standing for the binomial one.

    Without single cases that is the scatter of cells.
    """
    n_parameters, cases = len(larger.parameters), larger.grid.cases
    degrees = (larger.cells.length if cases is None else cases.cell).size - n_parameters
    dispersion = larger.dispersion
    if cases is not None:
        fitted = larger.accuracy.ravel()[larger.cells.flat]
        dispersion = graded_dispersion(larger.grid, larger.cells, fitted, n_parameters)
    ratio = max(statistic, 0.0) / (n_terms * dispersion)
    return float(fdtrc(n_terms, degrees, ratio)) if degrees > 0 else float("nan")


def _further_terms(smaller: CurveFit, larger: CurveFit) -> tuple[str, ...]:
    further = tuple(term for term in larger.terms if term not in smaller.terms)
    same = (
        smaller.is_of(larger.grid)
        and smaller.penalty == larger.penalty
        and smaller.curve.guess_rate == larger.curve.guess_rate
    )
    otherwise = "" if same else ", and other cells, penalty or guess rate"
    if not further or set(smaller.terms) - set(larger.terms) or not same:
        raise OptionError(
            describe(
                f"the curves have the terms {', '.join(smaller.terms)} and "
                f"{', '.join(larger.terms)}{otherwise}",
                "expected two fits to the same cells in the same way, the second with all terms of "
                "the first and further ones",
                "fit the first with fit_curve(cells, terms=...), leaving a term out",
            )
        )
    return further
