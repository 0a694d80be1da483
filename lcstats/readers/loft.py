"""Scores of Google DeepMind's LOFT (commit 219f68e): ``NAME_metrics_per_line.jsonl``.

``run_evaluation.py`` writes a line per query and turn, with one number from 0 to 1 per metric:
``em``, ``subspan_em`` and ``f1``, ``coverage`` (the share of several answers), ``recall@1`` and its
like, or ``exec_acc``. Which to read is asked about with ``filter_name``; ``subspan_em`` of several
answers is all or nothing. The length is in the path alone: a folder ``32k``, ``128k`` or ``1m``, in
tokens, with k as 1000; the folder above it is the task. The case is query and turn, the cluster the
query. A query that was not answered is scored 0: where the predictions lie beside the scores and
are read too, such queries are unscored.

Written from the code, and checked on files made after it.

Nobody guesses such answers: the guess rate is 0.
"""

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pandas as pd

from lcstats.errors import FormatError, Notice, describe
from lcstats.readers.fields import require_fields
from lcstats.readers.folders import folders_above
from lcstats.readers.formats import Format
from lcstats.readers.json_records import load_json
from lcstats.readers.nested import nested_values
from lcstats.readers.request import ReadRequest
from lcstats.readers.samples import Sample
from lcstats.trials import Knowledge, Origin, RawTable
from lcstats.trials.length_column import parse_suffixed
from lcstats.trials.wording import counted

_METRICS = re.compile(r"em|subspan_em|f1|coverage|exec_acc|\w*recall@\d+")
_PREDICTIONS = {"qid", "num_turns", "model_outputs"}
_QUERIES = {"qid", "query_text", "answers"}
_LENGTH_FOLDER = re.compile(r"\d+[kKmM]")
_ENDING = "_metrics_per_line"
_COVERAGE = "coverage"
_COLUMNS = {
    "task": "folder of the data set",
    "case": "qid and turn_id",
    "length": "folder of the length",
    "score": "value",
    "filter": "metric",
    "status": "outcome",
    "cluster": "qid",
}


def _sniff(sample: Sample, columns: Mapping[str, str]) -> bool:
    return _is_scored(sample) or any(sample.record.keys() >= f for f in (_PREDICTIONS, _QUERIES))


def _is_scored(sample: Sample) -> bool:
    return "qid" in sample.record and any(map(_METRICS.fullmatch, sample.columns))


def _load(samples: Sequence[Sample], request: ReadRequest) -> list[RawTable]:
    scored = [sample for sample in samples if _is_scored(sample)]
    if not scored:
        raise FormatError(
            describe(
                f"{samples[0].name} holds queries or predictions, and no scores",
                "expected NAME_metrics_per_line.jsonl",
                "run LOFT's run_evaluation.py, and read what it writes",
            )
        )
    answered = {
        _beside(sample): set(load_json([sample], request).frame["qid"].astype("str"))
        for sample in samples
        if sample.record.keys() >= _PREDICTIONS
    }
    tables = [_load_one(sample, request, answered.get(_beside(sample))) for sample in scored]
    first, *others = tables
    return [replace(first, notices=(*_unanswered_notices(tables), *first.notices)), *others]


def _beside(sample: Sample) -> tuple[str, str]:
    """Return folder and name, which predictions and their scores share."""
    return os.path.dirname(sample.source.given), sample.source.stem.removesuffix(_ENDING)


def _load_one(sample: Sample, request: ReadRequest, answered: set[str] | None) -> RawTable:
    table = load_json([sample], request)
    require_fields(table, {"qid"}, "loft")
    length, task = _place_of(sample, request)
    frame = table.frame.assign(qid=table.frame["qid"].astype("str"))
    metrics = [str(name) for name in frame if _METRICS.fullmatch(str(name))]
    known_ids = frame["qid"] if answered is None else list(answered)
    added: dict[str, Any] = {
        "outcome": frame["qid"].isin(known_ids).map({True: "ok", False: "error"}),
        "qid and turn_id": frame["qid"] + " " + _turns_of(frame),
        "folder of the data set": task,
        "folder of the length": length,
    }
    frame = frame.assign(**added)
    rest = frame.drop(columns=[*metrics, "turn_id", "metadata"], errors="ignore")
    rows = [rest.assign(metric=name, value=_values_of(frame, name)) for name in metrics]
    known = {n: c for n, c in _COLUMNS.items() if n != "length" or length is not None}
    return RawTable(
        pd.concat(rows, ignore_index=True),
        Origin.join([table.origin] * len(metrics)),
        Knowledge(known, aliases=False, score_scale="0-1"),
        table.notices,
    )


def _turns_of(frame: pd.DataFrame) -> pd.Series:
    if "turn_id" in frame:
        return frame["turn_id"].fillna(0).astype("str")
    numbers = nested_values(frame, "metadata", "turn_number")
    return pd.Series([str(number or 0) for number in numbers], frame.index)


def _values_of(frame: pd.DataFrame, metric: str) -> pd.Series:
    """Return a metric; a query without any answer has none of its own, and covers nothing."""
    return frame[metric].fillna(0.0) if metric == _COVERAGE else frame[metric]


def _place_of(sample: Sample, request: ReadRequest) -> tuple[float | None, str]:
    """Return the length and the name of the task."""
    folders = folders_above(sample)
    stem = sample.source.stem.removesuffix(_ENDING)
    for place, name in enumerate(folders):
        if _LENGTH_FOLDER.fullmatch(name):
            return parse_suffixed(name, 1000), next(iter(folders[place + 1 :]), stem)
    if "length" in request.table.columns:
        return None, stem
    raise FormatError(
        describe(
            f"{sample.name} does not say its length: no folder above it is named after one",
            "expected a path such as nq/128k/preds_metrics_per_line.jsonl",
            "put the files of each length into a folder 32k, 128k or 1m",
        )
    )


def _unanswered_notices(tables: Sequence[RawTable]) -> tuple[Notice, ...]:
    lost = [table.frame[table.frame["outcome"] == "error"] for table in tables]
    n_lost = sum(frame["qid and turn_id"].nunique() for frame in lost)
    if not n_lost:
        return ()
    queries = counted(n_lost, "query", "queries")
    return (Notice("unanswered", f"{queries} not answered: unscored here, wrong to LOFT"),)


LOFT = Format(
    name="loft",
    title="LOFT, scores per query as JSONL",
    carries="length and task (folders), query and turn as case, query as cluster, every metric, "
    "queries without an answer as unscored trials where predictions are read too",
    lacks="language model (pass its name), depth, tokens, outputs",
    checked="files made after the code",
    shapes=("jsonl", "json"),
    sniff=_sniff,
    load=_load,
)
