"""Fields that a runner writes: rows that lack them, and values of another kind."""

import math
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any, Literal

import pandas as pd

from lcstats.errors import FormatError, describe
from lcstats.trials import RawTable
from lcstats.trials.wording import shown

FieldKind = Literal["plain", "text", "number", "mark", "share", "list", "object"]
"""``plain`` is anything but a list or an object, a ``mark`` true, false or a number, a ``share``
such a mark from 0 to 1."""

_N_SHOWN = 5
_STEP = re.compile(r"[^.\[\]{}]+|\[\d*\]|\{\}")
_ABSENT = object()
_EXPECTED: Mapping[FieldKind, str] = {
    "plain": "one value, no list or object",
    "text": "a text",
    "number": "a number",
    "mark": "true, false or a number",
    "share": "true, false or a number from 0 to 1",
    "list": "a list",
    "object": "an object",
}


def require_fields(
    table: RawTable, fields: Collection[str], format_name: str, kind: type | None = None
) -> None:
    """Refuse a table with a row that lacks one of a runner's fields.

    Parameters
    ----------
    table : RawTable
        What the files hold.
    fields : collection of str
        Fields that every row has to have.
    format_name : str
        The format's name, for the message.
    kind : type, optional
        What the values have to be; anything but missing without it.

    Raises
    ------
    FormatError
        If a row lacks a field; the first one is named.
    """
    for field in sorted(fields):
        if field not in table.frame:
            raise _lacking(table.origin.place(0) if len(table.frame) else "", field, format_name)
        column = table.frame[field]
        has_value = column.notna() if kind is None else column.map(lambda v: isinstance(v, kind))
        if not has_value.all():
            first = int((~has_value).to_numpy(dtype=bool).argmax())
            raise _lacking(table.origin.place(first), field, format_name)


def check_fields(
    table: RawTable,
    kinds: Mapping[str, FieldKind],
    format_name: str,
    *,
    are_needed: bool = False,
) -> None:
    """Refuse values of another kind than a runner writes, at any depth of its records.

    Parameters
    ----------
    table : RawTable
        What the files hold.
    kinds : mapping of str to str
        Paths to kinds. ``recipe.needles[].text`` is the ``text`` of every item of the list
        ``needles``, ``models{}.config`` that of every value of the object ``models``, ``pair[1]``
        the second item. A path ends where it meets a value of another kind: give that one's path
        too.
    format_name : str
        The format's name, for the message.
    are_needed : bool
        Refuse values that are missing, too; otherwise they pass.

    Raises
    ------
    FormatError
        If a value is of another kind; the first five are named.

    Examples
    --------
    >>> from lcstats.trials import Origin
    >>> table = RawTable(pd.DataFrame({"needle": [{"depth": {}}]}), Origin.of_frame(1, "a.json"))
    >>> check_fields(table, {"needle.depth": "number"}, "kamradt")
    Traceback (most recent call last):
    ...
    lcstats.errors.FormatError: a.json row 0: needle.depth is {}; expected a number, as the \
runner of kamradt writes; mend the value, remove its record, or name another file
    """
    faults: list[str] = []
    for path, kind in kinds.items():
        first, *steps = _STEP.findall(path)
        if first not in table.frame:
            continue
        column = table.frame[first]
        if not steps and pd.api.types.is_numeric_dtype(column) and kind in ("plain", "number"):
            continue
        for row, value in enumerate(column):
            for place, found in _values_at(value, steps, first):
                is_missing = found is _ABSENT or found is None or found != found
                if not (not are_needed if is_missing else _IS_KIND[kind](found)):
                    faults.append(_of_another_kind(table, row, place, found, kind, format_name))
            if len(faults) >= _N_SHOWN:
                raise FormatError("\n".join(faults[:_N_SHOWN]))
    if faults:
        raise FormatError("\n".join(faults))


def _values_at(value: Any, steps: list[str], place: str) -> Iterator[tuple[str, Any]]:
    """Yield every value that a path leads to, and its place in words."""
    if not steps:
        yield place, value
        return
    step, *rest = steps
    if step == "{}":
        for key in value if isinstance(value, dict) else ():
            yield from _values_at(value[key], rest, f"{place}.{key}")
    elif step == "[]":
        for number, item in enumerate(value if isinstance(value, list) else ()):
            yield from _values_at(item, rest, f"{place}[{number}]")
    elif step.startswith("["):
        if isinstance(value, list):
            number = int(step[1:-1])
            item = value[number] if number < len(value) else _ABSENT
            yield from _values_at(item, rest, place + step)
    elif isinstance(value, dict):
        yield from _values_at(value.get(step, _ABSENT), rest, f"{place}.{step}")


def _is_number(value: object) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return isinstance(value, float) or not is_huge(value)


def is_huge(value: int) -> bool:
    """Tell whether a whole number is too large for a table.

    Examples
    --------
    >>> is_huge(2**53), is_huge(10**400)
    (False, True)
    """
    return value.bit_length() > _MOST_BITS


_MOST_BITS = 1000
_IS_KIND: Mapping[FieldKind, Callable[[Any], bool]] = {
    "plain": lambda value: not isinstance(value, list | dict),
    "text": lambda value: isinstance(value, str),
    "number": lambda value: _is_number(value) and math.isfinite(value),
    "mark": lambda value: isinstance(value, bool) or _is_number(value),
    "share": lambda value: isinstance(value, bool) or (_is_number(value) and 0 <= value <= 1),
    "list": lambda value: isinstance(value, list),
    "object": lambda value: isinstance(value, dict),
}


def _of_another_kind(
    table: RawTable, row: int, place: str, value: object, kind: FieldKind, format_name: str
) -> str:
    return describe(
        f"{table.origin.place(row)}: {place} is {'missing' if value is _ABSENT else shown(value)}",
        f"expected {_EXPECTED[kind]}, as the runner of {format_name} writes",
        "mend the value, remove its record, or name another file",
    )


def _lacking(place: str, field: str, format_name: str) -> FormatError:
    return FormatError(
        describe(
            f"{place or 'the file'}: no usable field {field!r}",
            f"expected what the runner of {format_name} writes on every row",
            "remove the row, or leave out --format to have the format found",
        )
    )
