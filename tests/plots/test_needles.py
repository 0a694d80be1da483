"""Figures of several needles: their tables, and what is drawn of them."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from lcstats import plots
from lcstats.errors import OptionError
from lcstats.needles import analyze_needles, required_rate
from lcstats.needles.door import fit_surface
from lcstats.trials import Trials
from lcstats.truths import simulate_needles

pytestmark = pytest.mark.filterwarnings("ignore::lcstats.errors.LcstatsWarning")

LENGTHS, DEPTHS = (1024, 8192, 65536), (0.0, 0.5, 1.0)


@pytest.fixture(scope="module")
def analysis():
    return analyze_needles(simulate_needles(LENGTHS, DEPTHS, n_trials=15, seed=1, shared_sd=1.5))


def labels(ax):
    return [text.get_text().replace("\n", " ") for text in ax.get_legend().get_texts()]


def test_joint_against_product_with_the_curves(analysis):
    table = plots.needles_data(analysis)
    joint = table[table["series"] == "joint"]
    assert joint["rate"].tolist() == [row.joint.value for row in analysis.rows]
    product = table[table["series"] == "product"]
    assert product["rate"].tolist() == [row.product for row in analysis.rows]
    curves = table[table["series"] == "curve"].pivot_table(
        index="length", columns="n_needles", values="rate"
    )
    assert_allclose(curves[4], curves[1] ** 4)
    ax = plots.plot_needles(analysis)
    assert "product of the needles' rates" in labels(ax)
    assert sum(label.startswith("curve, ") for label in labels(ax)) == 5


def test_rates_by_depth_and_length(analysis):
    table = plots.needle_depths_data(analysis)
    assert table["group"].nunique() == 3
    assert (table["lower"] <= table["rate"]).all()
    assert plots.plot_needle_depths(analysis).get_ylabel() == "Rate per needle"


def test_one_length_has_the_curve_and_the_surface(analysis):
    surface = fit_surface(analysis.table)
    table = plots.needle_depths_data(analysis, length=8192, surface=surface)
    assert set(table["series"]) == {"observed", "curve", "surface"}
    drawn = labels(plots.plot_needle_depths(analysis, length=8192, surface=surface))
    assert drawn[-1] == "flexible surface, 95% posterior band"


def test_dependence_by_length(analysis):
    table = plots.dependence_data(analysis)
    assert np.isnan(table["length"].iloc[0])
    assert table["value"].tolist()[1:] == [one.value for one in analysis.dependence.ratio_by_length]
    assert plots.plot_dependence(analysis).get_ylabel() == "Dependence ratio"
    drawn = plots.plot_dependence(analysis, measure="correlation")
    assert drawn.get_ylabel() == "Intra-class correlation"


def test_required_rates_meet_the_curve_where_the_crossing_is(analysis):
    table = plots.required_data(analysis)
    required = table[table["series"] == "required"].set_index("n_needles")
    assert required["rate"].to_dict() == {k: required_rate(0.85, k) for k in (1, 2, 4, 10, 20)}
    known = required[required["length"].notna()]
    assert len(known)
    for rate, length in known[["rate", "length"]].itertuples(index=False):
        single = analysis.single
        assert single.curve.accuracy(length, single.depths).mean() == pytest.approx(rate)
    assert "required for 10 needles: 0.984" in labels(plots.plot_required(analysis))


def test_a_length_that_was_not_tested_is_refused(analysis):
    with pytest.raises(OptionError, match="choose a tested length"):
        plots.plot_needle_depths(analysis, length=5)


def test_without_known_needles_there_is_no_depth_and_no_dependence(analysis):
    frame = simulate_needles(LENGTHS, DEPTHS, n_trials=5, seed=1).frame
    whole = frame.drop(columns=["needle_found", "n_found"]).assign(
        score=(frame["score"] == 1).astype(float)
    )
    other = analyze_needles(Trials(whole))
    with pytest.raises(OptionError, match="needle_found and needle_depths"):
        plots.plot_needle_depths(other)
    with pytest.raises(OptionError, match="--repeats independent"):
        plots.plot_dependence(other)
    assert "all found, observed, 95% interval" in labels(plots.plot_needles(other))


def test_the_shortest_of_many_lengths_stands_alone():
    lengths = (1024, 2048, 4096, 8192, 16384, 32768)
    trials = simulate_needles(lengths, (0.5,), n_trials=3, seed=1)
    table = plots.needle_depths_data(analyze_needles(trials, methods="observed"))
    ends = table[["first_length", "last_length"]].drop_duplicates().to_numpy().tolist()
    assert ends == [[1024, 1024], [2048, 4096], [8192, 16384], [32768, 32768]]
