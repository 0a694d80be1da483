"""The residual figure: the test's own residuals, symmetric colours, the worst cell framed."""

import numpy as np
import pytest
from matplotlib.patches import Rectangle

from lcstats.fit import fit_curve, goodness_of_fit
from lcstats.plots import plot_residuals, residuals_data
from tests.plots.drawings import DESIGNS, clipped_and_overlapping, ragged, simulated
from tests.plots.test_decay import cliff

pytestmark = pytest.mark.filterwarnings("ignore::lcstats.errors.LcstatsWarning")


@pytest.mark.parametrize("cells", [cliff(), ragged(), simulated()])
def test_residuals_are_those_of_the_test(cells):
    fit = fit_curve(cells)
    goodness = goodness_of_fit(fit, n_simulations=99)
    table = residuals_data(fit)
    np.testing.assert_allclose(table["residual"], goodness.residuals.ravel(), rtol=1e-9)
    worst = table[table["is_worst"]]
    assert worst["residual"].tolist() == pytest.approx([goodness.worst_residual])
    assert worst[["length", "depth"]].to_numpy().tolist() == [
        [goodness.worst_length, goodness.worst_depth]
    ]


def test_colours_are_symmetric_around_0_and_the_worst_cell_is_framed():
    fit = fit_curve(cliff())
    goodness = goodness_of_fit(fit, n_simulations=99)
    ax = plot_residuals(fit, goodness=goodness)
    low, high = ax.collections[0].get_clim()
    assert low == -high
    (frame,) = [patch for patch in ax.patches if isinstance(patch, Rectangle)]
    index = int(residuals_data(fit)["is_worst"].argmax())
    assert (frame.get_x() + 0.5, frame.get_y() + 0.5) == divmod(index, 3)
    words = " ".join(ax.get_legend().get_texts()[0].get_text().split())
    assert goodness.worst_residual < 0
    assert words.startswith(f"farthest from the curve: \u2212{-goodness.worst_residual:.1f} at ")
    assert "the curve does not fit (p = " in " ".join(ax.texts[0].get_text().split())


def test_a_curve_that_fits_is_named_too():
    fit = fit_curve(simulated())
    ax = plot_residuals(fit, goodness=goodness_of_fit(fit, n_simulations=99))
    caption = " ".join(ax.texts[0].get_text().split())
    assert "nothing speaks against the curve (p = " in caption


def test_the_worst_depth_is_written_as_beside_the_tiles():
    fit = fit_curve(simulated(depths=np.arange(8) / 7))
    ax = plot_residuals(fit)
    table = residuals_data(fit)
    row = int(table["is_worst"].argmax()) % 8
    labels = {
        round(y): label.get_text()
        for y, label in zip(ax.get_yticks(), ax.get_yticklabels(), strict=True)
    }
    assert " ".join(key_of(ax)[0].split()).endswith(f", depth {labels[row]}")


def test_holes_are_named():
    ax = plot_residuals(fit_curve(ragged()))
    assert key_of(ax)[1:] == ["no scored trial"]


def key_of(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


def test_above_the_curve_is_blue_and_below_is_red():
    mesh = plot_residuals(fit_curve(simulated())).collections[0]
    red, blue = mesh.get_cmap()(0.1), mesh.get_cmap()(0.9)
    assert red[0] > red[2]
    assert blue[2] > blue[0]


@pytest.mark.parametrize("design", ["doublings", "hole", "one length", "many", "names"])
def test_words_keep_apart_and_inside(design):
    fit = fit_curve(DESIGNS[design])
    assert clipped_and_overlapping(plot_residuals(fit)) == ([], [])
