"""What the figures of several needles show: rates by length, together and each, and dependence."""

from collections.abc import Iterator
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from lcstats.curve import FloatArray
from lcstats.errors import OptionError, describe
from lcstats.needles import NeedleAnalysis
from lcstats.needles.task_length import Layout, joint_rates

Measure = Literal["ratio", "correlation"]

POINTS_PER_DOUBLING = 12


def needles_data(analysis: NeedleAnalysis, *, layout: Layout = "spread") -> pd.DataFrame:
    """Return joint rates by length beside products, and curves by number of needles.

    Parameters
    ----------
    analysis : NeedleAnalysis
    layout : {"spread", "close"}
        Of the curves.

    Returns
    -------
    DataFrame
        One row per point: ``series`` (``joint``, ``product``, ``rate`` per needle; ``curve``),
        ``n_needles``, ``length``, ``rate``, ``lower``, ``upper`` (missing without an interval).
        The curve of one number of needles is what rates of single ones imply if found
        independently; curves lie between the tested lengths.

    Examples
    --------
    >>> from lcstats.needles import analyze_needles
    >>> from lcstats.truths import simulate_needles
    >>> trials = simulate_needles([4096, 65536], [0.0, 0.5, 1.0], n_trials=20, seed=1)
    >>> sorted(set(needles_data(analyze_needles(trials, numbers=(1, 10)))["series"]))
    ['curve', 'joint', 'product', 'rate']
    """
    return pd.DataFrame([*_observed(analysis), *_curves(analysis, layout)])


def _observed(analysis: NeedleAnalysis) -> Iterator[dict[str, Any]]:
    number = analysis.n_needles
    for row in analysis.rows:
        for series, stated in (("joint", row.joint), ("rate", row.rate)):
            if stated.is_known:
                yield _point(series, number, row.length, stated.value, stated.lower, stated.upper)
        if np.isfinite(row.product) and number > 1:
            yield _point("product", number, row.length, row.product)


def _curves(analysis: NeedleAnalysis, layout: Layout) -> Iterator[dict[str, Any]]:
    single = analysis.single
    if single is None:
        return
    lengths = lengths_between(single.lengths)
    rates = single.curve.accuracy(lengths, single.depths)
    for number in analysis.required_rates:
        joint = joint_rates(rates, number, layout)
        for length, rate in zip(lengths.tolist(), joint.tolist(), strict=True):
            yield _point("curve", number, length, rate)


def _point(
    series: str,
    number: int,
    length: float,
    rate: float,
    lower: float = float("nan"),
    upper: float = float("nan"),
) -> dict[str, Any]:
    return {
        "series": series,
        "n_needles": number,
        "length": length,
        "rate": rate,
        "lower": lower,
        "upper": upper,
    }


def lengths_between(lengths: ArrayLike) -> FloatArray:
    """Return points between the first and the last length, even on the log scale.

    Examples
    --------
    >>> lengths_between(np.array([4096, 8192])).size
    13
    """
    first, last = np.log2(np.asarray(lengths, np.float64)[[0, -1]])
    n_points = max(2, round((last - first) * POINTS_PER_DOUBLING) + 1)
    return np.asarray(2.0 ** np.linspace(first, last, n_points))


def dependence_data(analysis: NeedleAnalysis, *, measure: Measure = "ratio") -> pd.DataFrame:
    """Return how needles hang together at every length and over all of them.

    Parameters
    ----------
    analysis : NeedleAnalysis
    measure : {"ratio", "correlation"}
        Dependence ratio, which is 1 for independent needles, or intra-class correlation, 0.

    Returns
    -------
    DataFrame
        ``length`` (missing for all lengths together), ``value``, ``lower``, ``upper``; lengths at
        which nothing is known are missing.

    Raises
    ------
    OptionError
        If nothing is known at any length.
    """
    dependence = analysis.dependence
    if dependence is None or not dependence.n_units:
        raise OptionError(
            describe(
                f"nothing is known of the dependence of needles on {analysis.task}",
                "expected several needles per trial, and trials that share their places",
                "count repeats with repeats='independent' (--repeats independent), if one prompt "
                "is what the question is about",
            )
        )
    whole = dependence.ratio
    by_length = dependence.ratio_by_length
    if measure == "correlation":
        whole, by_length = dependence.intraclass_correlation, dependence.correlation_by_length
    lengths = [float(row.length) for row in analysis.rows]
    rows = [(float("nan"), whole), *zip(lengths, by_length, strict=True)]
    return pd.DataFrame(
        [
            {"length": length, "value": one.value, "lower": one.lower, "upper": one.upper}
            for length, one in rows
            if one.is_known
        ]
    )


def required_data(analysis: NeedleAnalysis) -> pd.DataFrame:
    """Return the rate of a single needle by length, and the rates that tasks require of it.

    Returns
    -------
    DataFrame
        ``series`` (``rate`` observed, ``curve``: mean over depths, ``required``), ``n_needles``
        (of ``required``), ``length`` (of ``required``: where the curve falls below it, missing
        where it does not), ``rate``, ``lower``, ``upper``.
    """
    table = needles_data(analysis)
    kept = table[
        (table["series"] == "rate") | ((table["series"] == "curve") & (table["n_needles"] == 1))
    ]
    required = [
        _point("required", number, _crossing(analysis, number), rate)
        for number, rate in analysis.required_rates.items()
    ]
    return pd.concat([kept, pd.DataFrame(required)], ignore_index=True)


def _crossing(analysis: NeedleAnalysis, number: int) -> float:
    implied = analysis.implied_length(number)
    return float("nan") if implied is None or implied.crossing is None else implied.crossing
