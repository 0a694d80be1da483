"""The prior predictive figure: what the priors allow, and what the counts leave of it."""

from collections.abc import Iterator
from typing import Any

import pandas as pd
from matplotlib.axes import Axes

from lcstats.draws import Draws
from lcstats.fit import CurveFit
from lcstats.options import ColumnWidth, percent
from lcstats.plots.labels import clean, shape_words, unscored_words
from lcstats.plots.panel import (
    HEIGHTS,
    Mark,
    add_key,
    add_title,
    open_panel,
    set_log_ticks,
    start_log_axis,
)
from lcstats.plots.prior_predictive_table import prior_predictive_data
from lcstats.plots.style import palette

LEVEL = 0.95


def plot_prior_predictive(
    fit: CurveFit,
    *,
    prior: Draws | None = None,
    posterior: Draws | None = None,
    width: ColumnWidth = "single",
    ax: Axes | None = None,
) -> Axes:
    """Draw the accuracies that the priors allow, averaged over depths, by length.

    Thin lines are single curves of the prior, the bands hold half of them and 95% of them at
    each length. The posterior, where given, and the observed accuracies lie above: where the
    posterior is as wide as the prior, the counts have not decided.

    Parameters
    ----------
    fit : CurveFit
        Brings the law, the tested lengths and the counts.
    prior : Draws, optional
        By :func:`lcstats.posterior.sample_prior`; drawn here unless given.
    posterior : Draws, optional
        By :func:`lcstats.posterior.sample_posterior`.
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
        If `fit` is no fit, draws are of other kinds or lengths, or `width` is unknown.

    Examples
    --------
    >>> from lcstats.cells import Cells
    >>> from lcstats.fit import fit_curve
    >>> cells = Cells.from_counts([4096, 65536], [0.5], n_cases=9, successes=[[8], [5]])
    >>> plot_prior_predictive(fit_curve(cells, terms=("intercept", "length"))).get_ylabel()
    'Accuracy, mean over depths'
    """
    grid = fit.grid
    table = prior_predictive_data(fit, prior=prior, posterior=posterior, level=LEVEL)
    with open_panel(ax, width) as panel:
        panel.ax.set_ylim(0.0, 1.0)
        noun = "Mean score" if grid.has_fractions else "Accuracy"
        panel.ax.set_ylabel(f"{noun}, mean over depths")
        start_log_axis(panel.ax, grid.lengths, grid.length_unit)
        marks = list(_draw(panel.ax, table))
        panel.settle()
        set_log_ticks(panel, grid.lengths, grid.length_unit)
        said = "the priors and what the counts leave of them" if posterior else "the priors"
        caption = f"{clean(grid.task)}: {said}{shape_words(grid)}{unscored_words(grid)}"
        add_title(panel, grid.model, caption)
        add_key(panel, marks)
        panel.finish(HEIGHTS[width])
    return panel.ax


def _draw(ax: Axes, table: pd.DataFrame) -> Iterator[Mark]:
    for _, curve in table[table["series"] == "curve"].groupby("curve"):
        ax.plot(curve["length"], curve["median"], color=palette().cell, linewidth=0.4, alpha=0.5)
    yield _draw_band(ax, table, "prior", zorder=1.5), _band_words("prior")
    if (table["series"] == "posterior").any():
        yield _draw_band(ax, table, "posterior", zorder=2.5), _band_words("posterior")
    observed = table[table["series"] == "observed"]
    points = ax.plot(
        observed["length"],
        observed["median"],
        "o",
        color=palette().point,
        markersize=3.0,
        zorder=3,
        clip_on=False,
    )[0]
    yield points, "observed"


def _draw_band(ax: Axes, table: pd.DataFrame, kind: str, *, zorder: float) -> Any:
    """Draw both bands and the median; return the median with its colour for the key."""
    rows = table[table["series"] == kind]
    look: dict[str, Any] = {"color": palette().masses[kind], "linewidth": 0, "zorder": zorder}
    ax.fill_between(rows["length"], rows["lower"], rows["upper"], alpha=0.22, **look)
    ax.fill_between(rows["length"], rows["inner_lower"], rows["inner_upper"], alpha=0.4, **look)
    look |= {"linewidth": 1.4, "zorder": zorder + 0.1}
    return ax.plot(rows["length"], rows["median"], **look)[0]


def _band_words(kind: str) -> str:
    what = "prior: median and single curves" if kind == "prior" else "posterior: median"
    return f"{what}, {percent(0.5)} and {percent(LEVEL)} bands"
