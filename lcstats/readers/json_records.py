"""Records of JSON and JSONL files, with their places; cut and glued lines are mended or named."""

import io
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from lcstats.errors import FormatError, Notice, describe
from lcstats.readers.encodings import decode_head
from lcstats.readers.request import ReadRequest
from lcstats.readers.samples import UNREADABLE, Sample
from lcstats.trials import Origin, Part, RawTable
from lcstats.trials.columns import kinds_of_columns
from lcstats.trials.wording import counted, listed

_N_SHOWN = 5
_DECODER = json.JSONDecoder()
_PAIRS = json.JSONDecoder(object_pairs_hook=list)
_NO_OBJECT = "not one JSON object"
_SKIP_MEND = "mend it, or pass skip_bad_lines=True (--skip-bad-lines) to leave it out and count it"

BLANK = " \t\r\n\ufeff"
"""What may be around an object on its line."""

_LONGEST = len("-Infinity")
"""Characters of the longest word of JSON that is neither a text nor a number."""

Record = dict[str, Any]
Pick = Callable[[Mapping[Any, Any]], Record]
"""Takes from a record what is to be kept of it."""


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
    _refuse_twin_fields(samples, request)
    loaded = [_load_one(sample, request) for sample in samples]
    return RawTable(
        frame_of([record for records in loaded for record in records.records]),
        Origin(tuple(records.part for records in loaded)),
        notices=tuple(notice for records in loaded for notice in records.notices),
    )


def _refuse_twin_fields(samples: Sequence[Sample], request: ReadRequest) -> None:
    """Refuse two fields of one name; what wrote them twice in a file did so in its first object."""
    for sample in samples[:1]:
        head = decode_head(sample.source.data, sample.codec).lstrip(BLANK + "[")
        try:
            pairs, _ = _PAIRS.raw_decode(head)
        except UNREADABLE:
            return
        counts = Counter(name for name, _ in pairs) if head.startswith("{") else Counter()
        kinds = kinds_of_columns(list(counts), request.table.columns)
        twins = [name for name, n in counts.items() if n > 1 and kinds[name] != "other"]
        if twins:
            raise FormatError(
                describe(
                    f"{sample.name}: its first object has several fields named "
                    f"{' and '.join(map(repr, twins))}",
                    "expected each name once",
                    "rename or remove all but one",
                )
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
    filled = [line for line in lines if line.strip(BLANK)]
    records = _load_clean_lines(filled)
    if records is None:
        _refuse_broken_document(text, filled, sample.name)
        end = "\n" if "\n" in text else "\r"
        return walk_lines(io.StringIO(text, newline=end), sample.name, request)
    if len(filled) == len(lines) or not any(map(str.strip, lines[len(filled) :])):
        return Records(records, Part(sample.name, len(records), "line"))
    numbers = [number for number, line in enumerate(lines, 1) if line.strip(BLANK)]
    return Records(records, Part(sample.name, len(records), "line", numbers.__getitem__))


def _load_clean_lines(lines: list[str]) -> list[Record] | None:
    """Parse lines of one object each in one go; None if they are not that."""
    try:
        records = json.loads(f"[{','.join(lines)}]")
    except UNREADABLE:
        return None
    is_clean = len(records) == len(lines) and set(map(type, records)) <= {dict}
    return records if is_clean else None


def _refuse_broken_document(text: str, filled: Sequence[str], name: str) -> None:
    """Refuse one object over several lines, or on the only one, that cannot be read.

    No line of it can be left out. The second line of such an object begins with a name, as no line
    of an object of its own does.
    """
    if len(filled) > 1 and not filled[1].lstrip().startswith('"'):
        return
    try:
        _DECODER.raw_decode(text, len(text) - len(text.lstrip(BLANK)))
    except json.JSONDecodeError as error:
        is_cut = error.msg.startswith("Unterminated") or error.pos >= len(text.rstrip()) - _LONGEST
        if is_cut or len(filled) > 1:
            raise _broken_document(error, is_cut, name) from None
    except UNREADABLE:
        return


def _broken_document(error: json.JSONDecodeError, is_cut: bool, name: str) -> FormatError:
    if not is_cut:
        return FormatError(
            describe(
                f"{name} is one JSON document, and line {error.lineno}, column {error.colno} of it "
                f"cannot be read: {error.msg.lower()}",
                "expected one JSON object",
                "mend it there, or write it again",
            )
        )
    last = error.doc.count("\n", 0, len(error.doc.rstrip())) + 1
    return FormatError(
        describe(
            f"{name} is one JSON document that ends early, at line {last}: it was cut off there",
            "expected a complete JSON object",
            "write it again; or, to read what is there, take out what follows its last complete "
            "item, and close the lists and objects that are open",
        )
    )


def walk_lines(
    lines: Iterable[str], name: str, request: ReadRequest, pick: Pick | None = None
) -> Records:
    """Parse line by line: split glued objects, drop a cut end, name bad lines.

    Parameters
    ----------
    lines : iterable of str
        The lines of a file with their ends; none is kept.
    name : str
        The file's name in messages.
    request : ReadRequest
        What the call asked for: ``skip_bad_lines`` matters here.
    pick : callable, optional
        From record to what is kept of it; all of it without.

    Returns
    -------
    Records

    Raises
    ------
    FormatError
        If lines cannot be read, the last one aside where it is cut.
    """
    records: list[Record] = []
    numbers: list[int] = []
    bad: dict[int, str] = {}
    held: _Parsed | None = None
    for number, line in enumerate(lines, 1):
        text = line.lstrip("\ufeff")
        if not text or text.isspace():
            continue
        if held is not None:
            bad[held.number] = held.fault
        parsed = _parse(text, number)
        held = parsed if parsed.fault else None
        if held is None:
            records += map(pick, parsed.records) if pick else parsed.records
            numbers += [number] * len(parsed.records)
    is_cut = held is not None and held.looks_cut
    if held is not None and is_cut:
        records += map(pick, held.records) if pick else held.records
        numbers += [held.number] * len(held.records)
    elif held is not None:
        bad[held.number] = held.fault
    if bad and not request.skip_bad_lines:
        raise _bad_lines(bad, name)
    cut = held.number if held is not None and is_cut else None
    part = Part(name, len(records), "line", numbers.__getitem__)
    return Records(records, part, tuple(_line_notices(name, list(bad), cut)))


@dataclass(frozen=True, slots=True)
class _Parsed:
    """The objects of a line, what is wrong with the rest, and whether it may be cut there."""

    number: int
    records: list[Record]
    fault: str = ""
    looks_cut: bool = False


def _parse(text: str, number: int) -> _Parsed:
    try:
        record = json.loads(text)
    except UNREADABLE:
        record = None
    if isinstance(record, dict):
        return _Parsed(number, [record])
    found, fault = _objects_of(text)
    looks_cut = fault == _NO_OBJECT and _looks_cut(text, not text.endswith(("\n", "\r")))
    return _Parsed(number, found, fault, looks_cut)


def _objects_of(line: str) -> tuple[list[Record], str]:
    """Return the objects of a line, and what is wrong with the rest of it, if anything."""
    found: list[Record] = []
    text = line.strip(BLANK)
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


def _bad_lines(bad: dict[int, str], name: str) -> FormatError:
    lines = [
        describe(f"{name} line {number}: {fault}", "expected one JSON object", _SKIP_MEND)
        for number, fault in list(bad.items())[:_N_SHOWN]
    ]
    n_more = len(bad) - len(lines)
    return FormatError("\n".join(lines + [f"and {n_more} more lines"] * bool(n_more)))


def _line_notices(name: str, bad: list[int], cut: int | None) -> Iterator[Notice]:
    if bad:
        yield Notice(
            "bad-lines", f"{name}: {counted(len(bad), 'bad line')} left out (line {listed(bad)})"
        )
    if cut is not None:
        yield Notice(
            "cut-line",
            f"{name}: line {cut} is incomplete and was left out; the run was cut off there",
        )
