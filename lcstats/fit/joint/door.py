"""`fit_joint` and `compare_joint`: one curve behind several tasks, and whether it is one."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
from scipy.special import chdtrc

from lcstats.curve import (
    BASE_LENGTH,
    RECENCY_SCALE,
    SPAN_DOUBLINGS,
    TERMS,
    FloatArray,
)
from lcstats.errors import (
    DesignWarning,
    Notice,
    OptionError,
    SeparationWarning,
    announce,
    describe,
)
from lcstats.fit.covariance import invert_information
from lcstats.fit.door import LARGEST_ERROR
from lcstats.fit.joint.overdispersed import choose_counts
from lcstats.fit.joint.parameters import (
    COMBINING_RATE,
    Parameter,
    drop_confounded,
    list_parameters,
)
from lcstats.fit.joint.resample import draw_counts, refit_counts
from lcstats.fit.joint.result import JointFit
from lcstats.fit.joint.separation import separates_facts
from lcstats.fit.joint.solve import (
    Problem,
    exceeding,
    likelihood_at,
    pose,
    solve_joint,
    successes_of,
)
from lcstats.fit.joint.tasks import TaskCounts, excess_scatter
from lcstats.fit.nested import TermTest, simulated_p_value
from lcstats.fit.table import DroppedTerm, Law
from lcstats.options import Penalty, check_option, check_whole

N_SIMULATIONS = 999


def fit_joint(
    tasks: TaskCounts | Sequence[TaskCounts],
    *,
    terms: Sequence[str] = TERMS,
    penalty: Penalty = "jeffreys",
    guess_rate: float = 0.0,
    lapse_rate: float = 0.0,
    base_length: float = BASE_LENGTH,
    span_doublings: float = SPAN_DOUBLINGS,
) -> JointFit:
    """Fit one curve of single facts to tasks that need one or several of them.

    Parameters
    ----------
    tasks : TaskCounts or sequence of TaskCounts
        Of one language model. A task's own terms are differences from the common ones.
    terms : sequence of str
        ``intercept`` and some of ``length``, ``middle``, ``recency``. Terms that trials cannot tell
        from others are dropped and named in the result.
    penalty : {"jeffreys", "none"}
        As for :func:`lcstats.fit.fit_curve`.
    guess_rate, lapse_rate : float
        Of a single fact.
    base_length, span_doublings : float
        Of the law; those of lengths in tokens unless given.

    Returns
    -------
    JointFit

    Raises
    ------
    OptionError
        If two tasks have one name, every task has own terms of a kind, or an option is unknown.

    Notes
    -----
    METHOD section 2, "Several needles": ``P(all) = h(L) prod_i p(L, d_i)`` with
    ``h = kappa exp(-omega l)`` for tasks that combine. A factor that would exceed 1 at a tested
    length is held at 1 at the base length, and left out if that is not enough.

    Examples
    --------
    >>> from lcstats.cells import Cells
    >>> cells = Cells.from_counts(
    ...     [4096, 16384, 65536], [0.0, 0.5, 1.0], n_cases=80,
    ...     successes=[[70, 62, 71], [62, 40, 66], [49, 17, 51]], task="pairs",
    ... )  # fmt: skip
    >>> pairs = TaskCounts.from_grid(cells.grid, np.stack([[0.0, 0.5, 1.0]] * 2))
    >>> fit_joint(pairs, terms=("intercept", "length")).curve.length > 0
    True
    """
    check_option(penalty, Penalty, "penalty")
    listed = (tasks,) if isinstance(tasks, TaskCounts) else tuple(tasks)
    _check_tasks(listed, terms)
    law = Law(
        tuple(term for term in TERMS if term in terms),
        guess_rate,
        lapse_rate,
        RECENCY_SCALE,
        base_length,
        span_doublings,
    )
    law.curve(np.zeros(len(law.terms)))
    parameters, dropped = drop_confounded(listed, law, list_parameters(listed, law))
    problem, found, converged, bounded = _solve_within(listed, law, parameters, penalty)
    fit = _summarise(
        listed,
        law,
        problem,
        found,
        (*dropped, *bounded),
        penalty=penalty,
        converged=converged,
    )
    if fit.tallies is not None:
        fit = _with_counts(fit, problem, fit.tallies)
    fit = replace(fit, notices=tuple(_notices(fit)))
    announce(fit.notices)
    return fit


def _solve_within(
    tasks: tuple[TaskCounts, ...], law: Law, parameters: tuple[Parameter, ...], penalty: Penalty
) -> tuple[Problem, FloatArray, bool, tuple[DroppedTerm, ...]]:
    """Solve, holding combining factors that would exceed 1: first their rate at 1, then all."""
    dropped: list[DroppedTerm] = []
    while True:
        problem = pose(tasks, law, parameters)
        found, converged = solve_joint(
            problem, successes_of(tasks), law, penalised=penalty == "jeffreys"
        )
        beyond = exceeding(problem, found)
        if not beyond and not converged:
            # A fit that runs into a rate of 1 stops there without settling.
            beyond = tuple(dict.fromkeys(p.task for p in parameters if p.combines))
        if not beyond:
            return problem, found, converged, tuple(dropped)
        out = _next_out(parameters, beyond)
        dropped += [DroppedTerm(p.name, "the factor would exceed 1: it is held at 1") for p in out]
        parameters = tuple(p for p in parameters if p not in out)


def _next_out(parameters: tuple[Parameter, ...], tasks: tuple[str, ...]) -> list[Parameter]:
    own = [p for p in parameters if p.combines and p.task in tasks]
    return [p for p in own if p.term == COMBINING_RATE] or own


def _summarise(
    tasks: tuple[TaskCounts, ...],
    law: Law,
    problem: Problem,
    found: FloatArray,
    dropped: tuple[DroppedTerm, ...],
    *,
    penalty: Penalty,
    converged: bool,
) -> JointFit:
    successes = successes_of(tasks)
    likelihood = likelihood_at(problem, successes, law, found)
    rate = np.exp(
        problem.compound.log_rates(found, guess_rate=law.guess_rate, lapse_rate=law.lapse_rate)
    )
    dispersion = _dispersion(problem.n_cases, successes, rate, found.size)
    return JointFit(
        tasks=tasks,
        law=law,
        fitted=problem.parameters,
        coefficients=found,
        covariance=excess_scatter(tasks, dispersion) * invert_information(likelihood.information),
        log_likelihood=likelihood.log_likelihood,
        dispersion=dispersion,
        penalty=penalty,
        converged=converged,
        separated=separates_facts(problem.compound, problem.n_cases, successes),
        dropped_terms=dropped,
    )


def _with_counts(fit: JointFit, problem: Problem, tallies: FloatArray) -> JointFit:
    """Return the beta-binomial fit of counts that scatter more than binomial ones, else `fit`."""
    penalised = fit.penalty == "jeffreys"
    found = choose_counts(
        problem,
        tallies,
        fit.law,
        fit.coefficients,
        penalised=penalised,
        binomial=fit.log_likelihood,
    )
    if found is None:
        return fit
    return replace(
        fit,
        coefficients=found.coefficients,
        covariance=found.covariance[:-1, :-1],
        log_likelihood=found.likelihood.log_likelihood,
        converged=found.converged,
        overdispersion=found.overdispersion(fit.log_likelihood),
    )


def _dispersion(n: FloatArray, k: FloatArray, rate: FloatArray, n_parameters: int) -> float:
    degrees = rate.size - n_parameters
    if degrees < 1:
        return float("nan")
    variance = np.maximum(n * rate * (1.0 - rate), 1e-300)
    return float(((k - n * rate) ** 2 / variance).sum() / degrees)


def _check_tasks(tasks: tuple[TaskCounts, ...], terms: Sequence[str]) -> None:
    names = [task.name for task in tasks]
    unknown = [term for term in terms if term not in TERMS]
    if not names or len(set(names)) < len(names) or unknown or "intercept" not in terms:
        raise OptionError(
            describe(
                f"tasks are {', '.join(names) or 'missing'}, terms {', '.join(terms)}",
                f"expected different tasks, and intercept and some of {', '.join(TERMS[1:])}",
                "give every task a name of its own, and leave terms out for all four",
            )
        )
    everyone = set.intersection(*(set(task.own_terms) for task in tasks))
    if everyone:
        raise OptionError(
            describe(
                f"every task has a {min(everyone)} of its own",
                "expected one task, of plain retrieval, say, that the others differ from",
                "leave own_terms out for that task",
            )
        )


def _notices(fit: JointFit) -> Iterator[Notice]:
    if not fit.converged:
        yield Notice(
            "not-converged",
            "the joint fit did not settle: its coefficients are where it stopped",
            DesignWarning,
        )
    if fit.separated:
        yield Notice(
            "separated",
            "trials separate right from wrong: some coefficients are bounded on one side only, and "
            "their size comes from the Jeffreys penalty; standard errors say nothing of such terms",
            SeparationWarning,
        )
    for name, error in fit.standard_errors.items():
        if not error < LARGEST_ERROR["term"]:
            yield Notice(
                "undetermined",
                f"the data do not determine {name}: its standard error is {error:.2g}; fit fewer "
                "terms, or further tasks with it",
                DesignWarning,
            )
    for term in fit.dropped_terms:
        yield Notice("dropped-term", f"no {term.term} term: {term.reason}", DesignWarning)
    if fit.overdispersion is not None:
        yield Notice(
            "overdispersed-counts",
            "numbers of found facts scatter more than binomial ones (likelihood ratio p = "
            f"{fit.overdispersion.p_value:.2g}): their likelihood is beta-binomial, two facts of a "
            f"trial with a correlation of {fit.overdispersion.correlation:.2g}",
            DesignWarning,
        )
    if any(not task.are_placed for task in fit.tasks):
        yield Notice(
            "places-averaged",
            "where needles lay is not known: the curve is averaged over the places of the design",
            DesignWarning,
        )


def compare_joint(
    smaller: JointFit, larger: JointFit, *, n_simulations: int = N_SIMULATIONS, seed: int = 0
) -> TermTest:
    """Test whether the further parameters of a joint fit are needed: tasks' own terms, say.

    Parameters
    ----------
    smaller, larger : JointFit
        Of the same counts with the same penalty; the parameters of `smaller` are some of those of
        `larger`.
    n_simulations : int
        Tables to draw from `smaller`, at least 99.
    seed : int

    Returns
    -------
    TermTest

    Raises
    ------
    OptionError
        If the fits are not nested or not of the same counts, or there are too few simulations.

    Notes
    -----
    Twice the gain in log-likelihood, for numbers of found facts that of the beta-binomial one
    wherever it is likelier, against tables drawn from the smaller fit to which both are
    fitted again: few cases and the penalty are accounted for.
    """
    check_whole(n_simulations, "n_simulations", least=99)
    further = _further(smaller, larger)
    rng = np.random.default_rng(seed)
    rates = np.concatenate(list(smaller.rates.values()))
    posed = [(fit, pose(fit.tasks, fit.law, fit.fitted)) for fit in (smaller, larger)]

    def gain(counts: FloatArray) -> float:
        fits = (refit_counts(fit, problem, counts, is_chosen=False) for fit, problem in posed)
        less, more = (refit.log_likelihood for refit in fits)
        return 2.0 * (more - less)

    tallies = smaller.tallies
    statistic = gain(successes_of(smaller.tasks) if tallies is None else tallies)
    drawn = np.empty(n_simulations)
    for simulation in range(n_simulations):
        drawn[simulation] = gain(draw_counts(smaller, posed[0][1], rates, rng))
    return TermTest(
        terms=further,
        statistic=statistic,
        p_value=simulated_p_value(statistic, drawn),
        asymptotic_p_value=float(chdtrc(len(further), max(statistic, 0.0))),
        aic_difference=2.0 * len(further) - statistic,
        kind="parametric_bootstrap",
    )


def _further(smaller: JointFit, larger: JointFit) -> tuple[str, ...]:
    further = tuple(name for name in larger.parameters if name not in smaller.parameters)
    same = [task.name for task in smaller.tasks] == [task.name for task in larger.tasks] and all(
        np.array_equal(ours.successes, theirs.successes)
        for ours, theirs in zip(smaller.tasks, larger.tasks, strict=True)
    )
    nested = not set(smaller.parameters) - set(larger.parameters)
    if not further or not nested or not same or smaller.penalty != larger.penalty:
        raise OptionError(
            describe(
                f"the fits have the parameters {', '.join(smaller.parameters)} and "
                f"{', '.join(larger.parameters)}",
                "expected two fits to the same counts in the same way, the second with all "
                "parameters of the first and further ones",
                "fit the same tasks with fewer own_terms first",
            )
        )
    return further
