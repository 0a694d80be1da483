"""A first look at a file: its shape, its columns and its first record, by content alone."""

import csv
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from lcstats.readers.encodings import (
    codec_of,
    decode_head,
    decode_text,
    escape_lone_surrogates,
)
from lcstats.readers.parquet_table import columns_of_parquet
from lcstats.readers.request import ReadRequest
from lcstats.readers.sources import Source

Shape = Literal["empty", "csv", "jsonl", "json", "parquet", "text", "unknown"]

TABLE_SHAPES: tuple[Shape, ...] = ("csv", "jsonl", "json", "parquet")
"""Shapes that hold a table."""

_SEPARATORS = (",", ";", "\t")
_PARQUET = b"PAR1"
_BLANK = "\ufeff \t\r\n"
_BLANK_BYTES = b"\xef\xbb\xbf \t\r\n"
_LABELLED = re.compile(r"[A-Z]\w*: .*, \w[\w ]*: -?\d+")
"""A line that tells its values one by one, and ends with a number: no header does."""

_DECODER = json.JSONDecoder()

UNREADABLE = (ValueError, RecursionError)
"""What parsing raises: bad JSON, numbers of thousands of digits, endless nesting."""


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """What a first look at a file showed.

    Attributes
    ----------
    source : Source
        The file.
    shape : {"empty", "csv", "jsonl", "json", "parquet", "text", "unknown"}
        ``jsonl`` is objects line by line, or one object on a line; ``json`` is a list, or one
        object over several lines; ``text`` is lines such as ``Label: 7, prompt length: 4800``.
    codec : str
        Codec of a text file.
    columns : tuple of str
        The header, or the keys of the first record.
    record : mapping
        The first record of a JSON file, empty otherwise.
    separator : str
        Separator of a CSV file.
    documents : list, optional
        Everything in a JSON file, where the look had to read it all.
    is_single : bool
        Whether the file is one JSON object.
    line : str
        The first line of a file of shape ``text``, empty otherwise.
    """

    source: Source
    shape: Shape
    codec: str = "utf-8"
    columns: tuple[str, ...] = ()
    record: Mapping[str, Any] = field(default_factory=dict)
    separator: str = ","
    documents: list[Any] | None = None
    is_single: bool = False
    line: str = ""

    @property
    def name(self) -> str:
        """The file's name in messages."""
        return self.source.name

    def text(self) -> str:
        """Return the whole text.

        Raises
        ------
        FormatError
            If the file is not in its encoding.
        """
        text = decode_text(self.source.content(), self.codec, name=self.name)
        return escape_lone_surrogates(text) if self.shape in ("json", "jsonl") else text


def look_at(source: Source, request: ReadRequest) -> Sample:
    """Look at the first bytes of a file.

    Parameters
    ----------
    source : Source
        The file.
    request : ReadRequest
        What the call asked for: ``encoding`` matters here.

    Returns
    -------
    Sample

    Raises
    ------
    FormatError
        If a JSON file is not in its encoding.

    Examples
    --------
    >>> source = Source("a", "a", b'{"length": 4096, "score": 1}')
    >>> look_at(source, ReadRequest()).shape
    'jsonl'
    """
    if source.data.startswith(_PARQUET):
        return Sample(source, "parquet", columns=columns_of_parquet(source))
    codec = codec_of(source.data, request.encoding)
    head = decode_head(source.data, codec).lstrip(_BLANK)
    if not head:
        return Sample(source, "empty", codec)
    if "\0" in head:
        return Sample(source, "unknown", codec)
    if head[0] in "{[":
        return _look_at_json(source, codec, head)
    return _look_at_lines(source, codec, head)


def _look_at_lines(source: Source, codec: str, head: str) -> Sample:
    line = re.split(r"[\r\n]", head, maxsplit=1)[0]
    if _LABELLED.fullmatch(line):
        return Sample(source, "text", codec, line=line)
    headers = {separator: split_line(line, separator) for separator in _SEPARATORS}
    separator = max(_SEPARATORS, key=lambda candidate: len(headers[candidate]))
    columns = headers[separator]
    if len(columns) < 2:
        return Sample(source, "unknown", codec)
    return Sample(source, "csv", codec, columns, separator=separator)


def split_line(line: str, separator: str) -> tuple[str, ...]:
    """Split one line of a CSV file.

    Examples
    --------
    >>> split_line('length,"a,b"', ",")
    ('length', 'a,b')
    """
    return tuple(next(csv.reader([line], delimiter=separator)))


def _look_at_json(source: Source, codec: str, head: str) -> Sample:
    if source.is_whole:
        text = decode_text(source.data, codec, name=source.name).strip(_BLANK)
        text = escape_lone_surrogates(text)
        try:
            document = json.loads(text)
        except UNREADABLE:
            return _look_at_first(source, codec, text)
        return _sample_of(source, codec, document, on_one_line="\n" not in text)
    sample = _look_at_first(source, codec, head)
    if not sample.record and head[0] == "{" and codec.startswith("utf-8"):
        sample = _look_at_line(source, codec)
    if sample.record:
        return sample
    whole = Source(source.name, source.given, source.content())
    return _look_at_json(whole, codec, head)


def _look_at_line(source: Source, codec: str) -> Sample:
    """Look at the first filled line of a file, which is longer than its beginning."""
    lines = (line for line in source.lines() if line.strip(_BLANK_BYTES))
    text = decode_text(next(lines, b""), codec, name=source.name).lstrip(_BLANK)
    is_alone = next(lines, None) is None
    return Sample(source, "jsonl", codec) if is_alone else _look_at_first(source, codec, text)


def _sample_of(source: Source, codec: str, document: Any, *, on_one_line: bool) -> Sample:
    if not document:
        return Sample(source, "empty", codec)
    if isinstance(document, list):
        first = document[0] if isinstance(document[0], dict) else {}
        return Sample(source, "json", codec, tuple(first), first, documents=document)
    shape: Shape = "jsonl" if on_one_line else "json"
    return Sample(
        source, shape, codec, tuple(document), document, documents=[document], is_single=True
    )


def _look_at_first(source: Source, codec: str, text: str) -> Sample:
    """Look at the first object of a text that is no single JSON document."""
    in_list = text.startswith("[")
    start = len(text) - len(text[in_list:].lstrip(_BLANK))
    try:
        first, _ = _DECODER.raw_decode(text, start)
    except UNREADABLE:
        first = {}
    record = first if isinstance(first, dict) else {}
    return Sample(source, "json" if in_list else "jsonl", codec, tuple(record), record)
