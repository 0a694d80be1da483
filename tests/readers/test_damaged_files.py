"""Values of another kind, in any field of any format: read all the same, or refused in words."""

import csv
import io
import json
import re
from pathlib import Path

import pytest

from lcstats.errors import LcstatsError
from lcstats.readers import FORMATS
from lcstats.readers.read import read_request
from lcstats.readers.request import ReadRequest
from lcstats.trials import TableOptions

WHOLE = Path(__file__).parent / "whole"
"""A small file of every format of JSON and CSV that has a reader of its own."""

FILES = sorted(path.relative_to(WHOLE) for path in WHOLE.rglob("*.*") if path.is_file())
GENERIC = {"csv", "json", "jsonl", "parquet"}
ELSEWHERE = {"longeval", "lighteval", "wide_heatmap", "litm_scores"}

OPTIONS = {
    **{
        name: {"score_threshold": 7}
        for name in ("kamradt_v1", "kamradt_list", "kamradt_rouge", "longalign", "inspect")
    },
    "inspect_frame": {"score_threshold": 7},
    "loft": {"filter_name": "em"},
    "longbench_v1": {"columns": {"length": "length"}},
}
N_DIGITS = 5000
"""More than Python turns into a number."""

LONGEVAL = Path("longeval/predictions/llama/200_response.txt")
WIDE = Path("wide_heatmap/means.csv")
TEXTS = {
    LONGEVAL: "".join(
        f"Label: {label}, Predict: it is {given}., Parsed: {given}, prompt length: 4803\n"
        for label, given in ((2416, 2416), (117, 9176))
    )
    + "Accuracy: 0.5\n",
    WIDE: "depth,4096,8192\n0,1.0,0.9\n100,0.6,0.35\n",
}
MISSING = object()
CHANGES = (
    *({}, [], None, True, "", 10**400, [[[1]]], "NaN", {"a": {"b": 1}}, 1.5, [None], "text"),
    MISSING,
)
"""What a value becomes; a cell of a CSV file becomes the text of it, and is never gone."""


def request_of(name):
    return ReadRequest(TableOptions(**OPTIONS.get(name, {})))


def places(value, place=()):
    """Yield where every value of a document is, of lists the first item alone."""
    if place:
        yield place
    for key, item in inner_of(value):
        yield from places(item, (*place, key))


def inner_of(value):
    if isinstance(value, dict):
        return value.items()
    return enumerate(value[:1]) if isinstance(value, list) else ()


def replaced(value, place, new):
    """Return a document with another value at a place, or without what is there."""
    if not place:
        return new
    key, *rest = place
    items = value.items() if isinstance(value, dict) else enumerate(value)
    pairs = [
        (k, replaced(item, rest, new) if k == key else item)
        for k, item in items
        if k != key or rest or new is not MISSING
    ]
    return dict(pairs) if isinstance(value, dict) else [item for _, item in pairs]


def parsed(path):
    """Return the document of a file, and what writes such a document."""
    text = path.read_text()
    if path.suffix == ".csv":
        return list(csv.DictReader(io.StringIO(text))), as_csv
    try:
        return json.loads(text), json.dumps
    except json.JSONDecodeError:
        lines = [json.loads(line) for line in text.strip().split("\n")]
        return lines, lambda lines: "".join(f"{json.dumps(line)}\n" for line in lines)


def as_csv(rows):
    written = io.StringIO()
    writer = csv.DictWriter(written, [*dict.fromkeys(name for row in rows for name in row)])
    writer.writeheader()
    writer.writerows(
        {k: v if isinstance(v, str) else json.dumps(v) for k, v in row.items()} for row in rows
    )
    return written.getvalue()


def damaged(path, n_per_place=None):
    """Yield what was done to a file, and the text that it becomes.

    Every change is made once, each elsewhere, or so many of them at every place.
    """
    document, write = parsed(path)
    is_csv = path.suffix == ".csv"
    spots = [place for place in places(document) if not is_csv or len(place) == 2]
    changes = CHANGES[:-1] if is_csv else CHANGES
    n = len(changes) if n_per_place is None else n_per_place * len(spots)
    for turn in range(n):
        place, new = spots[turn * len(spots) // n], changes[turn % len(changes)]
        what = "gone" if new is MISSING else str(new)[:30]
        yield f"{place}: {what}", write(replaced(document, place, new))


def outcome(path, content, name):
    """Read a text, or bytes, in place of a file; return an error that is none of the library's."""
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    try:
        read_request(path, request_of(name), name)
    except LcstatsError as error:
        return None if str(error).count(";") >= 2 else str(error)
    except Exception as error:
        return repr(error)
    return None


def faults_of(file, folder, n_per_place=None):
    """Read a file whole, and then with each damage; return what came of those that failed."""
    name = file.parts[0]
    path = folder / file
    path.parent.mkdir(parents=True)
    path.write_text((WHOLE / file).read_text())
    read_request(path, request_of(name), name)
    return {
        what: found
        for what, text in damaged(WHOLE / file, n_per_place)
        if (found := outcome(path, text, name)) is not None
    }


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("file", FILES, ids=str)
def test_damage_is_read_or_refused_in_words(tmp_path, file):
    assert faults_of(file, tmp_path) == {}


def damaged_bytes(content):
    """Yield what a file may become where disks and editors damage it."""
    half = len(content) // 2
    yield content[:half]
    yield content[:-9]
    yield content.split(b"\n")[0]
    yield content[:half] + b"\0\0" + content[half:]
    yield content[:half] + b"\xff" + content[half:]
    yield content.decode().encode("utf-16-le")
    yield content.replace(b"\n", b"\r")
    yield content + b"[" * 5000
    yield bytes(range(256))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("file", FILES, ids=str)
def test_damaged_bytes_are_read_or_refused_in_words(tmp_path, file):
    name, path = file.parts[0], tmp_path / file
    path.parent.mkdir(parents=True)
    found = [outcome(path, content, name) for content in damaged_bytes((WHOLE / file).read_bytes())]
    assert [fault for fault in found if fault is not None] == []


def endless_numbers(text, n_places):
    """Yield a text with a number that a language model never finished, each time elsewhere."""
    runs = list(re.finditer(r"[0-9]+", text))
    for run in runs[:: -(-len(runs) // n_places)]:
        yield text[: run.start()] + "7" * N_DIGITS + text[run.end() :]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("file", [*FILES, LONGEVAL, WIDE], ids=str)
def test_a_number_of_thousands_of_digits_is_read_or_refused_in_words(tmp_path, file):
    name, path = file.parts[0], tmp_path / file
    path.parent.mkdir(parents=True)
    text = TEXTS[file] if file in TEXTS else (WHOLE / file).read_text()
    found = [outcome(path, endless, name) for endless in endless_numbers(text, n_places=4)]
    assert [fault for fault in found if fault is not None] == []


def test_an_answer_that_never_stops_counting_is_a_wrong_one(tmp_path):
    path = tmp_path / LONGEVAL
    path.parent.mkdir(parents=True)
    path.write_text(TEXTS[LONGEVAL].replace("9176", "9" * N_DIGITS))
    assert read_request(path, request_of("longeval")).frame["score"].tolist() == [1.0, 0.0]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("file", FILES, ids=str)
def test_damage_at_every_place_is_read_or_refused_in_words(tmp_path, file):
    assert faults_of(file, tmp_path, n_per_place=3) == {}


def test_every_format_is_tried():
    tried = {file.parts[0] for file in FILES}
    known = {format.name for format in FORMATS}
    assert tried <= known
    assert known - tried - GENERIC - ELSEWHERE == set()
