"""Which prompt, and which run of it: short names of prompts, and numbers of their runs."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from lcstats.errors import DuplicateWarning, Notice
from lcstats.readers.request import ReadRequest
from lcstats.trials import RawTable
from lcstats.trials.identity import KEY
from lcstats.trials.values import factorize

_RUN, _REPEAT = "run of the file", "number of the run"


def short_digest(*parts: object) -> str:
    """Return eight hexadecimal digits that tell prompts apart by what they were made of.

    Examples
    --------
    >>> short_digest("needle", ["question"]), short_digest("needle", ["another"])
    ('e5fbb71b', 'd920d753')
    """
    text = json.dumps(parts, sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:8]


def number_runs(cases: pd.DataFrame, runs: pd.Series) -> pd.Series:
    """Number the runs of each case from 1, in order; rows of the same run share their number.

    Parameters
    ----------
    cases : DataFrame, shape (n_rows, n_keys)
        What makes a case: rows that agree in all columns are of one case.
    runs : Series, shape (n_rows,)
        What tells the runs of a case apart.

    Returns
    -------
    Series of int, shape (n_rows,)

    Examples
    --------
    >>> cases = pd.DataFrame({"length": [1000, 1000, 4000, 1000]})
    >>> number_runs(cases, pd.Series(["a", "b", "b", "a"])).tolist()
    [1, 2, 1, 1]
    """
    keys = pd.DataFrame({name: factorize(cases[name])[0] for name in cases})
    case = keys.groupby(list(keys.columns), sort=False).ngroup()
    rows = pd.DataFrame({"case": case.to_numpy(), "run": runs.astype("str").to_numpy()})
    first = rows.drop_duplicates()
    numbers = first.assign(number=first.groupby("case").cumcount() + 1)
    return rows.merge(numbers, how="left", on=["case", "run"])["number"]


def number_runs_of_files(
    tables: Sequence[RawTable], runs: Sequence[str], request: ReadRequest
) -> tuple[list[RawTable], tuple[Notice, ...]]:
    """Make further runs of the same prompts repeats, where each file is of one run.

    Parameters
    ----------
    tables : sequence of RawTable
        A table per file; what is known about them names their columns.
    runs : sequence of str
        What tells each file's run from others; a run that is there twice is one.
    request : ReadRequest
        What the call asked for: columns that it names matter here.

    Returns
    -------
    tables : list of RawTable
        As they were where no prompt was sent in several runs.
    notices : tuple of Notice
        That there are several runs.
    """
    parts = [_keys_of(*pair, request) for pair in zip(tables, runs, strict=True)]
    rows = pd.concat(parts, ignore_index=True).fillna("")
    names = [name for name in rows.columns if name not in (_RUN, "repeat")]
    numbers = number_runs(rows[names], rows[_RUN])
    if (numbers == 1).all() or "repeat" in request.table.columns:
        return list(tables), ()
    repeats = number_runs(rows[names], rows[_RUN] + " " + rows.get("repeat", ""))
    ends = np.cumsum([len(table.frame) for table in tables])[:-1]
    split = np.split(repeats.to_numpy(), ends)
    numbered = [_with_repeats(*pair) for pair in zip(tables, split, strict=True)]
    return numbered, (_several_runs(rows[(numbers > 1).to_numpy()], int(numbers.max())),)


def _keys_of(table: RawTable, run: str, request: ReadRequest) -> pd.DataFrame:
    """Return what tells the trials of a file apart, as text, and the file's run."""
    known = {**table.knowledge.columns, **request.table.columns}
    kept = {name: known[name] for name in (*KEY, "filter") if known.get(name) in table.frame}
    texts = {name: table.frame[theirs].astype("str") for name, theirs in kept.items()}
    return pd.DataFrame(texts, index=table.frame.index).assign(**{_RUN: run})


def _with_repeats(table: RawTable, repeats: NDArray[np.int64]) -> RawTable:
    columns = {**table.knowledge.columns, "repeat": _REPEAT}
    return replace(
        table,
        frame=table.frame.assign(**{_REPEAT: repeats}),
        knowledge=replace(table.knowledge, columns=columns),
    )


def _several_runs(again: pd.DataFrame, n_runs: int) -> Notice:
    shown = [name for name in ("task", "model") if name in again]
    pairs = again[shown].drop_duplicates().to_numpy().tolist()
    listed = "; ".join(" with ".join(pair) for pair in pairs[:3]) + "; ..." * (len(pairs) > 3)
    message = f"{n_runs} runs of the same prompts ({listed}): they are repeats; read the files of "
    message += "one run to have it alone"
    return Notice("several-runs", message, DuplicateWarning)
