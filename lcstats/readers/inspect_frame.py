"""Tables of samples as Inspect's ``samples_df`` makes them, saved as CSV or Parquet.

One row per sample and epoch, with ``metadata_NAME`` and ``score_SCORER`` columns (inspect_ai
0.3.285). Several scorers are asked about with ``filter_name``. Length and depth are metadata under
the usual names; the needle task's are tokens and percent. The language model is a column only where
``EvalModel`` was asked for, the task only where ``EvalTask`` was. ``error`` is empty where nothing
failed; an error, a limit that came before the score, and NaN are unscored. If every sample failed
there is no score at all. Epochs are repeats; those of different logs are counted on. Samples with
choices are guessed with one over their number.

Checked on tables that Inspect itself made of logs that its own code wrote: they say the same as
the logs.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace

import pandas as pd

from lcstats.errors import FormatError, describe
from lcstats.readers.formats import Format
from lcstats.readers.inspect_logs import METADATA, knowledge_of, word_of_limit
from lcstats.readers.request import ReadRequest
from lcstats.readers.runs import number_runs
from lcstats.readers.samples import Sample
from lcstats.readers.tables import load_tables
from lcstats.trials import Origin, RawTable

_SCORE = "score_"
_ABOUT_SCORES = ("_answer", "_explanation", "_reason", "_metadata", "_history")
_FIELDS = {"sample_id", "eval_id", "id", "epoch"}
_COLUMNS = {
    "model": "model",
    "task": "task_name",
    "case": "id",
    "repeat": "epoch",
    "score": "score",
    "filter": "scorer",
    "status": "outcome",
    "guess_rate": "one of the choices",
    "latency_s": "total_time",
}
_OPTIONAL = ("guess_rate", "latency_s")


def _sniff(sample: Sample, columns: Mapping[str, str]) -> bool:
    return set(sample.columns) >= _FIELDS


def _load(samples: Sequence[Sample], request: ReadRequest) -> list[RawTable]:
    return [_complete(table) for table in load_tables(samples, request)]


def _complete(table: RawTable) -> RawTable:
    scorers = _scorers_of(table.frame)
    if not scorers:
        raise FormatError(
            describe(
                f"{table.origin.name} has no column {_SCORE}SCORER: no sample was scored",
                "expected the scores of a run that did not fail throughout",
                "read the logs themselves, or make the table from runs that succeeded",
            )
        )
    rest = table.frame.drop(columns=[f"{_SCORE}{scorer}" for scorer in scorers])
    runs = rest["eval_id"].astype("str") + " " + rest["epoch"].astype("str")
    places = [name for name in rest.columns if str(name).startswith((METADATA, "model", "task"))]
    rest = rest.assign(epoch=number_runs(rest[["id", *places]].astype("str"), runs))
    if "choices" in rest:
        rest["one of the choices"] = rest["choices"].map(_share_of_choices).astype("float64")
    frames = [_scored_by(rest, scorer, table.frame[f"{_SCORE}{scorer}"]) for scorer in scorers]
    frame = pd.concat(frames, ignore_index=True)
    knowledge = knowledge_of(frame, _COLUMNS, _OPTIONAL, table.origin.name)
    origin = Origin.join([table.origin] * len(scorers))
    return replace(table, frame=frame, origin=origin, knowledge=knowledge)


def _scorers_of(frame: pd.DataFrame) -> list[str]:
    names = [str(name) for name in frame.columns if str(name).startswith(_SCORE)]
    about = {name + ending for name in names for ending in _ABOUT_SCORES}
    return [name.removeprefix(_SCORE) for name in names if name not in about]


def _scored_by(rest: pd.DataFrame, scorer: str, scores: pd.Series) -> pd.DataFrame:
    rows = zip(_texts_of(rest, "error"), _texts_of(rest, "limit"), scores.notna(), strict=True)
    outcomes = [_outcome_of(error, limit, bool(scored)) for error, limit, scored in rows]
    return rest.assign(scorer=scorer, score=scores.astype(object), outcome=outcomes)


def _texts_of(rest: pd.DataFrame, name: str) -> list[str]:
    """Return what a column says; nothing where there is no such column."""
    if name not in rest:
        return [""] * len(rest)
    return ["" if pd.isna(value) else str(value) for value in rest[name]]


def _outcome_of(error: str, limit: str, has_score: bool) -> str:
    """Return what became of a sample, in the order in which the logs are read."""
    if error:
        return "error"
    return word_of_limit(limit) if limit and not has_score else "ok"


def _share_of_choices(choices: object) -> float | None:
    """Return one over the number of choices, which a table has as JSON.

    Examples
    --------
    >>> _share_of_choices('["a", "b", "c", "d"]'), _share_of_choices("[]"), _share_of_choices(None)
    (0.25, None, None)
    """
    try:
        listed = json.loads(choices) if isinstance(choices, str) else choices
    except ValueError:
        return None
    return 1 / len(listed) if isinstance(listed, list) and listed else None


INSPECT_FRAME = Format(
    name="inspect_frame",
    title="table of samples made by Inspect's samples_df (CSV or Parquet)",
    carries="sample as case, epochs as repeats, length asked for and depth where metadata have "
    "them, scores of every scorer, errors and limits as unscored samples, choices as guess rate, "
    "duration; language model and task where they were asked for",
    lacks="language model and task by default, tokens of single samples, outputs",
    checked="tables that Inspect itself made of the 114 samples of three runs",
    shapes=("csv", "parquet"),
    sniff=_sniff,
    load=_load,
)
