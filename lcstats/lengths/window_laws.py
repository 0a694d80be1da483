"""Exact distributions of the lowest window of adjacent depths, cells being independent.

A length passes if no window falls short, that is, if none loses more than a bound. Where windows
are wider than half a run of depths they all share its middle, which then counts as one cell.
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import lcm, prod

import numpy as np
from numpy.typing import NDArray

from lcstats.kernels.windows import binomial_losses, no_window_loses_more, sum_of_losses
from lcstats.lengths.windows import stretches

MOST_STATES = 1_000_000
"""States beyond which counted resampling takes over: more no longer lie in a cache."""

MOST_WORK = 300_000_000
"""Elementary steps of a whole table beyond which counted resampling takes over: 1 to 3 s."""

SAME = 1e-15
"""Two tail probabilities no further apart are one: rounding alone can do as much."""


def passing_windows(
    rates: NDArray[np.float64],
    n_cases: NDArray[np.int64],
    tau: Fraction,
    width: int,
    *,
    members: NDArray[np.int64] | None = None,
) -> NDArray[np.float64]:
    """P(every window of a length reaches tau), cell counts being Bin(n_cases, rates).

    Parameters
    ----------
    rates, n_cases : ndarray, shape (n_lengths, n_depths)
    tau : Fraction
    width : int
    members : ndarray of int64, shape (n_depths,), optional
        The averaged task of every column.

    Returns
    -------
    ndarray of float64, shape (n_lengths,)

    Examples
    --------
    >>> rates, n_cases = np.full((1, 3), 0.5), np.ones((1, 3), dtype=np.int64)
    >>> passing_windows(rates, n_cases, Fraction(1, 2), 2).tolist()
    [0.625]
    """
    passing = np.ones(len(rates))
    for i, (row, n) in enumerate(zip(rates, n_cases, strict=True)):
        for run in stretches(n > 0, members, width):
            laws = binomial_losses(n[run], row[run])
            passing[i] *= no_window_fails(laws, n[run], tau, width)
    return passing


def no_window_fails(
    laws: NDArray[np.float64],
    n_units: NDArray[np.int64],
    tau: Fraction,
    width: int,
) -> float:
    """P(every window of a run of adjacent cells has a mean of at least `tau`).

    Parameters
    ----------
    laws : ndarray of float64, shape (n_cells, size)
        Probability that a cell loses so many units.
    n_units : ndarray of int64, shape (n_cells,)
        Units that a cell can lose: its cases, times the units of a case.
    tau : Fraction
    width : int
        At most n_cells.
    """
    chain = _chain(n_units, tau, width)
    if chain.most < 0:
        return 0.0
    if chain.n_shared > 1:
        laws = _merge(laws, chain, n_units)
    return float(
        no_window_loses_more(laws, chain.step, chain.digits, chain.width, chain.most),
    )


def reach_of_points(passing: Callable[[Fraction], float], scale: int) -> NDArray[np.float64]:
    """P(accuracy >= j / scale) for j = 0..scale, computed only where it changes.

    Parameters
    ----------
    passing : callable
        P(accuracy >= bar), falling in the bar.
    scale : int

    Returns
    -------
    ndarray of float64, shape (scale + 1,)

    Examples
    --------
    >>> reach_of_points(lambda bar: float(bar <= Fraction(1, 2)), 4).tolist()
    [1.0, 1.0, 1.0, 0.0, 0.0]
    """
    reach = np.empty(scale + 1)
    reach[[0, scale]] = 1.0, passing(Fraction(1))
    spans = [(0, scale)]
    while spans:
        low, high = spans.pop()
        if reach[low] - reach[high] < SAME or high - low < 2:
            reach[low + 1 : high] = reach[high]
            continue
        middle = (low + high) // 2
        reach[middle] = passing(Fraction(middle, scale))
        spans += [(low, middle), (middle, high)]
    return reach


@dataclass(frozen=True, slots=True)
class _Chain:
    """A run of cells, those that all windows share made one, on the coarsest common lattice.

    Attributes
    ----------
    step : ndarray of int64, shape (n_links,)
        Lattice steps that a lost unit is worth.
    digits : ndarray of int64, shape (n_links,)
        Numbers of lost units that a window can bear, 0 being one of them.
    width : int
    most : int
        Steps that a window may lose; negative where none can pass.
    n_ends, n_shared : int
        Cells before the shared ones, and the shared ones.
    """

    step: NDArray[np.int64]
    digits: NDArray[np.int64]
    width: int
    most: int
    n_ends: int
    n_shared: int

    @property
    def cost(self) -> tuple[int, int]:
        """Largest number of states, and elementary steps of the whole computation."""
        digits = self.digits.tolist()
        held = [prod(digits[i : i + self.width - 1]) for i in range(len(digits) - self.width + 2)]
        merging = self.n_shared * digits[self.n_ends] ** 2 if self.n_shared > 1 else 0
        return max(held), 2 * sum(held) + merging


def _chain(n_units: NDArray[np.int64], tau: Fraction, width: int) -> _Chain:
    whole = lcm(*n_units.tolist())
    step = whole // n_units
    scale = int(np.gcd.reduce(step))
    step //= scale
    most = (width * whole - -(-tau.numerator * width * whole // tau.denominator)) // scale
    n_ends = n_units.size - width
    n_shared = max(width - n_ends, 1)
    if n_shared > 1:
        reach = int((n_units * step)[n_ends:width].sum())
        n_units = np.concatenate([n_units[:n_ends], [reach], n_units[width:]])
        step = np.concatenate([step[:n_ends], [1], step[width:]])
        width = n_ends + 1
    digits = np.minimum(n_units, max(most, 0) // step) + 1
    return _Chain(step, digits, width, most, n_ends, n_shared)


def _merge(
    laws: NDArray[np.float64], chain: _Chain, n_units: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Put the law of the shared cells' sum in their place."""
    first, last = chain.n_ends, chain.n_ends + chain.n_shared
    whole = lcm(*n_units.tolist())
    step = whole // n_units
    step //= np.gcd.reduce(step)
    shared = sum_of_losses(laws[first:last], step[first:last], int(chain.digits[first]) - 1)
    return stack_laws([*laws[:first], shared, *laws[last:]])


def stack_laws(laws: list[NDArray[np.float64]]) -> NDArray[np.float64]:
    """Put laws of unequal lengths into one array, filled up with zeros.

    Examples
    --------
    >>> stack_laws([np.array([0.5, 0.5]), np.array([1.0])]).tolist()
    [[0.5, 0.5], [1.0, 0.0]]
    """
    stacked = np.zeros((len(laws), max(law.size for law in laws)))
    for row, law in zip(stacked, laws, strict=True):
        row[: law.size] = law
    return stacked


def is_too_much(
    n_units: NDArray[np.int64],
    width: int,
    *,
    members: NDArray[np.int64] | None,
    tau: Fraction | None,
) -> bool:
    """Tell whether the exact computation for a table takes more states or steps than is worth it.

    Parameters
    ----------
    n_units : ndarray of int64, shape (n_lengths, n_depths)
        Units that a cell can lose; 0 where it has no cases.
    width : int
    members : ndarray of int64, shape (n_depths,), optional
    tau : Fraction, optional
        The bar; without it the whole distribution of every length is needed, one computation for
        about each third of its points (:func:`reach_of_points`).
    """
    work = 0
    for row in n_units:
        for run in stretches(row > 0, members, width):
            n_points = 1 if tau is not None else width * lcm(*row[run].tolist()) // 3 + 1
            states, steps = _chain(row[run], tau or Fraction(0), width).cost
            work += n_points * steps
            if states > MOST_STATES or work > MOST_WORK:
                return True
    return False
