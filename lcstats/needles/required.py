"""What a task of several needles asks of each: the rate tau ** (1 / k), and how far it goes."""

from collections.abc import Iterable

from lcstats.errors import OptionError, describe
from lcstats.options import check_share, check_whole

NUMBERS = (1, 2, 4, 10, 20)
"""Numbers of needles that are stated for every curve."""


def required_rate(target: float, n_needles: int) -> float:
    """Return the rate per needle at which independent needles are all found with the target rate.

    Parameters
    ----------
    target : float
        In (0, 1].
    n_needles : int
        At least 1.

    Raises
    ------
    OptionError
        If one of them is out of range.

    Examples
    --------
    >>> [round(required_rate(0.85, k), 3) for k in NUMBERS]
    [0.85, 0.922, 0.96, 0.984, 0.992]
    >>> round(joint_rate(0.95, 10), 4)
    0.5987
    """
    check_share(target, "target")
    if target <= 0:
        raise OptionError(
            describe("target is 0", "expected a share above 0", "write 85 percent as 0.85")
        )
    check_whole(n_needles, "n_needles", least=1)
    return float(target ** (1.0 / n_needles))


def joint_rate(rate: float, n_needles: int) -> float:
    """Return the rate at which all of several independent needles are found.

    Parameters
    ----------
    rate : float
        Of one needle, in [0, 1].
    n_needles : int
        At least 1.
    """
    check_share(rate, "rate")
    check_whole(n_needles, "n_needles", least=1)
    return float(rate**n_needles)


def check_numbers(numbers: Iterable[int]) -> tuple[int, ...]:
    """Return numbers of needles, each once and ascending.

    Raises
    ------
    OptionError
        If one is no whole number of at least 1, or there are none.
    """
    listed = tuple(numbers)
    for number in listed:
        check_whole(number, "numbers", least=1)
    if not listed:
        raise OptionError(
            describe("numbers is empty", "expected numbers of needles", "pass numbers=(1, 4, 10)")
        )
    return tuple(sorted(set(listed)))
