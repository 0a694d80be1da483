"""The depth figure: accuracy over depth, a profile for short, middling and long contexts."""

from collections.abc import Iterator
from typing import Any

import pandas as pd
from matplotlib.axes import Axes

from lcstats.cells import Cells
from lcstats.draws import Draws
from lcstats.fit import CurveFit, GoodnessOfFit
from lcstats.options import ColumnWidth, percent
from lcstats.plots.depth_table import depth_data
from lcstats.plots.groups import MARKERS
from lcstats.plots.labels import (
    LengthWriter,
    clean,
    curve_words,
    length_writer,
    shape_words,
    unscored_words,
)
from lcstats.plots.panel import HEIGHTS, Mark, add_key, add_title, open_panel
from lcstats.plots.style import FAILING_DASHES, palette

DODGE = 0.008
"""Depth by which profiles are moved apart, so that their intervals can be told apart."""
LEVEL = 0.95


def plot_depth(
    cells: Cells,
    *,
    fit: CurveFit | None = None,
    goodness: GoodnessOfFit | None = None,
    draws: Draws | None = None,
    width: ColumnWidth = "single",
    ax: Axes | None = None,
) -> Axes:
    """Draw accuracy over depth, with Wilson intervals, for up to four groups of lengths.

    Points of different groups are moved apart a little. A fitted curve has a band from its own
    bootstrap that holds point by point; it is dashed where its test fails.

    Parameters
    ----------
    cells : Cells
        One (model, task) group with depths.
    fit : CurveFit, optional
        Fitted to these cells.
    goodness : GoodnessOfFit, optional
        The test of `fit`.
    draws : Draws, optional
        Of `fit`, for the band; drawn here unless given.
    width : {"single", "double", "slide"}
        Preset of our own figure: a column of 3.3 inches, a page of 6.9, a slide.
    ax : Axes, optional
        Draw here, in matplotlib's current style, instead of on a figure of our own. Name and
        caption are then the title of the axes, which ``ax.set_title`` replaces; every mark has a
        label and a legend stands inside, where ``ax.legend(...)`` moves it from.

    Returns
    -------
    Axes
        The one drawn on; its ``figure`` goes to :func:`save_figure`.

    Raises
    ------
    OptionError
        If `cells` holds several groups or no depth, or others than `fit` was made from, or if
        `width` is unknown.

    Examples
    --------
    >>> cells = Cells.from_counts(
    ...     [4096, 8192], [0.0, 0.5], n_cases=40, successes=[[40, 40], [20, 20]]
    ... )
    >>> plot_depth(cells).get_xlabel()
    'Depth (0 = start, 1 = end)'
    """
    grid = cells.grid
    table = depth_data(cells, level=LEVEL, fit=fit, draws=draws)
    fails = goodness is not None and not goodness.passes
    with open_panel(ax, width) as panel:
        panel.ax.set_xlim(-0.04, 1.04)
        panel.ax.set_ylim(0.0, 1.0)
        panel.ax.set_xlabel("Depth (0 = start, 1 = end)")
        panel.ax.set_ylabel("Mean score" if grid.has_fractions else "Accuracy")
        write = length_writer(grid.lengths, grid.length_unit)
        marks = list(_draw_profiles(panel.ax, table, write, fails=fails))
        panel.settle()
        caption = f"{clean(grid.task)}: {_said(table, curve_words(goodness))}"
        add_title(panel, grid.model, f"{caption}{shape_words(grid)}{unscored_words(grid)}")
        add_key(panel, marks)
        panel.finish(HEIGHTS[width])
    return panel.ax


def _said(table: pd.DataFrame, curve: str) -> str:
    words = f"observed, {percent(LEVEL)} Wilson intervals"
    if (table["series"] == "curve").any():
        words += f"; {curve}, {percent(LEVEL)} band at each depth"
    return words


def _draw_profiles(
    ax: Axes, table: pd.DataFrame, write: LengthWriter, *, fails: bool
) -> Iterator[Mark]:
    n_profiles = int(table["profile"].max()) + 1
    for number, profile in table.groupby("profile"):
        index = int(str(number))
        color = palette().profiles[index if n_profiles > 2 else 3 * index]
        curve = profile[profile["series"] == "curve"]
        if not curve.empty:
            _draw_curve(ax, curve, color, fails=fails)
        points = profile[profile["series"] == "cells"]
        shift = DODGE * (index - (n_profiles - 1) / 2)
        yield _draw_points(ax, points, shift, MARKERS[index], color), lengths_of(points, write)


def _draw_points(ax: Axes, points: pd.DataFrame, shift: float, marker: str, color: str) -> Any:
    accuracy = points["accuracy"].to_numpy()
    drawn = ax.errorbar(
        points["depth"].to_numpy() + shift,
        accuracy,
        yerr=[accuracy - points["lower"].to_numpy(), points["upper"].to_numpy() - accuracy],
        fmt=marker,
        color=color,
        elinewidth=0.6,
        markersize=3.0,
        zorder=3,
        clip_on=False,
    )
    for bar in drawn[2]:
        bar.set_clip_on(False)
        bar.set_alpha(0.55)
    return drawn


def _draw_curve(ax: Axes, curve: pd.DataFrame, color: str, *, fails: bool) -> None:
    depth, accuracy, lower, upper = (
        curve[name].to_numpy() for name in ("depth", "accuracy", "lower", "upper")
    )
    ax.fill_between(depth, lower, upper, color=color, alpha=0.15, linewidth=0, zorder=2)
    style = FAILING_DASHES if fails else "-"
    ax.plot(depth, accuracy, linestyle=style, linewidth=1.1, color=color, zorder=2.5)


def lengths_of(points: pd.DataFrame, write: LengthWriter) -> str:
    """Say the lengths that points stand for: one, or the first and the last."""
    first, last = int(points["first_length"].iloc[0]), int(points["last_length"].iloc[0])
    if first == last:
        return f"length {write(first)}"
    return f"lengths {write(first)} to {write(last)}"
