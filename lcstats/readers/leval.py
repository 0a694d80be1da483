"""Predictions of L-Eval (OpenLMLab/LEval, commit cd34b05): ``TASK.pred.jsonl``, with lengths added.

A line has ``query``, ``gt``, ``prompt``, ``evaluation`` and ``NAME_pred``. The suite writes neither
lengths nor scores: lines as they are cannot be read, and are refused with what is missing. Where a
length, or a number of tokens, and a score were added to every line, by any of the usual names or
named with ``--map``, the language model is NAME, and the task the file's name (in ``human_eval``
and ``llm_..._eval``, whose files hold several tasks, it is the folder's). The case is the number of
the line: the same question is asked about many documents, sometimes with the same answer, and
nothing but the order of the lines tells these apart. Prompts are let go line by line.

Multiple choice has guess rates that no line tells: a column ``guess_rate`` is taken. Written from
a description of the files, and checked on files made after it.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from lcstats.errors import FormatError, describe
from lcstats.readers.folders import folders_above
from lcstats.readers.formats import Format
from lcstats.readers.picked import load_picked
from lcstats.readers.request import ReadRequest
from lcstats.readers.samples import Sample
from lcstats.readers.side_values import cells_of
from lcstats.trials import Knowledge, RawTable
from lcstats.trials.columns import match_columns

_FIELDS = {"query", "gt", "evaluation"}
_PREDICTION = re.compile(r"(?P<model>.+)_pred")
_STEM = re.compile(r"(?P<name>.+)\.pred")
_BY_TASK = re.compile(r"exam_eval|ngram_eval")
_ADDED = (
    *("length", "tokens_received", "depth", "score", "status", "guess_rate", "repeat"),
    *("length_unit", "n_documents"),
)
"""What may have been added to the suite's fields."""

_HOW = {
    "length": "count the tokens of each prompt",
    "score": "score each answer as L-Eval's auto_eval.py does",
}
_LONG = frozenset({"query", "gt", "prompt", "document", "input"})
_COLUMNS = {"model": "name of prediction", "task": "task of the suite", "case": "number of line"}


def _sniff(sample: Sample, columns: Mapping[str, str]) -> bool:
    return sample.record.keys() >= _FIELDS and _prediction_of(sample.record) is not None


def _prediction_of(record: Mapping[Any, Any]) -> str | None:
    return next((str(name) for name in record if _PREDICTION.fullmatch(str(name))), None)


def _load(samples: Sequence[Sample], request: ReadRequest) -> list[RawTable]:
    return [_load_one(sample, request) for sample in samples]


def _load_one(sample: Sample, request: ReadRequest) -> RawTable:
    field = _prediction_of(sample.record)
    table = load_picked(sample, request, partial(_pick, field=field))
    known = match_columns(
        [name for name in table.frame.columns if name not in _COLUMNS.values()],
        [name for name in _ADDED if name not in request.table.columns],
        table=sample.name,
    )
    if "length" not in known and "tokens_received" in known:
        known["length"] = known["tokens_received"]
    _refuse_without({*known, *request.table.columns}, sample)
    model = _PREDICTION.fullmatch(field or "")
    frame = table.frame.assign(
        **{
            "name of prediction": model["model"] if model else "model",
            "task of the suite": _task_of(sample),
            "number of line": np.arange(1, len(table.frame) + 1),
        }
    )
    known = {**_COLUMNS, **known}
    if "output" in frame:
        known["output"] = "output"
    return replace(table, frame=frame, knowledge=Knowledge(known, aliases=False))


def _pick(record: Mapping[Any, Any], *, field: str | None) -> dict[str, Any]:
    short = {name: value for name, value in record.items() if name not in _LONG and name != field}
    output = record.get(field)
    return {
        **cells_of(short, {"output", *_COLUMNS.values()}, "row_"),
        "output": output if isinstance(output, str) else None,
    }


def _task_of(sample: Sample) -> str:
    """Return the file's name, or the folder's where a file holds all tasks of a language model."""
    folders = folders_above(sample)
    match = _STEM.fullmatch(sample.source.stem)
    name = match["name"] if match else sample.source.stem
    is_of_all = bool(folders) and folders[0].endswith("_eval") and not _BY_TASK.match(folders[0])
    return folders[0] if is_of_all else name


def _refuse_without(found: set[str], sample: Sample) -> None:
    missing = [name for name in _HOW if name not in found]
    if not missing:
        return
    maps = " ".join(f"--map {name}=THEIRS" for name in missing)
    raise FormatError(
        describe(
            f"{sample.name}: L-Eval's predictions have no {' and no '.join(missing)}",
            "expected a length, or a number of tokens, and a score on every line",
            f"{' and '.join(_HOW[name] for name in missing)}, add that to every line, and name it "
            f"with {maps} (columns={{{missing[0]!r}: 'THEIRS'}})",
        )
    )


LEVAL = Format(
    name="leval",
    title="L-Eval, one JSONL file per task, to which lengths and scores were added",
    carries="language model (the name of the prediction), task (the file's name), line as case, "
    "output; length, score and what else was added under a usual name",
    lacks="length and score in the suite's own files, depth, guess rates, failed requests",
    checked="files made after a description of the suite's",
    shapes=("jsonl", "json"),
    sniff=_sniff,
    load=_load,
)
