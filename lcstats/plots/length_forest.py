"""The forest figure: effective lengths of several language models, one under the other."""

from collections.abc import Sequence
from functools import partial

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from lcstats.lengths import EffectiveLength
from lcstats.lengths.quoting import NAMES
from lcstats.options import ColumnWidth
from lcstats.plots.labels import clean, length_axis_label, wrap_name
from lcstats.plots.length_forest_table import length_forest_data
from lcstats.plots.methods import promise_words
from lcstats.plots.outcomes import Place, draw_point, draw_set
from lcstats.plots.panel import (
    POINTS,
    Mark,
    Panel,
    add_key,
    add_title,
    fit_words,
    log_limits,
    open_panel,
    set_log_ticks,
    start_log_axis,
)

ROW = {"single": 11.0, "double": 12.0, "slide": 11.0}
"""Points that a row is high."""
SLACK = 0.94
"""Share of the axes that a name may take: text in print is wider than on a screen."""


def plot_length_forest(
    answers: Sequence[EffectiveLength],
    *,
    all_methods: bool = False,
    width: ColumnWidth = "single",
    ax: Axes | None = None,
) -> Axes:
    """Draw the effective lengths of several language models on one log2 axis.

    Each has its name, and a row per method with the set as a bar and the point on it. An arrow says
    that an end lies outside the lengths that were tested on that language model; the place left of
    its shortest length, that none of them passes. Overlapping sets are no test of a difference: on
    the same cases :func:`lcstats.compare` is.

    Parameters
    ----------
    answers : sequence of EffectiveLength
        By one criterion, in one unit of length; drawn in this order.
    all_methods : bool
        Every method of each, not only the one to quote.
    width : {"single", "double", "slide"}
        Preset of our own figure: a column of 3.3 inches, a page of 6.9, a slide.
    ax : Axes, optional
        Draw here, in matplotlib's current style, instead of on a figure of our own. Name and
        caption are then the title of the axes, which ``ax.set_title`` replaces; every mark has a
        label, so that ``ax.legend(...)`` puts a legend where there is room.

    Returns
    -------
    Axes
        The one drawn on; its ``figure`` goes to :func:`save_figure`.

    Raises
    ------
    OptionError
        If there are no answers, criteria or units differ, or `width` is unknown.

    Examples
    --------
    >>> from lcstats.cells import Cells
    >>> from lcstats.lengths import Criterion, effective_length
    >>> cells = Cells.from_counts([4096, 8192], [0, 1], n_cases=80, successes=[[80, 79], [20, 20]])
    >>> plot_length_forest([effective_length(cells, Criterion(0.85))]).get_xlabel()
    'Effective context length (tokens)'
    """
    table = length_forest_data(answers, all_methods=all_methods)
    lengths = np.unique(np.concatenate([answer.lengths for answer in answers]))
    unit = answers[0].length_unit
    with open_panel(ax, width) as panel:
        start_log_axis(panel.ax, lengths, unit)
        panel.ax.set_xlabel(f"Effective {length_axis_label(unit).lower()}")
        heights = _set_rows(panel.ax, table)
        panel.settle()
        set_log_ticks(panel, lengths, unit)
        marks = _draw_rows(panel.ax, table, answers, heights, log_limits(lengths))
        panel.settle()
        _write_names(panel, table, heights)
        add_title(panel, "Effective length", _caption(answers, table))
        add_key(panel, marks, inside=False)
        panel.finish(-panel.ax.get_ylim()[0] * ROW[width] / POINTS)
    return panel.ax


def _caption(answers: Sequence[EffectiveLength], table: pd.DataFrame) -> str:
    bars = {answer.bar_in_words() for answer in answers}
    first = answers[0]
    tau = f"{float(first.criterion.exact_threshold):g}"
    bar = bars.pop() if len(bars) == 1 else f"{tau} of each one's own base score"
    tasks = table["task"].unique()
    named = f"{clean(tasks[0])}: " if tasks.size == 1 else ""
    return f"{named}{bar}, {first.depth_in_words()}"


def _set_rows(ax: Axes, table: pd.DataFrame) -> dict[tuple[int, str], float]:
    """Give every name (method "") and every method its height, and label the methods."""
    heights: dict[tuple[int, str], float] = {}
    top = 0.0
    for number, own in table.groupby("answer", sort=False):
        heights[int(str(number)), ""] = top - 0.6
        for place, method in enumerate(own["method"]):
            heights[int(str(number)), str(method)] = top - 1.6 - place
        top -= 1.3 + len(own)
    methods = {key: height for key, height in heights.items() if key[1]}
    ax.set_ylim(top, 0.0)
    words = [NAMES[method].removeprefix("the ") for _, method in methods]
    ax.set_yticks(list(methods.values()), words)
    ax.tick_params(axis="y", length=0, pad=6)
    return heights


def _write_names(panel: Panel, table: pd.DataFrame, heights: dict[tuple[int, str], float]) -> None:
    """Write each language model's name above its rows; with its task, where there are several."""
    several = table["task"].nunique() > 1
    for number, own in table.groupby("answer", sort=False):
        first = own.iloc[0]
        words = f"{first['model']} on {first['task']}" if several else str(first["model"])
        text = panel.ax.annotate(
            "",
            (0, heights[int(str(number)), ""]),
            (3, 0),
            xycoords=("axes fraction", "data"),
            textcoords="offset points",
            va="center",
            fontsize="small",
            fontweight="bold",
            zorder=6,
        )
        text.set_parse_math(False)
        fit_words(text, clean(words), SLACK * panel.width, partial(wrap_name, n_lines=1))


def _draw_rows(
    ax: Axes,
    table: pd.DataFrame,
    answers: Sequence[EffectiveLength],
    heights: dict[tuple[int, str], float],
    edges: tuple[float, float],
) -> list[Mark]:
    """Draw all rows; of marks that mean the same, the key takes the first."""
    marks: dict[str, Mark] = {}
    for row in table.itertuples():
        answer = answers[int(str(row.answer))]
        place = Place(answer.lengths.astype(np.float64), edges)
        height = heights[int(str(row.answer)), str(row.method)]
        fails = row.method == "curve" and answer.curve_fails
        words = promise_words(str(row.kind), float(str(row.level)))
        line = draw_set(ax, row, place, height, fails=fails)
        marks.setdefault(words, (line, words))
        point = draw_point(ax, row, place, height, status=str(row.status))
        said = "effective length to quote" if row.quoted else "effective length, not quoted"
        marks.setdefault(said, (point, said))
    return list(marks.values())
