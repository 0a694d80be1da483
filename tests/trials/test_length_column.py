"""Lengths: spellings, units, the base of K, refusals."""

import pandas as pd
import pytest

from lcstats.errors import TableError
from lcstats.trials.faults import Faults
from lcstats.trials.length_column import read_lengths
from lcstats.trials.origin import Origin, Part


def read(cells, unit="tokens"):
    column = pd.Series(cells)
    faults = Faults(Origin((Part("a.csv", len(column), "line", lambda row: row + 2),)))
    lengths = read_lengths(column, unit=unit, faults=faults)
    faults.raise_any()
    return lengths


def test_spellings_of_a_length():
    lengths = read(["131072", "131,072", "131_072", "128K", "128 k", "0.125M"])
    assert lengths.values.tolist() == [131072] * 6
    assert lengths.values.dtype == "int64"


@pytest.mark.parametrize(
    ("unit", "cells", "values", "kept_unit"),
    [
        ("k1000", [8, 64], [8000, 64000], "tokens"),
        ("k1024", ["8", "0.5"], [8192, 512], "tokens"),
        ("k1000", ["128K", "4"], [128000, 4000], "tokens"),
        ("characters", [500], [500], "characters"),
        ("documents", [20], [20], "documents"),
    ],
)
def test_units(unit, cells, values, kept_unit):
    lengths = read(cells, unit)
    assert lengths.values.tolist() == values
    assert lengths.unit == kept_unit


def test_the_base_of_k_is_stated():
    (notice,) = read(["4k", "8192"]).notices
    assert notice.code == "length-base"
    assert "4k is 4096 tokens" in notice.message
    assert "--length-unit k1000" in notice.message
    (notice,) = read(["4k"], "k1000").notices
    assert "4k is 4000 tokens" in notice.message


def test_plain_numbers_need_no_notice():
    assert read([4096]).notices == ()


@pytest.mark.parametrize("cell", [0, -4, "long", [4096], True])
def test_lengths_that_are_refused(cell):
    with pytest.raises(TableError, match=r"a\.csv line 3: length is .*whole number of at least 1"):
        read(pd.Series([4096, cell], dtype=object))


def test_a_missing_length_is_a_fault():
    with pytest.raises(TableError, match=r"line 3: length is missing; .*; fill it in"):
        read([4096, None])


def test_a_fraction_points_to_decimal_commas_and_thousands():
    with pytest.raises(TableError, match=r"length is 4\.096; .*--decimal ,.*--length-unit k1024"):
        read([4.096])


@pytest.mark.parametrize("length", ["9223372036854775807", "9" * 26, "1e400", float(2**60)])
def test_lengths_beyond_every_whole_number_name_the_limit(length):
    faults = Faults(Origin.of_frame(1))
    read_lengths(pd.Series([length]), unit="tokens", faults=faults)
    with pytest.raises(TableError, match=r"below 9007199254740992; .*--map length=THEIRS"):
        faults.raise_any()


def test_0k_is_a_prompt_without_filler():
    assert read(["0k", "1K"]).values.tolist() == [0, 1024]


def codes(lengths):
    return [notice.code for notice in lengths.notices]


def test_lengths_that_may_be_thousands_are_doubted():
    lengths = read([4, 8, 16, 32, 64, 128])
    assert codes(lengths) == ["lengths-short"]
    assert "--length-unit k1024" in lengths.notices[0].message
    assert codes(read(["4", "128"])) == ["lengths-short"]
    assert codes(read([4, 128], "documents")) == codes(read([4, 128], "k1000")) == []
    assert codes(read([64, 1024])) == codes(read([10, 4096])) == []


def test_a_lacking_k_is_asked_about():
    with pytest.raises(TableError, match=r"line 4: length is '16'; .*'4k'; write the K of every"):
        read(["4k", "8k", "16"])
    assert read(["128", "256", "512", "1k"]).values.tolist() == [128, 256, 512, 1024]


def test_messages_know_that_commas_mark_decimals():
    faults = Faults(Origin((Part("a.csv", 1),)), ",")
    read_lengths(pd.Series(["4.096"]), unit="tokens", faults=faults)
    with pytest.raises(TableError, match=r"length is '4,096'.*leave out decimal=','") as caught:
        faults.raise_any()
    assert "pass decimal" not in str(caught.value)


def test_the_base_of_k_is_shown_by_a_length_that_it_changes():
    (notice,) = read(["0k", "16k"]).notices
    assert "16k is 16384 tokens" in notice.message
    assert read(["0k", "4096"]).notices == ()


def test_a_plain_zero_is_told_how_to_be_one_without_filler():
    with pytest.raises(TableError, match=r"length is 0; .*write 0k where a prompt has no filler"):
        read([0, 4096])
