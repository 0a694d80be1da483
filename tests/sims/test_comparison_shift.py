"""Shifts and tests of curves: a small part again, against the committed rows, and the page."""

from pathlib import Path

import numpy as np
import pytest

from sims import comparison_shift
from sims.comparison_shift_page import make_page
from sims.csv_rows import read_csv

EVIDENCE = Path(__file__).parents[2] / comparison_shift.OUT
SIMULATIONS = 12
DESIGN = ("shift", "plateau", 5, 0.5)


@pytest.fixture(scope="module")
def committed():
    return read_csv(comparison_shift.Row, EVIDENCE)


@pytest.fixture(scope="module")
def again():
    return list(comparison_shift.simulate_design(DESIGN, 7, SIMULATIONS))


def test_a_small_part_agrees_with_the_committed_rows(again, committed):
    known = {(r.depth, r.subject, r.quantity): r for r in committed if r.design == DESIGN}
    assert len(again) > 10
    for row in again:
        other = known[row.depth, row.subject, row.quantity]
        error = max(row.error, other.error, 0.05)
        assert abs(row.value - other.value) < 5 * error, (row, other)


def test_equal_seeds_give_equal_rows():
    design = ("test", "shifted", 5, 0.0)
    first, second = (list(comparison_shift.simulate_design(design, 3, 3)) for _ in range(2))
    assert first == second


def test_every_design_has_a_number_of_its_own():
    designs = [
        (part, truth, cases, correlation)
        for part, truths in comparison_shift.PARTS.items()
        for truth in truths
        for cases in comparison_shift.CASES
        for correlation in comparison_shift.CORRELATIONS
    ]
    assert len({comparison_shift.number_of(design) for design in designs}) == len(designs)


def test_pairs_have_the_accuracies_and_the_correlation_asked_for():
    rng = np.random.default_rng(1)
    pairs = comparison_shift.simulate_pairs("plateau", 4000, 0.5, rng)
    last = pairs.length == comparison_shift.LENGTHS[-1]  # .5 and .5, where .5 is possible
    assert pairs.old[last].mean() == pytest.approx(0.5, abs=0.02)
    assert pairs.new[~last].mean() == pytest.approx(0.86, abs=0.01)
    assert np.corrcoef(pairs.old[last], pairs.new[last])[0, 1] == pytest.approx(0.5, abs=0.02)


def test_the_committed_page_is_that_of_the_committed_rows(committed):
    page = EVIDENCE.with_suffix(".md").read_text(encoding="utf-8")
    assert page == make_page(committed, EVIDENCE.name)


def test_intervals_to_quote_hold_their_level_and_tests_their_size(committed):
    for row in committed:
        if row.quantity == "coverage" and row.subject.endswith("both_sets"):
            assert row.value >= comparison_shift.LEVEL - 3 * row.error, row
        if (row.part, row.truth, row.subject) == ("test", "equal", "swapping"):
            assert row.value <= 1 - comparison_shift.LEVEL + 3 * row.error, row
