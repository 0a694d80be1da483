"""Tiles: one rectangle per length and depth, evenly spaced, depth 0 at the top."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.collections import PolyCollection, QuadMesh
from matplotlib.colorbar import Colorbar
from matplotlib.colors import Colormap
from numpy.typing import NDArray

from lcstats.plots.labels import clean, depth_labels, length_axis_label, length_writer, wrap_name
from lcstats.plots.panel import POINTS, Mark, Panel, even_ticks, text_widths, tick_font_size
from lcstats.plots.style import HOLE_HATCH, palette

ROW_INCHES = 0.17
TASK_INCHES, TASK_POINTS = 0.13, 9.0
"""Least height of an averaged task in our own figure, and of a line of its name in any."""
BESIDE = 12.0
"""Points between tiles and the names of tasks, on top of the depths' labels."""
TASK_COLUMNS, TASK_LINES = 16, 3
"""Room for the name of an averaged task beside its depths."""
BAR_POINTS = 5.0
SMALLEST_TEXT = 5.0
"""Points; words that would have to be smaller are left out of the tiles."""
LARGEST_TEXT = 7.0
FILL, FILL_BEFORE_LAYOUT = 0.86, 0.65
"""Share of a tile's width that a word may take; the user's layout may yet narrow the axes."""
LOW = 90.0
"""Points; axes that are no higher get shorter labels and fewer ticks."""


@dataclass(frozen=True, slots=True)
class Tiles:
    """What was drawn: the coloured cells, and the hatched ones without a score."""

    mesh: QuadMesh
    holes: PolyCollection


def row_inches(n_depths: int) -> float:
    """Height of a row in our own figure: enough for a count until the figure gets too high.

    Examples
    --------
    >>> row_inches(11), row_inches(1), round(row_inches(48), 3)
    (0.17, 0.55, 0.05)
    """
    return float(np.clip(ROW_INCHES * n_depths, 0.55, 2.4)) / n_depths


def tile_inches(table: pd.DataFrame) -> float:
    """Height of all rows in our own figure."""
    edges = row_edges(table)
    return float(edges[-1] - edges[0]) * row_inches(edges.size - 1)


def row_edges(table: pd.DataFrame) -> NDArray[np.float64]:
    """Where rows begin and end: 1 apart, but every averaged task has room for its name."""
    n_rows = len(table) // table["length"].nunique()
    heights = np.ones(n_rows)
    if "averaged_task" in table:
        tasks = table["averaged_task"].iloc[:n_rows]
        n_depths = tasks.groupby(tasks, sort=False).transform("size").to_numpy()
        heights = np.maximum(1.0, TASK_INCHES / row_inches(n_rows) / n_depths)
    return np.append(0.0, np.cumsum(heights)) - 0.5


def is_low(n_depths: int) -> bool:
    """True if our own figure of so many depths is too low for full labels."""
    return row_inches(n_depths) * n_depths * POINTS <= LOW


def as_image(table: pd.DataFrame, column: str) -> NDArray[np.float64]:
    """Return a column as (n_depths, n_lengths)."""
    n_lengths = table["length"].nunique()
    values: NDArray[np.float64] = table[column].to_numpy(np.float64)
    return values.reshape(n_lengths, -1).T


def draw_tiles(
    ax: Axes, table: pd.DataFrame, column: str, colors: Colormap, *, limits: tuple[float, float]
) -> Tiles:
    """Draw a column of the table as tiles; where it is NaN, a hatched hole."""
    image, rows = as_image(table, column), row_edges(table)
    n_lengths = image.shape[1]
    mesh = ax.pcolormesh(
        np.arange(n_lengths + 1) - 0.5,
        rows,
        np.ma.masked_invalid(image),
        cmap=colors,
        vmin=limits[0],
        vmax=limits[1],
        edgecolors=palette().paper,
        linewidth=0.3,
    )
    return Tiles(mesh, _draw_holes(ax, np.isnan(image), rows))


def _draw_holes(ax: Axes, is_hole: NDArray[np.bool_], rows: NDArray[np.float64]) -> PolyCollection:
    x = np.array([-0.5, -0.5, 0.5, 0.5])
    holes = PolyCollection(
        [
            np.column_stack([x + column, rows[[row, row + 1, row + 1, row]]])
            for row, column in np.argwhere(is_hole)
        ],
        facecolor=palette().hole_face,
        edgecolor=palette().hole_edge,
        linewidth=0.0,
        hatch=HOLE_HATCH,
    )
    ax.add_collection(holes, autolim=False)
    return holes


def hole_key(tiles: Tiles) -> Iterator[Mark]:
    """Name the hatching, if there is any.

    Trials without a score are counted by length; which depths they were asked at is not known.
    """
    if tiles.holes.get_paths():
        yield tiles.holes, "no scored trial"


def add_color_bar(panel: Panel, mesh: QuadMesh, **options: Any) -> Colorbar:
    """Put a colour bar without a frame beside the tiles."""
    ax = panel.ax
    if panel.figure is None:
        bar = ax.figure.colorbar(mesh, ax=ax, pad=0.02, aspect=25, **options)
    else:
        place = ax.inset_axes((1.02, 0, BAR_POINTS / panel.width, 1))
        bar = panel.figure.colorbar(mesh, cax=place, **options)
    bar.outline.set_visible(False)
    return bar


def write_in_tiles(
    panel: Panel, table: pd.DataFrame, words: Sequence[str], colors: NDArray[np.float64]
) -> None:
    """Write a word into every tile, in the ink that stands out, if all of them are legible.

    Parameters
    ----------
    panel : Panel
    table : DataFrame
        What the tiles are, n_lengths * n_depths rows.
    words : sequence of str
        One for every row; an empty one writes nothing.
    colors : ndarray of float64, shape (n_rows, 4)
        Red, green, blue and alpha of every tile.
    """
    n_lengths = table["length"].nunique()
    n_rows = len(table) // n_lengths
    size = _legible_size(panel, words, n_lengths=n_lengths, n_rows=n_rows)
    if size < SMALLEST_TEXT:
        return
    edges = row_edges(table)
    middles = ((edges[:-1] + edges[1:]) / 2).tolist()
    for place, (word, color) in enumerate(zip(words, colors, strict=True)):
        if word:
            x, y = place // n_rows, middles[place % n_rows]
            panel.ax.text(x, y, word, size=size, color=_ink_on(color), ha="center", va="center")


def _legible_size(panel: Panel, words: Sequence[str], *, n_lengths: int, n_rows: int) -> float:
    """Return the size at which all words fit into their tiles; 0 if there are none."""
    widest = text_widths(panel.ax, sorted(set(words)), LARGEST_TEXT).max(initial=0.0)
    if not widest:
        return 0.0
    fill = FILL_BEFORE_LAYOUT if panel.figure is None else FILL
    room = fill * panel.width / n_lengths
    return float(min(LARGEST_TEXT, LARGEST_TEXT * room / widest, 0.75 * panel.height / n_rows))


def _ink_on(color: NDArray[np.float64]) -> str:
    """Dark or light ink, whichever stands out more against `color` (WCAG luminance)."""
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in color[:3]]
    luminance = float(np.dot(linear, [0.2126, 0.7152, 0.0722]))
    return "black" if luminance > 0.18 else "white"


def set_tile_axes(panel: Panel, table: pd.DataFrame, unit: str) -> None:
    """Name lengths and depths, and averaged tasks, as many as there is room for."""
    ax = panel.ax
    lengths = table["length"].unique()
    rows = table.iloc[: len(table) // lengths.size]
    depths = rows["depth"].to_numpy(np.float64)
    ax.set_xlim(-0.5, lengths.size - 0.5)
    edges = row_edges(table)
    ax.set_ylim(edges[-1], edges[0])
    ax.spines[:].set_visible(False)
    points = tile_inches(table) * POINTS if panel.figure is not None else panel.height
    if "averaged_task" in rows:
        _set_task_ticks(panel, rows, edges, points)
    else:
        _set_depth_ticks(panel, depths, points)
    ax.set_xlabel(length_axis_label(unit))
    panel.settle()
    names = list(map(length_writer(lengths, unit), lengths.tolist()))
    widths = text_widths(ax, names, tick_font_size(ax, "x"))
    columns = even_ticks(panel.width / lengths.size, widths)
    ax.set_xticks(columns, [names[column] for column in columns])


def _set_depth_ticks(panel: Panel, depths: NDArray[np.float64], points: float) -> None:
    ax = panel.ax
    if np.all(np.isnan(depths)):
        ax.set_yticks([])
        return
    size = tick_font_size(ax, "y")
    rows = even_ticks(points / depths.size, np.full(depths.size, size), gap=1)
    labels = depth_labels(depths)
    ax.set_yticks(rows, [labels[row] for row in rows])
    ax.set_ylabel("Depth (0 = start)" if points > LOW else "Depth")


def _set_task_ticks(
    panel: Panel, rows: pd.DataFrame, edges: NDArray[np.float64], points: float
) -> None:
    """Name every task once, left of its depths, and part it from the next."""
    ax, tasks = panel.ax, rows["averaged_task"].to_numpy()
    depths = rows["depth"].to_numpy(np.float64)
    starts = np.flatnonzero(np.append(True, tasks[1:] != tasks[:-1]))
    ends = np.append(starts[1:], tasks.size)
    middles = (edges[starts] + edges[ends]) / 2
    if starts.size == tasks.size:
        ax.set_yticks(middles, list(map(clean, tasks)))
        return
    heights = (edges[ends] - edges[starts]) * points / (edges[-1] - edges[0])
    size = tick_font_size(ax, "y")
    shown = np.concatenate(
        [
            first + np.array(even_ticks(height / n_rows, np.full(n_rows, size), gap=1))
            for first, n_rows, height in zip(starts, ends - starts, heights, strict=True)
            if n_rows > 1 or not np.isnan(depths[first])
        ]
    )
    known = depth_labels(depths)
    labels = [known[row] for row in shown.tolist()]
    ax.set_yticks((edges[shown] + edges[shown + 1]) / 2, labels)
    for edge in edges[starts[1:]].tolist():
        ax.axhline(edge, color=palette().paper, linewidth=2.0)
    names = ax.secondary_yaxis("left")
    names.set_yticks(middles, list(map(_fitted_name, tasks[starts].tolist(), heights.tolist())))
    names.tick_params(length=0, pad=text_widths(ax, labels, size).max() + BESIDE)
    names.spines[:].set_visible(False)
    names.set_ylabel("Task, depth (0 = start)" if points > LOW else "Task, depth")


def _fitted_name(task: str, height: float) -> str:
    """Break a long name into as many lines as its block is high."""
    n_lines = int(np.clip(height // TASK_POINTS, 1, TASK_LINES))
    return wrap_name(task, TASK_COLUMNS, n_lines=n_lines)
