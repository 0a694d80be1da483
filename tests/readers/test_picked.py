"""JSON lines of which little is kept: same rows and messages as files that are read whole."""

import gzip
import json
import random
import tracemalloc

import pyarrow as pa
import pytest

from lcstats.errors import FormatError
from lcstats.readers.picked import load_picked
from lcstats.readers.request import ReadRequest
from lcstats.readers.samples import look_at
from lcstats.readers.sources import SMALL, find_sources


def keep_id(record):
    return {"id": record["id"]}


def lines(n):
    return [json.dumps({"id": number, "prompt": "x" * 2000}) for number in range(n)]


def load(tmp_path, text, **options):
    path = tmp_path / "rows.jsonl"
    path.write_bytes(text.encode())
    request = ReadRequest(**options)
    return load_picked(look_at(find_sources(path)[0], request), request, keep_id)


@pytest.mark.parametrize("n", [3, 1 + SMALL // 2000])
def test_rows_and_places(tmp_path, n):
    table = load(tmp_path, "\ufeff" + lines(1)[0] + "\r\n\r\n" + "\n".join(lines(n)[1:]) + "\n")
    assert table.frame["id"].tolist() == list(range(n))
    assert list(table.frame) == ["id"]
    assert table.origin.place(1) == "rows.jsonl line 3"


@pytest.mark.parametrize("bad", ["{oops", "[1]", "7"])
@pytest.mark.parametrize("n", [3, 1 + SMALL // 2000])
def test_bad_lines_are_named_or_left_out(tmp_path, bad, n):
    text = "\n".join([*lines(n), bad, lines(1)[0]]) + "\n"
    with pytest.raises(FormatError, match=rf"rows\.jsonl line {n + 1}: .*--skip-bad-lines"):
        load(tmp_path, text)
    table = load(tmp_path, text, skip_bad_lines=True)
    assert len(table.frame) == n + 1
    assert table.notices[0].code == "bad-lines"


MANY = 1 + SMALL // 2000


def packed(tmp_path, kind, data):
    path = tmp_path / f"rows.jsonl.{kind}"
    if kind == "gz":
        path.write_bytes(gzip.compress(data))
    else:
        with pa.OSFile(str(path), "wb") as file, pa.CompressedOutputStream(file, "zstd") as stream:
            stream.write(data)
    return path


@pytest.mark.parametrize("kind", ["gz", "zst"])
def test_packed_files_are_read_line_by_line(tmp_path, kind):
    path = packed(tmp_path, kind, "\n".join(lines(MANY)).encode() + b'\n{"id": 7, "pro')
    (source,) = find_sources(path)
    assert not source.is_whole
    assert len(source.data) == SMALL
    table = load_picked(look_at(source, ReadRequest()), ReadRequest(), keep_id)
    assert table.frame["id"].tolist() == list(range(MANY))
    assert [notice.code for notice in table.notices] == ["cut-line"]


@pytest.mark.parametrize("ending", ["", '\n{"id": 7, "prompt": "' + "x" * 5000])
@pytest.mark.parametrize("is_packed", [False, True])
def test_large_files_are_never_in_memory_whole(tmp_path, ending, is_packed):
    data = ("\n".join(lines(20 * MANY)) + ending).encode()
    path = packed(tmp_path, "gz", data) if is_packed else tmp_path / "rows.jsonl"
    if not is_packed:
        path.write_bytes(data)
    tracemalloc.start()
    try:
        sample = look_at(find_sources(path)[0], ReadRequest())
        table = load_picked(sample, ReadRequest(), keep_id)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert len(table.frame) == 20 * MANY
    assert peak < len(data) / 2


def test_a_packed_file_that_is_cut_is_refused(tmp_path):
    rows = [json.dumps({"id": n, "noise": random.Random(n).random()}) for n in range(60_000)]
    path = packed(tmp_path, "gz", "\n".join(rows).encode())
    path.write_bytes(path.read_bytes()[:-9])
    sample = look_at(find_sources(path)[0], ReadRequest())
    with pytest.raises(FormatError, match=r"cannot be decompressed: .*copy it again"):
        load_picked(sample, ReadRequest(), keep_id)


def test_lines_longer_than_the_first_look(tmp_path):
    text = "".join(json.dumps({"id": n, "prompt": "x" * SMALL}) + "\n" for n in range(3))
    path = tmp_path / "rows.jsonl"
    path.write_text(text)
    sample = look_at(find_sources(path)[0], ReadRequest())
    assert (sample.shape, sample.columns, sample.source.is_whole) == (
        "jsonl",
        ("id", "prompt"),
        False,
    )
    assert load_picked(sample, ReadRequest(), keep_id).frame["id"].tolist() == [0, 1, 2]


def test_a_long_line_alone_is_one_object(tmp_path):
    path = tmp_path / "run.json"
    path.write_text(json.dumps({"id": 0, "prompt": "x" * SMALL}) + "\n")
    sample = look_at(find_sources(path)[0], ReadRequest())
    assert (sample.is_single, sample.source.is_whole) == (True, True)


def test_bytes_that_are_no_text_are_named(tmp_path):
    data = "\n".join(lines(MANY)).encode() + b'\n{"id": "\xff"}\n'
    path = tmp_path / "rows.jsonl"
    path.write_bytes(data)
    sample = look_at(find_sources(path)[0], ReadRequest())
    place = data.index(b"\xff")
    with pytest.raises(FormatError, match=rf"byte 0xff at offset {place} is not utf-8.*--encoding"):
        load_picked(sample, ReadRequest(), keep_id)
