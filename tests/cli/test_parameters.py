from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lcstats.cli.parameters import (
    parse_depths,
    parse_length,
    parse_lengths,
    parse_pair,
)


@pytest.mark.parametrize(
    ("text", "length"), [("4096", 4096), ("4K", 4096), ("4k", 4096), ("1M", 1048576), ("0.5K", 512)]
)
def test_a_length_is_a_number_or_in_units_of_1024(text, length):
    assert parse_length(text) == length


@pytest.mark.parametrize("text", ["", "0", "-4", "4.5", "0.3K", "4 K x", "4G", "K", "nan"])
def test_a_wrong_length_says_how_to_write_it(text):
    with pytest.raises(ValueError, match=r"write 4096 or 4K \(K = 1024\)"):
        parse_length(text)


@pytest.mark.parametrize(
    ("text", "lengths"),
    [
        ("1024,2048", (1024, 2048)),
        ("4K..32K", (4096, 8192, 16384, 32768)),
        ("500,1K..4K", (500, 1024, 2048, 4096)),
        ("4K..4K", (4096,)),
    ],
)
def test_lengths_are_lists_and_doublings(text, lengths):
    assert parse_lengths(text) == lengths


@pytest.mark.parametrize(("text", "mend"), [("4K..100K", "4096..131072"), ("8K..4K", "8192..8192")])
def test_a_range_that_misses_its_end_names_one_that_does_not(text, mend):
    with pytest.raises(ValueError, match=mend):
        parse_lengths(text)


@given(st.integers(2, 60))
def test_a_count_of_depths_is_evenly_spaced_with_both_ends(count):
    depths = parse_depths(str(count))
    assert len(depths) == count
    assert (depths[0], depths[-1]) == (0.0, 1.0)
    steps = [later - sooner for sooner, later in pairwise(depths)]
    assert max(steps) - min(steps) < 1e-12


def test_fractions_are_depths():
    assert parse_depths("0,0.25,1") == (0.0, 0.25, 1.0)
    assert parse_depths("1.0") == (1.0,)


@pytest.mark.parametrize(("text", "mend"), [("1", "write the single depth 1 as 1.0"), ("0", "0.0")])
def test_a_count_below_two_cannot_have_both_ends(text, mend):
    with pytest.raises(ValueError, match=mend):
        parse_depths(text)


@pytest.mark.parametrize("text", ["0,1.5", "a", "0.5,,1", "-0.1", "nan,0.5", "0,50"])
def test_a_wrong_depth_says_how_to_write_it(text):
    with pytest.raises(ValueError, match=r"write 0,0\.5,1, or a count such as 11"):
        parse_depths(text)


def test_a_pair_keeps_what_stands_after_the_first_equals_sign():
    assert parse_pair("task=a=b ") == ("task", "a=b ")


@pytest.mark.parametrize("text", ["length", "=x", "length=", ""])
def test_half_a_pair_is_refused(text):
    with pytest.raises(ValueError, match="write length=ctx_len, say"):
        parse_pair(text)
