"""What to run next: within the budget, inside the set, with reasons; and when to stop."""

import tomllib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lcstats.cells import CaseIndex, Cells
from lcstats.errors import OptionError
from lcstats.lengths import Criterion
from lcstats.plan import Budget, NextPlan, Prices, Pursuit, cost_of, plan_next
from lcstats.plan.adaptive.batch import Purse, affordable_part
from lcstats.plan.adaptive.next import NextCell
from lcstats.plan.adaptive.sequential import Bid

LENGTHS = [4096, 8192, 16384, 32768]
DEPTHS = [0.0, 0.5, 1.0]
BAR = Criterion(0.85)


def cells(rates=(1.0, 0.95, 0.85, 0.5), n=20, **names):
    right = np.round(np.array(rates)[:, None] * np.full((4, 3), n))
    return Cells.from_counts(LENGTHS, DEPTHS, n_cases=n, successes=right, **names)


def trials_of(plan):
    frame = plan.to_frame()
    return frame.groupby("length")["trials"].sum()


@pytest.mark.parametrize("treatment", ["mean", "worst", "quantile:0.5", "window:2"])
@pytest.mark.parametrize("batch", [0.25, 1.0])
def test_a_batch_is_paid_by_its_share_and_lies_inside_the_set(treatment, batch):
    budget = Budget(6_000_000)
    plan = plan_next(cells(), Criterion(0.85, depth_treatment=treatment), budget, batch=batch)
    assert not plan.stop
    assert plan.stop_reason is None
    assert 0 < plan.total_tokens <= batch * budget.amount
    spent = trials_of(plan)
    assert plan.total_tokens == sum(length * n for length, n in spent.items())
    (interval,) = plan.sets.values()
    inside = interval.lengths[interval.lower : interval.upper]
    assert set(spent.index) <= set(inside.tolist())


def test_money_is_spent_as_money():
    prices = Prices(input_usd=2.0, output_usd=8.0, output_tokens=500)
    plan = plan_next(cells(), BAR, Budget(3.0, "usd", prices), batch=0.5)
    assert 0 < plan.cost_usd <= 1.5
    rows = trials_of(plan)
    expected = cost_of(rows.to_numpy()[:, None], rows.index.to_numpy(), prices)
    assert plan.cost == expected


def test_reasons_are_given_in_words_for_every_length():
    plan = plan_next(cells(), BAR, Budget(6_000_000))
    for (_, length), why in plan.reasons().items():
        assert why.startswith(f"{length}: 0.")
        assert "against 0.85: to show that it" in why
        assert "chance" in why


def test_a_set_of_one_outcome_is_the_end():
    plan = plan_next(cells((1.0, 1.0, 0.4, 0.2), n=40), BAR, Budget(1e9))
    assert plan.stop
    assert plan.cells == ()
    assert plan.cost is None
    assert plan.stop_reason == "default: the 95% anytime set is 8192"
    assert plan.sentence().startswith("Stop: default")


def test_a_set_that_is_narrow_enough_is_the_end():
    wide = plan_next(cells(), BAR, Budget(6_000_000))
    (interval,) = wide.sets.values()
    stopped = plan_next(cells(), BAR, Budget(6_000_000), pursuit=Pursuit(set_size=interval.size))
    assert not wide.stop
    assert stopped.stop


def test_a_budget_that_moves_nothing_is_the_end():
    plan = plan_next(cells(), BAR, Budget(5000))
    assert plan.stop
    assert plan.stop_reason == "5,000 tokens cannot be expected to narrow a set"


def test_a_length_at_the_bar_is_not_pursued_for_ever():
    """Ten thousand trials at the bar leave no rate that a million tokens could tell from it."""
    exact = cells((1.0, 1.0, 0.85, 0.2), n=10_000)
    assert plan_next(exact, BAR, Budget(1_000_000)).stop


def test_a_level_that_is_higher_takes_more():
    sure = plan_next(cells((1.0, 1.0, 0.4, 0.2), n=12), BAR, Budget(1e7))
    surer = plan_next(
        cells((1.0, 1.0, 0.4, 0.2), n=12), BAR, Budget(1e7), pursuit=Pursuit(level=0.99999)
    )
    assert sure.stop
    assert not surer.stop


def test_a_batch_too_small_for_a_round_buys_one_if_all_that_is_left_pays_it():
    bid = Bid(0, True, np.array([9, 9, 0]), 0.5)
    purse = Purse.of(Budget(30.0), 0.01)
    assert affordable_part(bid, 10.0, purse, at_least_one=True).trials.tolist() == [1, 1, 0]
    assert affordable_part(bid, 10.0, purse, at_least_one=False).trials.sum() == 0
    assert affordable_part(bid, 20.0, purse, at_least_one=True).trials.sum() == 0


def test_tasks_share_a_budget_and_the_decided_one_gets_nothing():
    open_one, done = cells(task="open"), cells((1.0, 1.0, 0.3, 0.2), n=60, task="done")
    both = Cells(grids=(done.grid, open_one.grid))
    plan = plan_next(both, BAR, Budget(6_000_000))
    assert set(plan.to_frame()["task"]) == {"open"}
    assert set(plan.sets) == {"open", "done"}


def test_a_task_without_depths_has_none_in_its_plan():
    flat = Cells.from_counts(LENGTHS, [np.nan], n_cases=40, successes=[[40], [37], [33], [20]])
    plan = plan_next(flat, BAR, Budget(6_000_000))
    assert {cell.depth for cell in plan.cells} == {None}
    assert "depth" not in tomllib.loads(plan.to_toml())["cells"][0]


@pytest.mark.parametrize(
    ("change", "mend"),
    [
        (lambda: (cells(), Criterion(0.9, rule="relative")), "use an absolute threshold"),
        (lambda: (clustered(), BAR), "one case per cluster"),
        (
            lambda: (Cells(grids=(cells(model="a").grid, cells(model="b").grid)), BAR),
            r"take one with cells.select\(model='a'\)",
        ),
    ],
)
def test_what_has_no_anytime_evidence_is_refused(change, mend):
    with pytest.raises(OptionError, match=mend):
        plan_next(*change(), Budget(1e6))


def clustered():
    plain = cells().grid
    index = np.repeat(np.arange(plain.n_cases.size), 20)
    worth = np.tile([1] * 15 + [0] * 5, plain.n_cases.size)
    shared = CaseIndex(index, worth, np.tile(np.arange(20), plain.n_cases.size))
    fields = {name: getattr(plain, name) for name in plain.__dataclass_fields__}
    return Cells(grids=(type(plain)(**{**fields, "cases": shared}),))


@pytest.mark.parametrize(
    ("make", "mend"),
    [
        (lambda: Purse.of(Budget(1e6), 0), "pass batch=0.25"),
        (lambda: Purse.of(Budget(1e6), 1.5), "write 85 percent as 0.85"),
        (lambda: Pursuit.parse("size=2"), "write set-size=1 for one outcome"),
        (lambda: Pursuit(set_size=0), "set_size=1"),
    ],
)
def test_options_out_of_range_are_refused(make, mend):
    with pytest.raises(OptionError, match=mend):
        make()


def test_a_plan_comes_back_from_its_record():
    plan = plan_next(cells(), BAR, Budget(6_000_000))
    again = NextPlan.from_dict(plan.to_dict())
    assert again.to_dict() == plan.to_dict()
    assert again.cells == plan.cells


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=30))
def test_toml_holds_any_name(name):
    cell = NextCell(name, 4096, 0.1, 7, f"why {name}")
    plan = NextPlan(name, BAR, {}, (cell,), None, stop=False, stop_reason=None)
    read = tomllib.loads(plan.to_toml())
    assert read["model"] == name
    assert read["cells"] == [
        {"task": name, "length": 4096, "depth": 0.1, "trials": 7, "why": f"why {name}"}
    ]


def test_toml_is_written_for_the_runner(tmp_path):
    plan = plan_next(cells(), BAR, Budget(6_000_000))
    read = tomllib.loads(plan.write_toml(tmp_path / "next.toml").read_text())
    assert [cell["trials"] for cell in read["cells"]] == [cell.trials for cell in plan.cells]
    assert read["stop"] is False
