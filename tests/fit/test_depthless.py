"""Cases without a depth beside cases with depths: no evidence on a law of length and depth."""

import numpy as np
import pytest

from lcstats.cells import Cells
from lcstats.fit import fit_curve
from lcstats.lengths import Criterion, effective_length
from lcstats.plots import decay_data

LENGTHS = [4096, 8192, 16384, 32768]
RIGHT = np.array([[39, 38, 40], [37, 35, 39], [33, 27, 36], [22, 12, 30]])
DEPTHS = [0.0, 0.5, 1.0]
NONE = float("nan")

pytestmark = pytest.mark.filterwarnings("ignore::lcstats.errors.LcstatsWarning")


def cells(n_depthless, right=0):
    """Return 40 cases a depth, and further ones without: 0 says of how many lengths, from last."""
    more = np.array(n_depthless)[:, None]
    return Cells.from_counts(
        LENGTHS,
        [*DEPTHS, NONE],
        n_cases=np.hstack([np.full_like(RIGHT, 40), more]),
        successes=np.hstack([RIGHT, np.minimum(more, right)]),
    )


def codes(result):
    return {notice.code for notice in result.notices}


@pytest.mark.parametrize(
    "n_depthless", [[500] * 4, [0, 0, 0, 90]], ids=["everywhere", "one length"]
)
def test_they_change_nothing_of_the_curve_and_that_is_said(n_depthless):
    alone = fit_curve(Cells.from_counts(LENGTHS, DEPTHS, n_cases=40, successes=RIGHT))
    fit = fit_curve(cells(n_depthless))
    assert fit.curve == alone.curve
    assert fit.covariance.tolist() == alone.covariance.tolist()
    said = [n.message for n in fit.notices if n.code == "depthless-not-fitted"]
    assert [message.split()[0] for message in said] == [str(sum(n_depthless))]
    assert "depthless-not-fitted" not in codes(alone)


def test_a_length_of_nothing_else_stays_on_the_grid_and_out_of_the_fit():
    three = Cells.from_counts(LENGTHS[:3], DEPTHS, n_cases=40, successes=RIGHT[:3])
    n_cases = np.array([[40, 40, 40, 0]] * 3 + [[0, 0, 0, 40]])
    both = Cells.from_counts(
        LENGTHS,
        [*DEPTHS, NONE],
        n_cases=n_cases,
        successes=np.vstack([np.hstack([RIGHT[:3], [[0]] * 3]), [[0, 0, 0, 1]]]),
    )
    fit = fit_curve(both)
    assert fit.grid.lengths.tolist() == LENGTHS
    assert fit.curve == fit_curve(three).curve


def test_the_curve_s_mean_over_depths_is_over_the_tested_ones():
    whole = cells([40] * 4)
    fit = fit_curve(whole)
    expected = fit.curve.accuracy(np.array(LENGTHS, float), np.array(DEPTHS)).mean(axis=1)
    drawn = decay_data(whole, fit=fit)
    curve = drawn[drawn["series"] == "curve"].set_index("length")["accuracy"]
    assert curve.iloc[[0, -1]].tolist() == pytest.approx(expected[[0, -1]].tolist())
    answer = effective_length(whole, Criterion(0.85), fit=fit, sets=("jeffreys",))
    by_curve = {estimate.method: estimate for estimate in answer.estimates}["curve"]
    passing = int(np.argmin(np.append(expected, 0.0) >= 0.85))
    assert by_curve.outcome == passing


def test_where_no_case_has_a_depth_all_are_fitted_without_terms_of_depth():
    right = [[39], [36], [31], [20]]
    fit = fit_curve(Cells.from_counts(LENGTHS, [NONE], n_cases=40, successes=right))
    assert fit.parameters == ("intercept", "length")
    assert "depthless-not-fitted" not in codes(fit)
