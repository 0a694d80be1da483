"""Samples logged by EleutherAI's lm-evaluation-harness (0.4.13): ``samples_TASK_TIME.jsonl``.

A line is a document under one filter; several filters are asked about with ``filter_name``. The
task is in the file's name, the language model in ``results_TIME.json`` beside it (``model_name``,
or what the arguments name; ``config.model`` is a backend), or else it is the folder's name. The
case is ``doc_id``; runs of other times are repeats. Prompts are let go line by line.

The long-context tasks of RULER write the length asked for in tokens to ``doc.max_length``, and the
score, the share of ``doc.outputs`` that were found, to a field whose name is that length: other
such fields are -1, which means "not this length" and is never a score. ``doc_length`` is the tokens
of prompt and answer to come as the task counted them. No row says a depth: needles are placed at
random, and nearly every prompt has a place of its own. Of a needle task ``answer_position`` is
where the answer is in ``doc.input``, a fraction of its characters, and ``answer_tenth`` the middle
of the tenth that this is in: ``--map depth=answer_tenth`` makes that the depth. Of several needles
all places are kept as ``needle_depths``. The other tasks of RULER have none.

BABILong's tasks have their length, ``0k`` to ``10M``, in the results file alone; they are guessed
with one over the number of the task's labels. The harness takes any answer for right that holds the
target, so one that lists all labels is right to it, which the suite's own rule does not allow. Of
other tasks the columns are ``doc_NAME`` and the metrics, to be named with ``--map``; a single
metric is the score. Multiple choice is guessed with one over the number of choices.

Checked on files that the harness's own code wrote around a stub language model, and on its code.
"""

import json
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import pandas as pd

from lcstats.errors import FormatError, describe
from lcstats.readers.babilong import LABELS
from lcstats.readers.fields import require_fields
from lcstats.readers.folders import folder_notices, folders_above
from lcstats.readers.formats import Format
from lcstats.readers.json_records import load_json
from lcstats.readers.picked import load_picked
from lcstats.readers.places import ANSWER_POSITION, place_in, place_notices, with_places
from lcstats.readers.request import ReadRequest
from lcstats.readers.runs import number_runs_of_files
from lcstats.readers.samples import Sample
from lcstats.readers.sources import STANDARD_INPUT
from lcstats.trials import Knowledge, RawTable

NOT_THIS_LENGTH = -1
"""What a row has under the names of lengths that are not its own."""

_FIELDS = {"doc_id", "doc", "resps", "filtered_resps"}
_RESULTS = {"results", "configs", "versions"}
_NAME = re.compile(r"samples_(?P<task>.+)_(?P<time>\d{4}-\d\d-\d\dT[\d.:-]+)")
_BABILONG = re.compile(r"babilong_(qa\d+)(?!\d).*")
_RESULTS_NAME = re.compile(r"results_(?P<time>\d{4}-\d\d-\d\dT[\d.:-]+)")
_NEEDLE_PROMPT = "special magic"
_START = 300
"""Characters within which a needle task's prompt says what is hidden."""

_LONGEST_WORD = 200
_SCORE, _LENGTH, _FOLDER_NAME = "value of its length", "max_length", "folder name"
_CHOICE = "one of the choices"
_MUTUAL_INFO = "acc_mutual_info"
"""A metric for which every choice was also scored without its question."""

_NAMES = ("peft", "delta", "pretrained", "model", "path", "engine")
"""Arguments that name a language model, in the harness's order."""

_COLUMNS = {
    "task": "task",
    "case": "doc_id",
    "filter": "filter",
    "length": _LENGTH,
    "score": _SCORE,
    "n_needles": "number of outputs",
    "n_found": "outputs found",
    "needle_depths": "places of outputs",
    "guess_rate": _CHOICE,
    "output": "answer",
}


@dataclass(frozen=True, slots=True)
class _Run:
    """What a results file says about the samples beside it."""

    model: str | None = None
    lengths: Mapping[str, str] = field(default_factory=dict)


def _sniff(sample: Sample, columns: Mapping[str, str]) -> bool:
    return sample.record.keys() >= _FIELDS or _is_results(sample)


def _is_results(sample: Sample) -> bool:
    return sample.record.keys() >= _RESULTS and "n-shot" in sample.record


def _load(samples: Sequence[Sample], request: ReadRequest) -> list[RawTable]:
    logged = [sample for sample in samples if not _is_results(sample)]
    if not logged:
        raise FormatError(
            describe(
                f"{samples[0].name} holds averages, and no single samples",
                "expected samples_TASK_TIME.jsonl",
                "run lm_eval with --log_samples, and read the folder it writes",
            )
        )
    runs = {
        _place_of(sample, _RESULTS_NAME): _run_of(load_json([sample], request).frame)
        for sample in samples
        if _is_results(sample)
    }
    tables = [_load_one(sample, request, runs) for sample in logged]
    unnamed = [
        sample.source.folder
        for sample, table in zip(logged, tables, strict=True)
        if table.knowledge.columns.get("model") == _FOLDER_NAME
    ]
    tables, run_notices = number_runs_of_files(tables, list(map(_run_name, logged)), request)
    first, *others = tables
    notices = (
        *folder_notices(filter(None, unnamed)),
        *place_notices(tables, request),
        *run_notices,
    )
    return [replace(first, notices=(*notices, *first.notices)), *others]


def _place_of(sample: Sample, pattern: re.Pattern[str]) -> tuple[str, str]:
    """Return the folder of a file and the time in its name: what files of a run share."""
    match = pattern.fullmatch(sample.source.stem)
    return os.path.dirname(sample.source.given), match["time"] if match else ""


def _run_name(sample: Sample) -> str:
    """Return the time in a file's name, which copies share; without it each file is a run."""
    return _place_of(sample, _NAME)[1] or sample.name


def _run_beside(sample: Sample) -> _Run:
    """Return what the results file beside a file on disk says, if there is one."""
    folder, time = _place_of(sample, _NAME)
    path = os.path.join(folder, f"results_{time}.json")
    if sample.source.given == STANDARD_INPUT or not os.path.isfile(path):
        return _Run()
    try:
        with open(path, encoding="utf-8") as file:
            return _run_of(pd.DataFrame([json.load(file)], dtype=object))
    except (OSError, ValueError):
        return _Run()


def _run_of(frame: pd.DataFrame) -> _Run:
    record = frame.to_dict("records")[0]
    config = _of(record.get("config"))
    model = record.get("model_name") or _model_of(config.get("model_args"))
    lengths = {
        task: _of(_of(config).get("metadata")).get("max_seq_lengths")
        for task, config in _of(record.get("configs")).items()
    }
    single = {task: _only(value) for task, value in lengths.items()}
    known = {task: value for task, value in single.items() if value is not None}
    return _Run(None if model is None else str(model), known)


def _model_of(arguments: object) -> str | None:
    """Return the language model that a run's arguments name; its backend is none.

    Examples
    --------
    >>> _model_of("base_url=http://x,model=gpt-x"), _model_of({"pretrained": "a/b"}), _model_of("")
    ('gpt-x', 'a/b', None)
    """
    if isinstance(arguments, str):
        arguments = dict(part.split("=", 1) for part in arguments.split(",") if "=" in part)
    given = _of(arguments)
    return next((str(given[name]) for name in _NAMES if given.get(name)), None)


def _only(value: object) -> str | None:
    """Return the length of a task that has one."""
    if isinstance(value, list):
        return _only(value[0]) if len(value) == 1 else None
    return None if value is None or isinstance(value, dict) else str(value)


def _of(value: object) -> Mapping[Any, Any]:
    return value if isinstance(value, dict) else {}


def _load_one(
    sample: Sample, request: ReadRequest, runs: Mapping[tuple[str, str], _Run]
) -> RawTable:
    table = load_picked(sample, request, _pick)
    require_fields(table, {"doc_id"}, "lm_eval")
    run = runs.get(_place_of(sample, _NAME)) or _run_beside(sample)
    match = _NAME.fullmatch(sample.source.stem)
    task = match["task"] if match else sample.source.stem
    frame = _with_guess_rate(with_places(table.frame.assign(task=task)), task)
    if _LENGTH not in frame and task in run.lengths:
        frame = frame.assign(**{_LENGTH: run.lengths[task]})
    known = {name: theirs for name, theirs in _COLUMNS.items() if theirs in frame}
    if "score" not in known and (metric := _only_metric(frame)):
        known["score"] = metric
    if run.model is not None:
        frame, known["model"] = frame.assign(model=run.model), "model"
    elif folders_above(sample):
        frame = frame.assign(**{_FOLDER_NAME: sample.source.folder})
        known["model"] = _FOLDER_NAME
    knowledge = Knowledge(known, aliases=False, depth_unit="fraction", score_scale="0-1")
    return replace(table, frame=frame.drop(columns="metrics"), knowledge=knowledge)


def _with_guess_rate(frame: pd.DataFrame, task: str) -> pd.DataFrame:
    """Add BABILong's guess rate, one over the number of the task's labels, to its rows."""
    match = _BABILONG.fullmatch(task)
    if match is None or match[1] not in LABELS:
        return frame
    return frame.assign(**{_CHOICE: 1 / len(LABELS[match[1]])})


def _only_metric(frame: pd.DataFrame) -> str | None:
    found = {name for names in frame["metrics"] for name in names}
    return found.pop() if len(found) == 1 else None


def _pick(record: Mapping[Any, Any]) -> dict[str, Any]:
    """Return what is kept of a row: no prompt, and of a length's metric only its own."""
    doc, resps = _of(record.get("doc")), record.get("resps")
    row: dict[str, Any] = {
        "doc_id": record.get("doc_id"),
        "filter": record.get("filter"),
        "answer": _text_of(record.get("filtered_resps")),
        "metrics": [],
        **{f"doc_{name}": value for name, value in doc.items() if _is_kept(name, value)},
    }
    if isinstance(resps, list) and len(resps) > 1:
        row[_CHOICE] = (2 if _MUTUAL_INFO in record else 1) / len(resps)
    if _LENGTH in doc:
        return row | _of_ruler(record, doc)
    listed = record.get("metrics")
    names = filter(_is_text, listed if isinstance(listed, list) else [])
    metrics = [name for name in names if _is_number(record.get(name))]
    return row | {name: record[name] for name in metrics} | {"metrics": metrics}


def _of_ruler(record: Mapping[Any, Any], doc: Mapping[Any, Any]) -> dict[str, Any]:
    """Return length, score and needles of a row of RULER's tasks."""
    score = _score_of(record.get(str(doc[_LENGTH])))
    row = {_LENGTH: doc[_LENGTH], _SCORE: score}
    prompt, outputs = doc.get("input"), doc.get("outputs")
    if not isinstance(prompt, str) or not isinstance(outputs, list) or not outputs:
        return row
    if _NEEDLE_PROMPT not in prompt[:_START]:
        return row
    places = [place_in(prompt, str(output)) for output in outputs]
    return row | {
        ANSWER_POSITION: places[0] if len(places) == 1 else None,
        "places of outputs": places,
        "number of outputs": len(outputs),
        "outputs found": None if score is None else round(score * len(outputs)),
    }


def _score_of(value: object) -> float | None:
    """Return a score; None for what says "not this length", and for no number at all."""
    if not isinstance(value, (bool, int, float)) or value == NOT_THIS_LENGTH or value != value:
        return None
    return float(value)


def _text_of(responses: object) -> str | None:
    """Return the first response, if it is a text and not the log-likelihood of one."""
    while isinstance(responses, list) and responses:
        responses = responses[0]
    return responses if isinstance(responses, str) else None


def _is_kept(name: str, value: object) -> bool:
    is_word = isinstance(value, str) and len(value) <= _LONGEST_WORD and name != "input"
    return is_word or _is_number(value)


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_number(value: object) -> bool:
    return isinstance(value, (bool, int, float))


LM_EVAL = Format(
    name="lm_eval",
    title="samples of lm-evaluation-harness, JSONL",
    carries="language model (of the results file, or the folder's name), task, document as case, "
    "filter, output; of RULER's tasks length asked for, score of that length, needles found, place "
    "of the answer in the prompt; of BABILong's length and guess rate; choices as guess rate",
    lacks="depth (answer_position or answer_tenth can be taken for it), tokens the server counted, "
    "failed requests; length of other tasks, unless their documents have it",
    checked="144 samples written by the harness's own code around a stub language model",
    shapes=("jsonl", "json"),
    sniff=_sniff,
    load=_load,
)
