"""The masses figure: how often each outcome would come up, and apart from it the set."""

from collections.abc import Iterator
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.ticker import MultipleLocator

from lcstats.lengths import EffectiveLength
from lcstats.options import ColumnWidth
from lcstats.plots.labels import (
    clean,
    criterion_words,
    length_axis_label,
    length_writer,
    outcome_words,
    set_words,
)
from lcstats.plots.masses_table import masses_data
from lcstats.plots.panel import (
    MOST_TICKS,
    Mark,
    Panel,
    above_axes,
    add_key,
    add_title,
    even_ticks,
    open_panel,
    text_widths,
    tick_font_size,
)
from lcstats.plots.style import palette

STRIP = -6.0
"""Points below the axes at which the set's bracket lies."""
HEIGHTS = {"single": 1.5, "double": 1.9, "slide": 1.0}
NEGLIGIBLE = 0.001
"""With many lengths, outcomes of less mass at either end are left out."""

MEANINGS = {
    "bootstrap": "share of repeats of this sweep (bootstrap)",
    "jeffreys": "posterior probability (jeffreys)",
    "parametric_bootstrap": "share of tables drawn from the curve (parametric_bootstrap)",
    "cluster_bootstrap": "share of resamples of whole clusters (cluster_bootstrap)",
    "posterior": "probability given these counts (posterior)",
    "prior": "probability before any counts (prior)",
}


def plot_masses(
    effective_length: EffectiveLength, *, width: ColumnWidth = "single", ax: Axes | None = None
) -> Axes:
    """Draw the masses of every outcome as bars, and the default set as a bracket under them.

    Bars say how often each outcome would come up again, or its posterior probability; the set
    holds the truth at its level. With many lengths, only outcomes from the first to the last
    that has some mass or lies in the set are drawn.

    Parameters
    ----------
    effective_length : EffectiveLength
        One that was asked for masses.
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
        If the effective length was made without masses, or if `width` is unknown.

    Examples
    --------
    >>> from lcstats.cells import Cells
    >>> from lcstats.lengths import Criterion, effective_length
    >>> cells = Cells.from_counts(
    ...     [4096, 8192], [0.0, 0.5], n_cases=40, successes=[[40, 40], [20, 20]]
    ... )
    >>> plot_masses(effective_length(cells, Criterion(0.85))).get_xlabel()
    'Effective context length (tokens)'
    """
    answer = effective_length
    table = shown_outcomes(masses_data(answer))
    with open_panel(ax, width) as panel:
        _set_axes(panel, table, answer)
        marks = [*_draw_bars(panel.ax, table), (_draw_set(panel.ax, table), _set_meaning(answer))]
        add_title(panel, answer.model, f"{clean(answer.task)}: {criterion_words(answer)}")
        add_key(panel, marks)
        panel.finish(HEIGHTS[width])
    return panel.ax


def shown_outcomes(table: pd.DataFrame) -> pd.DataFrame:
    """Leave out outcomes with next to no mass at both ends, where there are many.

    Parameters
    ----------
    table : DataFrame
        As :func:`masses_data` returns it.
    """
    if table["outcome"].nunique() <= MOST_TICKS:
        return table
    matters = table.loc[(table["mass"] >= NEGLIGIBLE) | table["in_set"], "outcome"]
    return table[table["outcome"].between(matters.min(), matters.max())]


def _set_axes(panel: Panel, table: pd.DataFrame, answer: EffectiveLength) -> None:
    ax, unit = panel.ax, answer.length_unit
    outcomes = table["outcome"].unique()
    ax.set_xlim(outcomes[0] - 0.6, outcomes[-1] + 0.6)
    ax.set_ylim(0.0, 1.0)
    ax.yaxis.set_major_locator(MultipleLocator(0.25))
    ax.set_ylabel("Mass")
    ax.set_xlabel(f"Effective {length_axis_label(unit).lower()}")
    ax.tick_params(axis="x", length=0, pad=-STRIP + 5)
    panel.settle()
    write = length_writer(answer.lengths, unit)
    words = [outcome_words(outcome, answer.lengths, write) for outcome in outcomes.tolist()]
    widths = text_widths(ax, words, tick_font_size(ax, "x"))
    ticks = even_ticks(panel.width / (outcomes.size + 0.2), widths)
    ax.set_xticks(outcomes[ticks], [words[tick] for tick in ticks])


def _draw_bars(ax: Axes, table: pd.DataFrame) -> Iterator[Mark]:
    kinds = table["kind"].unique().tolist()
    bar_width = 0.8 / len(kinds)
    for index, kind in enumerate(kinds):
        rows = table[table["kind"] == kind]
        left = rows["outcome"] - 0.4 + index * bar_width
        bars = ax.bar(left, rows["mass"], bar_width, align="edge", color=palette().masses[kind])
        yield bars, MEANINGS[kind]


def _draw_set(ax: Axes, table: pd.DataFrame) -> Line2D:
    """Draw a bracket from the first to the last outcome of the set, under the bars."""
    inside = table.loc[table["in_set"], "outcome"]
    ends = [inside.min() - 0.45, inside.max() + 0.45]
    look: dict[str, Any] = {
        "transform": above_axes(ax, STRIP),
        "color": palette().ink,
        "clip_on": False,
    }
    ax.plot(ends, [0, 0], "|", markersize=6, **look)
    return ax.plot(ends, [0, 0], "-", linewidth=1.6, solid_capstyle="butt", **look)[0]


def _set_meaning(answer: EffectiveLength) -> str:
    interval = answer.quoted.default_set
    write = length_writer(answer.lengths, answer.length_unit)
    return f"{set_words(interval, write)}\n(for the true length; not a share)"
