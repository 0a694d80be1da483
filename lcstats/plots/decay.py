"""The decay figure: accuracy over length with intervals, the bar, and the effective length."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from lcstats.cells import Cells, Means
from lcstats.draws import Draws
from lcstats.fit import CurveFit, GoodnessOfFit
from lcstats.lengths import EffectiveLength, Interval
from lcstats.lengths.answer import treatment_words
from lcstats.lengths.criterion import parse_treatment
from lcstats.options import ColumnWidth, percent
from lcstats.plots.decay_table import decay_data
from lcstats.plots.labels import (
    LengthWriter,
    band_bias_words,
    clean,
    criterion_words,
    curve_words,
    estimate_words,
    length_writer,
    set_words,
    shape_words,
    unscored_words,
)
from lcstats.plots.means import plot_mean_decay
from lcstats.plots.panel import (
    HEIGHTS,
    Mark,
    above_axes,
    add_key,
    add_title,
    log_limits,
    open_panel,
    set_log_ticks,
    start_log_axis,
)
from lcstats.plots.style import FAILING_DASHES, GUESS_DASHES, palette

STRIP = 7.0
"""Points above the axes at which the set lies."""
MANY = 15
"""Lengths; more of them get smaller points."""


def plot_decay(
    cells: Cells | Means,
    *,
    effective_length: EffectiveLength | None = None,
    fit: CurveFit | None = None,
    goodness: GoodnessOfFit | None = None,
    draws: Draws | None = None,
    width: ColumnWidth = "single",
    ax: Axes | None = None,
) -> Axes:
    """Draw accuracy over length, with Wilson intervals, on a log2 axis.

    With an effective length, its threshold is a dashed line, the length itself a line down from
    a strip above the axes, and its default set a bar in that strip. An arrow says that the end
    lies outside the tested lengths. For worst depth, quantiles and windows single cells are drawn
    too.
    A fitted curve is drawn between the tested lengths, with a band from its own bootstrap that
    holds point by point; it is dashed where its test fails. Under worst depth, quantiles and
    windows that band is biased, and the key says to which side.

    Parameters
    ----------
    cells : Cells or Means
        One (model, task) group; means without counts are drawn alone, and without intervals.
    effective_length : EffectiveLength, optional
        Made from these cells; brings depth treatment, threshold and set.
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
        caption are then the title of the axes, which ``ax.set_title(..., pad=15)`` replaces; every
        mark has a label and a legend stands inside, where ``ax.legend(...)`` moves it from.

    Returns
    -------
    Axes
        The one drawn on; its ``figure`` goes to :func:`save_figure`.

    Raises
    ------
    OptionError
        If `cells` holds several groups, or others than `effective_length` or `fit` was
        made from, or if `width` is unknown.

    Examples
    --------
    >>> cells = Cells.from_counts(
    ...     [4096, 8192], [0.0, 0.5], n_cases=40, successes=[[40, 40], [20, 20]]
    ... )
    >>> plot_decay(cells).get_xlabel()
    'Context length (tokens)'
    """
    if isinstance(cells, Means):
        return plot_mean_decay(cells, width=width, ax=ax)
    grid = cells.grid
    answer = effective_length
    level = answer.quoted.default_set.level if answer else 0.95
    table = decay_data(cells, answer, level=level, fit=fit, draws=draws)
    fails = goodness is not None and not goodness.passes
    treatment = answer.criterion.depth_treatment if answer else "mean"
    said_depth = treatment_words(treatment, len(grid.members))
    noun = "Mean score" if grid.has_fractions else "Accuracy"
    band = _band_words(answer, level)
    with open_panel(ax, width) as panel:
        panel.ax.set_ylim(0.0, 1.0)
        # The axis is too short for all of a window's words; the caption has them.
        said_short = said_depth.replace(" adjacent", "")
        panel.ax.set_ylabel(noun if grid.members else f"{noun}, {said_short}")
        start_log_axis(panel.ax, grid.lengths, grid.length_unit)
        marks = [
            *_draw_accuracy(panel.ax, table, level, treatment),
            *_draw_curve(panel.ax, table, f"{curve_words(goodness)}, {band}", fails=fails),
            *_draw_answer(panel.ax, answer, length_writer(grid.lengths, grid.length_unit)),
        ]
        panel.settle()
        set_log_ticks(panel, grid.lengths, grid.length_unit)
        said = criterion_words(answer) if answer else f"observed, {said_depth}"
        caption = f"{clean(grid.task)}: {said}{shape_words(grid)}{unscored_words(grid)}"
        add_title(panel, grid.model, caption, pad=STRIP + 8 if answer else 6)
        add_key(panel, marks)
        panel.finish(HEIGHTS[width])
    return panel.ax


def _draw_accuracy(ax: Axes, table: pd.DataFrame, level: float, treatment: str) -> Iterator[Mark]:
    by_length = table[table["series"] == "length"]
    single_cells = bool(by_length["depth"].notna().any())
    has_curve = bool((table["series"] == "curve").any())
    accuracy = by_length["accuracy"].to_numpy()
    points = ax.errorbar(
        by_length["length"].to_numpy(),
        accuracy,
        yerr=[accuracy - by_length["lower"].to_numpy(), by_length["upper"].to_numpy() - accuracy],
        fmt="o" if has_curve else "o-",
        color=palette().point,
        elinewidth=1.0,
        linewidth=0.7,
        markersize=3.5 if len(by_length) <= MANY else 2.0,
        zorder=3,
        clip_on=False,
    )
    for bar in points[2]:
        bar.set_clip_on(False)
    part = " window" if parse_treatment(treatment).is_window else " cell"
    what = f"observed{part if single_cells else ''}"
    yield points, f"{what}, {percent(level)} Wilson interval"
    if single_cells:
        cells = table[table["series"] == "cell"]
        dots = ax.plot(
            cells["length"],
            cells["accuracy"],
            ".",
            color=palette().cell,
            markersize=2.5,
            zorder=2,
            clip_on=False,
        )
        yield dots[0], "all cells"


def _band_words(answer: EffectiveLength | None, level: float) -> str:
    bias = band_bias_words(answer.criterion.treatment) if answer else ""
    return f"{percent(level)} band at each length{f' ({bias})' if bias else ''}"


def _draw_curve(ax: Axes, table: pd.DataFrame, words: str, *, fails: bool) -> Iterator[Mark]:
    curve = table[table["series"] == "curve"]
    if curve.empty:
        return
    look: dict[str, Any] = {"color": palette().curve, "zorder": 2.5}
    ax.fill_between(
        curve["length"], curve["lower"], curve["upper"], alpha=0.18, linewidth=0, **look
    )
    style = FAILING_DASHES if fails else "-"
    line = ax.plot(curve["length"], curve["accuracy"], linestyle=style, linewidth=1.2, **look)[0]
    yield line, words


def _draw_answer(ax: Axes, answer: EffectiveLength | None, write: LengthWriter) -> Iterator[Mark]:
    if answer is None:
        return
    bar = float(answer.applied_threshold)
    line = ax.axhline(bar, color=palette().bar, linestyle=(0, (4, 2)), linewidth=0.9, zorder=1)
    ax.annotate(
        f"{bar:.4g}",
        (1, bar),
        (2, 0),
        xycoords=("axes fraction", "data"),
        textcoords="offset points",
        color=palette().bar,
        fontsize="small",
        va="center",
        annotation_clip=False,
    )
    yield line, f"threshold: {answer.bar_in_words()}"
    yield from draw_guess_rate(ax, answer)
    yield _mark_length(ax, answer), estimate_words(answer, write)
    interval = answer.quoted.default_set
    yield _draw_set(ax, interval), set_words(interval, write)


def draw_guess_rate(ax: Axes, answer: EffectiveLength) -> Iterator[Mark]:
    """Draw what guessing gives, where that is known to be more than nothing."""
    guess_rate = float(answer.criterion.exact_guess_rate)
    if guess_rate:
        line = ax.axhline(
            guess_rate, color=palette().cell, linestyle=GUESS_DASHES, linewidth=1.1, zorder=1
        )
        yield line, f"accuracy of guessing: {guess_rate:.4g}"


def _mark_length(ax: Axes, answer: EffectiveLength) -> Line2D:
    """Mark the effective length on the strip, and draw a line down to the axis if it is one."""
    estimate = answer.quoted
    position = float(estimate.lengths[max(estimate.outcome - 1, 0)])
    if estimate.outcome:
        ax.axvline(position, color=palette().ink, linewidth=0.8, linestyle=(0, (1, 1.5)), zorder=1)
    marker = {"below_tested": "<", "beyond_tested": ">"}.get(estimate.status, "D")
    return ax.plot(
        [position],
        [0],
        marker,
        transform=above_axes(ax, STRIP),
        color=palette().ink,
        markersize=4.5,
        clip_on=False,
        zorder=5,
    )[0]


def _draw_set(ax: Axes, interval: Interval) -> Line2D:
    """Draw the set as a bar on the strip; an end outside the tested lengths is an arrow."""
    ends, open_ends = set_ends(interval)
    ax.axvspan(*ends, color=palette().ink, alpha=0.07, linewidth=0, zorder=0)
    look: dict[str, Any] = {
        "transform": above_axes(ax, STRIP),
        "color": palette().set,
        "clip_on": False,
        "zorder": 4,
    }
    for end, is_open, arrow in zip(ends, open_ends, "<>", strict=True):
        ax.plot([end], [0], arrow if is_open else "|", markersize=5 if is_open else 7, **look)
    return ax.plot(ends, [0, 0], "-", linewidth=2.5, solid_capstyle="butt", **look)[0]


def set_ends(interval: Interval) -> tuple[tuple[float, float], tuple[bool, bool]]:
    """Return where a set begins and ends on the axis, and which ends are open.

    An open end stands at the edge of the axis: no tested length passes, or all do.

    Examples
    --------
    >>> lengths = np.array([4096, 8192, 16384])
    >>> set_ends(Interval("certified", 0.95, 1, 2, lengths))
    ((4096.0, 8192.0), (False, False))
    """
    first, last = log_limits(interval.lengths)
    at = interval.lengths.astype(np.float64).tolist()
    is_below, is_beyond = interval.lower == 0, interval.upper == interval.lengths.size
    lower = first if is_below else at[interval.lower - 1]
    upper = last if is_beyond else at[max(interval.upper - 1, 0)]
    return (lower, upper), (is_below, is_beyond)
