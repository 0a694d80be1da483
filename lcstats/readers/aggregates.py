"""Rows that stand for several trials in tables of anybody's making: counts and means.

``n`` beside ``correct`` may be a table of counts, and ``n`` beside ``accuracy`` one of means. Read
as single trials, 1 right of 100 would be a trial that went well. What such columns are is decided
on their values, and asked where those leave a doubt.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from lcstats.cells import Cells
from lcstats.errors import DesignWarning, Notice, OptionError, TableError, describe
from lcstats.options import ScoreScale
from lcstats.readers.counts import build_counts
from lcstats.readers.printed_means import (
    FLOAT_NOISE,
    half_of_last_digit,
    right_cases,
    top_of_scale,
)
from lcstats.trials import RawTable, Reading, TableOptions, Trials, build_trials
from lcstats.trials.columns import ALIASES, DESIGN_COLUMNS, match_columns, normalise_name
from lcstats.trials.values import Kind, Parsed, parse_column
from lcstats.trials.wording import CASES_PER_CELL, counted

N_NAMES = (*ALIASES["n_cases"], "total", "count", "num_trials", "n_samples", "num_samples")
"""What a number of trials goes by."""

RIGHT_NAMES = ("correct", "right", "passed", "hits", "num_correct", "n_passed", "num_passed")
"""What a number of right trials goes by, beside names that mean nothing else."""

DECLARED = "cases_per_cell"
"""Column with the number of cases that the call says each mean is of."""

_MEANS = "right, of the mean"
_N_SHOWN = 5
_HEAD = 1000


@dataclass(frozen=True, slots=True, eq=False)
class _Columns:
    """The columns of one table that may hold counts, and what they are called."""

    table: RawTable
    n_name: str
    n: Parsed
    name: str
    values: Parsed
    is_alone: bool
    has_cases: bool

    @property
    def is_declared(self) -> bool:
        return self.n_name == DECLARED

    @property
    def is_outcome(self) -> bool:
        """Whether all values are 0 and 1, which single trials have too."""
        return bool(np.isin(self.values.values[self.values.is_kind(Kind.NUMBER)], (0, 1)).all())

    @property
    def counts_rows(self) -> bool:
        """Whether the number is that of the row, or 1 everywhere."""
        n = self.n.values
        steps = np.diff(n)
        return bool((n == 1).all() or (n.size > 1 and (steps == 1).all() and n[0] <= 1))


def build_table(
    tables: Sequence[RawTable], options: TableOptions, reading: Reading
) -> Trials | Cells:
    """Turn tables of anybody's making into trials, or into cells if they hold counts or means.

    Parameters
    ----------
    tables : sequence of RawTable
        At least one.
    options : TableOptions
        What the call asked for; a column named as ``score`` is one of single trials.
    reading : Reading
        Format and files.

    Returns
    -------
    Trials or Cells

    Raises
    ------
    TableError
        If values leave open what rows stand for, a mean is not one of so many cases, or as
        :func:`lcstats.trials.build_trials` and :func:`lcstats.readers.counts.build_counts` say.
    OptionError
        If the call says of how many cases each mean is, and the rows are single trials.
    """
    counted_tables = [_as_counts(table, options) for table in tables]
    kept = [table for table in counted_tables if table is not None]
    if kept and len(kept) == len(tables):
        return build_counts(kept, replace(options, score_scale=None), reading)
    _refuse_declared(tables)
    trials = build_trials(tables, options, reading)
    return replace(trials, notices=(*trials.notices, *_mean_notices(trials)))


def _as_counts(table: RawTable, options: TableOptions) -> RawTable | None:
    """Return the table with its columns of counts named, or None if it holds single trials."""
    columns = None if "score" in options.columns else _find(table, options)
    if columns is None or not _are_whole(columns.n, least=0):
        return None
    spelled, n = normalise_name(columns.name), columns.n_name
    right: str | None = None
    if columns.is_declared or spelled not in (*ALIASES["successes"], *RIGHT_NAMES):
        is_mean = _is_mean(columns)
    elif spelled in ALIASES["successes"]:
        right, is_mean = columns.name if _agree(columns, table.frame) else None, False
    else:
        right = columns.name if _are_counts(columns) else None
        is_mean = right is None and spelled in ALIASES["score"] and _is_mean(columns)
    if is_mean:
        right, table = _MEANS, _with_right(columns, options.score_scale)
    if right is None:
        return None
    known = {**table.knowledge.columns, "n_cases": n, "successes": right}
    notices = (*table.notices, *_counts_notices(columns, is_mean=is_mean))
    return replace(table, knowledge=replace(table.knowledge, columns=known), notices=notices)


def _counts_notices(columns: _Columns, *, is_mean: bool) -> tuple[Notice, ...]:
    """Say that rows were taken for several trials where the call did not say so."""
    if columns.is_declared:
        return ()
    n, name = columns.n_name, columns.name
    taken = f"{name} as the mean of {n} trials" if is_mean else f"{name} of {n} trials as right"
    name = _only([str(name) for name in columns.table.frame], ALIASES["score"]) or name
    return (
        Notice(
            "counts-in-rows",
            f"{columns.table.origin.name}: every row was read as a cell, {taken}; if a row is one "
            f"trial pass columns={{'score': {name!r}}} (--map score={name})",
        ),
    )


def _find(table: RawTable, options: TableOptions) -> _Columns | None:
    """Find one number of trials and one column beside it that tells how many were right."""
    header = [str(name) for name in table.frame]
    n_name = options.columns.get("n_cases") or _only(header, N_NAMES)
    if DECLARED in table.knowledge.columns.values():
        if n_name is not None:
            raise _no_means(table)
        n_name = DECLARED
    k_names = (ALIASES["successes"], RIGHT_NAMES, ALIASES["score"])
    name = next(filter(None, (_only(header, names) for names in k_names)), None)
    if n_name is None or n_name not in header or name is None:
        return None
    own = {key: theirs for key, theirs in options.columns.items() if key in DESIGN_COLUMNS}
    place = match_columns(header, DESIGN_COLUMNS, overrides=own, table=table.origin.name)
    return _Columns(
        table=table,
        n_name=n_name,
        n=parse_column(table.frame[n_name]),
        name=name,
        values=parse_column(table.frame[name]),
        is_alone=not table.frame[list(place.values())].astype("str").duplicated().any(),
        has_cases="case" in options.columns or _only(header, ALIASES["case"]) is not None,
    )


def _only(header: Sequence[str], names: Sequence[str]) -> str | None:
    found = [name for name in header if normalise_name(name) in names]
    return found[0] if len(found) == 1 else None


def _are_whole(parsed: Parsed, least: int) -> bool:
    values = parsed.values
    is_number = parsed.is_kind(Kind.NUMBER)
    return bool(is_number.all() and (values >= least).all() and (values == values.round()).all())


def _agree(columns: _Columns, frame: pd.DataFrame) -> bool:
    """Tell whether n and k make the score beside them, so that the row is one of counts."""
    name = _only([str(name) for name in frame], ALIASES["score"])
    if name is None or not _are_whole(columns.values, least=0) or (columns.n.values < 1).any():
        return False
    share = columns.values.values / columns.n.values
    score = parse_column(frame[name]).values
    top = 100 if np.nanmax(score, initial=0) > 1 else 1
    half = float(_half_of_last_digit(frame[name])) / top
    agree = np.abs(share - score / top) <= half * (1 + 1e-6)
    return bool(agree.all() and (columns.n.values > 1).any() and (share > 0).any())


def _are_counts(columns: _Columns) -> bool:
    """Tell whether whole numbers beside a number of trials are the right ones among them."""
    n, k = columns.n.values, columns.values.values
    if not _are_whole(columns.values, least=0) or (k > n).any() or not (n > 1).any():
        return False
    if columns.is_outcome and (columns.has_cases or not columns.is_alone or columns.counts_rows):
        return False
    if columns.is_outcome or columns.has_cases:
        raise _in_doubt(columns, "a count of right trials or the outcome of one")
    return True


def _is_mean(columns: _Columns) -> bool:
    """Tell whether scores beside a number of trials are the means of so many."""
    if columns.is_declared:
        if columns.is_alone and not columns.has_cases:
            return True
        raise _no_means(columns.table)
    if columns.has_cases or columns.counts_rows or columns.values.is_kind(Kind.BAD).any():
        return False
    if columns.is_outcome and not columns.is_alone:
        return False
    if columns.is_outcome or not columns.is_alone:
        raise _in_doubt(columns, f"the mean of {columns.n_name} trials or the score of one")
    return True


def _in_doubt(columns: _Columns, either: str) -> TableError:
    n, name = columns.n_name, columns.name
    return TableError(
        describe(
            f"{columns.table.origin.name}: a row has {n} {columns.n.values[0]:g} and {name} "
            f"{columns.values.values[0]:g}, which may be {either}",
            "expected columns that tell counts from single trials",
            f"for counts pass columns={{'n_cases': {n!r}, 'successes': 'THEIRS'}} "
            f"(--map n_cases={n} --map successes=THEIRS), THEIRS being how many were right; for "
            f"single trials columns={{'score': {name!r}}} (--map score={name})",
        )
    )


def _with_right(columns: _Columns, scale: ScoreScale | None) -> RawTable:
    """Add how many were right to a table of means; rows without a mean or a case are left out."""
    frame, origin = columns.table.frame, columns.table.origin
    is_filled = columns.values.is_kind(Kind.NUMBER) & (columns.n.values > 0)
    highest = float(np.nanmax(columns.values.values, initial=0))
    top = top_of_scale(f"{origin.name}: {columns.name}", highest, scale)
    is_whole = top == 1 and columns.is_outcome
    half = FLOAT_NOISE if is_whole else _half_of_last_digit(frame[columns.name])
    right = np.zeros(len(frame), dtype=np.int64)
    faults = []
    for row in np.flatnonzero(is_filled):
        n, mean = int(columns.n.values[row]), Decimal(repr(float(columns.values.values[row])))
        candidates = right_cases(mean * n / top, half * n / top)
        if len(candidates) == 1 and 0 <= candidates[0] <= n:
            right[row] = candidates[0]
        else:
            faults.append(_fault(columns, int(row), len(candidates) > 1))
    if faults:
        more = [f"and {counted(len(faults) - _N_SHOWN, 'more row')}"] * (len(faults) > _N_SHOWN)
        raise TableError("\n".join([*faults[:_N_SHOWN], *more]))
    added = frame.assign(**{_MEANS: right})[is_filled].reset_index(drop=True)
    return replace(columns.table, frame=added, origin=origin.select(is_filled))


def _half_of_last_digit(column: pd.Series) -> Decimal:
    """Return how far rounding can have moved a number: a column is written with so many digits."""
    parsed = parse_column(column)
    numbers = np.unique(parsed.values[parsed.is_kind(Kind.NUMBER)])
    exponents = [int(Decimal(repr(float(x))).normalize().as_tuple().exponent) for x in numbers]
    n_decimals = max((-exponent for exponent in exponents), default=0)
    return half_of_last_digit(max(n_decimals, 0))


def _fault(columns: _Columns, row: int, has_several: bool) -> str:
    n, mean = columns.n.values[row], columns.values.values[row]
    place = f"{columns.table.origin.place(row)}: {columns.name} {mean:g} of {columns.n_name} {n:g}"
    if has_several:
        return describe(
            f"{place} has too few digits to tell how many were right",
            "expected one whole number of right trials that rounds to it",
            "write the means with more digits, or how many were right",
        )
    return describe(
        f"{place} is no whole number of right trials",
        "expected the mean of so many trials that are right or wrong, up to rounding",
        f"correct {columns.n_name} and the scale of scores, or read the single trials; if a row is "
        f"one trial pass columns={{'score': {columns.name!r}}} (--map score={columns.name})",
    )


def _refuse_declared(tables: Sequence[RawTable]) -> None:
    for table in tables:
        if DECLARED in table.knowledge.columns.values():
            raise _no_means(table)


def _no_means(table: RawTable) -> OptionError:
    return OptionError(
        describe(
            f"cases_per_cell is {table.frame[DECLARED].iloc[0]}, and {table.origin.name} is no "
            "table of means alone: it has case ids, numbers of trials, or several rows per length "
            "and depth",
            "expected a table of means, with one for each length and depth",
            "leave out --cases-per-cell",
        )
    )


def _mean_notices(trials: Trials) -> tuple[Notice, ...]:
    """Say what a table looks like that has one graded score per length and depth, and no ids."""
    frame, place = trials.frame, list(DESIGN_COLUMNS)
    if trials.has_case_ids or frame.head(_HEAD).duplicated(place).any():
        return ()
    graded = _is_graded(frame["score"].to_numpy(np.float64))
    if not graded.any() or frame.duplicated(place).any():
        return ()
    return (
        Notice(
            "perhaps-means",
            f"{counted(int(graded.sum()), 'score')} between 0 and 1, one row per length and depth, "
            "and no case ids: every row was read as a single trial; if they are means over "
            f"several, pass {CASES_PER_CELL} where each is of N "
            "cases, or write columns n and k",
            DesignWarning,
        ),
    )


def _is_graded(scores: NDArray[np.float64]) -> NDArray[np.bool_]:
    return np.asarray((scores > 0) & (scores < 1), dtype=bool)
