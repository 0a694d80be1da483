"""The threshold rule on drawn counts against exact fractions, ties and all."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lcstats import Criterion
from lcstats.cells import Cells
from lcstats.lengths.observed import observe
from lcstats.lengths.resampling import outcomes_of_draws, treat_draws
from lcstats.plan.simulation.passing import SumTest, row_tests

DEPTHS = np.linspace(0, 1, 5)
TREATMENTS = ("mean", "worst", "quantile:0.4", "pooled", "window:2", "window:5")


def passes_by_tests(n_cases, tables, criterion):
    """Tell which lengths of which tables pass, (n_tables, n_lengths)."""
    passes = np.ones((len(tables), n_cases.shape[0]), dtype=bool)
    tests = row_tests(n_cases, criterion.fixed_bar, criterion.treatment)
    for i, test in enumerate(tests):
        row = np.ascontiguousarray(passes[:, i])
        test.drop(np.ascontiguousarray(tables[:, i].T.astype(np.int16)), row)
        passes[:, i] = row
    return passes


def passes_by_fractions(n_cases, table, criterion):
    lengths = 1024 * 2 ** np.arange(n_cases.shape[0])
    cells = Cells.from_counts(lengths, DEPTHS, n_cases=n_cases, successes=table)
    return observe(cells.grid, criterion).passes


@given(data=st.data())
@settings(max_examples=150, deadline=None)
def test_tests_are_the_rule(data):
    """Counts are taken near the bar, where ties are common."""
    treatment = data.draw(st.sampled_from(TREATMENTS))
    tau = data.draw(st.sampled_from(["0.5", "0.8", "0.85", "1/3", "1"]))
    criterion = Criterion(Fraction(tau), depth_treatment=treatment)
    sizes = st.lists(st.sampled_from([2, 3, 5, 8, 20]), min_size=5, max_size=5)
    equal = st.sampled_from([3, 5, 20]).map(lambda n: [n] * 5)
    n_cases = np.array(data.draw(st.lists(equal | sizes, min_size=1, max_size=3)))
    if not criterion.treatment.is_window:
        n_cases[:, data.draw(st.integers(0, 4))] = 0
    near = np.rint(float(criterion.exact_threshold) * n_cases).astype(int)
    off = np.array(data.draw(st.lists(st.integers(-1, 1), min_size=near.size, max_size=near.size)))
    table = np.clip(near + off.reshape(near.shape), 0, n_cases)
    expected = passes_by_fractions(n_cases, table, criterion)
    assert tuple(passes_by_tests(n_cases, table[None], criterion)[0]) == expected


@pytest.mark.parametrize("treatment", TREATMENTS)
@pytest.mark.parametrize("n", [3, 20, 80, 5000])
def test_the_rule_of_draws_is_that_of_fractions_on_planned_grids(treatment, n):
    """Relative bars are judged by it: its tolerance is finer than any step of these designs."""
    criterion = Criterion(0.85, depth_treatment=treatment)
    n_cases = np.full((4, 5), n)
    rng = np.random.default_rng(1)
    near = np.rint(0.85 * n) + rng.integers(-1, 2, size=(400, 4, 5))
    tables = np.clip(near, 0, n).astype(np.int64)
    every = np.broadcast_to(n_cases, tables.shape)
    treated = treat_draws(tables.astype(float), every, criterion.treatment)
    outcomes = outcomes_of_draws(treated, 1024 * 2 ** np.arange(4), criterion)
    leading = np.cumprod(passes_by_tests(n_cases, tables, criterion), axis=1).sum(axis=1)
    np.testing.assert_array_equal(outcomes, leading)
    assert 0 < np.mean(leading > 0) < 1


@pytest.mark.parametrize("base_lengths", [(), (1024, 2048)])
def test_relative_bars_on_drawn_counts_are_those_of_fractions(base_lengths):
    criterion = Criterion(0.9, rule="relative", base_lengths=base_lengths)
    lengths = 1024 * 2 ** np.arange(4)
    n_cases = np.full((4, 5), 20)
    tables = np.random.default_rng(1).integers(16, 21, size=(200, 4, 5))
    treated = treat_draws(
        tables.astype(float), np.broadcast_to(n_cases, tables.shape), criterion.treatment
    )
    outcomes = outcomes_of_draws(treated, lengths, criterion)
    for table, outcome in zip(tables, outcomes, strict=True):
        cells = Cells.from_counts(lengths, DEPTHS, n_cases=n_cases, successes=table)
        assert observe(cells.grid, criterion).outcome == outcome


def test_a_lattice_too_fine_for_doubles_is_judged_up_to_rounding():
    n_cases = np.array([[997, 991, 983, 977, 971, 967, 953, 947, 941, 937, 929]])
    criterion = Criterion(0.85)
    (test,) = row_tests(n_cases, criterion.fixed_bar, criterion.treatment)
    assert isinstance(test, SumTest)
    assert test.least[0] < 1
    tables = np.random.default_rng(1).binomial(n_cases, 0.85, size=(300, 1, 11))
    exact = [
        sum(Fraction(int(k), 11 * int(n)) for k, n in zip(t[0], n_cases[0], strict=True))
        >= Fraction(17, 20)
        for t in tables
    ]
    assert passes_by_tests(n_cases, tables, criterion)[:, 0].tolist() == exact
    assert 0 < np.mean(exact) < 1
