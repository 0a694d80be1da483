"""``plan_trials``: how many trials per cell reach a target."""

from collections.abc import Iterable
from dataclasses import replace
from functools import cache, partial

import numpy as np
from numpy.typing import ArrayLike

from lcstats.errors import OptionError, announce, describe
from lcstats.kernels.draws import MOST_CASES
from lcstats.lengths import Criterion, certification_floor, outcome_label
from lcstats.options import (
    Engine,
    EngineChoice,
    Method,
    check_level,
    check_option,
    check_type,
    check_whole,
)
from lcstats.plan.closed import Required, require
from lcstats.plan.cost import Prices
from lcstats.plan.exact import check_independent
from lcstats.plan.notices import notices_on
from lcstats.plan.result import Plan
from lcstats.plan.row import PlanRow
from lcstats.plan.rows import exact_rows, simulated_rows
from lcstats.plan.search import Evaluate, Found, search_by_bracket, search_exactly
from lcstats.plan.simulation.simulate import Simulation
from lcstats.plan.target import Target
from lcstats.plan.truths import PlannableTruth, PlannedTruth, planned_truth

DEFAULT_TRIALS = (5, 20, 80)
"""Trials per cell that are looked at where neither numbers nor a target are given."""

CLOSED_FORMS = ("half-width", "power", "certify")
"""Targets that need no distribution of outcomes."""

N_SET_TABLES = 200
"""Simulated tables whose sets are made where their size is the target."""


def plan_trials(
    truth: PlannableTruth,
    lengths: ArrayLike,
    depths: ArrayLike,
    criterion: Criterion,
    target: Target | str | None = None,
    *,
    method: Method = "observed",
    trials: int | Iterable[int] | None = None,
    engine: EngineChoice = "auto",
    simulation: Simulation | None = None,
    prices: Prices | None = None,
    level: float = 0.95,
) -> Plan:
    """Find how many trials per cell a sweep needs, or say what given numbers lead to.

    Parameters
    ----------
    truth : Truth, str, Curve, CurveFit, FlexibleFit, Draws, PublishedRow, DataFrame or array_like
        What is expected; see :func:`lcstats.plan.planned_truth`. Draws and a fitted surface leave
        it open, and every probability is then averaged over them (assurance).
    lengths : array_like of int, shape (n_lengths,)
        Tokens, ascending.
    depths : array_like of float, shape (n_depths,)
        Fractions in [0, 1], ascending.
    criterion : Criterion
    target : Target or str, optional
        ``"hit=0.9"``, ``"within=0.99"``, ``"set-size=2"``, ``"half-width=0.1"``, ``"certify"`` or
        a :class:`Target`; power needs one, for its difference.
    method : {"observed", "curve", "flexible"}
        Whose effective length is planned.
    trials : int or iterable of int, optional
        Trials per cell that are looked at in any case; 5, 20 and 80 without a target.
    engine : {"auto", "exact", "monte_carlo"}
        ``auto`` is exact where it can be: for observed lengths of independent trials.
    simulation : Simulation, optional
        Of the Monte Carlo engine.
    prices : Prices, optional
        Without them the cost is in tokens, with no output counted.
    level : float
        Of half-widths, certificates and tests; that of the sets is .95.

    Returns
    -------
    Plan

    Raises
    ------
    OptionError
        If an argument cannot be used, or no plan could reach the target.

    Notes
    -----
    METHOD section 7. A hit is the true tested length, "within" one doubling of it. The search does
    not take the probability for monotone: see :mod:`lcstats.plan.search`.

    Examples
    --------
    >>> lengths, depths = 1024 * 2 ** np.arange(8), np.arange(11) / 10
    >>> plan = plan_trials("single-needle", lengths, depths, Criterion(0.85), "hit=0.7")
    >>> plan.recommended, plan.holds_from
    (16, 16)
    >>> round(plan.row(20).hit_probability, 4)
    0.7531
    """
    check_type(criterion, Criterion, "criterion")
    check_option(method, Method, "method")
    check_option(engine, EngineChoice, "engine")
    check_level(level)
    wanted = Target.parse(target) if isinstance(target, str) else target
    planned = planned_truth(truth, lengths, depths)
    bar = criterion.fixed_bar
    plan = Plan(
        truth=planned.name,
        criterion=criterion,
        method=method,
        engine="closed_form",
        lengths=planned.lengths,
        depths=planned.depths,
        true_lengths=_true_lengths(planned, criterion),
        rows=(),
        asked=_asked(trials, wanted),
        prices=prices or Prices(),
        target=wanted,
        floor=None if bar is None else certification_floor(bar, 1.0 - level),
    )
    if wanted is not None and wanted.kind in CLOSED_FORMS:
        return _announced(_with_requirement(plan, require(planned, criterion, wanted, level)))
    if _engine(planned, method, engine, wanted) == "exact":
        exactly = cache(exact_rows(planned, criterion))
        return _announced(_with_rows(plan, exactly, "exact"), exactly)
    how = _with_sets(simulation or Simulation(), wanted)
    counted = cache(simulated_rows(planned, criterion, method, how))
    return _announced(_with_rows(plan, counted, "monte_carlo"))


def _with_requirement(plan: Plan, needed: Required) -> Plan:
    number = needed.trials_per_cell
    return replace(plan, recommended=number, holds_from=number, required=needed)


def _with_rows(plan: Plan, evaluate: Evaluate, engine: Engine) -> Plan:
    """Evaluate the numbers asked for, and those that the search for a target needs."""
    rows = {number: evaluate(number) for number in plan.asked}
    found = Found(())
    if plan.target is not None:
        search = search_exactly if engine == "exact" else search_by_bracket
        found = search(evaluate, partial(PlanRow.reaches, target=plan.target))
        rows |= {row.trials_per_cell: row for row in found.rows}
    return replace(
        plan,
        engine=engine,
        rows=tuple(rows[number] for number in sorted(rows)),
        recommended=found.first,
        holds_from=found.holds_from,
        searched_to=found.searched_to,
    )


def _announced(plan: Plan, exactly: Evaluate | None = None) -> Plan:
    """Add what has to be known beside a plan, and warn of it."""
    plan = replace(plan, notices=notices_on(plan, exactly))
    announce(plan.notices, stacklevel=4)
    return plan


def _true_lengths(planned: PlannedTruth, criterion: Criterion) -> dict[str, float]:
    outcomes = planned.true_outcomes(criterion)
    values, counts = np.unique(outcomes, return_counts=True)
    shares = (counts / outcomes.size).tolist()
    labels = [outcome_label(value, planned.lengths) for value in values.tolist()]
    return dict(zip(labels, shares, strict=True))


def _engine(
    planned: PlannedTruth, method: Method, asked: EngineChoice, target: Target | None
) -> Engine:
    """Choose the engine, and refuse one that cannot give what is asked for."""
    needs_sets = target is not None and target.kind == "set-size"
    is_exact = method == "observed" and planned.haystack is None and not needs_sets
    if asked == "exact" and not is_exact:
        if method == "observed":
            check_independent(planned)
        raise OptionError(
            describe(
                f"engine is 'exact' for {'set sizes' if needs_sets else f'method {method}'}",
                "expected hit probabilities of observed lengths, which can be known exactly",
                "use the engine 'monte_carlo'",
            )
        )
    return "exact" if is_exact and asked != "monte_carlo" else "monte_carlo"


def _with_sets(simulation: Simulation, target: Target | None) -> Simulation:
    """Have sets made where their size is the target."""
    if target is None or target.kind != "set-size" or simulation.n_set_tables:
        return simulation
    return replace(simulation, n_set_tables=N_SET_TABLES)


def _asked(trials: int | Iterable[int] | None, target: Target | None) -> tuple[int, ...]:
    if trials is None:
        return () if target is not None else DEFAULT_TRIALS
    asked = tuple(trials) if isinstance(trials, Iterable) else (trials,)
    for number in asked or (0,):
        check_whole(number, "trials", least=1)
    if max(asked) > MOST_CASES:
        raise OptionError(
            describe(
                f"trials is {max(asked)}",
                f"expected numbers up to {MOST_CASES} per cell",
                "ask for fewer: accuracies that near the bar no sweep tells from it",
            )
        )
    return asked
