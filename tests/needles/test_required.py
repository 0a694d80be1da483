"""What tasks ask of a single needle, and how far a curve goes by it."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from lcstats.curve import Curve
from lcstats.errors import OptionError
from lcstats.needles import analyze_needles, joint_rate, required_rate
from lcstats.needles.required import check_numbers
from lcstats.needles.task_length import crossing_of_mean, joint_rates
from lcstats.truths import simulate_needles

pytestmark = pytest.mark.filterwarnings("ignore::lcstats.errors.LcstatsWarning")

LENGTHS, DEPTHS = 1024 * 2 ** np.arange(8), np.arange(11) / 10


def test_required_rates_of_the_method():
    rates = [required_rate(0.85, number) for number in (1, 2, 4, 10, 20)]
    assert_allclose(np.round(rates, 3), [0.850, 0.922, 0.960, 0.984, 0.992])


def test_a_rate_that_sounds_high():
    assert round(joint_rate(0.95, 10), 4) == 0.5987


@pytest.mark.parametrize("number", [1, 3, 17])
def test_required_and_joint_rates_undo_each_other(number):
    assert joint_rate(required_rate(0.85, number), number) == pytest.approx(0.85)


@pytest.mark.parametrize(("target", "number"), [(0, 4), (1.2, 4), (0.85, 0), (0.85, 2.5)])
def test_what_is_out_of_range_is_refused(target, number):
    with pytest.raises(OptionError, match="expected"):
        required_rate(target, number)


def test_no_numbers_are_refused():
    with pytest.raises(OptionError, match=r"numbers=\(1, 4, 10\)"):
        check_numbers(())


def test_needles_anywhere_are_found_no_more_often_than_needles_together():
    rates = np.random.default_rng(1).random((5, 7))
    assert (joint_rates(rates, 4, "spread") <= joint_rates(rates, 4, "close") + 1e-12).all()
    assert_allclose(joint_rates(rates, 1, "spread"), joint_rates(rates, 1, "close"))


def test_the_crossing_is_where_the_mean_meets_the_required_rate():
    curve = Curve(4.2, 0.3, 1.9, 0.6)
    for number in (1, 2, 4):
        rate = required_rate(0.85, number)
        crossing = crossing_of_mean(curve, LENGTHS, DEPTHS, rate)
        assert curve.accuracy(crossing, DEPTHS).mean() == pytest.approx(rate, abs=1e-9)
    assert crossing_of_mean(curve, LENGTHS, DEPTHS, required_rate(0.85, 20)) is None
    assert crossing_of_mean(curve, LENGTHS, DEPTHS, 0.5) is None


def test_lengths_by_number_are_those_of_the_true_curve():
    trials = simulate_needles(LENGTHS, DEPTHS, n_trials=100, seed=2)
    found = analyze_needles(trials, numbers=(1, 2, 4))
    curve = Curve(4.2, 0.3, 1.9, 0.6)
    for number in (1, 2, 4):
        means = curve.accuracy(LENGTHS, found.single.depths).mean(axis=1)
        right = int(np.argmin(means >= required_rate(0.85, number)))
        own = found.implied_length(number)
        assert own.estimate.outcome == right
        assert own.estimate.sets[0].lower <= right <= own.estimate.sets[0].upper
        assert LENGTHS[right - 1] <= own.crossing <= LENGTHS[right]


def test_more_needles_never_go_further():
    trials = simulate_needles(LENGTHS, DEPTHS, n_trials=10, seed=2)
    found = analyze_needles(trials, numbers=range(1, 12))
    outcomes = [one.estimate.outcome for one in found.implied if one.layout == "spread"]
    assert outcomes == sorted(outcomes, reverse=True)
