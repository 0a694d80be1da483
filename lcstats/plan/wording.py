"""The parts of a sentence about a plan."""

from lcstats.options import percent
from lcstats.plan.row import PlanRow
from lcstats.plan.search import EVERY_NUMBER_TO
from lcstats.plan.target import FOUND_WORDS
from lcstats.trials.wording import counted


def share_words(share: float, error: float = 0.0) -> str:
    """Write a probability as a percentage, to the digits that it has; never rounded to all.

    Examples
    --------
    >>> share_words(0.7531), share_words(0.99918), share_words(0.9999999), share_words(0.75, 0.01)
    ('75%', '99.9%', 'over 99.9%', '75%')
    >>> share_words(0.00004), share_words(0.0)
    ('under 0.1%', '0%')
    """
    if share in (0.0, 1.0) and not error:
        return percent(share)
    if share > 0.9995:
        return "over 99.9%"
    if share < 0.0005:
        return "under 0.1%"
    decimals = 1 if min(share, 1.0 - share) < 0.095 and error < 0.002 else 0
    return f"{100 * share:.{decimals}f}%"


def row_words(row: PlanRow) -> str:
    """Say what a number of trials per cell leads to.

    Examples
    --------
    >>> row_words(PlanRow(20, 0.7531, 0.9992))
    '20 trials per cell: 75% on the true length, 99.9% within one doubling'
    """
    hit = share_words(row.hit_probability, row.monte_carlo_error)
    within = share_words(row.within_one_doubling, row.monte_carlo_error)
    number = counted(row.trials_per_cell, "trial")
    words = f"{number} per cell: {hit} {FOUND_WORDS['hit']}, {within} {FOUND_WORDS['within']}"
    if row.mean_set_size is not None:
        words += f", {row.mean_set_size:.2f} outcomes in the set"
    return words


def found_words(
    target: str, first: int | None, holds_from: int | None, searched_to: int | None
) -> str:
    """Say where a target is reached, and how far anybody looked.

    Examples
    --------
    >>> found_words("90% on the true length", 77, 84, 168)
    '90% on the true length first at 77, for good from 84 (looked at to 168)'
    """
    last = searched_to or 0
    if first is None:
        return f"{target} is not reached with up to {last} trials per cell"
    steps = "" if last <= EVERY_NUMBER_TO else f", in steps of a fiftieth beyond {EVERY_NUMBER_TO}"
    looked = f"(looked at to {last}{steps})"
    if first == holds_from:
        return f"{target} from {first} on {looked}"
    held = "not for good" if holds_from is None else f"for good from {holds_from}"
    return f"{target} first at {first}, {held} {looked}"
