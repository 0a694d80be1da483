"""Exact distributions of depth-treated accuracy when every cell is binomial.

A length's accuracy lives on a lattice: with n cases in each of D cells a depth mean is a whole
number of steps of 1/(n D). The bootstrap (rates k/n) and the probability of each outcome under
a truth (rates p) are the same computation with other rates.
"""

from dataclasses import dataclass
from fractions import Fraction
from math import lcm

import numpy as np
from numpy.typing import NDArray

from lcstats.kernels.binomial import (
    accuracy_tails,
    at_most_failing,
    leading_run_law,
    sum_of_binomials,
)
from lcstats.lengths.binomial import at_least
from lcstats.lengths.criterion import Treatment

FINEST_LATTICE = 2_000_000
"""Lattice points beyond which counted resampling takes over."""


FINEST_BAR = 10**12
"""Largest denominator of a bar: no lattice here has a point between it and a finer one."""


@dataclass(frozen=True, slots=True)
class RowLaw:
    """Distribution of one length's accuracy.

    Attributes
    ----------
    mass : ndarray of float64, shape (scale + 1,)
        Probability that the accuracy is ``index / scale``.
    scale : int
    """

    mass: NDArray[np.float64]
    scale: int

    def tail(self, tau: Fraction) -> float:
        """P(accuracy >= tau)."""
        return float(min(1.0, self.mass[steps_to(tau, self.scale) :].sum()))


def steps_to(tau: Fraction, scale: int) -> int:
    """Smallest whole number of steps of ``1 / scale`` that is at least `tau`."""
    return -(-tau.numerator * scale // tau.denominator)


def lattice(
    n_cases: NDArray[np.int64], treatment: Treatment
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the steps one success is worth, and the steps of accuracy 1.

    Parameters
    ----------
    n_cases : ndarray of int64, shape (n_lengths, n_depths)

    Returns
    -------
    step : ndarray of int64, shape (n_lengths, n_depths)
    scale : ndarray of int64, shape (n_lengths,)
        Not meaningful where it exceeds :data:`FINEST_LATTICE`; see :func:`is_too_fine`.
    """
    present = n_cases > 0
    if treatment.kind == "pooled":
        return present.astype(np.int64), n_cases.sum(axis=1)
    common = np.lcm.reduce(np.where(present, n_cases, 1), axis=1)
    step = np.where(present, common[:, None] // np.maximum(n_cases, 1), 0)
    return step, common * (1 if treatment.is_order else present.sum(axis=1))


def is_too_fine(n_cases: NDArray[np.int64], treatment: Treatment) -> bool:
    """True if the lattice of some length has more points than is worth convolving."""
    if treatment.kind == "pooled":
        return bool(n_cases.sum(axis=1).max() > FINEST_LATTICE)
    if _lattice_size(n_cases.ravel(), n_cases.shape[1]) <= FINEST_LATTICE:
        return False
    return any(_lattice_size(row, int((row > 0).sum())) > FINEST_LATTICE for row in n_cases)


def _lattice_size(n_cases: NDArray[np.int64], n_depths: int) -> int:
    return lcm(*np.unique(n_cases[n_cases > 0]).tolist()) * n_depths


def passing_probabilities(
    rates: NDArray[np.float64], n_cases: NDArray[np.int64], tau: Fraction, treatment: Treatment
) -> NDArray[np.float64]:
    """P(accuracy >= tau) of every length when cell counts are Bin(n_cases, rates).

    Parameters
    ----------
    rates : ndarray of float64, shape (n_lengths, n_depths)
        In [0, 1]; ignored where there are no cases.
    n_cases : ndarray of int64, shape (n_lengths, n_depths)
    tau : Fraction
    treatment : Treatment

    Returns
    -------
    ndarray of float64, shape (n_lengths,)
    """
    if treatment.is_order:
        n_present = (n_cases > 0).sum(axis=1)
        most = np.array([treatment.rank(int(n)) - 1 for n in n_present])
        return at_most_failing(cell_tails(rates, n_cases, tau), most)
    tau = tau.limit_denominator(FINEST_BAR)
    # A copy, for numba would compile the kernel once more for read-only counts.
    pooled = treatment.kind == "pooled"
    return accuracy_tails(n_cases.copy(), rates, pooled, tau.numerator, tau.denominator)


def cell_tails(
    rates: NDArray[np.float64], n_cases: NDArray[np.int64], tau: Fraction
) -> NDArray[np.float64]:
    """P(Bin(n, rate) >= tau n) of every cell; 1 where there are no cases."""
    return at_least(-(-tau.numerator * n_cases // tau.denominator), n_cases, rates)


def row_law(rates: NDArray[np.float64], n_cases: NDArray[np.int64], treatment: Treatment) -> RowLaw:
    """Return the whole distribution of one length's accuracy.

    Parameters
    ----------
    rates : ndarray of float64, shape (n_depths,)
    n_cases : ndarray of int64, shape (n_depths,)
    """
    step, scale = lattice(n_cases[None, :], treatment)
    points = int(scale[0])
    if not treatment.is_order:
        return RowLaw(sum_of_binomials(n_cases.copy(), rates, step[0]), points)
    reach = np.array(
        [
            passing_probabilities(rates[None], n_cases[None], Fraction(j, points), treatment)[0]
            for j in range(points + 1)
        ]
    )
    return RowLaw(-np.diff(reach, append=0.0), points)


def outcome_masses(passing: NDArray[np.float64]) -> NDArray[np.float64]:
    """Turn independent passing probabilities into the probability of every outcome.

    P(outcome = i) = q_1 ... q_i (1 - q_{i+1}); shape (n_lengths,) to (n_lengths + 1,).

    Examples
    --------
    >>> outcome_masses(np.array([1.0, 0.5])).tolist()
    [0.0, 0.5, 0.5]
    """
    return leading_run_law(passing)
