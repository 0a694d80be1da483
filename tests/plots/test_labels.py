"""Words in figures."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lcstats.lengths import Interval
from lcstats.plots.labels import (
    character_columns,
    count_words,
    depth_labels,
    length_axis_label,
    length_label,
    outcome_words,
    set_words,
    shape_words,
    unscored_words,
    wrap_name,
    wrap_words,
)
from tests.plots.drawings import ragged, simulated

LENGTHS = np.array([4096, 8192, 18559])


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


def test_depths_get_the_decimals_that_keep_them_apart():
    assert depth_labels(np.array([0.0, 0.1, 1.0])) == ["0", "0.1", "1"]
    assert depth_labels(np.array([0.01, 0.012, np.nan])) == ["0.01", "0.012", "none"]


def test_outcomes_carry_their_sign():
    words = [outcome_words(outcome, LENGTHS, "tokens") for outcome in range(4)]
    assert words == ["<4K", "4K", "8K", ">=18\u2009559"]


@pytest.mark.parametrize(
    ("lower", "upper", "options", "words"),
    [
        (1, 2, {}, "95% set, certified: 4K to 8K"),
        (2, 2, {}, "95% set, certified: 8K"),
        (0, 3, {}, "95% set, certified: <4K to >=18\u2009559"),
        (1, 2, {"extended": True}, "95% set, certified: 4K to 8K, extended to its point"),
    ],
)
def test_sets_are_said_with_level_and_kind(lower, upper, options, words):
    interval = Interval("certified", 0.95, lower, upper, LENGTHS, **options)
    assert set_words(interval, "tokens") == words


def test_level_is_not_rounded():
    assert set_words(Interval("jeffreys", 0.975, 1, 1, LENGTHS), "tokens").startswith("97.5% set")


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
