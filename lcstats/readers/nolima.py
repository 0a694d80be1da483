"""Results of adobe-research/NoLiMa (commit 7532e4e): one JSON file per test, haystack and length.

``results_MODEL/CL32K/TEST/MODEL_book_TEST_TIME.json`` holds ``model_name``, ``context_length``
(thousands of tokens, not powers of two), the test and its ``results``, one per depth:
``placement_metadata.depth`` is a fraction, ``metric`` 0 or 1 by the rule that the top level calls
``metric`` too (kept as ``rule``), ``prompt_tokens`` what the server counted. The case is the test
with its haystack, the cluster the test, whose needle and question are the same at every depth,
length and haystack. Files of the same prompts, by their times, are repeats. Tests asked directly,
which the suite leaves out of its mean, are the task ``nolima_direct``; all others are ``nolima``.

An empty response has no score here; the suite counts it as wrong, as ``official_score`` does. What
the server refused is unscored too. Nobody guesses such answers.

The suite's effective length is the longest at 0.85 of the base score, the best of 250, 500 and 1000
tokens of each test. ``Criterion(0.85, rule="relative", base_lengths=(250, 500, 1000))`` takes the
mean of the three instead, of all tests together, which is at most as high: the bar is lower, and an
effective length can be longer than the suite's. Written from the description of the runner's code:
not checked on a real file.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pandas as pd

from lcstats.errors import Notice
from lcstats.readers.fields import check_fields, require_fields
from lcstats.readers.formats import Format
from lcstats.readers.json_records import frame_of, load_json
from lcstats.readers.nested import nested_values
from lcstats.readers.official import OFFICIAL, empty_notices, wants_official
from lcstats.readers.request import ReadRequest
from lcstats.readers.runs import number_runs, short_digest
from lcstats.readers.samples import Sample
from lcstats.trials import Knowledge, Origin, Part, RawTable

_FIELDS = {"test_name", "model_name", "context_length", "needle", "haystack_path", "results"}
_RUN_FIELDS = ("test_name", "model_name", "context_length", "haystack_path", "seed")
_RESULT_FIELDS = ("metric", "response", "prompt_tokens", "finish_reason", "selected_character")
_DIRECT = "direct"
_REFUSED = frozenset({"content_filter", "refusal", "safety"})
_COLUMNS = {
    "model": "model_name",
    "task": "task",
    "case": "test and haystack",
    "repeat": "run",
    "length": "context_length",
    "tokens_received": "prompt_tokens",
    "depth": "placement_metadata.depth",
    "score": "metric",
    "status": "what became of it",
    "cluster": "test_name",
    "output": "response",
}


def _sniff(sample: Sample, columns: Mapping[str, str]) -> bool:
    results = sample.record.get("results")
    return sample.record.keys() >= _FIELDS and isinstance(results, list)


def _load(samples: Sequence[Sample], request: ReadRequest) -> list[RawTable]:
    rows: list[dict[str, Any]] = []
    parts: list[Part] = []
    notices: list[Notice] = []
    for sample in samples:
        table = load_json([sample], request)
        require_fields(table, _FIELDS - {"results"}, "nolima")
        require_fields(table, {"results"}, "nolima", list)
        check_fields(table, {"results[].finish_reason": "plain"}, "nolima")
        found = [
            row for run in table.frame.to_dict("records") for row in _trials_of(run, sample.name)
        ]
        rows += found
        parts.append(Part(sample.name, len(found), "result"))
        notices += table.notices
    table = RawTable(frame_of(rows), Origin(tuple(parts)), notices=tuple(notices))
    require_fields(table, {"placement_metadata"}, "nolima", dict)
    return [_complete(table, request)]


def _trials_of(run: Mapping[Any, Any], name: str) -> Iterator[dict[str, Any]]:
    shared = {field: run.get(field) for field in _RUN_FIELDS}
    haystack = run.get("haystack_hash") or run["haystack_path"]
    shared["test and haystack"] = f"{run['test_name']} {short_digest(haystack)}"
    shared["rule"], shared["file"] = run.get("metric"), name
    is_direct = _DIRECT in str(run["test_name"])
    shared["task"] = "nolima_direct" if is_direct else "nolima"
    for result in run["results"]:
        found = result if isinstance(result, dict) else {}
        fields = {field: found.get(field) for field in _RESULT_FIELDS}
        yield {**shared, **fields, "placement_metadata": found.get("placement_metadata")}


def _complete(table: RawTable, request: ReadRequest) -> RawTable:
    frame = table.frame
    depths = nested_values(frame, "placement_metadata", "depth")
    answered = zip(frame["response"], frame["finish_reason"], strict=True)
    status = pd.Series([_status_of(*pair) for pair in answered], frame.index)
    cases = frame[["model_name", "context_length", "test and haystack"]]
    added: dict[str, Any] = {
        "placement_metadata.depth": depths,
        "run": number_runs(cases.assign(depth=depths), frame["file"]),
        OFFICIAL: frame["metric"],
        "what became of it": status.replace("empty", "ok") if wants_official(request) else status,
        "metric": frame["metric"].astype(object).where(status == "ok", None),
    }
    return replace(
        table,
        frame=frame.assign(**added).drop(columns=["placement_metadata", "file"]),
        knowledge=Knowledge(_COLUMNS, aliases=False, depth_unit="fraction", score_scale="0-1"),
        notices=(
            *table.notices,
            *empty_notices(int((status == "empty").sum()), "NoLiMa", request),
        ),
    )


def _status_of(response: object, finish_reason: object) -> str:
    if finish_reason in _REFUSED:
        return "refused"
    if not isinstance(response, str):
        return "error"
    return "ok" if response.strip() else "empty"


NOLIMA = Format(
    name="nolima",
    title="NoLiMa, one JSON file per test, haystack and length",
    carries="language model, length asked for, tokens received, depth, right or wrong by the "
    "suite's rule, also as the suite has it (official_score), test and haystack as case, test as "
    "cluster, repeated files as repeats, refused and empty responses as unscored, output",
    lacks="failed requests that were not written; the suite's base score, the best of "
    "250, 500 and 1000 tokens of each test (base_lengths takes their mean)",
    checked="the description of the runner's code; not checked on a real file",
    shapes=("json", "jsonl"),
    sniff=_sniff,
    load=_load,
)
