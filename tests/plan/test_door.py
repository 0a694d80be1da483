"""``plan_trials``: METHOD's plans, every kind of target, what is refused, and what is said."""

import json
import warnings

import numpy as np
import pytest

import lcstats as lc
from lcstats.errors import DesignWarning, FormatError, OptionError
from lcstats.plan import Plan, Prices, Simulation, Target, plan_trials

LENGTHS = 1024 * 2 ** np.arange(8)
DEPTHS = np.arange(11) / 10
MEAN = lc.Criterion(0.85)
WORST = lc.Criterion(0.85, depth_treatment="worst")
FEW = Simulation(n_simulations=200, seed=1)


def test_the_single_needle_reaches_ninety_percent_where_the_method_says() -> None:
    plan = plan_trials("single-needle", LENGTHS, DEPTHS, MEAN, "hit=0.9", trials=20)
    assert (plan.recommended, plan.holds_from, plan.engine) == (77, 84, "exact")
    assert plan.true_lengths == {"32768": 1.0}
    assert plan.sentence() == (
        "20 trials per cell: 75% on the true length, 99.9% within one doubling; 90% on the true "
        "length first at 77, for good from 84 (looked at to 168)."
    )


def test_without_a_target_the_usual_numbers_are_looked_at() -> None:
    plan = plan_trials("single-needle", LENGTHS, DEPTHS, MEAN)
    assert [row.trials_per_cell for row in plan.rows] == [5, 20, 80]
    assert plan.recommended is None
    assert plan.cost is not None
    assert plan.cost.requests == 80 * 88


@pytest.mark.parametrize(
    ("threshold", "floor"), [(0.8, 14), (0.85, 19), (0.9, 29), (0.95, 59), (0.99, 299)]
)
def test_the_floor_of_a_cell_certifies(threshold: float, floor: int) -> None:
    criterion = lc.Criterion(threshold, depth_treatment="worst")
    plan = plan_trials("all-99", LENGTHS[:2], DEPTHS[:2], criterion, "certify")
    assert (plan.recommended, plan.floor) == (floor, floor)


def test_a_mean_certifies_with_its_depths_together() -> None:
    plan = plan_trials("all-99", LENGTHS, DEPTHS, MEAN, "certify")
    assert plan.recommended is not None
    assert plan.recommended * DEPTHS.size >= 19 > (plan.recommended - 1) * DEPTHS.size


@pytest.mark.parametrize(
    ("criterion", "accuracy", "half_width", "per_cell"),
    [(WORST, 0.5, 0.1, 93), (WORST, 0.9, 0.1, 37), (WORST, 0.5, 0.05, 381), (MEAN, 0.5, 0.05, 35)],
)
def test_half_widths_are_wilsons(
    criterion: lc.Criterion, accuracy: float, half_width: float, per_cell: int
) -> None:
    target = Target("half-width", half_width, accuracy=accuracy)
    plan = plan_trials("single-needle", LENGTHS, DEPTHS, criterion, target)
    assert plan.recommended == per_cell


def test_a_half_width_without_an_accuracy_is_that_of_the_hardest_part() -> None:
    table = [[0.9, 0.95], [0.7, 0.9]]
    cell = plan_trials(table, [4096, 8192], [0, 1], WORST, "half-width=0.1")
    mean = plan_trials(table, [4096, 8192], [0, 1], MEAN, "half-width=0.1")
    for plan, accuracy in ((cell, 0.7), (mean, 0.8)):
        named = Target("half-width", 0.1, accuracy=accuracy)
        again = plan_trials(table, [4096, 8192], [0, 1], plan.criterion, named)
        assert plan.recommended == again.recommended


@pytest.mark.parametrize(("correlation", "n_cases"), [(None, 906), (0.3, 640), (0.5, 460)])
def test_power_spreads_its_pairs_over_the_cells(correlation: float | None, n_cases: int) -> None:
    target = Target("power", 0.8, difference=0.05, correlation=correlation, accuracy=0.85)
    plan = plan_trials("single-needle", LENGTHS, DEPTHS, MEAN, target)
    assert plan.required is not None
    assert plan.required.n_cases == n_cases
    assert plan.recommended == -(-n_cases // 88)


def test_the_curve_needs_fewer_trials_and_says_what_it_assumes() -> None:
    with pytest.warns(DesignWarning, match="plan for the truths 'cliff'"):
        plan = plan_trials(
            "single-needle", LENGTHS, DEPTHS, MEAN, "hit=0.9", method="curve", simulation=FEW
        )
    assert plan.engine == "monte_carlo"
    assert plan.recommended is not None
    assert plan.recommended < 40
    assert all(row.monte_carlo_error > 0 and row.n_simulations == 200 for row in plan.rows)


def test_a_curve_never_hits_on_a_cliff() -> None:
    with pytest.warns(DesignWarning):
        plan = plan_trials(
            "cliff", LENGTHS, DEPTHS, MEAN, trials=20, method="curve", simulation=FEW
        )
    assert plan.rows[0].hit_probability < 0.02


@pytest.mark.filterwarnings("ignore:.*more often with")
def test_both_engines_agree_on_observed_lengths() -> None:
    exact = plan_trials("two-hop", LENGTHS, DEPTHS, MEAN, trials=[5, 20])
    many = Simulation(n_simulations=4000, seed=2)
    counted = plan_trials(
        "two-hop", LENGTHS, DEPTHS, MEAN, trials=[5, 20], engine="monte_carlo", simulation=many
    )
    for one, other in zip(exact.rows, counted.rows, strict=True):
        assert abs(one.hit_probability - other.hit_probability) < 4 * other.monte_carlo_error


def test_set_sizes_are_simulated_and_shrink() -> None:
    few = Simulation(n_simulations=50, seed=1, n_set_tables=20)
    plan = plan_trials(
        "single-needle", LENGTHS[3:], DEPTHS[::5], MEAN, "set-size=2.5", simulation=few
    )
    sizes = [row.mean_set_size for row in plan.rows]
    assert plan.recommended is not None
    assert sizes[0] is not None
    assert sizes[0] > 2.5
    row = plan.row(plan.recommended)
    assert row is not None
    assert row.reaches(Target("set-size", 2.5))


def test_more_trials_that_do_worse_are_named() -> None:
    with pytest.warns(DesignWarning, match="more often with 7 trials per cell than with 13"):
        plan_trials("single-needle", LENGTHS, DEPTHS, WORST, trials=13)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        plan_trials("single-needle", LENGTHS, DEPTHS, WORST, trials=7)


def test_a_target_out_of_reach_is_said() -> None:
    at_bar = np.full((3, 3), 0.85)
    with pytest.warns(UserWarning, match="no number of trials up to"):
        plan = plan_trials(at_bar, LENGTHS[:3], DEPTHS[:3], MEAN, "hit=0.9")
    assert plan.recommended is None
    assert plan.cost is None
    assert "is not reached with up to" in plan.sentence()


def test_a_pilot_is_averaged_over() -> None:
    trials = lc.simulate_trials("single-needle", LENGTHS[2:], DEPTHS[::5], n_trials=10, seed=1)
    surface = lc.fit_flexible(lc.count_cells(trials), seed=1)
    with pytest.warns(DesignWarning, match="left open"):
        plan = plan_trials(surface, LENGTHS[2:], DEPTHS[::5], MEAN, trials=[20, 200])
    assert sum(plan.true_lengths.values()) == pytest.approx(1.0)
    assert plan.rows[0].monte_carlo_error > 0
    assert plan.rows[0].hit_probability < plan.rows[1].hit_probability < 1


@pytest.mark.filterwarnings("ignore")
def test_plans_come_back_from_their_dictionaries() -> None:
    prices = Prices(input_usd=2.0, output_usd=8.0, output_tokens=20)
    for target in ("hit=0.6", "certify", "half-width=0.1", None):
        plan = plan_trials(
            "single-needle", LENGTHS[:4], DEPTHS, MEAN, target, trials=5, prices=prices
        )
        document = json.loads(json.dumps(plan.to_dict(), allow_nan=False))
        again = Plan.from_dict(document)
        assert again.to_dict() == plan.to_dict()
        assert again.sentence() == plan.sentence()
        assert len(again.to_frame()) == len(plan.rows)
    with pytest.raises(FormatError, match="make the Plan again"):
        Plan.from_dict({"schema_version": 1})


@pytest.mark.parametrize(
    ("options", "mend"),
    [
        ({"target": "hit"}, "write hit=0.9"),
        ({"target": "size=3"}, "pass target="),
        ({"trials": 0}, "pass trials=1"),
        ({"trials": []}, "pass trials=1"),
        ({"trials": 100_000}, "ask for fewer"),
        ({"trials": [5, -1]}, "pass trials=1"),
        ({"engine": "exact", "method": "curve"}, "use the engine 'monte_carlo'"),
        ({"engine": "exact", "target": "set-size=2"}, "use the engine 'monte_carlo'"),
        ({"truth": "shared-haystack", "engine": "exact"}, "use the Monte Carlo engine"),
        ({"method": "guess"}, "pass method="),
        ({"level": 1.0}, "write 0.95"),
        ({"criterion": lc.Criterion(1.0), "target": "certify"}, "threshold below 1"),
        (
            {"criterion": lc.Criterion(0.85, rule="relative"), "target": "certify"},
            "plan for an absolute threshold",
        ),
        (
            {"target": Target("power", 0.8, difference=0.9), "truth": "all-below"},
            "name a smaller difference",
        ),
    ],
)
def test_what_cannot_be_planned_is_refused(options: dict[str, object], mend: str) -> None:
    arguments = {"truth": "single-needle", "criterion": MEAN, "target": None, **options}
    with pytest.raises(OptionError, match=mend):
        plan_trials(lengths=LENGTHS, depths=DEPTHS, **arguments)  # type: ignore[arg-type]
