"""Results of THUDM's LongBench v2 (commit 2e00731): JSON lines, questions with four choices.

``results/MODEL.jsonl`` has a row per question that was answered: ``_id`` (the case), ``length``,
which is a word and no number, ``pred`` (A to D, or null where no choice was found in the response)
and ``judge``, right or wrong. The length here is the upper end of the class in words: short 32000,
medium 128000, long 2000000. So lengths are in order, and how far apart texts of a class are is not
known. Language model and way of prompting are in the file's name: ``MODEL_cot``,
``MODEL_no_context`` and ``MODEL_rag_8`` are the tasks ``longbench_v2_cot`` and so on of MODEL.

The guess rate is 1/4. Responses without a choice are wrong, as the suite has it. A request that
failed, mostly because the text was too long, leaves no row: what is missing depends on length, and
a notice says how many of the suite's 503 questions (180 short, 215 medium, 108 long) are there.

Checked on published results of Llama 3.1 8B Instruct (284 rows).
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pandas as pd

from lcstats.errors import FormatError, Notice, UnscoredWarning, describe
from lcstats.readers.fields import require_fields
from lcstats.readers.formats import Format
from lcstats.readers.picked import load_picked
from lcstats.readers.request import ReadRequest
from lcstats.readers.samples import Sample
from lcstats.trials import Knowledge, RawTable
from lcstats.trials.wording import counted

GUESS_RATE = 0.25

_FIELDS = {"_id", "difficulty", "length", "choice_A", "answer", "pred", "judge"}
_KEPT = (
    *("_id", "domain", "sub_domain", "difficulty", "length"),
    *("answer", "response", "pred", "judge", "truncated"),
)
_WORDS = {"short": 32_000, "medium": 128_000, "long": 2_000_000}
_QUESTIONS = {"short": 180, "medium": 215, "long": 108}
_VARIANT = re.compile(r"(?P<model>.+?)_(?P<variant>cot|no_context|rag_\d+)")
_NAME, _CLASS_END = "name of the file", "end of length class"
_COLUMNS = {
    "model": _NAME,
    "task": "task",
    "case": "_id",
    "length": _CLASS_END,
    "score": "judge",
    "status": "what became of it",
    "guess_rate": "guess rate",
    "output": "response",
}


def _sniff(sample: Sample, columns: Mapping[str, str]) -> bool:
    return sample.record.keys() >= _FIELDS


def _load(samples: Sequence[Sample], request: ReadRequest) -> list[RawTable]:
    return [_load_one(sample, request) for sample in samples]


def _load_one(sample: Sample, request: ReadRequest) -> RawTable:
    table = load_picked(sample, request, _pick)
    require_fields(table, {"_id", "length", "judge"}, "longbench_v2")
    frame = table.frame
    _refuse_other_lengths(table)
    match = _VARIANT.fullmatch(sample.source.stem)
    preds = frame["pred"] if "pred" in frame else pd.Series(None, frame.index, dtype=object)
    responses = frame.get("response", preds)
    added: dict[str, Any] = {
        _NAME: match["model"] if match else sample.source.stem,
        "task": f"longbench_v2_{match['variant']}" if match else "longbench_v2",
        _CLASS_END: frame["length"].map(_WORDS),
        "response": responses,
        "what became of it": responses.isna().map({True: "error", False: "ok"}),
        "guess rate": GUESS_RATE,
    }
    return replace(
        table,
        frame=frame.assign(**added),
        knowledge=Knowledge(_COLUMNS, aliases=False, score_scale="0-1", length_unit="words"),
        notices=(*table.notices, *_answer_notices(sample, preds), *_missing_notices(sample, frame)),
    )


def _pick(record: Mapping[Any, Any]) -> dict[str, Any]:
    return {name: record[name] for name in _KEPT if name in record}


def _refuse_other_lengths(table: RawTable) -> None:
    known = table.frame["length"].isin(_WORDS)
    if known.all():
        return
    first = int((~known).to_numpy(dtype=bool).argmax())
    raise FormatError(
        describe(
            f"{table.origin.place(first)}: length is {table.frame['length'].iloc[first]!r}",
            f"expected {', '.join(_WORDS)}, the classes of LongBench v2",
            "mend the word, or leave out --format to have the format found",
        )
    )


def _answer_notices(sample: Sample, preds: pd.Series) -> tuple[Notice, ...]:
    n_without = int(preds.isna().sum())
    if not n_without:
        return ()
    message = (
        f"{counted(n_without, 'response')} without a choice (A to D), wrong as the suite has it"
    )
    return (Notice("no-choice", f"{sample.name}: {message}"),)


def _missing_notices(sample: Sample, frame: pd.DataFrame) -> tuple[Notice, ...]:
    """Say how many of the suite's questions of each length are there, if not all are."""
    there = frame.drop_duplicates("_id")["length"].value_counts()
    n_missing = sum(_QUESTIONS.values()) - int(there.sum())
    if n_missing <= 0:
        return ()
    shares = ", ".join(
        f"{there.get(name, 0)} of {n_all} {name}" for name, n_all in _QUESTIONS.items()
    )
    return (
        Notice(
            "questions-missing",
            f"{sample.name}: {counted(n_missing, 'question')} of 503 not there (there are "
            f"{shares}): failed requests are not written, so accuracies at long lengths are of "
            "what did not fail",
            UnscoredWarning,
        ),
    )


LONGBENCH_V2 = Format(
    name="longbench_v2",
    title="LongBench v2, one JSONL file per language model",
    carries="language model and way of prompting (the file's name), length class as its end in "
    "words, right or wrong, guess rate 1/4, question as case, domain, difficulty, output",
    lacks="lengths within a class, depth, tokens received, failed requests (never written: how "
    "many are missing is said)",
    checked="284 published answers of Llama 3.1 8B Instruct",
    shapes=("jsonl", "json"),
    sniff=_sniff,
    load=_load,
)
