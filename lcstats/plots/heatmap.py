"""The heat map: accuracy by length and depth, on a scale that is 0 to 1 whatever the data."""

from collections.abc import Iterator

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.collections import QuadMesh
from matplotlib.colors import Colormap
from matplotlib.patheffects import Normal, Stroke

from lcstats.cells import CellGrid, Cells, Means
from lcstats.lengths import EffectiveLength
from lcstats.options import ColumnWidth, HeatmapStyle, HeatmapWords, check_option, percent
from lcstats.plots.decay_table import check_same_group
from lcstats.plots.heatmap_table import LEVEL, heatmap_data
from lcstats.plots.labels import (
    clean,
    count_words,
    criterion_words,
    estimate_words,
    length_writer,
    set_words,
    unscored_words,
)
from lcstats.plots.means import plot_mean_heatmap
from lcstats.plots.panel import Mark, Panel, above_axes, add_key, add_title, open_panel
from lcstats.plots.style import accuracy_colors, palette
from lcstats.plots.tiles import (
    add_color_bar,
    draw_tiles,
    hole_key,
    is_low,
    set_tile_axes,
    tile_inches,
    write_in_tiles,
)
from lcstats.trials.wording import counted

TOO_LONG = 8.0
"""Points above the tiles that crosses take."""


def plot_heatmap(
    cells: Cells | Means,
    *,
    effective_length: EffectiveLength | None = None,
    words: HeatmapWords = "counts",
    style: HeatmapStyle = "default",
    width: ColumnWidth = "single",
    ax: Axes | None = None,
) -> Axes:
    """Draw accuracy by length and depth, depth 0 at the top, colours from 0 to 1.

    Lengths and depths are evenly spaced categories; averaged tasks stand below one another, each
    with its depths. Cells without a scored trial are grey and
    hatched; a cross above a length says that prompts did not fit the context window there. Where
    they fit, successes and cases stand in the cells ("17/20"); of graded scores the cases alone
    ("n=20"), and only where cells differ in them.

    Parameters
    ----------
    cells : Cells or Means
        One (model, task) group; means without counts have no effective length and are drawn alone.
    effective_length : EffectiveLength, optional
        Made from these cells; marked by a line after its length.
    words : {"counts", "accuracy", "half-width", "none"}
        What stands in the cells: ``half-width`` is half of Wilson's 95% interval, so that
        ``±.19`` warns of a cell that a few cases stand behind.
    style : {"default", "classic"}
        ``classic`` is the well-known red-yellow-green, which colour-blind readers cannot read.
    width : {"single", "double", "slide"}
        Preset of our own figure: a column of 3.3 inches, a page of 6.9, a slide.
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
    if isinstance(cells, Means):
        return plot_mean_heatmap(cells, style=style, width=width, ax=ax)
    grid = cells.grid
    check_same_group(grid, effective_length)
    table = heatmap_data(cells)
    colors = accuracy_colors(style)
    with open_panel(ax, width) as panel:
        check_option(words, HeatmapWords, "words")
        tiles = draw_tiles(panel.ax, table, "accuracy", colors, limits=(0.0, 1.0))
        _add_color_bar(panel, tiles.mesh, grid, effective_length)
        set_tile_axes(panel, table, grid.length_unit)
        caption = f"{clean(grid.task)}: {count_words(grid)}{unscored_words(grid)}"
        if effective_length is not None:
            caption += f"; {criterion_words(effective_length)}"
        caption += f"; in cells half of the {percent(LEVEL)} interval" * (words == "half-width")
        too_long = list(mark_too_long(panel.ax, table))
        add_title(panel, grid.model, caption, pad=5.0 + TOO_LONG * bool(too_long))
        marks = [*mark_answer(panel, table, effective_length), *too_long, *hole_key(tiles)]
        add_key(panel, marks, inside=False)
        panel.finish(tile_inches(table))
        write_in_cells(panel, table, colors, words=words, graded=grid.has_fractions)
    return panel.ax


def _add_color_bar(
    panel: Panel, mesh: QuadMesh, grid: CellGrid, answer: EffectiveLength | None
) -> None:
    ticks = [0, 0.5, 1] if is_low(grid.depths.size) else [0, 0.25, 0.5, 0.75, 1]
    bar = add_color_bar(panel, mesh, ticks=ticks)
    bar.set_label("Mean score" if grid.has_fractions else "Accuracy")
    if answer is not None:
        bar.ax.axhline(float(answer.applied_threshold), color=palette().ink, linewidth=1.2)


def mark_answer(
    panel: Panel, table: pd.DataFrame, answer: EffectiveLength | None
) -> Iterator[Mark]:
    """Draw the line after the last length that still counts."""
    if answer is None:
        return
    estimate = answer.quoted
    shown = np.searchsorted(table["length"].unique(), answer.lengths)
    edge = shown[estimate.outcome - 1] + 0.5 if estimate.outcome else shown[0] - 0.5
    thickness = float(np.clip(0.15 * panel.width / table["length"].nunique(), 0.8, 1.6))
    outlined = [Stroke(linewidth=thickness + 1.0, foreground=palette().paper), Normal()]
    line = panel.ax.axvline(
        edge, color=palette().ink, linewidth=thickness, clip_on=False, path_effects=outlined
    )
    write = length_writer(table["length"].unique(), answer.length_unit)
    yield line, f"{estimate_words(answer, write)}\n{set_words(estimate.default_set, write)}"


def mark_too_long(ax: Axes, table: pd.DataFrame) -> Iterator[Mark]:
    """Put a cross above every length at which prompts did not fit the context window."""
    n_too_long = table.groupby("length")["n_too_long_at_length"].first().to_numpy()
    columns = np.flatnonzero(n_too_long)
    if not columns.size:
        return
    crosses = ax.plot(
        columns,
        np.zeros(columns.size),
        "x",
        transform=above_axes(ax, TOO_LONG / 2),
        color=palette().ink,
        markersize=4.0,
        linestyle="none",
        clip_on=False,
    )[0]
    yield crosses, f"{counted(int(n_too_long.sum()), 'prompt')} too long for the context window"


def write_in_cells(
    panel: Panel, table: pd.DataFrame, colors: Colormap, *, words: HeatmapWords, graded: bool
) -> None:
    """Write what was asked for into the cells if that is legible."""
    if words == "none":
        return
    written = np.full(len(table), "", dtype=object)
    filled = (table["n_cases"] > 0).to_numpy()
    shown = table[filled]
    if words == "counts":
        written[filled] = _count_labels(shown, graded=graded)
    else:
        column, sign = ("accuracy", "") if words == "accuracy" else ("half_width", "\u00b1")
        written[filled] = [f"{sign}{value:.2f}".replace("0.", ".") for value in shown[column]]
    write_in_tiles(panel, table, written.tolist(), colors(table["accuracy"].to_numpy()))


def _count_labels(filled: pd.DataFrame, *, graded: bool) -> list[str]:
    """Return "17/20", or "n=20" for graded scores: blanks where the caption gives the one n."""
    n_cases = filled["n_cases"].tolist()
    if not graded:
        return [f"{k:.0f}/{n}" for k, n in zip(filled["successes"], n_cases, strict=True)]
    return [f"n={n}" for n in n_cases] if len(set(n_cases)) > 1 else [""] * len(n_cases)
