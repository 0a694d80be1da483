"""The plan figure: how probability grows with trials per cell, or with what they cost."""

from collections.abc import Iterator
from typing import Literal

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, LogLocator, MultipleLocator, NullLocator

from lcstats.errors import OptionError, describe
from lcstats.lengths.answer import treatment_words
from lcstats.options import ColumnWidth, check_option, percent
from lcstats.plan import Plan
from lcstats.plan.target import FOUND_WORDS
from lcstats.plots.labels import clean
from lcstats.plots.panel import HEIGHTS, Mark, Panel, add_key, add_title, open_panel
from lcstats.plots.plan_table import BAND_LEVEL, plan_data
from lcstats.plots.style import palette

PlanAxis = Literal["trials", "tokens", "usd"]

MANY = 25
"""Numbers of trials; more of them are a line without points."""

COLUMNS = {"trials": "trials_per_cell", "tokens": "tokens", "usd": "usd"}
AXIS_LABELS = {
    "trials": "Trials per cell",
    "tokens": "Tokens",
    "usd": "Cost (US dollars)",
}
COLORS = {"hit": "point", "within": "curve"}
"""Names of colours in the palette."""
MEANINGS = {"hit": FOUND_WORDS["hit"], "within": f"{FOUND_WORDS['within']} of it"}
_UNITS = ((1e9, "G"), (1e6, "M"), (1e3, "k"))


def plot_plan(
    plan: Plan, *, by: PlanAxis = "trials", width: ColumnWidth = "single", ax: Axes | None = None
) -> Axes:
    """Draw the probability of the true length, and of one within a doubling, over trials or cost.

    The target is a dashed line; a line down from the recommended number says where it is reached.
    Where probabilities are simulated, a band holds each at 95%.

    Parameters
    ----------
    plan : Plan
        With rows: of a hit, a doubling or the size of a set, or without a target.
    by : {"trials", "tokens", "usd"}
        What stands on the logarithmic x axis; dollars need prices.
    width : {"single", "double", "slide"}
        Preset of our own figure: a column of 3.3 inches, a page of 6.9, a slide.
    ax : Axes, optional
        Draw here, in matplotlib's current style, instead of on a figure of our own. Name and
        caption are then the title of the axes, which ``ax.set_title`` replaces; every mark has a
        label and a legend stands inside, where ``ax.legend(...)`` moves it from.

    Returns
    -------
    Axes
        The one drawn on; its ``figure`` goes to :func:`save_figure`.

    Raises
    ------
    OptionError
        If the plan has no rows or no prices, or an option is unknown.

    Examples
    --------
    >>> from lcstats.lengths import Criterion
    >>> from lcstats.plan import plan_trials
    >>> plan = plan_trials("two-hop", [1024, 2048], [0, 1], Criterion(0.85), "hit=0.7")
    >>> plot_plan(plan).get_xlabel()
    'Trials per cell'
    """
    check_option(by, PlanAxis, "by")
    table = plan_data(plan)
    if by == "usd" and table["usd"].isna().any():
        raise OptionError(
            describe(
                "the plan has no prices",
                "expected some for a cost in dollars",
                "plan with prices=Prices(input_usd=...), or draw it by tokens",
            )
        )
    with open_panel(ax, width) as panel:
        _set_axes(panel, table, by)
        marks = [
            *_draw_series(panel.ax, table, COLUMNS[by], n_rows=len(plan.rows)),
            *_draw_target(panel.ax, plan),
            *_draw_recommended(panel.ax, table, COLUMNS[by]),
        ]
        panel.settle()
        add_title(panel, clean(plan.truth), _caption(plan))
        add_key(panel, marks)
        panel.finish(HEIGHTS[width])
    return panel.ax


def _caption(plan: Plan) -> str:
    design = f"{plan.lengths.size} lengths, {plan.depths.size} depths"
    engine = "exact" if plan.engine == "exact" else "simulated"
    bar = float(plan.criterion.exact_threshold)
    depth = treatment_words(plan.criterion.depth_treatment)
    return f"{plan.method}, {engine}; threshold {bar:g}, {depth}; {design}"


def _set_axes(panel: Panel, table: pd.DataFrame, by: PlanAxis) -> None:
    ax, values = panel.ax, table[COLUMNS[by]]
    ax.set_xscale("log")
    ax.set_xlim(values.min() / 1.1, values.max() * 1.1)
    ax.set_ylim(0.0, 1.0)
    ax.yaxis.set_major_locator(MultipleLocator(0.25))
    ax.set_ylabel("Probability")
    ax.set_xlabel(AXIS_LABELS[by])
    ax.xaxis.set_major_formatter(FuncFormatter(lambda value, position: short_number(value)))
    ax.xaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    ax.xaxis.set_minor_locator(NullLocator())


def short_number(value: float) -> str:
    """Write a number for an axis.

    Examples
    --------
    >>> short_number(20), short_number(2.5e6), short_number(0.5)
    ('20', '2.5M', '0.5')
    """
    for size, letter in _UNITS:
        if value >= size:
            return f"{value / size:g}{letter}"
    return f"{value:g}"


def _draw_series(ax: Axes, table: pd.DataFrame, column: str, *, n_rows: int) -> Iterator[Mark]:
    for name, role in COLORS.items():
        color = getattr(palette(), role)
        rows = table[table["series"] == name]
        look = "o-" if n_rows <= MANY else "-"
        line = ax.plot(
            rows[column],
            rows["probability"],
            look,
            color=color,
            linewidth=1.0,
            markersize=2.5,
            zorder=3,
            clip_on=False,
        )[0]
        yield line, MEANINGS[name]
        if (rows["upper"] > rows["lower"]).any():
            band = ax.fill_between(
                rows[column], rows["lower"], rows["upper"], color=color, alpha=0.18, linewidth=0
            )
            yield band, f"{percent(BAND_LEVEL)} of such simulations, {MEANINGS[name]}"


def _draw_target(ax: Axes, plan: Plan) -> Iterator[Mark]:
    target = plan.target
    if target is None or target.value is None or target.kind not in COLORS:
        return
    line = ax.axhline(target.value, color=palette().bar, linestyle="--", linewidth=0.9, zorder=2)
    yield line, f"target: {target.words()}"


def _draw_recommended(ax: Axes, table: pd.DataFrame, column: str) -> Iterator[Mark]:
    chosen = table[table["is_recommended"]]
    if chosen.empty:
        return
    line = ax.axvline(chosen[column].iloc[0], color=palette().ink, linewidth=0.9, zorder=2)
    yield line, f"first reached with {chosen['trials_per_cell'].iloc[0]} trials per cell"
