"""The methods figure: its table against the answer, its artists against the rules."""

from dataclasses import replace
from functools import cache
from typing import get_args

import numpy as np
import pytest
from matplotlib.collections import LineCollection
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure

from lcstats.cells import Cells
from lcstats.errors import Notice
from lcstats.fit import fit_curve
from lcstats.lengths import Criterion, effective_length
from lcstats.lengths.answer import SET_MEANINGS, Estimate, Interval
from lcstats.lengths.crossing import Crossing
from lcstats.options import SetKind
from lcstats.plots import methods_data, plot_methods
from lcstats.plots.methods import PROMISES, STRIP
from lcstats.plots.palette import LIGHT
from lcstats.plots.panel import log_limits
from lcstats.report.figures import describe_methods
from tests.plots.drawings import DESIGNS, DESIGNS_AND_WIDTHS, clipped_and_overlapping, simulated

pytestmark = pytest.mark.filterwarnings("ignore::lcstats.errors.LcstatsWarning")

LENGTHS = np.array([4096, 8192, 16384, 32768])
FAILING = Notice("curve-does-not-fit", "the curve does not fit")


@cache
def answer_with_all(design="doublings", treatment="worst"):
    """Every method that a design has; the surface is fitted where it takes no time."""
    cells = DESIGNS[design]
    fit = fit_curve(cells) if cells.grid.lengths.size > 1 else None
    return effective_length(cells, Criterion(0.85, depth_treatment=treatment), fit=fit)


def by_hand(*estimates, headline="flexible", **options):
    """An answer made of given estimates, so that no result is taken on trust."""
    cells = Cells.from_counts(LENGTHS, [0.5], n_cases=2, successes=[[2], [2], [1], [0]])
    answer = effective_length(cells, Criterion(0.85), masses=())
    return replace(answer, estimates=estimates, headline=headline, **options)


def estimate(method, outcome, *sets, masses=None, crossing=None):
    return Estimate(method, outcome, LENGTHS, None, masses or {}, sets, crossing)


def interval(kind, lower, upper, **options):
    return Interval(kind, 0.95, lower, upper, LENGTHS, **options)


OBSERVED = estimate(
    "observed", 0, interval("certified", 0, 2, is_default=True), interval("jeffreys", 0, 0),
    masses={"bootstrap": np.array([0.8, 0.2, 0.0, 0.0, 0.0])},
)  # fmt: skip
CURVE = estimate(
    "curve", 3, interval("parametric_bootstrap", 2, 3, is_default=True),
    masses={"parametric_bootstrap": np.array([0.0, 0.0, 0.4, 0.6, 0.0])},
    crossing=Crossing(20000.0, 15000.0, 25000.0, 0.95, False),
)  # fmt: skip
FLEXIBLE = estimate(
    "flexible", 4, interval("hybrid", 2, 4, is_default=True),
    masses={"posterior": np.array([0.0, 0.0, 0.1, 0.4, 0.5])},
)  # fmt: skip


def thick_lines(ax, color):
    """Bars of sets of a colour: lines of two points that are no base of sticks."""
    lines = [line for line in ax.lines if to_rgba(line.get_color()) == to_rgba(color)]
    return [line for line in lines if len(line.get_xdata()) == 2 and line.get_linewidth() > 1]


def sticks_of(ax, kind):
    """Positions and heights of the sticks of a kind of masses."""
    (found,) = [
        c
        for c in ax.collections
        if isinstance(c, LineCollection) and tuple(c.get_color()[0]) == to_rgba(LIGHT.masses[kind])
    ]
    segments = np.array(found.get_segments())
    return segments[:, 0, 0], segments[:, 1, 1] - segments[:, 0, 1]


def row_of(ax, words):
    """Height of the row with this label."""
    labels = [label.get_text() for label in ax.get_yticklabels()]
    return ax.get_yticks()[labels.index(words)]


def test_the_table_says_what_every_method_says():
    table = methods_data(by_hand(OBSERVED, CURVE, FLEXIBLE))
    assert table["method"].unique().tolist() == ["flexible", "observed", "curve"]
    points = table[table["series"] == "point"]
    assert points["label"].tolist() == [">=32768", "<4096", "16384"]
    assert points["kind"].tolist() == ["beyond_tested", "below_tested", "crossed"]
    assert points["length"].fillna(-1).tolist() == [32768, -1, 16384]
    sets = table[table["series"] == "set"].set_index("kind")
    assert sets.index.tolist() == ["hybrid", "certified", "jeffreys", "parametric_bootstrap"]
    assert sets["label"].tolist() == ["8192 to >=32768", "<4096 to 8192", "<4096", "8192 to 16384"]
    assert sets.loc["hybrid", ["lower", "upper"]].tolist() == [8192, 32768]
    assert sets.loc["jeffreys", ["lower", "upper"]].isna().all()
    crossing = table[table["series"] == "crossing"].iloc[0]
    assert crossing[["length", "lower", "upper"]].tolist() == [20000, 15000, 25000]
    shares = table[table["series"] == "mass"].groupby("method")["share"].sum()
    assert shares.tolist() == pytest.approx([1, 1, 1])


def test_one_point_and_one_set_are_to_be_quoted():
    table = methods_data(by_hand(OBSERVED, CURVE, FLEXIBLE))
    quoted = table[table["quoted"]]
    assert quoted[["method", "series", "label"]].to_numpy().tolist() == [
        ["flexible", "point", ">=32768"],
        ["flexible", "set", "8192 to >=32768"],
    ]
    alone = methods_data(by_hand(OBSERVED, headline=None))
    assert alone.loc[alone["quoted"], "kind"].tolist() == ["certified"]


def test_what_is_to_be_quoted_is_heavy_and_the_rest_light():
    ax = plot_methods(by_hand(OBSERVED, CURVE, FLEXIBLE))
    (heavy,) = thick_lines(ax, LIGHT.sets["hybrid"])
    (light,) = thick_lines(ax, LIGHT.sets["parametric_bootstrap"])
    assert heavy.get_linewidth() > 2 * light.get_linewidth()
    words = {text.get_text(): text.get_fontweight() for text in ax.texts}
    assert words["Flexible surface: >=32K (to quote)"] == "bold"
    assert words["Raw cells: <4K"] == words["Curve: 16K"] == "normal"
    faces = {line.get_marker(): line.get_markerfacecolor() for line in ax.lines}
    assert faces["D"] == LIGHT.paper


def test_without_a_headline_the_set_alone_is_heavy():
    ax = plot_methods(by_hand(OBSERVED, CURVE, headline=None))
    assert "Raw cells: <4K (quote the set)" in [text.get_text() for text in ax.texts]
    assert thick_lines(ax, LIGHT.sets["certified"])[0].get_linewidth() == 3.0
    labels = ax.get_legend_handles_labels()[1]
    assert "effective length to quote" not in labels


def test_open_ends_reach_the_edge_and_none_passes_stands_before_the_shortest():
    ax = plot_methods(by_hand(OBSERVED, CURVE, FLEXIBLE))
    first, last = log_limits(LENGTHS)
    (hybrid,) = thick_lines(ax, LIGHT.sets["hybrid"])
    assert hybrid.get_xdata().tolist() == [8192, last]
    (certified,) = thick_lines(ax, LIGHT.sets["certified"])
    assert certified.get_xdata().tolist() == [first, 8192]
    (none_passes,) = thick_lines(ax, LIGHT.sets["jeffreys"])
    start, stop = none_passes.get_xdata()
    assert start == first < stop < 4096
    height = row_of(ax, "certified set")
    (point,) = [
        line
        for line in ax.lines
        if line.get_marker() == "<" and line.get_ydata()[0] == height
        and line.get_markerfacecolor() == LIGHT.paper
    ]  # fmt: skip
    assert point.get_xdata() == [stop]


def test_masses_are_sticks_of_one_scale_on_the_axis_of_the_sets():
    ax = plot_methods(by_hand(OBSERVED, CURVE, FLEXIBLE))
    where, heights = sticks_of(ax, "bootstrap")
    assert first_below(ax) == pytest.approx(where[0])
    assert where[1] == 4096
    tallest = heights[0]
    assert 0 < tallest <= STRIP
    assert heights / tallest == pytest.approx([1, 0.25])
    assert sticks_of(ax, "posterior")[1] / tallest == pytest.approx([0.125, 0.5, 0.625])
    assert sticks_of(ax, "posterior")[0].tolist() == [8192, 16384, 32768]
    assert "bootstrap masses,\nmost 80%" in [label.get_text() for label in ax.get_yticklabels()]


def first_below(ax):
    return thick_lines(ax, LIGHT.sets["jeffreys"])[0].get_xdata()[1]


def test_a_curve_that_does_not_fit_is_dashed_and_named_so():
    estimates = (OBSERVED, CURVE, FLEXIBLE)
    fits = plot_methods(by_hand(*estimates))
    fails = plot_methods(by_hand(*estimates, notices=(FAILING,)))
    color = LIGHT.sets["parametric_bootstrap"]
    assert thick_lines(fits, color)[0].get_linestyle() == "-"
    assert thick_lines(fails, color)[0].get_linestyle() == "--"
    assert "Curve: 16K (does not fit)" in [text.get_text() for text in fails.texts]


def test_the_crossing_has_a_row_with_its_interval():
    ax = plot_methods(by_hand(OBSERVED, CURVE))
    height = row_of(ax, "crossing")
    drawn = [line for line in ax.lines if line.get_color() == LIGHT.set]
    assert [list(line.get_xdata()) for line in drawn] == [[15000, 25000], [20000]]
    assert all(line.get_ydata()[0] == height for line in drawn)


@pytest.mark.parametrize(("value", "marker"), [(1e6, ">"), (10.0, "<")])
def test_a_crossing_off_the_axis_is_an_arrow_at_its_edge(value, marker):
    curve = replace(CURVE, crossing=Crossing(value, None, None, 0.95, True))
    ax = plot_methods(by_hand(OBSERVED, curve))
    (tick,) = [line for line in ax.lines if line.get_color() == LIGHT.set]
    assert tick.get_marker() == marker
    assert tick.get_xdata()[0] in log_limits(LENGTHS)


def test_the_quoted_set_is_shaded_through_all_methods():
    ax = plot_methods(by_hand(OBSERVED, CURVE, FLEXIBLE))
    (shade,) = ax.patches
    assert shade.get_x() == 8192
    assert shade.get_x() + shade.get_width() == pytest.approx(log_limits(LENGTHS)[1])


def test_every_kind_of_set_has_a_colour_of_its_own_and_a_promise():
    kinds = set(SET_MEANINGS)
    assert LIGHT.sets.keys() == PROMISES.keys() == kinds
    assert kinds >= set(get_args(SetKind)) - {"default"}
    assert len(set(LIGHT.sets.values())) == len(kinds)


def test_an_answer_without_masses_has_points_and_sets_alone():
    answer = effective_length(simulated(), Criterion(0.85), masses=())
    ax = plot_methods(answer)
    assert [label.get_text() for label in ax.get_yticklabels()] == ["certified set"]
    assert clipped_and_overlapping(ax) == ([], [])


def test_rows_are_the_same_in_the_users_axes():
    answer = answer_with_all()
    theirs = plot_methods(answer, ax=Figure().add_subplot())
    ours = plot_methods(answer)
    assert theirs.get_ylim() == ours.get_ylim()
    assert len(theirs.lines) == len(ours.lines)
    assert len(theirs.collections) == len(ours.collections)


def test_the_caption_says_every_method_with_sets_and_likeliest_outcome():
    answer = by_hand(OBSERVED, CURVE, FLEXIBLE, notices=(FAILING,))
    assert describe_methods(answer) == (
        "Effective length in tokens by every method, with its sets and, as sticks, its masses: "
        "the flexible surface >=32768, 95% hybrid set 8192 to >=32768, most posterior mass 50% at "
        "32768; the raw cells <4096, 95% certified set <4096 to 8192, 95% jeffreys set <4096, most "
        "bootstrap mass 80% at <4096; the curve 16384, dashed because it does not fit, 95% "
        "parametric_bootstrap set 8192 to 16384, most parametric_bootstrap mass 60% at 16384."
    )


@pytest.mark.parametrize(("design", "width"), DESIGNS_AND_WIDTHS)
def test_words_neither_leave_the_figure_nor_overlap(design, width):
    assert clipped_and_overlapping(plot_methods(answer_with_all(design), width=width)) == ([], [])
