"""Results of harishlearningAIML/lost-in-the-middle-small-llms (commit 3901ec2): nested JSON.

``results_MODEL_TIME.json`` holds language models, and in ``raw_results`` their trials. ``position``
is the place of the gold document, the first being 1; how many documents there were, the length, is
``total_docs`` of the language model's own ``config``, or of the file's where it has none. A case,
and the cluster, is a question: ``qa_id`` with its words, since an id may have had other words in
another version of the data; the same questions are asked at every position. Files of one language
model with other time stamps are repeats. ``correct`` is true or false, ``latency_ms`` milliseconds.

Nobody guesses such answers. Written from the layout of the published files, and checked on files
made after them.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pandas as pd

from lcstats.readers.fields import FieldKind, check_fields, require_fields
from lcstats.readers.formats import Format
from lcstats.readers.json_records import load_json
from lcstats.readers.request import ReadRequest
from lcstats.readers.runs import number_runs
from lcstats.readers.samples import Sample
from lcstats.trials import Knowledge, Origin, Part, RawTable

_COLUMNS = {
    "model": "model_name",
    "case": "qa_id and question",
    "repeat": "timestamp",
    "length": "total_docs",
    "depth": "position",
    "score": "correct",
    "cluster": "qa_id and question",
    "output": "response",
    "latency_s": "latency_ms",
}
_KNOWLEDGE = Knowledge(
    _COLUMNS,
    aliases=False,
    depth_unit="index1",
    score_scale="0-1",
    length_unit="documents",
)
_KINDS: Mapping[str, FieldKind] = {
    "config": "object",
    "timestamp": "plain",
    "models{}.config": "object",
    "models{}.model_name": "plain",
    "models{}.raw_results[].latency_ms": "number",
}
_NESTED: Mapping[str, FieldKind] = {
    "models{}": "object",
    "models{}.raw_results": "list",
    "models{}.raw_results[]": "object",
    "models{}.raw_results[].qa_id": "plain",
    "models{}.raw_results[].question": "plain",
}
_EXTRAS = ("extracted", "gold_answer")
_CASE = ["model_name", "total_docs", "position", "qa_id and question"]


def _sniff(sample: Sample, columns: Mapping[str, str]) -> bool:
    models = sample.record.get("models")
    if not isinstance(models, Mapping) or "config" not in sample.record:
        return False
    return any(isinstance(run, Mapping) and "raw_results" in run for run in models.values())


def _load(samples: Sequence[Sample], request: ReadRequest) -> list[RawTable]:
    frames = [_load_one(sample, request) for sample in samples]
    frame = pd.concat(frames, ignore_index=True)
    frame["timestamp"] = number_runs(frame[_CASE], frame["timestamp"])
    parts = (
        Part(sample.name, len(rows), "trial") for sample, rows in zip(samples, frames, strict=True)
    )
    return [RawTable(frame, Origin(tuple(parts)), _KNOWLEDGE)]


def _load_one(sample: Sample, request: ReadRequest) -> pd.DataFrame:
    table = load_json([sample], request)
    require_fields(table, {"models"}, "small_llms", dict)
    check_fields(table, _KINDS, "small_llms")
    check_fields(table, _NESTED, "small_llms", are_needed=True)
    rows = [row for run in table.frame.to_dict("records") for row in _trials_of(run)]
    return pd.DataFrame(rows, columns=[*dict.fromkeys([*_COLUMNS.values(), *_EXTRAS])])


def _trials_of(run: Mapping[Any, Any]) -> Iterator[dict[str, object]]:
    for name, results in run["models"].items():
        config = _filled(results.get("config")) or _filled(run.get("config")) or {}
        for trial in results["raw_results"]:
            latency = trial.get("latency_ms")
            yield {
                "model_name": _filled(results.get("model_name")) or name,
                "qa_id and question": f"{trial['qa_id']}: {trial['question']}",
                "timestamp": run.get("timestamp"),
                "total_docs": config.get("total_docs"),
                "position": trial.get("position"),
                "correct": trial.get("correct"),
                "response": trial.get("response"),
                "latency_ms": None if latency is None else latency / 1000,
                **{extra: trial.get(extra) for extra in _EXTRAS},
            }


def _filled(value: Any) -> Any:
    """Return a value, or None for the NaN that JSON of Python may hold in its place."""
    return None if value != value else value


SMALL_LLMS = Format(
    name="small_llms",
    title="Lost in the middle with small language models, nested JSON",
    carries="language model, number of documents as length, place of the gold document as depth, "
    "question as case and cluster, runs as repeats, right or wrong, output, duration",
    lacks="tokens, failed requests, order of the other documents (it differs from run to run)",
    checked="files made after the published ones",
    shapes=("json", "jsonl"),
    sniff=_sniff,
    load=_load,
)
