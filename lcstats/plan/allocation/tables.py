"""What every number of trials does to every length: the tables an allocation is chosen from."""

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from lcstats.curve import FloatArray
from lcstats.errors import OptionError, describe
from lcstats.kernels.binomial import at_most_failing
from lcstats.lengths import Criterion
from lcstats.lengths.binomial import at_least
from lcstats.lengths.criterion import Treatment
from lcstats.lengths.laws import passing_probabilities, steps_to

ROWS_AT_ONCE = 8
"""Lengths whose transforms are worked on together: as many as stay in a processor's cache."""


def passing_table(
    accuracies: FloatArray, criterion: Criterion, numbers: NDArray[np.int64]
) -> FloatArray:
    """P(a length passes) with every number of trials per cell, the same at all its depths.

    Parameters
    ----------
    accuracies : ndarray of float64, shape (n_draws, n_lengths, n_depths)
    criterion : Criterion
        With a bar of its own, not a share of a measured base.
    numbers : ndarray of int64, shape (n_numbers,)
        Trials per cell, ascending, from 1.

    Returns
    -------
    ndarray of float64, shape (n_draws, n_lengths, n_numbers)

    Raises
    ------
    OptionError
        If the threshold is relative.

    Examples
    --------
    >>> table = passing_table(np.array([[[0.9, 0.8]]]), Criterion(0.85), np.array([1, 10]))
    >>> table.round(4).tolist()
    [[[0.72, 0.6481]]]
    """
    bar, treatment = allocation_bar(criterion), criterion.treatment
    rows = accuracies.reshape(-1, accuracies.shape[-1])
    if treatment.is_window:
        table = _passing_one_by_one(rows, bar, treatment, numbers)
    elif treatment.is_order:
        table = _passing_in_order(rows, bar, treatment, numbers)
    else:
        table = _passing_means(rows, bar, numbers)
    return table.reshape(*accuracies.shape[:2], numbers.size)


def cell_passing_table(
    accuracies: FloatArray, bar: Fraction, numbers: NDArray[np.int64]
) -> FloatArray:
    """P(a cell passes) with every number of trials; shape (...) to (..., n_numbers).

    Examples
    --------
    >>> numbers = np.array([6, 7])
    >>> cell_passing_table(np.array([0.9]), Fraction(17, 20), numbers).round(4).tolist()
    [[0.5314, 0.8503]]
    """
    needed = np.array([steps_to(bar, int(number)) for number in numbers])
    return at_least(needed, numbers, accuracies[..., None])


def allocation_bar(criterion: Criterion) -> Fraction:
    """Return the bar in accuracy.

    Raises
    ------
    OptionError
        If the threshold is relative: then lengths share a measured base, and what one length
        passes with depends on the trials of another.
    """
    if criterion.fixed_bar is None:
        raise OptionError(
            describe(
                "the threshold is relative to a measured base",
                "expected a threshold with rule 'absolute' or 'above_chance'",
                "allocate for the accuracy that the bar is expected to have, Criterion(0.85), say",
            )
        )
    return criterion.fixed_bar


def _passing_means(rows: FloatArray, bar: Fraction, numbers: NDArray[np.int64]) -> FloatArray:
    """P(mean of the cells reaches the bar) of every row, (n_rows, n_numbers).

    The characteristic function of n trials per cell is the n-th power of that of one, and the
    probability of a tail its inner product with the tail's transform (Parseval): one pass over
    the numbers serves all of them.
    """
    n_depths = rows.shape[1]
    # Odd, so that every frequency but 0 stands for itself and its mirror image.
    size = (int(numbers[-1]) * n_depths + 1) | 1
    turn = np.exp(-2j * np.pi * np.arange(size // 2 + 1) / size)
    weights = np.stack([_tail_weights(bar, n * n_depths, size) for n in numbers.tolist()])
    parts = [
        _inner_products(np.prod(1.0 - part[:, :, None] * (1.0 - turn), axis=1), weights, numbers)
        for part in np.array_split(rows, -(-len(rows) // ROWS_AT_ONCE))
    ]
    return np.clip(np.concatenate(parts), 0.0, 1.0)


def _tail_weights(bar: Fraction, n_trials: int, size: int) -> NDArray[np.complex128]:
    """Transform of "reaches the bar" with so many trials, at the frequencies from 0 up."""
    tail = np.zeros(size)
    tail[steps_to(bar, n_trials) :] = 2.0 / size
    weights = np.conj(np.fft.rfft(tail))
    weights[0] /= 2.0
    return weights


def _inner_products(
    one: NDArray[np.complex128], weights: NDArray[np.complex128], numbers: NDArray[np.int64]
) -> FloatArray:
    """Real part of ``one ** number @ weights[number]``, shape (n_rows, n_numbers)."""
    products, power = np.empty((len(one), numbers.size)), np.ones_like(one)
    for place, step in enumerate(np.diff(numbers, prepend=0).tolist()):
        for _ in range(step):
            power *= one
        products[:, place] = (power @ weights[place]).real
    return products


def _passing_in_order(
    rows: FloatArray, bar: Fraction, treatment: Treatment, numbers: NDArray[np.int64]
) -> FloatArray:
    cells = np.moveaxis(cell_passing_table(rows, bar, numbers), 1, 2)
    flat = np.ascontiguousarray(cells.reshape(-1, rows.shape[1]))
    most = np.full(flat.shape[0], treatment.rank(rows.shape[1]) - 1)
    return at_most_failing(flat, most).reshape(rows.shape[0], numbers.size)


def _passing_one_by_one(
    rows: FloatArray, bar: Fraction, treatment: Treatment, numbers: NDArray[np.int64]
) -> FloatArray:
    alike = np.ones(rows.shape, dtype=np.int64)
    columns = [passing_probabilities(rows, n * alike, bar, treatment) for n in numbers.tolist()]
    return np.stack(columns, axis=1)
