"""The threshold rule of a plan, written out for drawn counts as comparisons of whole numbers."""

from dataclasses import dataclass
from fractions import Fraction
from math import ceil, lcm

import numpy as np
from numpy.typing import NDArray

from lcstats.curve import FloatArray
from lcstats.kernels.passing import drop_by_failures, drop_by_sums
from lcstats.lengths.criterion import Treatment
from lcstats.lengths.resampling import TIE
from lcstats.lengths.shares import case_divisors
from lcstats.lengths.windows import stretches

LARGEST_SCALE = 2**52
"""Steps of accuracy that a double counts exactly; beyond, sums are compared up to ``TIE``."""


@dataclass(frozen=True, slots=True, eq=False)
class SumTest:
    """A length passes where every weighted sum of its cells' successes is large enough.

    Attributes
    ----------
    weights : ndarray of float64, shape (n_sums, n_depths)
    least : ndarray of float64, shape (n_sums,)
    """

    weights: FloatArray
    least: FloatArray

    def drop(self, counts: NDArray[np.int16], passes: NDArray[np.bool_]) -> None:
        """Clear `passes`, (n_simulations,), where `counts`, (n_depths, n_simulations), fail."""
        drop_by_sums(counts, self.weights, self.least, passes)


@dataclass(frozen=True, slots=True, eq=False)
class OrderTest:
    """A length passes where few enough cells lack the successes they need.

    Attributes
    ----------
    needed : ndarray of int64, shape (n_depths,)
    n_allowed : int
    """

    needed: NDArray[np.int64]
    n_allowed: int

    def drop(self, counts: NDArray[np.int16], passes: NDArray[np.bool_]) -> None:
        """Clear `passes`, (n_simulations,), where `counts`, (n_depths, n_simulations), fail."""
        drop_by_failures(counts, self.needed, self.n_allowed, passes)


RowTest = SumTest | OrderTest


def row_tests(n_cases: NDArray[np.int64], bar: Fraction, treatment: Treatment) -> list[RowTest]:
    """Return the test of every length.

    Parameters
    ----------
    n_cases : ndarray of int64, shape (n_lengths, n_depths)
        0 leaves a cell out.
    bar : Fraction
        In accuracy.
    treatment : Treatment

    Examples
    --------
    >>> (test,) = row_tests(np.array([[20, 10]]), Fraction(17, 20), Treatment("mean"))
    >>> test.weights.tolist(), test.least.tolist()
    ([[1.0, 2.0]], [34.0])
    >>> (test,) = row_tests(np.array([[20, 10]]), Fraction(17, 20), Treatment("order"))
    >>> test.needed.tolist(), test.n_allowed
    ([17, 9], 0)
    """
    known: dict[bytes, RowTest] = {}
    for row in n_cases:
        if row.tobytes() not in known:
            known[row.tobytes()] = _row_test(row, bar, treatment)
    return [known[row.tobytes()] for row in n_cases]


def _row_test(n_cases: NDArray[np.int64], bar: Fraction, treatment: Treatment) -> RowTest:
    present = n_cases > 0
    if treatment.is_window:
        windows = [
            run[first : first + treatment.width]
            for run in stretches(present, None, treatment.width)
            for first in range(run.size - treatment.width + 1)
        ]
        return _sum_test(n_cases * treatment.width, windows, bar)
    if treatment.is_order:
        needed = [ceil(bar * int(n)) for n in n_cases]
        return OrderTest(np.array(needed), treatment.rank(int(present.sum())) - 1)
    return _sum_test(case_divisors(n_cases, treatment), [np.flatnonzero(present)], bar)


def _sum_test(
    divisors: NDArray[np.int64], groups: list[NDArray[np.intp]], bar: Fraction
) -> SumTest:
    """Compare ``sum(successes / divisors)`` over each group of columns with the bar."""
    weights = np.zeros((len(groups), divisors.size))
    least = np.empty(len(groups))
    for j, columns in enumerate(groups):
        scale = lcm(*divisors[columns].tolist())
        if scale <= LARGEST_SCALE:
            weights[j, columns] = scale // divisors[columns]
            least[j] = ceil(bar * scale)
        else:
            weights[j, columns] = 1.0 / divisors[columns]
            least[j] = float(bar) - TIE
    return SumTest(weights, least)
