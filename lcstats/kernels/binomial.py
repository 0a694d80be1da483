"""Exact distributions of sums of independent binomials, by direct convolution.

Everything here is a probability mass function on a lattice of whole steps; the caller chooses
the lattice so that comparisons with a threshold are comparisons of integers.
"""

import math

import numpy as np
from numpy.typing import NDArray

from lcstats.kernels.jit import njit

NEGLIGIBLE = 1e-25
"""Weights below this are skipped: with at most 2e6 lattice points they cannot show in a sum."""


@njit
def fill_binomial(n: int, p: float, out: NDArray[np.float64]) -> None:
    """Write P(Bin(n, p) = k) for k = 0..n into ``out[:n + 1]``; 0 < p < 1.

    Follows the ratio of neighbours outwards from the mode, so that nothing underflows before it
    is truly negligible, and scales the whole to 1.
    """
    mode = min(n, int((n + 1) * p))
    odds = p / (1.0 - p)
    out[mode] = 1.0
    total = 1.0
    for k in range(mode, n):
        out[k + 1] = out[k] * odds * (n - k) / (k + 1.0)
        total += out[k + 1]
    for k in range(mode, 0, -1):
        out[k - 1] = out[k] * k / (odds * (n - k + 1.0))
        total += out[k - 1]
    for k in range(n + 1):
        out[k] /= total


@njit
def merge_equal_cells(
    n: NDArray[np.int64], p: NDArray[np.float64], step: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return `n` with cells of equal rate and step summed into the first of them, 0 elsewhere.

    A sum of binomials with one success rate is a binomial again, so each distinct rate costs
    one convolution however many cells share it.
    """
    merged = n.copy()
    for i in range(n.size):
        for j in range(i):
            if merged[j] > 0 and p[i] == p[j] and step[i] == step[j]:
                merged[j] += merged[i]
                merged[i] = 0
                break
    return merged


@njit
def sum_of_binomials(
    n: NDArray[np.int64], p: NDArray[np.float64], step: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Distribution of ``sum(step * Bin(n, p))`` over independent cells.

    Parameters
    ----------
    n : ndarray of int64, shape (n_cells,)
        Trials of each cell; cells with 0 are passed over.
    p : ndarray of float64, shape (n_cells,)
        Success rate of each cell, in [0, 1].
    step : ndarray of int64, shape (n_cells,)
        Lattice steps that one success of the cell is worth.

    Returns
    -------
    ndarray of float64, shape (1 + sum(n * step),)
        Probability of every lattice point.
    """
    size = 1
    for i in range(n.size):
        size += n[i] * step[i]
    merged = merge_equal_cells(n, p, step)
    law = np.zeros(size)
    following = np.zeros(size)
    weights = np.empty(merged.max() + 1)
    law[0] = 1.0
    filled = 1
    shift = 0
    for i in range(n.size):
        if merged[i] == 0 or p[i] <= 0.0:
            continue
        if p[i] >= 1.0:
            shift += merged[i] * step[i]
            continue
        fill_binomial(merged[i], p[i], weights)
        grown = filled + merged[i] * step[i]
        following[:grown] = 0.0
        for k in range(merged[i] + 1):
            weight = weights[k]
            if weight > NEGLIGIBLE:
                start = k * step[i]
                for j in range(filled):
                    following[start + j] += weight * law[j]
        law, following = following, law
        filled = grown
    shifted = np.zeros(size)
    shifted[shift : shift + filled] = law[:filled]
    return shifted


@njit
def accuracy_tails(
    n: NDArray[np.int64],
    p: NDArray[np.float64],
    pooled: bool,
    numerator: int,
    denominator: int,
) -> NDArray[np.float64]:
    """P(accuracy >= numerator / denominator) of every row, by whole numbers of lattice steps.

    Parameters
    ----------
    n, p : ndarray, shape (n_rows, n_cells)
        Trials and success rate of each cell; cells with 0 trials are not there.
    pooled : bool
        Accuracy over all trials of a row; else the mean of its cells' accuracies, whose lattice
        is 1 / (n_cells lcm(n)).
    numerator, denominator : int

    Returns
    -------
    ndarray of float64, shape (n_rows,)
    """
    n_rows, n_cells = n.shape
    tails = np.empty(n_rows)
    step = np.empty(n_cells, dtype=np.int64)
    for i in range(n_rows):
        common, n_present, total = 1, 0, 0
        for j in range(n_cells):
            if n[i, j] > 0:
                n_present += 1
                total += n[i, j]
                if not pooled:
                    common *= n[i, j] // math.gcd(common, n[i, j])
        for j in range(n_cells):
            step[j] = 0
            if n[i, j] > 0:
                step[j] = 1 if pooled else common // n[i, j]
        scale = total if pooled else common * n_present
        least = (numerator * scale + denominator - 1) // denominator
        law = sum_of_binomials(n[i], p[i], step)
        tails[i] = min(1.0, law[max(0, least) :].sum())
    return tails


@njit
def at_most_failing(passing: NDArray[np.float64], most: NDArray[np.int64]) -> NDArray[np.float64]:
    """P(at most `most` of the independent cells fail), row by row (Poisson-binomial).

    Parameters
    ----------
    passing : ndarray of float64, shape (n_rows, n_cells)
        Probability that a cell passes; 1 for a cell that is not there.
    most : ndarray of int64, shape (n_rows,)
        Number of failing cells that is still allowed.

    Returns
    -------
    ndarray of float64, shape (n_rows,)
    """
    n_rows, n_cells = passing.shape
    result = np.empty(n_rows)
    law = np.empty(n_cells + 1)
    for i in range(n_rows):
        law[:] = 0.0
        law[0] = 1.0
        for j in range(n_cells):
            failing = 1.0 - passing[i, j]
            for k in range(min(j + 1, most[i]), 0, -1):
                law[k] = law[k] * passing[i, j] + law[k - 1] * failing
            law[0] *= passing[i, j]
        result[i] = min(1.0, law[: most[i] + 1].sum())
    return result


@njit
def leading_run_law(passing: NDArray[np.float64]) -> NDArray[np.float64]:
    """Distribution of the number of leading rows that pass, when rows are independent.

    Parameters
    ----------
    passing : ndarray of float64, shape (n_rows,)

    Returns
    -------
    ndarray of float64, shape (n_rows + 1,)
    """
    law = np.empty(passing.size + 1)
    reach = 1.0
    for i in range(passing.size):
        law[i] = reach * (1.0 - passing[i])
        reach *= passing[i]
    law[passing.size] = reach
    return law


@njit
def mean_run_law(passing: NDArray[np.float64], weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Weighted mean of :func:`leading_run_law` over draws, shape (n_rows + 1,).

    Parameters
    ----------
    passing : ndarray of float64, shape (n_draws, n_rows)
        Rows are independent given the draw.
    weights : ndarray of float64, shape (n_draws,)
        They add up to 1.
    """
    law = np.zeros(passing.shape[1] + 1)
    for draw in range(passing.shape[0]):
        law += weights[draw] * leading_run_law(passing[draw])
    return law


@njit
def joint_with_total(
    laws: NDArray[np.float64], n_bounded: int, least: NDArray[np.int64]
) -> NDArray[np.float64]:
    """P(sum of all rows = s and each of the first `n_bounded` rows >= least[s]), for every s.

    Parameters
    ----------
    laws : ndarray of float64, shape (n_rows, size)
        Distributions of independent whole numbers 0..size - 1.
    n_bounded : int
        Number of leading rows that have to reach the bound.
    least : ndarray of int64, shape (n_rows * (size - 1) + 1,)
        The bound that goes with each total.

    Returns
    -------
    ndarray of float64, shape (n_rows * (size - 1) + 1,)
    """
    n_rows, size = laws.shape
    n_totals = n_rows * (size - 1) + 1
    joint = np.zeros(n_totals)
    current = np.zeros(n_totals)
    following = np.zeros(n_totals)
    for total in range(n_totals):
        current[: total + 1] = 0.0
        current[0] = 1.0
        for i in range(n_rows):
            bound = least[total] if i < n_bounded else 0
            following[: total + 1] = 0.0
            for held in range(min(total, i * (size - 1)) + 1):
                if current[held] > NEGLIGIBLE:
                    for k in range(bound, min(size - 1, total - held) + 1):
                        following[held + k] += current[held] * laws[i, k]
            current, following = following, current
        joint[total] = current[total]
    return joint
