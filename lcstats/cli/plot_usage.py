"""The figures of ``lcstats plot`` that show what trials took: time and cost."""

from typing import TYPE_CHECKING, Any

from lcstats.cli.inputs import read_results, single_trials
from lcstats.cli.options import ReadingOptions
from lcstats.cli.plan_options import PriceOptions

if TYPE_CHECKING:
    from lcstats.errors import Notice
    from lcstats.options import ColumnWidth

USAGE = ("latency", "cost")
"""Kinds that are drawn here."""


def draw_usage(
    kind: str, reading: ReadingOptions, pricing: PriceOptions, width: "ColumnWidth"
) -> "tuple[list[tuple[str, str, Any]], tuple[Notice, ...]]":
    """Draw one of :data:`USAGE`, all language models and tasks in one axes.

    Returns
    -------
    list of (language models, tasks, axes)
    tuple of Notice
    """
    from lcstats import plots
    from lcstats.plots.groups import name_together

    trials = single_trials(
        read_results(reading),
        f"expected trials that say what they took, for plot {kind}",
        "draw a heatmap or decay instead",
    )
    axes: Any
    if kind == "latency":
        axes = plots.plot_latency(trials, width=width)
    else:
        prices = pricing.prices()
        axes = plots.plot_cost(
            trials, prices=prices if prices.input_usd is not None else None, width=width
        )
    pairs = trials.frame[["model", "task"]].drop_duplicates()
    groups = list(pairs.itertuples(index=False, name=None))
    return [(*name_together(groups), axes)], trials.notices
