"""The place of a figure: axes, a title block above, a key below, ticks that do not collide."""

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure
from matplotlib.legend import Legend
from matplotlib.lines import Line2D
from matplotlib.offsetbox import DrawingArea
from matplotlib.text import Text
from matplotlib.ticker import AutoLocator, FixedLocator, NullFormatter
from matplotlib.transforms import (
    Affine2D,
    ScaledTranslation,
    Transform,
    blended_transform_factory,
)
from numpy.typing import NDArray

from lcstats.plots.fonts import columns_in_font, quiet_about_fonts, spell_out
from lcstats.plots.labels import length_axis_label, length_writer, wrap_name, wrap_words
from lcstats.plots.style import Preset, figure_style, preset_of

POINTS = 72.0
NARROW_EM = 0.5
"""Width of a character in narrow words, in units of the font's size."""
SLACK = 0.96
"""Share of its room that a text may take: in print it is wider than on a screen, or narrower."""
LINE_SPACING = 1.25
WIDE = 280.0
"""Points; in wider axes a key has two columns."""
KEY_GAP = 5.0
PAD = 0.03
"""Inches between what is drawn and the edge of our own figure."""
MOST_TICKS = 12
HEIGHTS = {"single": 1.9, "double": 2.6, "slide": 1.2}
"""Inches that axes with curves are high; on a slide the least, as they take what is left."""

Mark = tuple[Any, str]
"""What is drawn (anything a legend can show), and the words for it."""


@dataclass(frozen=True, slots=True)
class Panel:
    """Axes to draw on, and the figure around them where that is ours to arrange.

    Attributes
    ----------
    ax : Axes
    figure : Figure or None
        None where the axes are the user's.
    preset : Preset
        Size of our own figure.
    """

    ax: Axes
    figure: Figure | None
    preset: Preset

    @property
    def width(self) -> float:
        """Width of the axes in points, as last arranged."""
        return in_points(self.ax, self.ax.get_window_extent().width)

    @property
    def height(self) -> float:
        """Height of the axes in points, as last arranged."""
        return in_points(self.ax, self.ax.get_window_extent().height)

    @property
    def room_right(self) -> float:
        """Points from the left of the axes to the edge of our own figure; else their width."""
        if self.figure is None:
            return self.width
        left = self.ax.get_window_extent().x0
        return in_points(self.ax, self.figure.bbox.x1 - left) - 2

    def settle(self) -> None:
        """Arrange our own figure around what has been drawn so far."""
        if self.figure is not None:
            self._arrange(self.figure, self.height / POINTS)

    def finish(self, height: float) -> None:
        """Make the axes of our own figure `height` inches high, with the figure around them.

        Where the figure's own height is given, they are at least so high, and take what is left.
        """
        if self.figure is not None:
            self._arrange(self.figure, height, self.preset.height)
            self._keep_ticks()
            # Words are widest at the style's own few dots per inch: measured there, they fit.
            self.figure.set_dpi(self.preset.dpi)

    def _keep_ticks(self) -> None:
        """Keep the ticks of this style: drawn in another, automatic ones would be others."""
        for axis in (self.ax.xaxis, self.ax.yaxis):
            if isinstance(axis.get_major_locator(), AutoLocator):
                low, high = sorted(axis.get_view_interval())
                ticks = axis.get_majorticklocs()
                shown = ticks[(low <= ticks) & (ticks <= high)]
                axis.set_major_locator(FixedLocator(shown.tolist()))

    def _arrange(self, figure: Figure, height: float, whole: float | None = None) -> None:
        """Give the axes the width that labels leave, and the figure the height that they need.

        One measurement, where a layout engine of matplotlib's takes several: measuring texts is
        most of what a figure costs. An engine would also draw the figure twice for every file.
        """
        inside = self.ax.get_window_extent()
        outside = self.ax.get_tightbbox(for_layout_only=True) or inside
        pad = PAD * figure.dpi
        left, bottom = inside.x0 - outside.x0 + pad, inside.y0 - outside.y0 + pad
        right, top = outside.x1 - inside.x1 + pad, outside.y1 - inside.y1 + pad
        around = (bottom + top) / figure.dpi
        figure.set_figheight(max(height + around, whole or 0.0))
        x, y = figure.bbox.size
        self.ax.set_position((left / x, bottom / y, 1 - (left + right) / x, 1 - (bottom + top) / y))


def in_points(artist: Artist, pixels: float) -> float:
    """Convert a length on the screen of the artist's figure to points."""
    return float(pixels / root_figure(artist).dpi * POINTS)


def root_figure(artist: Artist) -> Figure:
    """Return the whole figure an artist stands in, around any subfigure."""
    figure: Any = artist.figure
    return figure if isinstance(figure, Figure) else root_figure(figure)


@contextmanager
def open_panel(ax: Axes | None, width: str) -> Iterator[Panel]:
    """Give the user's axes as they are, or new ones in the library's style, outside pyplot."""
    preset = preset_of(width)
    if ax is not None:
        with quiet_about_fonts():
            yield Panel(ax, None, preset)
        return
    with quiet_about_fonts(), figure_style():
        figure = new_figure(figsize=(preset.width, 3.0))
        yield Panel(figure.add_subplot(), figure, preset)


def new_figure(**options: Any) -> Figure:
    """Make a figure outside pyplot, which would keep it; but within it in a notebook.

    A notebook shows the figures of pyplot below their cell, and then lets go of them.
    """
    if not _is_notebook():
        return Figure(**options)
    figure: Figure = import_module("matplotlib.pyplot").figure(**options)
    return figure


def _is_notebook() -> bool:
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return getattr(shell, "kernel", None) is not None


def add_title(panel: Panel, name: str, caption: str, *, pad: float = 5.0) -> None:
    """Write the language model's name, and below it what the figure shows.

    Names are no mathematics: ``$`` and ``_`` stand for themselves. In the user's axes both are
    the title of the axes, which layouts make room for and ``set_title`` replaces.
    """
    if panel.figure is None:
        _set_plain_title(panel, name, caption, pad)
    else:
        _set_title_block(panel, name, caption, pad)


def _set_plain_title(panel: Panel, name: str, caption: str, pad: float) -> None:
    title = panel.ax.set_title("", pad=pad, fontsize="small", usetex=False)
    title.set_parse_math(False)
    fit_words(title, name, panel.width, wrap_name)
    first = title.get_text()
    fit_words(title, caption, panel.width, wrap_words)
    title.set_text(f"{first}\n{title.get_text()}".replace("$", r"\$"))
    title.set_parse_math(True)


def _set_title_block(panel: Panel, name: str, caption: str, pad: float) -> None:
    """Write the caption into the padding of a bold title, `pad` points above the axes."""
    plain: dict[str, Any] = {"parse_math": False, "usetex": False}
    room = panel.room_right
    below = panel.ax.annotate(
        "",
        xy=(0, 1),
        xycoords="axes fraction",
        xytext=(0, pad),
        textcoords="offset points",
        va="bottom",
        fontsize="small",
        linespacing=LINE_SPACING,
        annotation_clip=False,
        in_layout=False,
        **plain,
    )
    fit_words(below, caption, room, wrap_words)
    n_lines = below.get_text().count("\n") + 1
    above = pad + n_lines * LINE_SPACING * font_size(below) + 3
    title = panel.ax.set_title("", loc="left", pad=above, fontweight="bold", **plain)
    fit_words(title, name, room, wrap_name)


def add_key(panel: Panel, marks: Sequence[Mark], *, inside: bool = True) -> None:
    """Label the marks, and explain them: below our own axes, within the user's.

    Parameters
    ----------
    panel : Panel
    marks : sequence of Mark
        Artists of the axes, so that ``ax.legend()`` finds their labels.
    inside : bool
        False where a key within the user's axes would hide data: labels are all there is.
    """
    for mark, words in marks:
        mark.set_label(words)
    if not marks:
        return
    if panel.figure is not None:
        _put_key_below(panel, marks)
    elif inside:
        _put_key_inside(panel, marks)


class _Upright:
    """Shows sticks in a key as they stand in the figure: lying, they look like a drawn line."""

    def legend_artist(
        self, _legend: Legend, sticks: Any, _fontsize: float, box: DrawingArea
    ) -> Artist:
        middle = box.width / 2.0 - box.xdescent
        stick = Line2D(
            [middle, middle],
            [-box.ydescent, box.height - box.ydescent],
            color=sticks.get_colors()[0],
            linewidth=sticks.get_linewidths()[0],
            solid_capstyle="butt",
            transform=box.get_transform(),
        )
        box.add_artist(stick)
        return stick


def _put_key_inside(panel: Panel, marks: Sequence[Mark]) -> None:
    handles, words = zip(*marks, strict=True)
    key = panel.ax.legend(handles, words, loc="best", fontsize="small")
    _fit_key(key, panel.width - 2 * font_size(key.get_texts()[0]))


def _put_key_below(panel: Panel, marks: Sequence[Mark]) -> None:
    ax, width = panel.ax, panel.width
    axis_box = ax.xaxis.get_tightbbox()
    below = ax.get_window_extent().y0 - axis_box.y0 if axis_box is not None else 0.0
    n_columns = 2 if width > WIDE and len(marks) > 3 else 1
    key = ax.legend(
        [mark for mark, _ in marks],
        [words for _, words in marks],
        loc="upper left",
        bbox_to_anchor=(0, 0),
        bbox_transform=ax.transAxes + shift_up(ax, -in_points(ax, below) - KEY_GAP),
        borderaxespad=0,
        ncols=n_columns,
        handler_map={LineCollection: _Upright()},
    )
    _fit_key(key, width / n_columns)


def _fit_key(key: Legend, width: float) -> None:
    for text in key.get_texts():
        text.set_parse_math(False)
        fit_words(text, text.get_text(), width - 3 * font_size(text), wrap_words)


def fit_words(text: Text, words: str, room: float, wrap: Callable[..., str]) -> None:
    """Give `text` the words, broken into lines that take at most `room` points."""
    columns_of = columns_in_font(text)
    n_columns = max(int(room / (NARROW_EM * font_size(text))), 8)
    for _ in range(8):
        wrapped = wrap(words, n_columns, columns_of=columns_of)
        text.set_text(wrapped)
        text.set_text(spell_out(text))
        width = in_points(text, text.get_window_extent().width)
        text.set_text(wrapped)
        if width <= SLACK * room or n_columns <= 8:
            return
        n_columns = max(min(n_columns - 1, int(n_columns * SLACK * room / width) + 1), 8)


def start_log_axis(ax: Axes, lengths: NDArray[np.int64], unit: str) -> None:
    """Make the x axis a log2 axis of lengths, with a small tick for every tested one."""
    ax.set_xscale("log", base=2)
    ax.set_xlim(*log_limits(lengths))
    ax.set_xlabel(length_axis_label(unit))
    ax.xaxis.set_major_locator(FixedLocator(lengths[[0, -1]].tolist()))
    write = length_writer(lengths, unit)
    ax.xaxis.set_major_formatter(lambda value, position: write(round(value)))
    ax.xaxis.set_minor_locator(FixedLocator(lengths.tolist()))
    ax.xaxis.set_minor_formatter(NullFormatter())


def set_log_ticks(panel: Panel, lengths: NDArray[np.int64], unit: str) -> None:
    """Label as many lengths as there is room for."""
    low, high = log_limits(lengths)
    positions = np.log2(lengths / low) / np.log2(high / low) * panel.width
    labels = list(map(length_writer(lengths, unit), lengths.tolist()))
    kept = spaced_ticks(positions, text_widths(panel.ax, labels, tick_font_size(panel.ax, "x")))
    panel.ax.xaxis.set_major_locator(FixedLocator(lengths[kept].tolist()))


def log_limits(lengths: NDArray[np.int64]) -> tuple[float, float]:
    """Ends of the log2 axis, with room outside the tested lengths for arrows."""
    first, last = float(lengths[0]), float(lengths[-1])
    room = max(0.09 * np.log2(last / first), 0.35)
    return first / 2**room, last * 2**room


def spaced_ticks(
    positions: NDArray[np.float64], widths: NDArray[np.float64], gap: float = 6.0
) -> list[int]:
    """Choose ticks whose labels keep `gap` points apart, the first and the last among them.

    At most :data:`MOST_TICKS` are chosen.

    Examples
    --------
    >>> spaced_ticks(np.array([0.0, 5.0, 30.0, 55.0, 60.0]), np.full(5, 10.0))
    [0, 2, 4]
    """
    kept = [0]
    last = positions.size - 1
    for index in range(1, last + 1):
        if _clear(kept[-1], index, positions, widths, gap):
            kept.append(index)
    while kept[-1] != last:
        if len(kept) == 1 or _clear(kept[-1], last, positions, widths, gap):
            kept.append(last)
        else:
            kept.pop()
    if len(kept) > MOST_TICKS:
        return spaced_ticks(positions, widths, gap + 2)
    return kept


def _clear(
    left: int,
    right: int,
    positions: NDArray[np.float64],
    widths: NDArray[np.float64],
    gap: float,
) -> bool:
    room = positions[right] - positions[left]
    return bool(room >= (widths[left] + widths[right]) / 2 + gap)


def even_ticks(spacing: float, extents: NDArray[np.float64], gap: float = 2.5) -> list[int]:
    """Choose every so-many-th of evenly spaced ticks so that labels of `extents` points fit.

    Examples
    --------
    >>> even_ticks(5.0, np.full(35, 10.0))
    [0, 3, 6, 9, 12, 15, 18, 21, 24, 27, 30, 33]
    """
    step = -(-extents.size // MOST_TICKS)
    while step < extents.size:
        kept = extents[::step]
        if np.all((kept[1:] + kept[:-1]) / 2 + gap <= step * spacing):
            break
        step += 1
    return list(range(0, extents.size, step))


def font_size(text: Text) -> float:
    """Size of a text in points."""
    return float(text.get_fontsize())


def text_widths(ax: Axes, texts: Sequence[str], font_size: float) -> NDArray[np.float64]:
    """Measure texts in the current fonts: widths in points, shape (n_texts,)."""
    probe = Text(fontsize=font_size, parse_math=False)
    probe.set_figure(root_figure(ax))
    widths = []
    for text in texts:
        probe.set_text(text)
        widths.append(in_points(ax, probe.get_window_extent().width))
    return np.array(widths)


def tick_font_size(ax: Axes, axis: str) -> float:
    """Size of an axis's tick labels in points."""
    labels = (ax.xaxis if axis == "x" else ax.yaxis).get_ticklabels()
    return font_size(labels[0])


def above_axes(ax: Axes, points: float) -> Transform:
    """Place marks at an x of the data and `points` above the axes (below, where negative)."""
    edge = 1.0 if points > 0 else 0.0
    flat = Affine2D().scale(1, 0).translate(0, edge) + ax.transAxes
    return blended_transform_factory(ax.transData, flat) + shift_up(ax, points)


def shift_up(ax: Axes, points: float) -> Transform:
    """Shift by `points` upwards, whatever the size of the figure."""
    return ScaledTranslation(0, points / POINTS, root_figure(ax).dpi_scale_trans)
