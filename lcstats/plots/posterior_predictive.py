"""The posterior predictive check: observed accuracies on what the curve's own tables do."""

from collections.abc import Iterator
from typing import Any, Literal

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from lcstats.draws import Draws
from lcstats.errors import OptionError, describe
from lcstats.fit import CurveFit
from lcstats.options import ColumnWidth, check_option, percent
from lcstats.plots.labels import clean, shape_words, unscored_words
from lcstats.plots.panel import (
    HEIGHTS,
    Mark,
    Panel,
    add_key,
    add_title,
    open_panel,
    set_log_ticks,
    start_log_axis,
)
from lcstats.plots.posterior_predictive_table import posterior_predictive_data
from lcstats.plots.prior_predictive_table import INNER_LEVEL
from lcstats.plots.style import palette

PredictiveAxis = Literal["length", "depth"]
LEVEL = 0.95


def plot_posterior_predictive(
    fit: CurveFit,
    *,
    by: PredictiveAxis = "length",
    posterior: Draws | None = None,
    width: ColumnWidth = "single",
    ax: Axes | None = None,
) -> Axes:
    """Draw the observed accuracies on those of tables that the posterior would give.

    The bands hold half and 95% of such tables at each place; what was seen outside of the wider
    one is a cross. Of 20 places one is outside by chance alone.

    Parameters
    ----------
    fit : CurveFit
        Brings the law and the counts, of whole cases.
    by : {"length", "depth"}
        What stands on the x axis: lengths over all depths, or depths over all lengths.
    posterior : Draws, optional
        By :func:`lcstats.posterior.sample_posterior`; drawn here unless given.
    width : {"single", "double", "slide"}
        Preset of our own figure: a column of 3.3 inches, a page of 6.9, a slide.
    ax : Axes, optional
        Draw here, in matplotlib's current style, instead of on a figure of our own. Name and
        caption are then the title of the axes; every mark has a label and a legend stands inside.

    Returns
    -------
    Axes
        The one drawn on; its ``figure`` goes to :func:`save_figure`.

    Raises
    ------
    OptionError
        If scores are graded, draws are of another kind, no case has a depth to draw by, or an
        option is unknown.

    Examples
    --------
    >>> from lcstats.cells import Cells
    >>> from lcstats.fit import fit_curve
    >>> cells = Cells.from_counts([4096, 65536], [0.5], n_cases=90, successes=[[80], [50]])
    >>> fit = fit_curve(cells, terms=("intercept", "length"))
    >>> plot_posterior_predictive(fit).get_ylabel()
    'Accuracy, mean over depths'
    """
    check_option(by, PredictiveAxis, "by")
    table = posterior_predictive_data(fit, posterior=posterior, level=LEVEL)
    shown, share = table[table["by"] == by], float(table["observed"].iloc[-1])
    if shown.empty:
        raise OptionError(
            describe("no case has a depth", "expected some to draw by depth", "draw by length")
        )
    grid = fit.grid
    with open_panel(ax, width) as panel:
        _set_axes(panel, fit, by)
        marks = list(_draw(panel.ax, shown))
        panel.settle()
        if by == "length":
            set_log_ticks(panel, grid.lengths, grid.length_unit)
        said = f"posterior predictive check of the curve, p = {share:.2g}"
        caption = f"{clean(grid.task)}: {said}{shape_words(grid)}{unscored_words(grid)}"
        add_title(panel, grid.model, caption)
        add_key(panel, marks)
        panel.finish(HEIGHTS[width])
    return panel.ax


def _set_axes(panel: Panel, fit: CurveFit, by: str) -> None:
    ax = panel.ax
    ax.set_ylim(0.0, 1.0)
    ax.set_ylabel(f"Accuracy, mean over {'depths' if by == 'length' else 'lengths'}")
    if by == "length":
        start_log_axis(ax, fit.grid.lengths, fit.grid.length_unit)
    else:
        ax.set_xlim(-0.04, 1.04)
        ax.set_xlabel("Depth (0 = start, 1 = end)")


def _draw(ax: Axes, shown: pd.DataFrame) -> Iterator[Mark]:
    look: dict[str, Any] = {"color": palette().curve, "linewidth": 0}
    ax.fill_between(shown["place"], shown["lower"], shown["upper"], alpha=0.2, **look)
    ax.fill_between(shown["place"], shown["inner_lower"], shown["inner_upper"], alpha=0.35, **look)
    median = ax.plot(shown["place"], shown["median"], color=palette().curve, linewidth=1.0)[0]
    words = f"tables of the curve: median, {percent(INNER_LEVEL)}, {percent(LEVEL)}"
    yield median, words
    outside = shown["is_outside"].to_numpy(dtype=np.bool_)
    for kind, marker, color, said in (
        (~outside, "o", palette().point, "observed"),
        (outside, "X", palette().bar, f"observed, outside of {percent(LEVEL)}"),
    ):
        if kind.any():
            points = ax.plot(
                shown["place"][kind],
                shown["observed"][kind],
                marker,
                color=color,
                markersize=4.0,
                clip_on=False,
                zorder=3,
            )[0]
            yield points, said
