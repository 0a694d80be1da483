"""Whole adaptive runs: a small part again, against the committed rows."""

from pathlib import Path

import numpy as np
import pytest

from sims import planner

EVIDENCE = Path(__file__).parents[2] / planner.OUT
RUNS = 20


@pytest.fixture(scope="module")
def committed():
    return {(row.truth, row.treatment): row for row in planner.read_rows(EVIDENCE)}


@pytest.fixture(scope="module")
def cliff():
    return planner.simulate_row("cliff", "mean", seed=7, runs=RUNS)


def test_a_small_part_agrees_with_the_committed_row(cliff, committed):
    row = committed["cliff", "mean"]
    ratio = np.sqrt(row.runs / RUNS)
    assert abs(cliff.mean_tokens - row.mean_tokens) < 5 * row.tokens_error * ratio
    assert abs(cliff.mean_size - row.mean_size) < 5 * max(row.size_error, 0.01) * ratio
    assert cliff.coverage >= 1 - 3 / RUNS


def test_equal_seeds_give_equal_rows(cliff):
    assert planner.simulate_row("cliff", "mean", seed=7, runs=RUNS) == cliff


def test_no_run_spends_more_than_the_budget(cliff):
    assert 0 < cliff.mean_tokens < planner.BUDGET
    assert cliff.uniform_tokens == planner.BUDGET


def test_committed_sets_hold_their_level(committed):
    for row in committed.values():
        error = planner.monte_carlo_error(planner.LEVEL, row.runs)
        assert row.coverage_at_all_looks >= planner.LEVEL - 3 * error
        assert row.coverage >= row.coverage_at_all_looks


def test_rows_are_read_as_they_were_written(committed, tmp_path):
    path = tmp_path / "rows.csv"
    planner.write_rows(committed.values(), path)
    assert planner.read_rows(path) == list(committed.values())


def test_the_committed_page_reads_the_committed_rows(committed):
    page = EVIDENCE.with_suffix(".md").read_text(encoding="utf-8")
    assert page == planner.page(list(committed.values()))


def test_another_seed_is_refused(tmp_path, committed):
    path = tmp_path / "rows.csv"
    planner.write_rows(committed.values(), path)
    with pytest.raises(ValueError, match="remove the file or pass another --out"):
        planner.run_study(99, 3, [("cliff", "mean")], path)
