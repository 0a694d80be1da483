"""Axes of the user: a title that layouts see, labels on the marks, a legend within."""

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.figure import Figure

from lcstats.fit import fit_curve, goodness_of_fit
from lcstats.plots import (
    plot_decay,
    plot_depth,
    plot_heatmap,
    plot_masses,
    plot_methods,
    plot_residuals,
)
from tests.plots.drawings import NAME, answer_of, ragged, simulated

pytestmark = pytest.mark.filterwarnings("ignore::lcstats.errors.LcstatsWarning")


def decay(ax, **names):
    cells = simulated(**names)
    return plot_decay(cells, effective_length=answer_of(cells), fit=fit_curve(cells), ax=ax)


def heatmap(ax, **names):
    cells = simulated(**names) if names else ragged()
    return plot_heatmap(cells, effective_length=answer_of(cells), ax=ax)


def depth(ax, **names):
    return plot_depth(simulated(**names), ax=ax)


def masses(ax, **names):
    return plot_masses(answer_of(simulated(**names)), ax=ax)


def methods(ax, **names):
    return plot_methods(answer_of(simulated(**names)), ax=ax)


def residuals(ax, **names):
    fit = fit_curve(simulated(**names) if names else ragged())
    return plot_residuals(fit, goodness=goodness_of_fit(fit, n_simulations=99), ax=ax)


PLOTS = [decay, heatmap, depth, masses, methods, residuals]
KEYED = [decay, depth, masses]
UNKEYED = [heatmap, methods, residuals]


def is_inside(box, outer, slack=1.0):
    return (
        outer.x0 - slack <= box.x0
        and outer.y0 - slack <= box.y0
        and box.x1 <= outer.x1 + slack
        and box.y1 <= outer.y1 + slack
    )


@pytest.fixture
def plain():
    """A figure as most scripts make it: pyplot, no layout."""
    figure, ax = plt.subplots()
    yield ax
    plt.close(figure)


@pytest.mark.parametrize("plot", PLOTS)
def test_title_and_legend_are_seen_in_a_plain_figure(plot, plain):
    plot(plain)
    plain.figure.draw_without_rendering()
    assert plain.get_title().splitlines()[0] == "model"
    assert plain.get_title().splitlines()[1].startswith("default: ")
    assert is_inside(plain.title.get_window_extent(), plain.figure.bbox)
    legend = plain.get_legend()
    assert legend is None or is_inside(legend.get_window_extent(), plain.get_window_extent())


@pytest.mark.parametrize("layout", ["tight", "constrained"])
@pytest.mark.parametrize("plot", PLOTS)
def test_layouts_make_room_for_title_and_legend(plot, layout):
    figure = Figure(figsize=(9, 4), layout=layout)
    axes = figure.subplots(1, 2)
    for ax in axes:
        plot(ax)
    figure.draw_without_rendering()
    for ax in axes:
        assert is_inside(ax.title.get_window_extent(), figure.bbox)


@pytest.mark.parametrize("plot", PLOTS)
def test_the_title_is_the_users_to_replace(plot, plain):
    plot(plain)
    plain.set_title("mine, $n=4$")
    assert [plain.get_title(loc=loc) for loc in ("left", "center", "right")] == [
        "", "mine, $n=4$", ""
    ]  # fmt: skip
    assert plain.title.get_parse_math()
    assert not [text for text in plain.texts if "default" in text.get_text()]


def test_names_are_no_mathematics_in_the_users_axes_either(plain):
    title = plot_decay(simulated(model="a$x^2$b_c"), ax=plain).title
    assert title._preprocess_math("p$q") == ("p$q", False)
    assert title._preprocess_math(title.get_text())[0].startswith("a$x^2$b_c\n")


@pytest.mark.parametrize("plot", PLOTS)
def test_long_names_and_tasks_are_wrapped_to_the_axes(plot, plain):
    name = NAME.removeprefix("モデル七_")
    plot(plain, model=name, task=f"{name} of two lines")
    width = plain.title.get_window_extent().width
    assert width <= plain.figure.bbox.width


@pytest.mark.parametrize("plot", PLOTS)
def test_every_mark_has_its_label_for_the_users_legend(plot, plain):
    own = plot(None).get_legend()
    handles, labels = plot(plain).get_legend_handles_labels()
    assert len(handles) == len(labels) == len(own.get_texts())
    said = {" ".join(text.get_text().split()) for text in own.get_texts()}
    assert {" ".join(label.split()) for label in labels} == said
    assert len(plain.legend(loc="upper right").get_texts()) == len(labels)


@pytest.mark.parametrize("plot", KEYED)
def test_a_legend_stands_where_it_hides_least(plot, plain):
    plot(plain)
    assert plain.get_legend()._loc == 0
    assert len(plain.get_legend().get_texts()) == len(plain.get_legend_handles_labels()[1])


@pytest.mark.parametrize("plot", UNKEYED)
def test_no_legend_hides_tiles_or_rows(plot, plain):
    assert plot(plain).get_legend() is None


def test_hatching_in_the_users_legend_is_that_of_the_holes(plain):
    heatmap(plain)
    handles, labels = plain.get_legend_handles_labels()
    key = plain.legend(handles, labels)
    hole = key.legend_handles[labels.index("no scored trial")]
    assert hole.get_hatch() == handles[labels.index("no scored trial")].get_hatch()
    assert hole.get_hatch()


def test_the_users_style_and_size_stay(plain):
    size = plain.figure.get_size_inches().copy()
    decay(plain)
    np.testing.assert_array_equal(plain.figure.get_size_inches(), size)
    assert plain.spines["top"].get_visible()
