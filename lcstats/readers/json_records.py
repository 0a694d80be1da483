"""Records of JSON and JSONL files, with their places; cut and glued lines are mended or named."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from lcstats.errors import FormatError, Notice, describe
from lcstats.readers.request import ReadRequest
from lcstats.readers.samples import UNREADABLE, Sample
from lcstats.trials import Origin, Part, RawTable
from lcstats.trials.wording import counted

_N_SHOWN = 5
_DECODER = json.JSONDecoder()
_NO_OBJECT = "not one JSON object"
_SKIP_MEND = "mend it, or pass skip_bad_lines=True (--skip-bad-lines) to leave it out and count it"

Record = dict[str, Any]


@dataclass(frozen=True, slots=True, eq=False)
class Records:
    """Records of one file.

    Attributes
    ----------
    records : list of dict
        The records, in their order.
    part : Part
        Where they came from.
    notices : tuple of Notice
        Lines that were left out.
    """

    records: list[Record]
    part: Part
    notices: tuple[Notice, ...] = ()


def load_json(samples: Sequence[Sample], request: ReadRequest) -> RawTable:
    """Load JSON or JSONL files into one table.

    Parameters
    ----------
    samples : sequence of Sample
        Files of shape ``json`` or ``jsonl``.
    request : ReadRequest
        What the call asked for: ``skip_bad_lines`` matters here.

    Returns
    -------
    RawTable

    Raises
    ------
    FormatError
        If a file holds something that is not an object, or lines that cannot be read.
    """
    loaded = [_load_one(sample, request) for sample in samples]
    return RawTable(
        frame_of([record for records in loaded for record in records.records]),
        Origin(tuple(records.part for records in loaded)),
        notices=tuple(notice for records in loaded for notice in records.notices),
    )


def frame_of(records: list[Record]) -> pd.DataFrame:
    """Return records as a table; mixed columns keep their values as they are.

    Examples
    --------
    >>> frame_of([{"id": 7, "score": True}, {"id": "a", "score": None}]).values.tolist()
    [[7, True], ['a', None]]
    """
    return pd.DataFrame(records, dtype=object).infer_objects()


def _load_one(sample: Sample, request: ReadRequest) -> Records:
    if sample.documents is None:
        return _load_lines(sample, request) if sample.shape == "jsonl" else _load_list(sample)
    _refuse_non_objects(sample.documents, sample)
    unit = "" if sample.is_single else "item"
    return Records(sample.documents, Part(sample.name, len(sample.documents), unit))


def _load_list(sample: Sample) -> Records:
    text = sample.text()
    try:
        documents = json.loads(text)
    except json.JSONDecodeError as error:
        raise FormatError(
            describe(
                f"{sample.name} is not JSON: {error.msg} at line {error.lineno}, "
                f"column {error.colno}",
                "expected a complete list of objects",
                "if the run was cut off, close the list after its last complete object",
            )
        ) from None
    except UNREADABLE as error:
        raise FormatError(
            describe(
                f"{sample.name}: {_fault_of(error)}",
                "expected a list of objects with the fields of a trial",
                "mend what wrote it, or name another file",
            )
        ) from None
    _refuse_non_objects(documents, sample)
    return Records(documents, Part(sample.name, len(documents), "item"))


def _refuse_non_objects(documents: list[Any], sample: Sample) -> None:
    if set(map(type, documents)) <= {dict}:
        return
    number = next(i for i, item in enumerate(documents, 1) if not isinstance(item, dict))
    raise FormatError(
        describe(
            f"{sample.name} item {number} is {json.dumps(documents[number - 1])[:40]}",
            "expected an object with the fields of a trial",
            "remove it, or name another file",
        )
    )


def _load_lines(sample: Sample, request: ReadRequest) -> Records:
    text = sample.text()
    lines = text.split("\n" if "\n" in text else "\r")
    filled = [line for line in lines if line.strip(" \t\r\ufeff")]
    records = _load_clean_lines(filled)
    if records is None:
        return _load_damaged_lines(lines, sample, request)
    if len(filled) == len(lines) or not any(map(str.strip, lines[len(filled) :])):
        return Records(records, Part(sample.name, len(records), "line"))
    numbers = [number for number, line in enumerate(lines, 1) if line.strip(" \t\r\ufeff")]
    return Records(records, Part(sample.name, len(records), "line", numbers.__getitem__))


def _load_clean_lines(lines: list[str]) -> list[Record] | None:
    """Parse lines of one object each in one go; None if they are not that."""
    try:
        records = json.loads(f"[{','.join(lines)}]")
    except UNREADABLE:
        return None
    is_clean = len(records) == len(lines) and set(map(type, records)) <= {dict}
    return records if is_clean else None


def _load_damaged_lines(lines: list[str], sample: Sample, request: ReadRequest) -> Records:
    """Parse line by line: split glued objects, drop a cut end, name bad lines."""
    records: list[Record] = []
    numbers: list[int] = []
    bad: dict[int, str] = {}
    last = max((i for i, line in enumerate(lines, 1) if line.strip()), default=0)
    cut: int | None = None
    for number, line in enumerate(lines, 1):
        found, fault = _objects_of(line)
        may_be_cut = fault == _NO_OBJECT and number == last
        if not fault or (may_be_cut and _looks_cut(line, number == len(lines))):
            records += found
            numbers += [number] * len(found)
            cut = number if fault else cut
        else:
            bad[number] = fault
    if bad and not request.skip_bad_lines:
        raise _bad_lines(bad, sample)
    notices = tuple(_line_notices(sample.name, list(bad), cut))
    part = Part(sample.name, len(records), "line", numbers.__getitem__)
    return Records(records, part, notices)


def _objects_of(line: str) -> tuple[list[Record], str]:
    """Return the objects of a line, and what is wrong with the rest of it, if anything."""
    found: list[Record] = []
    text = line.strip(" \t\r\ufeff")
    while text:
        try:
            item, end = _DECODER.raw_decode(text)
        except UNREADABLE as error:
            return found, _fault_of(error)
        if not isinstance(item, dict):
            return found, _NO_OBJECT
        found.append(item)
        text = text[end:].lstrip(" \t,")
    return found, ""


def _fault_of(error: Exception) -> str:
    """Say why a text cannot be parsed."""
    if isinstance(error, json.JSONDecodeError):
        return _NO_OBJECT
    if isinstance(error, RecursionError):
        return "nested too deeply to be read"
    return "a number of too many digits to be read"


def _looks_cut(line: str, is_unterminated: bool) -> bool:
    text = line.strip()
    return text.startswith("{") and (is_unterminated or not text.endswith("}"))


def _bad_lines(bad: dict[int, str], sample: Sample) -> FormatError:
    lines = [
        describe(f"{sample.name} line {number}: {fault}", "expected one JSON object", _SKIP_MEND)
        for number, fault in list(bad.items())[:_N_SHOWN]
    ]
    n_more = len(bad) - len(lines)
    return FormatError("\n".join(lines + [f"and {n_more} more lines"] * bool(n_more)))


def _line_notices(name: str, bad: list[int], cut: int | None) -> Iterator[Notice]:
    if bad:
        shown = ", ".join(map(str, bad[:_N_SHOWN])) + (", ..." if len(bad) > _N_SHOWN else "")
        yield Notice(
            "bad-lines", f"{name}: {counted(len(bad), 'bad line')} left out (line {shown})"
        )
    if cut is not None:
        yield Notice(
            "cut-line",
            f"{name}: line {cut} is incomplete and was left out; the run was cut off there",
        )
