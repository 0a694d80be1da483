"""LangSmith exports of gkamradt/LLMTest_NeedleInAHaystack's runs with several needles, as CSV.

The files of ``viz/multi-needle-datasets`` (commit 7b90d28). A trial is a run, named by
``run_url``. ``langsmith_needles`` has one row per needle: ``insertion %``, ``context size`` (tokens
asked for), ``retrieved_needles_check`` 0 or 1. The trial's score is the share of its needles found
by these rows, not by the column ``retrieved_needles``, which disagrees with them in places.
``langsmith_runs`` has one row per run: ``context length``, ``fract per turn`` (the score),
``retrieved needles`` and a list ``insertion_percentages``; it does not say which needle was found.
The two are not the same set of runs, so they are not read together.

The name of a run is ``LENGTH-DEPTH--MODEL--TASK--ID``; its nominal depth, in percent, is where the
first needle goes. A case is a placement of needles, and runs with the same placement are its
repeats. ``needle_depths`` are fractions of the context after earlier insertions, as the runner
measured them. Checked on the published files (90, 102 and 28 runs of GPT-4).

Nobody guesses a needle: the guess rate is 0.
"""

import ast
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pandas as pd

from lcstats.errors import Notice
from lcstats.readers.csv_table import load_csv
from lcstats.readers.fields import FieldKind, check_fields
from lcstats.readers.formats import Format, Load
from lcstats.readers.request import ReadRequest
from lcstats.readers.runs import number_runs, short_digest
from lcstats.readers.samples import Sample
from lcstats.trials import Knowledge, RawTable
from lcstats.trials.wording import counted

_NEEDLE_FIELDS = (
    *("run_url", "run name", "context size", "needle"),
    *("insertion %", "retrieved_needles_check", "total_needles"),
)
_RUN_FIELDS = (
    *("run_url", "run_name", "context length", "fract per turn", "depth %"),
    *("total needles", "needles", "insertion_percentages"),
)
_ONE_NEEDLE = ["needle", "insertion %", "retrieved_needles_check"]
_RUN_NAME = r"^\d+-(?P<depth>[\d.]+)--(?P<model>.+)--(?P<task>.+)--[^-]+$"
_INDEX = re.compile(r"Unnamed: \d")

_NEEDLE_COLUMNS = {
    "model": "model in run name",
    "task": "task in run name",
    "case": "needle placement",
    "repeat": "run",
    "length": "context size",
    "depth": "depth in run name",
    "score": "share of needles found",
    "status": "needle rows",
    "n_needles": "total_needles",
    "n_found": "needles found",
    "needle_depths": "insertion %",
    "needle_found": "retrieved_needles_check",
}
_RUN_COLUMNS = {
    "model": "model name",
    "task": "task in run name",
    "case": "needle placement",
    "repeat": "run",
    "length": "context length",
    "depth": "depth %",
    "score": "fract per turn",
    "n_needles": "total needles",
    "n_found": "retrieved needles",
    "needle_depths": "insertion_percentages",
    "output": "answer",
}


def _sniff(fields: Sequence[str]) -> Callable[[Sample, Mapping[str, str]], bool]:
    return lambda sample, columns: set(fields) <= set(sample.columns)


def _load(
    fields: Sequence[str],
    columns: Mapping[str, str],
    complete: Callable[[RawTable], RawTable],
) -> Load:
    """Return what loads files that have these fields; other files only get their columns named."""

    def load(samples: Sequence[Sample], request: ReadRequest) -> list[RawTable]:
        return [load_one(load_csv(sample, request)) for sample in samples]

    def load_one(table: RawTable) -> RawTable:
        if set(fields) <= set(table.frame):
            table = complete(table)
        known = {name: theirs for name, theirs in columns.items() if theirs in table.frame}
        knowledge = Knowledge(known, aliases=False, depth_unit="percent", score_scale="0-1")
        return replace(table, knowledge=knowledge)

    return load


def _complete_needles(table: RawTable) -> RawTable:
    """Put the needle rows of each run together."""
    frame = table.frame
    if frame.empty:
        return replace(table, frame=frame.reindex(columns=list(_NEEDLE_COLUMNS.values())))
    frame = frame.assign(run_url=_runs_of(frame))
    trials = [_merge_needles(rows) for _, rows in frame.groupby("run_url", sort=False)]
    is_first = ~frame["run_url"].duplicated()
    merged = _name_runs(pd.DataFrame(trials))
    return RawTable(
        merged,
        table.origin.select(is_first.to_numpy()),
        notices=(*table.notices, *_needle_notices(merged)),
    )


def _runs_of(frame: pd.DataFrame) -> pd.Series:
    """Return the run of every row: its URL, or its name, in which every run has a code of its own.

    A row without either is a run by itself.
    """
    urls, names = frame["run_url"], frame["run name"]
    rows = pd.Series([f"row {row}" for row in range(len(frame))], index=frame.index)
    named = ("name " + names.astype("str")).where(names.notna(), rows)
    return urls.astype("str").where(urls.notna(), named)


def _merge_needles(rows: pd.DataFrame) -> dict[str, Any]:
    """Return one trial from the needle rows of a run; without a score if rows are missing."""
    first = rows.iloc[0]
    rows = rows.drop_duplicates(_ONE_NEEDLE).sort_values("insertion %", kind="stable")
    depths = pd.to_numeric(rows["insertion %"], errors="coerce").tolist()
    checks = pd.to_numeric(rows["retrieved_needles_check"], errors="coerce")
    is_whole = len(rows) == first["total_needles"] and checks.isin([0, 1]).all()
    found = checks.astype(int).tolist() if is_whole else None
    return {
        "run_url": first["run_url"],
        "run_name": first["run name"],
        "context size": first["context size"],
        "total_needles": first["total_needles"],
        "needle placement": _placement(rows["needle"].tolist(), depths),
        "insertion %": _fractions(depths) if is_whole else None,
        "retrieved_needles_check": found,
        "needles found": None if found is None else sum(found),
        "share of needles found": None if found is None else sum(found) / len(found),
        "needle rows": "ok" if is_whole else "unparsed",
        "retrieved_needles": first.get("retrieved_needles"),
    }


_PERCENTAGES: Mapping[str, FieldKind] = {"insertion_percentages[]": "number"}


def _complete_runs(table: RawTable) -> RawTable:
    frame = table.frame
    needles = frame["needles"].map(_list_of)
    places = frame["insertion_percentages"].map(_list_of)
    percentages = replace(table, frame=pd.DataFrame({"insertion_percentages": places}))
    check_fields(percentages, _PERCENTAGES, "langsmith_runs", are_needed=True)
    is_whole = places.map(len) == frame["total needles"]
    added: dict[str, Any] = {
        "needle placement": list(map(_placement, needles, places)),
        "insertion_percentages": places.map(_fractions).where(is_whole),
    }
    return replace(table, frame=_name_runs(frame.assign(**added)))


def _list_of(text: object) -> list[Any]:
    """Read the Python list in a cell; an empty list where there is none."""
    try:
        value = ast.literal_eval(str(text).strip())
    except (MemoryError, SyntaxError, TypeError, ValueError):
        return []
    return value if isinstance(value, list) else []


def _placement(needles: Sequence[object], depths: Sequence[float]) -> str:
    places = " ".join(f"{depth:.2f}" for depth in depths)
    texts = [str(needle).strip() for needle in needles]
    return f"{counted(len(texts), 'needle')} at {places} % #{short_digest(texts)}"


def _fractions(percentages: Sequence[float]) -> list[float]:
    return [round(percentage / 100, 9) for percentage in percentages]


def _name_runs(frame: pd.DataFrame) -> pd.DataFrame:
    """Add what the runs' names say, and number the runs of each case."""
    frame = frame[[name for name in frame if not _INDEX.match(str(name))]]
    named = frame["run_name"].astype("str").str.extract(_RUN_NAME).add_suffix(" in run name")
    if "model name" in frame:
        named = named[["task in run name"]]
    frame = frame.assign(**named.loc[:, named.notna().all()])
    length = "context size" if "context size" in frame else "context length"
    cell = [name for name in (*named, "model name", length, "needle placement") if name in frame]
    return frame.assign(run=number_runs(frame[cell], frame["run_url"]))


def _needle_notices(trials: pd.DataFrame) -> tuple[Notice, ...]:
    n_broken = int((trials["needle rows"] != "ok").sum())
    counts = pd.to_numeric(trials["retrieved_needles"], errors="coerce")
    found = pd.to_numeric(trials["needles found"], errors="coerce")
    n_others = int(((counts != found) & counts.notna() & found.notna()).sum())
    said = (
        (
            n_broken,
            "needle-rows",
            f"{counted(n_broken, 'run')} without one row of 0 or 1 for each needle: not scored",
        ),
        (
            n_others,
            "needle-counts",
            f"{counted(n_others, 'run')} whose retrieved_needles is not what the rows of needles "
            "add up to: the rows were used",
        ),
    )
    return tuple(Notice(code, message) for n, code, message in said if n)


LANGSMITH_NEEDLES = Format(
    name="langsmith_needles",
    title="LangSmith export of Kamradt's runs with several needles, one CSV row per needle",
    carries="run as trial, language model and task (in its name), length asked for, depth of the "
    "first needle, depths of needles and which were found, needle placement as case",
    lacks="outputs, tokens received, failed requests; needle depths are measured after earlier "
    "insertions",
    checked="the published file, 90 runs of GPT-4 with 612 needles",
    shapes=("csv",),
    sniff=_sniff(_NEEDLE_FIELDS),
    load=_load(_NEEDLE_FIELDS, _NEEDLE_COLUMNS, _complete_needles),
)

LANGSMITH_RUNS = Format(
    name="langsmith_runs",
    title="LangSmith export of Kamradt's runs with several needles, one CSV row per run",
    carries="run as trial, language model, task (in its name), length asked for, depth of the "
    "first needle, share of needles found, depths of needles, needle placement as case, output",
    lacks="which needles were found, tokens received, failed requests; needle depths are measured "
    "after earlier insertions",
    checked="the published files, 102 and 28 runs of GPT-4",
    shapes=("csv",),
    sniff=_sniff(_RUN_FIELDS),
    load=_load(_RUN_FIELDS, _RUN_COLUMNS, _complete_runs),
)
