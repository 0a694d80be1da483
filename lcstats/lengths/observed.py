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
    treatment = criterion.treatment
    accuracies = tuple(
        treated_accuracy(numerators, n_cases, grid.unit, treatment)
        for numerators, n_cases in zip(grid.numerators, grid.n_cases, strict=True)
    )
    bar = apply_rule(accuracies, grid.lengths, criterion)
    return Observed(accuracies, bar, tuple(accuracy >= bar for accuracy in accuracies))


def treated_accuracy(
    numerators: NDArray[np.int64], n_cases: NDArray[np.int64], unit: int, treatment: Treatment
) -> Fraction:
    """Return the depth-treated accuracy of one length as an exact fraction.

    Parameters
    ----------
    numerators, n_cases : ndarray of int64, shape (n_depths,)
        One length of a grid; depths with no cases are left out.
    unit : int
        Successes are ``numerators / unit``.
    """
    present = n_cases > 0
    numerators, n_cases = numerators[present], n_cases[present]
    if treatment.is_order:
        ascending = np.argsort(numerators / n_cases, kind="stable")
        chosen = ascending[treatment.rank(n_cases.size) - 1]
        return Fraction(int(numerators[chosen]), int(n_cases[chosen]) * unit)
    if treatment.kind == "pooled" or np.all(n_cases == n_cases[0]):
        return Fraction(int(numerators.sum()), int(n_cases.sum()) * unit)
    shares = zip(numerators.tolist(), n_cases.tolist(), strict=True)
    return sum((Fraction(k, n * unit) for k, n in shares), Fraction(0)) / n_cases.size


def apply_rule(
    accuracies: tuple[Fraction, ...], lengths: NDArray[np.int64], criterion: Criterion
) -> Fraction:
    """Return the bar in accuracy that `criterion` sets for these accuracies."""
    tau = criterion.exact_threshold
    if criterion.rule == "above_chance":
        guess = criterion.exact_guess_rate
        return guess + tau * (1 - guess)
    if criterion.rule == "relative":
        base = base_rows(lengths, criterion)
        return tau * sum((accuracies[i] for i in base), Fraction(0)) / len(base)
    return tau


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
