"""Simulated plans against exact probabilities, against single answers, and against METHOD."""

import itertools

import numpy as np
import pytest
from scipy.stats import norm
from statsmodels.stats.proportion import proportion_confint

from lcstats import Criterion, effective_length, fit_curve
from lcstats.errors import LcstatsError, OptionError
from lcstats.flexible import fit_flexible
from lcstats.kernels.logistic import BatchFit
from lcstats.lengths import outcome_probabilities
from lcstats.plan.exact import exact_probabilities
from lcstats.plan.simulation import counts as counts_module
from lcstats.plan.simulation import estimates
from lcstats.plan.simulation.simulate import (
    Simulated,
    Simulation,
    expected_seconds,
    monte_carlo_error,
    simulate_plan,
)
from lcstats.plan.truths import PlannedTruth, planned_truth
from lcstats.truths import get_truth, names, shared_haystack, simulate_cells

DOUBLINGS = 1024 * 2 ** np.arange(8)
ELEVEN = np.arange(11) / 10
BASE = planned_truth("single-needle", DOUBLINGS, ELEVEN)
N_SETTINGS = 300


def hit_of(planned, n_cases, criterion, **options):
    return simulate_plan(planned, n_cases, criterion, **options).probabilities().hit


def settings_with_a_doubtful_hit():
    """Yield planned truths, numbers of cases and criteria whose exact hit is in [.01, .99]."""
    rng = np.random.default_rng(2)
    grids = (
        (DOUBLINGS, ELEVEN),
        (DOUBLINGS[2:], np.linspace(0, 1, 5)),
        (np.array([3000, 10_000, 50_000]), np.array([0.0, 0.3, 1.0])),
        (DOUBLINGS[::2], np.array([0.5])),
    )
    known = [n for n in names() if not (get_truth(n).haystack or get_truth(n).draw_cells)]
    treatments = ("mean", "worst", "quantile:0.1", "quantile:0.4", "pooled")
    while True:
        truth, n_cases = str(rng.choice(known)), int(rng.choice([3, 5, 7, 10, 13, 20, 40, 80]))
        planned = planned_truth(truth, *grids[rng.integers(len(grids))])
        tau, treatment = float(rng.choice([0.7, 0.8, 0.85, 0.9])), str(rng.choice(treatments))
        criterion = Criterion(tau, depth_treatment=treatment)
        exact = exact_probabilities(planned, n_cases, criterion).hit
        if 0.01 <= exact <= 0.99:
            yield planned, n_cases, criterion, exact


def share_within_three_errors(n_settings, n_simulations=2000):
    """Share of settings whose simulated hit is within three standard errors of the exact one."""
    near = []
    for planned, n_cases, criterion, exact in itertools.islice(
        settings_with_a_doubtful_hit(), n_settings
    ):
        options = Simulation(n_simulations, seed=len(near))
        found = hit_of(planned, n_cases, criterion, simulation=options)
        near.append(abs(found - exact) <= 3 * np.sqrt(exact * (1 - exact) / n_simulations))
    return np.mean(near)


def test_simulations_agree_with_exact_probabilities():
    assert share_within_three_errors(N_SETTINGS) >= 0.99


def test_cells_that_shared_a_stream_would_be_noticed(monkeypatch):
    monkeypatch.setattr(counts_module, "cell_numbers", lambda i, n: np.zeros(n, dtype=np.int64))
    assert share_within_three_errors(60) < 0.8


def test_lengths_that_shared_their_streams_would_be_noticed(monkeypatch):
    monkeypatch.setattr(counts_module, "cell_numbers", lambda i, n: np.arange(n))
    assert share_within_three_errors(60) < 0.95


@pytest.mark.parametrize(
    ("criterion", "n_cases"),
    [
        (Criterion(0.9, rule="relative"), 20),
        (Criterion(0.9, rule="relative", base_lengths=(1024, 4096)), 5),
        (Criterion(0.8, rule="above_chance", guess_rate=0.25), 20),
        (Criterion(0.85, depth_treatment="window:3"), 5),
        (Criterion(0.85), np.where(ELEVEN[None, :] > 0.5, 10, 20) + 0 * DOUBLINGS[:, None]),
        (
            Criterion(0.85, depth_treatment="worst"),
            np.where(ELEVEN[None, :] > 0.5, 40, 20) * (DOUBLINGS[:, None] > 0),
        ),
        (Criterion(0.85), 20 * (ELEVEN[None, :] != 0.4) * (DOUBLINGS[:, None] > 0)),
    ],
    ids=["base", "two bases", "above chance", "window", "unequal", "unequal, worst", "left out"],
)
def test_other_rules_and_numbers_agree_with_exact_masses(criterion, n_cases):
    exact = outcome_probabilities(BASE.accuracies[0], n_cases, criterion, lengths=BASE.lengths)
    outcomes = simulate_plan(
        BASE, n_cases, criterion, simulation=Simulation(20_000, seed=5)
    ).outcomes
    share = np.bincount(outcomes, minlength=exact.size) / outcomes.size
    assert np.all(np.abs(share - exact) <= 4 * np.sqrt(exact * (1 - exact) / outcomes.size) + 1e-4)


def test_an_open_truth_is_averaged_over_its_draws():
    drawn = np.clip(BASE.accuracies + np.linspace(-0.06, 0.02, 5)[:, None, None], 0, 1)
    opened = PlannedTruth("open", BASE.lengths, BASE.depths, drawn)
    simulated = simulate_plan(opened, 20, Criterion(0.85), simulation=Simulation(20_000))
    exact = exact_probabilities(opened, 20, Criterion(0.85))
    found = simulated.probabilities()
    assert len(np.unique(simulated.true)) > 1
    assert abs(found.hit - exact.hit) < 4 * monte_carlo_error(exact.hit, 20_000)
    assert found.error == pytest.approx(exact.error, rel=0.1)
    assert found.error > 3 * monte_carlo_error(found.hit, 20_000)


def test_shared_haystacks_agree_with_trials_drawn_one_by_one():
    truth, criterion, rng = shared_haystack(logit_sd=2.0), Criterion(0.8), np.random.default_rng(1)
    planned = planned_truth(truth, DOUBLINGS[::2], ELEVEN)
    (true,) = planned.true_outcomes(criterion)
    hits = []
    for _ in range(1000):
        grid = simulate_cells(truth, planned.lengths, ELEVEN, n_cases=20, rng=rng).grid
        passes = grid.numerators.sum(axis=1) * 5 >= 4 * grid.n_cases.sum(axis=1)
        hits.append(np.cumprod(passes).sum() == true)
    error = monte_carlo_error(np.mean(hits), 1000)
    found = hit_of(planned, 20, criterion, simulation=Simulation(6000))
    alone = PlannedTruth("independent", planned.lengths, planned.depths, planned.accuracies)
    assert abs(found - np.mean(hits)) < 3 * error
    assert abs(hit_of(alone, 20, criterion) - np.mean(hits)) > 6 * error


@pytest.mark.parametrize(
    ("treatment", "observed", "curve"), [("mean", 0.7531, 0.93), ("worst", 0.156, 0.95)]
)
def test_hit_rates_that_the_method_cites(treatment, observed, curve):
    criterion, many = Criterion(0.85, depth_treatment=treatment), Simulation(4000)
    cliff = planned_truth("cliff", DOUBLINGS, ELEVEN)
    raw = hit_of(BASE, 20, criterion, simulation=many)
    assert abs(raw - observed) < 3 * monte_carlo_error(observed, 4000)
    assert abs(hit_of(BASE, 20, criterion, method="curve", simulation=many) - curve) < 0.02
    assert hit_of(cliff, 20, criterion, method="curve") == 0.0


@pytest.mark.parametrize(("method", "n_tables"), [("observed", 40), ("curve", 12), ("flexible", 2)])
@pytest.mark.parametrize("treatment", ["mean", "worst"])
@pytest.mark.filterwarnings("ignore::lcstats.errors.LcstatsWarning")
def test_every_table_gets_the_estimate_of_the_library(method, n_tables, treatment):
    criterion = Criterion(0.85, depth_treatment=treatment)
    simulation = Simulation(n_tables, seed=7, n_set_tables=2)
    simulated = simulate_plan(BASE, 20, criterion, method=method, simulation=simulation)
    design = estimates.Design(BASE, np.full((8, 11), 20), criterion, method, 7)
    sizes = []
    for i, successes in enumerate(design.source.tables(0, n_tables)):
        cells = design.cells(successes)
        answer = effective_length(
            cells,
            criterion,
            sets=("default" if i < 2 else "certified"),
            fit=fit_curve(cells) if method == "curve" else None,
            flexible=fit_flexible(cells) if method == "flexible" else None,
        )
        (estimate,) = (e for e in answer.estimates if e.method == method)
        assert simulated.outcomes[i] == estimate.outcome
        if i < 2:
            sizes.append(estimate.default_set.upper - estimate.default_set.lower + 1)
    assert simulated.set_sizes.tolist() == sizes
    assert simulated.mean_set_size == np.mean(sizes)


def test_failed_fits_are_counted_and_kept(monkeypatch):
    whole = simulate_plan(BASE, 5, Criterion(0.85), method="curve", simulation=Simulation(300))
    refit = estimates.refit

    def failing(*arguments, **options):
        batch = refit(*arguments, **options)
        converged = batch.converged & (np.arange(batch.converged.size) >= 17)
        return BatchFit(batch.coefficients, converged, batch.n_iterations)

    monkeypatch.setattr(estimates, "refit", failing)
    failed = simulate_plan(BASE, 5, Criterion(0.85), method="curve", simulation=Simulation(300))
    assert (whole.n_failed_fits, failed.n_failed_fits) == (0, 17)
    np.testing.assert_array_equal(whole.outcomes, failed.outcomes)


def test_more_simulations_continue_the_fewer():
    few = simulate_plan(BASE, 20, Criterion(0.85), simulation=Simulation(100))
    many = simulate_plan(BASE, 20, Criterion(0.85), simulation=Simulation(5000))
    np.testing.assert_array_equal(few.outcomes, many.outcomes[:100])


@pytest.mark.parametrize("share", [0.0, 0.02, 0.5, 1.0])
def test_the_error_is_half_of_wilsons_interval(share):
    level = 2 * norm.cdf(-1)
    low, high = proportion_confint(share * 2000, 2000, alpha=level, method="wilson")
    assert monte_carlo_error(share, 2000) == pytest.approx((high - low) / 2, rel=1e-9)


def test_no_outcome_is_within_one_doubling_of_half_the_shortest_length_only():
    outcomes, true = np.array([0, 1, 2, 3]), np.array([1, 1, 1, 0])
    found = Simulated(DOUBLINGS[:3], outcomes, true).probabilities()
    assert (found.hit, found.within) == (0.25, 0.75)


def test_the_error_of_a_mean_size_needs_two_tables():
    outcomes = np.array([0, 1])
    one = Simulated(DOUBLINGS, outcomes, outcomes, set_sizes=np.array([3]))
    two = Simulated(DOUBLINGS, outcomes, outcomes, set_sizes=np.array([3, 5]))
    assert (one.mean_set_size, one.set_size_error) == (3.0, None)
    assert (two.mean_set_size, two.set_size_error) == (4.0, 1.0)


def test_expected_seconds_grow_with_the_simulations():
    short = expected_seconds(BASE, 20, Criterion(0.85), method="flexible", simulation=Simulation(2))
    long = expected_seconds(BASE, 20, Criterion(0.85), method="flexible")
    assert 0 < 100 * short < long


@pytest.mark.parametrize(
    ("call", "mend"),
    [
        (lambda: Simulation(0), "pass n_simulations=1"),
        (lambda: Simulation(seed=2**63), "pass a smaller one"),
        (lambda: Simulation(n_threads=0), "pass n_threads=1"),
        (lambda: simulate_plan(BASE, 0, Criterion(0.85)), "pass 20, say"),
        (lambda: simulate_plan(BASE, 40_000, Criterion(0.85)), "pass 20, say"),
        (lambda: simulate_plan(BASE, 2.5, Criterion(0.85)), "pass 20, say"),
        (lambda: simulate_plan(BASE, np.full((2, 2), 5), Criterion(0.85)), "pass 20, say"),
        (lambda: simulate_plan(BASE, 5, 0.85), r"write Criterion\(0.85\)"),
        (lambda: simulate_plan(BASE, 5, Criterion(0.85), method="crystal"), "method='observed'"),
        (
            lambda: simulate_plan(BASE, 5, Criterion(0.85, depth_treatment="window:12")),
            "use window:11",
        ),
        (
            lambda: simulate_plan(BASE, 5, Criterion(0.8, rule="relative", base_lengths=(7,))),
            "name tested lengths",
        ),
    ],
)
def test_what_cannot_be_simulated_is_refused(call, mend):
    with pytest.raises(OptionError, match=mend) as caught:
        call()
    assert isinstance(caught.value, LcstatsError)
