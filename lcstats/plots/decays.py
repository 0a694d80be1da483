"""Several decay curves in one figure: bands, the bar, and a rug of effective lengths below."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from lcstats.cells import Cells
from lcstats.fit import CurveFit
from lcstats.lengths import EffectiveLength
from lcstats.lengths.answer import treatment_words
from lcstats.options import ColumnWidth, percent
from lcstats.plots.decay import draw_guess_rate
from lcstats.plots.decays_table import decays_data
from lcstats.plots.groups import (
    MARKERS,
    check_one_unit,
    check_series,
    name_together,
    names_apart,
)
from lcstats.plots.labels import LengthWriter, length_writer, outcome_words
from lcstats.plots.length_forest_table import length_forest_data
from lcstats.plots.outcomes import Place, draw_point, draw_set
from lcstats.plots.panel import (
    HEIGHTS,
    Mark,
    add_key,
    add_title,
    log_limits,
    open_panel,
    set_log_ticks,
    start_log_axis,
)
from lcstats.plots.style import FAILING_DASHES, palette

RUG_ROW, RUG_GAP = 0.06, 0.04
"""Heights of a row of the rug and of the gap above it, in units of accuracy."""
BAND, FAINT_BAND = 0.16, 0.10
"""How opaque bands are: few of them, and more than three."""


def plot_decays(
    cells: Cells,
    *,
    effective_lengths: Sequence[EffectiveLength] = (),
    fits: Sequence[CurveFit] = (),
    width: ColumnWidth = "single",
    ax: Axes | None = None,
) -> Axes:
    """Draw accuracy over length of several language models or tasks on one log2 axis.

    Each has a colour, a marker and a band that holds point by point: of Wilson intervals around
    the observed accuracies, or around the fitted curve from its own bootstrap. With effective
    lengths the threshold is a dashed line, and below the axis a row per group has its default set
    as a bar with the length on it; an arrow says that an end lies outside the tested lengths.
    Overlapping sets are no test of a difference: on the same cases :func:`lcstats.compare` is.

    Parameters
    ----------
    cells : Cells
        Up to six groups, in one unit of length.
    effective_lengths : sequence of EffectiveLength
        Made from these cells, by one criterion.
    fits : sequence of CurveFit
        Fitted to these cells; dashed where the effective length says that a curve does not fit.
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
        If there are more groups than can be told apart, units or criteria differ, a result is of
        other cells, or `width` is unknown.

    Examples
    --------
    >>> one, two = (
    ...     Cells.from_counts([4096, 8192], [0.5], n_cases=10, successes=[[10], [k]], model=name)
    ...     for name, k in (("a", 9), ("b", 2))
    ... )
    >>> ax = plot_decays(Cells(one.grids + two.grids))
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['a', 'b']
    """
    grids, answers = cells.grids, list(effective_lengths)
    check_series(len(grids))
    unit = check_one_unit(grid.length_unit for grid in grids)
    level = answers[0].quoted.default_set.level if answers else 0.95
    table = decays_data(cells, answers, level=level, fits=fits)
    rug = length_forest_data(answers) if answers else pd.DataFrame()
    lengths = np.unique(np.concatenate([grid.lengths for grid in grids]))
    groups = [(grid.model, grid.task) for grid in grids]
    said = _said(groups, answers, length_writer(lengths, unit))
    with open_panel(ax, width) as panel:
        floor = -(RUG_GAP + RUG_ROW * len(rug)) if answers else 0.0
        _set_axes(panel.ax, floor, graded=any(grid.has_fractions for grid in grids))
        start_log_axis(panel.ax, lengths, unit)
        failing = {(answer.model, answer.task) for answer in answers if answer.curve_fails}
        marks = [
            *_draw_series(panel.ax, table, said, failing),
            *_draw_bars(panel.ax, answers),
        ]
        _draw_rug(panel.ax, rug, answers, groups, log_limits(lengths))
        panel.settle()
        set_log_ticks(panel, lengths, unit)
        add_title(panel, *_title(groups, answers, level, has_curves=bool(fits)))
        add_key(panel, marks)
        panel.finish(HEIGHTS[width] * (1.0 - floor))
    return panel.ax


def _set_axes(ax: Axes, floor: float, *, graded: bool) -> None:
    """Leave room for the rug below 0; the axis of accuracies ends at 0 all the same."""
    ax.set_ylim(floor, 1.0)
    ax.set_yticks(np.linspace(0.0, 1.0, 6))
    ax.spines["left"].set_bounds(0.0, 1.0)
    ax.set_ylabel("Mean score" if graded else "Accuracy")
    if floor:
        ax.axhline(0.0, color=palette().cell, linewidth=0.6, zorder=1)


def _said(
    groups: Sequence[tuple[str, str]], answers: Sequence[EffectiveLength], write: LengthWriter
) -> list[str]:
    """Name every group, with its effective length and set where there is one."""
    words = names_apart(groups)
    for answer in answers:
        estimate = answer.quoted
        interval = estimate.default_set
        length, lower, upper = (
            outcome_words(outcome, estimate.lengths, write)
            for outcome in (estimate.outcome, interval.lower, interval.upper)
        )
        span = lower if interval.lower == interval.upper else f"{lower} to {upper}"
        words[groups.index((answer.model, answer.task))] += f": {length} (set {span})"
    return words


def _title(
    groups: Sequence[tuple[str, str]],
    answers: Sequence[EffectiveLength],
    level: float,
    *,
    has_curves: bool,
) -> tuple[str, str]:
    name, task = name_together(groups)
    words = f"{task}: {'fitted curves' if has_curves else 'observed'}"
    band = "bands at each length" if has_curves else "Wilson bands"
    words += f", {treatment_words('mean')}" if not answers else f", {answers[0].depth_in_words()}"
    words += f", {percent(level)} {band}"
    if answers:
        kinds = " or ".join(dict.fromkeys(one.quoted.default_set.kind for one in answers))
        words += f"; effective lengths with {percent(level)} sets ({kinds}) below the axis"
    return name, words


def _draw_series(
    ax: Axes, table: pd.DataFrame, said: Sequence[str], failing: set[tuple[str, str]]
) -> Iterator[Mark]:
    opaque = BAND if len(said) <= 3 else FAINT_BAND
    for number, own in table.groupby("number"):
        index = int(str(number))
        look: dict[str, Any] = {"color": palette().cycle[index], "zorder": 3 - 0.1 * index}
        observed, curve = (own[own["series"] == series] for series in ("length", "curve"))
        line = observed if curve.empty else curve
        fails = (own["model"].iloc[0], own["task"].iloc[0]) in failing
        ax.fill_between(
            line["length"], line["lower"], line["upper"], alpha=opaque, linewidth=0, **look
        )
        style = FAILING_DASHES if fails and not curve.empty else "-"
        ax.plot(line["length"], line["accuracy"], linestyle=style, linewidth=1.2, **look)
        points = ax.plot(
            observed["length"],
            observed["accuracy"],
            MARKERS[index],
            markersize=3.5,
            clip_on=False,
            **look,
        )[0]
        yield points, said[index]


def _draw_bars(ax: Axes, answers: Sequence[EffectiveLength]) -> Iterator[Mark]:
    """Draw the threshold, or each group's own where they are relative, and guessing."""
    if not answers:
        return
    bars = {float(answer.applied_threshold) for answer in answers}
    look: dict[str, Any] = {"color": palette().ink, "linestyle": (0, (4, 2)), "zorder": 1}
    lines = [ax.axhline(bar, linewidth=0.9, **look) for bar in sorted(bars)]
    first = answers[0]
    tau = f"{float(first.criterion.exact_threshold):g}"
    yield (
        lines[0],
        f"threshold: {first.bar_in_words()}"
        if len(bars) == 1
        else f"thresholds: {tau} of each one's own base",
    )
    if len({answer.criterion.guess_rate for answer in answers}) == 1:
        yield from draw_guess_rate(ax, first)


def _draw_rug(
    ax: Axes,
    rug: pd.DataFrame,
    answers: Sequence[EffectiveLength],
    groups: Sequence[tuple[str, str]],
    edges: tuple[float, float],
) -> None:
    """Draw sets and points below the axis, a row each, in the order of the key."""
    for place, row in enumerate(rug.itertuples()):
        answer = answers[place]
        height = -RUG_GAP - RUG_ROW * (place + 0.35)
        color = palette().cycle[groups.index((answer.model, answer.task))]
        where = Place(answer.lengths.astype(np.float64), edges)
        draw_set(ax, row, where, height, fails=False, color=color)
        draw_point(ax, row, where, height, status=str(row.status), color=color)
