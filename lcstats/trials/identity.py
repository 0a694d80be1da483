"""Whose trial is this: cases, repeats, exact copies, second attempts and contradictions."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from lcstats.errors import DuplicateWarning, Notice, TableError, describe
from lcstats.trials.origin import Origin
from lcstats.trials.values import number_integers
from lcstats.trials.wording import counted

CELL = ("model", "task", "length", "depth")
KEY = (*CELL, "case", "repeat")
_N_SHOWN = 5


@dataclass(frozen=True, slots=True, eq=False)
class Identified:
    """A table in which no two rows are the same trial.

    Attributes
    ----------
    frame : DataFrame
        The rows that stay, in their order, with unique :data:`KEY` values.
    n_duplicates : int
        Exact copies that were dropped.
    notices : tuple of Notice
        What was dropped or numbered.
    """

    frame: pd.DataFrame
    n_duplicates: int
    notices: tuple[Notice, ...]


def combine_codes(codes: Sequence[NDArray[np.int64]]) -> NDArray[np.int64]:
    """Number the combinations of several codes (-1: missing) with one integer per row.

    Rows get equal numbers exactly where all their codes are equal.

    Examples
    --------
    >>> combine_codes([np.array([0, 0, 1]), np.array([-1, 2, -1])]).tolist()
    [0, 3, 4]
    """
    combined = np.zeros(codes[0].size, dtype=np.int64)
    n_so_far = 1
    for column in codes:
        lowest = int(column.min(initial=0))
        n_values = int(column.max(initial=0)) - lowest + 1
        if n_values == 1:
            continue
        if n_so_far > np.iinfo(np.int64).max // n_values:
            combined, n_so_far = _renumber(combined)
        combined *= n_values
        combined += column
        combined -= lowest
        n_so_far *= n_values
    return combined


def _renumber(codes: NDArray[np.int64]) -> tuple[NDArray[np.int64], int]:
    numbered, uniques = pd.factorize(codes)
    return numbered.astype(np.int64, copy=False), len(uniques)


def key_codes(
    frame: pd.DataFrame, columns: Sequence[str], known: dict[str, NDArray[np.int64]] | None = None
) -> NDArray[np.int64]:
    """Number the combinations of some columns' values, one integer per row.

    Parameters
    ----------
    frame : DataFrame, shape (n_rows, n_columns)
        A canonical table.
    columns : sequence of str
        The columns to combine.
    known : dict of str to int64 array, optional
        Codes that were already found.

    Returns
    -------
    int64 array, shape (n_rows,)

    Examples
    --------
    >>> frame = pd.DataFrame({"model": ["a", "a", "b"], "length": [1, 1, 1]})
    >>> codes = key_codes(frame, ["model", "length"])
    >>> codes[0] == codes[1], codes[0] == codes[2]
    (np.True_, np.False_)
    """
    known = known or {}
    return combine_codes(
        [known[name] if name in known else _codes_of(frame[name]) for name in columns]
    )


def _codes_of(column: pd.Series) -> NDArray[np.int64]:
    if column.dtype == np.int64:
        return number_integers(column.to_numpy())[0]
    return pd.factorize(column)[0].astype(np.int64, copy=False)


def number_cases(numbers: pd.Series | None, cell_codes: NDArray[np.int64]) -> pd.Series:
    """Name the cases of a table without ids: each row is its own case.

    Parameters
    ----------
    numbers : Series of int, optional
        A trial, repetition or epoch number; it names the cases if it tells the rows of every
        cell apart. Otherwise rows are counted from 1.
    cell_codes : int64 array, shape (n_rows,)
        Number of each row's cell.

    Returns
    -------
    Series of str, shape (n_rows,)
    """
    if numbers is not None:
        key = combine_codes([cell_codes, numbers.to_numpy(dtype=np.int64)])
        if _are_distinct(key):
            return numbers.astype("str")
    return pd.Series(np.arange(1, cell_codes.size + 1)).astype("str")


def resolve_identity(
    frame: pd.DataFrame, origin: Origin, known: dict[str, NDArray[np.int64]] | None = None
) -> Identified:
    """Make every trial of a table with case ids unique.

    Of the rows that share a key (model, task, length, depth, case, repeat): exact copies are
    kept once; an attempt without a score gives way to one with a score, or to a later one;
    rows with the same score but other details are further repeats, and are numbered on.

    Parameters
    ----------
    frame : DataFrame
        A canonical table with case ids.
    origin : Origin
        Where its rows came from.
    known : dict of str to int64 array, optional
        Codes of columns that were already found.

    Returns
    -------
    Identified

    Raises
    ------
    TableError
        If rows that share a key have different scores; the keys are listed.
    """
    # Ids that are numbered through a length tell its trials apart without the rest of the key.
    if _are_distinct(key_codes(frame, ("length", "case", "repeat"), known)):
        return Identified(frame, 0, ())
    keys = key_codes(frame, KEY, known)
    if _are_distinct(keys):
        return Identified(frame, 0, ())
    shared = pd.Series(keys).duplicated(keep=False).to_numpy()
    rows = frame[shared].assign(_key=keys[shared])
    copies = _is_copy(rows)
    rows = rows[~copies]
    superseded = _is_superseded(rows)
    rows = rows[~superseded]
    _refuse_contradictions(rows, origin)
    further = rows["_key"].duplicated(keep="first").to_numpy()
    dropped = np.zeros(len(frame), dtype=bool)
    dropped[np.flatnonzero(shared)[copies]] = True
    dropped[np.flatnonzero(shared)[~copies][superseded]] = True
    frame = _number_on(frame, rows.index[further]) if further.any() else frame
    counts = int(copies.sum()), int(superseded.sum()), int(further.sum())
    kept = frame[~dropped].reset_index(drop=True) if dropped.any() else frame
    return Identified(kept, counts[0], _notices(*counts))


def _are_distinct(keys: NDArray[np.int64]) -> bool:
    """Tell whether no key occurs twice.

    Marking is the fastest where keys are dense, and sorting several times faster than hashing.
    """
    if keys.size and keys.min() >= 0 and keys.max() < 8 * keys.size:
        seen = np.zeros(int(keys.max()) + 1, dtype=bool)
        seen[keys] = True
        return int(seen.sum()) == keys.size
    in_order = np.sort(keys)
    return not bool((in_order[1:] == in_order[:-1]).any())


def _is_copy(rows: pd.DataFrame) -> NDArray[np.bool_]:
    """Tell which rows repeat an earlier row in every column, extras included."""
    codes = [pd.factorize(rows[name].astype("str"))[0] for name in rows.columns if name != "_key"]
    return pd.Series(combine_codes([rows["_key"].to_numpy(), *codes])).duplicated().to_numpy()


def _is_superseded(rows: pd.DataFrame) -> NDArray[np.bool_]:
    """Tell which unscored rows gave way to a scored one, or to a later attempt."""
    scored = rows["score"].notna()
    has_scored = scored.groupby(rows["_key"]).transform("any")
    later = rows["_key"].duplicated(keep="last")
    return np.asarray(~scored & (has_scored | later))


def _refuse_contradictions(rows: pd.DataFrame, origin: Origin) -> None:
    n_scores = rows.groupby("_key")["score"].nunique()
    contradictory = n_scores.index[n_scores > 1]
    if contradictory.empty:
        return
    disagreeing = rows[rows["_key"].isin(contradictory)]
    first = disagreeing.index[~disagreeing["_key"].duplicated()]
    mend = _mend_of_contradiction(disagreeing, origin)
    lines = [
        describe(
            f"{origin.place(row)}: {_name_trial(disagreeing, row)}",
            "expected one score for a model, task, length, depth, case and repeat",
            mend,
        )
        for row in first[:_N_SHOWN].tolist()
    ]
    n_more = len(contradictory) - len(lines)
    raise TableError("\n".join(lines + [f"and {n_more} more"] * bool(n_more)))


def _name_trial(rows: pd.DataFrame, row: int) -> str:
    trial = rows.loc[row]
    scores = sorted(rows.loc[rows["_key"] == trial["_key"], "score"].unique())
    key = ", ".join(f"{name} {trial[name]}" for name in KEY if pd.notna(trial[name]))
    return f"the trial {key} has the scores {', '.join(f'{score:g}' for score in scores)}"


def _several_files(rows: pd.DataFrame, origin: Origin) -> str:
    """Say that files contradict each other, and not the rows of one; nothing where they do not."""
    files = pd.Series(origin.files_of(rows.index.to_numpy()), rows.index)
    by_trial = files.groupby(rows["_key"])
    if (by_trial.nunique() < by_trial.size()).any():
        return ""
    first = files[rows["_key"] == rows["_key"].iloc[0]].tolist()
    shown = " and ".join(first[:2]) + ", ..." * (len(first) > 2)
    return f"the rows are in different files, {shown}: read one of them without the others, or "


def _mend_of_contradiction(rows: pd.DataFrame, origin: Origin) -> str:
    mend = (
        "number the repeats of a case in a column and name it with --map repeat=THEIRS "
        "(columns={'repeat': 'THEIRS'})"
    )
    if files := _several_files(rows, origin):
        return files + mend
    telling = [
        repr(name)
        for name in rows.columns
        if name not in (*KEY, "score", "status", "_key")
        and (rows[name].astype("str").groupby(rows["_key"]).nunique(dropna=False) > 1).all()
    ]
    if not telling:
        return mend
    return f"the rows differ in {', '.join(telling[:3])}: keep one value of it, or {mend}"


def _number_on(frame: pd.DataFrame, further: pd.Index) -> pd.DataFrame:
    """Give further rows of a case the repeat numbers after its largest."""
    cases = pd.Series(key_codes(frame, KEY[:-1]), index=frame.index)
    mine = cases.isin(cases[further])
    largest = frame["repeat"][mine].groupby(cases[mine]).max()
    running = cases[further].groupby(cases[further]).cumcount() + 1
    repeat = frame["repeat"].copy()
    repeat[further] = largest.loc[cases[further]].to_numpy() + running.to_numpy()
    return frame.assign(repeat=repeat)


def _notices(n_copies: int, n_superseded: int, n_further: int) -> tuple[Notice, ...]:
    said = (
        (
            n_copies,
            "duplicates",
            f"{counted(n_copies, 'exact copy', 'exact copies')} of other rows left out: "
            "each row was kept once",
        ),
        (
            n_superseded,
            "superseded",
            f"{counted(n_superseded, 'attempt')} without a score left out: the same trial was "
            "tried again",
        ),
        (
            n_further,
            "unnumbered-repeats",
            f"{counted(n_further, 'row')} with the key and score of an earlier row but other "
            "details: taken as further repeats of the case",
        ),
    )
    return tuple(Notice(code, message, DuplicateWarning) for n, code, message in said if n)
