"""E-values are e-values: means of at most 1 under what they speak against, however one looks."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.stats import beta, binom

from lcstats.cells import Cells
from lcstats.lengths import Criterion, effective_length
from lcstats.lengths.anytime import (
    PRIOR_CASES,
    Evidence,
    anytime_bounds,
    anytime_evidence,
    log_evidence_above,
    log_evidence_below,
    scanned_stretches,
    weigh_counts,
)
from lcstats.lengths.criterion import parse_treatment

ONE_TASK = np.zeros(3, dtype=np.int64)
THREE = (0.0, 0.5, 1.0)


@pytest.mark.parametrize(("right", "n"), [(17, 20), (20, 20), (0, 5), (160.5, 180)])
def test_evidence_is_the_average_likelihood_ratio(right, n):
    bar = 0.85
    weight = beta(PRIOR_CASES * bar, PRIOR_CASES * (1 - bar))

    def ratio(q):
        return (q / bar) ** right * ((1 - q) / (1 - bar)) ** (n - right) * weight.pdf(q)

    above = quad(ratio, bar, 1, limit=200)[0] / weight.sf(bar)
    below = quad(ratio, 0, bar, limit=200)[0] / weight.cdf(bar)
    assert np.exp(log_evidence_above(right, n, bar)) == pytest.approx(above, rel=1e-6)
    assert np.exp(log_evidence_below(right, n, bar)) == pytest.approx(below, rel=1e-6)


@settings(deadline=None)
@given(
    st.floats(0.05, 0.99),
    st.integers(1, 60),
    st.floats(0.01, 1),
    st.sampled_from(["above", "below"]),
)
def test_the_mean_is_at_most_1_where_the_hypothesis_holds(bar, n, share, side):
    rate = bar * share if side == "above" else bar + (1 - bar) * share
    weigh = log_evidence_above if side == "above" else log_evidence_below
    counts = np.arange(n + 1)
    mean = np.exp(weigh(counts, n, bar)) @ binom.pmf(counts, n, rate)
    assert mean <= 1 + 1e-9
    at_the_bar = np.exp(weigh(counts, n, bar)) @ binom.pmf(counts, n, bar)
    assert at_the_bar == pytest.approx(1, rel=1e-6)


def test_the_mean_is_above_1_where_the_hypothesis_fails():
    counts = np.arange(41)
    assert np.exp(log_evidence_above(counts, 40, 0.85)) @ binom.pmf(counts, 40, 0.9) > 1


@settings(deadline=None)
@given(st.lists(st.floats(0, 1), min_size=3, max_size=3), st.sampled_from([0.5, 0.85]))
def test_rounds_of_unequal_cells_keep_the_mean_at_most_1(rates, bar):
    """The concavity argument, by enumeration of a round."""
    mean_accuracy = np.mean(rates)
    weigh = log_evidence_above if mean_accuracy <= bar else log_evidence_below
    total = sum(
        np.prod([r if x else 1 - r for r, x in zip(rates, outcome, strict=True)])
        * np.exp(weigh(sum(outcome), 3, bar))
        for outcome in product((0, 1), repeat=3)
    )
    assert total <= 1 + 1e-9


@settings(max_examples=60, deadline=None)
@given(st.lists(st.lists(st.integers(0, 1), min_size=1, max_size=8), min_size=3, max_size=3))
def test_what_counts_bound_is_never_more_than_what_the_order_shows(cells):
    """Whatever came first, the evidence was as strong after some round, other trials included."""
    n = np.array([len(cell) for cell in cells])
    right = np.array([float(sum(cell)) for cell in cells])
    found = weigh_counts(right[None], n[None], ONE_TASK, 0.85, parse_treatment("mean"))
    rounds = range(n.max() + 1)
    for fill, side, weigh in (
        (0, found.passing, log_evidence_above),
        (1, found.failing, log_evidence_below),
    ):
        whole = np.array([cell + [fill] * (n.max() - len(cell)) for cell in cells])
        best = max(weigh(whole[:, :r].sum(), 3 * r, 0.85) for r in rounds)
        assert side[0] <= best + 1e-9


def test_complete_rounds_are_weighed_as_they_are():
    right, n = np.array([[40.0, 39.0, 38.0]]), np.full((1, 3), 40)
    found = weigh_counts(right, n, ONE_TASK, 0.85, parse_treatment("mean"))
    assert found.passing[0] == pytest.approx(log_evidence_above(117, 120, 0.85))


def test_a_depth_never_run_stops_a_length_from_passing():
    right, n = np.array([[50.0, 50.0, 0.0]]), np.array([[50, 50, 0]])
    found = weigh_counts(right, n, ONE_TASK, 0.85, parse_treatment("mean"))
    assert found.passing[0] == 0


@pytest.mark.parametrize("treatment", ["worst", "quantile:0.5"])
@given(st.lists(st.floats(0.01, 1), min_size=3, max_size=3))
@settings(max_examples=25, deadline=None)
def test_evidence_against_a_length_has_mean_at_most_1_where_it_passes(treatment, shares):
    """All cells reach the bar for worst depth; for the median one of three may be anywhere."""
    bar, n = 0.85, 2
    rates = [bar + (1 - bar) * share for share in shares]
    if treatment != "worst":
        rates[0] = shares[0]
    total = 0.0
    for counts in product(range(n + 1), repeat=3):
        right = np.array([counts], dtype=float)
        found = weigh_counts(right, np.full((1, 3), n), ONE_TASK, bar, parse_treatment(treatment))
        chance = np.prod([binom.pmf(k, n, rate) for k, rate in zip(counts, rates, strict=True)])
        total += chance * np.exp(found.failing[0])
    assert total <= 1 + 1e-9


def test_worst_depth_passes_with_its_weakest_cell():
    right, n = np.array([[40.0, 60.0, 90.0]]), np.array([[40, 60, 100]])
    found = weigh_counts(right, n, ONE_TASK, 0.85, parse_treatment("worst"))
    assert found.passing[0] == log_evidence_above(right[0], n[0], 0.85).min()


def test_a_quantile_divides_by_its_rank():
    right, n = np.array([[40.0, 60.0, 10.0]]), np.array([[40, 60, 100]])
    found = weigh_counts(right, n, ONE_TASK, 0.85, parse_treatment("quantile:0.5"))
    second = np.sort(log_evidence_above(right[0], n[0], 0.85))[1]
    assert found.passing[0] == pytest.approx(second - np.log(2))


@pytest.mark.parametrize("n_depths", [1, 2, 11])
def test_scan_weights_add_up_to_1_over_all_stretches(n_depths):
    first, end, weights = scanned_stretches(n_depths)
    every = {(i, j) for i in range(n_depths) for j in range(i + 1, n_depths + 1)}
    assert set(zip(first.tolist(), end.tolist(), strict=True)) == every
    assert weights.sum() == pytest.approx(1)


def test_a_bar_of_1_is_never_passed_and_failed_by_one_failure():
    assert log_evidence_above(50, 50, 1.0) == 0
    assert log_evidence_below([50, 49], 50, 1.0).tolist() == [0, np.inf]


def test_only_the_upper_end_pays_for_the_number_of_lengths():
    strong = -np.log(0.025)
    shown = Evidence(np.full(8, strong), np.zeros(8))
    assert shown.ends(0.95) == (8, 8)
    failing = np.zeros(8)
    failing[-1] = strong - np.log(0.8)
    assert Evidence(np.zeros(8), failing).ends(0.95) == (0, 7)
    failing[-1] = strong
    assert Evidence(np.zeros(8), failing).ends(0.95) == (0, 8)


GRID = Cells.from_counts(
    [4096, 8192, 16384], THREE, n_cases=60, successes=[[60, 60, 60], [53, 51, 52], [30, 30, 30]]
)


@pytest.mark.filterwarnings("ignore::lcstats.errors.LcstatsWarning")
@pytest.mark.parametrize("treatment", ["mean", "worst", "quantile:0.4", "window:2"])
def test_the_set_is_one_of_effective_length(treatment):
    criterion = Criterion(0.85, depth_treatment=treatment)
    answer = effective_length(GRID, criterion, sets=("certified", "anytime"))
    (found,) = (s for s in answer.observed.sets if s.kind == "anytime")
    evidence = anytime_evidence(GRID.grid, Fraction(17, 20), criterion.treatment)
    assert (found.lower, found.upper) == evidence.ends(0.95) == (1, 2)
    assert not found.is_default


@pytest.mark.parametrize(
    ("criterion", "why"),
    [
        (Criterion(0.9, rule="relative"), "base of a relative threshold"),
        (Criterion(0.85, depth_treatment="pooled"), "pooled cases"),
    ],
)
def test_where_none_is_valid_every_outcome_is_in_it_and_it_says_why(criterion, why):
    uneven = Cells.from_counts([4096], (0.0, 1.0), n_cases=[[9, 3]], successes=[[9, 3]]).grid
    found = anytime_bounds(uneven, Fraction(17, 20), criterion, level=0.95)
    assert (found.lower, found.upper) == (0, 1)
    assert why in found.diagnostics["construction"]
