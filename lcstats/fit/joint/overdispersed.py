"""Numbers of found facts that scatter more than binomial ones: the beta-binomial fit."""

from dataclasses import asdict, dataclass

import numpy as np
from scipy.special import chdtrc

from lcstats.curve import FloatArray, TrialLikelihood, count_likelihood, joint_penalty
from lcstats.fit.covariance import invert_information
from lcstats.fit.joint.separation import separates_facts
from lcstats.fit.joint.solve import Problem
from lcstats.fit.table import Law

MOST_ITERATIONS = 200
MOST_HALVINGS = 30
DONE = 1e-8
"""Squared step, in standard errors, at which a fit has settled."""
ROUNDING = 1e-12
"""Share of the log-likelihood that a sum in another order may lose."""
LARGEST_STEP = 3.0
"""Change of the log of the ratio that one step may bring."""
CORRELATIONS = (0.01, 0.9)
"""Of two facts of a trial, between which a fit starts."""
SMALLEST_RATIO = 1e-6
"""Ratio below which counts are binomial."""
SIGNIFICANT = 0.05
"""P-value below which counts are taken to scatter more than binomial ones."""


@dataclass(frozen=True, slots=True)
class Overdispersion:
    """How the facts of a trial hang together in numbers of found facts.

    Attributes
    ----------
    correlation : float
        Of two facts of a trial given their rate, in (0, 1): n facts scatter as
        ``1 + (n - 1) correlation`` times the binomial variance.
    standard_error : float
    statistic : float
        Twice the gain in log-likelihood over binomial counts.
    p_value : float
        Half that of a chi-square with one degree of freedom: no correlation is the edge of what is
        possible (Self and Liang 1987, JASA 82:605).
    """

    correlation: float
    standard_error: float
    statistic: float
    p_value: float

    def to_dict(self) -> dict[str, float]:
        """Return the four numbers."""
        return asdict(self)


@dataclass(frozen=True, slots=True, eq=False)
class CountSolution:
    """A fit of the beta-binomial likelihood.

    Attributes
    ----------
    coefficients : ndarray of float64, shape (n_parameters,)
    ratio : float
        rho / (1 - rho).
    likelihood : TrialLikelihood
        There, without penalty.
    converged : bool
    """

    coefficients: FloatArray
    ratio: float
    likelihood: TrialLikelihood
    converged: bool

    @property
    def covariance(self) -> FloatArray:
        """Of the coefficients and then the ratio; infinite where nothing determines them."""
        return invert_information(self.likelihood.information)

    def overdispersion(self, binomial: float) -> Overdispersion:
        """State the correlation against the log-likelihood of binomial counts."""
        statistic = max(2.0 * (self.likelihood.log_likelihood - binomial), 0.0)
        error = float(np.sqrt(self.covariance[-1, -1])) / (1.0 + self.ratio) ** 2
        return Overdispersion(
            correlation=self.ratio / (1.0 + self.ratio),
            standard_error=error,
            statistic=statistic,
            p_value=float(chdtrc(1, statistic)) / 2.0 if statistic else 1.0,
        )


def choose_counts(
    problem: Problem,
    tallies: FloatArray,
    law: Law,
    coefficients: FloatArray,
    *,
    penalised: bool,
    binomial: float,
) -> CountSolution | None:
    """Return the beta-binomial fit where its test rejects binomial counts; None elsewhere.

    Parameters
    ----------
    problem, tallies, law, coefficients, penalised
        As for :func:`solve_counts`.
    binomial : float
        Log-likelihood of the binomial fit.

    Notes
    -----
    Counts that separate do not scatter, and the penalty that keeps their rates off 0 and 1 would
    pass for scatter: they are binomial.
    """
    successes = tallies @ np.arange(tallies.shape[1])
    if separates_facts(problem.compound, problem.n_cases, successes):
        return None
    found = solve_counts(problem, tallies, law, coefficients, penalised=penalised)
    if found is None or found.overdispersion(binomial).p_value >= SIGNIFICANT:
        return None
    return found


def solve_counts(
    problem: Problem, tallies: FloatArray, law: Law, coefficients: FloatArray, *, penalised: bool
) -> CountSolution | None:
    """Maximise the (penalised) beta-binomial likelihood.

    Parameters
    ----------
    problem : Problem
        Of one task whose facts are counted.
    tallies : ndarray of float64, shape (n_cells, n_facts + 1)
    law : Law
    coefficients : ndarray of float64, shape (n_parameters,)
        Of the binomial fit.
    penalised : bool
        With Jeffreys' penalty of binomial counts, which the correlation changes by next to a
        constant: its information is that of fewer facts.

    Returns
    -------
    CountSolution or None
        None where counts scatter no more than binomial ones.

    Notes
    -----
    Fisher scoring in the coefficients and the log of the ratio, with steps halved until they gain.
    """
    objective = _Objective(problem, tallies, law, penalised)
    if objective.likelihood(np.append(coefficients, -np.inf)).gradient[-1] <= 0.0:
        return None
    point = np.append(coefficients, np.log(_first_ratio(problem, tallies, law, coefficients)))
    value, gradient, information = objective.at(point)
    converged = False
    for _ in range(MOST_ITERATIONS):
        step = np.linalg.lstsq(information, gradient, rcond=None)[0]
        converged = float(step @ gradient) < DONE
        if converged or point[-1] < np.log(SMALLEST_RATIO):
            break
        step *= min(1.0, LARGEST_STEP / max(abs(step[-1]), LARGEST_STEP))
        for _ in range(MOST_HALVINGS):
            trial = objective.at(point + step)
            if trial[0] >= value - ROUNDING * abs(value):
                break
            step /= 2.0
        point, (value, gradient, information) = point + step, trial
    if point[-1] < np.log(SMALLEST_RATIO):
        return None
    likelihood = objective.likelihood(point)
    return CountSolution(point[:-1], float(np.exp(point[-1])), likelihood, converged)


@dataclass(frozen=True, slots=True, eq=False)
class _Objective:
    """The penalised log-likelihood by the coefficients and the log of the ratio."""

    problem: Problem
    tallies: FloatArray
    law: Law
    penalised: bool

    def likelihood(self, point: FloatArray) -> TrialLikelihood:
        return count_likelihood(
            self.problem.compound,
            point[:-1],
            float(np.exp(point[-1])),
            tallies=self.tallies,
            guess_rate=self.law.guess_rate,
            lapse_rate=self.law.lapse_rate,
        )

    def at(self, point: FloatArray) -> tuple[float, FloatArray, FloatArray]:
        """Return value, gradient and expected information."""
        found = self.likelihood(point)
        value, gradient = found.log_likelihood, found.gradient.copy()
        if self.penalised:
            more, slope = joint_penalty(
                self.problem.compound,
                point[:-1],
                n_cases=self.problem.n_cases,
                guess_rate=self.law.guess_rate,
                lapse_rate=self.law.lapse_rate,
            )
            value += more
            gradient[:-1] += slope
        scale = np.append(np.ones(point.size - 1), np.exp(point[-1]))
        return (
            value if np.isfinite(value) else -np.inf,
            gradient * scale,
            found.information * np.outer(scale, scale),
        )


def _first_ratio(
    problem: Problem, tallies: FloatArray, law: Law, coefficients: FloatArray
) -> float:
    """Ratio by which the variance of counts about their rates is what it is."""
    logs = problem.compound.log_rates(
        coefficients, guess_rate=law.guess_rate, lapse_rate=law.lapse_rate
    )
    rate, number = np.exp(logs)[:, None], np.arange(tallies.shape[1])
    n_facts = number[-1]
    squares = (tallies * (number - n_facts * rate) ** 2).sum()
    binomial = (tallies.sum(axis=1)[:, None] * n_facts * rate * (1.0 - rate)).sum()
    correlation = (squares / binomial - 1.0) / (n_facts - 1.0) if binomial > 0.0 else 0.0
    correlation = min(max(float(correlation), CORRELATIONS[0]), CORRELATIONS[1])
    return correlation / (1.0 - correlation)
