"""Gates: what stops a change under either kind, and how many more pairs would decide."""

import numpy as np
import pytest

from lcstats.comparison import compare
from lcstats.comparison.gate import Gate, GateTest, further_pairs
from lcstats.comparison.tango import score_statistic
from lcstats.errors import OptionError


def gate_of(sides, kind, margin=0.02):
    return compare(*sides, gate=kind, margin=margin).gate


@pytest.mark.parametrize(
    ("counts", "outcome", "stops"),
    [
        ((60, 30, 2, 8), "failed", (True, True)),
        ((300, 3, 5, 92), "passed", (False, False)),
        ((60, 9, 6, 25), "undecided", (False, True)),
    ],
)
def test_the_kinds_differ_where_nothing_is_decided(two_sides, counts, outcome, stops):
    gates = [gate_of(two_sides(*counts), kind) for kind in ("regression", "noninferiority")]
    assert [gate.outcome for gate in gates] == [outcome] * 2
    assert tuple(gate.stops for gate in gates) == stops


def test_an_undecided_gate_says_how_large_the_loss_could_be_and_what_would_decide(two_sides):
    gate = gate_of(two_sides(60, 9, 6, 25), "noninferiority")
    (test,) = gate.tests
    assert test.method == "exact unconditional test"
    assert test.largest_loss > 0.02
    assert f"could be as large as {test.largest_loss:.3g}" in gate.sentence()
    assert f"about {gate.pairs_to_decide} more pairs" in gate.sentence()
    assert "one-sided level 95%" in gate.sentence()


def test_a_decided_gate_needs_no_more_pairs(two_sides):
    assert gate_of(two_sides(60, 30, 2, 8), "regression").pairs_to_decide is None


def test_bounds_agree_with_outcomes(two_sides):
    for old_only in range(0, 40, 4):
        (test,) = gate_of(two_sides(60, old_only, 6, 20), "regression", margin=0.05).tests
        assert (test.outcome == "failed") == (test.upper <= -0.05)
        assert (test.outcome == "passed") == (test.lower >= -0.05)


def test_the_further_pairs_decide_four_times_in_five():
    n_now, difference, discordance, margin = 200, 0.03, 0.13, 0.02
    spread = np.sqrt(discordance - difference**2)
    statistic = (difference + margin) / spread * np.sqrt(n_now)
    further = further_pairs(statistic, n_now, 0.95)
    rng = np.random.default_rng(1)
    shares = [(discordance - difference) / 2, (discordance + difference) / 2, 1 - discordance]
    counts = rng.multinomial(n_now + further, shares, 4000)
    excess = (counts[:, 1] - counts[:, 0]) / (n_now + further) + margin
    decided = (excess / spread * np.sqrt(n_now + further) > 1.6449).mean()
    assert decided == pytest.approx(0.8, abs=0.03)


def test_on_the_margin_no_number_decides():
    assert further_pairs(0.0, 100, 0.95) is None


def gate_test(outcome):
    return GateTest("t", outcome, 0.5, 0.5, -0.1, 0.1, "exact", True, 10)


@pytest.mark.parametrize(
    ("outcomes", "together"),
    [
        (("passed", "passed"), "passed"),
        (("passed", "undecided"), "undecided"),
        (("undecided", "failed", "passed"), "failed"),
    ],
)
def test_the_worst_task_decides(outcomes, together):
    gate = Gate("regression", 0.02, 0.95, tuple(map(gate_test, outcomes)))
    assert gate.outcome == together


def test_a_loss_on_one_of_many_tasks_is_corrected_for_their_number(trials_of):
    n_tasks = 8
    tasks = [f"task{i}" for i in range(n_tasks) for _ in range(100)]
    case = [f"c{i}" for i in range(100 * n_tasks)]
    old = np.tile(np.r_[[1] * 70, [0] * 30], n_tasks)
    new = old.copy()
    new[:8] = 0
    sides = [
        trials_of(side.tolist(), model=m, task=tasks, case=case)
        for m, side in (("a", old), ("b", new))
    ]
    alone = compare(*(side.select(task="task0") for side in sides), gate="regression")
    together = compare(*sides, gate="regression")
    assert alone.gate.outcome == "failed"
    assert together.gate.tests[0].outcome == "undecided"
    assert together.gate.tests[0].loss_p == pytest.approx(n_tasks * alone.gate.tests[0].loss_p)


def test_pairs_to_decide_a_loss_grow_with_the_tasks_it_is_corrected_for(trials_of):
    old = [1] * 70 + [0] * 30
    new = [0] * 8 + [1] * 64 + [0] * 28
    columns = {"case": [f"c{i}" for i in range(200)], "task": ["s"] * 100 + ["t"] * 100}
    sides = [trials_of(side * 2, model=m, **columns) for m, side in (("a", old), ("b", new))]
    alone = compare(*(side.select(task="s") for side in sides), gate="regression").gate
    together = compare(*sides, gate="regression").gate
    statistic = score_statistic(8, 2, 100, -0.02).item()
    assert alone.outcome == together.outcome == "undecided"
    assert alone.pairs_to_decide == further_pairs(statistic, 100, 0.95)
    assert together.pairs_to_decide == further_pairs(statistic, 100, 0.975) > alone.pairs_to_decide


@pytest.mark.parametrize("level", [0.3, 0.49])
def test_a_level_at_which_both_could_be_shown_is_refused(two_sides, level):
    with pytest.raises(OptionError, match=r"expected at least 0\.5.*write 0\.95"):
        compare(*two_sides(60, 10, 2, 28), gate="regression", level=level)
    assert compare(*two_sides(60, 10, 2, 28), level=level).gate is None


def test_above_the_exact_range_the_score_test_is_named(two_sides):
    gate = gate_of(two_sides(5000, 60, 50, 400), "regression")
    assert gate.tests[0].method == "Tango's score test"


@pytest.mark.parametrize("margin", [-0.1, 1.0, "wide", float("nan")])
def test_a_margin_out_of_range_is_refused(two_sides, margin):
    with pytest.raises(OptionError, match=r"write 2 percentage points as 0\.02"):
        compare(*two_sides(5, 1, 1, 3), margin=margin)
