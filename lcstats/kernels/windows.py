"""Exact probability that no window of adjacent independent cells loses too much.

A cell loses a whole number of units, each worth some steps of a lattice that all cells share. The
state of the computation is what the last ``width - 1`` cells lost, for that is all the next window
has to know (a transfer matrix). A state that already lost too much has no way on, so a cell's part
in the state goes only as far as a window may lose.
"""

import numpy as np
from numpy.typing import NDArray

from lcstats.kernels.binomial import NEGLIGIBLE, fill_binomial
from lcstats.kernels.jit import njit


@njit
def binomial_losses(n: NDArray[np.int64], p: NDArray[np.float64]) -> NDArray[np.float64]:
    """P(a cell with n cases of success rate p loses u of them), shape (n_cells, n.max() + 1)."""
    laws = np.zeros((n.size, n.max() + 1))
    for i in range(n.size):
        if p[i] >= 1.0:
            laws[i, 0] = 1.0
        elif p[i] <= 0.0:
            laws[i, n[i]] = 1.0
        else:
            fill_binomial(n[i], 1.0 - p[i], laws[i])
    return laws


@njit
def sum_of_losses(
    laws: NDArray[np.float64], step: NDArray[np.int64], most: int
) -> NDArray[np.float64]:
    """Distribution of what independent cells lose together, as far as `most` steps.

    Parameters
    ----------
    laws : ndarray of float64, shape (n_cells, size)
        Probability that a cell loses so many units.
    step : ndarray of int64, shape (n_cells,)
        Lattice steps that a unit of the cell is worth.
    most : int
        At least 0; what loses more is left out.

    Returns
    -------
    ndarray of float64, shape (most + 1,)
    """
    total = np.zeros(most + 1)
    following = np.zeros(most + 1)
    total[0] = 1.0
    for i in range(step.size):
        following[:] = 0.0
        for k in range(min(laws.shape[1] - 1, most // step[i]) + 1):
            weight = laws[i, k]
            if weight > NEGLIGIBLE:
                start = k * step[i]
                for j in range(most + 1 - start):
                    following[start + j] += weight * total[j]
        total, following = following, total
    return total


@njit
def no_window_loses_more(
    laws: NDArray[np.float64],
    step: NDArray[np.int64],
    digits: NDArray[np.int64],
    width: int,
    most: int,
) -> float:
    """P(no `width` adjacent cells lose more than `most` lattice steps).

    Parameters
    ----------
    laws : ndarray of float64, shape (n_cells, size)
        Probability that a cell loses so many units; cells are independent.
    step : ndarray of int64, shape (n_cells,)
        Lattice steps that a unit of the cell is worth.
    digits : ndarray of int64, shape (n_cells,)
        Numbers of lost units to follow, 0 to ``digits - 1``: all of a cell's, or as many as `most`
        allows.
    width : int
        1 to n_cells.
    most : int
        At least 0.

    Notes
    -----
    A state numbers the losses of the last ``width - 1`` cells, the newest being its last digit.
    For what the cells between lost, the next cell's loss u is allowed beside every loss of the
    oldest cell up to a bound that falls with u: one running sum serves all u.
    """
    held = width - 1
    states = np.ones(1)
    for i in range(held):
        states = np.outer(states, laws[i, : digits[i]]).ravel()
    for i in range(held, step.size):
        first = i - held
        between = 1
        for j in range(first + 1, i):
            between *= digits[j]
        oldest = digits[first] if held else 1
        oldest_step = step[first] if held else 1
        following = np.zeros(between * digits[i])
        for rest in range(between):
            lost, left = 0, rest
            for j in range(i - 1, first, -1):
                lost += (left % digits[j]) * step[j]
                left //= digits[j]
            taken, running = 0, 0.0
            for unit in range(digits[i] - 1, -1, -1):
                room = most - lost - unit * step[i]
                if room < 0:
                    continue
                while taken < oldest and taken * oldest_step <= room:
                    running += states[taken * between + rest]
                    taken += 1
                following[rest * digits[i] + unit] = running * laws[i, unit]
        states = following if held else np.array([following.sum()])
    return float(min(1.0, states.sum()))
