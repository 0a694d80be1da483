"""The observed effective length: the threshold rule on the counts themselves, in integers.

Outcomes on m tested lengths are numbered 0..m: 0 says that no length passes, i that the i-th
is the last of an unbroken run of passing lengths.
"""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from lcstats.cells import CellGrid
from lcstats.errors import OptionError, describe
from lcstats.lengths.criterion import Criterion, Treatment
from lcstats.lengths.shares import case_divisors
from lcstats.lengths.windows import check_windows, lowest_window


@dataclass(frozen=True, slots=True)
class Observed:
    """The threshold rule applied to counts.

    Attributes
    ----------
    accuracies : tuple of Fraction, length n_lengths
        Depth-treated accuracy of every length.
    applied_threshold : Fraction
        The bar in accuracy, after the threshold rule.
    passes : tuple of bool, length n_lengths
    """

    accuracies: tuple[Fraction, ...]
    applied_threshold: Fraction
    passes: tuple[bool, ...]

    @property
    def outcome(self) -> int:
        """Number of leading lengths that pass."""
        return leading(self.passes)

    @property
    def longest_passing(self) -> int | None:
        """Index of the longest length that passes, whatever the shorter ones do."""
        passing = [i for i, passed in enumerate(self.passes) if passed]
        return passing[-1] if passing else None


def observe(grid: CellGrid, criterion: Criterion) -> Observed:
    """Apply `criterion` to the counts of `grid` (METHOD section 3); ties at the bar pass."""
    accuracies = treated_accuracies(grid, criterion.treatment)
    bar = apply_rule(accuracies, grid.lengths, criterion)
    return Observed(accuracies, bar, tuple(accuracy >= bar for accuracy in accuracies))


def treated_accuracies(grid: CellGrid, treatment: Treatment) -> tuple[Fraction, ...]:
    """Return the depth-treated accuracy of every length as an exact fraction.

    Depths with no cases are left out; of windows, those that hold such a depth.

    Raises
    ------
    OptionError
        If a length has fewer adjacent depths with cases than a window has.
    """
    if treatment.is_window:
        check_windows(grid, treatment.width)
        rows = zip(grid.numerators, grid.n_cases, strict=True)
        windows = (lowest_window(*row, grid.member_codes, treatment.width) for row in rows)
        return tuple(window.accuracy / grid.unit for window in windows)
    divisors = case_divisors(grid.n_cases, treatment, grid.member_codes)
    return tuple(
        _cell_in_order(numerators[n > 0], n[n > 0], treatment) / grid.unit
        if treatment.is_order
        else _weighted_sum(numerators[n > 0], divisor[n > 0]) / grid.unit
        for numerators, n, divisor in zip(grid.numerators, grid.n_cases, divisors, strict=True)
    )


def _cell_in_order(
    numerators: NDArray[np.int64], n_cases: NDArray[np.int64], treatment: Treatment
) -> Fraction:
    ascending = np.argsort(numerators / n_cases, kind="stable")
    chosen = ascending[treatment.rank(n_cases.size) - 1]
    return Fraction(int(numerators[chosen]), int(n_cases[chosen]))


def _weighted_sum(numerators: NDArray[np.int64], divisors: NDArray[np.int64]) -> Fraction:
    """Add up ``numerators / divisors``, equal divisors at once."""
    totals = ((numerators[divisors == d].sum(), d) for d in np.unique(divisors))
    return sum((Fraction(int(total), int(d)) for total, d in totals), Fraction(0))


def apply_rule(
    accuracies: tuple[Fraction, ...], lengths: NDArray[np.int64], criterion: Criterion
) -> Fraction:
    """Return the bar in accuracy that `criterion` sets for these accuracies."""
    if criterion.fixed_bar is not None:
        return criterion.fixed_bar
    base = base_rows(lengths, criterion)
    return criterion.exact_threshold * sum((accuracies[i] for i in base), Fraction(0)) / len(base)


def base_rows(lengths: NDArray[np.int64], criterion: Criterion) -> tuple[int, ...]:
    """Return the indices of the base lengths; the shortest where none are named.

    Raises
    ------
    OptionError
        If a base length was not tested.
    """
    if not criterion.base_lengths:
        return (0,)
    tested = lengths.tolist()
    unknown = [length for length in criterion.base_lengths if length not in tested]
    if unknown:
        raise OptionError(
            describe(
                f"base length {', '.join(map(str, unknown))} has no scored trials",
                f"expected some of {', '.join(map(str, tested))}",
                "name tested lengths with --base-lengths",
            )
        )
    return tuple(sorted(tested.index(length) for length in set(criterion.base_lengths)))


def leading(passes: tuple[bool, ...] | NDArray[np.bool_]) -> int:
    """Count the leading true values.

    Examples
    --------
    >>> leading((True, True, False, True))
    2
    """
    for index, passed in enumerate(passes):
        if not passed:
            return index
    return len(passes)
