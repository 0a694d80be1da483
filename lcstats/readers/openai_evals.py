"""Records of OpenAI's evals (evals 3.0.1): one JSONL file per run, an event per line.

The first line is ``spec``: ``completion_fns`` is the language model, ``eval_name`` the task. Events
of one ``sample_id`` are one sample, which is the case; further runs are its repeats. The score is
``correct`` of its ``match``. Where samples have no match it is the metric ``accuracy``, or the only
metric; of several others a column ``metrics_NAME`` is to be named with ``--map score=``. A sample
with several matches has a trial for each, as the report of evals counts them. A sample with an
``error`` and no score failed; one with neither was not finished, and has no score either.

Nothing of this says a length or a depth: they are taken where what a match, the metrics, the raw
sample or ``extra`` hold besides has one of the usual names, and any such value is a column to be
named with ``--map``. A sample that failed or was cut off has it from another run; if none says it,
the sample is left out, and counted. What a grader was asked comes after the answer: output and
tokens received are those of a sample's first ``sampling``. The last line, ``final_report``, is
missing where the run was cut off, which is said; older recorders do not name its run, which is the
file's then. Nothing says a guess rate.

Checked on records that the recorder of evals itself wrote, without a language model.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd

from lcstats.errors import FormatError, Notice, UnscoredWarning, describe
from lcstats.readers.formats import Format
from lcstats.readers.json_records import frame_of
from lcstats.readers.picked import load_picked
from lcstats.readers.request import ReadRequest
from lcstats.readers.runs import number_runs
from lcstats.readers.samples import Sample
from lcstats.readers.side_values import cells_of, match_side_columns
from lcstats.trials import Knowledge, Origin, RawTable
from lcstats.trials.columns import ALIASES, normalise_name
from lcstats.trials.failures import kind_of_error
from lcstats.trials.wording import counted

METRIC = "metrics_"
"""What the columns of metrics begin with."""

_SPEC = {"eval_name", "run_id"}
_EVENT = {"run_id", "event_id", "sample_id", "type", "data"}
_MAIN_METRIC = "accuracy"
_BESIDE = ("match", "raw_sample", "extra")
_OF_MATCH = frozenset({"correct", "expected", "picked", "prompt", "sampled", "options"})
_COLUMNS = {
    "model": "completion_fns",
    "task": "eval_name",
    "case": "sample_id",
    "score": "correct",
    "status": "outcome",
    "tokens_received": "prompt_tokens",
    "output": "sampled",
}
_OPTIONAL = ("tokens_received", "output", "score")
_OWN = (*_COLUMNS, *_COLUMNS.values(), "filter", "repeat", "latency_s", "run", "run_id", "number")
_PLACES = frozenset(
    alias for name in ("length", "depth", "n_needles", "tokens_received") for alias in ALIASES[name]
)
"""Numbers among the metrics that are no scores."""


def _sniff(sample: Sample, columns: Mapping[str, str]) -> bool:
    spec = sample.record.get("spec")
    is_spec = isinstance(spec, Mapping) and spec.keys() >= _SPEC
    return is_spec or sample.record.keys() >= _EVENT


def _load(samples: Sequence[Sample], request: ReadRequest) -> list[RawTable]:
    tables = [_with_reported_run(load_picked(sample, request, _pick)) for sample in samples]
    loaded = RawTable(
        pd.concat([table.frame.astype(object) for table in tables], ignore_index=True),
        Origin.join(table.origin for table in tables),
        notices=tuple(notice for table in tables for notice in table.notices),
    )
    loaded = _without_copies(loaded)
    trials = list(_trials_of(loaded.frame.to_dict("records")))
    if not trials:
        raise FormatError(
            describe(
                f"{samples[0].name} holds no events of a sample",
                "expected what oaieval records of every sample",
                "name the record of a run that got beyond its first line",
            )
        )
    kept = np.zeros(len(loaded.frame), dtype=bool)
    kept[[trial["number"] for trial in trials]] = True
    trials.sort(key=lambda trial: trial["number"])
    notices = (*loaded.notices, *_run_notices(loaded.frame.to_dict("records"), trials))
    table = RawTable(frame_of(trials), loaded.origin.select(kept), notices=notices)
    return [_complete(table, request)]


def _pick(record: Mapping[Any, Any]) -> dict[str, Any]:
    """Return what is kept of a line: no prompt."""
    kind, data, spec = record.get("type"), _of(record.get("data")), record.get("spec")
    row: dict[str, Any] = {
        "run_id": _text(record.get("run_id")),
        "event_id": _text(record.get("event_id")),
        "sample_id": _text(record.get("sample_id")),
        "type": kind if isinstance(kind, str) else None,
    }
    if isinstance(spec, dict):
        named = {name: _text(spec.get(name)) for name in ("run_id", "eval_name")}
        return row | named | {"type": "spec", "completion_fns": _model_of(spec)}
    if not isinstance(kind, str):
        is_report = isinstance(record.get("final_report"), (dict, list, str))
        return row | {"type": "final_report" if is_report else None}
    if kind == "match":
        row["correct"] = data.get("correct") if _is_number(data.get("correct")) else None
    if kind == "sampling":
        row["sampled"] = _first_text(data.get("sampled"))
        tokens = _of(data.get("usage")).get("prompt_tokens")
        row["prompt_tokens"] = tokens if _is_number(tokens) else None
    if kind == "error":
        row["error"] = f"{data.get('type')}: {data.get('message')}"
    if kind == "metrics":
        row["metrics"] = {name: value for name, value in data.items() if _is_number(value)}
    if kind in (*_BESIDE, "metrics"):
        rest = {name: value for name, value in data.items() if name not in _OF_MATCH}
        row["beside"] = cells_of(rest, _OWN, "data_")
    return row


def _with_reported_run(table: RawTable) -> RawTable:
    """Give a report that does not name its run the one whose events stand before it."""
    frame = table.frame
    unnamed = (frame["type"] == "final_report") & frame["run_id"].isna()
    if not unnamed.any():
        return table
    runs = frame["run_id"].where(~unnamed, frame["run_id"].ffill())
    return replace(table, frame=frame.assign(run_id=runs))


def _of(value: object) -> Mapping[Any, Any]:
    return value if isinstance(value, dict) else {}


def _is_number(value: object) -> bool:
    return isinstance(value, (bool, int, float))


def _text(value: object) -> str | None:
    """Return an id as text, also where other lines without one made a number of it."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return str(value) if isinstance(value, (str, int)) else None


def _model_of(spec: Mapping[Any, Any]) -> str | None:
    """Return the names of the completion functions; old records have those of models."""
    names = spec.get("completion_fns") or spec.get("model_names") or spec.get("model_name")
    if isinstance(names, dict):
        names = names.get("completions") or list(names.values())
    listed = names if isinstance(names, list) else [names]
    words = [name for name in listed if isinstance(name, str) and name]
    return ", ".join(words) or None


def _first_text(sampled: object) -> str | None:
    while isinstance(sampled, list) and sampled:
        sampled = sampled[0]
    return sampled if isinstance(sampled, str) else None


def _without_copies(table: RawTable) -> RawTable:
    """Keep each event once, where a record was copied."""
    ids = table.frame[["run_id", "event_id"]]
    copies = (ids.notna().all(axis=1) & ids.astype("str").duplicated()).to_numpy(dtype=bool)
    if not copies.any():
        return table
    n_copies = counted(int(copies.sum()), "event")
    message = f"{n_copies} left out: an earlier one has the same run and id, as copies have"
    return replace(
        table,
        frame=table.frame[~copies].reset_index(drop=True),
        origin=table.origin.select(~copies),
        notices=(*table.notices, Notice("same-run", message)),
    )


@dataclass(slots=True)
class _Sampled:
    """What the events of one sample of one run say."""

    first: int
    common: dict[str, Any]
    matches: list[tuple[int, Mapping[str, Any]]] = field(default_factory=list)
    metrics: dict[str, Any] = field(default_factory=dict)
    beside: dict[str, Any] = field(default_factory=dict)
    error: str | None = None


def _trials_of(events: Sequence[Mapping[Any, Any]]) -> Iterator[dict[str, Any]]:
    """Yield the trials of every sample; a trial knows the number of its line."""
    specs = {event["run_id"]: event for event in events if event["type"] == "spec"}
    samples: dict[tuple[object, object], _Sampled] = {}
    for number, event in enumerate(events):
        if event["sample_id"] is None or event["type"] in ("spec", "final_report"):
            continue
        key = event["run_id"], event["sample_id"]
        if key not in samples:
            spec = specs.get(event["run_id"], {})
            names = {name: spec.get(name) for name in ("completion_fns", "eval_name")}
            samples[key] = _Sampled(number, {"run_id": key[0], "sample_id": key[1], **names})
        _add_event(samples[key], number, event)
    for sample in samples.values():
        yield from _trials_of_sample(sample)


def _add_event(sample: _Sampled, number: int, event: Mapping[Any, Any]) -> None:
    kind = event["type"]
    if kind == "match":
        sample.matches.append((number, event))
    elif kind == "sampling":
        for name in ("sampled", "prompt_tokens"):
            sample.common.setdefault(name, event.get(name))
    elif kind == "error" and sample.error is None:
        sample.error = event.get("error")
    if kind == "metrics":
        sample.metrics |= _of(event.get("metrics"))
    if kind != "match":
        sample.beside |= _of(event.get("beside"))


def _trials_of_sample(sample: _Sampled) -> Iterator[dict[str, Any]]:
    metrics = {
        f"{METRIC}{name}": value
        for name, value in sample.metrics.items()
        if normalise_name(name) not in _PLACES
    }
    outcome = None if sample.matches or metrics else _outcome_of(sample)
    common = {**sample.beside, **metrics, **sample.common, "outcome": outcome}
    for number, event in sample.matches or [(sample.first, {})]:
        beside = _of(event.get("beside"))
        yield {**common, **beside, "correct": event.get("correct"), "number": number}


def _outcome_of(sample: _Sampled) -> str:
    """Return what became of a sample without a score: its request failed, or it was cut off."""
    return "unparsed" if sample.error is None else kind_of_error(sample.error)


def _complete(table: RawTable, request: ReadRequest) -> RawTable:
    """Say what is known about the columns, and number the repeats of each case."""
    frame, name = table.frame, table.origin.name
    known = {
        canonical: theirs
        for canonical, theirs in _COLUMNS.items()
        if theirs in frame and (canonical not in _OPTIONAL or frame[theirs].notna().any())
    }
    metrics = [column for column in frame.columns if str(column).startswith(METRIC)]
    if "score" not in known and (main := _main_metric(metrics)) is not None:
        known["score"] = main
    for canonical in ("model", "task"):
        if frame[known[canonical]].isna().all():
            known.pop(canonical)
    sides = [column for column in frame.columns if column not in (*_OWN, *metrics)]
    known = match_side_columns(sides, known, request, name)
    length = request.table.columns.get("length") or known.get("length")
    table = _with_lengths(replace(table, frame=_shared(frame, sides)), str(length))
    frame = table.frame.assign(run=_runs_of(table.frame, known))
    unused = [column for column in ("correct",) if frame[column].isna().all()]
    frame = frame.drop(columns=["number", "run_id", *unused])
    knowledge = Knowledge({**known, "repeat": "run"}, aliases=False)
    return replace(table, frame=frame, knowledge=knowledge)


def _shared(frame: pd.DataFrame, columns: Sequence[str]) -> pd.DataFrame:
    """Fill in what another run of a sample, or another event of it, says beside the prompt."""
    if not columns:
        return frame
    samples = frame.groupby(["eval_name", "sample_id"], dropna=False, sort=False)
    first = samples[list(columns)].transform("first")
    return frame.assign(
        **{name: frame[name].where(frame[name].notna(), first[name]) for name in columns}
    )


def _with_lengths(table: RawTable, length: str) -> RawTable:
    """Leave out samples that ended before anything said how long they were."""
    frame = table.frame
    if length not in frame:
        return table
    kept = (frame[length].notna() | frame["outcome"].isna()).to_numpy(dtype=bool)
    n_left_out = int((~kept).sum())
    if not n_left_out or not kept.any():
        return table
    message = f"{counted(n_left_out, 'sample')} ended before {length} was recorded, left out: "
    message += "if they were the longest ones, accuracy is known for fewer lengths than were asked"
    return replace(
        table,
        frame=frame[kept].reset_index(drop=True),
        origin=table.origin.select(kept),
        notices=(*table.notices, Notice("length-unknown", message, UnscoredWarning)),
    )


def _runs_of(frame: pd.DataFrame, known: Mapping[str, str]) -> pd.Series:
    """Number the repeats of each case: its runs, and the matches of a sample in a run."""
    again = frame.groupby(["run_id", "sample_id"], dropna=False).cumcount().astype("str")
    keys = [known[part] for part in ("model", "task", "case") if part in known]
    runs = frame["run_id"].astype("str") + " " + again
    return number_runs(frame[keys].astype("str"), runs)


def _main_metric(names: Sequence[str]) -> str | None:
    main = f"{METRIC}{_MAIN_METRIC}"
    return main if main in names else names[0] if len(names) == 1 else None


def _run_notices(
    events: Iterable[Mapping[Any, Any]], trials: Sequence[Mapping[str, Any]]
) -> Iterator[Notice]:
    kinds: dict[object, set[object]] = {}
    for event in events:
        kinds.setdefault(event["run_id"], set()).add(event["type"])
    cut = [run for run, seen in kinds.items() if run is not None and "final_report" not in seen]
    if cut:
        message = f"{counted(len(cut), 'run')} without a final report, so samples may be missing: "
        yield Notice("unfinished-run", message + ", ".join(map(str, cut[:3])))
    n_samples = len({(trial["run_id"], trial["sample_id"]) for trial in trials})
    if n_samples < len(trials):
        message = f"{len(trials)} matches of {n_samples} samples: each match is a trial of its own"
        yield Notice("several-matches", message)


OPENAI_EVALS = Format(
    name="openai_evals",
    title="records of OpenAI's evals, JSONL",
    carries="language model (completion function), eval as task, sample as case, runs as repeats, "
    "match or metric as score, errors as unscored samples, output, tokens where they were "
    "recorded; length and depth where a match, the metrics or an extra event have them",
    lacks="length and depth otherwise, guess rates, samples that a run did not reach",
    checked="42 events written by the recorder of evals itself, and its code",
    shapes=("jsonl",),
    sniff=_sniff,
    load=_load,
)
