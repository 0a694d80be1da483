"""Results of dave0629g/context-rot-zh (commit 6ae12c0): JSONL, a Chinese needle experiment.

``context_length_chars`` is the length asked for in characters, ``needle_position`` the depth as a
fraction, ``evaluation.is_correct`` right or wrong, ``token_count_prompt`` the tokens received,
``variant`` (traditional, simplified, simplified_q) the task. Rows with ``skipped`` are prompts
that were never sent, and the file calls them wrong: here they have no score, and nor has a row
without a response. Once a length was found too long, its other trials were not written.

Each ``trial`` of a cell has a haystack of its own and one of five needles: the two name the case.
The needle, which is asked for at every length, is the cluster. Written from the first rows of a
published file, and tried on rows made after these for the tests.

Nobody guesses such an answer: the guess rate is 0.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from lcstats.readers.formats import Format
from lcstats.readers.json_records import load_json
from lcstats.readers.nested import nested_values
from lcstats.readers.request import ReadRequest
from lcstats.readers.samples import Sample
from lcstats.trials import Knowledge, RawTable

_FIELDS = {"context_length_chars", "needle_position", "needle_id", "trial", "evaluation"}
_COLUMNS = {
    "model": "model",
    "task": "variant",
    "case": "needle_id and trial",
    "length": "context_length_chars",
    "length_unit": "unit",
    "tokens_received": "token_count_prompt",
    "depth": "needle_position",
    "score": "evaluation.is_correct",
    "status": "skip_reason",
    "cluster": "needle_id",
    "latency_s": "elapsed_seconds",
    "output": "model_response",
}
_STATUS_OF_REASON = {"context_length_exceeded": "context_exceeded"}


def _sniff(sample: Sample, columns: Mapping[str, str]) -> bool:
    return sample.record.keys() >= _FIELDS


def _load(samples: Sequence[Sample], request: ReadRequest) -> list[RawTable]:
    table = load_json(samples, request)
    frame = table.frame
    fields = ("needle_id", "trial", "skipped", "skip_reason", "model_response")
    rows = list(zip(*(nested_values(frame, field) for field in fields), strict=True))
    added: dict[str, Any] = {
        "needle_id and trial": [f"{needle} trial {trial}" for needle, trial, *_ in rows],
        "unit": "characters",
        "evaluation.is_correct": nested_values(frame, "evaluation", "is_correct"),
        "skip_reason": [_status_of(*row[2:]) for row in rows],
    }
    frame = frame.assign(**added).drop(columns="evaluation", errors="ignore")
    known = {name: theirs for name, theirs in _COLUMNS.items() if theirs in frame}
    knowledge = Knowledge(known, aliases=False, depth_unit="fraction", score_scale="0-1")
    return [replace(table, frame=frame, knowledge=knowledge)]


def _status_of(skipped: object, reason: object, response: object) -> str:
    if skipped is True:
        return _STATUS_OF_REASON.get(str(reason), "skipped")
    return "error" if response is None or response != response else "ok"


CONTEXT_ROT_ZH = Format(
    name="context_rot_zh",
    title="context-rot-zh's Chinese needle experiment, JSONL",
    carries="language model, variant as task, length asked for in characters, tokens received, "
    "depth, right or wrong, skipped prompts as unscored trials, needle and trial as case, needle "
    "as cluster, output, duration",
    lacks="trials that were not written because their length had been found too long",
    checked="the first rows of a published file",
    shapes=("jsonl",),
    sniff=_sniff,
    load=_load,
)
