"""Whole numbers of hundreds of digits: no table holds them, and a message names the first."""

from collections.abc import Iterator, Sequence

from lcstats.errors import FormatError, describe
from lcstats.readers.fields import is_huge
from lcstats.readers.json_records import load_json
from lcstats.readers.request import ReadRequest
from lcstats.readers.samples import Sample

MOST_DIGITS = 300
"""More than any answer, length or count has; Python refuses to read more than 4300."""


def read_digits(digits: str) -> int:
    """Read a run of digits, also one that a language model did not stop repeating.

    Of more than 300 only the first are read: that number is as wrong as the whole one.

    Examples
    --------
    >>> read_digits("-042"), len(str(read_digits("7" * 5000)))
    (-42, 300)
    """
    return int(digits[:MOST_DIGITS])


def of_huge_number(samples: Sequence[Sample], request: ReadRequest) -> FormatError:
    """Return the error for files with a number that is too large, or a list nested too deeply.

    Parameters
    ----------
    samples : sequence of Sample
        At least one; those of JSON are searched.
    request : ReadRequest
        What the call asked for.
    """
    found = next(_huge_numbers(samples, request), None)
    return FormatError(
        describe(
            found
            or f"{samples[0].name}: a number of hundreds of digits or a list nested thousands deep",
            "expected values that a table can hold",
            "mend what wrote it, or name another column with --map COLUMN=THEIRS",
        )
    )


def _huge_numbers(samples: Sequence[Sample], request: ReadRequest) -> Iterator[str]:
    for sample in samples:
        if sample.shape not in ("json", "jsonl"):
            continue
        table = load_json([sample], request)
        for row, record in enumerate(table.frame.to_dict("records")):
            for place, number in _whole_numbers(record):
                if is_huge(number):
                    shown = f"{str(number)[:12]}... ({len(str(number))} digits)"
                    yield f"{table.origin.place(row)}: {place} is {shown}"


def _whole_numbers(record: object) -> Iterator[tuple[str, int]]:
    """Yield every whole number in a record, and its place, without recursion."""
    waiting: list[tuple[str, object]] = [("", record)]
    while waiting:
        place, value = waiting.pop()
        if isinstance(value, dict):
            start = f"{place}." if place else ""
            waiting += [(f"{start}{key}", item) for key, item in value.items()]
        elif isinstance(value, list):
            waiting += [(f"{place}[{number}]", item) for number, item in enumerate(value)]
        elif isinstance(value, int):
            yield place, value
