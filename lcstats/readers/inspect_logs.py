"""Logs of UK AISI's Inspect (inspect_ai 0.3.285), ``.eval`` archives and ``.json``, without it.

An ``.eval`` archive holds the same as the ``.json`` log of a run. The language model and the task
are those of the header. A trial is a sample: ``id`` is the case, ``epoch`` its repeat, and further
runs of a task with the same language model are further repeats; a run that was tried again after
an error is the same run. ``scores`` holds one value per scorer, and several of them are asked
about with ``filter_name``; a scorer that gives several values is ``SCORER/NAME``. A value is a
number, a truth value, a word of Inspect's (C, I, P and N) or a number as text; NaN is unscored. A
sample that failed is unscored whatever it scored elsewhere, and counted for every scorer.

The needle task of inspect_evals 0.28.0 writes the length asked for in tokens to
``metadata.target_context_length`` and the depth in percent of the room between two buffers to
``metadata.target_position``; its judge marks from 1 to 10, as text. Of other tasks, metadata with
one of the usual names are taken, and any is a column ``metadata_NAME`` to be named. The tokens
received are those of a sample's last answer, and not taken from the mock language model, which
invents them. Samples with choices are guessed with one over their number.

Checked on files that Inspect's own code wrote around a mock language model, and on its code.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from lcstats.errors import FormatError, Notice, describe
from lcstats.options import DepthUnit
from lcstats.readers.fields import FieldKind, check_fields
from lcstats.readers.formats import Format
from lcstats.readers.json_records import frame_of, load_json
from lcstats.readers.request import ReadRequest
from lcstats.readers.runs import number_runs
from lcstats.readers.samples import Sample
from lcstats.trials import Knowledge, Origin, Part, RawTable
from lcstats.trials.columns import match_columns
from lcstats.trials.wording import counted

PLACE_COLUMNS = ("length", "depth", "n_needles", "cluster", "length_unit")
"""What a sample's metadata may say about its trial, under the usual names."""

NEEDLE_LENGTH, NEEDLE_POSITION = "metadata_target_context_length", "metadata_target_position"
"""Where the needle task keeps length and depth."""

METADATA = "metadata_"

_MOCK = "mockllm/"
_COLUMNS = {
    "model": "model",
    "task": "task",
    "case": "id",
    "repeat": "epoch",
    "score": "score",
    "filter": "scorer",
    "status": "outcome",
    "tokens_received": "input_tokens",
    "guess_rate": "one of the choices",
    "output": "completion",
    "latency_s": "total_time",
}
_OPTIONAL = ("tokens_received", "guess_rate", "latency_s")
_LIMITS = {
    "context": "context_exceeded",
    "time": "timeout",
    "working": "timeout",
    "operator": "skipped",
}
"""What became of a sample that a limit stopped before it was scored; other limits are budgets."""

_Fields = Mapping[str, Any]


@dataclass(frozen=True, slots=True, eq=False)
class _Log:
    """One run: where it was read, what its header says, and its samples."""

    name: str
    header: _Fields
    samples: list[_Fields]

    @property
    def model(self) -> object:
        return self.header.get("model")

    @property
    def run(self) -> str:
        """What tells runs apart; a run that was tried again keeps it."""
        return str(self.header.get("task_id"))

    @property
    def scorers(self) -> list[str]:
        """Names of the scorers, those of failed samples' too."""
        found = [name for sample in self.samples for name in _values_of(sample)]
        listed = [str(_of(scorer).get("name")) for scorer in self.header.get("scorers") or []]
        return list(dict.fromkeys(found)) or listed[:1] or ["score"]


_KINDS: Mapping[str, FieldKind] = {
    "eval.scorers": "list",
    "eval.model": "plain",
    "eval.task": "plain",
    "samples[].id": "plain",
    "samples[].uuid": "plain",
    "samples[].epoch": "plain",
    "samples[].choices": "list",
}


def _sniff(sample: Sample, columns: Mapping[str, str]) -> bool:
    header = sample.record.get("eval")
    return (
        isinstance(header, Mapping)
        and {"task", "model"} <= header.keys()
        and {"version", "status"} <= sample.record.keys()
    )


def _load(samples: Sequence[Sample], request: ReadRequest) -> list[RawTable]:
    found = [(sample.name, log) for sample in samples for log in _records(sample, request)]
    logs = _distinct([log for name, record in found if (log := _log_of(name, record))])
    if not logs:
        raise FormatError(
            describe(
                f"{samples[0].name} holds no samples",
                "expected a log with its samples",
                "name the log that `inspect eval` wrote without --no-log-samples",
            )
        )
    parts = [_part_of(log) for log in logs]
    frame = frame_of([row for log in logs for row in _rows_of(log)])
    knowledge = knowledge_of(frame, _COLUMNS, _OPTIONAL, samples[0].name)
    frame = frame.assign(epoch=_repeats_of(frame, knowledge)).drop(columns="run")
    notices = (*_aside_notices(found, logs), *_unfinished_notices(logs), *_run_notices(logs))
    return [RawTable(frame, Origin(tuple(parts)), knowledge, notices)]


def _records(sample: Sample, request: ReadRequest) -> list[dict[Any, Any]]:
    table = load_json([sample], request)
    check_fields(table, _KINDS, "inspect")
    return table.frame.to_dict("records")


def _log_of(name: str, record: _Fields) -> _Log | None:
    """Return a log with its samples; None if it holds none."""
    header, samples = record.get("eval"), record.get("samples")
    if not isinstance(header, dict) or not isinstance(samples, list) or not samples:
        return None
    kept = [_of(sample) for sample in samples]
    return _Log(name, {**header, "status": record.get("status")}, kept)


def _of(value: object) -> _Fields:
    return value if isinstance(value, dict) else {}


def _distinct(logs: Sequence[_Log]) -> list[_Log]:
    """Keep each run and each sample once: the fullest log of a run, the first copy of a sample."""
    fullest: dict[str, _Log] = {}
    for number, log in enumerate(logs):
        key = str(log.header.get("eval_id") or number)
        if key not in fullest or len(log.samples) > len(fullest[key].samples):
            fullest[key] = log
    seen: set[object] = set()
    kept = []
    for log in fullest.values():
        new = [sample for sample in log.samples if sample.get("uuid") not in seen]
        seen |= {sample.get("uuid") for sample in new} - {None}
        kept.append(_Log(log.name, log.header, new))
    return [log for log in kept if log.samples]


def _part_of(log: _Log) -> Part:
    """Return the part that a log's rows are: a sample has one row per scorer."""
    n_scorers = len(log.scorers)
    n_rows = len(log.samples) * n_scorers
    return Part(log.name, n_rows, "sample", lambda row: row // n_scorers + 1)


def _rows_of(log: _Log) -> Iterator[dict[str, Any]]:
    """Yield a row for every sample and scorer."""
    scorers = log.scorers
    for sample in log.samples:
        output, values = _of(sample.get("output")), _values_of(sample)
        usage = {} if str(log.model).startswith(_MOCK) else _of(output.get("usage"))
        choices = sample.get("choices")
        common = {
            "model": log.model,
            "task": log.header.get("task"),
            "id": sample.get("id"),
            "epoch": sample.get("epoch"),
            "run": f"{log.run} {sample.get('epoch')}",
            "input_tokens": usage.get("input_tokens"),
            "one of the choices": 1 / len(choices) if choices else None,
            "completion": output.get("completion"),
            "total_time": sample.get("total_time"),
            "error": _of(sample.get("error")).get("message"),
            **_plain(_of(sample.get("metadata"))),
        }
        for scorer in scorers:
            value = values.get(scorer)
            yield {**common, "scorer": scorer, "score": value, "outcome": _outcome(sample, value)}


def _values_of(sample: _Fields) -> dict[str, object]:
    """Return a sample's scores by scorer; a scorer with several values has several names."""
    values: dict[str, object] = {}
    for scorer, score in _of(sample.get("scores")).items():
        value = _of(score).get("value")
        if isinstance(value, dict):
            values |= {f"{scorer}/{name}": part for name, part in value.items()}
        else:
            values[scorer] = None if isinstance(value, list) else value
    return values


def _outcome(sample: _Fields, value: object) -> str | None:
    """Return what became of a sample; None leaves it to whether it has a score."""
    if sample.get("error") is not None:
        return "error"
    limit = _of(sample.get("limit")).get("type")
    if limit is None or value is not None:
        return None
    return word_of_limit(str(limit))


def word_of_limit(limit: str) -> str:
    """Return what became of a sample that a limit stopped before it was scored.

    Examples
    --------
    >>> word_of_limit("context"), word_of_limit("message")
    ('context_exceeded', 'budget_exhausted')
    """
    return _LIMITS.get(limit, "budget_exhausted")


def _plain(metadata: _Fields) -> dict[str, Any]:
    """Return the metadata that fit into a cell."""
    return {
        f"{METADATA}{name}": value
        for name, value in metadata.items()
        if not isinstance(value, (list, dict))
    }


def knowledge_of(
    frame: pd.DataFrame, columns: Mapping[str, str], optional: Sequence[str], name: str
) -> Knowledge:
    """Return what is known about the columns of samples, metadata included.

    Parameters
    ----------
    frame : DataFrame
        Samples, their metadata as columns ``metadata_NAME``.
    columns : mapping of str to str
        Canonical name to the column that holds it.
    optional : sequence of str
        Canonical columns that are taken only where they hold something.
    name : str
        The file's name, for messages.

    Returns
    -------
    Knowledge
    """
    known = {
        canonical: theirs
        for canonical, theirs in columns.items()
        if theirs in frame and (canonical not in optional or frame[theirs].notna().any())
    }
    places = {str(column).removeprefix(METADATA): column for column in _metadata_of(frame)}
    found = match_columns(list(places), PLACE_COLUMNS, table=name)
    known |= {canonical: places[theirs] for canonical, theirs in found.items()}
    depth_unit: DepthUnit | None = None
    if NEEDLE_LENGTH in frame and NEEDLE_POSITION in frame:
        known |= {"length": NEEDLE_LENGTH, "depth": NEEDLE_POSITION}
        depth_unit = "percent"
    return Knowledge(known, aliases=False, depth_unit=depth_unit)


def _metadata_of(frame: pd.DataFrame) -> Iterable[str]:
    return (column for column in frame.columns if str(column).startswith(METADATA))


def _repeats_of(frame: pd.DataFrame, knowledge: Knowledge) -> pd.Series:
    places = [knowledge.columns[name] for name in ("length", "depth") if name in knowledge.columns]
    cases = frame[["model", "task", "id", "scorer", *places]].astype("str")
    return number_runs(cases, frame["run"])


def _aside_notices(found: Sequence[tuple[str, _Fields]], logs: Sequence[_Log]) -> Iterator[Notice]:
    kept = {log.name for log in logs}
    empty = [name for name, record in found if not record.get("samples")]
    again = [name for name, record in found if record.get("samples") and name not in kept]
    if empty:
        yield Notice("empty-files", f"{counted(len(empty), 'log')} without samples: {empty[0]}")
    if again:
        yield Notice(
            "same-run",
            f"{counted(len(again), 'log')} of a run that another file holds too, left out: "
            f"{', '.join(again[:3])}",
        )


def _unfinished_notices(logs: Sequence[_Log]) -> Iterator[Notice]:
    for log in logs:
        status = log.header.get("status")
        if status != "success":
            n_asked = _of(log.header.get("dataset")).get("samples")
            epochs = _of(log.header.get("config")).get("epochs") or 1
            asked = f" of {n_asked * epochs}" if isinstance(n_asked, int) else ""
            message = f"{log.name}: the run's status is {status!r}, and the log holds "
            message += f"{len(log.samples)}{asked} samples: the others are missing"
            yield Notice("unfinished-run", message)


def _run_notices(logs: Sequence[_Log]) -> Iterator[Notice]:
    runs: dict[tuple[str, str], set[str]] = {}
    for log in logs:
        key = (str(log.model), str(log.header.get("task")))
        runs.setdefault(key, set()).add(log.run)
    for (model, task), ids in runs.items():
        if len(ids) > 1:
            message = f"{len(ids)} runs of {task} with {model}: samples of one id are repeats"
            yield Notice("several-runs", message)


INSPECT = Format(
    name="inspect",
    title="logs of Inspect (inspect_ai), .eval or .json",
    carries="language model, task, sample as case, epochs and further runs as repeats, length "
    "asked for and depth where metadata have them, scores of every scorer, tokens of the last "
    "answer, errors and limits as unscored samples, choices as guess rate, output, duration",
    lacks="where the needle really went, what kind of error it was, samples that a run did not "
    "reach, lists of scores",
    checked="90 samples written by Inspect's own code around a mock language model",
    shapes=("json", "jsonl"),
    sniff=_sniff,
    load=_load,
)
