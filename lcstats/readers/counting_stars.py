"""Answers to Counting-Stars (nick7nlp/Counting-Stars, commit 32e16f2), JSONL, one file per run.

One prompt per length holds 32 sentences on how many stars a penguin counted, spread evenly: the
i-th of m is at depth i/m. A line is a trial, the score the share of the numbers of
``reference_counting_results`` that are in ``answer``, whose list is cut to m. Of the task with
corrected counts, which has ``wrong_counting_results`` too, a number counts one half where the wrong
one is listed as well and a quarter where only that is. ``context_size`` (``sky_size`` in older
files) is in words, or characters where it is Chinese; the length is what the suite's figures show,
in tokens: it over .82 (.815 with corrected counts), of Chinese over .725 (.72).

``answer`` is JSON such as ``{"little_penguin": [15, 117]}``, as an object, a text, or fenced; of
broken JSON the numbers of its list are taken, as the suite repairs it, and an answer without a list
is unscored. The name of the file is the language model's. Nobody guesses such answers.

Written from the code of the suite's figures, and checked on files made after it.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from lcstats.errors import Notice
from lcstats.options import LengthUnit
from lcstats.readers.fields import check_fields, require_fields
from lcstats.readers.formats import Format
from lcstats.readers.huge_numbers import read_digits
from lcstats.readers.json_records import frame_of
from lcstats.readers.picked import load_picked
from lcstats.readers.request import ReadRequest
from lcstats.readers.samples import Sample
from lcstats.trials import Knowledge, RawTable
from lcstats.trials.values import parse_number

_FIELDS = {"reference_counting_results", "answer"}
_SIZES = ("context_size", "sky_size")
_CHINESE = re.compile("[\u4e00-\u9fff]")
_LIST = re.compile(r"\[([^\[\]]*)\]?")
_NUMBER = re.compile(r"\d+")
_PER_TOKEN = {
    ("counting_stars", False): 0.82,
    ("counting_stars_corrected", False): 0.815,
    ("counting_stars", True): 0.725,
    ("counting_stars_corrected", True): 0.72,
}
"""Words, or characters of Chinese, per token, by which the suite's figures divide sizes."""

_COLUMNS = {
    "model": "file name",
    "task": "task",
    "case": "case",
    "length": "size in tokens",
    "score": "share of stars",
    "status": "outcome",
    "n_needles": "stars",
    "n_found": "stars found",
    "needle_depths": "places",
    "needle_found": "found",
    "output": "answer",
}
_NUMBERS = ("size", "reference_counting_results[]", "wrong_counting_results[]")


def _sniff(sample: Sample, columns: Mapping[str, str]) -> bool:
    has_size = any(name in sample.record for name in _SIZES)
    return has_size and sample.record.keys() >= _FIELDS


def _load(samples: Sequence[Sample], request: ReadRequest) -> list[RawTable]:
    first, *others = (_load_one(sample, request) for sample in samples)
    stems = sorted({sample.source.stem for sample in samples})
    names, taken = ", ".join(map(repr, stems[:5])), "was" if len(stems) == 1 else "were"
    notice = Notice(
        "model-from-file",
        f"files do not name the language model: {names} {taken} taken from their names; pass "
        "model_name='NAME' (--model-name NAME) to correct it",
    )
    return [replace(first, notices=(notice, *first.notices)), *others]


def _load_one(sample: Sample, request: ReadRequest) -> RawTable:
    table = load_picked(sample, request, _kept)
    require_fields(table, {"reference_counting_results"}, "counting_stars", list)
    require_fields(table, {"size"}, "counting_stars")
    check_fields(table, dict.fromkeys(_NUMBERS, "plain"), "counting_stars", are_needed=True)
    rows = [_row_of(record) for record in table.frame.to_dict("records")]
    units = {_unit_of(row) for row in rows}
    frame = frame_of(rows).assign(**{"file name": sample.source.stem})
    knowledge = Knowledge(
        _COLUMNS,
        aliases=False,
        depth_unit="fraction",
        score_scale="0-1",
        other_units={"case": units.pop()} if len(units) == 1 else {},
    )
    return replace(table, frame=frame, knowledge=knowledge)


def _kept(record: Mapping[Any, Any]) -> dict[str, Any]:
    """Return what is kept of a line: not the prompt."""
    names = ("reference_counting_results", "wrong_counting_results", "retrieval_question")
    size = next((record[name] for name in _SIZES if name in record), None)
    return {"size": size, "answer": record.get("answer"), **{n: record.get(n) for n in names}}


def _row_of(record: Mapping[Any, Any]) -> dict[str, Any]:
    right, wrong = record["reference_counting_results"], record["wrong_counting_results"]
    is_corrected = isinstance(wrong, list) and len(wrong) == len(right)
    answer = record["answer"]
    listed = read_counts(answer)
    marks = None if listed is None else _marks_of(listed, right, wrong if is_corrected else None)
    task = "counting_stars_corrected" if is_corrected else "counting_stars"
    size = parse_number(str(record["size"]))
    texts = f"{record['retrieval_question']}{answer}"
    is_chinese = _CHINESE.search(texts) is not None
    return {
        "task": f"{task}_zh" if is_chinese else task,
        "case": str(record["size"]),
        "size in tokens": None if size is None else round(size / _PER_TOKEN[task, is_chinese]),
        "share of stars": sum(marks) / len(right) if marks else None,
        "outcome": _outcome_of(answer, listed),
        "stars": len(right),
        "stars found": None if marks is None else sum(mark == 1 for mark in marks),
        "places": [(number + 1) / len(right) for number in range(len(right))],
        "found": None if marks is None else [int(mark == 1) for mark in marks],
        "answer": json.dumps(answer, ensure_ascii=False) if isinstance(answer, dict) else answer,
    }


def _unit_of(row: Mapping[str, Any]) -> LengthUnit:
    """Return what the size of a prompt, which names its case, counts."""
    return "characters" if row["task"].endswith("_zh") else "words"


def _outcome_of(answer: object, listed: object) -> str:
    if not isinstance(answer, (str, dict)):
        return "error"
    if answer == "":
        return "empty"
    return "unparsed" if listed is None else "ok"


def _marks_of(
    listed: Sequence[int], right: Sequence[int], wrong: Sequence[int] | None
) -> list[float]:
    """Return each star's mark, from 0 to 1."""
    given = set(listed[: len(right)])
    if wrong is None:
        return [float(number in given) for number in right]
    marks = {(True, False): 1.0, (True, True): 0.5, (False, True): 0.25}
    pairs = zip(right, wrong, strict=True)
    return [marks.get((good in given, bad in given), 0.0) for good, bad in pairs]


def read_counts(answer: object) -> list[int] | None:
    """Return the numbers that an answer lists; None if it has no list.

    Examples
    --------
    >>> read_counts({"little_penguin": [3, 9]}), read_counts('{"little_penguin": [3, 9')
    ([3, 9], [3, 9])
    >>> read_counts("I counted nothing.") is None
    True
    """
    if isinstance(answer, dict):
        listed = next((value for value in answer.values() if isinstance(value, list)), None)
        return (
            None if listed is None else [read_digits(n) for n in map(str, listed) if n.isdecimal()]
        )
    match = _LIST.search(answer) if isinstance(answer, str) else None
    return None if match is None else list(map(read_digits, _NUMBER.findall(match[1])))


COUNTING_STARS = Format(
    name="counting_stars",
    title="Counting-Stars, one JSONL file per run",
    carries="language model (the file's name), length in tokens as the suite's figures show it, "
    "share of stars as score, depths of all stars and which of them were found, answers without a "
    "list as unscored trials, output",
    lacks="tokens received, what kind of error it was, which of two numbers of a corrected star "
    "was found alone",
    checked="files made after the code of the suite's figures",
    shapes=("jsonl", "json"),
    sniff=_sniff,
    load=_load,
)
