"""From the reading flags to trials and cells: reading, choosing rows, making groups."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from lcstats.cli.options import GROUP, ReadingOptions
from lcstats.cli.output import working_on
from lcstats.errors import OptionError, describe

NO_CLUSTER = "none"

if TYPE_CHECKING:
    import pandas as pd

    from lcstats.cells import Cells, Results
    from lcstats.trials import Trials


def read_results(reading: ReadingOptions, by: Sequence[str] = GROUP) -> "Results":
    """Read results as the flags say, keep the selected rows, and split tasks by more columns.

    Raises
    ------
    LcstatsError
        Whatever reading refuses, or a column that the table does not have.
    """
    from lcstats.readers import read_trials

    with working_on(f"Reading {', '.join(reading.paths[:3])}"):
        results = read_trials(
            reading.paths,
            format=reading.format,
            model_name=reading.model_name,
            columns=_columns(reading),
            depth_unit=reading.depth_unit,
            score_scale=reading.score_scale,
            score_threshold=reading.score_threshold,
            length_unit=reading.length_unit,
            axis=reading.axis,
            filter_name=reading.filter_name,
            keep_truncated=reading.keep_truncated,
            encoding=reading.encoding,
            decimal=reading.decimal,
            skip_bad_lines=reading.skip_bad_lines,
            cases_per_cell=reading.cases_per_cell,
        )
    if reading.cluster == NO_CLUSTER:
        results = _without_clusters(results)
    for column, value in reading.select:
        results = _select(results, column, value)
    return split_by(results, by)


def _columns(reading: ReadingOptions) -> dict[str, str]:
    """Return the columns that were named, the cluster's among them."""
    if reading.cluster in (None, NO_CLUSTER):
        return reading.columns
    return {**reading.columns, "cluster": str(reading.cluster)}


def _without_clusters(results: "Results") -> "Results":
    """Leave out what says which cases hang together; counts say nothing of it."""
    from lcstats.trials import Trials

    if not isinstance(results, Trials):
        return results
    frame = results.frame.drop(columns="cluster", errors="ignore")
    return replace(results, frame=frame)


def count_results(results: "Results", reading: ReadingOptions, *, average: bool = False) -> "Cells":
    """Count cells as the flags say, and average tasks where that was asked for."""
    from lcstats.cells import average_tasks, count_cells

    cells = count_cells(results, repeats=reading.repeats, axis=reading.axis)
    return average_tasks(cells) if average else cells


def _select(results: Any, column: str, value: str) -> Any:
    if column in GROUP:
        return results.select(**{column: value})
    frame = _frame_of(results, column, "--select", "model or task")
    kept = frame[column].astype(str) == value
    if not kept.any():
        present = ", ".join(sorted(map(str, frame[column].dropna().unique()))[:8])
        raise OptionError(
            describe(
                f"no row has {column} {value!r}",
                f"expected one of {present}",
                f"write --select {column}=VALUE with a value of the table",
            )
        )
    return _with_frame(results, frame[kept].reset_index(drop=True))


def split_by(results: "Results", by: Sequence[str]) -> "Results":
    """Make a group of each combination of values; columns beyond model and task name the task.

    Raises
    ------
    OptionError
        If model or task is missing from `by`, or the table lacks a column.
    """
    if not set(GROUP) <= set(by):
        raise OptionError(
            describe(
                f"--by is {','.join(by)}",
                "expected model and task among the columns, because results of different ones "
                "are not mixed",
                f"write --by {','.join((*GROUP, *(c for c in by if c not in GROUP)))}",
            )
        )
    for column in by:
        if column in GROUP:
            continue
        frame = _frame_of(results, column, "--by", "model,task")
        values = frame[column].astype(str).where(frame[column].notna(), "none")
        task = frame["task"].astype(str) + f" {column}=" + values
        results = _with_frame(results, frame.assign(task=task))
    return results


def single_trials(results: Any, expected: str, mend: str) -> "Trials":
    """Return results that are trials; say what was expected of them, and the mend, of others.

    Raises
    ------
    OptionError
        If the files hold counts or means.
    """
    from lcstats.trials import Trials

    if isinstance(results, Trials):
        return results
    raise OptionError(describe("the files hold counts or means, not single trials", expected, mend))


def _frame_of(results: Any, column: str, flag: str, instead: str) -> "pd.DataFrame":
    """Return the table of trials if it has a column."""
    from lcstats.trials import Trials

    if not isinstance(results, Trials):
        raise OptionError(
            describe(
                f"{flag} names {column!r}, and the files hold counts or means, not single trials",
                "expected model or task",
                f"write {flag} with {instead}",
            )
        )
    frame = results.frame
    if column not in frame:
        raise OptionError(
            describe(
                f"{flag} names {column!r}, which is no column",
                f"expected one of {', '.join(map(str, frame.columns))}",
                f"correct {flag}",
            )
        )
    return frame


def _with_frame(results: Any, frame: "pd.DataFrame") -> Any:
    return replace(results, frame=frame)
