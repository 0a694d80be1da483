"""The figures of several needles: compounding, dependence by length, and what is required."""

from collections.abc import Iterator
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from lcstats.needles import NeedleAnalysis
from lcstats.needles.task_length import Layout
from lcstats.options import ColumnWidth, check_option, percent
from lcstats.plots.labels import clean, curve_words
from lcstats.plots.needles_table import Measure, dependence_data, needles_data, required_data
from lcstats.plots.panel import (
    HEIGHTS,
    Mark,
    Panel,
    add_key,
    add_title,
    open_panel,
    set_log_ticks,
    start_log_axis,
)
from lcstats.plots.style import FAILING_DASHES, palette
from lcstats.trials.wording import counted

SHADES = {"light": (0.55, 0.1), "dark": (0.45, 0.95)}
"""Parts of the colour map that stand out from the paper, for few to many needles."""
DODGE = 1.03
"""Factor of length by which two series are moved apart."""

MEASURE_LABELS = {"ratio": "Dependence ratio", "correlation": "Intra-class correlation"}
INDEPENDENT = {"ratio": 1.0, "correlation": 0.0}


def plot_needles(
    analysis: NeedleAnalysis,
    *,
    layout: Layout = "spread",
    width: ColumnWidth = "single",
    ax: Axes | None = None,
) -> Axes:
    """Draw how often all needles are found, against what independent needles would give.

    Points are shares of trials with their intervals, rings the products of the needles' rates;
    curves say what the rate of a single needle implies for several, if they were independent.

    Parameters
    ----------
    analysis : NeedleAnalysis
    layout : {"spread", "close"}
        Where the needles of the curves lie.
    width : {"single", "double", "slide"}
        Preset of our own figure: a column of 3.3 inches, a page of 6.9, a slide.
    ax : Axes, optional
        Draw here, in matplotlib's current style, instead of on a figure of our own.

    Returns
    -------
    Axes

    Examples
    --------
    >>> from lcstats.needles import analyze_needles
    >>> from lcstats.truths import simulate_needles
    >>> trials = simulate_needles([4096, 65536], [0.0, 0.5, 1.0], n_trials=20, seed=1)
    >>> plot_needles(analyze_needles(trials)).get_ylabel()
    'Share of trials'
    """
    check_option(layout, Layout, "layout")
    table = needles_data(analysis, layout=layout)
    with open_panel(ax, width) as panel:
        _start(panel, analysis, "Share of trials")
        marks = [
            *_draw_curves(panel.ax, table, analysis),
            *_draw_joint(panel.ax, table, analysis),
        ]
        caption = f"all of {counted(analysis.n_needles, 'needle')}, {_curve_caption(analysis)}"
        _finish(panel, analysis, caption, marks, width)
    return panel.ax


def plot_dependence(
    analysis: NeedleAnalysis,
    *,
    measure: Measure = "ratio",
    width: ColumnWidth = "single",
    ax: Axes | None = None,
) -> Axes:
    """Draw how needles of a trial hang together at every length, with intervals.

    The dashed line is what independent needles have; the gray band all lengths together.

    Parameters
    ----------
    analysis : NeedleAnalysis
    measure : {"ratio", "correlation"}
    width : {"single", "double", "slide"}
    ax : Axes, optional

    Returns
    -------
    Axes

    Raises
    ------
    OptionError
        If nothing is known of dependence.
    """
    check_option(measure, Measure, "measure")
    table = dependence_data(analysis, measure=measure)
    with open_panel(ax, width) as panel:
        _start(panel, analysis, MEASURE_LABELS[measure], is_share=False)
        marks = list(_draw_dependence(panel.ax, table, measure, analysis.level))
        dependence = analysis.dependence
        assert dependence is not None
        caption = (
            f"{counted(analysis.n_needles, 'needle')}, given {dependence.strata}; independence "
            f"p = {dependence.independence_p:.2g}"
        )
        _finish(panel, analysis, caption, marks, width)
    return panel.ax


def plot_required(
    analysis: NeedleAnalysis, *, width: ColumnWidth = "single", ax: Axes | None = None
) -> Axes:
    """Draw the rate of a single needle over length, and the rates that tasks require of it.

    Parameters
    ----------
    analysis : NeedleAnalysis
        With a curve.
    width : {"single", "double", "slide"}
    ax : Axes, optional

    Returns
    -------
    Axes
    """
    table = required_data(analysis)
    with open_panel(ax, width) as panel:
        _start(panel, analysis, "Rate per needle, mean over depths", is_share=False)
        marks = list(_draw_required(panel.ax, table, analysis))
        caption = f"all found in {analysis.target:.4g} of trials, {_curve_caption(analysis)}"
        _finish(panel, analysis, caption, marks, width)
    return panel.ax


def _start(panel: Panel, analysis: NeedleAnalysis, label: str, *, is_share: bool = True) -> None:
    start_log_axis(panel.ax, analysis.table.lengths, analysis.table.length_unit)
    panel.ax.set_ylabel(label)
    if is_share:
        panel.ax.set_ylim(0.0, 1.0)


def _finish(
    panel: Panel, analysis: NeedleAnalysis, caption: str, marks: list[Mark], width: ColumnWidth
) -> None:
    table = analysis.table
    panel.settle()
    set_log_ticks(panel, table.lengths, table.length_unit)
    units = f"; {counted(table.n_trials, 'trial')}, {counted(table.n_units, 'unit')}"
    add_title(panel, analysis.model, f"{clean(analysis.task)}: {caption}{units}")
    add_key(panel, marks)
    panel.finish(HEIGHTS[width])


def _curve_caption(analysis: NeedleAnalysis) -> str:
    if analysis.single is None:
        return "observed"
    return f"needles of the curve independent; {curve_words(analysis.single.goodness)}"


def _number_colors(numbers: list[int]) -> dict[int, Any]:
    """Return a colour for each number of needles, the more the farther from the paper."""
    shades = np.linspace(*SHADES[palette().name], len(numbers))
    return dict(zip(numbers, mpl.colormaps["viridis"](shades), strict=True))


def _line_style(analysis: NeedleAnalysis) -> Any:
    """Return the style of the curve: dashed where its test fails."""
    return FAILING_DASHES if analysis.single is not None and analysis.single.fails else "-"


def _draw_curves(ax: Axes, table: pd.DataFrame, analysis: NeedleAnalysis) -> Iterator[Mark]:
    curves = table[table["series"] == "curve"]
    if curves.empty:
        return
    style = _line_style(analysis)
    colors = _number_colors(sorted(curves["n_needles"].unique().tolist()))
    for number, color in colors.items():
        own = curves[curves["n_needles"] == number]
        line = ax.plot(
            own["length"],
            own["rate"],
            linestyle=style,
            linewidth=1.8 if number == analysis.n_needles else 0.9,
            color=color,
            zorder=2,
        )[0]
        yield line, f"curve, {counted(number, 'needle')}"


def _draw_joint(ax: Axes, table: pd.DataFrame, analysis: NeedleAnalysis) -> Iterator[Mark]:
    joint = table[table["series"] == "joint"]
    what = "all found, observed" if analysis.n_needles > 1 else "found, observed"
    yield (
        _draw_points(ax, joint, "o", palette().point),
        f"{what}, {percent(analysis.level)} interval",
    )
    product = table[table["series"] == "product"]
    if not product.empty:
        rings = ax.plot(
            product["length"] * DODGE,
            product["rate"],
            "o",
            markerfacecolor="none",
            markeredgecolor=palette().bar,
            markersize=5,
            zorder=4,
            clip_on=False,
        )[0]
        yield rings, "product of the needles' rates"


def _draw_points(ax: Axes, points: pd.DataFrame, marker: str, color: str) -> Any:
    """Draw points with their intervals, where they have some."""
    rate = points["rate"].to_numpy()
    below, above = (
        np.nan_to_num(np.abs(points[name].to_numpy() - rate)) for name in ("lower", "upper")
    )
    drawn = ax.errorbar(
        points["length"].to_numpy(),
        rate,
        yerr=[below, above],
        fmt=marker,
        color=color,
        elinewidth=0.9,
        markersize=3.5,
        zorder=3,
        clip_on=False,
    )
    for bar in drawn[2]:
        bar.set_clip_on(False)
    return drawn


def _draw_dependence(
    ax: Axes, table: pd.DataFrame, measure: Measure, level: float
) -> Iterator[Mark]:
    independent = INDEPENDENT[measure]
    line = ax.axhline(independent, color=palette().bar, linestyle="--", linewidth=0.9, zorder=2)
    whole, rows = table[table["length"].isna()], table[table["length"].notna()]
    points = _draw_points(ax, rows.rename(columns={"value": "rate"}), "o", palette().point)
    yield points, f"at each length, {percent(level)} interval"
    if not whole.empty:
        value, lower, upper = whole[["value", "lower", "upper"]].iloc[0].tolist()
        if np.isfinite(lower):
            ax.axhspan(lower, upper, color=palette().cell, alpha=0.2, linewidth=0, zorder=0)
        middle = ax.axhline(value, color=palette().cell, linewidth=1.0, zorder=1)
        yield middle, f"all lengths together, {value:.3g}"
    yield line, "independent needles"


def _draw_required(ax: Axes, table: pd.DataFrame, analysis: NeedleAnalysis) -> Iterator[Mark]:
    observed = table[table["series"] == "rate"]
    curve = table[table["series"] == "curve"]
    if not curve.empty:
        style = _line_style(analysis)
        line = ax.plot(
            curve["length"], curve["rate"], linestyle=style, linewidth=1.2, color=palette().curve
        )[0]
        yield line, "curve of a single needle"
    if not observed.empty:
        points = _draw_points(ax, observed, "o", palette().point)
        yield points, f"observed, {percent(analysis.level)} interval over trials"
    required = table[table["series"] == "required"]
    colors = _number_colors(required["n_needles"].tolist())
    for number, rate, length in required[["n_needles", "rate", "length"]].itertuples(index=False):
        line = ax.axhline(rate, color=colors[number], linewidth=0.9, linestyle=(0, (1, 1.2)))
        if np.isfinite(length):
            ax.plot([length], [rate], "v", color=colors[number], markersize=4.5, zorder=4)
        yield line, f"required for {counted(int(number), 'needle')}: {rate:.3f}"
