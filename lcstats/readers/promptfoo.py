"""Results of promptfoo (0.121.20): ``promptfoo eval -o out.json`` or ``-o out.jsonl``.

A result is a test under a prompt and a provider. The language model is the provider's label, or its
id. Length and depth are variables of the test (``vars``), or its ``metadata``, under one of the
usual names, lengths being tokens unless the call says otherwise; any variable is a column to be
named with ``--map``. The case is such a variable too (``case``, ``id``), or else a digest of
variables, description and assertions: what ``--repeat`` repeats is one case, though every repeat
has a number (``testIdx``) of its own. Further runs of a test are further repeats, and a run that
was written to two files is read once. Where there are several prompts, each makes a task of its
own.

``score`` is the score, from 0 to 1 where the assertions' weights and scripts leave it there, and
graded where there are several assertions; ``success``, promptfoo's own verdict, is beside it:
``--map score=success`` takes it. Results whose request failed (``failureReason`` 2) are errors and
no wrong answers; of files without that, those with an error and without a grading. A test without
assertions always succeeds in promptfoo, and a grader that failed itself fails the test: both are
unscored here. Tokens received are those of the prompt; what came from the cache has no duration.

Nothing says a guess rate, unless a variable does. Checked on 88 results that promptfoo itself wrote
around a stub language model, whose passes, failures and errors are the same here; files of other
versions are read after descriptions.
"""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pandas as pd

from lcstats.errors import FormatError, Notice, UnscoredWarning, describe
from lcstats.readers.formats import Format
from lcstats.readers.json_records import frame_of, load_json
from lcstats.readers.picked import load_picked
from lcstats.readers.request import ReadRequest
from lcstats.readers.runs import short_digest
from lcstats.readers.samples import Sample
from lcstats.readers.side_values import cells_of, match_side_columns
from lcstats.trials import Knowledge, Origin, Part, RawTable
from lcstats.trials.failures import kind_of_error
from lcstats.trials.wording import counted

FAILED_REQUEST = 2
"""What ``failureReason`` is where there was no answer; 1 is a failed assertion, 0 none."""

_ROW = {"vars", "success", "score", "provider"}
_NUMBERED = ("testIdx", "promptIdx", "testCase", "gradingResult")
_UNJUDGED = "No assertions"
_CRASHED = re.compile(r"Custom function threw error|Python code execution failed")
_LONGEST_LABEL = 80
_RESULT = "id of result"
_COLUMNS = {
    "model": "provider",
    "score": "score",
    "status": "outcome",
    "tokens_received": "prompt_tokens",
    "latency_s": "seconds",
    "output": "answer",
}
_OPTIONAL = ("tokens_received", "latency_s", "output")
_OWN = (
    *(*_COLUMNS, *_COLUMNS.values(), "filter", "repeat"),
    *("prompt", "test", "run", "success", _RESULT),
)
"""Names that variables cannot have here."""


def _sniff(sample: Sample, columns: Mapping[str, str]) -> bool:
    return _is_row(sample.record) or _results_of(sample.record) is not None


def _is_row(record: object) -> bool:
    return (
        isinstance(record, Mapping)
        and record.keys() >= _ROW
        and any(name in record for name in _NUMBERED)
    )


def _results_of(record: Mapping[Any, Any]) -> list[Any] | None:
    """Return the results in a file of one object; None if it is no such file.

    Old files hold them under ``results``, others one level below.
    """
    inner = record.get("results")
    listed = inner.get("results") if isinstance(inner, dict) else inner
    is_listed = isinstance(listed, list) and any(map(_is_row, listed))
    return listed if isinstance(listed, list) and is_listed else None


def _load(samples: Sequence[Sample], request: ReadRequest) -> list[RawTable]:
    loaded = [_load_one(sample, request) for sample in samples]
    frames = [table.frame.astype(object) for table in loaded]
    table = RawTable(
        pd.concat(frames, ignore_index=True).infer_objects(),
        Origin.join(table.origin for table in loaded),
        notices=tuple(notice for table in loaded for notice in table.notices),
    )
    return [_complete(_without_copies(table), request)]


def _load_one(sample: Sample, request: ReadRequest) -> RawTable:
    if sample.is_single:
        return _load_document(sample, request)
    return load_picked(sample, request, _pick)


def _load_document(sample: Sample, request: ReadRequest) -> RawTable:
    record = load_json([sample], request).frame.to_dict("records")[0]
    results = [record] if _is_row(record) else _results_of(record)
    if results is None:
        raise FormatError(
            describe(
                f"{sample.name} holds no results",
                "expected the results of at least one test",
                "run promptfoo eval -o again: a filter may have left no test to run",
            )
        )
    rows = [_pick(_of(row)) for row in results]
    unit = "" if len(rows) == 1 else "result"
    return RawTable(frame_of(rows), Origin((Part(sample.name, len(rows), unit),)))


def _pick(record: Mapping[Any, Any]) -> dict[str, Any]:
    """Return what is kept of a result: no prompt, and of variables those that fit into a cell."""
    test, response, prompt = (_of(record.get(name)) for name in ("testCase", "response", "prompt"))
    usage = _of(response.get("tokenUsage"))
    is_cached, outcome = bool(response.get("cached")), _outcome_of(record)
    return {
        **cells_of(test.get("metadata"), _OWN, "metadata_"),
        **cells_of(record.get("vars"), _OWN, "var_"),
        "provider": _provider_of(record.get("provider")),
        "prompt": _label_of(prompt, record.get("promptId")),
        "test": _case_of(record.get("vars"), test),
        "score": _number(record.get("score")) if outcome is None else None,
        "success": record.get("success") if isinstance(record.get("success"), bool) else None,
        "outcome": outcome,
        "answer": _text_of(response.get("output")),
        "prompt_tokens": None if is_cached else _number(usage.get("prompt")) or None,
        "seconds": None if is_cached else _seconds(record.get("latencyMs")),
        _RESULT: record.get("id") if isinstance(record.get("id"), str) else None,
    }


def _of(value: object) -> Mapping[Any, Any]:
    return value if isinstance(value, dict) else {}


def _number(value: object) -> float | None:
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return value if is_number else None  # type: ignore[return-value]


def _seconds(milliseconds: object) -> float | None:
    number = _number(milliseconds)
    return None if number is None else number / 1000


def _provider_of(provider: object) -> str | None:
    """Return a provider's label, or its id; old files have the id alone.

    Examples
    --------
    >>> _provider_of({"id": "openai:gpt-x", "label": ""}), _provider_of("openai:gpt-x")
    ('openai:gpt-x', 'openai:gpt-x')
    """
    if isinstance(provider, str):
        return provider or None
    fields = _of(provider)
    names = [fields.get(name) for name in ("label", "id")]
    return next((name for name in names if isinstance(name, str) and name), None)


def _label_of(prompt: Mapping[Any, Any], prompt_id: object) -> str:
    """Name a prompt by its label, which is the prompt itself where it was given none."""
    label = " ".join(str(prompt.get("label") or prompt.get("raw") or "").split())
    if len(label) <= _LONGEST_LABEL:
        return label or "default"
    return f"{label[: _LONGEST_LABEL - 20]}... #{short_digest(str(prompt_id), label)}"


def _case_of(variables: object, test: Mapping[Any, Any]) -> str:
    """Name a test by what makes it, but for what is drawn anew in every run of it."""
    given = {
        name: value
        for name, value in _of(variables).items()
        if not str(name).startswith("_") and name != "sessionId"
    }
    return short_digest(given, test.get("description"), test.get("assert"))


def _outcome_of(record: Mapping[Any, Any]) -> str | None:
    """Return what became of a result; None where it was judged."""
    grading, error = record.get("gradingResult"), record.get("error")
    error = error if isinstance(error, (str, dict)) else None
    is_told = record.get("failureReason") in (0, 1, FAILED_REQUEST)
    is_failed = record.get("failureReason") == FAILED_REQUEST
    if is_failed or (not is_told and error and not _of(grading)):
        # What follows the first line is a trace through promptfoo, with names such as RateLimit.
        return kind_of_error(str(error).partition("\n")[0]) if error else "error"
    why = str(_of(grading).get("reason"))
    parts = _of(grading).get("componentResults")
    listed = parts if isinstance(parts, list) else []
    metadata = [_of(_of(part).get("metadata")) for part in listed]
    is_broken = any(each.get("graderError") is True for each in metadata)
    is_unjudged = why == _UNJUDGED or is_broken or _CRASHED.match(why)
    return "unparsed" if is_unjudged else None


def _text_of(output: object) -> str | None:
    if output is None or isinstance(output, str):
        return output
    return json.dumps(output, default=str)


def _without_copies(table: RawTable) -> RawTable:
    """Keep each result once: promptfoo writes a run to as many files as it is told to."""
    ids = table.frame[_RESULT]
    copies = (ids.notna() & ids.duplicated()).to_numpy(dtype=bool)
    if not copies.any():
        return table
    n_copies = counted(int(copies.sum()), "result")
    message = f"{n_copies} left out: an earlier one has the same id, as copies have"
    notice = Notice("same-run", message)
    kept = ~copies
    return replace(
        table,
        frame=table.frame[kept].reset_index(drop=True),
        origin=table.origin.select(kept),
        notices=(*table.notices, notice),
    )


def _complete(table: RawTable, request: ReadRequest) -> RawTable:
    """Number the repeats of each test, and say what is known about the columns."""
    frame = table.frame
    known = {
        canonical: theirs
        for canonical, theirs in _COLUMNS.items()
        if theirs in frame and (canonical not in _OPTIONAL or frame[theirs].notna().any())
    }
    sides = [column for column in frame.columns if column not in _OWN]
    known = match_side_columns(sides, known, request, table.origin.name)
    if frame["prompt"].nunique() > 1:
        if "task" in known:
            frame = frame.assign(prompt=frame[known["task"]].astype("str") + " " + frame["prompt"])
        known["task"] = "prompt"
    if "case" in known:
        # Tests without that variable keep what tells them apart.
        frame = frame.assign(
            test=frame[known["case"]].where(frame[known["case"]].notna(), frame["test"])
        )
    known = {**known, "case": "test", "repeat": "run"}
    keys = [known[part] for part in ("model", "case", "length", "depth") if part in known]
    cases = frame[[*dict.fromkeys([*keys, "prompt", "test"])]].astype("str")
    frame = frame.assign(run=cases.groupby(list(cases.columns)).cumcount() + 1)
    notices = (*table.notices, *_notices_of(frame, request))
    frame = frame.drop(columns=_RESULT)
    # What else a call takes for the score may be a judge's mark.
    is_own = request.table.columns.get("score", "score") in ("score", "success")
    knowledge = Knowledge(known, aliases=False, score_scale="0-1" if is_own else None)
    return replace(table, frame=frame, knowledge=knowledge, notices=notices)


def _notices_of(frame: pd.DataFrame, request: ReadRequest) -> Iterable[Notice]:
    """Say which results promptfoo itself counts otherwise."""
    n_unjudged = int((frame["outcome"] == "unparsed").sum())
    if n_unjudged:
        yield Notice(
            "not-judged",
            f"{counted(n_unjudged, 'result')} without assertions, or whose grader failed: unscored "
            "here, though promptfoo counts them as passed or failed",
            UnscoredWarning,
        )
    judged = frame[frame["outcome"].isna() & frame["success"].notna() & frame["score"].notna()]
    scores, verdicts = (judged[name].astype("float64") for name in ("score", "success"))
    n_other = int((scores != verdicts).sum())
    if n_other and "score" not in request.table.columns:
        yield Notice(
            "graded-scores",
            f"{counted(n_other, 'score')} of several assertions, or graded: promptfoo's own "
            "verdict is another number; pass columns={'score': 'success'} (--map score=success) "
            "for it",
        )


PROMPTFOO = Format(
    name="promptfoo",
    title="results of promptfoo, JSON or JSONL",
    carries="language model (the provider), prompt as task where there are several, test as case, "
    "repeats, score and promptfoo's verdict, failed requests and results without a judgement as "
    "unscored trials, variables of the test (length and depth among them), tokens, duration, "
    "output",
    lacks="length and depth, unless variables or metadata of the test have them; guess rates",
    checked="88 results written by promptfoo itself around a stub language model",
    shapes=("json", "jsonl"),
    sniff=_sniff,
    load=_load,
)
