"""What further trials are expected to do, against the evidence itself."""

from dataclasses import replace

import numpy as np
import pytest

from lcstats.errors import OptionError
from lcstats.lengths import Criterion
from lcstats.lengths.anytime import log_evidence_above, log_evidence_below, weigh_counts
from lcstats.plan.adaptive.sequential import RATES, Standing, foretell, offers

N_DEPTHS = 4
MEMBERS = np.zeros(N_DEPTHS, dtype=np.int64)
NEAR = 1.0
"""How far Laplace's approximation may be off near a threshold, in logs."""


def standing(rates, n=20, treatment="mean"):
    n_cases = np.full((len(rates), N_DEPTHS), n)
    right = np.round(np.array(rates)[:, None] * n_cases)
    criterion = Criterion(0.85, depth_treatment=treatment)
    return Standing.of(right, n_cases, MEMBERS, criterion, 0.95)


@pytest.mark.parametrize("bar", [0.6, 0.8, 0.85, 0.9])
@pytest.mark.parametrize("passes", [True, False])
def test_what_is_foretold_is_near_the_evidence_where_it_decides(bar, passes):
    n = np.arange(5, 4000)
    for share in (0.2, 0.5, 0.8):
        rate = bar + share * (1 - bar) if passes else bar * (1 - share / 2)
        weigh = log_evidence_above if passes else log_evidence_below
        exact = weigh(rate * n, n, bar)
        decides = (exact > 2) & (exact < 6)
        assert decides.any()
        found = foretell(rate * n, n.astype(float), bar, passes=passes)
        assert np.abs(found - exact)[decides].max() < NEAR


@pytest.mark.parametrize("treatment", ["mean", "worst", "quantile:0.5", "window:2"])
@pytest.mark.parametrize("passes", [True, False])
def test_a_bid_that_comes_out_as_hoped_settles_the_length(treatment, passes):
    before = standing([0.9 if passes else 0.7], n=10, treatment=treatment)
    bid = offers(before, 0, passes=passes).best(price=1.0, affordable=np.inf)
    assert bid.trials.sum() > 0
    # The best a rate that is still open may be; the bid counts on one at most as good.
    hoped = 1.0 if passes else 0.0
    right = before.successes + hoped * bid.trials
    after = weigh_counts(right, before.n_cases + bid.trials, MEMBERS, before.bar, before.treatment)
    reached = (after.passing if passes else after.failing)[0]
    assert reached >= before.threshold(0, passes=passes)


def test_offers_rise_with_chance_and_end_where_the_rate_is_on_the_other_side():
    trials = offers(standing([0.88]), 0, passes=True).trials[0].sum(axis=1)
    assert trials.shape == RATES.shape
    assert np.all(np.diff(trials[np.isfinite(trials)]) >= 0)
    assert np.isinf(trials[-1])


def test_nothing_is_bid_beyond_what_can_be_paid():
    some = offers(standing([0.9]), 0, passes=True)
    bid = some.best(price=1000.0, affordable=np.inf)
    assert some.best(price=1000.0, affordable=bid.trials.sum() * 1000.0) is not None
    assert some.best(price=1000.0, affordable=1000.0) is None


def test_rounds_are_filled_up_before_more_are_begun():
    before = standing([0.9], n=20)
    uneven = before.n_cases.copy()
    uneven[0, 0] = 15
    right = before.successes.copy()
    right[0, 0] = 14
    ragged = Standing.of(right, uneven, MEMBERS, Criterion(0.85), 0.95)
    trials = offers(ragged, 0, passes=True).best(price=1.0, affordable=np.inf).trials
    assert np.all(uneven[0] + trials == (uneven[0] + trials)[0])


@pytest.mark.parametrize("treatment", ["mean", "worst", "quantile:0.5", "window:2"])
def test_expecting_changes_one_length_as_if_it_were_weighed_anew(treatment):
    before = standing([0.95, 0.8, 0.5], treatment=treatment)
    after = before.expecting(1, np.array([5, 0, 2, 2]))
    anew = weigh_counts(after.successes, after.n_cases, MEMBERS, 0.85, after.treatment)
    np.testing.assert_allclose(after.evidence.failing, anew.failing)
    np.testing.assert_allclose(after.evidence.passing, anew.passing)
    assert np.array_equal(after.n_cases[[0, 2]], before.n_cases[[0, 2]])


def test_settled_lengths_are_those_that_move_the_ends():
    found = standing([1.0, 0.9, 0.3], n=30)
    assert found.settled(passes=True).tolist() == [True, False, False]
    assert found.settled(passes=False).tolist() == [False, False, True]
    assert found.ends == (1, 2)


def test_a_relative_bar_is_refused():
    known = standing([0.9])
    relative = Criterion(0.9, rule="relative")
    with pytest.raises(OptionError, match="use rule='absolute'"):
        Standing.of(known.successes, known.n_cases, MEMBERS, relative, 0.95)
    assert replace(known, level=0.9).threshold(0, passes=True) < known.threshold(0, passes=True)


def test_at_a_bar_of_one_a_miss_is_enough_and_nothing_passes():
    right, n_cases = np.array([3.0, 4.0]), np.array([4.0, 4.0])
    with np.errstate(all="raise"):
        assert foretell(right, n_cases, 1.0, passes=False).tolist() == [np.inf, -np.inf]
        assert foretell(right, n_cases, 1.0, passes=True).tolist() == [-np.inf, -np.inf]
