"""Counter-based words against Random123's published answers and a plain transcription."""

import itertools

import numpy as np
import pytest
from scipy.stats import chisquare, kstest

from lcstats.kernels.draws import fill_normals
from lcstats.kernels.streams import (
    BLOCK,
    BLOCK_WORDS,
    COUNTS,
    GROUPS,
    RADII,
    fill_simulation_words,
    fill_words,
    key_schedule,
    one_word_pair,
    philox_round,
    stream_label,
)

# Random123 1.14, tests/kat_vectors, philox4x32 10: counter, key, words.
KNOWN_ANSWERS = """
00000000 00000000 00000000 00000000 00000000 00000000 6627e8d5 e169c58d bc57ac4c 9b00dbd8
ffffffff ffffffff ffffffff ffffffff ffffffff ffffffff 408f276d 41c83b0e a20bc7c6 6d5451fd
243f6a88 85a308d3 13198a2e 03707344 a4093822 299f31d0 d16cfe09 94fdcceb 5001e420 24126ea1
"""


def plain_philox(counter, key):
    """Transcribe the paper's algorithm with Python's whole numbers."""
    a, b, c, d = counter
    low, high = key
    for _ in range(10):
        first, second = 0xD2511F53 * a, 0xCD9E8D57 * c
        a, b, c, d = (
            (second >> 32) ^ b ^ low,
            second & 0xFFFFFFFF,
            (first >> 32) ^ d ^ high,
            first & 0xFFFFFFFF,
        )
        low, high = (low + 0x9E3779B9) & 0xFFFFFFFF, (high + 0xBB67AE85) & 0xFFFFFFFF
    return [a, b, c, d]


def words_of(seed=1, block=0, cell=0, n_cases=20, label=0, n_blocks=1):
    words = np.empty(n_blocks * BLOCK_WORDS, dtype=np.uint32)
    fill_words(seed, block, cell, n_cases, label, words)
    return words


@pytest.mark.parametrize("line", KNOWN_ANSWERS.split("\n")[1:-1])
def test_known_answers(line):
    numbers = [int(word, 16) for word in line.split()]
    counter, key, answer = numbers[:4], numbers[4:6], numbers[6:]
    assert plain_philox(counter, key) == answer
    state = tuple(np.uint64(word) for word in counter)
    for low, high in key_schedule(np.uint64(key[0] | key[1] << 32)):
        state = philox_round(state, low, high)
    assert [int(word) for word in state] == answer


@pytest.mark.parametrize(
    ("seed", "block", "cell", "n_cases", "label"),
    [
        (0, 0, 0, 0, 0),
        (1, 0, 87, 20, stream_label(COUNTS, 3, 0)),
        (2**63 - 1, 12345, 2**31, 5000, stream_label(RADII, 4095, 65535)),
    ],
)
def test_words_are_those_of_their_counters(seed, block, cell, n_cases, label):
    words = words_of(seed, block, cell, n_cases, label, n_blocks=2)
    key = (seed & 0xFFFFFFFF, seed >> 32)
    for group in range(2 * GROUPS):
        counter = (block * GROUPS + group, cell, n_cases, label)
        start = group // GROUPS * BLOCK_WORDS + group % GROUPS
        found = words[start : start + BLOCK_WORDS : GROUPS][:4].tolist()
        assert found == plain_philox(counter, key)


def test_a_pair_of_words_is_that_of_its_simulation():
    found = one_word_pair(7, 12345, 3, 20, 99)
    assert [int(word) for word in found] == plain_philox((12345, 3, 20, 99), (7, 0))[:2]


def test_blocks_of_simulations_take_two_blocks_of_words():
    words = np.empty(2 * BLOCK, dtype=np.uint32)
    fill_simulation_words(1, 5, 0, 20, 0, words)
    np.testing.assert_array_equal(words, words_of(block=10, n_blocks=4))


def test_blocks_do_not_depend_on_where_a_call_begins():
    whole, later = words_of(n_blocks=5), words_of(block=2, n_blocks=3)
    np.testing.assert_array_equal(whole[2 * BLOCK_WORDS :], later)


def test_labels_keep_purposes_tasks_and_trials_apart():
    corners = ([0, 1, 4, 15], [0, 1, 4095], [0, 1, 65535])
    labels = {stream_label(*which) for which in itertools.product(*corners)}
    assert len(labels) == 36
    assert max(labels) < 2**32


@pytest.mark.parametrize("shift", [0, 8, 16, 24])
def test_bytes_are_uniform(shift):
    values = (words_of(n_blocks=2000) >> np.uint32(shift)) & np.uint32(255)
    assert chisquare(np.bincount(values, minlength=256)).pvalue > 1e-3


@pytest.mark.parametrize(
    "other",
    [{"seed": 2}, {"block": 800}, {"cell": 1}, {"n_cases": 21}, {"label": stream_label(0, 1, 0)}],
)
def test_neighbouring_streams_are_not_correlated(other):
    mine, theirs = words_of(n_blocks=800), words_of(n_blocks=800, **other)
    correlation = np.corrcoef(mine.astype(float), theirs.astype(float))[0, 1]
    assert abs(correlation) < 4 / np.sqrt(mine.size)


def test_normal_deviates_are_normal():
    words = np.empty(200 * BLOCK, dtype=np.uint32)
    normals = np.empty(words.size)
    fill_normals((0, 20, 3), (1, 0), 0, words, normals)
    assert kstest(normals, "norm").pvalue > 1e-3
