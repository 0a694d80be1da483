"""Reviews of ModelScope's EvalScope (1.14.1), JSONL: ``reviews/MODEL/DATASET_SUBSET.jsonl``.

A line is an answer and its scores in ``sample_score``. ``score.value`` holds one number per metric,
from 0 to 1: the main one is taken, else ``acc``, else the only one; several others are asked about
with ``filter_name``. A score that failed leaves it empty, and the answer is unscored. The language
model is named with the last message, or else it is the folder's name; the task is the file's name.
The case is ``group_id``, and the answers of a group are its repeats, as are further runs. Tokens
received, latency and time to the first token are those of the last message.

``needle_haystack`` keeps ``context_length``, in tokens asked for, and ``depth_percent``, of several
needles the first one's, in ``sample_metadata``; prompts are 150 tokens shorter. Its ``acc`` is a
judge's mark over 10. ``openai_mrcr`` keeps bin and number of needles there, which are read as the
format ``mrcr`` reads them; as a bin holds many lengths, its tokens received are no share of one,
and stay in the column ``input_tokens``. Of other data sets, metadata with one of the usual names
are taken, and any is a column ``metadata_NAME`` to be named. ``predictions/`` hold no scores.

Checked on published reviews of a data set without lengths, and on files made after the code.

Needles are not guessed; of other data sets no review says how many choices there were: the guess
rate is 0 unless a column is named with ``--map guess_rate=metadata_NAME``.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pandas as pd

from lcstats.errors import DesignWarning, FormatError, Notice, describe
from lcstats.readers.fields import require_fields
from lcstats.readers.folders import folder_notices
from lcstats.readers.formats import Format
from lcstats.readers.inspect_logs import METADATA, knowledge_of
from lcstats.readers.json_records import frame_of
from lcstats.readers.mrcr import numbered_bin, task_name
from lcstats.readers.picked import load_picked
from lcstats.readers.places import (
    ANSWER_POSITION,
    ANSWER_TENTH,
    middle_of_tenth,
    place_notices,
)
from lcstats.readers.request import ReadRequest
from lcstats.readers.runs import number_runs, number_runs_of_files, short_digest
from lcstats.readers.samples import Sample
from lcstats.trials import Knowledge, Origin, RawTable
from lcstats.trials.truncation import SHORT_SHARE
from lcstats.trials.values import parse_number
from lcstats.trials.wording import counted

_REVIEW = {"index", "sample_score"}
_PREDICTION = {"index", "model", "model_output"}
_MAIN = "acc"
_FOLDER_NAME = "folder name"
_COLUMNS = {
    "model": "model",
    "task": "file name",
    "case": "group_id",
    "repeat": "sample_id",
    "score": "value",
    "filter": "metric",
    "status": "outcome",
    "tokens_received": "input_tokens",
    "latency_s": "latency",
    "ttft_s": "ttft",
    "output": "prediction",
}
_OPTIONAL = ("tokens_received", "latency_s", "ttft_s", "output")
_LONGEST_WORD = 200


def _sniff(sample: Sample, columns: Mapping[str, str]) -> bool:
    return _is_review(sample) or sample.record.keys() >= _PREDICTION


def _is_review(sample: Sample) -> bool:
    has_score = isinstance(sample.record.get("sample_score"), Mapping)
    return has_score and sample.record.keys() >= _REVIEW


def _load(samples: Sequence[Sample], request: ReadRequest) -> list[RawTable]:
    reviews = [sample for sample in samples if _is_review(sample)]
    if not reviews:
        raise FormatError(
            describe(
                f"{samples[0].name} holds predictions without scores",
                "expected reviews",
                "read the folder reviews/ beside predictions/",
            )
        )
    tables = [_load_one(sample, request) for sample in reviews]
    unnamed = [table.frame[_FOLDER_NAME].iloc[0] for table in tables if _FOLDER_NAME in table.frame]
    tables, run_notices = number_runs_of_files(tables, list(map(_run_name, reviews)), request)
    notices = (
        *run_notices,
        *_aside_notices(samples, reviews),
        *folder_notices(unnamed),
        *place_notices(tables, request),
        *_below_bin_notices(tables),
    )
    first, *others = tables
    return [replace(first, notices=(*notices, *first.notices)), *others]


def _run_name(sample: Sample) -> str:
    """Name a run by its first reviews, which only copies share: they have latencies and times."""
    return short_digest(sample.source.data.decode(errors="replace"))


def _load_one(sample: Sample, request: ReadRequest) -> RawTable:
    table = load_picked(sample, request, _pick)
    require_fields(table, {"values"}, "evalscope", dict)
    reviews = table.frame.to_dict("records")
    metrics = _metrics_of(reviews)
    frame = frame_of([row for metric in metrics for row in _rows_of(reviews, metric)])
    frame["file name"] = _tasks_of(frame, sample.source.stem)
    frame["sample_id"] = number_runs(frame[["group_id", "metric"]], frame["sample_id"])
    if frame["model"].isna().all():
        folder = sample.source.folder or "model"
        frame[_FOLDER_NAME] = folder
        frame["model"] = folder
    return RawTable(
        frame,
        Origin.join([table.origin] * len(metrics)),
        _knowledge_of(frame, sample.name),
        table.notices,
    )


def _pick(record: Mapping[Any, Any]) -> dict[str, Any]:
    """Return what is kept of a review: neither messages nor the haystack."""
    review = _of(record.get("sample_score"))
    score, metadata = _of(review.get("score")), _of(review.get("sample_metadata"))
    messages = record.get("messages")
    last = _of(messages[-1]) if isinstance(messages, list) and messages else {}
    speed = _of(last.get("perf_metrics"))
    group = review.get("group_id", review.get("sample_id"))
    value = score.get("value")
    return {
        "group_id": record.get("index") if group is None else group,
        "sample_id": review.get("sample_id"),
        "model": last.get("model"),
        "values": value if isinstance(value, dict) else {},
        "main": score.get("main_score_name"),
        "status": score.get("status"),
        "prediction": score.get("prediction"),
        **{name: speed.get(name) for name in ("input_tokens", "latency", "ttft")},
        **{f"{METADATA}{name}": part for name, part in metadata.items() if _is_word(part)},
    }


def _of(value: object) -> Mapping[Any, Any]:
    return value if isinstance(value, dict) else {}


def _is_word(value: object) -> bool:
    is_text = isinstance(value, str) and len(value) <= _LONGEST_WORD
    return is_text or isinstance(value, (bool, int, float))


def _metrics_of(reviews: Sequence[Mapping[Any, Any]]) -> list[str]:
    """Return the names of the metrics to read: the main one, or all where none is."""
    found = dict.fromkeys(name for row in reviews for name in row["values"])
    mains = {row["main"] for row in reviews if isinstance(row["main"], str)}
    main = mains.pop() if len(mains) == 1 else _MAIN
    return [main] if main in found else list(found) or [main]


def _rows_of(reviews: Sequence[Mapping[Any, Any]], metric: str) -> Iterator[dict[Any, Any]]:
    for review in reviews:
        value = review["values"].get(metric)
        status = review["status"] if value is None else None
        row = {name: part for name, part in review.items() if name not in ("values", "main")}
        yield row | {"metric": metric, "value": value, "outcome": status}


def _tasks_of(frame: pd.DataFrame, stem: str) -> list[str]:
    """Return the name of each row's task: of MRCR, each number of needles is one."""
    needles, places = f"{METADATA}n_needles", f"{METADATA}desired_msg_index"
    if needles not in frame or places not in frame:
        return [stem] * len(frame)
    return [task_name(number, stem) for number in frame[needles]]


def _knowledge_of(frame: pd.DataFrame, name: str) -> Knowledge:
    """Return what is known about the columns; of MRCR, bins and places are added."""
    index, total, number = (
        f"{METADATA}{part}" for part in ("desired_msg_index", "total_messages", "bin_index")
    )
    if {index, total, number} <= set(frame):
        frame["bin_end"] = [_end_of(value) for value in frame[number]]
        # A prompt in the lower part of its bin is no truncated one.
        known_names = {name: own for name, own in _COLUMNS.items() if name != "tokens_received"}
        places = frame[[index, total]].apply(pd.to_numeric, errors="coerce")
        frame[ANSWER_POSITION] = places[index] / places[total]
        frame[ANSWER_TENTH] = frame[ANSWER_POSITION].map(middle_of_tenth)
        visible = frame.drop(columns=[column for column in frame if METADATA in str(column)])
        known = knowledge_of(visible, known_names, _OPTIONAL, name)
        columns = {**known.columns, "length": "bin_end"}
        return replace(known, columns=columns, depth_unit="fraction", score_scale="0-1")
    known = knowledge_of(frame, _COLUMNS, _OPTIONAL, name)
    is_percent = known.columns.get("depth") == f"{METADATA}depth_percent"
    return replace(known, depth_unit="percent" if is_percent else None, score_scale="0-1")


def _below_bin_notices(tables: Sequence[RawTable]) -> tuple[Notice, ...]:
    """Say how many prompts arrived shorter than their bin begins, as a server cuts them."""
    binned = [table.frame for table in tables if {"bin_end", "input_tokens"} <= set(table.frame)]
    rows = [frame[["bin_end", "input_tokens"]].apply(pd.to_numeric) for frame in binned]
    shares = [2 * frame["input_tokens"] / frame["bin_end"] for frame in rows]
    n_short = sum(int((share < SHORT_SHARE).sum()) for share in shares)
    if not n_short:
        return ()
    least = min(share.min() for share in shares)
    message = f"{counted(n_short, 'trial')} received well below the tokens that their bin begins "
    message += f"with (smallest share {least:.3g}): see whether the server cut their prompts"
    return (Notice("below-bin", message, DesignWarning),)


def _end_of(bin_index: object) -> float | None:
    number = parse_number(str(bin_index))
    return None if number is None or number < 0 else numbered_bin(int(number)).high


def _aside_notices(samples: Sequence[Sample], reviews: Sequence[Sample]) -> tuple[Notice, ...]:
    aside = [sample.name for sample in samples if sample not in reviews]
    if not aside:
        return ()
    message = f"without scores, left out: {', '.join(aside[:3])}" + ", ..." * (len(aside) > 3)
    return (Notice("unjudged-files", f"{counted(len(aside), 'file')} {message}"),)


EVALSCOPE = Format(
    name="evalscope",
    title="reviews of EvalScope, JSONL",
    carries="language model (named with the answer, or its folder's name), task (the file's name), "
    "group as case and its answers as repeats, score from 0 to 1, failed scores as unscored "
    "trials, tokens received, duration, output; length asked for and depth where metadata have "
    "them, as in needle_haystack and openai_mrcr",
    lacks="where needles after the first are, which of them were found, why scores failed",
    checked="published reviews without lengths, and files made after the code",
    shapes=("jsonl", "json"),
    sniff=_sniff,
    load=_load,
)
