"""The place of a figure: axes, a title block above, a key below, ticks that do not collide."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.text import Text
from matplotlib.ticker import FixedLocator, NullFormatter
from matplotlib.transforms import (
    Affine2D,
    ScaledTranslation,
    Transform,
    blended_transform_factory,
)
from numpy.typing import NDArray

from lcstats.plots.fonts import columns_in_font
from lcstats.plots.labels import length_axis_label, length_label, wrap_name, wrap_words
from lcstats.plots.saving import without_glyph_warnings
from lcstats.plots.style import figure_style, width_inches

POINTS = 72.0
TEXT_EM = 0.56
"""Width of an average character of the style's font in words, in units of its size."""
BOLD_EM = 0.67
DIGIT_EM = 0.61
LINE_SPACING = 1.25
WIDE = 380.0
"""Points; in wider axes a key has two columns."""
MOST_TICKS = 12


@dataclass(frozen=True, slots=True)
class Panel:
    """Axes to draw on, and whether the figure around them is ours to arrange."""

    ax: Axes
    is_ours: bool

    def size(self) -> tuple[float, float]:
        """Width and height of the axes in points, after arranging our own figure."""
        figure = self.ax.get_figure(root=True)
        assert figure is not None
        if self.is_ours:
            with without_glyph_warnings():
                figure.draw_without_rendering()
        box = self.ax.get_window_extent()
        return box.width / figure.dpi * POINTS, box.height / figure.dpi * POINTS

    def room_right(self) -> float:
        """Points from the left of the axes to the edge of our own figure; else their width."""
        box = self.ax.get_window_extent()
        figure = self.ax.get_figure(root=True)
        assert figure is not None
        right = figure.bbox.x1 - 3 if self.is_ours else box.x1
        return float(right - box.x0) / figure.dpi * POINTS

    def set_height(self, inches: float) -> None:
        """Make the axes of our own figure `inches` high, whatever stands around them."""
        figure = self.ax.get_figure(root=True)
        if self.is_ours and isinstance(figure, Figure):
            for _ in range(2):
                around = figure.get_figheight() - self.size()[1] / POINTS
                figure.set_figheight(inches + around)


@contextmanager
def open_panel(ax: Axes | None, width: str) -> Iterator[Panel]:
    """Give the user's axes as they are, or new ones in the library's style, outside pyplot."""
    if ax is not None:
        yield Panel(ax, is_ours=False)
        return
    inches = width_inches(width)
    with figure_style():
        figure = Figure(figsize=(inches, 3.0), layout="constrained")
        yield Panel(figure.add_subplot(), is_ours=True)


def add_title(panel: Panel, name: str, caption: str, *, pad: float = 5.0) -> None:
    """Write the language model's name in bold, and below it what the figure shows.

    Names are no mathematics: ``$`` and ``_`` stand for themselves. The caption lies in the
    title's padding, `pad` points above the axes.
    """
    plain = {"parse_math": False, "usetex": False}
    room = panel.room_right()
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
    below.set_text(
        wrap_words(caption, columns_in(room, below), columns_of=columns_in_font(below))
    )
    n_lines = below.get_text().count("\n") + 1
    above = pad + n_lines * LINE_SPACING * below.get_fontsize() + 2
    title = panel.ax.set_title("", loc="left", pad=above, fontweight="bold", **plain)
    title.set_text(
        wrap_name(name, columns_in(room, title, bold=True), columns_of=columns_in_font(title))
    )


def add_key(
    panel: Panel,
    marks: Sequence[tuple[Artist | tuple[Artist, ...], str]],
) -> None:
    """Explain the marks below the axes, outside the data."""
    ax = panel.ax
    width, _ = panel.size()
    figure = ax.get_figure(root=True)
    assert figure is not None
    axis_box = ax.xaxis.get_tightbbox()
    below = ax.get_window_extent().y0 - axis_box.y0 if axis_box is not None else 0.0
    down = ScaledTranslation(0, -(below / figure.dpi + 5 / POINTS), figure.dpi_scale_trans)
    n_columns = 2 if width > WIDE and len(marks) > 2 else 1
    key = ax.legend(
        [mark for mark, _ in marks],
        [words for _, words in marks],
        loc="upper left",
        bbox_to_anchor=(0, 0),
        bbox_transform=ax.transAxes + down,
        borderaxespad=0,
        ncols=n_columns,
    )
    for text in key.get_texts():
        room = width / n_columns - 4 * text.get_fontsize()
        text.set_parse_math(False)
        text.set_text(wrap_words(text.get_text(), columns_in(room, text)))


def columns_in(width: float, text: Text, *, bold: bool = False) -> int:
    """Number of characters of `text`'s size that fit into `width` points."""
    em = BOLD_EM if bold else TEXT_EM
    return max(int(width / (em * text.get_fontsize())), 8)


def set_log_lengths(panel: Panel, lengths: NDArray[np.int64], unit: str) -> None:
    """Put lengths on a log2 axis: a small tick for every tested one, labels where there is room."""
    ax = panel.ax
    ax.set_xscale("log", base=2)
    low, high = log_limits(lengths)
    ax.set_xlim(low, high)
    width = panel.size()[0]
    positions = np.log2(lengths / low) / np.log2(high / low) * width
    labels = [length_label(length, unit, grouped=True) for length in lengths.tolist()]
    kept = spaced_ticks(positions, label_widths(labels, tick_font_size(ax, "x")))
    ax.xaxis.set_major_locator(FixedLocator(lengths[kept].tolist()))
    ax.xaxis.set_major_formatter(lambda value, position: length_label(
        round(value), unit, grouped=True))
    ax.xaxis.set_minor_locator(FixedLocator(lengths.tolist()))
    ax.xaxis.set_minor_formatter(NullFormatter())
    ax.set_xlabel(length_axis_label(unit))


def log_limits(lengths: NDArray[np.int64]) -> tuple[float, float]:
    """Ends of the log2 axis, with room outside the tested lengths for arrows."""
    first, last = float(lengths[0]), float(lengths[-1])
    room = max(0.09 * np.log2(last / first), 0.35)
    return first / 2**room, last * 2**room


def spaced_ticks(
    positions: NDArray[np.float64], widths: NDArray[np.float64], gap: float = 4.0
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


def even_ticks(spacing: float, extents: NDArray[np.float64], gap: float = 3.0) -> list[int]:
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


def label_widths(labels: Sequence[str], font_size: float) -> NDArray[np.float64]:
    """Estimate the width of labels in points."""
    return np.array([len(label) * DIGIT_EM * font_size for label in labels])


def tick_font_size(ax: Axes, axis: str) -> float:
    """Size of an axis's tick labels in points."""
    labels = (ax.xaxis if axis == "x" else ax.yaxis).get_ticklabels()
    return float(labels[0].get_fontsize())


def above_axes(ax: Axes, points: float) -> Transform:
    """Place marks at an x of the data and `points` above the axes (below, where negative)."""
    figure = ax.get_figure(root=True)
    assert figure is not None
    edge = 1.0 if points > 0 else 0.0
    flat = Affine2D().scale(1, 0).translate(0, edge) + ax.transAxes
    up = ScaledTranslation(0, points / POINTS, figure.dpi_scale_trans)
    return blended_transform_factory(ax.transData, flat) + up
