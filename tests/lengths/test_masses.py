"""Exact masses: METHOD's printed probabilities, enumeration, and plain resampling."""

import warnings
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lcstats import truths
from lcstats.cells import Cells, count_cells
from lcstats.errors import LcstatsWarning, TableError
from lcstats.lengths import Criterion, effective_length, outcome_probabilities
from lcstats.lengths.masses import bootstrap_masses, bootstrap_rates
from lcstats.lengths.observed import observe
from lcstats.lengths.resampling import resampled_masses
from lcstats.trials import Trials
from tests.lengths.enumeration import every_table

LENGTHS = 1024 * 2 ** np.arange(8)
DEPTHS = np.linspace(0, 1, 11)

pytestmark = pytest.mark.filterwarnings("ignore::lcstats.errors.LcstatsWarning")

METHOD_HITS = {
    "single-needle": (6, (0.5227, 0.7531, 0.9084)),
    "distractors": (3, (0.5452, 0.7524, 0.9424)),
    "four-values": (2, (0.5287, 0.7831, 0.9746)),
    "aggregate-ten": (1, (0.5714, 0.8139, 0.9698)),
    "two-hop": (1, (0.5409, 0.7571, 0.9490)),
}


@pytest.mark.parametrize("task", METHOD_HITS)
def test_hit_probabilities_of_the_five_tasks(task):
    accuracy = truths.get_truth(task).accuracy(LENGTHS, DEPTHS)
    outcome, hits = METHOD_HITS[task]
    for n, hit in zip((5, 20, 80), hits, strict=True):
        masses = outcome_probabilities(accuracy, n, Criterion(0.85))
        assert masses[outcome] == pytest.approx(hit, abs=5e-5)
        assert masses.sum() == pytest.approx(1)


def test_worst_depth_hits_are_not_monotone_in_the_number_of_trials():
    accuracy = truths.get_truth("single-needle").accuracy(LENGTHS, DEPTHS)
    criterion = Criterion(0.85, depth_treatment="worst")
    hits = [outcome_probabilities(accuracy, n, criterion)[5] for n in (5, 7, 13, 20, 80)]
    np.testing.assert_allclose(hits, [0.000, 0.070, 0.0003, 0.156, 0.402], atol=5e-4)


CRITERIA = [
    Criterion(0.6),
    Criterion(0.6, depth_treatment="pooled"),
    Criterion(0.6, depth_treatment="worst"),
    Criterion(0.6, depth_treatment="quantile:0.6"),
    Criterion(0.5, rule="above_chance", guess_rate=0.25),
    Criterion(0.8, rule="relative"),
    Criterion(0.8, rule="relative", base_lengths=(2000,)),
    Criterion(0.8, rule="relative", base_lengths=(1000, 2000)),
    Criterion(0.8, rule="relative", base_lengths=(1000, 4000), depth_treatment="worst"),
    Criterion(0.9, rule="relative", base_lengths=(1000, 2000), depth_treatment="pooled"),
]


@pytest.mark.parametrize("criterion", CRITERIA, ids=lambda c: f"{c.rule}-{c.depth_treatment}")
def test_outcome_probabilities_agree_with_enumerating_every_table(criterion):
    rates = np.array([[0.9, 0.8], [0.7, 0.9], [0.6, 0.3]])
    n_cases = np.array([[2, 2], [2, 3], [1, 2]])
    by_hand = np.zeros(4)
    for probability, cells in every_table(rates, n_cases):
        by_hand[observe(cells.grid, criterion).outcome] += probability
    lengths = np.array([1000, 2000, 4000])
    masses = outcome_probabilities(rates, n_cases, criterion, lengths=lengths)
    np.testing.assert_allclose(masses, by_hand, atol=1e-12)


def nested_list_bootstrap(rows, tau, n_draws, rng):
    """What a user would write, vectorised just enough to be run in a test."""
    outcomes = np.zeros(len(rows) + 1)
    for _ in range(n_draws):
        outcome = 0
        for cells in rows:
            mean = np.mean([rng.choice(cell, size=len(cell)).mean() for cell in cells])
            if mean < tau - 1e-9:
                break
            outcome += 1
        outcomes[outcome] += 1
    return outcomes / n_draws


def graded_trials(rng, n_lengths=3, n_depths=2, n_cases=4, values=(0, 0.5, 1)):
    rows = [
        {
            "length": 1000 * 2**i,
            "depth": j / 4,
            "case": f"{i}-{j}-{c}",
            "score": rng.choice(values, p=[0.1, 0.2, 0.7]),
        }
        for i in range(n_lengths)
        for j in range(n_depths)
        for c in range(n_cases)
    ]
    return pd.DataFrame(rows)


@pytest.mark.parametrize("values", [(0, 0, 1), (0, 0.5, 1), (0, 1 / 3, 1)])
def test_bootstrap_masses_agree_with_drawing_the_cases_again(values):
    rng = np.random.default_rng(5)
    frame = graded_trials(rng, values=values)
    grid = count_cells(Trials.from_frame(frame)).grid
    rows = [
        [
            frame.score[(frame.length == length) & (frame.depth == depth)].to_numpy()
            for depth in grid.depths
        ]
        for length in grid.lengths
    ]
    exact = bootstrap_masses(grid, Criterion(0.75))
    drawn = nested_list_bootstrap(rows, 0.75, 4000, rng)
    error = np.sqrt(exact * (1 - exact) / 4000)
    assert np.all(np.abs(exact - drawn) < 4 * error + 1e-9)


@pytest.mark.parametrize("treatment", ["mean", "worst", "pooled", "quantile:0.4"])
def test_laws_of_fractions_agree_with_counted_resampling(treatment):
    frame = graded_trials(np.random.default_rng(8), n_depths=3, n_cases=6)
    grid = count_cells(Trials.from_frame(frame)).grid
    criterion = Criterion(0.6, depth_treatment=treatment)
    exact = bootstrap_masses(grid, criterion)
    drawn = resampled_masses(grid, criterion, seed=1, n_draws=8000)
    error = np.sqrt(exact * (1 - exact) / 8000)
    assert np.all(np.abs(exact - drawn) < 4 * error + 1e-9)


def test_zero_one_cases_and_their_counts_have_the_same_masses():
    rng = np.random.default_rng(2)
    frame = graded_trials(rng, values=(0, 0, 1))
    grid = count_cells(Trials.from_frame(frame)).grid
    counted = Cells.from_counts(
        grid.lengths, grid.depths, n_cases=grid.n_cases, successes=grid.numerators
    ).grid
    for treatment in ("mean", "worst", "pooled"):
        criterion = Criterion(0.7, depth_treatment=treatment)
        np.testing.assert_array_equal(
            bootstrap_masses(grid, criterion), bootstrap_masses(counted, criterion)
        )


def test_a_cell_with_one_case_takes_its_lengths_pooled_accuracy():
    cells = Cells.from_counts([1000], [0.0, 0.5, 1.0], n_cases=1, successes=[[1, 0, 1]])
    np.testing.assert_allclose(bootstrap_rates(cells.grid), 2 / 3)
    masses = bootstrap_masses(cells.grid, Criterion(Fraction(2, 3)))
    assert masses[1] == pytest.approx(3 * (2 / 3) ** 2 / 3 + (2 / 3) ** 3)


def test_clusters_are_drawn_whole_and_widen_the_masses():
    rng = np.random.default_rng(1)
    right = rng.random(40) < 0.8
    frame = pd.DataFrame(
        {
            "length": np.repeat([1000], 400),
            "depth": np.tile(np.linspace(0, 1, 10), 40),
            "score": np.repeat(right, 10).astype(float),
            "case": np.arange(400).astype(str),
            "cluster": np.repeat(np.arange(40).astype(str), 10),
        }
    )
    criterion = Criterion(0.75)
    shared = bootstrap_masses(count_cells(Trials.from_frame(frame)).grid, criterion, seed=3)
    alone = bootstrap_masses(
        count_cells(Trials.from_frame(frame.drop(columns="cluster"))).grid, criterion
    )
    outcome = int(right.mean() >= 0.75)
    assert shared[outcome] < alone[outcome] - 0.05


def test_lattices_too_fine_to_convolve_are_drawn_and_seeded():
    cells = Cells.from_counts(
        [1000], [0.0, 0.5, 1.0], n_cases=[[997, 991, 983]], successes=[[850, 840, 830]]
    )
    first, again, other = (
        bootstrap_masses(cells.grid, Criterion(0.85), seed=seed) for seed in (1, 1, 2)
    )
    np.testing.assert_array_equal(first, again)
    assert np.any(first != other)
    assert first.sum() == pytest.approx(1)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32 - 1), st.sampled_from(["mean", "worst", "pooled", "quantile:0.3"]))
def test_masses_sum_to_one_and_ignore_the_order_of_depths(seed, treatment):
    rng = np.random.default_rng(seed)
    n_cases = rng.integers(1, 7, size=(3, 4))
    successes = rng.binomial(n_cases, 0.8)
    criterion = Criterion(0.7, depth_treatment=treatment)
    cells = Cells.from_counts([1, 2, 3], [0, 0.3, 0.6, 1], n_cases=n_cases, successes=successes)
    order = rng.permutation(4)
    shuffled = Cells.from_counts(
        [1, 2, 3], [0, 0.3, 0.6, 1], n_cases=n_cases[:, order], successes=successes[:, order]
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LcstatsWarning)
        for kind, mass in effective_length(cells, criterion).observed.masses.items():
            assert mass.sum() == pytest.approx(1)
            assert np.all(mass >= -1e-12)
            other = effective_length(shuffled, criterion).observed.masses[kind]
            np.testing.assert_allclose(mass, other, atol=1e-12)


def test_bad_rates_are_refused_with_the_place():
    with pytest.raises(TableError, match="divide percentages by 100"):
        outcome_probabilities([[0.9, 85]], 20, Criterion(0.85))
    with pytest.raises(TableError, match="use equal numbers of cases"):
        outcome_probabilities([[0.9, 0.9, 0.9]], [[997, 991, 983]], Criterion(0.85))
    with pytest.raises(TableError, match="leave that length out"):
        outcome_probabilities([[0.9], [0.8]], [[20], [0]], Criterion(0.85))
