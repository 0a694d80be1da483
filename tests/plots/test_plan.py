"""The plan figure: its table, its marks, and what has no curve to show."""

import numpy as np
import pytest

from lcstats.errors import OptionError
from lcstats.lengths import Criterion
from lcstats.plan import Prices, Simulation, plan_trials
from lcstats.plots import plan_data, plot_plan
from tests.plots.drawings import clipped_and_overlapping

LENGTHS, DEPTHS = [1024, 4096, 16384], [0.0, 0.5, 1.0]


def planned(target="hit=0.8", **options):
    return plan_trials("two-hop", LENGTHS, DEPTHS, Criterion(0.85), target, **options)


@pytest.fixture
def simulated():
    few = Simulation(n_simulations=100, seed=1)
    return planned(None, engine="monte_carlo", simulation=few, trials=[5, 20])


def test_the_table_is_the_plans_rows_with_their_cost():
    plan = planned(prices=Prices(input_usd=2.0, output_usd=8.0, output_tokens=6))
    table = plan_data(plan)
    hits = table[table["series"] == "hit"]
    assert hits["probability"].tolist() == [row.hit_probability for row in plan.rows]
    assert (hits["lower"] == hits["upper"]).all()
    n = hits["trials_per_cell"].to_numpy()
    assert hits["tokens"].tolist() == (n * 3 * (sum(LENGTHS) + 3 * 6)).tolist()
    dollars = n * 3 * (sum(LENGTHS) * 2 + 3 * 6 * 8) / 1e6
    assert hits["usd"].tolist() == pytest.approx(dollars.tolist())
    assert hits.loc[hits["is_recommended"], "trials_per_cell"].tolist() == [plan.recommended]


def test_simulated_probabilities_have_a_band(simulated):
    table = plan_data(simulated)
    errors = [row.monte_carlo_error for row in simulated.rows]
    hits = table[table["series"] == "hit"]
    assert ((hits["upper"] - hits["lower"]) / (2 * 1.959964)).tolist() == pytest.approx(errors)
    assert table["usd"].isna().all()


@pytest.mark.parametrize("width", ["single", "double"])
def test_marks_are_named_and_nothing_collides(width, simulated):
    plan = planned()
    ax = plot_plan(plan, width=width)
    words = [text.get_text() for text in ax.get_legend().get_texts()]
    assert words == [
        "on the true length",
        "within one doubling of it",
        "target: 80% on the true length",
        f"first reached with {plan.recommended} trials per cell",
    ]
    assert clipped_and_overlapping(ax) == ([], [])
    assert clipped_and_overlapping(plot_plan(simulated, width=width)) == ([], [])


def test_lines_are_the_table():
    plan = planned()
    ax = plot_plan(plan, by="tokens")
    table = plan_data(plan)
    for line, series in zip(ax.get_lines(), ("hit", "within"), strict=False):
        rows = table[table["series"] == series]
        assert np.array_equal(line.get_xdata(), rows["tokens"])
        assert np.array_equal(line.get_ydata(), rows["probability"])


def test_what_cannot_be_drawn_is_refused():
    with pytest.raises(OptionError, match="draw it by tokens"):
        plot_plan(planned(), by="usd")
    with pytest.raises(OptionError, match="pass by="):
        plot_plan(planned(), by="hours")
    with pytest.raises(OptionError, match=r"plan for hit=0\.9, say"):
        plot_plan(planned("certify"))
