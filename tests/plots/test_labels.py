"""Words in figures."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lcstats.lengths import Interval
from lcstats.lengths.criterion import parse_treatment
from lcstats.plots.labels import (
    band_bias_words,
    character_columns,
    count_words,
    depth_labels,
    length_axis_label,
    length_label,
    length_writer,
    outcome_words,
    set_words,
    shape_words,
    signed,
    unscored_words,
    wrap_name,
    wrap_words,
)
from tests.plots.drawings import ragged, simulated

LENGTHS = np.array([4096, 8192, 18559])
DOUBLINGS = np.array([4096, 8192, 16384])


@pytest.mark.parametrize(
    ("length", "label"),
    [
        (1024, "1K"),
        (4096, "4K"),
        (131072, "128K"),
        (1048576, "1024K"),
        (5000, "5000"),
        (64000, "64000"),
        (128000, "128000"),
        (18559, "18559"),
        (np.int64(32768), "32K"),
    ],
)
def test_lengths_in_tokens(length, label):
    assert length_label(length) == label


@pytest.mark.parametrize("unit", ["documents", "characters", "words"])
def test_k_is_for_tokens_only(unit):
    assert length_label(4096, unit) == "4096"
    assert length_axis_label(unit) == f"Context length ({unit})"


def test_thousands_are_parted_by_thin_spaces_where_asked():
    assert length_label(200000, grouped=True) == "200\u2009000"
    assert length_label(5000, grouped=True) == "5000"
    assert length_label(32768, grouped=True) == "32K"


@pytest.mark.parametrize(
    ("depths", "labels"),
    [
        ([0.0, 0.1, 1.0], ["0", "0.1", "1"]),
        ([0.0, 0.25, 0.5, 1.0], ["0", "0.25", "0.5", "1"]),
        ([0.0, 0.125, 1.0], ["0", "0.125", "1"]),
        ([0.01, 0.012, np.nan], ["0.01", "0.012", "none"]),
        ([0.14, 0.29, 0.43], ["0.14", "0.29", "0.43"]),
        ([0.142857143, 0.285714286, 0.857142857], ["0.14", "0.29", "0.86"]),
        ([0.0625, 0.9375], ["0.06", "0.94"]),
        ([0.962, 0.964], ["0.962", "0.964"]),
        ([0.9621, 0.9639, 1.0], ["0.962", "0.964", "1"]),
        ([0.96211, 0.96213], ["0.96211", "0.96213"]),
    ],
)
def test_depths_are_stated_and_kept_apart(depths, labels):
    assert depth_labels(np.array(depths)) == labels


@given(st.lists(st.integers(0, 10**9), min_size=1, max_size=30, unique=True))
def test_depth_labels_are_true_to_half_a_hundredth_and_differ(billionths):
    depths = np.array(billionths) / 1e9
    labels = depth_labels(depths)
    assert len(set(labels)) == len(labels)
    np.testing.assert_allclose([float(label) for label in labels], depths, rtol=0, atol=0.00501)


@pytest.mark.parametrize(
    ("lengths", "written"),
    [
        ([512, 1024, 32768], ["512", "1K", "32K"]),
        ([4096, 32768, 64000], ["4096", "32\u2009768", "64\u2009000"]),
        ([65536, 128000], ["65\u2009536", "128\u2009000"]),
        ([1000, 2048], ["1000", "2048"]),
        ([5000, 10000], ["5000", "10\u2009000"]),
    ],
)
def test_a_figure_writes_its_lengths_in_one_way(lengths, written):
    assert list(map(length_writer(np.array(lengths), "tokens"), lengths)) == written


def test_k_in_a_figure_is_for_tokens_only():
    assert length_writer(DOUBLINGS, "words")(16384) == "16\u2009384"


def test_outcomes_carry_their_sign():
    write = length_writer(LENGTHS, "tokens")
    words = [outcome_words(outcome, LENGTHS, write) for outcome in range(4)]
    assert words == ["<4096", "4096", "8192", ">=18\u2009559"]


@pytest.mark.parametrize(
    ("lower", "upper", "options", "words"),
    [
        (1, 2, {}, "95% set, certified: 4K to 8K"),
        (2, 2, {}, "95% set, certified: 8K"),
        (0, 3, {}, "95% set, certified: <4K to >=16K"),
        (1, 2, {"extended": True}, "95% set, certified: 4K to 8K, extended to its point"),
    ],
)
def test_sets_are_said_with_level_and_kind(lower, upper, options, words):
    interval = Interval("certified", 0.95, lower, upper, DOUBLINGS, **options)
    assert set_words(interval, length_writer(DOUBLINGS, "tokens")) == words


@pytest.mark.parametrize(("level", "said"), [(0.975, "97.5%"), (0.99999995, "99.999995%")])
def test_level_is_not_rounded(level, said):
    interval = Interval("jeffreys", level, 1, 1, DOUBLINGS)
    assert set_words(interval, str).startswith(f"{said} set, jeffreys")


@pytest.mark.parametrize(
    ("treatment", "words"),
    [
        ("mean", ""),
        ("pooled", ""),
        ("worst", "biased low: worst depth of noisy draws"),
        ("quantile:0.1", "biased low: quantile of depths of noisy draws"),
        ("quantile:0.5", ""),
        ("window:3", "biased low: worst window of noisy draws"),
        ("quantile:0.9", "biased high: quantile of depths of noisy draws"),
    ],
)
def test_a_band_says_to_which_side_it_leans(treatment, words):
    assert band_bias_words(parse_treatment(treatment)) == words


def test_minus_is_a_minus_sign():
    assert [signed(number) for number in (1.25, -3.96, 0.0)] == ["+1.2", "\u22124.0", "+0.0"]


def test_counts_are_said_with_what_is_missing():
    assert count_words(ragged().grid) == "2 cases per cell"
    assert unscored_words(ragged().grid) == "; 8 of 24 trials unscored"
    assert shape_words(ragged().grid) == "; some lengths lack depths"
    assert unscored_words(simulated().grid) == shape_words(simulated().grid) == ""


def test_one_case_per_cell_is_singular():
    assert count_words(simulated(n_cases=1).grid) == "1 case per cell"


def test_sentences_break_at_blanks_and_keep_their_lines():
    assert wrap_words("one two\nthree", 5) == "one\ntwo\nthree"


def test_numbers_are_not_torn_at_their_thin_spaces():
    words = "95% set: <1000 to >=40\u2009000"
    assert wrap_words(words, 24) == "95% set: <1000 to\n>=40\u2009000"


def test_names_break_where_they_may():
    assert wrap_name("some-org/some-model", 12) == "some-org/\nsome-model"


def test_long_names_keep_head_and_tail():
    name = "organisation/" + "x" * 200 + "-Q4_K_M"
    lines = wrap_name(name, 20).splitlines()
    assert len(lines) == 2
    assert lines[0] == name[:20]
    assert lines[1] == "…" + name[-19:]


def test_unprintable_characters_become_blanks():
    assert wrap_name("a\x00b\tc\nd", 40) == "a b c d"


@given(st.text(max_size=200), st.integers(4, 60), st.integers(1, 3))
def test_names_fit_whatever_they_hold(name, n_columns, n_lines):
    lines = wrap_name(name, n_columns, n_lines=n_lines).split("\n")
    assert len(lines) <= n_lines
    assert all(sum(map(character_columns, line)) <= n_columns for line in lines)


@given(st.text(alphabet="ab -", max_size=80), st.integers(4, 30))
def test_wrapped_sentences_lose_nothing_but_blanks(text, n_columns):
    assert wrap_words(text, n_columns).replace("\n", "").replace(" ", "") == text.replace(" ", "")
