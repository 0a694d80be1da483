"""Files that a run was appended to: which rows ask again what earlier ones asked.

Runners that append begin again with the first prompt, and go on in the same order to the end or to
where they were killed. Of files without ids that tells further runs from other prompts that look
alike. Where several processes wrote, the order is lost: then only many rows that occur again, or
the last ones all, tell that there were several runs.
"""

from collections.abc import Sequence
from itertools import takewhile

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from lcstats.errors import DuplicateWarning, Notice
from lcstats.trials.wording import counted

MANY = 0.1
"""Share of prompts that occur again, from which on a file holds several runs."""

_FEWEST_IN_ORDER = 2
_FEWEST = 3
"""Prompts that it takes for a run: fewer can be others that look like earlier ones."""

_MOST_RUNS = 10
"""Mean number of rows per prompt beyond which prompts cannot be told apart at all."""


def starts_of_runs(digests: Sequence[str]) -> list[int]:
    """Return the rows where the runs of a file begin.

    Parameters
    ----------
    digests : sequence of str, shape (n_rows,)
        What tells the prompt of each row.

    Returns
    -------
    list of int
        Ascending; the first is 0.

    Examples
    --------
    >>> starts_of_runs(["a", "b", "c", "a", "b"]), starts_of_runs(["a", "b", "c", "b"])
    ([0, 3], [0])
    """
    listed = list(digests)
    again = [row for row, digest in enumerate(listed) if row and digest == listed[0]]
    starts: list[int] = []
    end = len(listed)
    for start in reversed(again):
        needed = max(min(end - start, again[0]), _FEWEST_IN_ORDER)
        pairs = zip(listed[start:end], listed, strict=False)
        same = [digest for digest, first in takewhile(lambda pair: pair[0] == pair[1], pairs)]
        if len(same) >= needed and len(set(same)) >= _FEWEST_IN_ORDER:
            starts.append(start)
            end = start
    return [0, *reversed(starts)] if starts else [0, *_start_at_end(listed)]


def _start_at_end(digests: Sequence[str]) -> list[int]:
    """Return where the last rows begin that all occur earlier, if they are enough for a run."""
    is_again = pd.Series(digests).duplicated().to_numpy(dtype=bool)
    fresh = np.flatnonzero(~is_again)
    start = int(fresh[-1]) + 1 if fresh.size else 0
    return [start] if len(set(digests[start:])) >= _FEWEST else []


def _are_many(digests: pd.Series) -> bool:
    """Tell whether so many prompts occur again that they were asked again, in whatever order."""
    n_prompts = digests.nunique()
    n_again = len(digests) - n_prompts
    share = (digests.value_counts() > 1).mean()
    return _FEWEST <= n_again <= (_MOST_RUNS - 1) * n_prompts and bool(share >= MANY)


def name_cases(digests: pd.Series, details: pd.Series | None = None) -> pd.Series:
    """Name the prompts of a file: those that look alike within a run are numbered.

    Parameters
    ----------
    digests : Series of str, shape (n_rows,)
        What names the prompt of each row.
    details : Series of str, shape (n_rows,), optional
        What tells prompts apart that `digests` give one name; `digests` without it.

    Returns
    -------
    Series of str, shape (n_rows,)
        Rows of one prompt share a name, which further runs share, too.

    Examples
    --------
    >>> name_cases(pd.Series(["a", "b", "c", "a", "b"])).tolist()
    ['a', 'b', 'c', 'a', 'b']
    >>> name_cases(pd.Series([*"abcdefghijklmn", "c"])).tolist()[-1]
    'c-2'
    """
    told = digests if details is None else details
    starts = starts_of_runs(told.tolist())
    if len(starts) > 1 or not _are_many(told):
        runs = _number_of_run(starts, len(told))
        told = told + " " + told.groupby([told.to_numpy(), runs]).cumcount().astype("str")
    number = told.groupby(digests).transform(lambda alike: pd.factorize(alike)[0])
    return digests.where(number == 0, digests + "-" + (number + 1).astype("str"))


def _number_of_run(starts: Sequence[int], n_rows: int) -> NDArray[np.int64]:
    return np.searchsorted(np.asarray(starts), np.arange(n_rows), side="right")


def appended_notices(file: str, digests: pd.Series, cases: pd.Series) -> tuple[Notice, ...]:
    """Say which rows were taken for further runs, and which for prompts that look alike.

    Parameters
    ----------
    file : str
        The file's name.
    digests : Series of str, shape (n_rows,)
        What tells the prompt of each row, as far as the file does.
    cases : Series of str, shape (n_rows,)
        What :func:`name_cases` made of them.
    """
    said = []
    if n_again := int(cases.duplicated().sum()):
        message = f"{counted(n_again, 'row')} of {len(cases)} ask again what {file} asked before: "
        message += "taken as further runs that were appended, whose prompts are repeats"
        said.append(Notice("several-runs", message, DuplicateWarning))
    if n_alike := int((digests != cases).sum()):
        message = f"{counted(n_alike, 'row')} of {file} cannot be told from an earlier prompt by "
        message += "what the file keeps: taken as prompts of their own"
        said.append(Notice("alike-prompts", message, DuplicateWarning))
    return tuple(said)
