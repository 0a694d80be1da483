"""Fits of trials that need several facts, by Newton's method, with Jeffreys' penalty or without.

A trial of a cell is right with chance ``h * prod_f mean_f ** m_f``: a product over factors of means
over points. A kernel sees designs, starts and counts - never the law.
"""

import math

import numpy as np
from numpy.typing import NDArray

from lcstats.kernels.cholesky import factor_in_place, solve_in_place, solve_one_in_place
from lcstats.kernels.jit import njit_fused
from lcstats.kernels.logistic import fill_sigmoid, largest_by_column

Floats = NDArray[np.float64]
Whole = NDArray[np.int64]

MOST_ITERATIONS = 200
MOST_HALVINGS = 40
LARGEST_STEP = 5.0
"""Change of a logit that one step may bring."""
DONE_QUADRATIC = 1e-9
"""Squared step, in standard errors, below which the next one leaves nothing but rounding."""
DONE_LINEAR = 1e-15
"""The same for penalised fits, whose steps shrink by a factor and not by squaring."""
STALLED = 1e-8
"""The same, below which a fit is done where no shorter step gains anything."""
ROUNDING = 1e-13
"""Share of the log-likelihood that a sum in another order may lose."""

Shared = tuple[Floats, Whole, Floats, Whole, Floats, Floats]
"""Design of points, starts of factors, powers, starts of cells, columns of log h; guess rate,
lapse rate and whether to penalise, as three numbers."""

Work = tuple[Floats, Floats, Floats, Floats]
"""Products of design columns (n_points, n_pairs); buffers of points (8, n_points); gradients of log
rates (n_cells, n_coefficients) and their Hessians as pairs (n_cells, n_pairs)."""


@njit_fused
def fit_compound(
    shared: Shared, counts: Floats, start: Floats, coefficients: Floats
) -> tuple[bool, int]:
    """Maximise the (penalised) log-likelihood of one table.

    Parameters
    ----------
    shared : tuple
        As in :data:`Shared`.
    counts : ndarray of float64, shape (2, n_cells)
        Cases, and successes among them.
    start : ndarray of float64, shape (n_coefficients,)
        Terms of the logit, then of log h; every rate there has to be below 1.
    coefficients : ndarray of float64, shape (n_coefficients,)
        Written.

    Returns
    -------
    tuple of bool and int
        Whether the fit settled, and after how many steps.
    """
    n_all = start.size
    work = make_work(shared, counts.shape[1], n_all)
    score, next_score, step = np.empty(n_all), np.empty(n_all), np.empty(n_all)
    information, next_information = np.empty((n_all, n_all)), np.empty((n_all, n_all))
    curvature, next_curvature = np.empty((n_all, n_all)), np.empty((n_all, n_all))
    reach = largest_logits(shared)
    done = DONE_LINEAR if shared[5][2] > 0.0 else DONE_QUADRATIC
    coefficients[:] = start
    value = evaluate(shared, counts, coefficients, work, score, information, curvature)
    trial = np.empty(n_all)
    for iteration in range(1, MOST_ITERATIONS + 1):
        decrement = fill_step(score, information, curvature, step)
        if not decrement >= 0.0:
            return False, iteration
        share = 1.0
        length = (np.abs(step) * reach).sum()
        if length > LARGEST_STEP:
            share = LARGEST_STEP / length
        gained = False
        for _ in range(MOST_HALVINGS):
            for j in range(n_all):
                trial[j] = coefficients[j] + share * step[j]
            if decrement < done:
                coefficients[:] = trial
                return True, iteration
            found = evaluate(
                shared, counts, trial, work, next_score, next_information, next_curvature
            )
            if found >= value - ROUNDING * abs(value):
                gained = True
                break
            share /= 2.0
        if not gained:
            return decrement < STALLED, iteration
        coefficients[:], value = trial, found
        score[:], information[:], curvature[:] = next_score, next_information, next_curvature
    return False, MOST_ITERATIONS


@njit_fused
def make_work(shared: Shared, n_cells: int, n_all: int) -> Work:
    """Return products of design columns, upper triangle by rows, and buffers to be written."""
    design = shared[0]
    n_points, n_terms = design.shape
    pairs = np.empty((n_points, n_terms * (n_terms + 1) // 2))
    for point in range(n_points):
        q = 0
        for i in range(n_terms):
            for j in range(i, n_terms):
                pairs[point, q] = design[point, i] * design[point, j]
                q += 1
    bends = np.zeros((n_cells, pairs.shape[1]))
    return pairs, np.empty((8, n_points)), np.zeros((n_cells, n_all)), bends


@njit_fused
def largest_logits(shared: Shared) -> Floats:
    """Largest absolute value of every column of the design, then of log h."""
    return np.concatenate((largest_by_column(shared[0]), largest_by_column(shared[4])))


@njit_fused
def fill_step(score: Floats, information: Floats, curvature: Floats, step: Floats) -> float:
    """Write Newton's step, or Fisher's where the curvature is not one of a maximum.

    Returns its squared length in standard errors; -1 where there is none.
    """
    factor = curvature.copy()
    if not factor_in_place(factor):
        factor[:] = information
        if not factor_in_place(factor):
            return -1.0
    step[:] = score
    solve_one_in_place(factor, step)
    decrement = 0.0
    for j in range(score.size):
        decrement += score[j] * step[j]
    return decrement


@njit_fused
def evaluate(
    shared: Shared,
    counts: Floats,
    coefficients: Floats,
    work: Work,
    score: Floats,
    information: Floats,
    curvature: Floats,
) -> float:
    """Write score, information and minus the Hessian; return the (penalised) log-likelihood.

    Minus infinity where a rate reaches 1. Of matrices the upper triangle is written; the penalty
    has a part in the score alone.
    """
    slopes, bends = work[2], work[3]
    n_cells, n_all = slopes.shape
    n_terms = shared[0].shape[1]
    score[:], information[:], curvature[:] = 0.0, 0.0, 0.0
    weights = np.empty((2, n_cells))
    rates = np.empty((3, n_cells))
    fill_points(shared, coefficients, work[1])
    expand(shared, coefficients, work, rates)
    total = 0.0
    for cell in range(n_cells):
        log_rate, rate, wrong = rates[0, cell], rates[1, cell], rates[2, cell]
        if not wrong > 0.0:
            return -np.inf
        n, k = counts[0, cell], counts[1, cell]
        total += k * log_rate
        if n > k:
            total += (n - k) * math.log(wrong)
        residual = (k - n * rate) / wrong
        weight = n * rate / wrong
        twist = (n - k) * rate / (wrong * wrong)
        weights[0, cell], weights[1, cell] = weight, weight / wrong
        q = 0
        for i in range(n_all):
            own = slopes[cell, i]
            score[i] += residual * own
            for j in range(i, n_all):
                square = own * slopes[cell, j]
                information[i, j] += weight * square
                curvature[i, j] += twist * square
                if j < n_terms:
                    curvature[i, j] -= residual * bends[cell, q]
                    q += 1
    if shared[5][2] > 0.0:
        return total + add_penalty(information, weights, work, n_terms, score)
    return total


@njit_fused
def fill_points(shared: Shared, coefficients: Floats, points: Floats) -> None:
    """Write chances to find (row 4) and miss (5) facts, and the former's derivatives (6, 7)."""
    design, rates = shared[0], shared[5]
    guess, lapse = rates[0], rates[1]
    share = 1.0 - guess - lapse
    for point in range(design.shape[0]):
        logit = 0.0
        for j in range(design.shape[1]):
            logit += design[point, j] * coefficients[j]
        points[0, point] = logit
        points[1, point] = -logit
    fill_sigmoid(points[0], points[2], points[3], points[4])
    fill_sigmoid(points[1], points[2], points[3], points[5])
    for point in range(design.shape[0]):
        right, wrong = points[4, point], points[5, point]
        rise = share * right * wrong
        points[4, point] = guess + share * right
        points[5, point] = lapse + share * wrong
        points[6, point] = rise
        points[7, point] = rise * (wrong - right)


@njit_fused
def expand(shared: Shared, coefficients: Floats, work: Work, rates: Floats) -> None:
    """Write every cell's log rate, rate and rate of failure, and the log's derivatives.

    All cells in one call: to hand over tuples of arrays takes as long as to expand a cell.
    """
    design, factor_starts, powers, cell_starts, combining, _ = shared
    pairs, points, slopes, bends = work
    n_terms, n_pairs = design.shape[1], pairs.shape[1]
    slopes[:], bends[:] = 0.0, 0.0
    for cell in range(rates.shape[1]):
        log_rate, all_found, any_missed = 0.0, 1.0, 0.0
        for factor in range(cell_starts[cell], cell_starts[cell + 1]):
            first, last = factor_starts[factor], factor_starts[factor + 1]
            if last == first + 1 and powers[factor] == 1.0:
                rate, miss = points[4, first], points[5, first]
                rise = points[6, first] / rate
                curl = points[7, first] / rate - rise * rise
                for j in range(n_terms):
                    slopes[cell, j] += rise * design[first, j]
                for q in range(n_pairs):
                    bends[cell, q] += curl * pairs[first, q]
                all_found *= rate
                any_missed += miss - any_missed * miss
            else:
                log_rate += powers[factor] * mix_points(shared, factor, cell, work)
        for j in range(combining.shape[1]):
            slopes[cell, n_terms + j] = combining[cell, j]
            log_rate += combining[cell, j] * coefficients[n_terms + j]
        rates[0, cell] = log_rate + log_of(all_found, any_missed)
        if log_rate == 0.0:
            rates[1, cell], rates[2, cell] = all_found, any_missed
        else:
            rates[1, cell] = math.exp(rates[0, cell])
            rates[2, cell] = -math.expm1(rates[0, cell])


@njit_fused
def log_of(rate: float, miss: float) -> float:
    """Log of a rate, by the chance to miss where that is small, so that no digits are lost."""
    return math.log1p(-miss) if miss < 0.5 else math.log(rate)


@njit_fused
def mix_points(shared: Shared, factor: int, cell: int, work: Work) -> float:
    """Add a factor with several points, to its power; return the log of their mean rate."""
    design, factor_starts, powers = shared[0], shared[1], shared[2]
    pairs, points, slopes, bends = work
    first, last = factor_starts[factor], factor_starts[factor + 1]
    n_terms = design.shape[1]
    share, power = 1.0 / (last - first), powers[factor]
    mean, mean_miss = 0.0, 0.0
    rise, curl = np.zeros(n_terms), np.zeros(pairs.shape[1])
    for point in range(first, last):
        mean += share * points[4, point]
        mean_miss += share * points[5, point]
        for j in range(n_terms):
            rise[j] += share * points[6, point] * design[point, j]
        for q in range(curl.size):
            curl[q] += share * points[7, point] * pairs[point, q]
    q = 0
    for i in range(n_terms):
        own = rise[i] / mean
        slopes[cell, i] += power * own
        for j in range(i, n_terms):
            bends[cell, q] += power * (curl[q] - own * rise[j]) / mean
            q += 1
    return log_of(mean, mean_miss)


@njit_fused
def add_penalty(
    information: Floats, weights: Floats, work: Work, n_terms: int, score: Floats
) -> float:
    """Add the score of half the log determinant of the information; return that half.

    For a cell with weight w = n P / (1 - P), slope g and bend H the score is
    ``w / (1 - P) g' V g g / 2 + w H V g``, V the inverse of the information.
    """
    slopes, bends = work[2], work[3]
    n_all, n_cells = score.size, slopes.shape[0]
    factor = information.copy()
    if not factor_in_place(factor):
        return -np.inf
    value = 0.0
    for j in range(n_all):
        value += math.log(factor[j, j])
    inverse = np.eye(n_all)
    solve_in_place(factor, inverse)
    pulled = np.empty(n_all)
    for cell in range(n_cells):
        leverage = 0.0
        for i in range(n_all):
            pulled[i] = 0.0
            for j in range(n_all):
                pulled[i] += inverse[i, j] * slopes[cell, j]
            leverage += pulled[i] * slopes[cell, i]
        for i in range(n_all):
            score[i] += 0.5 * weights[1, cell] * leverage * slopes[cell, i]
        i, j = 0, 0
        for q in range(bends.shape[1]):
            score[i] += weights[0, cell] * bends[cell, q] * pulled[j]
            if i != j:
                score[j] += weights[0, cell] * bends[cell, q] * pulled[i]
            j += 1
            if j == n_terms:
                i += 1
                j = i
    return value
