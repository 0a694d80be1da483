"""Means as they are printed: of how many right cases they can be, up to the rounding of digits."""

from collections.abc import Mapping
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal

from lcstats.errors import OptionError, describe
from lcstats.options import ScoreScale
from lcstats.trials.wording import flag

FLOAT_NOISE = Decimal("1e-9")
"""How far a number that was not rounded may be from what it stands for."""

_TOPS: Mapping[ScoreScale | None, int] = {"0-1": 1, "0-100": 100}


def half_of_last_digit(n_decimals: int) -> Decimal:
    """Return how far rounding to so many decimals can have moved a number.

    Examples
    --------
    >>> half_of_last_digit(2)
    Decimal('0.005')
    """
    return max(Decimal(5).scaleb(-1 - n_decimals), FLOAT_NOISE)


def right_cases(exact: Decimal, reach: Decimal) -> range:
    """Return the whole numbers no further than `reach` from a number of right cases.

    Examples
    --------
    >>> (
    ...     list(right_cases(Decimal("127.5"), Decimal("0.75"))),
    ...     list(right_cases(Decimal("8.4"), Decimal(0))),
    ... )
    ([127, 128], [])
    """
    first = (exact - reach).to_integral_value(ROUND_CEILING)
    last = (exact + reach).to_integral_value(ROUND_FLOOR)
    return range(int(first), int(last) + 1)


def top_of_scale(place: str, highest: float | Decimal, scale: ScoreScale | None) -> int:
    """Return what a mean of right answers alone is: 1 or 100.

    Parameters
    ----------
    place : str
        What holds the means, for the message.
    highest : float or Decimal
        The largest of them.
    scale : {"0-1", "0-100", ...}, optional
        What the call says; without it the largest mean tells.

    Raises
    ------
    OptionError
        If they are neither fractions nor percentages.
    """
    if scale in _TOPS:
        return _TOPS[scale]
    if scale is None and highest <= 1:
        return 1
    if scale is None and highest > 10:
        return 100
    raise OptionError(
        describe(
            f"{place} holds means of up to {highest:g}"
            + (f" and score_scale is {scale!r}" if scale else ""),
            "expected means of right and wrong, as fractions or percentages: means of marks do not "
            "say how many were right",
            f"pass {flag('score_scale', '0-100')} if they are percentages, or read the single "
            "trials",
        )
    )
