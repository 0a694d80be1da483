"""Details of Hugging Face's lighteval (commit 3fd1526), Parquet: ``details_TASK_TIME.parquet``.

A row is a document: ``doc`` is what was asked, ``metric`` one number per metric, from 0 to 1, and
``model_response`` what came back; ``__doc__`` and so on are other versions' names for them. A
single metric is the score; several are asked about with ``filter_name``. The language model is the
folder above the time's, ``details/MODEL/TIME/``. The task is ``doc.task_name``, the case ``doc.id``
or else the number of the row; runs of other times are repeats. lighteval has no needle task: what a
task of one's own keeps in ``doc.specific`` is a column ``specific_NAME``, where length (tokens,
unless the call says otherwise) and depth are found under the usual names, or to be named with
``--map``. A document with several choices, of which one is right, is guessed with one over their
number.

Written from the code, and checked on files made after it: the published ones are not at hand.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from lcstats.errors import FormatError, describe
from lcstats.readers.fields import require_fields
from lcstats.readers.folders import folder_notices, folders_above
from lcstats.readers.formats import Format
from lcstats.readers.json_records import frame_of
from lcstats.readers.parquet_table import load_parquet
from lcstats.readers.request import ReadRequest
from lcstats.readers.runs import number_runs_of_files
from lcstats.readers.samples import Sample
from lcstats.trials import Knowledge, Origin, RawTable
from lcstats.trials.columns import match_columns

_FIELDS = ("doc", "metric", "model_response")
_SPECIFIC = "specific_"
_PLACE = ("length", "depth", "n_needles", "cluster", "length_unit")
_DETAILS = "details"
_TIME = re.compile(r"\d{4}-\d\d-\d\dT[\d.:-]+$")
_COLUMNS = {
    "model": "folder name",
    "task": "task_name",
    "case": "id",
    "score": "value",
    "filter": "metric",
    "guess_rate": "one of the choices",
    "output": "text",
}
_OPTIONAL = ("guess_rate", "output", "model")


def _sniff(sample: Sample, columns: Mapping[str, str]) -> bool:
    return {_plain_name(name) for name in sample.columns} >= set(_FIELDS)


def _plain_name(name: str) -> str:
    return name.removeprefix("__").removesuffix("__")


def _load(samples: Sequence[Sample], request: ReadRequest) -> list[RawTable]:
    tables = [_load_one(sample) for sample in samples]
    tables, run_notices = number_runs_of_files(tables, list(map(_run_name, samples)), request)
    doubtful = filter(None, map(_doubtful_model, samples))
    notices = (*folder_notices(doubtful), *run_notices, *tables[0].notices)
    return [replace(tables[0], notices=notices), *tables[1:]]


def _run_name(sample: Sample) -> str:
    """Return the time that the file's name ends with, or that its folder is named after."""
    match = _TIME.search(sample.source.stem) or _TIME.search(sample.source.folder)
    return match[0] if match else sample.name


def _load_one(sample: Sample) -> RawTable:
    table = load_parquet(sample.source)
    table = replace(table, frame=table.frame.rename(columns=_plain_name))
    require_fields(table, {"doc", "metric"}, "lighteval", dict)
    rows = [_pick(row, number) for number, row in enumerate(table.frame.to_dict("records"))]
    metrics = list(dict.fromkeys(name for row in rows for name in row["values"]))
    if not metrics:
        raise FormatError(
            describe(
                f"{sample.name} has no metric of single documents",
                "expected numbers in its column metric",
                "score single documents, or read the samples of another run",
            )
        )
    frame = frame_of([row for metric in metrics for row in _scored_by(rows, metric)])
    frame["folder name"] = _model_of(sample)
    known = _known(frame, sample.name)
    return RawTable(frame, Origin.join([table.origin] * len(metrics)), known, table.notices)


def _pick(row: Mapping[Any, Any], number: int) -> dict[str, Any]:
    doc, response = row["doc"], row.get("model_response")
    specific = doc.get("specific")
    texts = response.get("text") if isinstance(response, dict) else None
    return {
        "id": str(number) if doc.get("id") in (None, "") else str(doc["id"]),
        "task_name": doc.get("task_name"),
        "values": {name: float(v) for name, v in row["metric"].items() if _is_number(v)},
        "one of the choices": _guess_of(doc),
        "text": next(iter(_listed(texts)), None),
        **_words(specific if isinstance(specific, dict) else {}),
    }


def _words(specific: Mapping[Any, Any]) -> dict[str, Any]:
    return {
        f"{_SPECIFIC}{name}": value
        for name, value in specific.items()
        if _is_number(value) or isinstance(value, str)
    }


def _guess_of(doc: Mapping[Any, Any]) -> float | None:
    """Return one over the number of choices, where one of several is right."""
    choices, gold = _listed(doc.get("choices")), _listed(doc.get("gold_index"))
    return 1 / len(choices) if len(choices) > 1 and len(gold) == 1 else None


def _listed(value: object) -> list[Any]:
    if isinstance(value, np.ndarray):
        return list(value.tolist())
    if value is None or isinstance(value, list):
        return value or []
    return [value]


def _is_number(value: object) -> bool:
    return isinstance(value, (bool, int, float, np.number)) and value == value


def _scored_by(rows: Sequence[Mapping[str, Any]], metric: str) -> Iterator[dict[str, Any]]:
    for row in rows:
        kept = {name: part for name, part in row.items() if name != "values"}
        yield kept | {"metric": metric, "value": row["values"].get(metric)}


def _known(frame: pd.DataFrame, name: str) -> Knowledge:
    known = {
        canonical: theirs
        for canonical, theirs in _COLUMNS.items()
        if canonical not in _OPTIONAL or frame[theirs].notna().any()
    }
    places = {
        str(column).removeprefix(_SPECIFIC): str(column)
        for column in frame.columns
        if str(column).startswith(_SPECIFIC)
    }
    found = match_columns(list(places), _PLACE, table=name)
    known |= {canonical: places[theirs] for canonical, theirs in found.items()}
    return Knowledge(known, aliases=False, score_scale="0-1")


def _model_of(sample: Sample) -> str | None:
    """Return the name of the folders above the time's, or of the nearest one."""
    folders = folders_above(sample)
    if _is_made_by_lighteval(folders):
        return "/".join(reversed(folders[1 : folders.index(_DETAILS)]))
    return folders[0] if folders else None


def _is_made_by_lighteval(folders: Sequence[str]) -> bool:
    return _DETAILS in folders[2:4]


def _doubtful_model(sample: Sample) -> str | None:
    """Return the language model's name, if the folders are not those that lighteval makes."""
    folders = folders_above(sample)
    return None if _is_made_by_lighteval(folders) else _model_of(sample)


LIGHTEVAL = Format(
    name="lighteval",
    title="details of lighteval, Parquet (extra 'parquet')",
    carries="language model (its folder's name), task, document as case, metrics of single "
    "documents, choices as guess rate, output; length and depth where a task keeps them in "
    "doc.specific",
    lacks="tokens received, failed requests; length and depth of lighteval's own tasks",
    checked="files made after the code",
    shapes=("parquet",),
    sniff=_sniff,
    load=_load,
)
