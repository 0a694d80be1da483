"""The mode of a latent Gaussian surface under counts, and the evidence there.

A kernel sees a covariance matrix, counts and the precision of their beta distributions - never
lengths, depths or a language model.
"""

import math

import numpy as np
from numpy.typing import NDArray

from lcstats.kernels.cholesky import factor_in_place, multiply, solve_one_in_place
from lcstats.kernels.jit import njit, njit_fused

Floats = NDArray[np.float64]

LARGEST_LATENT = 30.0
"""Logits are clipped here: beyond, a mean differs from 0 or 1 by less than 1e-13."""

LARGEST_STEP = 3.0
"""A Newton step is shortened so that no cell moves further."""

CHORD_STEP = 0.7
"""After a larger step the curvature is taken afresh."""

SMALLEST_DAMPING = 0.1
"""Least share of a step that is taken where steps overshoot, as they can around a hole."""

DONE_STEP = 3e-3
"""A step this small, in logits, ends the iteration."""

DONE_MOVE = 0.02
"""The curvature is good enough if the surface moved no further than this since it was taken."""

MOST_FACTORS = 40
MOST_CHORDS = 6


@njit_fused
def find_mode(
    covariance: Floats,
    counts: Floats,
    constants: tuple[float, float, float, float],
    cutoff: float,
    latent: Floats,
    alpha: Floats,
    root_weight: Floats,
    factor: Floats,
) -> tuple[float, bool]:
    """Climb to the mode of the latent surface and return the evidence there.

    Parameters
    ----------
    covariance : ndarray of float64, shape (n, n)
    counts : ndarray of float64, shape (2, n)
        Cases and successes; a cell with 0 cases does not count.
    constants : tuple of float
        Prior mean of the latent, precision of the beta cells, guess rate, hole rate.
    cutoff : float
        Give up on evidence that is below this after the first factor.
    latent : ndarray of float64, shape (n,)
        Start on entry, mode on return.
    alpha : ndarray of float64, shape (n,)
        Written: K^-1 (mode - mean).
    root_weight : ndarray of float64, shape (n,)
        Written: root of the weights W of the last factor.
    factor : ndarray of float64, shape (n, n)
        Written: U with U' U = I + W^.5 K W^.5.

    Returns
    -------
    evidence : float
        Log, without what does not depend on the surface.
    converged : bool

    Notes
    -----
    Newton's method in the form of Rasmussen and Williams (2006), algorithm 3.1, with Fisher's
    weights of the quasi-binomial; a factor serves several steps while the surface moves little.
    """
    n = latent.size
    mean = constants[0]
    weight, residual = np.empty(n), np.empty(n)
    target, product = np.empty(n), np.empty(n)
    damping, previous = 1.0, np.inf
    converged = False
    evidence = -np.inf
    for _ in range(MOST_FACTORS):
        fill_weights(counts, constants, latent, residual, weight)
        for i in range(n):
            root_weight[i] = math.sqrt(weight[i])
        fill_factor(covariance, root_weight, factor)
        moved, step = 0.0, np.inf
        for chord in range(MOST_CHORDS):
            if chord > 0:
                fill_residual(counts, constants, latent, residual)
            take_step(covariance, factor, (root_weight, residual), latent, mean, alpha, product)
            multiply(covariance, alpha, target)
            step = 0.0
            for i in range(n):
                target[i] += mean
                step = max(step, abs(target[i] - latent[i]))
            share = min(damping, LARGEST_STEP / max(step, 1e-300))
            for i in range(n):
                latent[i] += share * (target[i] - latent[i])
            moved += share * step
            if step < DONE_STEP or step > CHORD_STEP:
                break
        if step > 0.7 * previous and step < LARGEST_STEP:
            damping = max(0.5 * damping, SMALLEST_DAMPING)
        previous = step
        evidence = evidence_at(counts, constants, latent, alpha, factor)
        converged = step < DONE_STEP and moved < DONE_MOVE
        if converged or (step < DONE_STEP and evidence < cutoff):
            break
    return evidence, converged


@njit_fused
def fill_factor(covariance: Floats, root_weight: Floats, factor: Floats) -> None:
    """Write the Cholesky factor of I + W^.5 K W^.5, whose pivots are at least 1."""
    n = root_weight.size
    for i in range(n):
        scale = root_weight[i]
        for j in range(i, n):
            factor[i, j] = scale * covariance[i, j] * root_weight[j]
        factor[i, i] += 1.0
    factor_in_place(factor)


@njit_fused
def take_step(
    covariance: Floats,
    factor: Floats,
    local: tuple[Floats, Floats],
    latent: Floats,
    mean: float,
    alpha: Floats,
    product: Floats,
) -> None:
    """Write alpha = K^-1 (target - mean) for the target of a Newton step from `latent`.

    With b = W (z - mean) + residual: alpha = b - W^.5 B^-1 W^.5 K b, B = I + W^.5 K W^.5.
    """
    root_weight, residual = local
    for i in range(latent.size):
        alpha[i] = root_weight[i] ** 2 * (latent[i] - mean) + residual[i]
    multiply(covariance, alpha, product)
    for i in range(latent.size):
        product[i] *= root_weight[i]
    solve_one_in_place(factor, product)
    for i in range(latent.size):
        alpha[i] -= root_weight[i] * product[i]


@njit_fused
def fill_covariance(
    known: tuple[Floats, Floats, Floats, Floats],
    sds: tuple[float, float, float, float],
    rows: NDArray[np.int64],
    columns: NDArray[np.int64],
    covariance: Floats,
) -> None:
    """Write the prior covariance of the surface between two sets of cells.

    Parameters
    ----------
    known : tuple of ndarray
        Shapes of the fixed part, (n_cells, n_shapes); place of every length, (n_lengths,);
        correlation over lengths, (n_lengths, n_lengths), and over depths, (n_depths, n_depths).
    sds : tuple of float
        Of the walk, of smooth and rough deviations, and of single cells.
    rows, columns : ndarray of int64
        Cells, numbered length by length.
    covariance : ndarray of float64, shape (n_rows, n_columns)
        Written.
    """
    shapes, place, over_length, over_depth = known
    n_depths = over_depth.shape[0]
    walk, smooth, rough, single = sds[0] ** 2, sds[1] ** 2, sds[2] ** 2, sds[3] ** 2
    for i in range(rows.size):
        row, depth = rows[i] // n_depths, rows[i] % n_depths
        for j in range(columns.size):
            other_row, other_depth = columns[j] // n_depths, columns[j] % n_depths
            value = walk * min(place[row], place[other_row])
            deviation = smooth * over_depth[depth, other_depth]
            if depth == other_depth:
                deviation += rough
            value += deviation * over_length[row, other_row]
            for shape in range(shapes.shape[1]):
                value += shapes[rows[i], shape] * shapes[columns[j], shape]
            if rows[i] == columns[j]:
                value += single
            covariance[i, j] = value


@njit
def fill_weights(
    counts: Floats,
    constants: tuple[float, float, float, float],
    latent: Floats,
    residual: Floats,
    weight: Floats,
) -> None:
    """Write score and information of the counts in the latent surface, a quasi-binomial's.

    With mu = g + (1 - g) s, s = 1 / (1 + exp(-z)) and variance n phi mu (1 - mu), phi =
    (M + n) / (M + 1) that of a beta-binomial: score (k - n mu) mu' / (phi mu (1 - mu)), and
    Fisher's information; both times the probability that the cell is no hole.
    """
    _, precision, guess, hole = constants
    prior_odds = math.log(hole) - math.log1p(-hole)
    for i in range(latent.size):
        n, k = counts[0, i], counts[1, i]
        z = min(max(latent[i], -LARGEST_LATENT), LARGEST_LATENT)
        sigma = 1.0 / (1.0 + math.exp(-z))
        slope = (1.0 - guess) * sigma * (1.0 - sigma)
        mu = guess + (1.0 - guess) * sigma
        share = slope / (mu * (1.0 - guess) * (1.0 - sigma)) * (precision + 1.0) / (precision + n)
        if n > 0.0:
            log_odds = prior_odds + log_beta_binomial(n, k, 2.0, 1.0)
            share /= 1.0 + math.exp(log_odds - log_smooth_cell(n, k, z, precision, guess))
        residual[i] = (k - n * mu) * share
        weight[i] = n * slope * share


@njit
def fill_residual(
    counts: Floats,
    constants: tuple[float, float, float, float],
    latent: Floats,
    residual: Floats,
) -> None:
    """Write the score of the quasi-binomial alone."""
    fill_weights(counts, constants, latent, residual, np.empty(latent.size))


@njit
def evidence_at(
    counts: Floats,
    constants: tuple[float, float, float, float],
    latent: Floats,
    alpha: Floats,
    factor: Floats,
) -> float:
    """Laplace's evidence: log p(k | z) - alpha' (z - mean) / 2 - log |B| / 2.

    A cell is (1 - e) beta-binomial(M mu, M (1 - mu)) + e beta-binomial(2, 1), e the hole rate.
    """
    mean, precision, guess, hole = constants
    evidence = 0.0
    for i in range(latent.size):
        evidence -= 0.5 * alpha[i] * (latent[i] - mean) + math.log(factor[i, i])
        n, k = counts[0, i], counts[1, i]
        if n > 0.0:
            smooth = math.log(1.0 - hole) + log_smooth_cell(n, k, latent[i], precision, guess)
            other = math.log(hole) + log_beta_binomial(n, k, 2.0, 1.0)
            larger = max(smooth, other)
            evidence += larger + math.log1p(math.exp(min(smooth, other) - larger))
    return evidence


@njit
def log_smooth_cell(n: float, k: float, latent: float, precision: float, guess: float) -> float:
    """Log probability of k of n, in one order, in a cell that follows the surface."""
    z = min(max(latent, -LARGEST_LATENT), LARGEST_LATENT)
    wrong = (1.0 - guess) / (1.0 + math.exp(z))
    right = guess + (1.0 - guess) / (1.0 + math.exp(-z))
    return log_beta_binomial(n, k, precision * right, precision * wrong)


@njit
def log_beta_binomial(n: float, k: float, alpha: float, beta: float) -> float:
    """Log B(k + alpha, n - k + beta) - log B(alpha, beta); `k` need not be whole."""
    return log_rise(alpha, k) + log_rise(beta, n - k) - log_rise(alpha + beta, n)


@njit
def log_rise(start: float, by: float) -> float:
    """Log Gamma(start + by) - log Gamma(start), a sum of logarithms where that is short."""
    if by == 0.0:
        return 0.0
    if by == math.floor(by) and by <= 12.0:
        product = 1.0
        for i in range(int(by)):
            product *= start + i
        return math.log(product)
    return math.lgamma(start + by) - math.lgamma(start)
