"""The methods figure: points, sets and masses of every method on one axis of lengths."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from lcstats.lengths import EffectiveLength
from lcstats.lengths.quoting import NAMES
from lcstats.options import ColumnWidth, percent
from lcstats.plots.labels import clean, length_axis_label, length_writer, outcome_words
from lcstats.plots.masses import MEANINGS
from lcstats.plots.methods_table import methods_data
from lcstats.plots.outcomes import Place, draw_point, draw_set
from lcstats.plots.panel import (
    POINTS,
    Mark,
    Panel,
    add_key,
    add_title,
    open_panel,
    set_log_ticks,
    start_log_axis,
)
from lcstats.plots.style import palette

ROW = {"single": 10.5, "double": 11.5, "slide": 10.5}
"""Points that a row is high."""
STRIP = 1.7
"""Rows that a strip of masses is high."""
GAP = 0.35
"""Rows between methods."""
THICKEST, THINNEST = 4.5, 1.2
"""Points; the thickness of sticks of few outcomes, and of many."""

PROMISES = {
    "certified": "proved",
    "anytime": "proved, however one looked",
    "jeffreys": "built, not proved",
    "hybrid": "upper end proved",
    "strict": "upper end proved",
    "posterior": "if the priors hold",
    "parametric_bootstrap": "if the curve fits",
    "cluster_bootstrap": "if the curve fits",
}
"""What sets promise in the fewest words; :data:`lcstats.lengths.answer.SET_MEANINGS` has more."""
SHORT_KINDS = {"parametric_bootstrap": "bootstrap", "cluster_bootstrap": "cluster"}

Rows = dict[tuple[str, str, str], float]
"""Heights by method, part ("name", "set", "crossing", "mass") and kind."""


def plot_methods(
    effective_length: EffectiveLength, *, width: ColumnWidth = "single", ax: Axes | None = None
) -> Axes:
    """Draw what every method says on one log2 axis, so that it is seen where they part.

    Each method has its name and effective length, a row per set with the point on it, and under
    them its masses as sticks. Set and point to quote are heavy, and shaded through all methods;
    sets of a curve that does not fit are dashed. An arrow says that an end lies outside the tested
    lengths, the place left of the shortest that none of them passes. Where the curve itself
    crosses the threshold has a row of its own. Of several kinds of masses of a method the first is
    drawn; one scale holds for all.

    Parameters
    ----------
    effective_length : EffectiveLength
        With as many methods as were asked for.
    width : {"single", "double", "slide"}
        Preset of our own figure: a column of 3.3 inches, a page of 6.9, a slide.
    ax : Axes, optional
        Draw here, in matplotlib's current style, instead of on a figure of our own: the same
        rows and masses, squeezed into what room there is. Name and caption are then the title of
        the axes, which ``ax.set_title`` replaces. Rows say what they are, and a legend would hide
        some; every mark has a label, so that ``ax.legend(...)`` puts one where there is room.

    Returns
    -------
    Axes
        The one drawn on; its ``figure`` goes to :func:`save_figure`.

    Raises
    ------
    OptionError
        If `width` is unknown.

    Examples
    --------
    >>> from lcstats.cells import Cells
    >>> from lcstats.lengths import Criterion, effective_length
    >>> cells = Cells.from_counts(
    ...     [4096, 8192], [0.0, 0.5], n_cases=40, successes=[[40, 40], [20, 20]]
    ... )
    >>> plot_methods(effective_length(cells, Criterion(0.85))).get_xlabel()
    'Effective context length (tokens)'
    """
    answer = effective_length
    table = methods_data(answer)
    with open_panel(ax, width) as panel:
        lengths, unit = answer.lengths, answer.length_unit
        start_log_axis(panel.ax, lengths, unit)
        panel.ax.set_xlabel(f"Effective {length_axis_label(unit).lower()}")
        rows = _set_rows(panel.ax, table)
        panel.settle()
        set_log_ticks(panel, lengths, unit)
        marks = _draw_methods(panel, table, answer, rows)
        caption = f"{clean(answer.task)}: {answer.bar_in_words()}, {answer.depth_in_words()}"
        add_title(panel, answer.model, caption)
        add_key(panel, marks, inside=False)
        panel.finish(-panel.ax.get_ylim()[0] * ROW[width] / POINTS)
    return panel.ax


def _set_rows(ax: Axes, table: pd.DataFrame) -> Rows:
    """Give every method's name, sets and masses their heights, and label them."""
    rows: Rows = {}
    labels: dict[float, str] = {}
    top = 0.0
    for method, own in table.groupby("method", sort=False):
        rows[str(method), "name", ""] = top - 0.55
        top -= 1
        for kind in own.loc[own["series"] == "set", "kind"]:
            rows[str(method), "set", kind] = top - 0.5
            labels[top - 0.5] = f"{SHORT_KINDS.get(kind, kind)} set"
            top -= 1
        if (own["series"] == "crossing").any():
            rows[str(method), "crossing", ""] = top - 0.4
            labels[top - 0.4] = "crossing"
            top -= 0.8
        masses = own[own["series"] == "mass"]
        if not masses.empty:
            kind = masses["kind"].iloc[0]
            top -= STRIP
            rows[str(method), "mass", kind] = top
            most = masses.loc[masses["kind"] == kind, "share"].max()
            labels[top + STRIP / 2] = f"{SHORT_KINDS.get(kind, kind)} masses,\nmost {most:.0%}"
        top -= GAP
    ax.set_ylim(top, 0.0)
    ax.set_yticks(list(labels), list(labels.values()))
    ax.tick_params(axis="y", length=0, pad=6)
    return rows


def _draw_methods(
    panel: Panel,
    table: pd.DataFrame,
    answer: EffectiveLength,
    rows: Rows,
) -> list[Mark]:
    """Draw all rows; of marks that mean the same, the key takes the first."""
    ax = panel.ax
    place = Place.on(answer.lengths)
    _shade_quoted(ax, table, place, rows)
    _write_names(ax, answer, rows)
    points = {row.method: row for row in table[table["series"] == "point"].itertuples()}
    sets: list[Mark] = []
    dots: list[Mark] = []
    for row in table[table["series"] == "set"].itertuples():
        height = rows[str(row.method), "set", str(row.kind)]
        fails = row.method == "curve" and answer.curve_fails
        said = promise_words(str(row.kind), answer.quoted.default_set.level)
        sets.append((draw_set(ax, row, place, height, fails=fails), said))
        point = points[row.method]
        words = "effective length to quote" if point.quoted else "effective length, not quoted"
        dots.append((draw_point(ax, point, place, height, status=str(point.kind)), words))
    marks = [*dots, *sets, *_draw_crossings(ax, table, place, rows)]
    marks += _draw_masses(panel, table, place, rows)
    first = {words: mark for mark, words in reversed(marks)}
    return [(mark, words) for mark, words in marks if first[words] is mark]


def promise_words(kind: str, level: float) -> str:
    """Say a kind of set with its level and what it promises."""
    return f"{percent(level)} set, {SHORT_KINDS.get(kind, kind)}: {PROMISES[kind]}"


def _shade_quoted(ax: Axes, table: pd.DataFrame, place: Place, rows: Rows) -> None:
    """Carry set and point to quote through the rows of all methods, but not through words."""
    quoted = table[(table["series"] == "set") & table["quoted"]].iloc[0]
    ends, _ = place.sets(quoted["lower"], quoted["upper"])
    ax.axvspan(*ends, color=palette().ink, alpha=0.07, linewidth=0, zorder=0)
    look: dict[str, Any] = {"color": palette().ink, "linewidth": 0.8, "linestyle": (0, (1, 1.5))}
    tops = [height - 0.5 for (_, part, _), height in rows.items() if part == "name"]
    bottoms = [*(top + 1.05 for top in tops[1:]), ax.get_ylim()[0]]
    for length in table.loc[(table["series"] == "point") & table["quoted"], "length"]:
        ax.vlines([place.of(length)] * len(tops), bottoms, tops, zorder=1, **look)


def _write_names(ax: Axes, answer: EffectiveLength, rows: Rows) -> None:
    """Write each method's name and effective length above its rows; the quoted one is bold."""
    write = length_writer(answer.lengths, answer.length_unit)
    for estimate in (answer.quoted, *answer.beside):
        is_headline = estimate.method == answer.headline
        words = NAMES[estimate.method].removeprefix("the ").capitalize()
        words += f": {outcome_words(estimate.outcome, answer.lengths, write)}"
        if estimate.method == "curve" and answer.curve_fails:
            words += " (does not fit)"
        elif estimate is answer.quoted:
            words += " (to quote)" if is_headline else " (quote the set)"
        ax.annotate(
            words,
            (0, rows[estimate.method, "name", ""]),
            (3, 0),
            xycoords=("axes fraction", "data"),
            textcoords="offset points",
            va="center",
            fontsize="small",
            fontweight="bold" if estimate is answer.quoted else "normal",
            zorder=6,
        )


def _draw_crossings(ax: Axes, table: pd.DataFrame, place: Place, rows: Rows) -> Iterator[Mark]:
    """Draw where a curve crosses as a small tick with its interval; an arrow where it is off."""
    for row in table[table["series"] == "crossing"].itertuples():
        height = rows[str(row.method), "crossing", ""]
        ends = np.array([row.lower, row.upper], dtype=np.float64)
        value = float(str(row.length))
        shown = float(np.clip(value, *place.edges))
        marker = "|" if shown == value else "<" if shown > value else ">"
        look: dict[str, Any] = {"color": palette().set, "zorder": 3}
        if np.all(np.isfinite(ends)):
            ax.plot(ends, [height, height], "-", linewidth=0.7, **look)
        tick = ax.plot(
            [shown], [height], marker, markersize=5, linestyle="none", clip_on=False, **look
        )[0]
        yield tick, "where the curve crosses, with interval"


def _draw_masses(panel: Panel, table: pd.DataFrame, place: Place, rows: Rows) -> Iterator[Mark]:
    """Draw masses as sticks, all to the scale of the largest one."""
    masses = table[table["series"] == "mass"]
    strips = {
        key: masses[(masses["method"] == key[0]) & (masses["kind"] == key[2])]
        for key in rows
        if key[1] == "mass"
    }
    most = max((float(own["share"].max()) for own in strips.values()), default=1.0)
    thickness = min(THICKEST, max(THINNEST, 0.7 * place.narrowest * panel.width))
    for key, own in strips.items():
        base, color = rows[key], palette().masses[key[2]]
        present = own[own["share"] > 0]
        positions = [place.of(length) for length in present["length"]]
        tops = base + (STRIP - 0.25) * present["share"].to_numpy() / most
        panel.ax.axhline(base, color=color, linewidth=0.4, zorder=1)
        sticks = panel.ax.vlines(positions, base, tops, color=color, linewidth=thickness, zorder=2)
        yield sticks, MEANINGS[key[2]].rpartition(" (")[0]
