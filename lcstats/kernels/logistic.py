"""Many logistic fits of one design side by side: Newton's method, a block of replicates a step.

The replicates of a bootstrap or of a planner share their design and differ in their counts. They
are laid out so that the innermost loops run over replicates, which the compiler turns into vector
instructions; the exponential is written out for the same reason. Every replicate stops by its own
rule, so its result does not depend on its neighbours or on the number of threads.

A kernel sees a design matrix, counts, a guess and a lapse rate - never the law.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lcstats.kernels.jit import njit_fused
from lcstats.kernels.threads import do_parts

LANES = 64
"""Replicates per block."""

LARGEST_STEP = 5.0
"""A step is shortened so that no cell's logit moves further than this."""

LARGEST_LOGIT = 36.0
"""Logits are clipped here: beyond, the accuracy differs from 0 or 1 by less than 1e-15."""

MOST_ITERATIONS = 400
MOST_PLAIN_ITERATIONS = 100
"""Of plain maximum likelihood, which takes ever smaller steps where it has no finite answer."""

UNDAMPED = 12
"""Iterations after which a replicate whose steps turn around takes shorter ones: with a guess rate
and nearly separated counts, Fisher scoring overshoots and swings between two points for good."""

SWINGING = 0.25
"""Share of the squared step before that a step back still has, from which it is shortened."""

DONE_QUADRATIC = 1e-14
"""Plain maximum likelihood is done when its squared step, in standard errors, is below this."""

DONE_LINEAR = 1e-20
"""The same for penalised fits, whose steps shrink by a factor and not by squaring."""

SMALLEST_PIVOT = 1e-11
"""An information matrix with a relative pivot below this is singular: the fit has run away."""

BLOCKS_PER_TASK = 2
"""Blocks that one thread takes at a time: tasks below a millisecond are not worth their start."""


Floats = NDArray[np.float64]

Shared = tuple[Floats, Floats, Floats, float, float, bool, float]
"""Design, pairs, start, guess rate, lapse rate, penalised, and the squared step that is done."""


@dataclass(frozen=True, slots=True, eq=False)
class BatchFit:
    """Fits of every replicate.

    Attributes
    ----------
    coefficients : ndarray of float64, shape (n_replicates, n_terms)
    converged : ndarray of bool, shape (n_replicates,)
    n_iterations : ndarray of int64, shape (n_replicates,)
    """

    coefficients: NDArray[np.float64]
    converged: NDArray[np.bool_]
    n_iterations: NDArray[np.int64]


def fit_batch(
    design: NDArray[np.float64],
    n_cases: NDArray[np.float64],
    successes: NDArray[np.float64],
    *,
    start: NDArray[np.float64],
    guess_rate: float = 0.0,
    lapse_rate: float = 0.0,
    penalised: bool = True,
    done_below: float | None = None,
    n_threads: int = 1,
) -> BatchFit:
    """Fit every row of `successes` on one design.

    Parameters
    ----------
    design : ndarray of float64, shape (n_cells, n_terms)
        Of full column rank.
    n_cases : ndarray of float64, shape (n_cells,) or (n_replicates, n_cells)
        Shared by all replicates, or one row each; a cell with 0 cases does not count.
    successes : ndarray of float64, shape (n_replicates, n_cells)
        Need not be whole (quasi-binomial).
    start : ndarray of float64, shape (n_terms,)
        Where every replicate begins; the fit of the original counts is a good place.
    guess_rate, lapse_rate : float
        mu = guess + (1 - guess - lapse) / (1 + exp(-design @ coefficients)).
    penalised : bool
        Add half the log determinant of the Fisher information (Jeffreys, Firth 1993).
    done_below : float, optional
        Squared step, in standard errors, below which a fit is done; without it one that leaves
        nothing but rounding.
    n_threads : int
        The result is the same bit for bit on any number.

    Returns
    -------
    BatchFit
    """
    n_replicates = successes.shape[0]
    n_blocks = -(-n_replicates // LANES)
    counts = _in_blocks(successes, n_blocks)
    pairs = _pairs(design)
    coefficients = np.empty((n_blocks, design.shape[1], LANES))
    n_iterations = np.empty((n_blocks, LANES), dtype=np.int64)
    cases = _in_blocks(np.atleast_2d(n_cases), n_blocks if n_cases.ndim > 1 else 1)
    shared: Shared = (
        np.ascontiguousarray(design, dtype=np.float64),
        pairs,
        np.ascontiguousarray(start, dtype=np.float64),
        float(guess_rate),
        float(lapse_rate),
        bool(penalised),
        float(done_below or (DONE_LINEAR if penalised else DONE_QUADRATIC)),
    )

    def work(first: int) -> None:
        part = slice(first, first + BLOCKS_PER_TASK)
        own = cases[part] if n_cases.ndim > 1 else cases
        fit_blocks(counts[part], own, shared, coefficients[part], n_iterations[part])

    do_parts(work, range(0, n_blocks, BLOCKS_PER_TASK), n_threads=n_threads)
    flat = coefficients.transpose(0, 2, 1).reshape(-1, design.shape[1])[:n_replicates]
    iterations = n_iterations.reshape(-1)[:n_replicates]
    return BatchFit(np.ascontiguousarray(flat), iterations >= 0, np.abs(iterations))


def _in_blocks(successes: NDArray[np.float64], n_blocks: int) -> NDArray[np.float64]:
    """Lay replicates out as (n_blocks, n_cells, LANES); the last block repeats its last one."""
    n_replicates, n_cells = successes.shape
    n_whole = n_replicates // LANES
    blocks = np.empty((n_blocks, n_cells, LANES))
    whole = successes[: n_whole * LANES].reshape(n_whole, LANES, n_cells)
    blocks[:n_whole] = whole.transpose(0, 2, 1)
    if n_whole < n_blocks:
        rows = np.minimum(np.arange(n_whole * LANES, n_blocks * LANES), n_replicates - 1)
        blocks[n_whole:] = successes[rows].T
    return blocks


def _pairs(design: NDArray[np.float64]) -> NDArray[np.float64]:
    """Products of two design columns, lower triangle by rows, (n_cells, n_pairs)."""
    row, column = np.tril_indices(design.shape[1])
    return np.ascontiguousarray(design[:, row] * design[:, column])


@njit_fused
def fit_blocks(
    counts: Floats,
    n_cases: Floats,
    shared: Shared,
    coefficients: Floats,
    n_iterations: NDArray[np.int64],
) -> None:
    """Fit block after block in one set of buffers; one block of cases serves all, or one each."""
    n_cells = shared[0].shape[0]
    buffers = np.empty((6, n_cells, LANES))
    for block in range(counts.shape[0]):
        own = n_cases[min(block, n_cases.shape[0] - 1)]
        fit_block(counts[block], own, shared, buffers, coefficients[block], n_iterations[block])


@njit_fused
def fit_block(
    counts: Floats,
    n_cases: Floats,
    shared: Shared,
    buffers: Floats,
    coefficients: Floats,
    n_iterations: NDArray[np.int64],
) -> None:
    """Fit one block of replicates by Fisher scoring, which is Newton's method without a guess rate.

    Parameters
    ----------
    counts, n_cases : ndarray of float64, shape (n_cells, LANES)
    shared : tuple
        As in :data:`Shared`.
    buffers : ndarray of float64, shape (6, n_cells, LANES)
    coefficients : ndarray of float64, shape (n_terms, LANES)
        Written.
    n_iterations : ndarray of int64, shape (LANES,)
        Written; negative where a replicate did not converge.
    """
    design, pairs, start, guess, lapse, penalised, done = shared
    n_terms = design.shape[1]
    sigma, weight, residual = buffers[3], buffers[4], buffers[5]
    factor = np.empty((pairs.shape[1], LANES))
    inverse = np.empty((n_terms, n_terms, LANES))
    step = np.empty((n_terms, LANES))
    decrement = np.empty(LANES)
    before = np.zeros((n_terms + 2, LANES))
    before[n_terms + 1] = 1.0
    reach = largest_by_column(design)
    n_iterations[:] = 0
    for j in range(n_terms):
        coefficients[j, :] = start[j]
    most = MOST_ITERATIONS if penalised else MOST_PLAIN_ITERATIONS
    for iteration in range(1, most + 1):
        fill_logits(design, coefficients, buffers[0])
        fill_sigmoid(buffers[0], buffers[1], buffers[2], sigma)
        if guess == 0.0 and lapse == 0.0:
            fill_plain_weights(counts, n_cases, sigma, weight, residual)
        else:
            fill_weights(counts, n_cases, guess, lapse, sigma, weight, residual)
        fill_information(pairs, weight, factor)
        factor_in_place(factor, n_terms)
        if penalised:
            invert(factor, inverse)
            add_penalty(pairs, inverse, guess, lapse, sigma, weight, residual)
        fill_score(design, residual, step)
        solve(factor, step, decrement)
        if iteration > UNDAMPED:
            damp(step, decrement, reach, before)
        if advance(step, decrement, factor, reach, done, iteration, coefficients, n_iterations):
            return
    for w in range(LANES):
        if n_iterations[w] == 0:
            n_iterations[w] = -most


@njit_fused
def largest_by_column(design: Floats) -> Floats:
    """Largest absolute value of every column."""
    largest = np.zeros(design.shape[1])
    for c in range(design.shape[0]):
        for j in range(design.shape[1]):
            largest[j] = max(largest[j], abs(design[c, j]))
    return largest


@njit_fused
def fill_logits(design: Floats, coefficients: Floats, logit: Floats) -> None:
    """Write design @ coefficients, shape (n_cells, LANES)."""
    for c in range(design.shape[0]):
        for w in range(LANES):
            logit[c, w] = design[c, 0] * coefficients[0, w]
        for j in range(1, design.shape[1]):
            x = design[c, j]
            for w in range(LANES):
                logit[c, w] += x * coefficients[j, w]


@njit_fused
def fill_sigmoid(logit: Floats, power: Floats, shift: Floats, sigma: Floats) -> None:
    """Write 1 / (1 + exp(-logit)) element by element; `power` and `shift` are buffers.

    exp(x) = 2**k exp(f) with k the nearest integer to x / ln 2: exp(f) is its Taylor polynomial
    of degree 13 (|f| <= ln(2) / 2, error below 2e-16), and k is added to the exponent's bits.
    """
    logits, powers, shifts, sigmas = logit.ravel(), power.ravel(), shift.ravel(), sigma.ravel()
    power_bits, shift_bits = powers.view(np.int64), shifts.view(np.int64)
    for i in range(logits.size):
        x = min(max(-logits[i], -LARGEST_LOGIT), LARGEST_LOGIT)
        # 1.5 * 2**52: adding it leaves the nearest integer in a double's low bits.
        shifts[i] = x * 1.4426950408889634 + 6755399441055744.0
        k = shifts[i] - 6755399441055744.0
        f = (x - k * 0.6931471803691238) - k * 1.9082149292705877e-10
        f2 = f * f
        f4 = f2 * f2
        low = (1.0 + f) + f2 * (0.5 + f * (1.0 / 6.0))
        middle = (1.0 / 24.0 + f * (1.0 / 120.0)) + f2 * (1.0 / 720.0 + f * (1.0 / 5040.0))
        high = (1.0 / 40320.0 + f * (1.0 / 362880.0)) + f2 * (
            1.0 / 3628800.0 + f * (1.0 / 39916800.0)
        )
        top = 1.0 / 479001600.0 + f * (1.0 / 6227020800.0)
        powers[i] = low + f4 * (middle + f4 * (high + f4 * top))
    for i in range(logits.size):
        power_bits[i] += shift_bits[i] << 52
    for i in range(logits.size):
        sigmas[i] = 1.0 / (1.0 + powers[i])


@njit_fused
def fill_plain_weights(
    counts: Floats, n_cases: Floats, sigma: Floats, weight: Floats, residual: Floats
) -> None:
    """Write information per cell and k - n mu for a curve without guesses and lapses."""
    for c in range(n_cases.shape[0]):
        for w in range(LANES):
            expected = n_cases[c, w] * sigma[c, w]
            weight[c, w] = expected * (1.0 - sigma[c, w])
            residual[c, w] = counts[c, w] - expected


@njit_fused
def fill_weights(
    counts: Floats,
    n_cases: Floats,
    guess: float,
    lapse: float,
    sigma: Floats,
    weight: Floats,
    residual: Floats,
) -> None:
    """Write information per cell and its score: (k - n mu) mu' / (mu (1 - mu))."""
    share = 1.0 - guess - lapse
    for c in range(n_cases.shape[0]):
        for w in range(LANES):
            n = n_cases[c, w]
            mu = guess + share * sigma[c, w]
            slope = share * sigma[c, w] * (1.0 - sigma[c, w])
            ratio = slope / (mu * (1.0 - mu))
            weight[c, w] = n * slope * ratio
            residual[c, w] = (counts[c, w] - n * mu) * ratio


@njit_fused
def fill_information(pairs: Floats, weight: Floats, information: Floats) -> None:
    """Write the Fisher information's lower triangle by rows, shape (n_pairs, LANES)."""
    information[:] = 0.0
    for c in range(pairs.shape[0]):
        for q in range(pairs.shape[1]):
            xx = pairs[c, q]
            for w in range(LANES):
                information[q, w] += xx * weight[c, w]


@njit_fused
def factor_in_place(matrix: Floats, n_terms: int) -> None:
    """Turn lower triangles into their Cholesky factors; the diagonal keeps 1 / factor.

    A pivot that is lost in rounding becomes 0 on the diagonal: :func:`advance` sees it.
    """
    for i in range(n_terms):
        for j in range(i + 1):
            q = i * (i + 1) // 2 + j
            for w in range(LANES):
                before = matrix[q, w]
                value = before
                for k in range(j):
                    value -= matrix[i * (i + 1) // 2 + k, w] * matrix[j * (j + 1) // 2 + k, w]
                if i != j:
                    matrix[q, w] = value * matrix[j * (j + 1) // 2 + j, w]
                elif value > SMALLEST_PIVOT * before and value > 1e-290:
                    matrix[q, w] = 1.0 / np.sqrt(value)
                else:
                    matrix[q, w] = 0.0


@njit_fused
def invert(factor: Floats, inverse: Floats) -> None:
    """Write the inverse of the factor, lower triangle, shape (n_terms, n_terms, LANES)."""
    n_terms = inverse.shape[0]
    for j in range(n_terms):
        for i in range(j, n_terms):
            row = i * (i + 1) // 2
            for w in range(LANES):
                value = 1.0 if i == j else 0.0
                for k in range(j, i):
                    value -= factor[row + k, w] * inverse[k, j, w]
                inverse[i, j, w] = value * factor[row + i, w]


@njit_fused
def add_penalty(
    pairs: Floats,
    inverse: Floats,
    guess: float,
    lapse: float,
    sigma: Floats,
    weight: Floats,
    residual: Floats,
) -> None:
    """Add the score of half the log determinant: half the leverage times d log weight / d logit."""
    n_terms = inverse.shape[0]
    share = 1.0 - guess - lapse
    covariance = np.zeros((pairs.shape[1], LANES))
    for i in range(n_terms):
        for j in range(i + 1):
            q = i * (i + 1) // 2 + j
            for k in range(i, n_terms):
                for w in range(LANES):
                    covariance[q, w] += inverse[k, i, w] * inverse[k, j, w]
            if i != j:
                for w in range(LANES):
                    covariance[q, w] *= 2.0
    leverage = np.empty(LANES)
    for c in range(pairs.shape[0]):
        leverage[:] = 0.0
        for q in range(pairs.shape[1]):
            xx = pairs[c, q]
            for w in range(LANES):
                leverage[w] += xx * covariance[q, w]
        if guess == 0.0 and lapse == 0.0:
            for w in range(LANES):
                residual[c, w] += leverage[w] * weight[c, w] * (0.5 - sigma[c, w])
        else:
            for w in range(LANES):
                mu = guess + share * sigma[c, w]
                slope = share * sigma[c, w] * (1.0 - sigma[c, w])
                change = 2.0 - 4.0 * sigma[c, w] - slope * (1.0 - 2.0 * mu) / (mu * (1.0 - mu))
                residual[c, w] += 0.5 * leverage[w] * weight[c, w] * change


@njit_fused
def fill_score(design: Floats, residual: Floats, score: Floats) -> None:
    """Write design' @ residual, shape (n_terms, LANES)."""
    score[:] = 0.0
    for c in range(design.shape[0]):
        for j in range(design.shape[1]):
            x = design[c, j]
            for w in range(LANES):
                score[j, w] += x * residual[c, w]


@njit_fused
def solve(factor: Floats, step: Floats, decrement: Floats) -> None:
    """Turn the score into a step, and write its squared length in standard errors."""
    n_terms = step.shape[0]
    decrement[:] = 0.0
    for i in range(n_terms):
        row = i * (i + 1) // 2
        for w in range(LANES):
            value = step[i, w]
            for k in range(i):
                value -= factor[row + k, w] * step[k, w]
            step[i, w] = value * factor[row + i, w]
            decrement[w] += step[i, w] * step[i, w]
    for back in range(n_terms):
        i = n_terms - 1 - back
        for w in range(LANES):
            value = step[i, w]
            for k in range(i + 1, n_terms):
                value -= factor[k * (k + 1) // 2 + i, w] * step[k, w]
            step[i, w] = value * factor[i * (i + 1) // 2 + i, w]


@njit_fused
def damp(step: Floats, decrement: Floats, reach: Floats, before: Floats) -> None:
    """Halve the steps of a replicate for good each time that it swings back.

    Parameters
    ----------
    step : ndarray of float64, shape (n_terms, LANES)
        Shortened in place.
    before : ndarray of float64, shape (n_terms + 2, LANES)
        The last undamped step, its squared length, and the share of a step that is taken; updated.
    """
    n_terms = step.shape[0]
    for w in range(LANES):
        along = 0.0
        for j in range(n_terms):
            along += step[j, w] * before[j, w] * reach[j] * reach[j]
            before[j, w] = step[j, w]
        if along < 0.0 and decrement[w] > SWINGING * before[n_terms, w]:
            before[n_terms + 1, w] *= 0.5
        before[n_terms, w] = decrement[w]
        for j in range(n_terms):
            step[j, w] *= before[n_terms + 1, w]


@njit_fused
def advance(
    step: Floats,
    decrement: Floats,
    factor: Floats,
    reach: Floats,
    done: float,
    iteration: int,
    coefficients: Floats,
    n_iterations: NDArray[np.int64],
) -> bool:
    """Move every replicate that is still on its way; return True when none is left."""
    n_terms = step.shape[0]
    finished = True
    for w in range(LANES):
        if n_iterations[w] != 0:
            continue
        length = 0.0
        for j in range(n_terms):
            length += abs(step[j, w]) * reach[j]
            if factor[j * (j + 1) // 2 + j, w] == 0.0:
                n_iterations[w] = -iteration
        if n_iterations[w] < 0:
            continue
        share = 1.0 if length <= LARGEST_STEP else LARGEST_STEP / length
        for j in range(n_terms):
            coefficients[j, w] += share * step[j, w]
        if decrement[w] < done:
            n_iterations[w] = iteration
        else:
            finished = False
    return finished
