"""Two-stage plans: the tables and the kernel against brute force, the gains by simulation."""

from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import beta, betabinom

from lcstats.cells import Cells
from lcstats.errors import OptionError
from lcstats.kernels.second_stage import choose_numbers
from lcstats.lengths import Criterion
from lcstats.plan.allocation.two_stage import DOUBT, SecondStage, plan_two_stage, second_stage
from lcstats.plan.budget import Budget
from lcstats.plan.truths import planned_truth

LENGTHS = 1024 * 2 ** np.arange(8)
DEPTHS = np.arange(11) / 10
CRITERION = Criterion(0.85)
BAR = Fraction(17, 20)


def _budget(n_cases):
    return Budget(n_cases * DEPTHS.size * int(LENGTHS.sum()))


def _planned(name):
    return planned_truth(name, LENGTHS, DEPTHS)


@pytest.mark.parametrize("right", [0, 6, 9, 10])
@pytest.mark.parametrize("place", [0, 1, 2])
def test_tables_are_those_of_the_beta_binomial(right, place):
    n_pilot, n_depths = 10, 2
    stage = SecondStage.after(n_pilot, n_depths, BAR, np.array([0, 3, 20]))
    shape = right + 0.5, n_pilot - right + 0.5
    further = np.arange(stage.numbers[place] * n_depths + 1)
    mass = betabinom.pmf(further, further[-1], *shape)
    above = beta.sf(0.85, shape[0] + further, shape[1] + further[-1] - further)
    seen = right + further >= stage.needed[place]
    assert stage.passing[right, place] == pytest.approx((mass * above)[seen].sum(), abs=2e-4)
    assert stage.failing[right, place] == pytest.approx((mass * (1 - above))[~seen].sum(), abs=2e-4)
    assert stage.below[right] == pytest.approx(beta.cdf(0.85, *shape))


def _expected_hit(stage, right, places, doubt):
    """P(hit) under the posterior, by the sum over outcomes."""
    u, v = stage.passing[right, places], stage.failing[right, places]
    falls = stage.below[right]
    n_lengths = right.size
    plain = once = chance = 0.0
    for t in range(n_lengths + 1):
        term = u[:t].prod() * (v[t] if t < n_lengths else 1.0)
        plain += term
        once += term * falls[t + 1 :].prod()
        chance += (1 - falls[:t]).prod() * falls[t:].prod()
    return doubt * plain + (1 - doubt) * once / chance


@pytest.mark.parametrize("right", [(10, 9, 6), (10, 10, 10), (8, 9, 2), (3, 9, 9)])
def test_the_kernel_buys_the_best_rise_for_its_money_step_by_step(right):
    right, prices, left = np.array(right), np.array([2.0, 4.0, 8.0]), 60.0
    stage = SecondStage.after(10, 2, BAR, np.array([0, 1, 2, 3, 5, 8, 13]))
    places = np.zeros(3, dtype=np.int64)
    money = left
    while True:
        now = _expected_hit(stage, right, places, DOUBT)
        offers = []
        for length in range(3):
            for place in range(places[length] + 1, stage.numbers.size):
                steps = stage.numbers[place] - stage.numbers[places[length]]
                cost = prices[length] * steps
                moved = places.copy()
                moved[length] = place
                rise = _expected_hit(stage, right, moved, DOUBT) - now
                if cost <= money and rise > 1e-15:
                    offers.append((rise / cost, length, place, cost))
        if not offers:
            break
        _, length, place, cost = max(offers)
        places[length], money = place, money - cost
    assert stage.choose(right[None], prices, left)[0].tolist() == places.tolist()


def test_the_kernel_runs_the_same_compiled_or_not():
    stage = SecondStage.after(22, 11, BAR, np.arange(30))
    right = np.random.default_rng(1).binomial(22, 0.9, size=(6, 4))
    costs = np.array([1.0, 2.0, 4.0, 8.0])[:, None] * stage.numbers
    worth = np.stack([stage.passing, stage.failing])
    bought = []
    for kernel in (choose_numbers, choose_numbers.py_func):
        places = np.zeros(right.shape, dtype=np.int64)
        kernel(right, worth, stage.below.copy(), costs, 100.0, DOUBT, places)
        bought.append(places)
    assert np.array_equal(*bought)
    assert np.all((costs[np.arange(4), bought[0]]).sum(axis=1) <= 100.0)


@pytest.mark.parametrize(
    ("name", "n_cases", "gain"),
    [("single-needle", 5, 0.03), ("single-needle", 20, 0.07), ("distractors", 20, 0.15)],
)
def test_two_stages_beat_the_uniform_plan_of_the_same_price(name, n_cases, gain):
    plan = plan_two_stage(
        _planned(name), CRITERION, _budget(n_cases), against=(), n_simulations=2000, seed=1
    )
    assert plan.rate.hit - 3 * plan.rate.error > plan.rate.uniform.hit + gain
    assert plan.spent <= 1.0


def test_two_stages_lose_nothing_on_truths_that_no_curve_follows():
    plan = plan_two_stage(
        _planned("single-needle"), CRITERION, _budget(5), n_simulations=2000, seed=1
    )
    assert [row.truth for row in plan.robustness] == ["cliff", "one-bad-depth"]
    for row in plan.robustness:
        assert row.hit >= row.uniform.hit - 3 * row.error
        assert row.within >= row.hit


def test_trials_go_near_the_bend():
    plan = plan_two_stage(
        _planned("single-needle"), CRITERION, _budget(20), against=(), n_simulations=500, seed=1
    )
    assert LENGTHS[np.argmax(plan.mean_trials)] == 32768
    assert plan.mean_trials.min() >= plan.pilot_trials == 10


def test_more_simulations_continue_the_fewer_and_a_seed_repeats():
    def run(number):
        return plan_two_stage(
            _planned("distractors"), CRITERION, _budget(5), against=(), n_simulations=number, seed=7
        )

    assert run(700).rate == run(700).rate
    assert run(700).rate != run(1400).rate


def test_an_open_truth_is_averaged():
    plan = plan_two_stage(
        _planned("cells-deviate"), CRITERION, _budget(5), against=(), n_simulations=1000, seed=1
    )
    assert plan.rate.hit > plan.rate.uniform.hit - 3 * plan.rate.error


def _pilot(right, n_cases=10):
    return Cells.from_counts(
        [4096, 8192, 16384], [0.0, 0.5], n_cases=n_cases, successes=np.array(right)
    )


def test_the_second_stage_of_a_real_pilot_stays_within_what_is_left():
    trials = second_stage(_pilot([[10, 9], [9, 9], [8, 7]]), CRITERION, Budget(500_000))
    assert trials.sum() > 0
    assert (trials * 2) @ np.array([4096, 8192, 16384]) <= 500_000
    assert trials.argmax() == 1


def test_no_money_buys_no_second_stage():
    assert (
        second_stage(_pilot([[10, 9], [9, 9], [8, 7]]), CRITERION, Budget(10)).tolist() == [0] * 3
    )


def test_an_unbalanced_pilot_is_refused():
    cells = _pilot([[5, 9], [9, 9], [8, 7]], n_cases=[[5, 10], [10, 10], [10, 10]])
    with pytest.raises(OptionError, match="leave out what goes beyond the smallest cell"):
        second_stage(cells, CRITERION, Budget(500_000))


@pytest.mark.parametrize("treatment", ["worst", "quantile:0.2", "window:3"])
def test_single_cells_are_refused(treatment):
    criterion = Criterion(0.85, depth_treatment=treatment)
    with pytest.raises(OptionError, match="or ask plan_next"):
        plan_two_stage(_planned("single-needle"), criterion, _budget(5))
    with pytest.raises(OptionError, match="or ask plan_next"):
        second_stage(_pilot([[10, 9], [9, 9], [8, 7]]), criterion, Budget(500_000))
