"""The allocation study on a small scale: what it compares, and that its page says so."""

import csv
from math import isnan

import pytest

from sims import allocation
from sims.allocation_page import make_page

MEAN = allocation.Question("cliff", "mean", 5)
WORST = allocation.Question("single-needle", "worst", 5)


@pytest.fixture(scope="module")
def lines():
    patch = pytest.MonkeyPatch()
    patch.setattr(allocation, "N_SIMULATIONS", 400)
    patch.setattr(allocation, "N_GOODNESS_TABLES", 4)
    with patch.context():
        found = allocation.run_study((MEAN, WORST), seed=1)
    patch.undo()
    return found


def test_every_plan_is_tried_where_it_exists(lines):
    plans = {(line.truth, line.method, line.plan) for line in lines}
    assert ("cliff", "observed", "two stages") in plans
    assert ("cliff", "observed", "allocated for single-needle") in plans
    assert ("single-needle", "observed", "two stages") not in plans
    assert len(plans) == len(lines) == 7 + 5


def test_what_a_plan_says_of_itself_is_confirmed(lines):
    told = [line for line in lines if not isnan(line.planned_hit) and line.method == "observed"]
    assert len(told) == 5
    for line in told:
        assert line.hit == pytest.approx(line.planned_hit, abs=4 * line.error)


def test_misfit_is_asked_for_the_curves_designs_of_the_mean(lines):
    asked = [line for line in lines if not isnan(line.misfit_seen)]
    assert {(line.truth, line.method) for line in asked} == {("cliff", "curve")}
    assert len(asked) == 3


def test_all_plans_cost_at_most_the_same():
    for design in allocation.designs(MEAN):
        spent = int(design.trials.sum(axis=1) @ allocation.LENGTHS)
        assert spent <= MEAN.budget.amount


def test_lines_are_written_whole_and_the_page_holds_them(lines, tmp_path):
    path = tmp_path / "allocation.csv"
    allocation.write_lines(lines, path)
    with path.open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == len(lines)
    page = make_page(lines, path.name)
    best = next(line for line in lines if line.plan == "allocated")
    assert f"{best.hit:.3f} ({best.error:.3f})" in page
    assert "## Worst over depths, the price of 5 in every cell" in page
