"""How many cases: closed forms for half-widths, for two independent arms and for pairs."""

from dataclasses import dataclass
from math import ceil, sqrt

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import brentq
from scipy.special import ndtr, ndtri
from scipy.stats import binom

from lcstats.errors import OptionError, describe
from lcstats.options import (
    Direction,
    PairedTest,
    check_level,
    check_option,
    check_share,
    check_whole,
)
from lcstats.wilson import center_and_half_width, two_sided_quantile
from lcstats.wilson import wilson_interval as wilson_interval

SMALLEST_DIFFERENCE = 1e-12
"""Where the search for a detectable difference starts."""

ROUNDING = 1e-9
"""By how much a correlation may pass its bound, so that the bound itself can be asked for."""


def wilson_half_width(accuracy: float, n_cases: int, level: float = 0.95) -> float:
    """Return half the width of Wilson's interval at an accuracy.

    Parameters
    ----------
    accuracy : float
        In [0, 1]; ``n_cases * accuracy`` need not be whole.
    n_cases : int
        At least 1; of a cell, or of all cells of a length together for its depth mean.
    level : float

    Raises
    ------
    OptionError
        If a value is out of range.

    Notes
    -----
    ``z sqrt(p (1 - p) / n + z^2 / (4 n^2)) / (1 + z^2 / n)`` (Wilson 1927, JASA 22:209). It falls
    with every further case, also at accuracies 0 and 1.

    Examples
    --------
    >>> round(wilson_half_width(0.85, 20), 3)
    0.154
    """
    check_share(accuracy, "accuracy")
    check_whole(n_cases, "n_cases", least=1)
    check_level(level)
    share, n = np.asarray(accuracy, np.float64), np.asarray(n_cases, np.float64)
    return float(center_and_half_width(share, n, level)[1])


def cases_for_half_width(
    accuracy: float, half_width: float, *, level: float = 0.95, n_cells: int = 1
) -> int:
    """Return the smallest number of cases from which Wilson's interval is narrow enough for good.

    Parameters
    ----------
    accuracy : float
        Expected, in [0, 1].
    half_width : float
        Wanted, between 0 and 0.5.
    level : float
    n_cells : int
        Cells whose unweighted mean is meant, with equally many cases each: the depths of a length.

    Returns
    -------
    int
        Cases per cell, at least 1.

    Raises
    ------
    OptionError
        If a value is out of range.

    Notes
    -----
    With q = 1 - p, the half-width is at most h from

        n = z^2 (p q - 2 h^2 + sqrt(p^2 q^2 - 4 h^2 p q + h^2)) / (2 h^2)

    on, the larger root of ``h^2 (n + z^2)^2 = z^2 (p q n + z^2 / 4)``. The number of right cases is
    put at its expectation n p, whole or not. A real count scatters around it, and because the
    half-width is concave in the accuracy, its average over those counts is no more than what is
    planned. Only sizes with a whole n p would be multiples of 10 at an accuracy of 0.9.

    For a mean of cells the accuracy is the mean's, and the interval is too wide, never too narrow,
    by as much as the cells differ: their mean has the variance ``(p q - var(p_d)) / (n D)``.

    Examples
    --------
    >>> [cases_for_half_width(p, h) for p in (0.5, 0.9) for h in (0.10, 0.05)]
    [93, 381, 37, 141]
    >>> cases_for_half_width(1.0, 0.1), cases_for_half_width(0.85, 0.05, n_cells=11)
    (16, 18)
    """
    check_share(accuracy, "accuracy")
    _check_half_width(half_width)
    check_level(level)
    check_whole(n_cells, "n_cells", least=1)
    variance, square = accuracy * (1.0 - accuracy), half_width**2
    root = sqrt(max(variance**2 - 4.0 * square * variance + square, 0.0))
    n_all = two_sided_quantile(level) ** 2 * (variance - 2.0 * square + root) / (2.0 * square)
    return max(1, ceil(n_all / n_cells))


def _check_half_width(half_width: float) -> None:
    if not 0 < half_width < 0.5:
        raise OptionError(
            describe(
                f"half_width is {half_width!r}",
                "expected a number between 0 and 0.5, since an interval of half-width 0.5 says "
                "nothing",
                "pass half_width=0.1, say",
            )
        )


@dataclass(frozen=True, slots=True)
class _Contrast:
    """What a normal approximation needs of a difference: its size and two standard deviations.

    Attributes
    ----------
    difference : float
        Above 0.
    null, alternative : float
        Times 1 / sqrt(n), the standard deviation of the observed difference if the accuracies are
        equal, and if they differ as planned.
    """

    difference: float
    null: float
    alternative: float

    def cases(self, level: float, power: float) -> int:
        """Smallest n that has the power."""
        _check_power(power, level)
        reach = two_sided_quantile(level) * self.null + float(ndtri(power)) * self.alternative
        return ceil((reach / self.difference) ** 2)

    def power(self, n_cases: int, level: float) -> float:
        """Power of n; the chance to call the difference significant the wrong way is left out."""
        reach = self.difference * sqrt(n_cases) - two_sided_quantile(level) * self.null
        if self.alternative == 0.0:
            return float(reach >= 0.0)
        return float(ndtr(reach / self.alternative))


def arms_for_difference(old: float, new: float, *, level: float = 0.95, power: float = 0.8) -> int:
    """Return the cases needed in each of two independent arms to show a difference.

    Parameters
    ----------
    old, new : float
        Accuracies that differ, in [0, 1].
    level : float
        1 minus the two-sided error. A one-sided test at level L is this one at 2 L - 1.
    power : float
        Probability of a significant difference, above ``1 - level``.

    Raises
    ------
    OptionError
        If a value is out of range or the accuracies are equal.

    Notes
    -----
    With m the mean of the two accuracies, z_a and z_b the normal quantiles of level and power,

        n = (z_a sqrt(2 m (1 - m)) + z_b sqrt(p1 q1 + p2 q2))^2 / (p1 - p2)^2

    for the z test with a pooled variance (Fleiss, Levin and Paik 2003, Statistical Methods for
    Rates and Proportions, chapter 4). With ``p1 q1 + p2 q2`` under both roots n is 2 to 3 less.

    Examples
    --------
    >>> [arms_for_difference(*pair) for pair in [(0.9, 0.8), (0.95, 0.9), (0.5, 0.4), (0.85, 0.8)]]
    [199, 435, 388, 906]
    """
    _check_apart(old, new)
    check_level(level)
    return _arms(old, new).cases(level, power)


def power_of_arms(old: float, new: float, n_cases: int, *, level: float = 0.95) -> float:
    """Return the power of two independent arms: :func:`arms_for_difference` turned around.

    Raises
    ------
    OptionError
        If a value is out of range or the accuracies are equal.

    Examples
    --------
    >>> round(power_of_arms(0.85, 0.80, 906), 3), round(power_of_arms(0.85, 0.80, 200), 3)
    (0.8, 0.259)
    """
    _check_apart(old, new)
    check_whole(n_cases, "n_cases", least=1)
    check_level(level)
    return _arms(old, new).power(n_cases, level)


def _arms(old: float, new: float) -> _Contrast:
    mean = (old + new) / 2.0
    separate = old * (1.0 - old) + new * (1.0 - new)
    return _Contrast(abs(new - old), sqrt(2.0 * mean * (1.0 - mean)), sqrt(separate))


def largest_correlation(old: float, new: float) -> float:
    """Return the largest within-pair correlation that two accuracies allow.

    Notes
    -----
    At most min(p1, p2) of the cases are right on both, so the correlation is at most
    ``sqrt(odds(smaller) / odds(larger))``: 1 for equal accuracies, 0 where one of them is 0 or 1.

    Examples
    --------
    >>> round(largest_correlation(0.85, 0.80), 3), largest_correlation(1.0, 0.9)
    (0.84, 0.0)
    """
    return _correlation(old, new, min(old, new))


def smallest_correlation(old: float, new: float) -> float:
    """Return the smallest within-pair correlation that two accuracies allow, 0 or below.

    Examples
    --------
    >>> round(smallest_correlation(0.85, 0.80), 3)
    -0.21
    """
    return _correlation(old, new, max(0.0, old + new - 1.0))


def _correlation(old: float, new: float, both: float) -> float:
    scale = old * (1.0 - old) * new * (1.0 - new)
    return (both - old * new) / sqrt(scale) if scale > 0.0 else 0.0


def pairs_for_difference(
    old: float, new: float, correlation: float, *, level: float = 0.95, power: float = 0.8
) -> int:
    """Return the pairs needed to show a difference between two language models on the same cases.

    Parameters
    ----------
    old, new : float
        Accuracies that differ, in [0, 1].
    correlation : float
        Between the two outcomes of a case, within the bounds that the accuracies set.
    level : float
        1 minus the two-sided error. A one-sided test at level L is this one at 2 L - 1.
    power : float
        Probability of a significant difference, above ``1 - level``.

    Raises
    ------
    OptionError
        If a value is out of range, the accuracies are equal, or no cases have this correlation.

    Notes
    -----
    With d the difference and the share of discordant pairs
    ``s = p1 q1 + p2 q2 - 2 rho sqrt(p1 q1 p2 q2) + d^2``,

        n = (z_a sqrt(s) + z_b sqrt(s - d^2))^2 / d^2

    for McNemar's test (Connor 1987, Biometrics 43:207). :func:`exact_power_of_pairs` says what the
    exact tests make of it.

    Examples
    --------
    >>> [pairs_for_difference(0.85, 0.80, rho) for rho in (0.0, 0.3, 0.5)]
    [909, 640, 460]
    """
    _check_apart(old, new)
    check_level(level)
    return _pairs(old, new, correlation).cases(level, power)


def power_of_pairs(
    old: float, new: float, correlation: float, *, n_pairs: int, level: float = 0.95
) -> float:
    """Return the power of pairs: :func:`pairs_for_difference` turned around.

    Raises
    ------
    OptionError
        If a value is out of range, the accuracies are equal, or no cases have this correlation.

    Examples
    --------
    >>> round(power_of_pairs(0.85, 0.80, 0.5, n_pairs=200), 3)
    0.453
    """
    _check_apart(old, new)
    check_whole(n_pairs, "n_pairs", least=1)
    check_level(level)
    return _pairs(old, new, correlation).power(n_pairs, level)


def discordant_share(old: float, new: float, correlation: float) -> float:
    """Return the share of cases that exactly one of two language models gets right.

    Raises
    ------
    OptionError
        If a value is out of range or no cases have this correlation.

    Examples
    --------
    >>> round(discordant_share(0.85, 0.80, 0.5), 4)
    0.1472
    """
    _check_accuracies(old, new)
    _check_correlation(old, new, correlation)
    variances = old * (1.0 - old), new * (1.0 - new)
    covariance = correlation * sqrt(variances[0] * variances[1])
    share = sum(variances) - 2.0 * covariance + (new - old) ** 2
    return min(max(share, abs(new - old)), 1.0)


def _pairs(old: float, new: float, correlation: float) -> _Contrast:
    share, difference = discordant_share(old, new, correlation), abs(new - old)
    return _Contrast(difference, sqrt(share), sqrt(share - difference**2))


def detectable_difference(
    old: float,
    n_cases: int,
    *,
    correlation: float | None = None,
    direction: Direction = "loss",
    level: float = 0.95,
    power: float = 0.8,
) -> float | None:
    """Return the smallest difference that a number of cases can show.

    Parameters
    ----------
    old : float
        Accuracy of one language model, in [0, 1].
    n_cases : int
        Per arm, or pairs.
    correlation : float, optional
        Within pairs, in [0, 1); None for two independent arms.
    direction : {"loss", "gain"}
        Whether the other one's accuracy is below or above `old`.
    level, power : float
        As for :func:`pairs_for_difference`.

    Returns
    -------
    float or None
        None where even the largest difference that is possible is too small for these cases.

    Raises
    ------
    OptionError
        If a value is out of range.

    Examples
    --------
    >>> round(detectable_difference(0.85, 460, correlation=0.5), 3)
    0.05
    >>> detectable_difference(0.95, 20, direction="gain") is None
    True
    """
    check_share(old, "old")
    check_whole(n_cases, "n_cases", least=1)
    check_option(direction, Direction, "direction")
    check_level(level)
    _check_power(power, level)
    sign = 1.0 if direction == "gain" else -1.0
    largest = _largest_difference(old, correlation or 0.0, sign)

    def excess(difference: float) -> float:
        new = min(max(old + sign * difference, 0.0), 1.0)
        contrast = _arms(old, new) if correlation is None else _pairs(old, new, correlation)
        return contrast.power(n_cases, level) - power

    if largest <= SMALLEST_DIFFERENCE or excess(largest) < 0.0:
        return None
    return float(brentq(excess, SMALLEST_DIFFERENCE, largest))


def _largest_difference(old: float, correlation: float, sign: float) -> float:
    """Distance to the farthest accuracy that allows the correlation: odds ratio rho^2."""
    if not 0 <= correlation < 1:
        raise OptionError(
            describe(
                f"correlation is {correlation!r}",
                "expected a number of at least 0 and below 1, for which differences can be sought",
                "pass correlation=0.3, say, or leave it out for two independent arms",
            )
        )
    room = 1.0 - old if sign > 0 else old
    held = correlation**2 * room
    return room - held / (1.0 - room + held) if held > 0 else room


def mcnemar_p_value(
    old_only: ArrayLike, new_only: ArrayLike, *, test: PairedTest = "mid-p"
) -> NDArray[np.float64]:
    """Return the two-sided p-value of McNemar's test of equal accuracies.

    Parameters
    ----------
    old_only, new_only : array-like of int
        Cases that only the one, or only the other, gets right; broadcast together.
    test : {"mid-p", "exact"}
        ``exact``: twice the binomial tail, at most 1. ``mid-p``: less the probability of the count
        itself; closer to its level, which it can exceed by a little.

    Notes
    -----
    Fagerland, Lydersen and Laake 2013, BMC Medical Research Methodology 13:91.

    Examples
    --------
    >>> mcnemar_p_value(2, 9).round(4).item(), mcnemar_p_value(2, 9, test="exact").round(4).item()
    (0.0386, 0.0654)
    """
    check_option(test, PairedTest, "test")
    fewer = np.minimum(old_only, new_only)
    discordant = np.add(old_only, new_only)
    twice = 2.0 * binom.cdf(fewer, discordant, 0.5)
    if test == "mid-p":
        twice = twice - binom.pmf(fewer, discordant, 0.5)
    return np.minimum(np.asarray(twice, np.float64), 1.0)


def exact_power_of_pairs(
    old: float,
    new: float,
    correlation: float,
    *,
    n_pairs: int,
    level: float = 0.95,
    test: PairedTest = "mid-p",
) -> float:
    """Return the probability that McNemar's test is significant, by enumeration.

    Parameters
    ----------
    old, new : float
        Accuracies in [0, 1]. If they are equal, this is the size of the test.
    correlation : float
        Between the two outcomes of a case, within the bounds that the accuracies set.
    n_pairs : int
    level : float
    test : {"mid-p", "exact"}

    Raises
    ------
    OptionError
        If a value is out of range or no cases have this correlation.

    Notes
    -----
    The number of discordant pairs is binomial, and given that number so is its division; both
    tails of every division are counted (Duffy 1984, Biometrics 40:1005).

    Examples
    --------
    >>> round(exact_power_of_pairs(0.85, 0.80, 0.5, n_pairs=460), 3)
    0.807
    """
    check_whole(n_pairs, "n_pairs", least=1)
    check_level(level)
    share = discordant_share(old, new, correlation)
    if share == 0.0:
        return 0.0
    discordant = np.arange(n_pairs + 1)
    fewest = _last_significant(discordant, level, test)
    old_only = min(max((share + old - new) / (2.0 * share), 0.0), 1.0)
    tails = binom.cdf(fewest, discordant, old_only) + binom.cdf(fewest, discordant, 1.0 - old_only)
    return float(binom.pmf(discordant, n_pairs, share) @ tails)


def _last_significant(
    discordant: NDArray[np.int64], level: float, test: PairedTest
) -> NDArray[np.float64]:
    """Largest smaller count that is significant among so many discordant pairs; -1 if none is."""
    quantile = binom.ppf((1.0 - level) / 2.0, discordant, 0.5)
    significant = mcnemar_p_value(quantile, discordant - quantile, test=test) <= 1.0 - level
    return np.where(significant, quantile, quantile - 1.0)


def _check_accuracies(old: float, new: float) -> None:
    check_share(old, "old")
    check_share(new, "new")


def _check_apart(old: float, new: float) -> None:
    _check_accuracies(old, new)
    if old == new:
        raise OptionError(
            describe(
                f"the wanted difference is 0: both accuracies are {old}",
                "expected two that differ, since no number of cases shows a difference of 0",
                "name the smallest difference that matters to you, 0.05, say",
            )
        )


def _check_power(power: float, level: float) -> None:
    if not 1.0 - level < power < 1.0:
        raise OptionError(
            describe(
                f"power is {power!r}",
                f"expected a number below 1, which no number of cases reaches, and above "
                f"{1.0 - level:.10g}, which takes none at level {level:.10g}",
                "write 0.8, say",
            )
        )


def _check_correlation(old: float, new: float, correlation: float) -> None:
    smallest, largest = smallest_correlation(old, new), largest_correlation(old, new)
    if not smallest - ROUNDING <= correlation <= largest + ROUNDING:
        raise OptionError(
            describe(
                f"the within-pair correlation is {correlation!r}",
                f"expected one from {smallest:.4f} to {largest:.4f}: outcomes with accuracies "
                f"{old:.10g} and {new:.10g} cannot agree less, or more",
                "take the correlation of a pilot, or 0 to be safe",
            )
        )
