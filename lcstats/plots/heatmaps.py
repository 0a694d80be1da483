"""Small multiples of heat maps: several language models or tasks under one colour bar."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Colormap
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine

from lcstats.cells import CellGrid, Cells
from lcstats.lengths import EffectiveLength
from lcstats.options import ColumnWidth, HeatmapStyle, HeatmapWords
from lcstats.plots.fonts import quiet_about_fonts
from lcstats.plots.groups import by_group, check_one_unit, name_together, names_apart
from lcstats.plots.heatmap import mark_answer, mark_too_long, write_in_cells
from lcstats.plots.heatmap_table import heatmap_data
from lcstats.plots.labels import (
    length_axis_label,
    length_writer,
    outcome_words,
    wrap_name,
    wrap_words,
)
from lcstats.plots.panel import (
    LINE_SPACING,
    PAD,
    POINTS,
    Mark,
    Panel,
    fit_words,
    font_size,
    in_points,
    new_figure,
    shift_up,
)
from lcstats.plots.style import Preset, accuracy_colors, figure_style, preset_of
from lcstats.plots.tiles import draw_tiles, hole_key, set_tile_axes, tile_inches

IN_A_ROW = {"single": 2, "double": 4, "slide": 3}
LOWEST, HIGHEST = 0.6, 1.1
"""Inches that a map may be high."""
BETWEEN, AROUND = 0.6, 0.25
"""Inches for the names of a row and its lengths, and for the label of all lengths."""
LABEL = 0.17
"""Inches that the label of all lengths is high."""
SIDE = 4.0
"""Points between the edge of the figure and its title."""


@dataclass(frozen=True, slots=True)
class _Map:
    """One map: where it is drawn and what it shows."""

    panel: Panel
    grid: CellGrid
    table: pd.DataFrame
    answer: EffectiveLength | None
    name: str


def plot_heatmaps(
    cells: Cells,
    *,
    effective_lengths: Sequence[EffectiveLength] = (),
    words: HeatmapWords = "none",
    style: HeatmapStyle = "default",
    width: ColumnWidth = "double",
) -> tuple[Axes, ...]:
    """Draw a heat map of every language model and task, all with the same colours from 0 to 1.

    Maps stand in rows, in the order of the cells, each with its own lengths and depths. Where
    there is an effective length, it stands beside the name, and a line after it in the map.

    Parameters
    ----------
    cells : Cells
        In one unit of length.
    effective_lengths : sequence of EffectiveLength
        Made from these cells, by one criterion.
    words : {"none", "counts", "accuracy", "half-width"}
        What stands in the cells where it is legible, as in :func:`plot_heatmap`.
    style : {"default", "classic"}
        ``classic`` is the well-known red-yellow-green, which colour-blind readers cannot read.
    width : {"single", "double", "slide"}
        Preset: two, four or three maps in a row.

    Returns
    -------
    tuple of Axes
        One per group; the ``figure`` of any goes to :func:`save_figure`.

    Raises
    ------
    OptionError
        If units differ, an effective length is of other cells, or an option is unknown.

    Examples
    --------
    >>> one, two = (
    ...     Cells.from_counts([4096, 8192], [0.5], n_cases=10, successes=[[10], [k]], model=name)
    ...     for name, k in (("a", 9), ("b", 2))
    ... )
    >>> [ax.get_title(loc="left") for ax in plot_heatmaps(Cells(one.grids + two.grids))]
    ['a', 'b']
    """
    preset, colors = preset_of(width), accuracy_colors(style)
    unit = check_one_unit(grid.length_unit for grid in cells.grids)
    with quiet_about_fonts(), figure_style():
        maps = _open_maps(cells, effective_lengths, IN_A_ROW[width], preset)
        figure = maps[0].panel.ax.get_figure(root=True)
        assert isinstance(figure, Figure)
        marks = [mark for one in maps for mark in _draw(one, colors)]
        _add_bar(figure, maps, colors)
        above, below = _write_title(figure, maps), _add_key(figure, marks)
        _leave_room(figure, above, below, least=preset.height)
        _name_axes(figure, maps, unit, bottom=below)
        for _ in range(2):  # names and ticks need the room that the layout leaves, and change it
            figure.draw_without_rendering()
            _label(maps, unit)
        figure.draw_without_rendering()
        figure.set_layout_engine("none")
        for one in maps:
            write_in_cells(one.panel, one.table, colors, words=words, graded=one.grid.has_fractions)
        figure.set_dpi(preset.dpi)
    return tuple(one.panel.ax for one in maps)


def _open_maps(
    cells: Cells, answers: Sequence[EffectiveLength], in_a_row: int, preset: Preset
) -> list[_Map]:
    grids, tables = cells.grids, [heatmap_data(group) for group in cells]
    groups = [(grid.model, grid.task) for grid in grids]
    made = by_group((((one.model, one.task), one) for one in answers), groups)
    n_columns = _in_a_row(groups, in_a_row)
    n_rows = -(-len(grids) // n_columns)
    high = float(np.clip(max(map(tile_inches, tables)), LOWEST, HIGHEST))
    height = n_rows * (high + BETWEEN) + AROUND
    figure = new_figure(figsize=(preset.width, height), layout="constrained")
    places = figure.subplots(n_rows, n_columns, squeeze=False).ravel().tolist()
    for empty in places[len(grids) :]:
        empty.remove()
    panels = [Panel(ax, None, preset) for ax in places[: len(grids)]]
    rows = zip(panels, grids, tables, made, names_apart(groups), strict=True)
    return [_Map(*row) for row in rows]


def _in_a_row(groups: Sequence[tuple[str, str]], most: int) -> int:
    """Return how many maps stand in a row: one per task, if every language model did them all."""
    models, tasks = (list(dict.fromkeys(group[part] for group in groups)) for part in (0, 1))
    if list(groups) == [(model, task) for model in models for task in tasks] and len(tasks) > 1:
        return len(tasks) if len(tasks) <= most else min(most, len(groups))
    return min(most, len(groups))


def _draw(one: _Map, colors: Colormap) -> list[Mark]:
    tiles = draw_tiles(one.panel.ax, one.table, "accuracy", colors, limits=(0.0, 1.0))
    lines = [
        (line, "effective length") for line, _ in mark_answer(one.panel, one.table, one.answer)
    ]
    too_long = [(mark, "prompts too long") for mark, _ in mark_too_long(one.panel.ax, one.table)]
    return [*lines, *too_long, *hole_key(tiles)]


def _add_bar(figure: Figure, maps: Sequence[_Map], colors: Colormap) -> None:
    scale = ScalarMappable(cmap=colors)
    scale.set_clim(0.0, 1.0)
    axes = [one.panel.ax for one in maps]
    bar = figure.colorbar(scale, ax=axes, pad=0.02, aspect=30, ticks=[0, 0.5, 1])
    bar.outline.set_visible(False)
    graded = any(one.grid.has_fractions for one in maps)
    bar.set_label("Mean score" if graded else "Accuracy")


def _name_axes(figure: Figure, maps: Sequence[_Map], unit: str, *, bottom: float) -> None:
    """Write one label for all axes of lengths, `bottom` inches up, and one for those of depths."""
    size = font_size(maps[0].panel.ax.xaxis.label)
    y = (bottom + PAD) / figure.get_figheight()
    figure.supxlabel(length_axis_label(unit), fontsize=size, y=y, va="bottom")
    if any(one.table["depth"].notna().any() for one in maps):
        figure.supylabel("Depth (0 = start)", fontsize=size)


def _write_title(figure: Figure, maps: Sequence[_Map]) -> float:
    """Write what all maps share at the top; return the inches that it takes."""
    name, task = name_together([(one.grid.model, one.grid.task) for one in maps])
    answers = [one.answer for one in maps if one.answer]
    said = f"; {answers[0].bar_in_words()}, {answers[0].depth_in_words()}" if answers else ""
    top = SIDE
    lines: tuple[tuple[str, Callable[..., str], dict[str, Any]], ...] = (
        (name, wrap_name, {"fontweight": "bold"}),
        (task + said, wrap_words, {"fontsize": "small"}),
    )
    for words, wrap, look in lines:
        text = figure.text(0, 0, "", va="top", linespacing=LINE_SPACING, parse_math=False, **look)
        fit_words(text, words, figure.get_figwidth() * POINTS - 2 * SIDE, wrap)
        text.set_position((SIDE / POINTS / figure.get_figwidth(), 1.0))
        text.set_transform(figure.transFigure + shift_up(maps[0].panel.ax, -top))
        top += in_points(text, text.get_window_extent().height) + 3.0
    return top / POINTS


def _add_key(figure: Figure, marks: Sequence[Mark]) -> float:
    """Name every kind of mark once, at the bottom; return the inches that it takes."""
    first = {words: mark for mark, words in reversed(marks)}
    if not first:
        return 0.0
    key = figure.legend(
        list(first.values()),
        list(first),
        loc="lower left",
        bbox_to_anchor=(SIDE / POINTS / figure.get_figwidth(), 0.02 / figure.get_figheight()),
        ncols=len(first),
    )
    return in_points(key, key.get_window_extent().height) / POINTS + 0.05


def _leave_room(figure: Figure, above: float, below: float, *, least: float | None) -> None:
    """Keep the layout of the maps out of title and key, and make the figure so much higher."""
    height = max(figure.get_figheight() + above + below, least or 0.0)
    figure.set_figheight(height)
    engine = figure.get_layout_engine()
    assert isinstance(engine, ConstrainedLayoutEngine)
    bottom = below + LABEL
    engine.set(rect=(0.0, bottom / height, 1.0, 1.0 - (above + bottom) / height))


def _label(maps: Sequence[_Map], unit: str) -> None:
    """Name every map and its lengths and depths, as many as there is room for."""
    for one in maps:
        set_tile_axes(one.panel, one.table, unit)
        one.panel.ax.set(xlabel="", ylabel="")
        title = one.panel.ax.set_title("", fontsize="small", parse_math=False)
        fit_words(title, one.name, one.panel.width, wrap_name)
        if one.answer is not None:
            write = length_writer(one.grid.lengths, unit)
            length = outcome_words(one.answer.quoted.outcome, one.answer.lengths, write)
            title.set_text(f"{title.get_text()}\n{length}")
