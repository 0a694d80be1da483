"""Windows of adjacent depths: which there are at a length, and which is the lowest.

Depths are adjacent as the design tested them, within one task. A depth without cases at a length
is a hole: a window that holds one is left out there, for its mean would be over fewer depths, or
over a wider stretch, than the name says. What is in no window then is watched by none, as with
worst depth a cell that was not tested is not; a notice counts both.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm

import numpy as np
from numpy.typing import NDArray

from lcstats.cells import CellGrid
from lcstats.errors import OptionError, describe


@dataclass(frozen=True, slots=True)
class Window:
    """The lowest window of a length.

    Attributes
    ----------
    accuracy : Fraction
        Unweighted mean of its cells' scores, in the units that the counts are in.
    columns : ndarray of int64, shape (width,)
    """

    accuracy: Fraction
    columns: NDArray[np.int64]


def stretches(
    present: NDArray[np.bool_], members: NDArray[np.int64] | None, width: int
) -> list[NDArray[np.int64]]:
    """Return the unbroken runs of depths of one length that hold a window.

    Parameters
    ----------
    present : ndarray of bool, shape (n_depths,)
        True where there are cases.
    members : ndarray of int64, shape (n_depths,), optional
        The averaged task of every column; no window reaches from one into the next.
    width : int

    Returns
    -------
    list of ndarray of int64
        Columns of every run of at least `width` depths.

    Examples
    --------
    >>> present = np.array([True, True, False, True, True, True, True])
    >>> [run.tolist() for run in stretches(present, np.array([0, 0, 0, 0, 0, 1, 1]), 2)]
    [[0, 1], [3, 4], [5, 6]]
    """
    columns = np.flatnonzero(present)
    is_broken = np.diff(columns) > 1
    if members is not None:
        is_broken |= np.diff(members[columns]) != 0
    runs = np.split(columns, np.flatnonzero(is_broken) + 1)
    return [run for run in runs if run.size >= width]


def lowest_window(
    numerators: NDArray[np.int64],
    n_cases: NDArray[np.int64],
    members: NDArray[np.int64] | None,
    width: int,
) -> Window:
    """Return the lowest window of a length exactly, the first of equals.

    Parameters
    ----------
    numerators, n_cases : ndarray of int64, shape (n_depths,)
    members : ndarray of int64, shape (n_depths,), optional
    width : int
        At most the longest run of depths with cases.

    Examples
    --------
    >>> lowest_window(np.array([9, 7, 4, 3]), np.array([10, 10, 5, 5]), None, 2).accuracy
    Fraction(7, 10)
    """
    return min(_windows(numerators, n_cases, members, width), key=lambda window: window.accuracy)


def _windows(
    numerators: NDArray[np.int64],
    n_cases: NDArray[np.int64],
    members: NDArray[np.int64] | None,
    width: int,
) -> Iterator[Window]:
    for run in stretches(n_cases > 0, members, width):
        sizes = n_cases[run].tolist()
        whole = lcm(*sizes)
        steps = [k * (whole // n) for k, n in zip(numerators[run].tolist(), sizes, strict=True)]
        for first in range(run.size - width + 1):
            total = sum(steps[first : first + width])
            yield Window(Fraction(total, whole * width), run[first : first + width])


def check_windows(grid: CellGrid, width: int) -> None:
    """Raise unless every task of every length has `width` adjacent depths with cases.

    Raises
    ------
    OptionError
        If a length has no such window, or there are trials without a depth.
    """
    if np.isnan(grid.depths).any():
        raise OptionError(
            describe(
                f"depth treatment is window:{width}, and {grid.model} on {grid.task} has trials "
                "without a depth",
                "expected a depth for every trial, because a window is of adjacent depths",
                "leave those trials out, or use the mean over depths",
            )
        )
    check_runs(grid.n_cases, width, [str(n) for n in grid.lengths], members=grid.member_codes)


def check_runs(
    n_cases: NDArray[np.int64],
    width: int,
    lengths: Sequence[str],
    *,
    members: NDArray[np.int64] | None = None,
) -> None:
    """Raise where a task of a length has no window; `lengths` are names for the message.

    Raises
    ------
    OptionError
        With the widest window that every length has.
    """
    codes = np.zeros(n_cases.shape[1], dtype=np.int64) if members is None else members
    longest = [_longest_run(row > 0, codes) for row in n_cases]
    short = [i for i, n_adjacent in enumerate(longest) if n_adjacent < width]
    if not short:
        return
    widest = min(longest)
    mend = f"use window:{widest}" if widest > 1 else "use worst depth or the mean over depths"
    raise OptionError(
        describe(
            f"depth treatment is window:{width}, and length {lengths[short[0]]} has at most "
            f"{longest[short[0]]} adjacent depth{'s' * (longest[short[0]] != 1)} with cases",
            f"expected at least {width} at every length{' and task' * (np.unique(codes).size > 1)}",
            f"{mend}, or leave that length out",
        )
    )


def _longest_run(present: NDArray[np.bool_], members: NDArray[np.int64]) -> int:
    """Length of the longest run; of several tasks, of the one that has the shortest."""
    return min(
        (
            max(run.size for run in stretches(present & (members == code), members, 1))
            for code in np.unique(members[present])
        ),
        default=0,
    )


@dataclass(frozen=True, slots=True)
class WindowCounts:
    """How many windows the lengths of a grid have and lack.

    Attributes
    ----------
    most : int
        Windows of the length that has most.
    n_left_out : int
        Windows, over all lengths, that hold a depth without cases; a task that a length lacks
        altogether is not counted.
    n_unwatched : int
        Tested cells that lie in no window.
    lacking : ndarray of int64, shape (n_lacking,)
        Lengths that lack a window.
    """

    most: int
    n_left_out: int
    n_unwatched: int
    lacking: NDArray[np.int64]


def count_windows(grid: CellGrid, width: int) -> WindowCounts:
    """Count the windows of every length, those left out, and the cells that are in none."""
    codes = grid.member_codes
    there, left_out, n_unwatched = [], [], 0
    for present in grid.n_cases > 0:
        runs = stretches(present, codes, width)
        of_its_tasks = stretches(np.isin(codes, codes[present]), codes, width)
        there.append(_count(runs, width))
        left_out.append(_count(of_its_tasks, width) - there[-1])
        n_unwatched += int(present.sum()) - sum(run.size for run in runs)
    lacking = grid.lengths[np.array(left_out) > 0]
    return WindowCounts(max(there), sum(left_out), n_unwatched, lacking)


def _count(runs: list[NDArray[np.int64]], width: int) -> int:
    return sum(run.size - width + 1 for run in runs)


def smallest_window(grid: CellGrid, width: int) -> int:
    """Return the number of cases of the window that has fewest."""
    return min(
        int(n_cases[run[first : first + width]].sum())
        for n_cases in grid.n_cases
        for run in stretches(n_cases > 0, grid.member_codes, width)
        for first in range(run.size - width + 1)
    )
