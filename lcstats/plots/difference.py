"""The difference figure: new minus old by length or by depth, with the margin that matters."""

from collections.abc import Iterator
from typing import Any, Literal

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, MaxNLocator
from numpy.typing import NDArray

from lcstats.comparison import Comparison
from lcstats.comparison.result import INTERVAL_WORDS
from lcstats.errors import OptionError, describe
from lcstats.options import ColumnWidth, check_option, percent
from lcstats.plots.difference_table import choose_task, difference_data
from lcstats.plots.labels import clean, signed_share
from lcstats.plots.panel import (
    Mark,
    Panel,
    add_key,
    add_title,
    open_panel,
    set_log_ticks,
    start_log_axis,
)
from lcstats.plots.style import palette

DifferenceAxis = Literal["length", "depth"]

HEIGHTS = {"single": 1.9, "double": 2.4, "slide": 1.2}
HEADROOM = 0.08
"""Share of the range of the y axis that is left free above and below intervals."""


def plot_difference(
    comparison: Comparison,
    *,
    by: DifferenceAxis = "length",
    task: str | None = None,
    width: ColumnWidth = "single",
    ax: Axes | None = None,
) -> Axes:
    """Draw the difference in accuracy, new minus old, at every length or depth.

    Points have the intervals of their own cases, not corrected for how many there are. The line is
    the difference over all cases, with its interval in the key; the band is the margin within
    which differences do not matter.

    Parameters
    ----------
    comparison : Comparison
    by : {"length", "depth"}
        What stands on the x axis: lengths over all depths, or depths over all lengths.
    task : str, optional
        Needed where there are several.
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
        If an option is unknown, a task has to be named, or no case has a depth to draw by.

    Examples
    --------
    >>> from lcstats.comparison import compare
    >>> from lcstats.trials import Trials
    >>> table = pd.DataFrame({"case": range(100), "length": 8192, "score": [1] * 70 + [0] * 30})
    >>> old, new = table.assign(model="a"), table.assign(model="b", score=[1] * 62 + [0] * 38)
    >>> plot_difference(compare(Trials.from_frame(old), Trials.from_frame(new))).get_ylabel()
    'Accuracy, new minus old'
    """
    check_option(by, DifferenceAxis, "by")
    table = difference_data(comparison, task=task)
    shown, overall = table[table["by"] == by], table[table["by"] == "all"].iloc[0]
    if shown.empty:
        raise OptionError(
            describe("no case has a depth", "expected some to draw by depth", "draw by length")
        )
    with open_panel(ax, width) as panel:
        _set_axes(panel, shown, comparison, by)
        marks = [
            *_draw_margin(panel.ax, comparison.margin),
            *_draw_points(panel.ax, shown, comparison.level),
            *_draw_overall(panel.ax, overall),
        ]
        panel.settle()
        if by == "length":
            set_log_ticks(panel, _lengths(shown), comparison.length_unit)
        name = f"{comparison.new_model} against {comparison.old_model}"
        group = choose_task(comparison, task)
        add_title(panel, clean(name), f"{clean(group.task)}: {_cases(overall)}")
        add_key(panel, marks)
        panel.finish(HEIGHTS[width])
    return panel.ax


def _cases(overall: "pd.Series[Any]") -> str:
    if overall["n_paired"]:
        return f"{overall['n_paired']} pairs of the same case"
    return "no pairs: two samples of different cases"


def _lengths(shown: pd.DataFrame) -> NDArray[np.int64]:
    return shown["place"].to_numpy(np.int64)


def _set_axes(panel: Panel, shown: pd.DataFrame, comparison: Comparison, by: str) -> None:
    ax = panel.ax
    if by == "length":
        start_log_axis(ax, _lengths(shown), comparison.length_unit)
    else:
        ax.set_xlim(-0.05, 1.05)
        ax.set_xlabel("Depth (0 = start of the context)")
    low = min(float(shown["lower"].min()), -comparison.margin)
    high = max(float(shown["upper"].max()), comparison.margin)
    room = HEADROOM * (high - low)
    ax.set_ylim(low - room, high + room)
    ax.yaxis.set_major_locator(MaxNLocator(5, steps=[1, 2, 2.5, 5, 10]))
    ax.yaxis.set_major_formatter(FuncFormatter(lambda value, position: signed_share(value)))
    ax.set_ylabel("Accuracy, new minus old")


def _draw_margin(ax: Axes, margin: float) -> Iterator[Mark]:
    ax.axhline(0.0, color=palette().set, linewidth=0.7, zorder=1)
    if margin:
        band = ax.axhspan(-margin, margin, color=palette().hole_face, linewidth=0, zorder=0)
        yield band, f"within the margin, {margin:g}: too small to matter"


def _draw_points(ax: Axes, shown: pd.DataFrame, level: float) -> Iterator[Mark]:
    ends = np.abs(shown[["lower", "upper"]].to_numpy().T - shown["difference"].to_numpy())
    bars = ax.errorbar(
        shown["place"],
        shown["difference"],
        yerr=ends,
        fmt="o",
        color=palette().point,
        markersize=3.5,
        elinewidth=1.0,
        capsize=2.0,
        zorder=3,
    )
    yield bars, f"{percent(level)} interval, {INTERVAL_WORDS[shown['kind'].iloc[0]]}"


def _draw_overall(ax: Axes, overall: "pd.Series[Any]") -> Iterator[Mark]:
    value, lower, upper = (float(overall[name]) for name in ("difference", "lower", "upper"))
    line = ax.axhline(value, color=palette().ink, linewidth=0.9, linestyle=(0, (4, 2)), zorder=2)
    written = [signed_share(float(f"{number:.3g}")) for number in (value, lower, upper)]
    words = f"over all {written[0]} ({written[1]} to {written[2]})"
    yield line, words
