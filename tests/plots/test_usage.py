"""Time and cost over length: medians and spreads are those of the answered trials."""

import numpy as np
import pandas as pd
import pytest

from lcstats.errors import OptionError
from lcstats.plan import Prices
from lcstats.plots import cost_data, latency_data, plot_cost, plot_latency
from lcstats.trials import TableOptions, Trials
from tests.plots.kinds import timed

pytestmark = pytest.mark.filterwarnings("ignore::lcstats.errors.LcstatsWarning")


def trials(**columns):
    frame = pd.DataFrame({"length": [4096] * 4 + [8192] * 4, "score": 1.0} | columns)
    return Trials.from_frame(frame)


def test_quantiles_are_numpys():
    table = latency_data(timed())
    frame = timed().frame
    for row in table.itertuples():
        own = frame[(frame["model"] == row.model) & (frame["length"] == row.length)]["ttft_s"]
        expected = np.nanquantile(own, [0.05, 0.25, 0.5, 0.75, 0.95])
        found = [row.lower, row.inner_lower, row.median, row.inner_upper, row.upper]
        np.testing.assert_allclose(found, expected)
    assert table["n_without"].sum() == 1
    assert table["n_trials"].sum() == len(frame) - 1


def test_the_first_token_goes_before_the_end_of_the_answer():
    both = trials(ttft_s=0.5, latency_s=2.0)
    assert latency_data(both)["median"].tolist() == [0.5, 0.5]
    assert latency_data(both, column="latency_s")["median"].tolist() == [2.0, 2.0]
    assert plot_latency(both).get_ylabel() == "Time to first token (s)"
    assert plot_latency(both, column="latency_s").get_ylabel() == (
        "Time to the end of the answer (s)"
    )
    with pytest.raises(OptionError, match="ttft_s"):
        latency_data(both, column="seconds")


def test_trials_that_gave_no_answer_do_not_count():
    statuses = ["ok", "ok", "ok", "timeout"] * 2
    scores = [1.0, 1.0, 1.0, np.nan] * 2
    table = latency_data(trials(latency_s=[1, 2, 3, 600] * 2, status=statuses, score=scores))
    assert table["n_trials"].tolist() == [3, 3]
    assert table["median"].tolist() == [2, 2]
    assert table["upper"].max() < 3.0


def test_prices_are_of_the_tokens_received_and_of_each_answer():
    table = cost_data(
        trials(tokens_received=[4000] * 4 + [None] * 4, output_tokens=[100] * 8),
        prices=Prices(input_usd=2.0, output_usd=10.0, output_tokens=7),
    )
    expected = [(4000 * 2 + 100 * 10) / 1e6, (8192 * 2 + 100 * 10) / 1e6]
    assert table["median"].tolist() == pytest.approx(expected)
    unknown = cost_data(trials(), prices=Prices(input_usd=2.0, output_usd=10.0, output_tokens=7))
    assert unknown["median"].tolist() == pytest.approx([(n * 2 + 70) / 1e6 for n in (4096, 8192)])


def test_costs_in_the_table_need_no_prices():
    assert cost_data(trials(cost_usd=0.25))["median"].tolist() == [0.25, 0.25]
    assert plot_cost(trials(cost_usd=0.25)).get_ylabel() == "Cost per trial (US dollars)"


def test_what_is_missing_is_named_with_the_flag_that_mends_it():
    with pytest.raises(OptionError, match="--map ttft_s=THEIRS"):
        latency_data(trials())
    with pytest.raises(OptionError, match="--price-in"):
        cost_data(trials())
    with pytest.raises(OptionError, match="--price-in"):
        cost_data(trials(), prices=Prices())
    frame = pd.DataFrame({"length": [10, 20], "score": 1.0})
    documents = Trials.from_frame(frame, TableOptions(length_unit="documents"))
    with pytest.raises(OptionError, match="in a column cost_usd"):
        cost_data(documents, prices=Prices(input_usd=1.0))


def test_times_of_0_are_drawn_on_a_linear_axis():
    assert plot_latency(trials(ttft_s=0.0)).get_yscale() == "linear"
    assert plot_latency(trials(ttft_s=0.5)).get_yscale() == "log"
