"""Figures: for each a table of what is drawn (``*_data``) and the ink (``plot_*``).

The tables need no matplotlib. Every ``plot_*`` takes ``ax=`` and returns the axes; without ``ax``
it makes a figure of its own, in the library's style and outside pyplot, so that nothing opens a
window or has to be closed. :func:`save_figure` writes it. With ``ax`` the style, the layout and
the legend are the caller's: the title is that of the axes, and every mark has a label.

Examples
--------
>>> from lcstats import plots
>>> from lcstats.cells import Cells
>>> cells = Cells.from_counts([4096, 8192], [0.0, 1.0], n_cases=20, successes=[[20, 19], [17, 12]])
>>> plots.plot_heatmap(cells).get_xlabel()
'Context length (tokens)'
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lcstats.plots.allocation import plot_allocation
    from lcstats.plots.decay import plot_decay
    from lcstats.plots.decay_table import decay_data
    from lcstats.plots.depth import plot_depth
    from lcstats.plots.depth_table import depth_data
    from lcstats.plots.heatmap import plot_heatmap
    from lcstats.plots.heatmap_table import heatmap_data
    from lcstats.plots.labels import length_label
    from lcstats.plots.masses import plot_masses
    from lcstats.plots.masses_table import masses_data
    from lcstats.plots.methods import plot_methods
    from lcstats.plots.methods_table import methods_data
    from lcstats.plots.plan import plot_plan
    from lcstats.plots.plan_table import plan_data
    from lcstats.plots.prior_predictive import plot_prior_predictive
    from lcstats.plots.prior_predictive_table import prior_predictive_data
    from lcstats.plots.residuals import plot_residuals
    from lcstats.plots.residuals_table import residuals_data
    from lcstats.plots.saving import render_figure, save_figure
    from lcstats.plots.style import figure_style

_HOMES = {
    "decay_data": "decay_table",
    "depth_data": "depth_table",
    "figure_style": "style",
    "heatmap_data": "heatmap_table",
    "length_label": "labels",
    "masses_data": "masses_table",
    "methods_data": "methods_table",
    "plot_decay": "decay",
    "plot_depth": "depth",
    "plot_heatmap": "heatmap",
    "plot_masses": "masses",
    "plan_data": "plan_table",
    "plot_allocation": "allocation",
    "plot_methods": "methods",
    "plot_plan": "plan",
    "plot_prior_predictive": "prior_predictive",
    "plot_residuals": "residuals",
    "prior_predictive_data": "prior_predictive_table",
    "render_figure": "saving",
    "residuals_data": "residuals_table",
    "save_figure": "saving",
}

__all__ = [
    "decay_data",
    "depth_data",
    "figure_style",
    "heatmap_data",
    "length_label",
    "masses_data",
    "methods_data",
    "plan_data",
    "plot_allocation",
    "plot_decay",
    "plot_depth",
    "plot_heatmap",
    "plot_masses",
    "plot_methods",
    "plot_plan",
    "plot_prior_predictive",
    "plot_residuals",
    "prior_predictive_data",
    "render_figure",
    "residuals_data",
    "save_figure",
]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(f"lcstats.plots.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'lcstats.plots' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
