"""The residual figure: where a fitted curve lies above or below the data, cell by cell."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from lcstats.fit import CurveFit, GoodnessOfFit
from lcstats.options import ColumnWidth
from lcstats.plots.labels import (
    clean,
    count_words,
    depth_labels,
    length_writer,
    signed,
    verdict_words,
)
from lcstats.plots.panel import Mark, add_key, add_title, open_panel
from lcstats.plots.residuals_table import residuals_data
from lcstats.plots.style import palette, residual_colors
from lcstats.plots.tiles import (
    add_color_bar,
    draw_tiles,
    hole_key,
    is_low,
    row_inches,
    set_tile_axes,
)

NARROWEST, WIDEST = 2.0, 5.0
"""Where the colours end; residuals beyond have the last colour."""


def plot_residuals(
    fit: CurveFit,
    *,
    goodness: GoodnessOfFit | None = None,
    width: ColumnWidth = "single",
    ax: Axes | None = None,
) -> Axes:
    """Draw the Pearson residual of every cell, depth 0 at the top, colours symmetric around 0.

    Blue cells do better than the curve says, red ones worse. The cell farthest from the curve is
    framed. Cells without a scored trial are grey and hatched.

    Parameters
    ----------
    fit : CurveFit
        Of one (model, task) group, as :func:`lcstats.fit.fit_curve` returns it.
    goodness : GoodnessOfFit, optional
        The test of `fit`, for its verdict.
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
        If `width` is unknown.

    Examples
    --------
    >>> from lcstats.cells import Cells
    >>> from lcstats.fit import fit_curve
    >>> cells = Cells.from_counts(
    ...     [4096, 8192, 16384], [0.0, 0.5, 1.0], n_cases=20, successes=[[19, 18, 19]] * 3
    ... )
    >>> [label.get_text() for label in plot_residuals(fit_curve(cells)).get_xticklabels()]
    ['4K', '8K', '16K']
    """
    grid, table = fit.grid, residuals_data(fit)
    largest = float(table["residual"].abs().max())
    limit = float(np.clip(np.ceil(largest), NARROWEST, WIDEST))
    with open_panel(ax, width) as panel:
        colors = residual_colors()
        tiles = draw_tiles(panel.ax, table, "residual", colors, limits=(-limit, limit))
        beyond = "both" if largest > limit else "neither"
        ticks = [-limit, 0, limit]
        bar = add_color_bar(panel, tiles.mesh, ticks=ticks, extend=beyond)
        bar.set_label("Residual" if is_low(grid.depths.size) else "Pearson residual")
        set_tile_axes(panel, table, grid.length_unit)
        verdict = f"; {verdict_words(goodness)}" if goodness else ""
        caption = f"{clean(grid.task)}: cells less the fitted curve, {count_words(grid)}{verdict}"
        add_title(panel, grid.model, caption)
        marks = [_mark_worst(panel.ax, table, grid.length_unit), *hole_key(tiles)]
        add_key(panel, marks, inside=False)
        panel.finish(row_inches(grid.depths.size) * grid.depths.size)
    return panel.ax


def _mark_worst(ax: Axes, table: pd.DataFrame, unit: str) -> Mark:
    """Frame the cell that is farthest from the curve."""
    index = int(table["is_worst"].argmax())
    lengths, depths = table["length"].unique(), table["depth"].unique()
    column, row = divmod(index, depths.size)
    frame = Rectangle(
        (column - 0.5, row - 0.5),
        1,
        1,
        fill=False,
        edgecolor=palette().ink,
        linewidth=1.4,
        clip_on=False,
        zorder=4,
    )
    ax.add_patch(frame)
    length = length_writer(lengths, unit)(lengths[column])
    depth = "" if np.isnan(depths[row]) else f", depth {depth_labels(depths)[row]}"
    distance = signed(float(table["residual"].iloc[index]))
    return frame, f"farthest from the curve: {distance} at {length}{depth}"
