"""Responses to FLenQA (alonj/Same-Task-More-Tokens, commit 5a1691c), tables of any shape.

The suite's notebook makes a table of responses and saves none: what is read is that table, saved as
CSV, JSON, JSONL or Parquet. ``ctx_size`` is the length asked for in tokens. ``dispersion`` says
where the facts are: ``first``, ``middle`` and ``last`` are the depths 0, .5 and 1; ``random`` has
none, and is a task of its own, as each padding is (``PIR books``, ``PIR books random``, ``PIR books
random cot``): the suite's main figure shows ``random`` and leaves out the padding ``identity``. The
case, and the cluster, is ``sample_dataset_id``: one sample is asked at every length, so they pair.

``correct`` is the score; where it is missing, ``normalized_response`` is compared with ``label``,
or the response read as the suite does: whichever of true and false comes last, "not true" being
false. Neither of them is wrong, as in the suite. Answers are guessed with one half.

Written from the code; no published responses were found to check it on.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import pandas as pd

from lcstats.readers.fields import require_fields
from lcstats.readers.formats import Format
from lcstats.readers.nested import nested_values
from lcstats.readers.request import ReadRequest
from lcstats.readers.samples import TABLE_SHAPES, Sample
from lcstats.readers.tables import load_tables
from lcstats.trials import Knowledge, RawTable

GUESS_RATE = 0.5
DEPTHS = {"first": 0.0, "middle": 0.5, "last": 1.0}
"""Where the facts are; anything else is no one place."""

_FIELDS = {"ctx_size", "dispersion", "padding_type", "dataset", "response"}
_IDS = ("sample_dataset_id", "sample_id")
_COLUMNS = {
    "model": "model",
    "task": "task of the suite",
    "case": "case of the suite",
    "length": "ctx_size",
    "depth": "dispersion as depth",
    "score": "correct",
    "cluster": "sample of the suite",
    "guess_rate": "guess_rate",
    "output": "response",
}


def _sniff(sample: Sample, columns: Mapping[str, str]) -> bool:
    return set(sample.columns) >= _FIELDS


def _load(samples: Sequence[Sample], request: ReadRequest) -> list[RawTable]:
    return [_complete(table) for table in load_tables(samples, request)]


def _complete(table: RawTable) -> RawTable:
    require_fields(table, _FIELDS - {"response"}, "flenqa")
    frame = table.frame.assign(response=nested_values(table.frame, "response"))
    frame["dispersion"] = frame["dispersion"].astype("str")
    frame = frame.assign(
        guess_rate=GUESS_RATE,
        correct=_scores_of(frame),
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


def _scores_of(frame: pd.DataFrame) -> pd.Series:
    """Return whether responses are right; missing where there is no response."""
    if "correct" in frame:
        return frame["correct"].astype(object).where(_is_answered(frame), None)
    said = frame["response"].map(read_verdict)
    if "normalized_response" in frame:
        said = frame["normalized_response"].astype("str").str.lower()
    if "label" not in frame:
        return pd.Series(None, frame.index, dtype=object)
    right = said == frame["label"].astype("str").str.lower()
    return right.astype(object).where(_is_answered(frame), None)


def _is_answered(frame: pd.DataFrame) -> pd.Series:
    return frame["response"].notna() & (frame["response"].astype("str") != "")


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
    "middle or last as depth, sample as case and cluster, right or wrong, guess rate, output",
    lacks="places of facts that are spread at random, tokens received, failed requests",
    checked="files made after the code of the notebook",
    shapes=TABLE_SHAPES,
    sniff=_sniff,
    load=_load,
)
