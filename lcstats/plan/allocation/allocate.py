"""``allocate``: unequal trials under a budget, for the same money as a uniform sweep."""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from lcstats.curve import Curve
from lcstats.errors import DesignWarning, Notice
from lcstats.lengths import Criterion
from lcstats.lengths.window_laws import is_too_much
from lcstats.options import check_option, check_share
from lcstats.plan.allocation.curve import (
    ask_curve,
    spend_on_curve,
    whole_trials,
)
from lcstats.plan.allocation.result import Allocation, Objective, Solver
from lcstats.plan.allocation.robust import judge_robustness, wrong_truths
from lcstats.plan.allocation.search import (
    Bought,
    IntArray,
    Menu,
    best_uniform,
    exchange,
    fill_knapsack,
)
from lcstats.plan.allocation.tables import allocation_bar, cell_passing_table, passing_table
from lcstats.plan.budget import Budget
from lcstats.plan.cost import cost_of
from lcstats.plan.exact import (
    Probabilities,
    check_independent,
    exact_probabilities,
    near_outcomes,
)
from lcstats.plan.simulation.simulate import simulate_plan
from lcstats.plan.truths import PlannedTruth, planned_truth

SPREAD = 0.5
"""Share of the budget that is spread evenly over all cells, so that surprises are seen."""

MOST_NUMBERS = 300
"""Largest number of trials that is offered for a cell, and how many numbers are."""

MOST_OPEN_NUMBERS = 150
"""The same for an open truth, whose tables are averaged over many accuracies."""


def allocate(
    planned: PlannedTruth,
    criterion: Criterion,
    budget: Budget,
    *,
    objective: Objective = "hit",
    spread: float = SPREAD,
    against: Sequence[PlannedTruth] | None = None,
) -> Allocation:
    """Find the trials per cell with which raw cells are right most often, for the money.

    Parameters
    ----------
    planned : PlannedTruth
        With independent trials. For an open one the mean over its draws is raised.
    criterion : Criterion
        With an absolute or above-chance threshold. For ``mean``, ``pooled``, quantiles and windows
        all depths of a length have the same number of trials; for the worst depth of a known truth
        every cell has its own.
    budget : Budget
    objective : {"hit", "within"}
        The true tested length, or one within one doubling of it.
    spread : float
        Share of the budget that is first spread evenly over all cells, in [0, 1]. With 0 every
        cell has one trial at least, and an allocation that cannot see a wrong truth.
    against : sequence of PlannedTruth, optional
        Known truths to try the allocation on; a cliff and one bad depth without it.

    Returns
    -------
    Allocation

    Raises
    ------
    OptionError
        If trials depend on each other, the threshold is relative, the budget does not pay a trial
        in every cell, or an option is out of range.

    Notes
    -----
    P(hit) is a product over lengths of the probability to pass, or to fail, with so many trials;
    so its logarithm is a sum, and the best numbers for a known truth are a multiple-choice
    knapsack, solved by dynamic programming over the budget. No number is passed over: more trials
    may make a hit rarer where they ask for one more success. For an open truth pairs of lengths
    exchange trials until no exchange helps.

    Examples
    --------
    >>> from lcstats.plan.truths import planned_truth
    >>> lengths, depths = 1024 * 2 ** np.arange(8), np.linspace(0, 1, 11)
    >>> planned = planned_truth("single-needle", lengths, depths)
    >>> allocate(planned, Criterion(0.85), Budget(20 * 11 * lengths.sum()))
    Allocation(single-needle, hit: 0.867, 0.753 with 20 in every cell)
    """
    check_independent(planned)
    check_option(objective, Objective, "objective")
    check_share(spread, "spread")
    floor = max(1, int(spread * budget.uniform_trials(planned.lengths, planned.depths.size)))
    menu = _menu(planned, criterion, budget, objective)
    even = int(menu.numbers[best_uniform(menu, budget.amount)[0]])
    kept = _from(menu, floor)
    solver, bought = _buy(kept, even, budget.amount)
    trials = kept.numbers[bought.chosen].reshape(planned.lengths.size, -1)
    trials = np.repeat(trials, planned.depths.size // trials.shape[1], axis=1)
    found, uniform = (exact_probabilities(planned, n, criterion) for n in (trials, even))
    return Allocation(
        truth=planned.name,
        criterion=criterion,
        objective=objective,
        solver=solver,
        is_best=bought.is_exact and kept.numbers.size == kept.numbers[-1] - floor + 1,
        lengths=planned.lengths,
        depths=planned.depths,
        trials=trials,
        floor=floor,
        probabilities=found,
        uniform_trials=even,
        uniform=uniform,
        robustness=judge_robustness(
            wrong_truths(planned) if against is None else against,
            trials,
            even,
            criterion,
            of_curve=False,
        ),
        cost=cost_of(trials, planned.lengths, budget.prices),
        notices=(*_notices(planned, criterion, spread), *_on_gain(found, uniform, objective)),
    )


def allocate_for_curve(
    curve: Curve,
    lengths: ArrayLike,
    depths: ArrayLike,
    criterion: Criterion,
    budget: Budget,
    *,
    objective: Objective = "hit",
    spread: float = SPREAD,
) -> Allocation:
    """Find the trials per cell with which a fitted curve's crossing is most certain, for the money.

    Parameters
    ----------
    curve : Curve
        The truth that is planned for; it crosses the bar within the lengths.
    lengths : array_like of int, shape (n_lengths,)
        Tokens, ascending.
    depths : array_like of float, shape (n_depths,)
    criterion : Criterion
        Of any rule; depth not pooled.
    budget : Budget
    objective : {"hit", "within"}
        What is reported as `probability`; the crossing's variance is what is lowered.
    spread : float
        Share of the budget that is first spread evenly over all cells, in [0, 1]. With 0 every
        cell has one trial, beside which the design is locally optimal and hardly sees a wrong
        curve.

    Returns
    -------
    Allocation

    Raises
    ------
    OptionError
        If the curve does not cross the bar within the lengths, depth is pooled, or the budget does
        not pay a trial in every cell.

    Notes
    -----
    c-optimal design: the asymptotic variance ``g' M^-1 g`` of log2 of the crossing is least, M
    being the Fisher information of all trials, those spread evenly included. That is theory for
    many trials. With few the estimated crossing is too short more often than too long, and more so
    where trials are concentrated: so probabilities are simulated, and a notice says where nothing
    is gained.

    Examples
    --------
    >>> lengths, depths = 1024 * 2 ** np.arange(8), np.linspace(0, 1, 11)
    >>> curve, budget = Curve(4.2, 0.3, 1.9, 0.6), Budget(5 * 11 * lengths.sum())
    >>> worst = Criterion(0.85, depth_treatment="worst")
    >>> plan = allocate_for_curve(curve, lengths, depths, worst, budget)
    >>> round(plan.crossing_error, 2), round(plan.uniform_crossing_error, 2)
    (0.22, 0.39)
    """
    check_option(objective, Objective, "objective")
    check_share(spread, "spread")
    planned = planned_truth(curve, lengths, depths)
    most = budget.uniform_trials(planned.lengths, planned.depths.size)
    floor = max(1, int(spread * most))
    question = ask_curve(curve, planned.lengths, planned.depths, criterion)
    prices = np.repeat(budget.trial_prices(planned.lengths), planned.depths.size)
    rest = budget.amount - floor * float(prices.sum())
    spending = spend_on_curve(question, prices, rest, floor=floor)
    trials = whole_trials(spending.spent, prices, budget.amount, floor=floor)
    trials = trials.reshape(planned.lengths.size, -1)
    variances = [question.variance(cells) for cells in (trials, np.full(trials.shape, most))]
    found, even = (
        simulate_plan(planned, cells, criterion, method="curve").probabilities()
        for cells in (trials, most)
    )
    return Allocation(
        truth=planned.name,
        criterion=criterion,
        objective=objective,
        solver="c_optimal",
        is_best=False,
        lengths=planned.lengths,
        depths=planned.depths,
        trials=trials,
        floor=floor,
        probabilities=found,
        uniform_trials=most,
        uniform=even,
        robustness=judge_robustness(wrong_truths(planned), trials, most, criterion, of_curve=True),
        cost=cost_of(trials, planned.lengths, budget.prices),
        notices=(*_notices(planned, criterion, spread), *_on_gain(found, even, objective)),
        crossing_error=float(np.sqrt(variances[0])),
        uniform_crossing_error=float(np.sqrt(variances[1])),
    )


def _menu(
    planned: PlannedTruth, criterion: Criterion, budget: Budget, objective: Objective
) -> Menu:
    """Return every number of trials for every length; of a known worst depth, for every cell."""
    bar, n_depths = allocation_bar(criterion), planned.depths.size
    numbers = _numbers(planned, criterion, budget)
    prices, rows = budget.trial_prices(planned.lengths), np.arange(planned.lengths.size)
    first, last = _runs(planned, criterion, objective)
    treatment = criterion.treatment
    if treatment.kind == "order" and treatment.rank(n_depths) == 1 and not planned.is_open:
        passing = cell_passing_table(planned.accuracies.reshape(1, -1), bar, numbers)
        cells = np.repeat(prices, n_depths), np.repeat(rows, n_depths)
        return Menu(passing, numbers, *cells, first, last)
    passing = passing_table(planned.accuracies, criterion, numbers)
    return Menu(passing, numbers, prices * n_depths, rows, first, last)


def _numbers(planned: PlannedTruth, criterion: Criterion, budget: Budget) -> IntArray:
    """Return the numbers of trials that are offered: all of them, or evenly thinned."""
    n_depths = planned.depths.size
    prices = budget.trial_prices(planned.lengths)
    uniform = budget.uniform_trials(planned.lengths, n_depths)
    most = MOST_OPEN_NUMBERS if planned.is_open else MOST_NUMBERS
    paid = int(budget.amount / (float(prices.min()) * n_depths))
    largest = max(uniform, min(paid, most))
    numbers = np.rint(np.linspace(1, largest, min(largest, most))).astype(np.int64)
    numbers = np.union1d(numbers, [uniform])
    if not criterion.treatment.is_window:
        return numbers
    shape = (planned.lengths.size, n_depths)

    def too_much(number: int) -> bool:
        cases, width = np.full(shape, number), criterion.treatment.width
        return is_too_much(cases, width, members=None, tau=criterion.fixed_bar)

    return numbers[: bisect_left(numbers.tolist(), True, key=too_much)]


def _runs(planned: PlannedTruth, criterion: Criterion, objective: str) -> tuple[IntArray, IntArray]:
    """Return the first and the last outcome that counts as right, each of shape (n_draws,)."""
    true = planned.true_outcomes(criterion)
    if objective == "hit":
        return true, true
    right = near_outcomes(planned.lengths)[true]
    return right.argmax(axis=1), right.shape[1] - 1 - right[:, ::-1].argmax(axis=1)


def _from(menu: Menu, floor: int) -> Menu:
    """Return the menu without the numbers below the floor."""
    offered = menu.numbers >= floor
    return replace(menu, passing=menu.passing[..., offered], numbers=menu.numbers[offered])


def _buy(menu: Menu, even: int, budget: float) -> tuple[Solver, Bought]:
    """Choose the numbers: a knapsack where the truth is known, else exchanges from uniform."""
    if len(menu.passing) == 1:
        return "knapsack", fill_knapsack(menu, budget)
    place = int(np.searchsorted(menu.numbers, even))
    return "exchange", Bought(exchange(menu, np.full(menu.rows.size, place), budget), False)


def _notices(planned: PlannedTruth, criterion: Criterion, spread: float) -> Iterator[Notice]:
    true, n_lengths = planned.true_outcomes(criterion), planned.lengths.size
    share = float(np.isin(true, (0, n_lengths)).mean())
    if share:
        which = f"in {share:.0%} of its draws " if planned.is_open else ""
        yield Notice(
            "censored-truth",
            f"the true length of {planned.name} is {which}not between tested lengths: all of them "
            "pass, or none does; lengths on both sides of the bend would tell more",
            DesignWarning,
        )
    if spread == 0.0:
        yield Notice(
            "blind-to-misfit",
            "nothing is spread over all cells: the allocation is best if the truth is as assumed, "
            "and hardly shows it if not",
            DesignWarning,
        )


def _on_gain(found: Probabilities, even: Probabilities, objective: Objective) -> Iterator[Notice]:
    gain = getattr(found, objective) - getattr(even, objective)
    if gain <= 2 * np.hypot(found.error, even.error):
        yield Notice(
            "no-gain",
            f"the allocation gains nothing sure over as many trials in every cell ({gain:+.3f}); "
            "take the uniform plan, which no wrong truth can mislead",
            DesignWarning,
        )
