"""CSV files as tables: ids and words keep their text, numbers their value, rows their line."""

import csv
import io
import re
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from lcstats.errors import FormatError, Notice, describe
from lcstats.readers.encodings import decode_text
from lcstats.readers.request import ReadRequest
from lcstats.readers.samples import Sample, split_line
from lcstats.trials import Origin, Part, RawTable
from lcstats.trials.columns import ColumnKind, kinds_of_columns
from lcstats.trials.wording import counted

_CHUNK = 1 << 18
_TAIL = 1 << 16
_N_SHOWN = 5
_BEFORE_FIELDS = np.frombuffer(bytes(range(ord(" ") + 1)) + b'+,-";', dtype=np.uint8)
"""What a number may follow at once: a separator, a quote, a sign, the end of a line."""

_PANDAS = tuple(int(part) for part in pd.__version__.split(".")[:2])
_EXACT_FLOATS: dict[str, Any] = {} if _PANDAS >= (3, 1) else {"float_precision": "round_trip"}
"""From pandas 3.1 on, floats are read exactly without being asked."""

_TYPES: Mapping[ColumnKind, str] = {"label": "category", "text": "str"}
_MISSING_SPELLINGS = (
    *("", "NaN", "nan", "NAN", "NA", "na", "N/A", "n/a", "<NA>", "NULL", "null", "Null"),
    *("None", "none", "NONE"),
)


def load_csv(sample: Sample, request: ReadRequest) -> RawTable:
    """Load a CSV file.

    Parameters
    ----------
    sample : Sample
        A file of shape ``csv``.
    request : ReadRequest
        What the call asked for: ``columns``, ``decimal`` and ``skip_bad_lines`` matter here.

    Returns
    -------
    RawTable

    Raises
    ------
    FormatError
        If the file is not in its encoding, a column has two headers, or lines have more
        fields than the header.
    """
    kinds = kinds_of_columns(sample.columns, request.table.columns)
    _refuse_twin_headers(sample, kinds)
    frame, n_bad = _read_frame(sample, request, kinds)
    notices = []
    if n_bad:
        notices.append(Notice("bad-lines", f"{sample.name}: {counted(n_bad, 'bad line')} left out"))
    if _last_line_is_cut(sample, frame):
        frame = frame.iloc[:-1]
        message = "the last line is incomplete and was left out; the run was cut off there"
        notices.append(Notice("cut-line", f"{sample.name}: {message}"))
    finder = _line_finder(sample, skips_long=request.skip_bad_lines)
    part = Part(sample.name, len(frame), "line", finder)
    return RawTable(frame, Origin((part,)), notices=tuple(notices))


def _refuse_twin_headers(sample: Sample, kinds: Mapping[str, ColumnKind]) -> None:
    twins = [name for name, n in Counter(sample.columns).items() if n > 1]
    known = [name for name in twins if kinds[name] != "other"]
    if known:
        raise FormatError(
            describe(
                f"{sample.name} has several columns named {' and '.join(map(repr, known))}",
                "expected each name once",
                "rename or remove all but one",
            )
        )


def _read_frame(
    sample: Sample, request: ReadRequest, kinds: Mapping[str, ColumnKind]
) -> tuple[pd.DataFrame, int]:
    """Read the table; ids and labels may become whole numbers where that loses nothing.

    Reading every id as text takes several times as long.
    """
    types = {name: _TYPES[kind] for name, kind in kinds.items() if kind in _TYPES}
    if request.decimal == ",":
        types |= {name: "str" for name, kind in kinds.items() if kind == "number"}
    words = [name for name, kind in kinds.items() if kind in ("id", "label")]
    if words and _has_padded_numbers(sample):
        types |= dict.fromkeys(words, "str")
    frame, n_bad = _parse(sample, request, kinds, types)
    lossy = [name for name in words if name in frame and not _keeps_text(frame[name])]
    if lossy:
        frame, n_bad = _parse(sample, request, kinds, types | dict.fromkeys(lossy, "str"))
    return frame, n_bad


def _keeps_text(words: pd.Series) -> bool:
    """Tell whether each word can still be written as the file writes it."""
    values = words.cat.categories if isinstance(words.dtype, pd.CategoricalDtype) else words
    if pd.api.types.is_integer_dtype(values.dtype):
        return True
    return pd.api.types.infer_dtype(values, skipna=True) in ("string", "empty")


def _parse(
    sample: Sample,
    request: ReadRequest,
    kinds: Mapping[str, ColumnKind],
    types: Mapping[str, str],
) -> tuple[pd.DataFrame, int]:
    """Return the table, and how many lines were left out."""
    missing = {
        name: list(_MISSING_SPELLINGS) if kind == "number" else [""] for name, kind in kinds.items()
    }
    source = sample.source

    def read(handle: str | io.BytesIO) -> pd.DataFrame:
        frame: pd.DataFrame = pd.read_csv(
            handle,
            sep=sample.separator,
            dtype=dict(types),
            na_values=missing,
            keep_default_na=False,
            encoding=sample.codec,
            on_bad_lines="warn" if request.skip_bad_lines else "error",
            **_EXACT_FLOATS,
        )
        return frame

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            frame = read(source.path or io.BytesIO(source.data))
        except UnicodeDecodeError:
            text = decode_text(source.content(), sample.codec, name=sample.name)
            frame = read(io.BytesIO(text.encode(sample.codec)))
        except pd.errors.ParserError as error:
            raise _unparsable(sample, error) from None
    _refuse_short_header(frame, sample)
    said = [str(warning.message) for warning in caught]
    return frame, sum(message.count("Skipping line") for message in said)


def _unparsable(sample: Sample, error: Exception) -> FormatError:
    lines = list(_long_lines(sample))
    if not lines:
        reason = str(error).removeprefix("Error tokenizing data. C error: ").strip()
        return FormatError(
            describe(
                f"{sample.name} cannot be split into fields: {reason}",
                "expected a table with a header",
                "look for a quote that is not closed",
            )
        )
    n_fields = len(sample.columns)
    messages = [
        describe(
            f"{sample.name} line {number}: {n} fields",
            f"expected {n_fields}, as in the header",
            "quote the field that holds the separator, or pass skip_bad_lines=True "
            "(--skip-bad-lines) to leave such lines out and count them",
        )
        for number, n in lines[:_N_SHOWN]
    ]
    n_more = len(lines) - len(messages)
    return FormatError("\n".join(messages + [f"and {n_more} more lines"] * bool(n_more)))


def _refuse_short_header(frame: pd.DataFrame, sample: Sample) -> None:
    """Refuse rows with more fields than the header, which pandas takes as an index."""
    if not frame.index.equals(pd.RangeIndex(len(frame))):
        raise FormatError(
            describe(
                f"{sample.name}: rows have more fields than the header ({len(sample.columns)})",
                "expected a name for every column",
                "name the first column, or remove separators at the ends of lines",
            )
        )


def _fields(sample: Sample) -> Iterator[tuple[int, list[str]]]:
    """Yield every filled line below the header: its number, where it starts, and its fields."""
    text = sample.text()
    limit = csv.field_size_limit(len(text) + 1)
    try:
        reader = csv.reader(io.StringIO(text, newline=""), delimiter=sample.separator)
        start, is_header = 1, True
        for fields in reader:
            if not is_header and not _is_blank(fields):
                yield start, fields
            is_header = is_header and _is_blank(fields)
            start = reader.line_num + 1
    finally:
        csv.field_size_limit(limit)


def _is_blank(fields: list[str]) -> bool:
    """Tell whether pandas skips a line: it is empty or holds blanks, but no quotes."""
    return not fields or (len(fields) == 1 and fields[0].isspace())


def _long_lines(sample: Sample) -> Iterator[tuple[int, int]]:
    for number, fields in _fields(sample):
        if len(fields) > len(sample.columns):
            yield number, len(fields)


def _line_finder(sample: Sample, *, skips_long: bool) -> Callable[[int], int]:
    """Return what finds the line of a row; the file is only read again when it is asked."""

    @cache
    def starts() -> list[int]:
        return [
            number
            for number, fields in _fields(sample)
            if not (skips_long and len(fields) > len(sample.columns))
        ]

    return lambda row: starts()[row]


def _last_line_is_cut(sample: Sample, frame: pd.DataFrame) -> bool:
    """Tell whether the file ends within a line that lacks fields.

    The last line of a quoted field has few separators too, but then the last column is filled.
    """
    tail = sample.source.tail(_TAIL).decode(sample.codec, errors="replace")
    if frame.empty or not tail or tail[-1] in "\r\n" or frame.iloc[-1].notna().iloc[-1]:
        return False
    last = re.split(r"[\r\n]", tail)[-1]
    return bool(last.strip()) and len(split_line(last, sample.separator)) < len(sample.columns)


def _has_padded_numbers(sample: Sample) -> bool:
    """Tell whether a field anywhere starts with a zero or a plus that a number would lose."""
    if not sample.codec.startswith("utf-8"):
        return True
    source = sample.source
    content: NDArray[np.uint8] = (
        np.memmap(source.path, dtype=np.uint8, mode="r").view(np.ndarray)
        if source.path
        else np.frombuffer(source.data, dtype=np.uint8)
    )
    chunks = range(0, content.size, _CHUNK)
    return any(_pads_a_number(content[start : start + _CHUNK + 2]) for start in chunks)


def _pads_a_number(content: NDArray[np.uint8]) -> bool:
    before, first, second = content[:-2], content[1:-1], content[2:]
    # Differences of bytes wrap, so that one comparison tests a range.
    is_padded = second - np.uint8(ord("0")) < 10
    is_padded &= (first == ord("0")) | (first == ord("+"))
    is_padded &= (before < ord(".")) | (before == ord(";"))
    return bool(is_padded.any() and np.isin(before[is_padded], _BEFORE_FIELDS).any())
