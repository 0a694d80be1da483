"""Means of unknown numbers of cases, drawn: tiles without counts, points without intervals."""

from collections.abc import Iterator

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from lcstats.cells import Means
from lcstats.errors import OptionError, describe
from lcstats.options import ColumnWidth, HeatmapStyle
from lcstats.plots.labels import clean
from lcstats.plots.panel import (
    HEIGHTS,
    Mark,
    add_key,
    add_title,
    open_panel,
    set_log_ticks,
    start_log_axis,
)
from lcstats.plots.style import accuracy_colors, palette
from lcstats.plots.tiles import (
    add_color_bar,
    draw_tiles,
    is_low,
    set_tile_axes,
    tile_inches,
)

UNCOUNTED = "number of cases unknown"


def mean_table(means: Means) -> pd.DataFrame:
    """Return every length by every depth with its mean, NaN where there is none.

    Returns
    -------
    DataFrame
        ``model``, ``task``, ``length``, ``depth``, ``mean``; n_lengths * n_depths rows, ascending.

    Raises
    ------
    OptionError
        If there are several groups.

    Examples
    --------
    >>> frame = pd.DataFrame(
    ...     {"model": "m", "task": "t", "length": [4096, 8192], "depth": [0, 1.0], "mean": [1.0, 0]}
    ... )
    >>> mean_table(Means(frame))["mean"].tolist()
    [1.0, nan, nan, 0.0]
    """
    n_groups = len(list(means))
    if n_groups > 1:
        raise OptionError(
            describe(
                f"found {n_groups} groups of language model and task",
                "expected one language model on one task",
                "take one with means.select(model=..., task=...) or loop over the means",
            )
        )
    frame = means.frame
    depths = np.unique(frame["depth"])  # NaN, which stands for none, comes last and once
    lengths = np.unique(frame["length"])
    image = np.full((lengths.size, depths.size), np.nan)
    column = np.searchsorted(depths, frame["depth"])
    image[np.searchsorted(lengths, frame["length"]), column] = frame["mean"]
    return pd.DataFrame(
        {
            "model": frame["model"].iloc[0],
            "task": frame["task"].iloc[0],
            "length": np.repeat(lengths, depths.size),
            "depth": np.tile(depths, lengths.size),
            "mean": image.ravel(),
        }
    )


def plot_mean_heatmap(
    means: Means, *, style: HeatmapStyle, width: ColumnWidth, ax: Axes | None
) -> Axes:
    """Draw means by length and depth; parameters are those of :func:`plot_heatmap`."""
    table = mean_table(means)
    with open_panel(ax, width) as panel:
        tiles = draw_tiles(panel.ax, table, "mean", accuracy_colors(style), limits=(0.0, 1.0))
        few = is_low(table["depth"].nunique(dropna=False))
        ticks = [0, 0.5, 1] if few else [0, 0.25, 0.5, 0.75, 1]
        add_color_bar(panel, tiles.mesh, ticks=ticks).set_label("Mean score")
        set_tile_axes(panel, table, means.length_unit)
        add_title(panel, table["model"].iloc[0], f"{clean(table['task'].iloc[0])}: {UNCOUNTED}")
        has_holes = bool(table["mean"].isna().any())
        add_key(panel, [(tiles.holes, "no mean given")] if has_holes else [], inside=False)
        panel.finish(tile_inches(table))
    return panel.ax


def plot_mean_decay(means: Means, *, width: ColumnWidth, ax: Axes | None) -> Axes:
    """Draw the mean over depths by length, without intervals; parameters as :func:`plot_decay`."""
    table = mean_table(means)
    table = table[table["length"] > 0].dropna(subset="mean")
    lengths = table["length"].unique()
    with open_panel(ax, width) as panel:
        panel.ax.set_ylim(0.0, 1.0)
        panel.ax.set_ylabel("Mean score")
        start_log_axis(panel.ax, lengths, means.length_unit)
        marks = list(_draw_means(panel.ax, table))
        panel.settle()
        set_log_ticks(panel, lengths, means.length_unit)
        caption = f"{clean(table['task'].iloc[0])}: mean of the depths given; {UNCOUNTED}"
        add_title(panel, table["model"].iloc[0], caption, pad=6)
        add_key(panel, marks)
        panel.finish(HEIGHTS[width])
    return panel.ax


def _draw_means(ax: Axes, table: pd.DataFrame) -> Iterator[Mark]:
    by_length = table.groupby("length")["mean"].mean()
    points = ax.plot(
        by_length.index,
        by_length.to_numpy(),
        "o-",
        color=palette().point,
        linewidth=0.7,
        markersize=3.5,
        zorder=3,
        clip_on=False,
    )
    yield points[0], "mean of the depths, no interval"
    if table["depth"].nunique() > 1:
        dots = ax.plot(
            table["length"],
            table["mean"],
            ".",
            color=palette().cell,
            markersize=2.5,
            zorder=2,
            clip_on=False,
        )
        yield dots[0], "means as given"
