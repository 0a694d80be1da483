"""What trials took, by length: seconds to the first token or to the end, and dollars."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

import numpy as np
import pandas as pd

from lcstats.errors import OptionError, describe
from lcstats.options import check_option
from lcstats.plan.cost import MILLION, Prices, trial_usd
from lcstats.trials import Trials

TimeColumn = Literal["ttft_s", "latency_s"]
QUANTILES = {
    "lower": 0.05,
    "inner_lower": 0.25,
    "median": 0.5,
    "inner_upper": 0.75,
    "upper": 0.95,
}
"""Ends of the bands: the middle half and nine tenths of the trials."""
COST = "cost_usd"


def latency_data(trials: Trials, *, column: TimeColumn | None = None) -> pd.DataFrame:
    """Return how long trials took at every length.

    Parameters
    ----------
    trials : Trials
        With ``ttft_s`` or ``latency_s``.
    column : {"ttft_s", "latency_s"}, optional
        Seconds to the first token, or to the end of the answer; the first of them that has
        values unless given.

    Returns
    -------
    DataFrame
        One row per language model, task and length: ``model``, ``task``, ``length``, ``n_trials``
        with a value, ``n_without`` one, the ``median``, and the ends of the middle half
        (``inner_lower``, ``inner_upper``) and nine tenths (``lower``, ``upper``). Trials that
        gave no answer are left out. ``attrs["column"]`` names the column.

    Raises
    ------
    OptionError
        If no trial has such a time.

    Examples
    --------
    >>> frame = pd.DataFrame({"length": [4096] * 3, "score": [1, 0, 1], "ttft_s": [0.2, 0.4, 0.3]})
    >>> latency_data(Trials.from_frame(frame))[["length", "n_trials", "median"]]
       length  n_trials  median
    0    4096         3     0.3
    """
    wanted: Sequence[str] = ("ttft_s", "latency_s")
    if column is not None:
        wanted = (check_option(column, TimeColumn, "column"),)
    found = [name for name in wanted if has_values(trials, name)]
    if not found:
        raise OptionError(
            describe(
                f"no trial has a value of {' or '.join(wanted)}",
                "expected the seconds that trials took",
                f"map the column that has them, --map {wanted[0]}=THEIRS, or draw another figure",
            )
        )
    return _by_length(trials, trials.frame[found[0]].astype(np.float64), found[0])


def cost_data(trials: Trials, *, prices: Prices | None = None) -> pd.DataFrame:
    """Return what trials cost in dollars at every length.

    Parameters
    ----------
    trials : Trials
        With ``cost_usd``, or in tokens.
    prices : Prices, optional
        Take the place of ``cost_usd``: the price of the tokens that a trial received (of those
        asked for where that is unknown), and of its answer, ``output_tokens`` where a trial has
        them, else as the prices say.

    Returns
    -------
    DataFrame
        As :func:`latency_data`.

    Raises
    ------
    OptionError
        If there are neither costs nor prices, or lengths are not tokens.

    Examples
    --------
    >>> trials = Trials.from_frame(pd.DataFrame({"length": [4000, 128000], "score": [1, 0]}))
    >>> cost_data(trials, prices=Prices(input_usd=2.0))[["length", "median"]]
       length  median
    0    4000   0.008
    1  128000   0.256
    """
    if prices is None:
        if not has_values(trials, COST):
            raise OptionError(
                describe(
                    f"no trial has a value of {COST}, and no prices are given",
                    "expected dollars, or the prices of tokens",
                    "write --price-in and --price-out, or pass prices=Prices(input_usd=...)",
                )
            )
        return _by_length(trials, pd.to_numeric(trials.frame[COST], errors="coerce"), COST)
    return _by_length(trials, _priced(trials, prices), COST)


def has_values(trials: Trials, name: str) -> bool:
    """Tell whether a column is there and some trial has a value in it."""
    return name in trials.frame and bool(trials.frame[name].notna().any())


def _priced(trials: Trials, prices: Prices) -> pd.Series:
    if trials.length_unit != "tokens":
        raise OptionError(
            describe(
                f"lengths are in {trials.length_unit}",
                "expected tokens, which prices are for",
                f"give what each trial cost in a column {COST}",
            )
        )
    if prices.input_usd is None:
        raise OptionError(
            describe(
                "the prices have no dollars in them",
                "expected what a million tokens cost",
                "write --price-in, or pass Prices(input_usd=...)",
            )
        )
    frame = trials.frame[trials.frame["length"] > 0]
    sent = frame["length"]
    if "tokens_received" in frame:
        sent = frame["tokens_received"].fillna(sent)
    written = pd.Series(prices.output_tokens, frame.index)
    if has_values(trials, "output_tokens"):
        given = pd.to_numeric(frame["output_tokens"], errors="coerce")
        written = given.fillna(prices.output_tokens)
    read = pd.Series(
        trial_usd(sent.to_numpy(np.int64), replace(prices, output_tokens=0)), frame.index
    )
    return read + written * (prices.output_usd or 0.0) / MILLION


def _by_length(trials: Trials, values: pd.Series, column: str) -> pd.DataFrame:
    """Cut the values of answered trials by language model, task and length."""
    frame = trials.frame[["model", "task", "length"]].assign(value=values)
    frame = frame[trials.frame["status"].eq("ok") & (frame["length"] > 0)]
    groups = frame.groupby(["model", "task", "length"], sort=True)["value"]
    table = groups.agg(n_trials="count", n_all="size").reset_index()
    for name, share in QUANTILES.items():
        table[name] = groups.quantile(share).to_numpy()
    table.insert(4, "n_without", table.pop("n_all") - table["n_trials"])
    table = table[table["n_trials"] > 0].reset_index(drop=True)
    table.attrs["column"] = column
    return table
