"""The figures of what trials took: time and cost over length, on two logarithmic axes."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

from lcstats.options import ColumnWidth
from lcstats.plan.cost import Prices
from lcstats.plots.groups import MARKERS, check_series, name_together, names_apart
from lcstats.plots.panel import (
    HEIGHTS,
    Mark,
    add_key,
    add_title,
    open_panel,
    set_log_ticks,
    start_log_axis,
)
from lcstats.plots.style import palette
from lcstats.plots.usage_table import TimeColumn, cost_data, latency_data
from lcstats.trials import Trials
from lcstats.trials.wording import counted

AXIS_LABELS = {
    "ttft_s": "Time to first token (s)",
    "latency_s": "Time to the end of the answer (s)",
    "cost_usd": "Cost per trial (US dollars)",
}


def plot_latency(
    trials: Trials,
    *,
    column: TimeColumn | None = None,
    width: ColumnWidth = "single",
    ax: Axes | None = None,
) -> Axes:
    """Draw how long trials took over length: the median, and bands of the middle trials.

    The dark band holds the middle half of the trials, the light one, drawn where there is a
    single language model and task, nine tenths. They are the spread of trials and no intervals:
    more trials do not make them narrower.

    Parameters
    ----------
    trials : Trials
        With ``ttft_s`` or ``latency_s``; up to six language models and tasks.
    column : {"ttft_s", "latency_s"}, optional
        Seconds to the first token, or to the end of the answer; the first of them that has
        values unless given.
    width : {"single", "double", "slide"}
        Preset of our own figure: a column of 3.3 inches, a page of 6.9, a slide.
    ax : Axes, optional
        Draw here, in matplotlib's current style, instead of on a figure of our own. Name and
        caption are then the title of the axes; every mark has a label and a legend stands inside.

    Returns
    -------
    Axes
        The one drawn on; its ``figure`` goes to :func:`save_figure`.

    Raises
    ------
    OptionError
        If no trial has such a time, there are too many groups, or an option is unknown.

    Examples
    --------
    >>> frame = pd.DataFrame({"length": [4096, 8192], "score": [1, 0], "ttft_s": [0.2, 0.4]})
    >>> plot_latency(Trials.from_frame(frame)).get_ylabel()
    'Time to first token (s)'
    """
    table = latency_data(trials, column=column)
    return _plot_usage(table, trials.length_unit, width, ax)


def plot_cost(
    trials: Trials,
    *,
    prices: Prices | None = None,
    width: ColumnWidth = "single",
    ax: Axes | None = None,
) -> Axes:
    """Draw what trials cost over length: the median, and bands of the middle trials.

    Parameters
    ----------
    trials : Trials
        With ``cost_usd``, or in tokens; up to six language models and tasks.
    prices : Prices, optional
        Of tokens, where trials do not say what they cost.
    width : {"single", "double", "slide"}
        Preset of our own figure: a column of 3.3 inches, a page of 6.9, a slide.
    ax : Axes, optional
        As in :func:`plot_latency`.

    Returns
    -------
    Axes
        The one drawn on; its ``figure`` goes to :func:`save_figure`.

    Raises
    ------
    OptionError
        If there are neither costs nor prices, lengths are not tokens, there are too many groups,
        or an option is unknown.

    Examples
    --------
    >>> trials = Trials.from_frame(pd.DataFrame({"length": [4000, 128000], "score": [1, 0]}))
    >>> plot_cost(trials, prices=Prices(input_usd=2.0)).get_ylabel()
    'Cost per trial (US dollars)'
    """
    return _plot_usage(cost_data(trials, prices=prices), trials.length_unit, width, ax)


def _plot_usage(table: pd.DataFrame, unit: str, width: ColumnWidth, ax: Axes | None) -> Axes:
    groups = list(dict.fromkeys(zip(table["model"], table["task"], strict=True)))
    check_series(len(groups))
    lengths = np.unique(table["length"].to_numpy(np.int64))
    with open_panel(ax, width) as panel:
        panel.ax.set_ylabel(AXIS_LABELS[table.attrs["column"]])
        start_log_axis(panel.ax, lengths, unit)
        _set_amounts(panel.ax, table, alone=len(groups) == 1)
        marks = list(_draw(panel.ax, table, groups))
        panel.settle()
        set_log_ticks(panel, lengths, unit)
        add_title(panel, *_title(table, groups))
        add_key(panel, marks)
        panel.finish(HEIGHTS[width])
    return panel.ax


def _title(table: pd.DataFrame, groups: list[tuple[str, str]]) -> tuple[str, str]:
    name, task = name_together(groups)
    band = "the middle half and nine tenths" if len(groups) == 1 else "the middle half"
    n_without = int(table["n_without"].sum())
    without = f"; {counted(n_without, 'trial')} without a value" if n_without else ""
    trials = counted(int(table["n_trials"].sum()), "trial")
    return name, f"{task}: median and {band} of {trials}{without}"


def _set_amounts(ax: Axes, table: pd.DataFrame, *, alone: bool) -> None:
    """Make the y axis logarithmic, or leave it linear where an amount is 0."""
    names = ["lower", "upper"] if alone else ["inner_lower", "inner_upper"]
    least, most = float(table[names[0]].min()), float(table[names[1]].max())
    if least <= 0:
        ax.set_ylim(0.0, 1.05 * most or 1.0)
        return
    ax.set_yscale("log")
    ax.set_ylim(least / 1.3, most * 1.3)
    subs = (1.0, 2.0, 5.0) if most / least < 100 else (1.0,)
    ax.yaxis.set_major_locator(LogLocator(subs=subs))
    ax.yaxis.set_major_formatter(FuncFormatter(lambda value, position: f"{value:.10g}"))
    ax.yaxis.set_minor_formatter(NullFormatter())


def _draw(ax: Axes, table: pd.DataFrame, groups: list[tuple[str, str]]) -> Iterator[Mark]:
    names = names_apart(groups)
    for index, (model, task) in enumerate(groups):
        own = table[(table["model"] == model) & (table["task"] == task)]
        look: dict[str, Any] = {"color": palette().cycle[index]}
        ax.fill_between(
            own["length"], own["inner_lower"], own["inner_upper"], alpha=0.25, linewidth=0, **look
        )
        if len(groups) == 1:
            ax.fill_between(
                own["length"], own["lower"], own["upper"], alpha=0.14, linewidth=0, **look
            )
        line = ax.plot(
            own["length"],
            own["median"],
            f"{MARKERS[index]}-",
            linewidth=1.2,
            markersize=3.5,
            clip_on=False,
            zorder=3,
            **look,
        )[0]
        yield line, "median" if len(groups) == 1 else names[index]
