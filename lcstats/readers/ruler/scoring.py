"""How RULER scores a prediction, and which prompt it is of."""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pandas as pd

from lcstats.readers.official import OFFICIAL, wants_official
from lcstats.readers.request import ReadRequest
from lcstats.readers.ruler.paths import LENGTH_FOLDER, MODEL_FOLDER
from lcstats.readers.runs import number_runs, number_runs_of_files, short_digest
from lcstats.trials import Knowledge, RawTable

SHARE, STATUS = "outputs found", "what became of it"
"""Columns that are added."""

_CONTROL = re.compile(r"[\x00-\x1f]")
_DIGEST = "digest of outputs"

_COLUMNS = {
    "model": MODEL_FOLDER,
    "task": "task",
    "case": "case",
    "repeat": "run",
    "length": LENGTH_FOLDER,
    "score": SHARE,
    "n_needles": "outputs asked for",
    "n_found": "number found",
    "status": STATUS,
    "output": "pred",
}


def with_scores(frame: pd.DataFrame, task: str, answers: pd.Series) -> pd.DataFrame:
    """Add score, digest of the answers and what became of the request.

    Parameters
    ----------
    frame : DataFrame, shape (n_rows, n_columns)
        With the predictions as ``pred``, which may be missing as a whole.
    task : str
    answers : Series of list, shape (n_rows,)
    """
    frame = frame if "pred" in frame else frame.assign(pred=None)
    preds, is_any = frame["pred"], task.startswith("qa")
    found = [_n_found(pred, listed) for pred, listed in zip(preds, answers, strict=True)]
    asked = answers.map(len).to_numpy()
    shares = [
        None if n is None or not total else float(n > 0) if is_any else n / total
        for n, total in zip(found, asked, strict=True)
    ]
    needles: dict[str, Any] = {}
    if not is_any:
        needles = {"outputs asked for": asked, "number found": pd.Series(found, dtype="Int64")}
    return frame.assign(
        task=task,
        **{
            _DIGEST: answers.map(short_digest),
            SHARE: shares,
            STATUS: preds.map(_status_of),
            **needles,
        },
    )


def with_official(frame: pd.DataFrame, request: ReadRequest) -> pd.DataFrame:
    """Add the suite's own score, to which empty predictions are wrong."""
    status = frame[STATUS]
    official = frame[SHARE].mask(status == "empty", 0.0)
    if wants_official(request):
        status = status.replace("empty", "ok")
    return frame.assign(**{OFFICIAL: official, STATUS: status})


def with_cases(
    tables: Sequence[RawTable], runs: Sequence[str], request: ReadRequest
) -> list[RawTable]:
    """Add case and run: the index, told apart by its answers where several prompts share one.

    Chunks of a task are files of their own, so an index is looked for in all files of a task at a
    length.

    Parameters
    ----------
    tables : sequence of RawTable
        A table per file, with scores.
    runs : sequence of str
        What tells each file's run from others.
    request : ReadRequest
    """
    frames = [table.frame for table in tables]
    names = ["task", LENGTH_FOLDER, "index", _DIGEST]
    keys = pd.concat([frame.reindex(columns=names) for frame in frames], keys=range(len(frames)))
    keys = keys.astype("str")
    is_shared = keys.groupby(names[:-1])[_DIGEST].transform("nunique") > 1
    cases = keys["index"].where(~is_shared, keys["index"] + " (" + keys[_DIGEST] + ")")
    known = [_known(table, cases.loc[number]) for number, table in enumerate(tables)]
    (first, *others), notices = number_runs_of_files(known, runs, request)
    return [replace(first, notices=(*notices, *first.notices)), *others]


def _known(table: RawTable, cases: pd.Series) -> RawTable:
    """Add case and run within the file, and what is known about the columns."""
    runs = number_runs(cases.to_frame("case"), table.frame["pred"])
    frame = table.frame.assign(case=cases, run=runs).drop(columns=_DIGEST)
    known = {name: theirs for name, theirs in _COLUMNS.items() if theirs in frame}
    knowledge = Knowledge(known, aliases=False, depth_unit="fraction", score_scale="0-1")
    return replace(table, frame=frame, knowledge=knowledge)


def count_empty(tables: Sequence[RawTable]) -> int:
    """Return how many predictions are empty."""
    return sum(int((table.frame[STATUS] == "empty").sum()) for table in tables)


def _n_found(pred: object, answers: Sequence[object]) -> int | None:
    r"""Return how many answers are in a prediction by the suite's rule; None if there is none.

    Examples
    --------
    >>> _n_found("It is 7 and\x00ABC.", ["abc", "8"]), _n_found("", ["abc"])
    (1, None)
    """
    if not isinstance(pred, str) or not pred.strip():
        return None
    text = _CONTROL.sub("\n", pred.strip()).strip().lower()
    return sum(str(answer).lower() in text for answer in answers)


def _status_of(pred: object) -> str:
    if not isinstance(pred, str):
        return "error"
    return "ok" if pred.strip() else "empty"
