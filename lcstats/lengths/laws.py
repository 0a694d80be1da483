"""Exact distributions of depth-treated accuracy when every cell is binomial.

A length's accuracy lives on a lattice: with n cases in each of D cells a depth mean is a whole
number of steps of 1/(n D). The bootstrap (rates k/n) and the probability of each outcome under
a truth (rates p) are the same computation with other rates.
"""

from dataclasses import dataclass
from fractions import Fraction

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
from lcstats.lengths.shares import case_divisors, finest_step
from lcstats.lengths.window_laws import passing_windows, reach_of_points

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
    n_cases: NDArray[np.int64], treatment: Treatment, members: NDArray[np.int64] | None = None
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the steps one success is worth, and the steps of accuracy 1.

    Parameters
    ----------
    n_cases : ndarray of int64, shape (n_lengths, n_depths)
    treatment : Treatment
    members : ndarray of int64, shape (n_depths,), optional
        The averaged task of every column.

    Returns
    -------
    step : ndarray of int64, shape (n_lengths, n_depths)
    scale : ndarray of int64, shape (n_lengths,)
        Not meaningful where it exceeds :data:`FINEST_LATTICE`; see :func:`is_too_fine`.
    """
    present = n_cases > 0
    is_cell = treatment.kind == "order"
    parts = n_cases if is_cell else case_divisors(n_cases, treatment, members)
    scale = np.lcm.reduce(np.where(present, parts, 1), axis=1)
    return np.where(present, scale[:, None] // np.where(present, parts, 1), 0), scale


def is_too_fine(
    n_cases: NDArray[np.int64], treatment: Treatment, members: NDArray[np.int64] | None = None
) -> bool:
    """True if the lattice of some length has more points than is worth convolving."""
    divisors = case_divisors(n_cases, treatment, members)
    sizes = (finest_step(*row, is_order=False) for row in zip(n_cases, divisors, strict=True))
    return any(size > FINEST_LATTICE for size in sizes)


def passing_probabilities(
    rates: NDArray[np.float64],
    n_cases: NDArray[np.int64],
    tau: Fraction,
    treatment: Treatment,
    *,
    members: NDArray[np.int64] | None = None,
) -> NDArray[np.float64]:
    """P(accuracy >= tau) of every length when cell counts are Bin(n_cases, rates).

    Parameters
    ----------
    rates : ndarray of float64, shape (n_lengths, n_depths)
        In [0, 1]; ignored where there are no cases.
    n_cases : ndarray of int64, shape (n_lengths, n_depths)
    tau : Fraction
    treatment : Treatment
    members : ndarray of int64, shape (n_depths,), optional
        The averaged task of every column.

    Returns
    -------
    ndarray of float64, shape (n_lengths,)
    """
    if treatment.is_window:
        return passing_windows(rates, n_cases, tau, treatment.width, members=members)
    if treatment.is_order:
        n_present = (n_cases > 0).sum(axis=1)
        most = np.array([treatment.rank(int(n)) - 1 for n in n_present])
        return at_most_failing(cell_tails(rates, n_cases, tau), most)
    if members is not None and np.unique(members).size > 1:
        rows = zip(rates, n_cases, strict=True)
        return np.array([row_law(*row, treatment, members).tail(tau) for row in rows])
    tau = tau.limit_denominator(FINEST_BAR)
    # A copy, for numba would compile the kernel once more for read-only counts.
    pooled = treatment.kind == "pooled"
    return accuracy_tails(n_cases.copy(), rates, pooled, tau.numerator, tau.denominator)


def cell_tails(
    rates: NDArray[np.float64], n_cases: NDArray[np.int64], tau: Fraction
) -> NDArray[np.float64]:
    """P(Bin(n, rate) >= tau n) of every cell; 1 where there are no cases."""
    return at_least(-(-tau.numerator * n_cases // tau.denominator), n_cases, rates)


def row_law(
    rates: NDArray[np.float64],
    n_cases: NDArray[np.int64],
    treatment: Treatment,
    members: NDArray[np.int64] | None = None,
) -> RowLaw:
    """Return the whole distribution of one length's accuracy.

    Parameters
    ----------
    rates : ndarray of float64, shape (n_depths,)
    n_cases : ndarray of int64, shape (n_depths,)
    treatment : Treatment
    members : ndarray of int64, shape (n_depths,), optional
        The averaged task of every column.
    """
    step, scale = lattice(n_cases[None, :], treatment, members)
    points = int(scale[0])
    if not treatment.is_order:
        return RowLaw(sum_of_binomials(n_cases.copy(), rates, step[0]), points)

    def passing(bar: Fraction) -> float:
        row = (rates[None], n_cases[None])
        return float(passing_probabilities(*row, bar, treatment, members=members)[0])

    reach = reach_of_points(passing, points)
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
