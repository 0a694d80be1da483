"""The depth figure: profiles of neighbouring lengths, the curve averaged as their cases lie."""

import numpy as np
import pytest

from lcstats.cells import Cells
from lcstats.draws import resample
from lcstats.errors import OptionError
from lcstats.fit import fit_curve, goodness_of_fit
from lcstats.plots import depth_data, plot_depth
from tests.plots.drawings import DESIGNS, LENGTHS, clipped_and_overlapping, ragged, simulated
from tests.plots.test_decay import cliff, rows, wilson

pytestmark = pytest.mark.filterwarnings("ignore::lcstats.errors.LcstatsWarning")


def test_a_point_is_the_cases_of_its_lengths_with_their_interval():
    cells = Cells.from_counts(
        [1000, 2000, 3000, 4000, 5000],
        [0.0, 1.0],
        n_cases=[[10, 10], [30, 10], [10, 10], [10, 10], [10, 10]],
        successes=[[10, 9], [20, 8], [9, 9], [5, 5], [1, 2]],
    )
    table = depth_data(cells)
    assert table["profile"].tolist() == [0, 0, 1, 1, 2, 2, 3, 3]
    first = table.iloc[0]
    assert (first["first_length"], first["last_length"], first["n_cases"]) == (1000, 2000, 40)
    assert first["accuracy"] == 30 / 40
    assert (first["lower"], first["upper"]) == pytest.approx(wilson(30 / 40, 40))


def test_many_depths_are_put_together_at_the_mean_depth_of_their_cases():
    cells = simulated(LENGTHS[:2], np.linspace(0, 1, 21), n_cases=20)
    table = depth_data(cells)
    assert len(table) == 2 * 7
    assert table["n_cases"].sum() == 2 * 21 * 20
    assert table["depth"].iloc[0] == pytest.approx(0.05)


def test_holes_have_no_point():
    table = depth_data(ragged())
    assert table.groupby("profile")["depth"].apply(list).tolist() == [
        [0.0, 0.5, 1.0], [0.0, 1.0], [0.0, 0.5, 1.0]
    ]  # fmt: skip


def test_the_curve_is_the_fit_averaged_over_the_profile_s_cases():
    n_cases = np.array([[20] * 3, [40] * 3, [20] * 3, [20] * 3, [20] * 3])
    cells = Cells.from_counts(
        [1024, 2048, 4096, 8192, 16384],
        [0.0, 0.5, 1.0],
        n_cases=n_cases,
        successes=np.rint(n_cases * [[0.95, 0.9, 0.95]] * np.linspace(1, 0.6, 5)[:, None]),
    )
    fit = fit_curve(cells)
    draws = resample(fit, n_draws=300)
    curve = rows(depth_data(cells, fit=fit, draws=draws), "curve")
    first = curve[curve["profile"] == 0]
    expected = (fit.accuracy[0] + 2 * fit.accuracy[1]) / 3
    assert first["accuracy"].iloc[[0, 30, 60]].tolist() == pytest.approx(expected.tolist())
    drawn = (draws.accuracies[:, 0] + 2 * draws.accuracies[:, 1]) / 3
    lower = np.quantile(drawn, 0.025, axis=0)
    assert first["lower"].iloc[[0, 30, 60]].tolist() == pytest.approx(lower.tolist())


@pytest.mark.parametrize(("cells", "style"), [(simulated(), "-"), (cliff(), "--")])
def test_a_curve_that_fails_is_dashed_and_named(cells, style):
    fit = fit_curve(cells)
    ax = plot_depth(cells, fit=fit, goodness=goodness_of_fit(fit))
    curves = [line for line in ax.lines if len(line.get_xdata()) > 20]
    assert len(curves) == 4
    assert {line.get_linestyle() for line in curves} == {style}
    caption = " ".join(ax.texts[0].get_text().split())
    assert ("curve that does not fit" in caption) == (style == "--")


def test_without_depths_there_is_nothing_to_draw():
    with pytest.raises(OptionError, match="draw the decay over length instead"):
        plot_depth(DESIGNS["no depth, documents"])


def test_a_fit_to_other_cells_is_refused():
    with pytest.raises(OptionError, match=r"pass fit=fit_curve\(cells\)"):
        plot_depth(simulated(), fit=fit_curve(simulated(lift=-0.05)))


@pytest.mark.parametrize("design", ["doublings", "hole", "one depth", "one length", "many"])
def test_words_keep_apart_and_inside(design):
    cells = DESIGNS[design]
    fit = fit_curve(cells)
    ax = plot_depth(cells, fit=fit, draws=resample(fit, n_draws=50))
    assert clipped_and_overlapping(ax) == ([], [])


def test_the_users_axes_are_drawn_on():
    from matplotlib.figure import Figure

    axes = Figure().add_subplot()
    assert plot_depth(simulated(), ax=axes) is axes
