"""Kinds of fields: what is of another kind is named by file, line, place and value."""

import pandas as pd
import pytest

from lcstats.errors import FormatError
from lcstats.readers import read_trials
from lcstats.readers.fields import check_fields
from lcstats.trials import Origin, RawTable


def table(*values):
    return RawTable(pd.DataFrame({"a": list(values)}, dtype=object), Origin.of_frame(len(values)))


@pytest.mark.parametrize(
    ("kind", "right", "wrong"),
    [
        ("plain", [1, "x", True, 1.5], [{}, []]),
        ("text", ["", "x"], [1, True, {}, []]),
        ("number", [0, 1.5, -3], ["1", True, {}, [], 10**400, float("inf")]),
        ("mark", [True, 0, 0.5], ["yes", {}, []]),
        ("list", [[], [1]], [{}, "x", 1]),
        ("object", [{}, {"b": 1}], [[], "x", 1]),
    ],
)
def test_kinds(kind, right, wrong):
    check_fields(table(*right, None), {"a": kind}, "f")
    for value in wrong:
        with pytest.raises(FormatError, match=r"row 0: a is .*expected .*mend the value"):
            check_fields(table(value), {"a": kind}, "f")


@pytest.mark.parametrize(
    ("value", "path", "place"),
    [
        ({"b": {"c": 1}}, "a.b.c", "a.b.c"),
        ([{"c": "x"}, {"c": 1}], "a[].c", r"a\[1\].c"),
        ({"m": {"c": 1}}, "a{}.c", "a.m.c"),
        (["x", 1], "a[1]", r"a\[1\]"),
    ],
)
def test_places(value, path, place):
    with pytest.raises(FormatError, match=f"row 0: {place} is 1; expected a text"):
        check_fields(table(value), {path: "text"}, "f")


def test_what_is_missing_passes_unless_it_is_needed():
    check_fields(table({}, None, {"b": None}), {"a.b": "text", "c": "text"}, "f")
    with pytest.raises(FormatError, match=r"row 0: a\.b is missing; expected a text"):
        check_fields(table({}), {"a.b": "text"}, "f", are_needed=True)


def test_the_first_five_are_named():
    with pytest.raises(FormatError) as caught:
        check_fields(table(*range(9)), {"a": "text"}, "f")
    assert len(str(caught.value).splitlines()) == 5


def test_a_number_of_hundreds_of_digits_is_named_by_its_place(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text('{"length": 1, "score": 1}\n{"length": 1' + "0" * 400 + ', "score": 1}\n')
    with pytest.raises(FormatError, match=r"line 2: length is 100000000000\.\.\. \(401 digits\)"):
        read_trials(path)
