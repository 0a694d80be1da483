"""JSON lines of which little is kept: prompts of megabytes are let go line by line."""

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from lcstats.readers.json_records import frame_of, load_json
from lcstats.readers.request import ReadRequest
from lcstats.readers.samples import UNREADABLE, Sample
from lcstats.trials import Origin, Part, RawTable

Pick = Callable[[Mapping[Any, Any]], dict[str, Any]]
"""Takes from a record what is to be kept of it."""

_UTF8 = ("utf-8", "utf-8-sig")
_BUFFER = 1 << 20


def load_picked(sample: Sample, request: ReadRequest, pick: Pick) -> RawTable:
    """Load what `pick` keeps of every record of a JSON or JSONL file.

    Large files of one object per line are never in memory whole. Damaged ones are loaded as any
    other, for their lines to be mended or named.

    Parameters
    ----------
    sample : Sample
        A file of shape ``json`` or ``jsonl``.
    request : ReadRequest
        What the call asked for.
    pick : callable
        From record to row.

    Returns
    -------
    RawTable

    Raises
    ------
    FormatError
        If the file holds something that is not an object, or lines that cannot be read.
    """
    if sample.shape == "jsonl" and not sample.source.is_whole and sample.codec in _UTF8:
        try:
            return _load_lines(sample, pick)
        except UNREADABLE:
            pass
    table = load_json([sample], request)
    rows = [pick(record) for record in table.frame.to_dict("records")]
    return RawTable(frame_of(rows), table.origin, notices=table.notices)


def _load_lines(sample: Sample, pick: Pick) -> RawTable:
    rows, numbers = [], []
    for number, record in _records_of(sample):
        rows.append(pick(record))
        numbers.append(number)
    part = Part(sample.name, len(rows), "line", numbers.__getitem__)
    return RawTable(frame_of(rows), Origin((part,)))


def _records_of(sample: Sample) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the number and the object of every filled line; raise what a bad one raises."""
    with open(str(sample.source.path), "rb", buffering=_BUFFER) as file:
        for number, line in enumerate(file, 1):
            if line.isspace():
                continue
            record = json.loads(line)
            if isinstance(record, dict):
                yield number, record
            else:
                raise json.JSONDecodeError("no object", line.decode(), 0)
