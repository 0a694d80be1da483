"""Counter-based random numbers: a word depends on where it is used, not on what was drawn before.

Philox4x32-10 (Salmon, Moraes, Dror and Shaw 2011, Parallel random numbers: as easy as 1, 2, 3) is
a bijection of 128-bit counters under a 64-bit key. The key here is the seed, and the counter says
which simulation, cell, number of cases and task a word is for: two uses never share one, any block
of simulations can be made alone, and threads cannot change a result.
"""

import numpy as np
from numpy.typing import NDArray

from lcstats.kernels.jit import njit

BLOCK = 256
"""Simulations per block: the smallest part that is simulated at a time."""

BLOCK_WORDS = 128
"""Words per block of a stream: half a word, or a word of two blocks, for a simulation."""

GROUPS = BLOCK_WORDS // 4
"""Counters per block: each gives four words."""

ROUNDS = 10
MOST_BLOCKS = 2**26
MOST_TASKS = 2**12
MOST_TRIALS = 2**16

COUNTS = 0
"""Purpose of half words that draw the count of a cell."""
MORE_BITS = 1
"""Purpose of the bits that decide where the first 16 of a count do not."""
TRIALS = 2
"""Purpose of words that draw trial by trial."""
RADII = 3
ANGLES = 4
"""Purposes of the pairs of words that make normal deviates."""

_MULTIPLIER_0 = np.uint64(0xD2511F53)
_MULTIPLIER_1 = np.uint64(0xCD9E8D57)
_STEP_0 = np.uint64(0x9E3779B9)
_STEP_1 = np.uint64(0xBB67AE85)
_LOW = np.uint64(0xFFFFFFFF)
_HALF = np.uint64(32)

Words = NDArray[np.uint32]

State = tuple[np.uint64, np.uint64, np.uint64, np.uint64]
"""A counter on its way to four words, each in 64 bits, which hold the products of two."""


@njit
def philox_round(state: State, key_low: np.uint64, key_high: np.uint64) -> State:
    """Multiply two of the words and mix the products with the other two and the key."""
    product_0 = (state[0] & _LOW) * _MULTIPLIER_0
    product_1 = (state[2] & _LOW) * _MULTIPLIER_1
    return (
        (product_1 >> _HALF) ^ state[1] ^ key_low,
        product_1 & _LOW,
        (product_0 >> _HALF) ^ state[3] ^ key_high,
        product_0 & _LOW,
    )


@njit
def key_schedule(key: int) -> NDArray[np.uint64]:
    """Return the two words of every round's key, shape (ROUNDS, 2)."""
    schedule = np.empty((ROUNDS, 2), dtype=np.uint64)
    for r in range(ROUNDS):
        schedule[r, 0] = (np.uint64(key) + np.uint64(r) * _STEP_0) & _LOW
        schedule[r, 1] = ((np.uint64(key) >> _HALF) + np.uint64(r) * _STEP_1) & _LOW
    return schedule


@njit
def stream_label(purpose: int, task: int, trial: int) -> int:
    """Pack what a stream is for into 32 bits: purpose below 16, task and trial as above."""
    return (purpose << 28) | (task << 16) | trial


@njit
def fill_words(
    seed: int, first_block: int, cell: int, n_cases: int, label: int, words: Words
) -> None:
    """Write whole blocks of the words of one stream.

    Parameters
    ----------
    seed : int
        Below 2**63.
    first_block : int
        In blocks of words.
    cell, n_cases : int
        Below 2**32.
    label : int
        Of :func:`stream_label`.
    words : ndarray of uint32, shape (n_blocks * BLOCK_WORDS,)
        Written.
    """
    schedule = key_schedule(seed)
    where = (np.uint64(cell), np.uint64(n_cases), np.uint64(label))
    for block in range(words.size // BLOCK_WORDS):
        first = np.uint64((first_block + block) * GROUPS)
        own = words[block * BLOCK_WORDS : (block + 1) * BLOCK_WORDS]
        fill_block(first, where, schedule, own)


@njit
def fill_block(
    first: np.uint64,
    where: tuple[np.uint64, np.uint64, np.uint64],
    schedule: NDArray[np.uint64],
    words: Words,
) -> None:
    """Write the words of one block: those of a counter stand :data:`GROUPS` apart."""
    for i in range(GROUPS):
        state = (first + np.uint64(i), where[0], where[1], where[2])
        for r in range(ROUNDS):
            state = philox_round(state, schedule[r, 0], schedule[r, 1])
        words[i] = state[0]
        words[GROUPS + i] = state[1]
        words[2 * GROUPS + i] = state[2]
        words[3 * GROUPS + i] = state[3]


@njit
def fill_simulation_words(
    seed: int, first_block: int, cell: int, n_cases: int, label: int, words: Words
) -> None:
    """Write a word for every simulation of whole blocks of simulations, as :func:`fill_words`."""
    fill_words(seed, first_block * (BLOCK // BLOCK_WORDS), cell, n_cases, label, words)


@njit
def one_word_pair(
    seed: int, simulation: int, cell: int, n_cases: int, label: int
) -> tuple[np.uint64, np.uint64]:
    """Return two words of one simulation alone, from a counter of its own."""
    schedule = key_schedule(seed)
    state = (np.uint64(simulation), np.uint64(cell), np.uint64(n_cases), np.uint64(label))
    for r in range(ROUNDS):
        state = philox_round(state, schedule[r, 0], schedule[r, 1])
    return state[0], state[1]
