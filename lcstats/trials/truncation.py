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

LEAST_OF_TOKENIZERS = 0.75
"""A share below this is a cut where no other length says that a tokenizer counts so few."""

EXACT_WIDTH = 0.001
"""Prompts whose shares lie this close together arrive just as they were asked for."""

_MORE_LACKS = 1.5
"""Times that a short prompt has to lack what longer ones lack, or a buffer was left free."""

_FEWEST_SHORTER = 2
"""Shorter lengths that it takes to tell a share of the length from a template of so many tokens."""

_MOST_LENGTHS = 50
"""Lengths of a sweep by design; where there are more, each trial has a length of its own."""


@dataclass(frozen=True, slots=True, eq=False)
class Truncation:
    """Which trials were truncated.

    Attributes
    ----------
    rows : bool array, shape (n_rows,)
        Trials that received well below the tokens asked for.
    found : str
        How many, and the ceiling where there is one; empty where no trial was truncated.
    """

    rows: NDArray[np.bool_]
    found: str = ""

    @property
    def notices(self) -> tuple[Notice, ...]:
        """What a reader of the trials has to know."""
        if not self.found:
            return ()
        return (
            Notice(
                "truncated",
                f"{self.found}: the prompt was cut or never full, so they are left out as "
                f"truncated; {switch('keep_truncated')} counts them",
                DesignWarning,
            ),
        )


def find_truncated(design: pd.DataFrame, received: pd.Series | None, unit: str) -> Truncation:
    """Find the trials whose prompt arrived truncated.

    A tokenizer other than the one that made the prompts counts a like share too few at every
    length, and a template or a buffer of so many tokens changes the share of short prompts most. So
    a language model's trials are compared with the share that arrived up to their length: the
    median over those lengths of their medians, and at most all. A ceiling is a largest count that
    is reached at several lengths, some percent apart, as servers cut prompts.

    A tokenizer that counts more than was asked for hides a cut: 1.25 of 65536 and 131072, capped at
    131072, arrive as 1.25 and 1. So trials at the largest count of all are also compared with what
    the shorter lengths lead one to expect: the smaller of their median share and of the line
    through them (Theil and Sen's), which a template of so many tokens does not mislead. Where the
    shorter prompts all arrive in one and the same share, and all of a length in one count, little
    need be lost.

    A share far below those of longer prompts is a cut too, unless the longer ones lack as many
    tokens, which a buffer left free does; and so is one below .75 where no other length was asked
    for, as hardly a tokenizer counts so few.

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
        return Truncation(np.zeros(len(design), dtype=bool))
    table = pd.DataFrame(
        {
            "model": design["model"],
            "length": design["length"],
            "tokens": received.to_numpy(np.float64, na_value=np.nan),
        }
    )
    table["share"] = table["tokens"] / table["length"].where(table["length"] > 0)
    table.loc[table["length"] == 0, "tokens"] = np.nan
    typical = table.groupby(["model", "length"])["tokens"].median().dropna()
    shares = typical / typical.index.get_level_values("length")
    usual = shares.groupby("model").expanding().median().droplevel(0).clip(upper=1.0)
    expected = table.join(usual.rename("usual"), on=["model", "length"])["usual"]
    at_ceiling = _at_ceiling(table)
    least = np.where(at_ceiling, CEILING_SHARE, SHORT_SHARE * expected)
    grown = table.join(_grown_shares(typical), on=["model", "length"])["grown"]
    at_top = _at_top(table)
    is_short = (table["share"] < least) | (at_top & (table["share"] < SHORT_SHARE * grown))
    for found in (_fewer_than_longer(typical), _cut_of_exact(table)):
        is_short |= table.join(found.rename("found"), on=["model", "length"])["found"].eq(True)
    rows = is_short.to_numpy(dtype=bool)
    return Truncation(rows, _found(table, rows, grown, _ceilings(table, rows & at_top)))


def _fewer_than_longer(typical: pd.Series) -> pd.Series:
    """Tell which lengths arrive far shorter than longer ones do, or than any tokenizer counts.

    Parameters
    ----------
    typical : Series of float, shape (n_models_lengths,)
        Median tokens received, by model and length, ascending.

    Returns
    -------
    Series of bool, shape (n_models_lengths,)
    """
    parts = [_fewer_of_model(received) for _, received in typical.groupby("model")]
    return pd.concat(parts) if parts else pd.Series(index=typical.index, dtype=bool)


def _fewer_of_model(received: pd.Series) -> pd.Series:
    lengths = received.index.get_level_values("length").to_numpy(np.float64)
    tokens = received.to_numpy(np.float64)
    shares, lacks = np.minimum(tokens / lengths, 1), np.maximum(lengths - tokens, 0)
    is_cut = np.zeros(lengths.size, dtype=bool)
    if lengths.size == 1:
        is_cut = shares < LEAST_OF_TOKENIZERS
    elif lengths.size <= _MOST_LENGTHS:
        for place in range(lengths.size - 1):
            after = slice(place + 1, None)
            is_cut[place] = (
                shares[place] < LEAST_OF_TOKENIZERS * shares[after].max()
                and lacks[place] > _MORE_LACKS * lacks[after].min()
            )
    return pd.Series(is_cut, received.index)


def _cut_of_exact(table: pd.DataFrame) -> pd.Series:
    """Tell which lengths all arrive in one count, below the one share of all shorter prompts.

    Returns
    -------
    Series of bool, shape (n_models_lengths,)
    """
    known = table[table["tokens"].notna()]
    shares = known.groupby(["model", "length"])["share"].agg(["min", "max", "size"])
    before = shares.groupby("model").shift().groupby("model")
    lowest, highest, n_shorter = (
        part.droplevel(0)
        for part in (
            before["min"].expanding().min(),
            before["max"].expanding().max(),
            before["min"].expanding().count(),
        )
    )
    are_exact = (highest - lowest <= EXACT_WIDTH * highest) & (n_shorter >= _FEWEST_SHORTER)
    is_one = (shares["max"] - shares["min"] <= EXACT_WIDTH * shares["max"]) & (shares["size"] > 1)
    return are_exact & is_one & (shares["max"] < CEILING_SHARE * lowest)


def _grown_shares(typical: pd.Series) -> pd.Series:
    """Return the share that the shorter lengths lead one to expect; NaN where they are too few.

    Parameters
    ----------
    typical : Series of float, shape (n_models_lengths,)
        Median tokens received, by model and length, ascending.

    Returns
    -------
    Series of float, shape (n_models_lengths,)
    """
    grown = pd.Series(np.nan, typical.index, name="grown")
    for model, received in typical.groupby("model"):
        lengths = received.index.get_level_values("length").to_numpy(np.float64)
        grown.loc[[model]] = _grown_of_model(lengths, received.to_numpy())
    return grown


def _grown_of_model(
    lengths: NDArray[np.float64], received: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Expect each length from the shorter ones, those left out that fall short themselves."""
    expected = np.full(lengths.size, np.nan)
    kept: list[int] = []
    if lengths.size > _MOST_LENGTHS:
        return expected
    for place, length in enumerate(lengths):
        if len(kept) >= _FEWEST_SHORTER:
            expected[place] = _expected_share(lengths[kept], received[kept], length)
        if not received[place] < SHORT_SHARE * expected[place] * length:
            kept.append(place)
    return expected


def _expected_share(
    lengths: NDArray[np.float64], received: NDArray[np.float64], length: float
) -> float:
    first, second = np.triu_indices(lengths.size, 1)
    slope = np.median((received[second] - received[first]) / (lengths[second] - lengths[first]))
    start = np.median(received - slope * lengths)
    return float(min(np.median(received / lengths), slope + start / length))


def _at_top(table: pd.DataFrame) -> NDArray[np.bool_]:
    """Tell which trials received their language model's largest count, or nearly."""
    top = table.groupby("model")["tokens"].transform("max")
    return np.asarray(table["tokens"] >= (1 - CEILING_WIDTH) * top, dtype=bool)


def _at_ceiling(table: pd.DataFrame) -> NDArray[np.bool_]:
    """Tell which trials received their language model's largest count, if several lengths did."""
    near = _at_top(table)
    ends = table[near].groupby("model")["length"].agg(["min", "max"])
    is_ceiling = ends["max"] > ends["min"] / CEILING_SHARE
    return np.asarray(near & table["model"].map(is_ceiling).eq(True), dtype=bool)


def _found(table: pd.DataFrame, rows: NDArray[np.bool_], grown: pd.Series, ceilings: str) -> str:
    if not rows.any():
        return ""
    least = table.loc[rows, "share"].min()
    n_cut, share = (
        f"{counted(int(rows.sum()), 'trial')} of {len(table)}",
        f"smallest share {least:.3g}",
    )
    if least < CEILING_SHARE:
        return f"{n_cut} received well below the tokens asked for ({share}{ceilings})"
    return (
        f"{n_cut} received well below what shorter prompts lead one to expect ({share} of the "
        f"tokens asked for, {grown[rows].max():.3g} expected{ceilings})"
    )


def _ceilings(table: pd.DataFrame, rows: NDArray[np.bool_]) -> str:
    """Name the ceiling of up to three language models whose longest prompts were cut."""
    said = [
        f"; {group['tokens'].max():.0f} at {group['length'].nunique()} of "
        f"{table.loc[table['model'] == model, 'length'].nunique()} lengths"
        for model, group in table[rows].groupby("model", sort=False)
    ]
    return "".join(said[:3])
