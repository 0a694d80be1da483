"""Prompts that arrived shorter than they were asked for: cut by a server, or never full."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from lcstats.errors import DesignWarning, Notice
from lcstats.trials.wording import counted, switch

SHORT_SHARE = 0.9
"""A trial that received less than this share of its length is truncated."""

CEILING_SHARE = 0.97
"""The same for trials that received the most that any trial did, at several lengths."""

CEILING_WIDTH = 0.005
"""Counts this close to the largest one are at the ceiling: chat templates vary a little."""


@dataclass(frozen=True, slots=True, eq=False)
class Truncation:
    """Which trials were truncated.

    Attributes
    ----------
    rows : bool array, shape (n_rows,)
        Trials that received well below the tokens asked for.
    notices : tuple of Notice
        How many, and the ceiling where there is one.
    """

    rows: NDArray[np.bool_]
    notices: tuple[Notice, ...]


def find_truncated(design: pd.DataFrame, received: pd.Series | None, unit: str) -> Truncation:
    """Find the trials whose prompt arrived truncated.

    A tokenizer other than the one that made the prompts counts a like share too few at every
    length, and a template or a buffer of so many tokens changes the share of short prompts most. So
    a language model's trials are compared with the share that arrived up to their length: the
    median over those lengths of their medians, and at most all. A ceiling is a largest count that
    is reached at several lengths, some percent apart, as servers cut prompts.

    Parameters
    ----------
    design : DataFrame, shape (n_rows, ...)
        Columns ``model`` and ``length``.
    received : Series of Int64, shape (n_rows,), or None
        Tokens received, missing where unknown.
    unit : str
        Unit of the lengths; only lengths in tokens can be compared.

    Returns
    -------
    Truncation

    Examples
    --------
    >>> design = pd.DataFrame({"model": "a", "length": [4096, 8192, 16384]})
    >>> find_truncated(design, pd.Series([4096, 4096, 4096]), "tokens").rows.tolist()
    [False, True, True]
    """
    if received is None or unit != "tokens":
        return Truncation(np.zeros(len(design), dtype=bool), ())
    table = pd.DataFrame(
        {
            "model": design["model"],
            "length": design["length"],
            "tokens": received.to_numpy(np.float64, na_value=np.nan),
        }
    )
    table["share"] = table["tokens"] / table["length"]
    typical = table.groupby(["model", "length"])["share"].median().dropna()
    usual = typical.groupby("model").expanding().median().droplevel(0).clip(upper=1.0)
    expected = table.join(usual.rename("usual"), on=["model", "length"])["usual"]
    at_ceiling = _at_ceiling(table)
    least = np.where(at_ceiling, CEILING_SHARE, SHORT_SHARE * expected)
    rows = (table["share"] < least).to_numpy(dtype=bool)
    return Truncation(rows, _notices(table, rows, at_ceiling))


def _at_ceiling(table: pd.DataFrame) -> NDArray[np.bool_]:
    """Tell which trials received their language model's largest count, if several lengths did."""
    top = table.groupby("model")["tokens"].transform("max")
    near = table["tokens"] >= (1 - CEILING_WIDTH) * top
    ends = table[near].groupby("model")["length"].agg(["min", "max"])
    is_ceiling = ends["max"] > ends["min"] / CEILING_SHARE
    return np.asarray(near & table["model"].map(is_ceiling).eq(True), dtype=bool)


def _notices(
    table: pd.DataFrame, rows: NDArray[np.bool_], at_ceiling: NDArray[np.bool_]
) -> tuple[Notice, ...]:
    if not rows.any():
        return ()
    cut = table[rows]
    return (
        Notice(
            "truncated",
            f"{counted(len(cut), 'trial')} of {len(table)} received well below the tokens asked "
            f"for (smallest share {cut['share'].min():.3g}{_ceilings(table, rows & at_ceiling)}): "
            "the prompt was cut or never full, so they are left out as truncated; "
            f"{switch('keep_truncated')} counts them",
            DesignWarning,
        ),
    )


def _ceilings(table: pd.DataFrame, rows: NDArray[np.bool_]) -> str:
    """Name the ceiling of up to three language models."""
    said = [
        f"; {group['tokens'].max():.0f} at {group['length'].nunique()} of "
        f"{table.loc[table['model'] == model, 'length'].nunique()} lengths"
        for model, group in table[rows].groupby("model", sort=False)
    ]
    return "".join(said[:3])
