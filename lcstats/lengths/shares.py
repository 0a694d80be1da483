"""What one case is worth in a length's accuracy: the one place that knows depths from tasks.

A mean over D depths gives a case of a cell with n of them a share of 1/(D n); pooled, of 1 over
all cases. An average over T tasks gives every task 1/T, and treats depth within the task. Shares
are held as whole numbers, so that sums of them stay exact.
"""

from math import lcm

import numpy as np
from numpy.typing import NDArray

from lcstats.cells import CellGrid
from lcstats.lengths.criterion import Treatment


def membership(members: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return 1 where a column is of a task: counts @ membership adds up within tasks.

    Parameters
    ----------
    members : ndarray of int64, shape (n_depths,)
        Number of the averaged task each column belongs to.

    Returns
    -------
    ndarray of int64, shape (n_depths, n_tasks)

    Examples
    --------
    >>> (np.array([4, 5, 8]) @ membership(np.array([0, 0, 1]))).tolist()
    [9, 8]
    """
    return np.asarray(members[:, None] == np.unique(members), dtype=np.int64)


def case_divisors(
    n_cases: NDArray[np.int64], treatment: Treatment, members: NDArray[np.int64] | None = None
) -> NDArray[np.int64]:
    """Return the whole number of which each case of a cell is worth one part.

    Parameters
    ----------
    n_cases : ndarray of int64, shape (..., n_depths)
        Cases per cell; 0 where there are none.
    treatment : Treatment
        ``mean`` or ``pooled``; an order is treated as a mean. Of a window, which takes part of
        a length, it is the share in a window.
    members : ndarray of int64, shape (n_depths,), optional
        Number of the averaged task each column belongs to; a single task without it.

    Returns
    -------
    ndarray of int64, shape (..., n_depths)
        0 where there are no cases. A length's accuracy is ``sum(successes / divisors)``.

    Examples
    --------
    >>> n_cases = np.array([4, 5, 8])
    >>> case_divisors(n_cases, Treatment("mean")).tolist()
    [12, 15, 24]
    >>> case_divisors(n_cases, Treatment("mean"), np.array([0, 0, 1])).tolist()
    [16, 20, 16]
    >>> case_divisors(n_cases, Treatment("pooled"), np.array([0, 0, 1])).tolist()
    [18, 18, 16]
    """
    if treatment.is_window:
        return np.asarray(n_cases * treatment.width, dtype=np.int64)
    if members is None:
        members = np.zeros(n_cases.shape[-1], dtype=np.int64)
    is_of = membership(members)
    present = (n_cases > 0).astype(np.int64)
    n_depths = present @ is_of
    n_tasks = (n_depths > 0).sum(axis=-1, keepdims=True)
    if treatment.kind == "pooled":
        return np.asarray(present * n_tasks * ((n_cases @ is_of) @ is_of.T), dtype=np.int64)
    return np.asarray(n_cases * n_tasks * (n_depths @ is_of.T), dtype=np.int64)


def finest_step(n_cases: NDArray[np.int64], divisors: NDArray[np.int64], *, is_order: bool) -> int:
    """Return the number of steps from accuracy 0 to 1 of one length, however large.

    Parameters
    ----------
    n_cases, divisors : ndarray of int64, shape (n_depths,)
    is_order : bool
        True where one cell counts, whose accuracy is a number of its own cases.
    """
    parts = n_cases if is_order else divisors
    return lcm(*np.unique(parts[parts > 0]).tolist())


def weigh_equally(grid: CellGrid, treatment: Treatment) -> bool:
    """Tell whether at each length all cases are worth the same and nothing lacks.

    A length that lacks a depth (for pooled accuracy: an averaged task) has another estimand.
    """
    divisors = case_divisors(grid.n_cases, treatment, grid.member_codes)
    present = grid.n_cases > 0
    if treatment.kind == "pooled":
        is_of = membership(grid.member_codes)
        whole = bool(np.all(present @ is_of))
    else:
        whole = bool(np.all(present))
    largest = divisors.max(axis=1, keepdims=True)
    return whole and bool(np.all((divisors == largest) | ~present))
