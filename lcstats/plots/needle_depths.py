"""The figure of single needles over their own depth: observed, by the curve, by the surface."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from numpy.typing import NDArray

from lcstats.errors import OptionError, describe
from lcstats.flexible import FlexibleFit
from lcstats.needles import NeedleAnalysis
from lcstats.needles.rates import share_of_units
from lcstats.options import ColumnWidth, percent
from lcstats.plots.depth import DODGE, lengths_of
from lcstats.plots.groups import MARKERS
from lcstats.plots.labels import clean, curve_words, length_writer
from lcstats.plots.panel import HEIGHTS, Mark, add_key, add_title, open_panel
from lcstats.plots.style import FAILING_DASHES, palette
from lcstats.trials.wording import counted

MOST_GROUPS = 4
MOST_PLACES = 15
"""Distinct depths, to two decimals, beyond which needles are put together by tenths."""
N_CURVE_POINTS = 201


def needle_depths_data(
    analysis: NeedleAnalysis, *, length: int | None = None, surface: FlexibleFit | None = None
) -> pd.DataFrame:
    """Return rates of single needles by depth, for up to four groups of lengths or one length.

    Parameters
    ----------
    analysis : NeedleAnalysis
        Of known needles.
    length : int, optional
        One tested length, with the curve over depth beside the observed rates.
    surface : FlexibleFit, optional
        Of the needles (:func:`lcstats.needles.door.fit_surface`), for one length.

    Returns
    -------
    DataFrame
        ``series`` (``observed``, ``curve``, ``surface``), ``group`` (of lengths), ``first_length``,
        ``last_length``, ``depth``, ``rate``, ``lower``, ``upper``. Intervals of observed rates keep
        the needles of a trial together; those of the surface are posterior.

    Raises
    ------
    OptionError
        If nobody knows which needles were found, or where they lay, or `length` was not tested.
    """
    table = analysis.table
    if table.kind != "needles" or not table.has_depths:
        raise OptionError(
            describe(
                f"{analysis.task} does not say which needles were found, or where they lay",
                "expected lists in needle_found and needle_depths",
                "draw plot_needles(analysis) instead",
            )
        )
    if length is not None and length not in table.lengths:
        raise OptionError(
            describe(
                f"length is {length}",
                f"expected one of {', '.join(map(str, table.lengths))}",
                "choose a tested length",
            )
        )
    groups = _groups(table.lengths) if length is None else [np.array([length])]
    rows = [row for number, own in enumerate(groups) for row in _observed(analysis, number, own)]
    if length is not None:
        rows += [*_curve(analysis, length), *_surface(surface, length)]
    return pd.DataFrame(rows)


def _groups(lengths: NDArray[np.int64]) -> list[NDArray[np.int64]]:
    """Split lengths into few groups, the shortest alone: there hardly anything is in the way."""
    n_others = min(MOST_GROUPS, lengths.size) - 1
    return [lengths[:1], *(np.array_split(lengths[1:], n_others) if n_others else [])]


def _observed(
    analysis: NeedleAnalysis, number: int, lengths: NDArray[np.int64]
) -> Iterator[dict[str, Any]]:
    table = analysis.table
    in_group = np.isin(table.length, lengths)
    place = table.depths.round(2)
    if np.unique(place[in_group]).size > MOST_PLACES:
        place = np.minimum(np.floor(table.depths * 10.0), 9.0) / 10.0 + 0.05
    for depth in np.unique(place[in_group]):
        here = place == depth
        trials = np.flatnonzero(in_group & here.any(axis=1))
        values = np.where(here, table.found, 0.0).sum(axis=1) / np.maximum(here.sum(axis=1), 1)
        most = int(here[trials].sum(axis=1).max())
        stated = share_of_units(table, trials, values, analysis.level, n_parts=most)
        yield {
            **_head("observed", number, lengths),
            "depth": float(depth),
            "rate": stated.value,
            "lower": stated.lower,
            "upper": stated.upper,
        }


def _head(series: str, number: int, lengths: NDArray[np.int64]) -> dict[str, Any]:
    ends = {"first_length": int(lengths[0]), "last_length": int(lengths[-1])}
    return {"series": series, "group": number, **ends}


def _curve(analysis: NeedleAnalysis, length: int) -> Iterator[dict[str, Any]]:
    if analysis.single is None:
        return
    depths = np.linspace(0.0, 1.0, N_CURVE_POINTS)
    rates = analysis.single.curve.accuracy(length, depths)[0]
    for depth, rate in zip(depths.tolist(), rates.tolist(), strict=True):
        yield {**_head("curve", 0, np.array([length])), "depth": depth, "rate": rate}


def _surface(surface: FlexibleFit | None, length: int) -> Iterator[dict[str, Any]]:
    if surface is None:
        return
    frame = surface.to_frame()
    for row in frame[frame["length"] == length].itertuples():
        yield {
            **_head("surface", 0, np.array([length])),
            "depth": row.depth,
            "rate": row.accuracy,
            "lower": row.lower,
            "upper": row.upper,
        }


def plot_needle_depths(
    analysis: NeedleAnalysis,
    *,
    length: int | None = None,
    surface: FlexibleFit | None = None,
    width: ColumnWidth = "single",
    ax: Axes | None = None,
) -> Axes:
    """Draw the rate of single needles over their own depth.

    Without a length, for up to four groups of lengths; with one, with the curve, dashed where its
    test fails, and the surface with its band.

    Parameters
    ----------
    analysis : NeedleAnalysis
    length : int, optional
    surface : FlexibleFit, optional
    width : {"single", "double", "slide"}
    ax : Axes, optional

    Returns
    -------
    Axes

    Raises
    ------
    OptionError
        As :func:`needle_depths_data`.
    """
    table = needle_depths_data(analysis, length=length, surface=surface)
    with open_panel(ax, width) as panel:
        panel.ax.set_xlim(-0.04, 1.04)
        panel.ax.set_ylim(0.0, 1.0)
        panel.ax.set_xlabel("Depth of the needle (0 = start, 1 = end)")
        panel.ax.set_ylabel("Rate per needle")
        marks = [
            *_draw_observed(panel.ax, table, analysis),
            *_draw_lines(panel.ax, table, analysis),
        ]
        panel.settle()
        caption = (
            f"{clean(analysis.task)}: observed, {percent(analysis.level)} intervals over "
            f"{counted(analysis.table.n_units, 'unit')}"
        )
        add_title(panel, analysis.model, caption)
        add_key(panel, marks)
        panel.finish(HEIGHTS[width])
    return panel.ax


def _draw_observed(ax: Axes, table: pd.DataFrame, analysis: NeedleAnalysis) -> Iterator[Mark]:
    write = length_writer(analysis.table.lengths, analysis.table.length_unit)
    observed = table[table["series"] == "observed"]
    n_groups = int(observed["group"].max()) + 1
    for number, own in observed.groupby("group"):
        index = int(str(number))
        rate = own["rate"].to_numpy()
        bars = [np.nan_to_num(np.abs(own[name].to_numpy() - rate)) for name in ("lower", "upper")]
        drawn = ax.errorbar(
            own["depth"].to_numpy() + DODGE * (index - (n_groups - 1) / 2),
            rate,
            yerr=bars,
            fmt=MARKERS[index],
            color=palette().profiles[index],
            elinewidth=0.6,
            markersize=3.0,
            zorder=3,
            clip_on=False,
        )
        yield drawn, lengths_of(own, write)


def _draw_lines(ax: Axes, table: pd.DataFrame, analysis: NeedleAnalysis) -> Iterator[Mark]:
    curve, surface = (table[table["series"] == name] for name in ("curve", "surface"))
    if not curve.empty and analysis.single is not None:
        style = FAILING_DASHES if analysis.single.fails else "-"
        line = ax.plot(
            curve["depth"], curve["rate"], linestyle=style, color=palette().curve, linewidth=1.2
        )[0]
        yield line, curve_words(analysis.single.goodness)
    if not surface.empty:
        look: dict[str, Any] = {"color": palette().profiles[2], "zorder": 2}
        ax.fill_between(
            surface["depth"], surface["lower"], surface["upper"], alpha=0.2, linewidth=0, **look
        )
        line = ax.plot(surface["depth"], surface["rate"], linewidth=1.2, **look)[0]
        yield line, "flexible surface, 95% posterior band"
