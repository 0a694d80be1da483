"""Counts drawn from counter-based streams: binomial ones, and those of trials that share a luck.

A binomial count is the smallest k whose cumulative probability exceeds a uniform number of 64
bits. A table over the leading bits of its first 16 says k at once wherever all numbers with those
bits agree; elsewhere a search follows, and where the first 16 bits are those of a cumulative
probability itself, 48 more decide. So counts do not depend on the size of the table.
"""

import math
from itertools import product

import numpy as np
from numpy.typing import NDArray

from lcstats.kernels.binomial import fill_binomial
from lcstats.kernels.jit import njit
from lcstats.kernels.streams import (
    ANGLES,
    BLOCK,
    COUNTS,
    MORE_BITS,
    RADII,
    TRIALS,
    Words,
    fill_simulation_words,
    fill_words,
    one_word_pair,
    stream_label,
)
from lcstats.kernels.threads import do_parts

GUIDE_BITS = 12
"""Leading bits that a guide table looks at, at most: its 8 KB stay in the nearest cache."""

ENTRIES_PER_DRAW = 2
"""A table is made no finer than pays for filling it."""

MOST_CASES = 2**15 - 1
"""Cases per cell that the entries of a guide table can count."""

CELLS_PER_PART = 8
"""Cells that a thread draws at a time."""

SLICE = 8 * BLOCK
"""Simulations worth drawing together: enough for a table, few enough for the nearest cache."""

_LARGEST = np.uint16(0xFFFF)
_LARGEST_REST = np.uint64(0xFFFFFFFFFFFF)
_TWO_16 = 65536.0
_TWO_32 = 4294967296.0
_TWO_48 = 281474976710656.0

Floats = NDArray[np.float64]
Cases = NDArray[np.int64]
Counts = NDArray[np.int16]

Stream = tuple[int, int]
"""Seed, below 2**63, and task."""

Leading = NDArray[np.uint16]
"""First 16 bits: of uniform numbers, or of cumulative probabilities."""

Table = tuple[int, int, Counts, Leading, NDArray[np.uint64]]
"""Number of cases, leading bits, guide over them, and cumulative probabilities: 16 and 48 bits."""

Where = tuple[int, int, int, int, int]
"""Seed, task, cell, first simulation, and simulations from one to the next."""


def draw_counts(
    rates: Floats, n_cases: int | Cases, *, seed: int, n_simulations: int, n_threads: int = 1
) -> Counts:
    """Draw independent binomial counts of every cell of every task.

    Parameters
    ----------
    rates : ndarray of float64, shape (n_tasks, n_cells)
        Success rates in [0, 1].
    n_cases : int or ndarray of int64, shape (n_cells,)
        At most :data:`MOST_CASES`.
    seed : int
        In [0, 2**63).
    n_simulations : int
        With the same seed more simulations continue the fewer, and counts of a cell do not depend
        on the tasks after its own, or on the number of cases of other cells.
    n_threads : int
        The result is the same bit for bit on any number.

    Returns
    -------
    ndarray of int16, shape (n_tasks, n_simulations, n_cells)

    Examples
    --------
    >>> counts = draw_counts(np.array([[0.9, 0.5]]), 20, seed=1, n_simulations=2000)
    >>> counts.shape, counts.mean(axis=1).round(1).tolist()
    ((1, 2000, 2), [[18.0, 10.0]])
    """
    n_tasks, n_cells = rates.shape
    rates = np.ascontiguousarray(rates, dtype=np.float64)
    cases = np.broadcast_to(np.asarray(n_cases, dtype=np.int64), (n_cells,)).copy()
    numbers = np.arange(n_cells)
    counts = np.empty((n_tasks, n_cells, -(-n_simulations // BLOCK) * BLOCK), dtype=np.int16)

    def work(part: tuple[int, int]) -> None:
        task, first = part
        cells = numbers[first : first + CELLS_PER_PART]
        own = counts[task, first : first + CELLS_PER_PART]
        fill_counts(rates[task : task + 1, cells], cases[cells], cells, (seed, task), 0, own)

    parts = product(range(n_tasks), range(0, n_cells, CELLS_PER_PART))
    do_parts(work, parts, n_threads=n_threads)
    return counts[:, :, :n_simulations].transpose(0, 2, 1)


@njit
def fill_counts(
    rates: Floats, n_cases: Cases, cells: Cases, stream: Stream, first_block: int, counts: Counts
) -> None:
    """Write binomial counts of cells for whole blocks of simulations.

    Parameters
    ----------
    rates : ndarray of float64, shape (n_draws, n_cells)
        Success rates in [0, 1]; simulation i has those of draw i modulo n_draws.
    n_cases : ndarray of int64, shape (n_cells,)
    cells : ndarray of int64, shape (n_cells,)
        Number of every cell, which names its stream.
    stream : tuple
        Seed and task.
    first_block : int
    counts : ndarray of int16, shape (n_cells, n_blocks * BLOCK)
        Written.
    """
    n_draws = rates.shape[0]
    words = np.empty(counts.shape[1] // 2, dtype=np.uint32)
    halves = words.view(np.uint16)
    law = np.empty(n_cases.max() + 1)
    leading = np.empty(law.size, dtype=np.uint16)
    rest = np.empty(law.size, dtype=np.uint64)
    guide = np.empty(1 << GUIDE_BITS, dtype=np.int16)
    bits = guide_bits(halves.size // n_draws)
    label = stream_label(COUNTS, stream[1], 0)
    for cell in range(n_cases.size):
        n = n_cases[cell]
        fill_words(stream[0], first_block, cells[cell], n, label, words)
        for draw in range(n_draws):
            rate = rates[draw, cell]
            first = (draw - first_block * BLOCK) % n_draws
            if first >= halves.size:
                continue
            if n == 0 or rate <= 0.0 or rate >= 1.0:
                counts[cell, first::n_draws] = n if rate >= 1.0 else 0
                continue
            fill_steps(n, rate, law, leading, rest)
            fill_guide(leading[:n], bits, guide)
            table = (n, bits, guide, leading, rest)
            where = (stream[0], stream[1], cells[cell], first_block * BLOCK + first, n_draws)
            if n_draws == 1:
                look_up(halves, table, where, counts[cell])
            else:
                look_up(halves[first::n_draws], table, where, counts[cell, first::n_draws])


@njit
def guide_bits(n_uses: int) -> int:
    """Return how fine a table is worth filling for so many draws from it."""
    bits = 1
    while bits < GUIDE_BITS and 1 << bits < ENTRIES_PER_DRAW * n_uses:
        bits += 1
    return bits


@njit
def fill_steps(
    n: int, rate: float, law: Floats, leading: Leading, rest: NDArray[np.uint64]
) -> None:
    """Write cumulative probabilities of 0..n-1 successes times 2**64: 16 bits, and 48 more."""
    fill_binomial(n, rate, law)
    reached = 0.0
    for k in range(n):
        reached += law[k]
        scaled = reached * _TWO_16
        if scaled >= _TWO_16:
            leading[k], rest[k] = _LARGEST, _LARGEST_REST
        else:
            whole = math.floor(scaled)
            leading[k] = np.uint16(whole)
            rest[k] = np.uint64((scaled - whole) * _TWO_48)


@njit
def fill_guide(leading: Leading, bits: int, guide: Counts) -> None:
    """Write the count of every value of the leading bits, or -1 - the least one if there are more.

    Parameters
    ----------
    leading : ndarray of uint16, shape (n,)
        Of the cumulative probabilities.
    bits : int
    guide : ndarray of int16, shape (2**GUIDE_BITS,)
        Its first 2**bits entries are written.
    """
    shift = np.uint16(16 - bits)
    filled = 0
    for k in range(leading.size):
        place = int(leading[k] >> shift)
        if place >= filled:
            guide[filled:place] = k
            guide[place] = -1 - k
            filled = place + 1
    guide[filled : 1 << bits] = leading.size


@njit
def look_up(halves: Leading, table: Table, where: Where, counts: Counts) -> None:
    """Write the count of every uniform number: what the guide says, or what a search finds."""
    guide, shift = table[2], np.uint16(16 - table[1])
    for i in range(halves.size):
        found = guide[halves[i] >> shift]
        counts[i] = found if found >= 0 else search(halves[i], -1 - found, table, where, i)


@njit
def search(half: np.uint16, least: int, table: Table, where: Where, position: int) -> int:
    """Return the count of a number from `least` up, with more bits where the first are a step."""
    n, _, _, leading, rest = table
    k = least
    while k < n and half > leading[k]:
        k += 1
    if k == n or half < leading[k]:
        return k
    seed, task, cell, first, stride = where
    simulation = first + position * stride
    high, low = one_word_pair(seed, simulation, cell, n, stream_label(MORE_BITS, task, 0))
    more = (high >> np.uint64(16)) << np.uint64(32) | low
    while k < n and half == leading[k] and more >= rest[k]:
        k += 1
    return k


@njit
def fill_shared_counts(
    odds: Floats,
    law: tuple[float, float, float],
    n_cases: Cases,
    cells: Cases,
    stream: Stream,
    first_block: int,
    counts: Counts,
) -> None:
    """Write counts of cells whose trials of one number are easy or hard together.

    Parameters
    ----------
    odds : ndarray of float64, shape (n_cells,)
        Of failing, ``exp(-logit)``, where the common effect is 0.
    law : tuple of float
        Guess rate, lapse rate and standard deviation of the common effect on the logit.
    n_cases, cells, stream, first_block, counts
        As in :func:`fill_counts`; trial t of a cell shares its effect with trial t of the others.
    """
    guess, lapse, logit_sd = law
    share = 1.0 - guess - lapse
    words = np.empty(counts.shape[1], dtype=np.uint32)
    harder = np.empty(words.size)
    counts[:] = 0
    n_trials = n_cases.max()
    for trial in range(n_trials):
        fill_normals((cells[0], n_trials, trial), stream, first_block, words, harder)
        for i in range(words.size):
            harder[i] = math.exp(-logit_sd * harder[i])
        for cell in range(n_cases.size):
            if trial >= n_cases[cell]:
                continue
            label = stream_label(TRIALS, stream[1], trial)
            fill_simulation_words(stream[0], first_block, cells[cell], n_cases[cell], label, words)
            for i in range(words.size):
                uniform = (words[i] + 0.5) / _TWO_32
                counts[cell, i] += (uniform - guess) * (1.0 + odds[cell] * harder[i]) < share


@njit
def fill_normals(
    where: tuple[int, int, int], stream: Stream, first_block: int, words: Words, normals: Floats
) -> None:
    """Write standard normal deviates, one per simulation (Box and Muller 1958).

    Parameters
    ----------
    where : tuple of int
        Cell, number of cases and trial.
    stream, first_block
        As in :func:`fill_counts`.
    words : ndarray of uint32, shape (n_blocks * BLOCK,)
        A buffer.
    normals : ndarray of float64, of the same shape
        Written.
    """
    cell, n_cases, trial = where
    label = stream_label(RADII, stream[1], trial)
    fill_simulation_words(stream[0], first_block, cell, n_cases, label, words)
    for i in range(words.size):
        normals[i] = math.sqrt(-2.0 * math.log((words[i] + 0.5) / _TWO_32))
    label = stream_label(ANGLES, stream[1], trial)
    fill_simulation_words(stream[0], first_block, cell, n_cases, label, words)
    for i in range(words.size):
        normals[i] *= math.cos(2.0 * math.pi * (words[i] + 0.5) / _TWO_32)
