"""Files of gkamradt/needle-in-a-haystack 2.0.0 (commit 021385d): JSONL with ``schema_version`` 2.

``context_length`` is the haystack asked for in tokens of cl100k (the needles come on top),
``usage.input_tokens`` what the server counted, ``target_depth_percent`` the nominal depth in
percent, unrounded; of several needles it is the start. ``score.value`` is from 0 to 1: ``single``
and ``uuid`` 0 or 1, ``multi`` the share of fragments in the response, ``uuid_chain`` how far along
the chain the response got. The question holds the chain's first link, so repeating it already
gives one over the length of the chain. Rows whose status is not ``ok`` have no score.

The task is ``task_type``. A case is what the prompt was made of: needles, question and haystack.
The seed changes the needles of the ``uuid`` tasks only; the other tasks send the same prompt under
every seed, and these are repeats of one case. ``needle_depths`` are the actual ones, as fractions
of the haystack without needles. Which needle was found is worked out again as the runner's scorer
does it (the fragment is in the response, case aside), and kept where the stored count agrees.

Checked on files that the runner's own code wrote around a stub language model, and on its code.

Nobody guesses a needle: the guess rate is 0.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd

from lcstats.errors import Notice
from lcstats.readers.fields import FieldKind, check_fields
from lcstats.readers.formats import Format
from lcstats.readers.json_records import load_json
from lcstats.readers.nested import nested_values
from lcstats.readers.request import ReadRequest
from lcstats.readers.runs import number_runs, short_digest
from lcstats.readers.samples import Sample
from lcstats.trials import Knowledge, RawTable
from lcstats.trials.wording import counted

_FIELDS = {"schema_version", "task_type", "context_length", "target_depth_percent", "recipe"}
_KINDS: Mapping[str, FieldKind] = {
    **dict.fromkeys(("model_id", "task_type", "context_length"), "plain"),
    **dict.fromkeys(("target_depth_percent", "seed", "run_name", "response", "status"), "plain"),
    **dict.fromkeys(("recipe", "needle_metadata", "score", "usage"), "object"),
    "recipe.needle_placements": "list",
    "needle_metadata.expected_fragments": "list",
    "needle_metadata.chain": "list",
    "score.value": "plain",
    "score.details": "object",
    "usage.input_tokens": "plain",
}
_PLACED: Mapping[str, FieldKind] = {
    "recipe.needle_placements[]": "object",
    "recipe.needle_placements[].text": "text",
    "recipe.needle_placements[].actual_depth_percent": "number",
}
_COLUMNS = {
    "model": "model_id",
    "task": "task_type",
    "case": "recipe",
    "repeat": "seed and run_name",
    "length": "context_length",
    "tokens_received": "usage.input_tokens",
    "depth": "target_depth_percent",
    "score": "score.value",
    "status": "status",
    "n_needles": "recipe.needle_placements",
    "n_found": "fragments found",
    "needle_depths": "actual_depth_percent",
    "needle_found": "expected_fragments in response",
    "cluster": "needle_metadata.chain",
    "output": "response",
    "latency_s": "duration_seconds",
}
_NEEDED = ("length", "score")
_REPLACED = ["schema_version", "recipe", "needle_metadata", "usage", "score"]
_CELL = ["model_id", "task_type", "context_length"]
_CHAIN = "uuid_chain"


def _sniff(sample: Sample, columns: Mapping[str, str]) -> bool:
    return sample.record.keys() >= _FIELDS


def _load(samples: Sequence[Sample], request: ReadRequest) -> list[RawTable]:
    table = load_json(samples, request)
    check_fields(table, _KINDS, "kamradt_v2")
    check_fields(table, _PLACED, "kamradt_v2", are_needed=True)
    frame = table.frame
    needles = [_needles_of(row) for row in _rows_of(frame)]
    cases = pd.Series([row.case for row in needles], dtype=object)
    added: dict[str, Any] = {
        "recipe": cases,
        "seed and run_name": _repeats_of(frame, cases),
        "usage.input_tokens": nested_values(frame, "usage", "input_tokens"),
        "score.value": nested_values(frame, "score", "value"),
        "recipe.needle_placements": [len(row.depths) for row in needles],
        "fragments found": [row.found and sum(row.found) for row in needles],
        "actual_depth_percent": [row.depths for row in needles],
        "expected_fragments in response": [row.found for row in needles],
        "needle_metadata.chain": [row.chain for row in needles],
    }
    n_unclear = sum(row.is_unclear for row in needles)
    frame = frame.drop(columns=_REPLACED, errors="ignore").assign(**added)
    frame = frame.rename(columns={"prompt_question": "question", "expected_answer": "answer"})
    known = {
        name: theirs
        for name, theirs in _COLUMNS.items()
        if theirs in frame and (name in _NEEDED or frame[theirs].notna().any())
    }
    knowledge = Knowledge(known, aliases=False, depth_unit="percent", score_scale="0-1")
    notices = (*table.notices, *_unclear_notices(n_unclear))
    return [replace(table, frame=frame, knowledge=knowledge, notices=notices)]


def _rows_of(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """Return the fields that say what a prompt was made of and what came back."""
    fields: dict[str, tuple[str, ...]] = {
        "task": ("task_type",),
        "question": ("prompt_question",),
        "answer": ("expected_answer",),
        "response": ("response",),
        "haystack": ("recipe", "haystack"),
        "placements": ("recipe", "needle_placements"),
        "fragments": ("needle_metadata", "expected_fragments"),
        "chain": ("needle_metadata", "chain"),
        "matches": ("score", "details", "matches"),
    }
    columns = {name: nested_values(frame, *path) for name, path in fields.items()}
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


@dataclass(frozen=True, slots=True)
class _Needles:
    """What one row says about its needles: `found` is None where it cannot tell."""

    case: str
    chain: str | None
    depths: list[float]
    found: list[int] | None
    is_unclear: bool


def _needles_of(row: Mapping[str, Any]) -> _Needles:
    placements = row["placements"] or []
    texts = [str(placement["text"]).strip() for placement in placements]
    chain = str(row["chain"][0]) if row["chain"] else None
    digest = short_digest(texts, row["question"], row["haystack"])
    found = _found(row)
    agrees = found is None or (
        len(found) == len(placements) and row["matches"] in (None, sum(found))
    )
    return _Needles(
        case=f"{chain or ' / '.join(texts)} #{digest}",
        chain=chain,
        depths=[round(placement["actual_depth_percent"] / 100, 9) for placement in placements],
        found=found if agrees else None,
        is_unclear=not agrees,
    )


def _found(row: Mapping[str, Any]) -> list[int] | None:
    """Tell which fragments are in the response, as the runner's scorer does."""
    if row["task"] == _CHAIN or not isinstance(row["response"], str):
        return None
    response = row["response"].strip().lower()
    fragments = row["fragments"] or [row["answer"]]
    return [int(str(fragment).strip().lower() in response) for fragment in fragments]


def _repeats_of(frame: pd.DataFrame, cases: pd.Series) -> pd.Series:
    """Number the repeats of a case: other seeds and other runs of the same prompt."""
    depths = pd.to_numeric(pd.Series(nested_values(frame, "target_depth_percent")), errors="coerce")
    cell = {name: pd.Series(nested_values(frame, name)) for name in _CELL}
    key = pd.DataFrame({**cell, "depth": depths.round(7), "case": cases})
    runs = zip(nested_values(frame, "run_name"), nested_values(frame, "seed"), strict=True)
    return number_runs(key, pd.Series([f"{run} {seed}" for run, seed in runs], dtype=object))


def _unclear_notices(n_unclear: int) -> tuple[Notice, ...]:
    if not n_unclear:
        return ()
    return (
        Notice(
            "needles-unclear",
            f"{counted(n_unclear, 'row')} whose needles cannot be matched with the fragments of "
            "the answer, or not with the stored count: which of them were found is left open",
        ),
    )


KAMRADT_V2 = Format(
    name="kamradt_v2",
    title="Kamradt's needle in a haystack 2.0, JSONL",
    carries="language model, task, haystack length asked for, tokens received, depth, score from "
    "0 to 1, errors as unscored trials, needles and haystack as case, other seeds of the same "
    "prompt as repeats, actual needle depths, needles found (not of uuid_chain), output, duration",
    lacks="what kind of error it was; which links of a uuid_chain were found, and that repeating "
    "its question scores above 0",
    checked="60 trials written by the runner's own code around a stub language model",
    shapes=("jsonl",),
    sniff=_sniff,
    load=_load,
)
