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
    from lcstats.plots.decays import plot_decays
    from lcstats.plots.decays_table import decays_data
    from lcstats.plots.depth import plot_depth
    from lcstats.plots.depth_table import depth_data
    from lcstats.plots.difference import plot_difference
    from lcstats.plots.difference_table import difference_data
    from lcstats.plots.heatmap import plot_heatmap
    from lcstats.plots.heatmap_table import heatmap_data
    from lcstats.plots.heatmaps import plot_heatmaps
    from lcstats.plots.labels import length_label
    from lcstats.plots.length_forest import plot_length_forest
    from lcstats.plots.length_forest_table import length_forest_data
    from lcstats.plots.masses import plot_masses
    from lcstats.plots.masses_table import masses_data
    from lcstats.plots.methods import plot_methods
    from lcstats.plots.methods_table import methods_data
    from lcstats.plots.needle_depths import needle_depths_data, plot_needle_depths
    from lcstats.plots.needles import plot_dependence, plot_needles, plot_required
    from lcstats.plots.needles_table import dependence_data, needles_data, required_data
    from lcstats.plots.plan import plot_plan
    from lcstats.plots.plan_table import plan_data
    from lcstats.plots.posterior_predictive import plot_posterior_predictive
    from lcstats.plots.posterior_predictive_table import posterior_predictive_data
    from lcstats.plots.prior_predictive import plot_prior_predictive
    from lcstats.plots.prior_predictive_table import prior_predictive_data
    from lcstats.plots.residuals import plot_residuals
    from lcstats.plots.residuals_table import residuals_data
    from lcstats.plots.saving import render_figure, save_figure
    from lcstats.plots.shift import plot_shift
    from lcstats.plots.shift_table import shift_data
    from lcstats.plots.style import figure_style
    from lcstats.plots.usage import plot_cost, plot_latency
    from lcstats.plots.usage_table import cost_data, latency_data

_HOMES = {
    "cost_data": "usage_table",
    "decay_data": "decay_table",
    "decays_data": "decays_table",
    "dependence_data": "needles_table",
    "depth_data": "depth_table",
    "difference_data": "difference_table",
    "figure_style": "style",
    "heatmap_data": "heatmap_table",
    "latency_data": "usage_table",
    "length_forest_data": "length_forest_table",
    "length_label": "labels",
    "masses_data": "masses_table",
    "methods_data": "methods_table",
    "needle_depths_data": "needle_depths",
    "needles_data": "needles_table",
    "plan_data": "plan_table",
    "plot_allocation": "allocation",
    "plot_cost": "usage",
    "plot_decay": "decay",
    "plot_decays": "decays",
    "plot_dependence": "needles",
    "plot_depth": "depth",
    "plot_difference": "difference",
    "plot_heatmap": "heatmap",
    "plot_heatmaps": "heatmaps",
    "plot_latency": "usage",
    "plot_length_forest": "length_forest",
    "plot_masses": "masses",
    "plot_methods": "methods",
    "plot_needle_depths": "needle_depths",
    "plot_needles": "needles",
    "plot_plan": "plan",
    "plot_posterior_predictive": "posterior_predictive",
    "plot_prior_predictive": "prior_predictive",
    "plot_required": "needles",
    "plot_residuals": "residuals",
    "plot_shift": "shift",
    "posterior_predictive_data": "posterior_predictive_table",
    "prior_predictive_data": "prior_predictive_table",
    "render_figure": "saving",
    "required_data": "needles_table",
    "residuals_data": "residuals_table",
    "save_figure": "saving",
    "shift_data": "shift_table",
}

__all__ = [
    "cost_data",
    "decay_data",
    "decays_data",
    "dependence_data",
    "depth_data",
    "difference_data",
    "figure_style",
    "heatmap_data",
    "latency_data",
    "length_forest_data",
    "length_label",
    "masses_data",
    "methods_data",
    "needle_depths_data",
    "needles_data",
    "plan_data",
    "plot_allocation",
    "plot_cost",
    "plot_decay",
    "plot_decays",
    "plot_dependence",
    "plot_depth",
    "plot_difference",
    "plot_heatmap",
    "plot_heatmaps",
    "plot_latency",
    "plot_length_forest",
    "plot_masses",
    "plot_methods",
    "plot_needle_depths",
    "plot_needles",
    "plot_plan",
    "plot_posterior_predictive",
    "plot_prior_predictive",
    "plot_required",
    "plot_residuals",
    "plot_shift",
    "posterior_predictive_data",
    "prior_predictive_data",
    "render_figure",
    "required_data",
    "residuals_data",
    "save_figure",
    "shift_data",
]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(f"lcstats.plots.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'lcstats.plots' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
