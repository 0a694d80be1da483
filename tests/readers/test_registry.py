"""The registry: names are unique, no two formats claim a file, each says what it can carry."""

import itertools
import json

import pytest

from lcstats.errors import OptionError
from lcstats.readers import FORMATS, list_formats
from lcstats.readers.registry import find_format, get_format
from lcstats.readers.request import ReadRequest
from lcstats.readers.samples import look_at
from lcstats.readers.sources import Source

V1 = {"context_length": 1000, "depth_percent": 0, "score": 1, "needle": "n"}
LISTED = {"token_limit": 1000, "depth_percent": 0, "score": 1}
OWN = dict.fromkeys(("model", "task", "case", "repeat", "length", "depth", "score", "status"), 1)

SAMPLES = {
    "lcstats": [json.dumps(OWN), ",".join(OWN) + "\n"],
    "kamradt_v1": [json.dumps(V1), json.dumps(V1, indent=2)],
    "kamradt_list": [json.dumps([LISTED])],
    "counts": ["length,n,k\n", json.dumps([{"length": 1, "n": 2, "k": 1}])],
    "csv": ["Context Length;score\n", "model\ttoken limit\tcorrect\n"],
    "jsonl": [json.dumps(LISTED), json.dumps({"length": 1, "score": 1}) * 2],
    "json": [json.dumps([{"ctx_len": 1, "acc": 1}])],
}
CASES = [(name, text) for name, texts in SAMPLES.items() for text in texts]


def claims(text):
    sample = look_at(Source("a", "a", text.encode()), ReadRequest())
    return [format for format in FORMATS if format.claims(sample, {})], sample


@pytest.mark.parametrize(("name", "text"), CASES)
def test_every_sample_is_found(name, text):
    assert find_format(claims(text)[1], {}).name == name


@pytest.mark.parametrize(("name", "text"), CASES)
def test_no_two_formats_of_one_rank_claim_a_sample(name, text):
    claiming, _ = claims(text)
    by_rank = itertools.groupby(
        sorted(claiming, key=lambda format: format.is_generic), lambda format: format.is_generic
    )
    assert all(len(list(formats)) == 1 for _, formats in by_rank)


def test_every_format_but_parquet_has_a_sample():
    assert {format.name for format in FORMATS} - set(SAMPLES) == {"parquet"}


def test_a_file_of_something_else_is_not_claimed():
    assert claims("name,age\n")[0] == []
    assert claims('{"name": 1}')[0] == []


def test_names_are_unique_and_everything_is_said():
    names = [format.name for format in list_formats()]
    assert len(set(names)) == len(names)
    for format in list_formats():
        assert all(format.to_dict().values())
        assert set(format.to_dict()) == {"name", "title", "carries", "lacks", "checked"}


def test_an_unknown_format_suggests_one():
    with pytest.raises(OptionError, match=r"expected auto or one of .*--format kamradt_v1"):
        get_format("kamrad_v1")
