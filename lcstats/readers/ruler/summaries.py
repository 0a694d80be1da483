"""Means of tasks: the ``summary.csv`` that RULER's evaluate.py writes."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from lcstats.cells import Cells, cells_from_count_frame
from lcstats.errors import FormatError, Notice, OptionError, TableError, describe
from lcstats.readers.csv_table import load_csv
from lcstats.readers.encodings import decode_head
from lcstats.readers.folders import folders_above
from lcstats.readers.request import ReadRequest
from lcstats.readers.ruler.paths import LENGTH_FOLDER, MODEL_FOLDER, length_of
from lcstats.readers.samples import Sample, split_line
from lcstats.trials import Knowledge, Origin, Part, RawTable, Reading, TableOptions
from lcstats.trials.assemble import no_scored_trials
from lcstats.trials.columns import DESIGN_COLUMNS
from lcstats.trials.design import read_design
from lcstats.trials.faults import Faults
from lcstats.trials.naming import name_columns
from lcstats.trials.wording import counted

NULLS = "nulls"
"""Column with the number of empty predictions, which tables of single trials do not have."""

_TASKS = re.compile(r"^Tasks,(.*)$", re.MULTILINE)
_NULLS = re.compile(r"(\d{1,15})/(\d{1,15})")
_AVERAGE = re.compile(r"(?<![a-z])w?(avg|average|mean)(?![a-z])", re.IGNORECASE)
"""A word in the names of columns that are no tasks."""

_N_ANSWERS = {"niah_multivalue": 4, "niah_multiquery": 4, "vt": 5, "cwe": 10, "fwe": 3}
"""Answers that a prompt of a task asks for, where it is not one."""

_FINEST = 10_000
"""Two decimals of a percentage tell so many sums apart."""


def is_summary(sample: Sample) -> bool:
    """Tell whether a file has tasks for columns, under the numbers that pandas puts there."""
    counts_up = sample.columns == tuple(map(str, range(len(sample.columns))))
    return counts_up and re.search(rb"^Tasks,", sample.source.data, re.MULTILINE) is not None


def tasks_in(summary: Sample) -> set[str]:
    """Return the tasks that a summary has means of."""
    match = _TASKS.search(decode_head(summary.source.data, summary.codec))
    names = split_line(match[1].strip(), ",") if match else ()
    return {name for name in names if not _AVERAGE.search(name)}


def load_summaries(
    samples: Sequence[Sample], models: Mapping[Sample, str], request: ReadRequest
) -> RawTable:
    """Load the mean of every task; a task's own summary gives way to the one of all tasks.

    Parameters
    ----------
    samples : sequence of Sample
    models : mapping of Sample to str
        Language model of each file, where its path has one.
    request : ReadRequest
    """
    in_all: dict[tuple[str, ...], set[str]] = {}
    frames, notices = [], []
    ordered = sorted(samples, key=lambda sample: sample.source.stem != "summary")
    for sample in ordered:
        frame = _load_summary(sample, request)
        if sample in models:
            frame[MODEL_FOLDER] = models[sample]
        known = in_all.setdefault(folders_above(sample), set())
        again = frame["task"].isin(known)
        if again.any():
            names = ", ".join(frame["task"][again])
            message = f"{sample.name}: {names} left out, which summary.csv beside it holds too"
            notices.append(Notice("summary-twice", message))
        frames.append(frame[~again])
        known.update(frame["task"])
    return _joined(ordered, frames, notices)


def _joined(
    samples: Sequence[Sample], frames: Sequence[pd.DataFrame], notices: Sequence[Notice]
) -> RawTable:
    parts = [
        Part(sample.name, len(frame), "task", frame["number"].tolist().__getitem__)
        for sample, frame in zip(samples, frames, strict=True)
    ]
    frame = pd.concat(frames, ignore_index=True).drop(columns="number")
    n_empty = int(frame[NULLS].sum())
    known = {"task": "task", "length": LENGTH_FOLDER, "model": MODEL_FOLDER}
    known = {name: theirs for name, theirs in known.items() if theirs in frame}
    return RawTable(
        frame,
        Origin(tuple(parts)),
        Knowledge(known, aliases=False),
        (*_empty_notices(n_empty), *notices),
    )


def _empty_notices(n_empty: int) -> tuple[Notice, ...]:
    if not n_empty:
        return ()
    message = f"{counted(n_empty, 'output')} empty, which RULER's means count as wrong: "
    return (Notice("empty-outputs", message + "read pred/TASK.jsonl to have them unscored"),)


def _load_summary(sample: Sample, request: ReadRequest) -> pd.DataFrame:
    rows = load_csv(sample, request).frame.fillna("").astype("str").to_numpy().tolist()
    lines = {row[0]: row[1:] for row in rows}
    missing = {"Tasks", "Score", "Nulls"} - lines.keys()
    if missing:
        raise FormatError(
            describe(
                f"{sample.name} has no row {' and '.join(sorted(missing))}",
                "expected the rows Tasks, Score and Nulls: means need the number of predictions",
                "run RULER's evaluate.py again, or read pred/TASK.jsonl",
            )
        )
    found = [
        _summed(sample, number, *cells)
        for number, cells in enumerate(
            zip(lines["Tasks"], lines["Score"], lines["Nulls"], strict=True), 1
        )
        if not _AVERAGE.search(cells[0])
    ]
    _refuse_twice(sample, [str(row["task"]) for row in found])
    frame = pd.DataFrame(found)
    frame[LENGTH_FOLDER] = length_of(sample, request)
    return frame


def _refuse_twice(sample: Sample, tasks: Sequence[str]) -> None:
    twice = sorted({task for task in tasks if tasks.count(task) > 1})
    if twice:
        raise FormatError(
            describe(
                f"{sample.name} lists {', '.join(twice)} more than once",
                "expected one mean for each task",
                "remove the other columns, or read pred/TASK.jsonl",
            )
        )


def _summed(sample: Sample, number: int, task: str, score: str, nulls: str) -> dict[str, object]:
    """Return how many predictions a task has, and the sum of their scores."""
    match = _NULLS.fullmatch(nulls)
    try:
        mean = float(score)
    except ValueError:
        mean = float("nan")
    if not task or match is None or not 0 <= mean <= 100:
        raise FormatError(
            describe(
                f"{sample.name}: task {task!r} has the score {score!r} and the nulls {nulls!r}",
                "expected a name, a percentage, and empty predictions of all, such as 0/500",
                "run RULER's evaluate.py again, or read pred/TASK.jsonl",
            )
        )
    n_cases = int(match[2])
    total = sum_of_mean(mean / 100, n_cases, _N_ANSWERS.get(task, 1))
    row = {"task": task, "number": number, "n_cases": n_cases, "successes": total}
    return {**row, NULLS: int(match[1])}


def sum_of_mean(mean: float, n_cases: int, n_answers: int) -> float:
    """Return the sum of scores behind a mean that was rounded to two decimals of a percentage.

    Parameters
    ----------
    mean : float
        In [0, 1].
    n_cases : int
    n_answers : int
        Each score is a share of so many answers.

    Examples
    --------
    >>> sum_of_mean(0.7667, 10, 3) * 3, sum_of_mean(0.3684, 19, 1)
    (23.0, 7.0)
    """
    n_parts = n_cases * n_answers
    nearest = round(mean * n_parts)
    is_exact = abs(mean * n_parts - nearest) <= 0.5e-4 * n_parts + 1e-6 and n_parts < _FINEST
    return nearest / n_answers if is_exact else mean * n_cases


def build_cells(tables: Sequence[RawTable], options: TableOptions, reading: Reading) -> Cells:
    """Turn means and numbers of predictions into cells, which hold sums of shares."""
    named = name_columns(tables, options, wanted=DESIGN_COLUMNS, required=("length",))
    if options.score_threshold is not None:
        raise OptionError(
            describe(
                f"{named.origin.name} holds mean scores, and a score threshold was given",
                "expected scores of single trials for it",
                "leave out --score-threshold, or read pred/TASK.jsonl",
            )
        )
    faults = Faults(named.origin)
    design = read_design(named, options, faults)
    faults.raise_any()
    if not named.frame["n_cases"].any():
        raise TableError(no_scored_trials(named.origin.name, "no task has predictions"))
    frame = design.frame.assign(
        n_cases=named.frame["n_cases"].astype(np.int64),
        successes=named.frame["successes"].astype(np.float64),
    )
    return cells_from_count_frame(
        frame,
        length_unit=design.length_unit,
        reading=replace(reading, mapping=dict(named.mapping), depth_unit=design.depth_unit),
        notices=(*named.notices, *design.notices),
    )
