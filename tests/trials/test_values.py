"""Cells to numbers and texts: missing words, grouped digits, ids that keep their digits."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lcstats.trials.values import Kind, factorize, parse_column, parse_number, spread, texts_of


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("4096", 4096.0),
        (" 131,072 ", 131072.0),
        ("2_048", 2048.0),
        ("1,234,567.5", 1234567.5),
        ("-1", -1.0),
        (".5", 0.5),
        ("1e3", 1000.0),
    ],
)
def test_plain_numbers(text, number):
    assert parse_number(text) == number


@pytest.mark.parametrize("text", ["4k", "1,2", "12,34", "0x10", "1_0", "", "inf", "--1", "1 2"])
def test_texts_that_are_no_plain_numbers(text):
    assert parse_number(text) is None


@given(st.integers(min_value=0, max_value=2**53))
def test_grouping_never_changes_a_number(number):
    assert parse_number(f"{number:,}") == parse_number(f"{number:_}") == float(number)


@pytest.mark.parametrize("word", ["", "NA", "NaN", "n/a", "None", "null", "<NA>", None, np.nan])
def test_words_that_mean_missing_in_a_column_of_numbers(word):
    parsed = parse_column(pd.Series(["1", word], dtype=object))
    assert parsed.kinds.tolist() == [Kind.NUMBER, Kind.MISSING]
    assert np.isnan(parsed.values[1])


@pytest.mark.parametrize("dtype", ["int64", "float32", "Int64", "Float64", "object", "str"])
def test_every_dtype_gives_the_same_numbers(dtype):
    column = pd.Series([1, 0, 7]).astype(dtype)
    assert parse_column(column).values.tolist() == [1.0, 0.0, 7.0]


def test_categories_booleans_and_nullable_missing():
    assert parse_column(pd.Series(["4", "8"], dtype="category")).values.tolist() == [4.0, 8.0]
    flags = parse_column(pd.Series([True, None], dtype="boolean"), {"True": 1.0}.get)
    assert flags.kinds.tolist() == [Kind.WORD, Kind.MISSING]
    assert parse_column(pd.Series([3, None], dtype="Int64")).kinds.tolist() == [1, 0]


def test_infinity_lists_and_mappings_are_bad():
    parsed = parse_column(pd.Series([np.inf, [1], {"a": 1}], dtype=object))
    assert parsed.kinds.tolist() == [Kind.BAD] * 3
    assert parse_column(pd.Series([np.inf, 1.0])).kinds.tolist() == [Kind.BAD, Kind.NUMBER]


def test_words_of_missing_are_text_in_a_column_of_text():
    assert texts_of(pd.Series(["NA", "None", "null", "nan"])).uniques == (
        "NA",
        "None",
        "null",
        "nan",
    )


@pytest.mark.parametrize(
    "column",
    [
        pd.Series([7, 7, 8]),
        pd.Series([7.0, 7.0, 8.0]),
        pd.Series(["7", "7", "8"]),
        pd.Series([7, "7", 8.0], dtype=object),
        pd.Series(["7", "7", "8"], dtype="category"),
    ],
)
def test_ids_are_the_same_text_however_they_are_typed(column):
    texts = texts_of(column)
    assert texts.values.tolist() == ["7", "7", "8"]
    assert texts.codes.tolist() == [0, 0, 1]


def test_padded_ids_stay_apart():
    assert texts_of(pd.Series(["07", "7"])).uniques == ("07", "7")


def test_empty_and_missing_texts_are_missing():
    texts = texts_of(pd.Series(["a", "", None, "a"]))
    assert texts.codes.tolist() == [0, -1, -1, 0]
    assert texts.values.isna().tolist() == [False, True, True, False]


def test_factorize_compares_lists_by_their_text():
    codes, uniques = factorize(pd.Series([[1], "ok", [1], None], dtype=object))
    assert codes.tolist() == [0, 1, 0, -1]
    assert uniques == ["[1]", "ok"]


@given(st.lists(st.sampled_from(["a", "b", None]), min_size=1))
def test_spread_undoes_factorize(cells):
    column = pd.Series(cells, dtype=object)
    codes, uniques = factorize(column)
    texts = spread([str(word) for word in uniques], codes)
    assert [None if pd.isna(text) else text for text in texts] == cells


def test_half_a_character_is_named_and_stays_different():
    texts = texts_of(pd.Series(["a\ud800", "a\ud801", "b"], dtype=object))
    assert texts.values.tolist() == ["a\\ud800", "a\\ud801", "b"]
