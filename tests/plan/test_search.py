"""The search against functions whose crossings are known, monotone or not."""

from collections.abc import Callable
from math import ceil

import pytest
from scipy.stats import binom

from lcstats.plan.row import PlanRow
from lcstats.plan.search import (
    CLOSE_ENOUGH,
    EVERY_NUMBER_TO,
    LEAST_LOOKED_AT,
    MOST_TRIALS,
    search_by_bracket,
    search_exactly,
)


def row_of(hit: Callable[[int], float]) -> Callable[[int], PlanRow]:
    return lambda n: PlanRow(n, hit(n), 1.0)


def reaches(row: PlanRow) -> bool:
    return row.hit_probability >= 0.9


def test_a_fall_after_the_first_hit_is_found() -> None:
    found = search_exactly(row_of(lambda n: 0.95 if n in (7, 9) or n >= 12 else 0.5), reaches)
    assert (found.first, found.holds_from) == (7, 12)
    assert [row.trials_per_cell for row in found.rows] == list(range(1, 25))


def test_what_holds_at_once_is_looked_at_past_a_tie() -> None:
    found = search_exactly(row_of(lambda n: 1.0), reaches)
    assert (found.first, found.holds_from, len(found.rows)) == (1, 1, LEAST_LOOKED_AT)


def test_a_few_trials_that_reach_it_before_more_lose_it_again_do_not_hold() -> None:
    """One cell at .86 passes at .85 with one of one or two of two, seldom with three of three."""
    found = search_exactly(row_of(lambda n: float(binom.sf(ceil(0.85 * n) - 1, n, 0.86))), better)
    assert found.first == 1
    assert found.holds_from is None or found.holds_from > 3


def better(row: PlanRow) -> bool:
    return row.hit_probability >= 0.7


def test_a_target_out_of_reach_is_not_found() -> None:
    found = search_exactly(row_of(lambda n: 0.5), reaches)
    assert (found.first, found.holds_from) == (None, None)
    numbers = [row.trials_per_cell for row in found.rows]
    assert numbers[:EVERY_NUMBER_TO] == list(range(1, EVERY_NUMBER_TO + 1))
    assert numbers[-1] <= MOST_TRIALS < numbers[-1] * 1.03
    bracketed = search_by_bracket(row_of(lambda n: 0.5), reaches)
    assert (bracketed.first, bracketed.holds_from) == (None, None)
    assert len(bracketed.rows) < 20


@pytest.mark.parametrize("crossing", [1, 2, 3, 4, 17, 77, 300, 999])
def test_a_bracket_closes_on_a_crossing(crossing: int) -> None:
    found = search_by_bracket(row_of(lambda n: 1.0 if n >= crossing else 0.0), reaches)
    assert found.first is not None
    assert found.first == found.holds_from
    assert crossing <= found.first <= max(crossing + 1, crossing * (1 + 2 * CLOSE_ENOUGH))
    assert len(found.rows) < 25
