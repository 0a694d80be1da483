"""``allocate`` and ``allocate_for_curve``: gains at equal cost, checked by simulation."""

import numpy as np
import pytest

from lcstats.cells import Cells
from lcstats.curve import Curve
from lcstats.errors import OptionError
from lcstats.fit import fit_curve, goodness_of_fit
from lcstats.lengths import Criterion
from lcstats.plan.allocation.allocate import allocate, allocate_for_curve
from lcstats.plan.allocation.robust import try_curve
from lcstats.plan.budget import Budget
from lcstats.plan.cost import Prices
from lcstats.plan.exact import exact_probabilities
from lcstats.plan.simulation.simulate import Simulation, simulate_plan
from lcstats.plan.truths import planned_truth
from lcstats.truths import WORKED_CURVE

LENGTHS = 1024 * 2 ** np.arange(8)
DEPTHS = np.arange(11) / 10
BUDGET = Budget(20 * DEPTHS.size * int(LENGTHS.sum()))
SHORT = 1024 * 2 ** np.arange(3, 8)
FEW = np.array([0.0, 0.5, 1.0])


def _planned(name="single-needle", lengths=LENGTHS, depths=DEPTHS):
    return planned_truth(name, lengths, depths)


@pytest.mark.parametrize("treatment", ["mean", "pooled", "worst", "quantile:0.1"])
@pytest.mark.parametrize("objective", ["hit", "within"])
def test_an_allocation_beats_the_best_uniform_plan_within_its_budget(treatment, objective):
    criterion = Criterion(0.85, depth_treatment=treatment)
    found = allocate(_planned(), criterion, BUDGET, objective=objective, against=())
    assert found.solver == "knapsack"
    assert found.cost.tokens <= BUDGET.amount
    assert found.trials.min() >= found.floor == 10
    assert found.probability > found.uniform_probability
    affordable = [exact_probabilities(_planned(), n, criterion) for n in range(1, 21)]
    assert found.uniform_probability == max(getattr(p, objective) for p in affordable)


def test_the_gain_on_the_base_truth_is_that_of_four_times_the_money():
    found = allocate(_planned(), Criterion(0.85), BUDGET, spread=0.0, against=())
    assert found.uniform_probability == pytest.approx(0.7531, abs=5e-5)
    assert found.probability > exact_probabilities(_planned(), 80, Criterion(0.85)).hit > 0.9


@pytest.mark.parametrize("treatment", ["mean", "worst"])
def test_a_simulation_of_the_allocation_agrees(treatment):
    criterion = Criterion(0.85, depth_treatment=treatment)
    found = allocate(_planned(), criterion, BUDGET, against=())
    simulation = Simulation(n_simulations=20_000, seed=3)
    rate = simulate_plan(_planned(), found.trials, criterion, simulation=simulation)
    simulated = rate.probabilities()
    assert simulated.hit == pytest.approx(found.probabilities.hit, abs=4 * simulated.error)


def test_more_spread_never_helps_a_truth_that_is_known():
    hits = [
        allocate(_planned(), Criterion(0.85), BUDGET, spread=spread, against=()).probability
        for spread in (0.0, 0.25, 0.5, 1.0)
    ]
    assert hits == sorted(hits, reverse=True)


def test_an_open_truth_is_allocated_for_the_mean_over_its_draws():
    planned = _planned("cells-deviate", SHORT, FEW)
    budget = Budget(20 * FEW.size * int(SHORT.sum()))
    found = allocate(planned, Criterion(0.85), budget, against=())
    assert found.solver == "exchange"
    assert not found.is_best
    assert found.probability > found.uniform_probability
    assert found.cost.tokens <= budget.amount


def test_money_and_time_are_budgets_too():
    prices = Prices(
        input_usd=3.0,
        output_usd=15.0,
        output_tokens=100,
        input_tokens_per_second=5000,
        output_tokens_per_second=50,
    )
    for budget in (Budget(30.0, "usd", prices), Budget(3600.0, "seconds", prices)):
        found = allocate(_planned("distractors", SHORT, FEW), Criterion(0.85), budget, against=())
        spent = getattr(found.cost, budget.currency)
        assert 0.9 * budget.amount < spent <= budget.amount * (1 + 1e-9)
        assert not found.is_best


def test_windows_are_offered_only_numbers_that_can_be_added_up_exactly():
    criterion = Criterion(0.85, depth_treatment="window:2")
    found = allocate(
        _planned("single-needle", SHORT, FEW), criterion, Budget(3_000_000), against=()
    )
    assert found.probability >= found.uniform_probability


def test_robustness_names_both_plans_on_truths_they_were_not_made_for():
    found = allocate(_planned(), Criterion(0.85), BUDGET)
    assert [row.truth for row in found.robustness] == ["cliff", "one-bad-depth"]
    for row in found.robustness:
        other = _planned(row.truth)
        exact = exact_probabilities(other, found.trials, Criterion(0.85)).hit
        assert row.probability == pytest.approx(exact)
        assert row.misfit_seen > 0.95


def test_an_allocation_says_what_it_is_as_a_table_and_as_json():
    found = allocate(_planned("single-needle", SHORT, FEW), Criterion(0.85), Budget(5_000_000))
    frame = found.to_frame()
    assert frame["trials"].sum() == found.cost.requests
    document = found.to_dict()
    assert document["allocation"][0] == {
        "length": 8192,
        "depth": 0.0,
        "trials": int(found.trials[0, 0]),
    }
    assert document["cost"]["tokens"] == int((frame["length"] * frame["trials"]).sum())
    assert "in every cell" in repr(found)
    assert not found.trials.flags.writeable


def test_a_truth_without_a_bend_is_called_censored():
    planned = _planned("single-needle", np.array([1024, 2048]), FEW)
    found = allocate(planned, Criterion(0.85), Budget(1_000_000), against=())
    notice = found.notices[0]
    assert notice.code == "censored-truth"
    assert "lengths on both sides of the bend" in notice.message


def test_nothing_spread_is_called_blind():
    found = allocate(
        _planned("single-needle", SHORT, FEW), Criterion(0.85), Budget(5_000_000), spread=0.0
    )
    assert [notice.code for notice in found.notices] == ["blind-to-misfit"]


@pytest.mark.parametrize("treatment", ["mean", "worst"])
def test_the_curves_allocation_keeps_the_floor_and_is_confirmed_by_simulation(treatment):
    criterion = Criterion(0.85, depth_treatment=treatment)
    found = allocate_for_curve(WORKED_CURVE, LENGTHS, DEPTHS, criterion, BUDGET)
    assert found.trials.min() >= found.floor == 10
    assert found.cost.tokens <= BUDGET.amount
    assert found.crossing_error < found.uniform_crossing_error
    assert found.probability > found.uniform_probability
    simulation = Simulation(n_simulations=4000, seed=5)
    arguments = {"method": "curve", "simulation": simulation}
    rate = simulate_plan(_planned(), found.trials, criterion, **arguments).probabilities()
    assert rate.hit == pytest.approx(found.probability, abs=4 * found.probabilities.error)
    assert rate.hit > found.uniform_probability


def test_misfit_is_seen_by_the_half_that_is_spread_and_less_without_it():
    criterion = Criterion(0.85, depth_treatment="worst")
    poor = Budget(5 * DEPTHS.size * int(LENGTHS.sum()))
    bad = _planned("one-bad-depth")
    plans = [
        allocate_for_curve(WORKED_CURVE, LENGTHS, DEPTHS, criterion, poor, spread=spread)
        for spread in (0.0, 0.5)
    ]
    seen = [try_curve(bad, plan.trials, criterion, n_simulations=2000) for plan in plans]
    assert seen[1].misfit_seen > seen[0].misfit_seen + 0.05


def test_the_quick_look_at_misfit_is_near_the_test_itself():
    truth, trials = _planned("one-bad-depth"), np.full((LENGTHS.size, DEPTHS.size), 8)
    quick = try_curve(truth, trials, Criterion(0.85), n_simulations=2000).misfit_seen
    rng = np.random.default_rng(2)
    rejected = 0
    for seed in range(40):
        right = rng.binomial(trials, truth.accuracies[0])
        fit = fit_curve(Cells.from_counts(LENGTHS, DEPTHS, n_cases=trials, successes=right))
        rejected += not goodness_of_fit(fit, n_simulations=199, seed=seed).passes
    assert quick == pytest.approx(rejected / 40, abs=0.1 + 3 * np.sqrt(0.1 * 0.9 / 40))


def test_the_quick_look_keeps_its_level_where_the_curve_is_right():
    trials = np.full((LENGTHS.size, DEPTHS.size), 20)
    tried = try_curve(_planned(), trials, Criterion(0.85), n_simulations=4000)
    assert tried.misfit_seen == pytest.approx(0.05, abs=0.02)
    assert tried.hit == pytest.approx(0.93, abs=0.02)


@pytest.mark.parametrize(
    ("change", "mend"),
    [
        ({"spread": 1.5}, "spread is 1.5"),
        ({"objective": "miss"}, "pass objective='hit'"),
    ],
)
def test_options_out_of_range_are_refused(change, mend):
    with pytest.raises(OptionError, match=mend):
        allocate(_planned("single-needle", SHORT, FEW), Criterion(0.85), BUDGET, **change)


def test_shared_haystacks_are_refused():
    with pytest.raises(OptionError, match="use the Monte Carlo engine"):
        allocate(_planned("shared-haystack"), Criterion(0.85), BUDGET)


def test_a_relative_threshold_is_refused():
    with pytest.raises(OptionError, match="allocate for the accuracy that the bar"):
        allocate(_planned(), Criterion(0.85, rule="relative"), BUDGET)


@pytest.mark.parametrize("amount", [0, -1, float("nan"), float("inf"), True])
def test_a_budget_is_a_number_above_0(amount):
    with pytest.raises(OptionError, match=r"pass Budget\(5_000_000\)"):
        Budget(amount)


def test_a_budget_that_does_not_pay_one_round_is_refused():
    with pytest.raises(OptionError, match="raise the budget, or plan fewer lengths or depths"):
        allocate(_planned(), Criterion(0.85), Budget(1000))


def test_dollars_need_a_price():
    with pytest.raises(OptionError, match="pass input_usd"):
        Budget(10.0, "usd").trial_prices(LENGTHS)


def test_a_rate_of_trials_is_paid_however_its_price_is_rounded():
    prices = Prices(input_usd=0.1, output_usd=0.3, output_tokens=7)
    lengths = np.array([1000, 3000, 7000])
    once = float(Budget(1.0, "usd", prices).trial_prices(lengths).sum())
    assert Budget(once * 3 * 5, "usd", prices).uniform_trials(lengths, 3) == 5


def test_a_curve_is_planned_with_its_guess_rate():
    curve = Curve(4.2, 0.5, 1.0, 0.5, guess_rate=0.25)
    criterion = Criterion(0.85, rule="above_chance", guess_rate=0.25)
    found = allocate_for_curve(curve, LENGTHS, DEPTHS, criterion, BUDGET)
    assert found.crossing_error < found.uniform_crossing_error


def test_an_allocation_without_gain_says_so():
    poor = Budget(5 * DEPTHS.size * int(LENGTHS.sum()))
    found = allocate_for_curve(WORKED_CURVE, LENGTHS, DEPTHS, Criterion(0.85), poor)
    (notice,) = found.notices
    assert notice.code == "no-gain"
    assert "take the uniform plan" in notice.message
