"""The allocation figure: how many trials every length and depth gets."""

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes

from lcstats.lengths.answer import treatment_words
from lcstats.options import ColumnWidth
from lcstats.plan import Allocation
from lcstats.plots.labels import clean
from lcstats.plots.panel import add_title, open_panel
from lcstats.plots.tiles import draw_tiles, set_tile_axes, tile_inches, write_in_tiles

COLORS = "Blues"
FEWEST, MOST = 0.1, 0.95
"""Parts of the colour map that the fewest and the most trials take; the ends are too like paper
and ink."""


def plot_allocation(
    allocation: Allocation, *, width: ColumnWidth = "single", ax: Axes | None = None
) -> Axes:
    """Draw the trials of every length and depth, the more the darker, with their numbers.

    Parameters
    ----------
    allocation : Allocation
        Its table is ``allocation.to_frame()``.
    width : {"single", "double", "slide"}
        Preset of our own figure: a column of 3.3 inches, a page of 6.9, a slide.
    ax : Axes, optional
        Draw here, in matplotlib's current style, instead of on a figure of our own. Name and
        caption are then the title of the axes, which ``ax.set_title`` replaces.

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
    >>> from lcstats.lengths import Criterion
    >>> from lcstats.plan import Budget, allocate, planned_truth
    >>> planned = planned_truth("two-hop", [1024, 2048, 4096], [0, 1])
    >>> plot_allocation(allocate(planned, Criterion(0.85), Budget(500_000))).get_xlabel()
    'Context length (tokens)'
    """
    table = allocation.to_frame()
    shades = _shades(table["trials"].to_numpy(np.float64))
    colors = mpl.colormaps[COLORS]
    with open_panel(ax, width) as panel:
        draw_tiles(panel.ax, table.assign(shade=shades), "shade", colors, limits=(0.0, 1.0))
        set_tile_axes(panel, table, "tokens")
        add_title(panel, clean(allocation.truth), _caption(allocation))
        panel.finish(tile_inches(table))
        write_in_tiles(panel, table, list(map(str, table["trials"])), colors(shades))
    return panel.ax


def _shades(trials: np.ndarray) -> np.ndarray:
    """Place numbers of trials in the colour map by their logarithm."""
    logs = np.log(trials)
    span = logs.max() - logs.min()
    share = (logs - logs.min()) / span if span else np.full(logs.shape, 0.5)
    return np.asarray(FEWEST + (MOST - FEWEST) * share)


def _caption(allocation: Allocation) -> str:
    bar = float(allocation.criterion.exact_threshold)
    depth = treatment_words(allocation.criterion.depth_treatment)
    return f"trials per cell; threshold {bar:g}, {depth}: {allocation.gain_words()}"
