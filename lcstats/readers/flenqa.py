"""Responses to FLenQA (alonj/Same-Task-More-Tokens, commit 5a1691c), tables of any shape.

The suite's notebook makes a table of responses and saves none: what is read is that table, saved as
CSV, JSON, JSONL or Parquet. ``ctx_size`` is the length asked for in tokens. ``dispersion`` says
where the facts are: ``first``, ``middle`` and ``last`` are the depths 0, .5 and 1; ``random`` has
none, and is a task of its own, as each padding is (``PIR books``, ``PIR books random``, ``PIR books
random cot``): the suite's main figure shows ``random`` and leaves out the padding ``identity``. The
case, and the cluster, is ``sample_dataset_id``: one sample is asked at every length, so they pair.

``correct`` is the score; where it is missing, ``normalized_response`` is compared with ``label``,
or the response read as the suite does: whichever of true and false comes last, "not true" being
false. Neither of them is wrong, as in the suite. An empty response has no score here; the suite
counts it as wrong, as ``official_score`` does; in CSV it cannot be told from a request that failed,
which has neither score. Answers are guessed with one half.

Written from the code; no published responses were found to check it on.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import pandas as pd

from lcstats.errors import FormatError, describe
from lcstats.readers.fields import require_fields
from lcstats.readers.formats import Format
from lcstats.readers.nested import nested_values
from lcstats.readers.official import OFFICIAL, empty_notices, wants_official
from lcstats.readers.request import ReadRequest
from lcstats.readers.samples import TABLE_SHAPES, Sample
from lcstats.readers.tables import load_tables
from lcstats.trials import Knowledge, RawTable
from lcstats.trials.wording import shown

GUESS_RATE = 0.5
DEPTHS = {"first": 0.0, "middle": 0.5, "last": 1.0}
"""Where the facts are; anything else is no one place."""

_FIELDS = {"ctx_size", "dispersion", "padding_type", "dataset", "response"}
_TRUTHS = {"1": "true", "1.0": "true", "0": "false", "0.0": "false"}
_IS_EMPTY = "is empty"
_IDS = ("sample_dataset_id", "sample_id")
_COLUMNS = {
    "model": "model",
    "task": "task of the suite",
    "case": "case of the suite",
    "length": "ctx_size",
    "depth": "dispersion as depth",
    "score": "correct",
    "status": "what became of it",
    "cluster": "sample of the suite",
    "guess_rate": "guess_rate",
    "output": "response",
}


def _sniff(sample: Sample, columns: Mapping[str, str]) -> bool:
    return set(sample.columns) >= _FIELDS


def _load(samples: Sequence[Sample], request: ReadRequest) -> list[RawTable]:
    first, *others = [_complete(table, request) for table in load_tables(samples, request)]
    n_empty = sum(int(table.frame[_IS_EMPTY].sum()) for table in (first, *others))
    notices = (*empty_notices(n_empty, "FLenQA", request), *first.notices)
    return [_without_marks(t) for t in (replace(first, notices=notices), *others)]


def _without_marks(table: RawTable) -> RawTable:
    return replace(table, frame=table.frame.drop(columns=_IS_EMPTY))


def _complete(table: RawTable, request: ReadRequest) -> RawTable:
    require_fields(table, _FIELDS - {"response"}, "flenqa")
    frame = table.frame.assign(response=nested_values(table.frame, "response"))
    frame["dispersion"] = frame["dispersion"].astype("str")
    frame = frame.assign(
        guess_rate=GUESS_RATE,
        **_outcomes_of(replace(table, frame=frame), request),
        **{
            "task of the suite": _tasks_of(frame),
            "dispersion as depth": frame["dispersion"].map(DEPTHS),
        },
    )
    ids = next((name for name in _IDS if name in frame), None)
    if ids is not None:
        frame["case of the suite"] = frame[ids].astype("str")
        frame["sample of the suite"] = (
            frame["dataset"].astype("str") + " " + frame[ids].astype("str")
        )
    known = {name: theirs for name, theirs in _COLUMNS.items() if theirs in frame}
    knowledge = Knowledge(known, aliases=False, depth_unit="fraction", score_scale="0-1")
    return replace(table, frame=frame, knowledge=knowledge)


def _tasks_of(frame: pd.DataFrame) -> pd.Series:
    """Name the tasks after data set and padding, and after what else is another condition."""
    is_placed = frame["dispersion"].isin(list(DEPTHS))
    tasks = frame["dataset"].astype("str") + " " + frame["padding_type"].astype("str")
    tasks = tasks.where(is_placed, tasks + " " + frame["dispersion"].astype("str"))
    if "chain_of_thought" in frame:
        steps = frame["chain_of_thought"].astype("str").str.lower() == "true"
        tasks = tasks.mask(steps, tasks + " cot")
    return tasks


def _outcomes_of(table: RawTable, request: ReadRequest) -> dict[str, pd.Series]:
    """Return scores, the suite's own, to which empty responses are wrong, and statuses."""
    status = table.frame["response"].map(_status_of)
    right, is_empty = _rights_of(table), status == "empty"
    has_labels = "label" in table.frame or "correct" in table.frame
    official = right.mask(is_empty & right.isna(), False) if has_labels else right
    if wants_official(request):
        status = status.mask(is_empty, "ok")
    return {
        "correct": right.where(~is_empty & (status != "error"), None),
        OFFICIAL: official.where(status != "error", None),
        "what became of it": status,
        _IS_EMPTY: is_empty,
    }


def _status_of(response: object) -> str:
    if response is None or response != response:
        return "error"
    return "ok" if str(response).strip() else "empty"


def _rights_of(table: RawTable) -> pd.Series:
    """Return whether responses are right; missing where nothing says so."""
    frame = table.frame
    if "correct" in frame:
        return frame["correct"].astype(object)
    if "label" not in frame:
        return pd.Series(None, frame.index, dtype=object)
    said = frame["response"].map(read_verdict)
    if "normalized_response" in frame:
        said = frame["normalized_response"].map(_truth_of).fillna(said)
    right = said == _labels_of(table)
    return right.astype(object).where(frame["label"].notna(), None)


def _labels_of(table: RawTable) -> pd.Series:
    labels = table.frame["label"].map(_truth_of)
    is_bad = labels.notna() & ~labels.isin(["true", "false"])
    if is_bad.any():
        row = int(is_bad.to_numpy(dtype=bool).argmax())
        raise FormatError(
            describe(
                f"{table.origin.place(row)}: label is {shown(table.frame['label'].iloc[row])}",
                "expected true or false, or 1 or 0",
                "mend it, or give a column correct of 1 and 0",
            )
        )
    return labels


def _truth_of(value: object) -> str | None:
    """Return ``true`` or ``false``, however it is written; another word as it is.

    Examples
    --------
    >>> _truth_of(1), _truth_of("0.0"), _truth_of(True), _truth_of("other/refused")
    ('true', 'false', 'true', 'other/refused')
    """
    if value is None or value != value:
        return None
    word = str(value).strip().lower()
    return _TRUTHS.get(word, word)


def read_verdict(response: object) -> str:
    """Return what a response says by the suite's rule: ``true``, ``false`` or neither.

    Examples
    --------
    >>> read_verdict("False... so it is True."), read_verdict("It is not true."), read_verdict("?")
    ('true', 'false', 'other/refused')
    """
    text = str(response).lower().replace("not true", "false")
    last_true, last_false = text.rfind("true"), text.rfind("false")
    if last_true == last_false:
        return "other/refused"
    return "true" if last_true > last_false else "false"


FLENQA = Format(
    name="flenqa",
    title="FLenQA, the notebook's table of responses (CSV, JSON, JSONL or Parquet)",
    carries="language model, data set, padding and way of asking as task, length asked for, first, "
    "middle or last as depth, sample as case and cluster, right or wrong, also as the suite has it "
    "(official_score), empty responses as unscored, guess rate, output",
    lacks="places of facts that are spread at random, tokens received, failed requests",
    checked="files made after the code of the notebook",
    shapes=TABLE_SHAPES,
    sniff=_sniff,
    load=_load,
)
