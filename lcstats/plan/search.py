"""How many trials per cell reach a target: a search that does not take it for monotone.

The probability of a hit falls where one more trial asks for one more success: at .85, six of six
and six of seven pass, seven of eight, but only eight of nine. So the exact engine looks at every
number, and beyond the first that reaches the target; the Monte Carlo engine brackets it.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import ceil

from lcstats.plan.row import PlanRow

EVERY_NUMBER_TO = 200
"""Beyond, numbers of trials are looked at in steps of a fiftieth."""

STEP = 1.02
MOST_TRIALS = 1000
"""Trials per cell beyond which a plan is not looked for."""

LEAST_LOOKED_AT = 21
"""Number up to which an exact search looks at least: .85 and .95 have ties every 20 trials, and one
trial above a tie asks for one success more."""

BRACKET_STEP = 1.5
FIRST_SIMULATED = 2
CLOSE_ENOUGH = 0.05
"""Share of the number of trials to which a simulated plan is narrowed."""

Evaluate = Callable[[int], PlanRow]
Reaches = Callable[[PlanRow], bool]


@dataclass(frozen=True, slots=True)
class Found:
    """What a search looked at, and where it reached the target.

    Attributes
    ----------
    rows : tuple of PlanRow
        By trials per cell, ascending.
    first : int or None
        Smallest number of trials per cell that reaches the target.
    holds_from : int or None
        Smallest from which on everything that was looked at reaches it.
    searched_to : int or None
        Largest number that was looked at.
    """

    rows: tuple[PlanRow, ...]
    first: int | None = None
    holds_from: int | None = None
    searched_to: int | None = None


def search_exactly(evaluate: Evaluate, reaches: Reaches) -> Found:
    """Look at every number until the target has been held for as long as it took to reach it.

    It looks at :data:`LEAST_LOOKED_AT` numbers in any case: a few trials can reach a target that
    more trials lose again.

    Parameters
    ----------
    evaluate : callable
        Trials per cell to a row.
    reaches : callable
        Whether a row reaches the target.

    Returns
    -------
    Found
        Nothing found if no number up to :data:`MOST_TRIALS` reaches it.
    """
    rows: list[PlanRow] = []
    held_from = None
    for number in _numbers():
        rows.append(evaluate(number))
        if not reaches(rows[-1]):
            held_from = None
        elif held_from is None:
            held_from = number
        if held_from is not None and number >= max(2 * held_from, LEAST_LOOKED_AT):
            break
    return _found(rows, reaches)


def search_by_bracket(evaluate: Evaluate, reaches: Reaches) -> Found:
    """Bracket the target by steps of half as many trials again, then halve the bracket.

    The bracket ends where two steps in a row reach the target. As what is simulated scatters, so
    does the number found.
    """
    rows: dict[int, PlanRow] = {}
    n_held = 0
    for number in _widening_numbers():
        rows[number] = evaluate(number)
        n_held = n_held + 1 if reaches(rows[number]) else 0
        if n_held == 2:
            break
    if n_held:
        low, high = _bracket(rows, reaches)
        while high - low > max(1.0, CLOSE_ENOUGH * high):
            middle = (low + high) // 2
            rows[middle] = evaluate(middle)
            low, high = (low, middle) if reaches(rows[middle]) else (middle, high)
    return _found([rows[n] for n in sorted(rows)], reaches)


def _numbers() -> Iterator[int]:
    number = 1
    while number <= MOST_TRIALS:
        yield number
        number = max(number + 1, ceil(number * STEP)) if number >= EVERY_NUMBER_TO else number + 1


def _widening_numbers() -> Iterator[int]:
    number = FIRST_SIMULATED
    while number < MOST_TRIALS:
        yield number
        number = ceil(number * BRACKET_STEP)
    yield MOST_TRIALS


def _bracket(rows: dict[int, PlanRow], reaches: Reaches) -> tuple[int, int]:
    """Last number below the run of rows that reach the target to the end, and the first of it."""
    numbers = sorted(rows)
    missed = [n for n in numbers if not reaches(rows[n])]
    low = missed[-1] if missed else 0
    return low, next(n for n in numbers if n > low)


def _found(rows: Sequence[PlanRow], reaches: Reaches) -> Found:
    reached = [row.trials_per_cell for row in rows if reaches(row)]
    missed = [row.trials_per_cell for row in rows if not reaches(row)]
    holding = [n for n in reached if not missed or n > missed[-1]]
    return Found(
        rows=tuple(rows),
        first=reached[0] if reached else None,
        holds_from=holding[0] if holding else None,
        searched_to=rows[-1].trials_per_cell,
    )
