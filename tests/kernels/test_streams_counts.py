"""Counts from streams against scipy's binomials, and against themselves on other threads."""

import numpy as np
import pytest
from scipy.special import expit
from scipy.stats import binom, chisquare

from lcstats.kernels.draws import (
    GUIDE_BITS,
    SLICE,
    draw_counts,
    fill_counts,
    fill_guide,
    fill_shared_counts,
    fill_steps,
    guide_bits,
    search,
)
from lcstats.kernels.streams import (
    BLOCK,
    COUNTS,
    MORE_BITS,
    fill_words,
    one_word_pair,
    stream_label,
)

RATES = np.random.default_rng(1).random((3, 40))
RATES[0, :4] = [0.0, 1.0, 1e-9, 1.0 - 1e-9]


def counts_of(rates, n_cases, *, n_blocks=8, seed=3, first_block=0, cells=None):
    rates = np.atleast_2d(rates)
    cases = np.broadcast_to(np.asarray(n_cases), rates.shape[1:]).copy()
    counts = np.empty((cases.size, n_blocks * BLOCK), dtype=np.int16)
    named = np.arange(cases.size) if cells is None else np.asarray(cells)
    fill_counts(rates, cases, named, (seed, 0), first_block, counts)
    return counts


@pytest.mark.parametrize("n", [1, 2, 5, 20, 80, 500, 5000, 32767])
@pytest.mark.parametrize("rate", [1e-6, 0.03, 0.5, 0.85, 0.99, 1 - 1e-6])
def test_a_count_is_the_inverse_of_its_word(n, rate):
    (counts,) = counts_of([rate], n)
    words = np.empty(counts.size // 2, dtype=np.uint32)
    fill_words(3, 0, 0, n, stream_label(COUNTS, 0, 0), words)
    halves = words.view(np.uint16).astype(np.float64)
    least, most = halves / 2.0**16, (halves + 1.0) / 2.0**16
    assert np.all(binom.cdf(counts, n, rate) >= least - 1e-9)
    assert np.all(binom.cdf(counts - 1, n, rate) <= most + 1e-9)


@pytest.mark.parametrize(("n", "rate"), [(5, 0.9), (20, 0.85), (80, 0.5), (5000, 0.97)])
def test_counts_have_binomial_frequencies(n, rate):
    (counts,) = counts_of([rate], n, n_blocks=1000)
    expected = binom.pmf(np.arange(n + 1), n, rate) * counts.size
    usual = expected > 10
    found = np.bincount(counts, minlength=n + 1)
    observed = np.append(found[usual], found[~usual].sum())
    hoped = np.append(expected[usual], expected[~usual].sum())
    assert chisquare(observed, hoped, sum_check=False).pvalue > 1e-3


def test_sure_and_impossible_successes_and_cells_without_cases():
    counts = counts_of([0.0, 1.0, 0.5], [20, 20, 0])
    assert counts.min(axis=1).tolist() == counts.max(axis=1).tolist() == [0, 20, 0]


@pytest.mark.parametrize("n_draws", [2, 7, 300, 3000])
def test_simulations_take_the_draws_of_an_open_truth_in_turn(n_draws):
    rates = np.random.default_rng(2).random((n_draws, 3))
    together = counts_of(rates, 20, first_block=5)
    for draw in (0, 1, n_draws // 2, n_draws - 1):
        own = (np.arange(SLICE) + 5 * BLOCK) % n_draws == draw
        alone = counts_of(rates[draw], 20, first_block=5)
        np.testing.assert_array_equal(together[:, own], alone[:, own])


def test_tables_grow_with_their_use():
    assert [guide_bits(n) for n in (0, 1, 8, 10**6)] == [1, 1, 4, GUIDE_BITS]


def steps_of(n, rate):
    leading, rest = np.empty(n + 1, dtype=np.uint16), np.empty(n + 1, dtype=np.uint64)
    fill_steps(n, rate, np.empty(n + 1), leading, rest)
    return leading, rest


@pytest.mark.parametrize(("n", "rate"), [(5, 0.4), (20, 0.85), (80, 0.99)])
def test_steps_are_cumulative_probabilities(n, rate):
    leading, rest = steps_of(n, rate)
    found = (leading[:n] + rest[:n] / 2.0**48) / 2.0**16
    np.testing.assert_allclose(found, binom.cdf(np.arange(n), n, rate), rtol=0, atol=1e-14)


@pytest.mark.parametrize("bits", [1, 5, GUIDE_BITS])
def test_a_guide_says_where_every_number_leads(bits):
    leading = steps_of(20, 0.85)[0][:20]
    guide = np.empty(1 << GUIDE_BITS, dtype=np.int16)
    fill_guide(leading, bits, guide)
    edges = np.arange(1 << bits) << (16 - bits)
    first = np.searchsorted(leading, edges)
    past = np.searchsorted(leading, edges + 2 ** (16 - bits))
    np.testing.assert_array_equal(guide[: 1 << bits], np.where(first == past, first, -1 - first))


def test_more_bits_decide_where_the_first_are_a_step():
    n, k = 5, 2
    leading, rest = steps_of(n, 0.4)
    table = (n, 1, np.empty(2, dtype=np.int16), leading, rest)
    found = [search(leading[k], k, table, (9, 0, 4, 0, 1), i) for i in range(4 * BLOCK)]
    label = stream_label(MORE_BITS, 0, 0)
    pairs = [one_word_pair(9, i, 4, n, label) for i in range(4 * BLOCK)]
    more = np.array([(int(high) >> 16) << 32 | int(low) for high, low in pairs])
    np.testing.assert_array_equal(found, np.where(more < int(rest[k]), k, k + 1))
    assert np.mean(np.array(found) == k) == pytest.approx(rest[k] / 2.0**48, abs=0.05)


@pytest.mark.parametrize("n_threads", [2, 8])
def test_threads_do_not_change_a_count(n_threads):
    one = draw_counts(RATES, 20, seed=5, n_simulations=5000)
    many = draw_counts(RATES, 20, seed=5, n_simulations=5000, n_threads=n_threads)
    assert one.tobytes() == many.tobytes()


def test_more_simulations_tasks_and_other_cells_do_not_disturb():
    whole = draw_counts(RATES, np.arange(40), seed=5, n_simulations=3000)
    fewer = draw_counts(RATES[:2], np.arange(40), seed=5, n_simulations=300)
    np.testing.assert_array_equal(whole[:2, :300], fewer)
    other = draw_counts(
        RATES, np.where(np.arange(40) > 20, 7, np.arange(40)), seed=5, n_simulations=300
    )
    np.testing.assert_array_equal(whole[:, :300, :21], other[:, :, :21])


def test_tasks_and_seeds_have_luck_of_their_own():
    same = np.full((2, 30), 0.5)
    first = draw_counts(same, 20, seed=5, n_simulations=2000)
    other = draw_counts(same, 20, seed=6, n_simulations=2000)
    for mine, theirs in ((first[0], first[1]), (first[0], other[0])):
        correlation = np.corrcoef(mine.ravel(), theirs.ravel())[0, 1]
        assert abs(correlation) < 4 / np.sqrt(mine.size)


def shared_counts(logits, n_cases, *, logit_sd, guess=0.0, lapse=0.0, n_blocks=100):
    counts = np.empty((len(logits), n_blocks * BLOCK), dtype=np.int16)
    cells, odds = np.arange(len(logits)), np.exp(-np.asarray(logits))
    law = (guess, lapse, logit_sd)
    fill_shared_counts(odds, law, np.asarray(n_cases), cells, (1, 0), 0, counts)
    return counts


def test_without_a_common_effect_shared_counts_are_binomial():
    (counts,) = shared_counts([1.5], [20], logit_sd=0.0, guess=0.1, lapse=0.05)
    expected = binom.pmf(np.arange(21), 20, 0.1 + 0.85 * expit(1.5)) * counts.size
    kept = expected > 10
    observed = np.bincount(counts, minlength=21)
    assert (
        chisquare(
            np.append(observed[kept], observed[~kept].sum()),
            np.append(expected[kept], expected[~kept].sum()),
            sum_check=False,
        ).pvalue
        > 1e-3
    )


def test_shared_counts_have_the_means_and_covariances_of_their_law():
    logits, n_cases = np.array([2.0, 0.5, 1.0]), np.array([20, 20, 8])
    counts = shared_counts(logits, n_cases, logit_sd=0.8, guess=0.2, n_blocks=400)
    nodes, weights = np.polynomial.hermite_e.hermegauss(60)
    weights = weights / weights.sum()
    rates = 0.2 + 0.8 * expit(logits[:, None] + 0.8 * nodes)
    mean = rates @ weights
    common = (rates * weights) @ rates.T - np.outer(mean, mean)
    sharing = np.minimum.outer(n_cases, n_cases)
    expected = common * sharing
    np.fill_diagonal(expected, n_cases * mean * (1 - mean))
    variance = expected.diagonal()
    error = np.sqrt(np.outer(variance, variance) / counts.shape[1])
    assert np.all(expected > 10 * error)
    assert np.all(np.abs(np.cov(counts) - expected) < 4 * error)
    mean_error = np.sqrt(variance / counts.shape[1])
    assert np.all(np.abs(counts.mean(axis=1) - n_cases * mean) < 4 * mean_error)
