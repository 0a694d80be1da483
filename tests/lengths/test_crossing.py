"""The curve's effective length: crossing, its interval, statuses, and sets from refits."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import brentq

from lcstats.cells import Cells
from lcstats.curve import Curve
from lcstats.draws import resample
from lcstats.errors import LcstatsWarning, OptionError
from lcstats.fit import fit_curve
from lcstats.lengths import Criterion, effective_length
from lcstats.lengths.crossing import drawn_crossings, find_crossing, log2_crossing
from lcstats.posterior import sample_posterior

pytestmark = pytest.mark.filterwarnings("ignore::lcstats.errors.LcstatsWarning")

LENGTHS = 1024 * 2 ** np.arange(8)
DEPTHS = np.linspace(0, 1, 11)
WORKED = Curve(4.2, 0.3, 1.9, 0.6)


def cells_from(curve, n=10**6, lengths=LENGTHS, depths=DEPTHS):
    successes = np.rint(n * curve.accuracy(lengths, depths)).astype(np.int64)
    return Cells.from_counts(lengths, depths, n_cases=n, successes=successes)


def crossing_of(curve, criterion, **options):
    return find_crossing(fit_curve(cells_from(curve, **options)), criterion, level=0.95)


@pytest.mark.parametrize(
    ("treatment", "rule"),
    [
        ("mean", lambda p: p.mean()),
        ("worst", lambda p: p.min()),
        ("quantile:0.1", lambda p: np.sort(p)[1]),
        ("window:3", lambda p: np.convolve(p, np.ones(3) / 3, "valid").min()),
        ("pooled", lambda p: p.mean()),
    ],
)
def test_crossing_is_where_the_true_curve_crosses(treatment, rule):
    def gap(doublings):
        return rule(WORKED.accuracy(2.0**doublings, DEPTHS)[0]) - 0.85

    expected = 2 ** brentq(gap, 10, 17)
    crossing = crossing_of(WORKED, Criterion(0.85, depth_treatment=treatment))
    assert crossing.value == pytest.approx(expected, rel=2e-3)
    assert crossing.lower < crossing.value < crossing.upper
    assert not crossing.extrapolated


def test_delta_interval_of_one_logistic_by_hand():
    cells = Cells.from_counts(
        [4096, 8192, 16384, 32768, 65536, 131072],
        [0.5],
        n_cases=220,
        successes=np.array([[211, 207, 199, 193, 181, 158]]).T,
    )
    fit = fit_curve(cells, penalty="none")
    intercept, slope = fit.coefficients
    doublings = (intercept - np.log(0.85 / 0.15)) / slope
    gradient = np.array([1 / slope, -doublings / slope])
    error = np.sqrt(gradient @ fit.covariance @ gradient)
    crossing = find_crossing(fit, Criterion(0.85), level=0.95)
    assert crossing.value == pytest.approx(1024 * 2**doublings, rel=1e-6)
    assert crossing.lower == pytest.approx(1024 * 2 ** (doublings - 1.959964 * error), rel=1e-4)
    assert crossing.upper == pytest.approx(1024 * 2 ** (doublings + 1.959964 * error), rel=1e-4)


def test_a_crossing_outside_the_tested_lengths_is_called_extrapolated():
    beyond = crossing_of(WORKED, Criterion(0.85), lengths=LENGTHS[:4])
    assert beyond.extrapolated
    assert beyond.value > LENGTHS[3]
    before = crossing_of(WORKED, Criterion(0.98), lengths=LENGTHS[2:])
    assert before.extrapolated
    assert before.value < LENGTHS[2]


def test_a_curve_that_never_falls_below_the_bar_has_no_crossing():
    answer_curve = Curve(5.0, -0.2, 0.0, 0.0)
    cells = cells_from(answer_curve)
    answer = effective_length(cells, Criterion(0.85), fit=fit_curve(cells))
    estimate = answer.estimates[1]
    assert estimate.crossing is None
    assert estimate.status == "beyond_tested"
    assert estimate.to_dict()["crossing"] is None


def test_relative_bar_is_measured_on_the_curve():
    base = WORKED.accuracy(1024, DEPTHS).mean()
    relative = crossing_of(WORKED, Criterion(0.85, rule="relative"))
    absolute = crossing_of(WORKED, Criterion(0.85 * base))
    assert relative.value == pytest.approx(absolute.value, rel=1e-3)


def test_the_curve_stands_beside_the_observed_and_never_in_the_headline():
    rng = np.random.default_rng(2)
    successes = rng.binomial(20, WORKED.accuracy(LENGTHS, DEPTHS))
    cells = Cells.from_counts(LENGTHS, DEPTHS, n_cases=20, successes=successes)
    for treatment, headline in (("mean", "observed"), ("worst", "flexible")):
        criterion = Criterion(0.85, depth_treatment=treatment)
        answer = effective_length(cells, criterion, fit=fit_curve(cells), seed=3)
        assert [e.method for e in answer.estimates[:2]] == ["observed", "curve"]
        assert answer.headline == headline
        curve = answer.estimates[1]
        assert set(curve.masses) == {"parametric_bootstrap"}
        assert curve.masses["parametric_bootstrap"].sum() == pytest.approx(1)
        assert curve.outcome in curve.default_set
        again = effective_length(cells, criterion, fit=fit_curve(cells), seed=3)
        assert again.to_dict() == answer.to_dict()


def test_a_fit_to_other_counts_is_refused():
    cells = cells_from(WORKED, n=20)
    other = cells_from(WORKED, n=40)
    with pytest.raises(OptionError, match=r"pass fit=fit_curve\(cells\)"):
        effective_length(cells, Criterion(0.85), fit=fit_curve(other))


def test_a_curve_that_rises_before_it_falls_crosses_where_it_falls():
    curve = Curve(3.0, -0.5, 9.0, 0.6)
    lengths, depths = 1024 * 2 ** np.arange(8), np.linspace(0, 1, 11)
    cells = Cells.from_counts(
        lengths, depths, n_cases=200, successes=np.rint(200 * curve.accuracy(lengths, depths))
    )
    fit, criterion = fit_curve(cells), Criterion(0.85)
    crossing = find_crossing(fit, criterion, level=0.95)
    mean = fit.curve.accuracy([crossing.value], depths).mean()
    assert mean == pytest.approx(0.85, abs=1e-9)
    assert 4096 < crossing.value < 16384
    assert not crossing.extrapolated


def test_a_fit_to_other_cells_with_as_many_right_is_refused():
    counts = {"n_cases": 40, "successes": [[39], [30], [20]]}
    fit = fit_curve(Cells.from_counts([4096, 8192, 16384], [0.5], **counts))
    for lengths, more in (([1024, 2048, 4096], {}), ([4096, 8192, 16384], {"n_cases": 50})):
        other = Cells.from_counts(lengths, [0.5], **counts | more)
        with pytest.raises(OptionError, match=r"pass fit=fit_curve\(cells\)"):
            effective_length(other, Criterion(0.85), fit=fit)


def test_a_crossing_that_is_not_there_says_why():
    lengths, depths = [4096, 8192, 16384], [0.5]
    for successes, status in (([[20], [30], [39]], "starts_below"), ([[39]] * 3, "never_falls")):
        cells = Cells.from_counts(lengths, depths, n_cases=40, successes=successes)
        answer = effective_length(cells, Criterion(0.85), fit=fit_curve(cells))
        curve = answer.estimates[1]
        assert (curve.crossing_status, curve.crossing) == (status, None)
        assert curve.to_dict()["crossing_status"] == status


@pytest.mark.parametrize("treatment", ["mean", "worst", "quantile:0.1", "window:3"])
@pytest.mark.parametrize("rule", ["absolute", "relative"])
def test_every_draw_crosses_where_its_own_curve_does(treatment, rule):
    """Against the search for one curve at a time."""
    lengths, depths = 1024 * 2 ** np.arange(8), np.linspace(0, 1, 11)
    counts = np.rint(5 * WORKED.accuracy(lengths, depths))
    fit = fit_curve(Cells.from_counts(lengths, depths, n_cases=5, successes=counts))
    draws = resample(fit, n_draws=60, seed=3)
    criterion = Criterion(0.85, rule=rule, depth_treatment=treatment)
    found = drawn_crossings(fit, draws, criterion)
    expected = [
        log2_crossing(fit, fit.law.curve(coefficients), criterion)
        for coefficients in draws.coefficients
    ]
    assert found == pytest.approx(expected, abs=2e-5)


def test_the_bootstrap_s_interval_stands_beside_the_delta_method_s():
    lengths, depths = 1024 * 2 ** np.arange(8), np.linspace(0, 1, 11)
    counts = np.rint(80 * WORKED.accuracy(lengths, depths))
    cells = Cells.from_counts(lengths, depths, n_cases=80, successes=counts)
    fit = fit_curve(cells)
    crossing = effective_length(cells, Criterion(0.85), fit=fit).estimates[1].crossing
    assert crossing.bootstrap_lower == pytest.approx(crossing.lower, rel=0.05)
    assert crossing.bootstrap_upper == pytest.approx(crossing.upper, rel=0.05)
    assert crossing.bootstrap_lower < crossing.value < crossing.bootstrap_upper


def test_refits_that_never_settled_make_no_set():
    cells = Cells.from_counts(
        [4096, 16384, 65536],
        [0.0, 0.5, 1.0],
        n_cases=20,
        successes=[[20, 19, 20], [19, 17, 19], [15, 9, 17]],
    )
    fit = fit_curve(cells)
    drawn = resample(fit, n_draws=200)
    for n_failed, methods, fate in (
        (100, ["observed", "curve"], "they stay in it"),
        (101, ["observed"], "they make no set"),
    ):
        with pytest.warns(LcstatsWarning, match=f"{n_failed} of 200 refits .*{fate}"):
            answer = effective_length(
                cells, Criterion(0.85), fit=fit, draws=replace(drawn, n_failed=n_failed)
            )
        assert [estimate.method for estimate in answer.estimates] == methods


def test_a_posterior_stands_where_refits_did_not_settle():
    cells = Cells.from_counts([4096, 65536], [0.5], n_cases=20, successes=[[19], [9]])
    fit = fit_curve(cells, terms=("intercept", "length"))
    unsettled = replace(resample(fit, n_draws=100), n_failed=100)
    draws = (unsettled, sample_posterior(fit, n_draws=100))
    with pytest.warns(LcstatsWarning, match="100 of 100 refits"):
        answer = effective_length(cells, Criterion(0.85), fit=fit, draws=draws)
    (curve,) = (e for e in answer.estimates if e.method == "curve")
    assert [interval.kind for interval in curve.sets] == ["posterior"]
