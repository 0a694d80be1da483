"""Depths that are counted: hundredths, tokens, places of documents."""

import numpy as np
import pandas as pd
import pytest

from lcstats.errors import OptionError, TableError
from lcstats.trials import TableOptions, Trials

pytestmark = pytest.mark.filterwarnings("ignore::lcstats.errors.LcstatsWarning")


def depths(unit, values, length=4096, **columns):
    options = TableOptions(depth_unit=unit, length_unit=columns.pop("length_unit", "tokens"))
    n = len(values)
    table = {"length": [length] * n, "depth": values, "score": [1, 0] * (n // 2) + [0] * (n % 2)}
    return Trials.from_frame(pd.DataFrame(table | columns), options).frame["depth"].tolist()


def test_hundredths_of_a_percent_as_in_file_names():
    assert depths("hundredths", [0, 2500, 8868, 10000]) == [0, 0.25, 0.8868, 1]


def test_token_offsets_are_fractions_of_the_length():
    assert depths("tokens", [0, 1024, 4096]) == [0, 0.25, 1]
    with pytest.raises(OptionError, match=r"lengths in words; .*--length-unit tokens"):
        depths("tokens", [0, 10], length_unit="words")


@pytest.mark.parametrize(("unit", "first"), [("index0", 0), ("index1", 1)])
def test_places_of_documents(unit, first):
    places = [first, first + 9, first + 19]
    expected = [0, round(9 / 19, 9), 1]
    assert depths(unit, places, num_documents=[20] * 3) == expected
    assert depths(unit, places, length=20, length_unit="documents") == expected
    with pytest.raises(OptionError, match=r"--length-unit documents.*--map n_documents=THEIRS"):
        depths(unit, places)


def test_a_single_document_has_no_place():
    assert np.isnan(depths("index0", [0, 0], num_documents=[1, 1])).all()


@pytest.mark.parametrize(
    ("unit", "value", "words"),
    [
        ("hundredths", 10001, "from 0 to 10000"),
        ("tokens", 4097, "from 0 to the length"),
        ("index0", 20, "the first being 0"),
        ("index1", 0, "the first being 1"),
        ("index1", "last", "the first being 1"),
    ],
)
def test_positions_outside_the_context_are_refused(unit, value, words):
    with pytest.raises(TableError, match=rf"depth is .*{words}; .*--depth-unit {unit}"):
        depths(unit, [1, value], num_documents=[20, 20])


def test_places_of_documents_are_asked_about():
    frame = pd.DataFrame({"length": [20] * 3, "depth": [0, 4, 19], "score": [1, 0, 1]})
    with pytest.raises(TableError, match=r"--depth-unit index0\).*index1.*percent"):
        Trials.from_frame(frame, TableOptions(length_unit="documents"))


def test_hundredths_are_named_where_a_percentage_is_too_large():
    with pytest.raises(TableError, match="--depth-unit hundredths"):
        depths(None, [0, 2500, 10000])


@pytest.mark.parametrize(("places", "unit"), [([0, 5, 9], "index0"), ([1, 6, 10], "index1")])
def test_an_index_of_documents_is_a_depth_where_it_tells_what_the_first_is(places, unit):
    frame = pd.DataFrame(
        {"length": 4096, "document_index": places, "n_documents": 10, "score": [1, 0, 1]}
    )
    trials = Trials.from_frame(frame)
    assert trials.reading.depth_unit == unit
    assert trials.frame["depth"].round(4).tolist() == [0.0, 0.5556, 1.0]


def test_an_index_of_documents_is_asked_about_where_it_does_not():
    frame = pd.DataFrame({"length": 4096, "document_index": [2, 5], "n_docs": 10, "score": [1, 0]})
    with pytest.raises(TableError, match=r"neither 0 nor the number.*--depth-unit index1"):
        Trials.from_frame(frame)
    trials = Trials.from_frame(frame, TableOptions(depth_unit="index1"))
    assert trials.frame["depth"].round(4).tolist() == [0.1111, 0.4444]


def test_an_index_among_documents_whose_number_is_not_known_is_left_alone():
    frame = pd.DataFrame({"length": 4096, "doc_index": [2, 5], "score": [1, 0]})
    with pytest.warns(UserWarning, match=r"doc_index gives no depth.*--map n_documents=THEIRS"):
        trials = Trials.from_frame(frame)
    assert trials.frame["depth"].isna().all()
    assert trials.frame["doc_index"].tolist() == [2, 5]


def test_an_index_of_documents_yields_to_a_depth():
    frame = pd.DataFrame(
        {"length": 4096, "doc_index": [0, 3], "n_docs": 4, "depth": [0.5, 0.25], "score": [1, 0]}
    )
    assert Trials.from_frame(frame).frame["depth"].tolist() == [0.5, 0.25]


def test_a_number_of_documents_may_be_the_length():
    table = pd.DataFrame({"gold_index": [0, 9, 19], "n_documents": 20, "score": [1, 0, 1]})
    mend = r"no column for length.*--map length=n_documents --length-unit documents"
    with pytest.raises(TableError, match=mend):
        Trials.from_frame(table)
    options = TableOptions(columns={"length": "n_documents"}, length_unit="documents")
    trials = Trials.from_frame(table, options)
    assert trials.length_unit == "documents"
    assert trials.frame["depth"].tolist() == pytest.approx([0, 9 / 19, 1], abs=1e-9)
