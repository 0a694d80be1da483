"""JSON lines of which little is kept: same rows and messages as files that are read whole."""

import json

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
