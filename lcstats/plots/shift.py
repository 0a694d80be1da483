"""The shift figure: masses over doublings by method, and the intervals above them."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import FixedLocator
from numpy.typing import NDArray

from lcstats.comparison.doublings import BOTH_BELOW, BOTH_BEYOND, DECIMALS
from lcstats.comparison.shift_result import LengthShift
from lcstats.lengths.quoting import NAMES
from lcstats.options import ColumnWidth, percent
from lcstats.plots.labels import clean, signed_share
from lcstats.plots.panel import (
    Mark,
    Panel,
    add_key,
    add_title,
    even_ticks,
    open_panel,
    text_widths,
    tick_font_size,
)
from lcstats.plots.shift_table import shift_data
from lcstats.plots.style import palette

HEIGHTS = {"single": 1.8, "double": 2.2, "slide": 1.2}
NEGLIGIBLE = 0.005
"""Shifts of less mass by every method, outside of every interval, are left out."""
TOLERANCE = 0.5 * 10.0**-DECIMALS
ROW = 0.11
"""Height of an interval's row, in units of mass."""
UNKNOWN = {BOTH_BELOW: "both\nbelow", BOTH_BEYOND: "both\nbeyond"}


@dataclass(frozen=True, slots=True)
class _Columns:
    """Which shifts stand where on the x axis.

    Attributes
    ----------
    values : ndarray of float64, shape (n_values,)
        Doublings, ascending, at 0, 1, 2, ...
    unknown : tuple of str
        What is known of neither, after them.
    """

    values: NDArray[np.float64]
    unknown: tuple[str, ...]

    def has(self, row: Any) -> bool:
        """Tell whether a row of the table is shown at all."""
        if row.known == "nothing":
            return row.label in self.unknown
        return bool(np.isin(row.doublings, self.values))

    def of(self, row: Any) -> int:
        """Return the column of a row of the table."""
        if row.known == "nothing":
            return int(self.values.size) + self.unknown.index(row.label)
        return int(np.searchsorted(self.values, row.doublings))

    def words(self) -> list[str]:
        """Return what stands under the columns."""
        named = [signed_share(value) for value in self.values.tolist()]
        return [*named, *(UNKNOWN[label] for label in self.unknown)]


def plot_shift(
    shifts: Mapping[str, LengthShift], *, width: ColumnWidth = "single", ax: Axes | None = None
) -> Axes:
    """Draw how the masses of a shift lie over doublings, for every method, and its interval.

    Bars say how often a shift would come up again, or its posterior probability; their pale parts
    are known on one side only, since one of the effective lengths lies outside the tested ones. The
    interval to quote stands above them, with an arrow where the tested lengths do not bound it.

    Parameters
    ----------
    shifts : mapping of str to LengthShift
        By method, as :func:`lcstats.comparison.shift.length_shift` returns them.
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
        If there are no shifts or `width` is unknown.

    Examples
    --------
    >>> from lcstats.comparison.shift_interval import ShiftInterval
    >>> from lcstats.lengths import Criterion
    >>> shift = LengthShift(
    ...     "observed", "a", "b", "kv", Criterion(0.85), "tokens", np.array([4096, 8192]),
    ...     (2, 1), np.diag([0.0, 0.5, 0.5]), "bootstrap", is_paired=True,
    ...     intervals=(ShiftInterval("both_sets", 0.95, -np.inf, 0.0),),
    ... )  # fmt: skip
    >>> plot_shift({"observed": shift}).get_ylabel()
    'Mass'
    """
    table = shift_data(shifts)
    first = next(iter(shifts.values()))
    columns = _columns(table)
    with open_panel(ax, width) as panel:
        _set_axes(panel, columns, n_methods=len(shifts))
        marks = [
            *_draw_bars(panel.ax, table, columns, list(shifts)),
            *_draw_intervals(panel.ax, shifts, columns),
        ]
        caption = f"{clean(first.task)}: {first.criterion_in_words()}"
        add_title(panel, clean(f"{first.new_model} against {first.old_model}"), caption)
        add_key(panel, marks)
        panel.finish(HEIGHTS[width])
    return panel.ax


def _method_color(method: str) -> str:
    own = {"observed": palette().point, "curve": palette().curve}
    return own.get(method, palette().sets["posterior"])


def _columns(table: pd.DataFrame) -> _Columns:
    """Keep shifts with some mass, the ends of intervals, and whole doublings between them."""
    most = table.groupby("label", sort=False)["mass"].transform("max")
    kept = table[most >= NEGLIGIBLE]
    ends = table[["lower", "upper"]].to_numpy().ravel()
    known = [*kept["doublings"].dropna(), *ends[np.isfinite(ends)], 0.0]
    values = np.unique(np.round(known, DECIMALS))
    if np.all(values == np.rint(values)):
        values = np.arange(values[0], values[-1] + 1)
    present = set(kept["label"])
    return _Columns(values, tuple(label for label in UNKNOWN if label in present))


def _set_axes(panel: Panel, columns: _Columns, *, n_methods: int) -> None:
    ax, words = panel.ax, columns.words()
    ax.set_xlim(-0.6, len(words) - 0.4)
    ax.set_ylim(0.0, 1.02 + ROW * n_methods)
    ax.yaxis.set_major_locator(FixedLocator([0.0, 0.25, 0.5, 0.75, 1.0]))
    ax.set_ylabel("Mass")
    ax.set_xlabel("Shift of the effective length (doublings)")
    ax.tick_params(axis="x", length=0)
    panel.settle()
    widths = text_widths(ax, words, tick_font_size(ax, "x"))
    ticks = even_ticks(panel.width / (len(words) + 0.2), widths)
    ax.set_xticks(ticks, [words[tick] for tick in ticks])


def _draw_bars(
    ax: Axes, table: pd.DataFrame, columns: _Columns, methods: list[str]
) -> Iterator[Mark]:
    """Draw masses: what is known on one side only is pale, on top of what is exact."""
    bar_width = 0.8 / len(methods)
    pale: Mark | None = None
    for index, method in enumerate(methods):
        left = -0.4 + index * bar_width
        heights = np.zeros((2, len(columns.words())))
        for row in table[table["method"] == method].itertuples():
            if columns.has(row):
                is_pale = row.known in ("at most", "at least")
                heights[int(is_pale), columns.of(row)] += float(str(row.mass))
        look: dict[str, Any] = {"align": "edge", "color": _method_color(method)}
        places = np.arange(heights.shape[1]) + left
        bars = ax.bar(places, heights[0], bar_width, **look)
        yield bars, NAMES[method].removeprefix("the ").capitalize()
        if heights[1].max() >= NEGLIGIBLE:
            over = ax.bar(places, heights[1], bar_width, bottom=heights[0], alpha=0.4, **look)
            pale = pale or (over, "pale: so much or more; an end lies outside the tested lengths")
    if pale is not None:
        yield pale


def _draw_intervals(
    ax: Axes, shifts: Mapping[str, LengthShift], columns: _Columns
) -> Iterator[Mark]:
    """Draw every method's interval above the bars; one that is not bounded ends in an arrow."""
    last = columns.values.size - 1
    for index, (method, shift) in enumerate(shifts.items()):
        interval = shift.default_interval
        height = 1.02 + ROW * (len(shifts) - index - 0.5)
        places = []
        look: dict[str, Any] = {"color": _method_color(method), "clip_on": False}
        ends = ((interval.lower, 0, -0.45, "<"), (interval.upper, last, 0.45, ">"))
        for end, edge, step, arrow in ends:
            is_open = not np.isfinite(end)
            column = edge if is_open else int(np.searchsorted(columns.values, end - TOLERANCE))
            places.append(column + step)
            ax.plot(places[-1:], [height], arrow if is_open else "|", markersize=4.5, **look)
        line = ax.plot(places, [height] * 2, "-", linewidth=1.6, **look)[0]
        if index == 0:
            yield line, f"above: {percent(interval.level)} intervals (not made of the masses)"
