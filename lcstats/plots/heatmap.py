"""The heat map: accuracy by length and depth, on a scale that is 0 to 1 whatever the data."""

from collections.abc import Iterator

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.collections import QuadMesh
from matplotlib.colors import Colormap
from matplotlib.patheffects import Normal, Stroke

from lcstats.cells import CellGrid, Cells
from lcstats.lengths import EffectiveLength
from lcstats.plots.decay_table import check_same_group
from lcstats.plots.heatmap_table import heatmap_data
from lcstats.plots.labels import (
    clean,
    count_words,
    criterion_words,
    estimate_words,
    length_writer,
    set_words,
    unscored_words,
)
from lcstats.plots.panel import Mark, Panel, add_key, add_title, open_panel, text_widths
from lcstats.plots.style import ANSWER_COLOR, ColumnWidth, HeatmapStyle, accuracy_colors
from lcstats.plots.tiles import (
    add_color_bar,
    draw_tiles,
    hole_key,
    is_low,
    row_edges,
    set_tile_axes,
    tile_inches,
)

SMALLEST_TEXT = 5.0
"""Points; counts that would have to be smaller are left out of the cells."""
LARGEST_TEXT = 7.0
FILL, FILL_BEFORE_LAYOUT = 0.86, 0.65
"""Share of a cell's width that a count may take; the user's layout may yet narrow the axes."""


def plot_heatmap(
    cells: Cells,
    *,
    effective_length: EffectiveLength | None = None,
    style: HeatmapStyle = "default",
    width: ColumnWidth = "single",
    ax: Axes | None = None,
) -> Axes:
    """Draw accuracy by length and depth, depth 0 at the top, colours from 0 to 1.

    Lengths and depths are evenly spaced categories; averaged tasks stand below one another, each
    with its depths. Cells without a scored trial are grey and
    hatched. Where they fit, successes and cases stand in the cells ("17/20"); of graded scores
    the cases alone ("n=20"), and only where cells differ in them.

    Parameters
    ----------
    cells : Cells
        One (model, task) group.
    effective_length : EffectiveLength, optional
        Made from these cells; marked by a line after its length.
    style : {"default", "classic"}
        ``classic`` is the well-known red-yellow-green, which colour-blind readers cannot read.
    width : {"single", "double"}
        Width of our own figure: 3.3 or 6.9 inches.
    ax : Axes, optional
        Draw here, in matplotlib's current style, instead of on a figure of our own. Name and
        caption are then the title of the axes, which ``ax.set_title`` replaces. Every mark has a
        label, but no legend is drawn, as it would hide cells: ``ax.legend(...)`` puts one where
        there is room.

    Returns
    -------
    Axes
        The one drawn on; its ``figure`` goes to :func:`save_figure`.

    Raises
    ------
    OptionError
        If `cells` holds several groups, or others than `effective_length` was made from, or if
        `style` or `width` is unknown.

    Examples
    --------
    >>> cells = Cells.from_counts(
    ...     [4096, 8192], [0.0, 1.0], n_cases=20, successes=[[20, 19], [17, 12]]
    ... )
    >>> [label.get_text() for label in plot_heatmap(cells).get_xticklabels()]
    ['4K', '8K']
    """
    grid = cells.grid
    check_same_group(grid, effective_length)
    table = heatmap_data(cells)
    colors = accuracy_colors(style)
    with open_panel(ax, width) as panel:
        tiles = draw_tiles(panel.ax, table, "accuracy", colors, limits=(0.0, 1.0))
        _add_color_bar(panel, tiles.mesh, grid, effective_length)
        set_tile_axes(panel, table, grid.length_unit)
        caption = f"{clean(grid.task)}: {count_words(grid)}{unscored_words(grid)}"
        if effective_length is not None:
            caption += f"; {criterion_words(effective_length)}"
        add_title(panel, grid.model, caption)
        marks = [*_mark_answer(panel, table, effective_length), *hole_key(tiles)]
        add_key(panel, marks, inside=False)
        panel.finish(tile_inches(table))
        _write_counts(panel, table, colors, graded=grid.has_fractions)
    return panel.ax


def _add_color_bar(
    panel: Panel, mesh: QuadMesh, grid: CellGrid, answer: EffectiveLength | None
) -> None:
    ticks = [0, 0.5, 1] if is_low(grid.depths.size) else [0, 0.25, 0.5, 0.75, 1]
    bar = add_color_bar(panel, mesh, ticks=ticks)
    bar.set_label("Mean score" if grid.has_fractions else "Accuracy")
    if answer is not None:
        bar.ax.axhline(float(answer.applied_threshold), color=ANSWER_COLOR, linewidth=1.2)


def _mark_answer(
    panel: Panel, table: pd.DataFrame, answer: EffectiveLength | None
) -> Iterator[Mark]:
    """Draw the line after the last length that still counts."""
    if answer is None:
        return
    estimate = answer.quoted
    shown = np.searchsorted(table["length"].unique(), answer.lengths)
    edge = shown[estimate.outcome - 1] + 0.5 if estimate.outcome else shown[0] - 0.5
    thickness = float(np.clip(0.15 * panel.width / table["length"].nunique(), 0.8, 1.6))
    outlined = [Stroke(linewidth=thickness + 1.0, foreground="white"), Normal()]
    line = panel.ax.axvline(
        edge, color=ANSWER_COLOR, linewidth=thickness, clip_on=False, path_effects=outlined
    )
    write = length_writer(table["length"].unique(), answer.length_unit)
    yield line, f"{estimate_words(answer, write)}\n{set_words(estimate.default_set, write)}"


def _write_counts(panel: Panel, table: pd.DataFrame, colors: Colormap, *, graded: bool) -> None:
    """Write successes of cases into the cells if that is legible."""
    lengths = table["length"].unique()
    n_rows = len(table) // lengths.size
    filled = table[table["n_cases"] > 0]
    words = _count_labels(filled, graded=graded)
    size = _count_size(panel, words, n_lengths=lengths.size, n_depths=n_rows)
    if size < SMALLEST_TEXT:
        return
    column = np.searchsorted(lengths, filled["length"]).tolist()
    edges = row_edges(table)
    middles = (edges[:-1] + edges[1:]) / 2
    row = middles[np.flatnonzero(table["n_cases"] > 0) % n_rows].tolist()
    for x, y, share, word in zip(column, row, filled["accuracy"], words, strict=True):
        panel.ax.text(x, y, word, size=size, color=_ink_on(colors(share)), ha="center", va="center")


def _count_labels(filled: pd.DataFrame, *, graded: bool) -> list[str]:
    """Return "17/20", or "n=20" for graded scores: blanks where the caption gives the one n."""
    n_cases = filled["n_cases"].tolist()
    if not graded:
        return [f"{k:.0f}/{n}" for k, n in zip(filled["successes"], n_cases, strict=True)]
    return [f"n={n}" for n in n_cases] if len(set(n_cases)) > 1 else [""] * len(n_cases)


def _count_size(panel: Panel, words: list[str], *, n_lengths: int, n_depths: int) -> float:
    """Return the size at which all counts fit into their cells; 0 if there are none."""
    widest = text_widths(panel.ax, sorted(set(words)), LARGEST_TEXT).max(initial=0.0)
    if not widest:
        return 0.0
    fill = FILL_BEFORE_LAYOUT if panel.figure is None else FILL
    room = fill * panel.width / n_lengths
    return float(min(LARGEST_TEXT, LARGEST_TEXT * room / widest, 0.75 * panel.height / n_depths))


def _ink_on(color: tuple[float, float, float, float]) -> str:
    """Dark or light ink, whichever stands out more against `color` (WCAG luminance)."""
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in color[:3]]
    luminance = float(np.dot(linear, [0.2126, 0.7152, 0.0722]))
    return "black" if luminance > 0.18 else "white"
