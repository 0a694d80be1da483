"""The first look at a file: shape, columns and separator by content alone."""

import json

import pytest

from lcstats.errors import FormatError, OptionError
from lcstats.readers.encodings import codec_of, decode_text
from lcstats.readers.request import ReadRequest
from lcstats.readers.samples import look_at
from lcstats.readers.sources import SMALL, Source, find_sources

RECORD = {"length": 4096, "score": 1}


def sample(data, encoding=None):
    data = data.encode() if isinstance(data, str) else data
    return look_at(Source("a", "a", data), ReadRequest(encoding=encoding))


@pytest.mark.parametrize(
    ("text", "shape"),
    [
        ("length,score\n1,1\n", "csv"),
        (json.dumps(RECORD), "jsonl"),
        (json.dumps(RECORD) + "\n" + json.dumps(RECORD) + "\n", "jsonl"),
        (json.dumps(RECORD) * 2, "jsonl"),
        (json.dumps(RECORD, indent=2), "json"),
        (json.dumps([RECORD, RECORD]), "json"),
        ('[{"length": 4096, "score": 1}, {"len', "json"),
        ("", "empty"),
        (" \n\t\n", "empty"),
        ("[]", "empty"),
        ("Label: 7, Predict: it is 7, Parsed: 7, prompt length: 4800\n", "text"),
        ("Label: 7, Predict: it is 7, prompt length: 4800", "text"),
        ("Label: length, Predict: score\n1,1\n", "csv"),
        ("context length: tokens,depth: %,score: 0-1\n4096,0,1\n", "csv"),
        ("one column\n1\n", "unknown"),
        (b"\x89PNG\r\n\x1a\n\0\0", "unknown"),
        ("a,b\n".encode("utf-16-le"), "unknown"),
    ],
)
def test_shapes(text, shape):
    assert sample(text).shape == shape


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_separators(separator):
    found = sample(f"length{separator}depth{separator}score\n")
    assert (found.separator, found.columns) == (separator, ("length", "depth", "score"))


def test_first_records():
    assert sample(json.dumps([RECORD])).record == RECORD
    assert sample(json.dumps(RECORD) + "\n{").record == RECORD
    assert sample("[1, 2]").record == {}


def test_utf16_without_a_mark_is_read_when_it_is_named():
    assert sample("length,score\n".encode("utf-16-le"), "utf-16-le").columns == ("length", "score")


@pytest.mark.parametrize("opening", ["", "["])
def test_a_first_record_longer_than_the_look_is_found(tmp_path, opening):
    record = {"text": "x" * (SMALL + 1), **RECORD}
    closing = "]" if opening else "\n" + json.dumps(RECORD)
    (tmp_path / "a").write_text(opening + json.dumps(record) + closing)
    (source,) = find_sources(tmp_path / "a")
    assert look_at(source, ReadRequest()).columns == ("text", "length", "score")


@pytest.mark.parametrize(
    ("head", "encoding", "codec"),
    [
        (b"\xef\xbb\xbfa", None, "utf-8-sig"),
        (b"\xef\xbb\xbfa", "UTF-8", "utf-8-sig"),
        (b"\xff\xfea\0", None, "utf-16"),
        (b"\xfe\xff\0a", None, "utf-16"),
        (b"\xff\xfe\0\0", None, "utf-32"),
        (b"abc", None, "utf-8"),
        (b"abc", "cp1252", "cp1252"),
    ],
)
def test_codecs(head, encoding, codec):
    assert codec_of(head, encoding) == codec


def test_undecodable_bytes_are_named_with_their_offset():
    with pytest.raises(FormatError, match=r"byte 0xfc at offset 2 .*--encoding cp1252"):
        decode_text(b"ab\xfcc", "utf-8", name="a.csv")


def test_a_character_cut_off_at_the_end_is_left_out():
    assert decode_text("aü".encode()[:-1], "utf-8", name="a") == "a"


@pytest.mark.parametrize(
    ("options", "mend"),
    [({"decimal": ";"}, "--decimal ,"), ({"encoding": "klingon"}, "--encoding cp1252")],
)
def test_requests_are_checked(options, mend):
    with pytest.raises(OptionError, match=mend):
        ReadRequest(**options)
