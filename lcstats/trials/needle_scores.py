"""Scores from needles: a table that says which, or how many, were found needs no other score."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from lcstats.errors import Notice
from lcstats.trials.naming import NamedTable
from lcstats.trials.side_columns import as_list
from lcstats.trials.values import parse_column


def score_from_needles(named: NamedTable) -> NamedTable:
    """Fill in the share of needles found as the score, where a table has no column of scores.

    Parameters
    ----------
    named : NamedTable
        With a score, or with ``needle_found``, or with ``n_found`` and ``n_needles``.

    Returns
    -------
    NamedTable
        With a score; missing where the needles are, or cannot be read.
    """
    if "score" in named.mapping:
        return named
    source = "needle_found" if "needle_found" in named.mapping else "n_found"
    shares = _shares(named, source)
    said = Notice(
        "score-from-needles",
        f"no column of scores: the share of needles found, by {named.named(source)}, is the score",
    )
    return replace(
        named,
        frame=named.frame.assign(score=shares),
        mapping={**named.mapping, "score": named.mapping[source]},
        knowledge=replace(named.knowledge, score_scale="0-1"),
        notices=(*named.notices, said),
    )


def _shares(named: NamedTable, source: str) -> "pd.Series[float]":
    column = named.frame[source]
    if source == "needle_found":
        return column.map(lambda value: _share(as_list(value)), na_action=None).astype(np.float64)
    found, asked = (parse_column(named.frame[name]).values for name in ("n_found", "n_needles"))
    with np.errstate(invalid="ignore", divide="ignore"):
        share = np.where((found >= 0) & (found <= asked) & (asked > 0), found / asked, np.nan)
    return pd.Series(share, index=column.index)


def _share(marks: object) -> float:
    """Return the share of ones among zeros and ones; NaN for anything else."""
    usable = isinstance(marks, Sequence) and len(marks) and all(mark in (0, 1) for mark in marks)
    return float(np.mean(np.asarray(marks, np.float64))) if usable else float("nan")
