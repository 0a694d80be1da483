"""Windows of adjacent depths: against every table, plain loops, simulation and their own order."""

import itertools
from dataclasses import replace
from fractions import Fraction
from math import comb, prod

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lcstats import truths
from lcstats.cells import Cells, average_tasks, count_cells
from lcstats.errors import OptionError, TableError
from lcstats.lengths import (
    Criterion,
    EffectiveLength,
    Interval,
    effective_length,
    outcome_probabilities,
)
from lcstats.lengths.answer import treatment_words
from lcstats.lengths.criterion import Treatment, parse_treatment
from lcstats.lengths.crossing import treated
from lcstats.lengths.laws import outcome_masses
from lcstats.lengths.masses import bootstrap_masses
from lcstats.lengths.missing import bounds_for_missing
from lcstats.lengths.notices import notices_on
from lcstats.lengths.observed import observe, treated_accuracies
from lcstats.lengths.resampling import (
    N_DRAWS,
    outcomes_of_draws,
    resampled_masses,
    treat_draws,
)
from lcstats.lengths.window_laws import is_too_much, passing_windows
from lcstats.lengths.windows import count_windows, smallest_window
from lcstats.trials import Trials
from tests.lengths.enumeration import every_table

pytestmark = pytest.mark.filterwarnings("ignore::lcstats.errors.LcstatsWarning")

CRITERIA = [
    Criterion(0.6, depth_treatment="window:2"),
    Criterion(0.6, depth_treatment="window:3"),
    Criterion(0.5, rule="above_chance", guess_rate=0.25, depth_treatment="window:2"),
    Criterion(0.8, rule="relative", depth_treatment="window:2"),
    Criterion(0.8, rule="relative", base_lengths=(2000,), depth_treatment="window:2"),
    Criterion(0.8, rule="relative", base_lengths=(1000, 2000), depth_treatment="window:2"),
    Criterion(0.8, rule="relative", depth_treatment="window:3"),
]


@pytest.mark.parametrize("criterion", CRITERIA, ids=lambda c: f"{c.rule}-{c.depth_treatment}")
@pytest.mark.parametrize(
    ("rates", "n_cases"),
    [
        ([[0.9, 0.8, 0.7], [0.7, 0.9, 0.4]], [[2, 2, 2], [2, 3, 1]]),
        ([[0.9, 1.0, 0.7, 0.8], [0.6, 0.9, 0.0, 1.0]], [[2, 1, 2, 1], [1, 2, 1, 2]]),
    ],
)
def test_outcome_probabilities_agree_with_enumerating_every_table(criterion, rates, n_cases):
    rates, n_cases = np.array(rates), np.array(n_cases)
    by_hand = np.zeros(3)
    for probability, cells in every_table(rates, n_cases):
        by_hand[observe(cells.grid, criterion).outcome] += probability
    masses = outcome_probabilities(rates, n_cases, criterion, lengths=[1000, 2000])
    np.testing.assert_allclose(masses, by_hand, atol=1e-12)


def binomial(k, n, rate):
    """P(Bin(n, rate) = k); scipy's overflows at rates next to 0, which are drawn here too."""
    return comb(n, k) * rate**k * (1.0 - rate) ** (n - k)


def passing_by_loops(rates, n_cases, tau, width):
    """P(no window below tau), over every combination of counts of one length."""
    total = 0.0
    starts = range(len(n_cases) - width + 1)
    for counts in itertools.product(*(range(n + 1) for n in n_cases.tolist())):
        cells = [Fraction(k, n) for k, n in zip(counts, n_cases.tolist(), strict=True)]
        if min(sum(cells[i : i + width]) / width for i in starts) >= tau:
            total += prod(map(binomial, counts, n_cases.tolist(), rates.tolist()))
    return total


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_one_length_agrees_with_loops_for_every_width(data):
    n_depths = data.draw(st.integers(1, 5))
    width = data.draw(st.integers(1, n_depths))
    n_cases = np.array(data.draw(st.lists(st.integers(1, 3), min_size=n_depths, max_size=n_depths)))
    rates = np.array(
        data.draw(st.lists(st.floats(0, 1), min_size=n_depths, max_size=n_depths)), dtype=float
    )
    tau = Fraction(data.draw(st.integers(1, 12)), 12)
    exact = passing_windows(rates[None], n_cases[None], tau, width)[0]
    assert exact == pytest.approx(passing_by_loops(rates, n_cases, tau, width), abs=1e-12)


def test_ties_at_the_bar_pass():
    criterion = Criterion(0.85, depth_treatment="window:3")
    tied = Cells.from_counts([1000], [0, 0.3, 0.6, 1], n_cases=20, successes=[[20, 17, 14, 20]])
    assert observe(tied.grid, criterion).accuracies == (Fraction(17, 20),)
    assert observe(tied.grid, criterion).outcome == 1
    below = Cells.from_counts([1000], [0, 0.3, 0.6, 1], n_cases=20, successes=[[20, 17, 13, 20]])
    assert observe(below.grid, criterion).outcome == 0
    thirds = Cells.from_counts(
        [1000], [0, 0.5, 1], n_cases=[[3, 7, 11]], successes=[[2, 5, 9]]
    ).grid
    exact = (Fraction(2, 3) + Fraction(5, 7)) / 2
    at, above = (Criterion(tau, depth_treatment="window:2") for tau in (exact, exact + 10**-9))
    assert (observe(thirds, at).outcome, observe(thirds, above).outcome) == (1, 0)


COUNTS = st.integers(1, 8).flatmap(
    lambda n_depths: st.lists(
        st.integers(1, 9).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))),
        min_size=n_depths,
        max_size=n_depths,
    )
)


@settings(max_examples=100, deadline=None)
@given(COUNTS)
def test_windows_lie_between_the_worst_depth_and_wider_windows(counts):
    right, n_cases = np.array(counts).T
    grid = Cells.from_counts(
        [1000], np.linspace(0, 1, n_cases.size), n_cases=n_cases[None], successes=right[None]
    ).grid
    by_width = {
        width: treated_accuracies(grid, Treatment("window", width=width))[0]
        for width in range(1, n_cases.size + 1)
    }
    worst, mean = (treated_accuracies(grid, parse_treatment(t))[0] for t in ("worst", "mean"))
    assert by_width[1] == worst == treated_accuracies(grid, parse_treatment("window:1"))[0]
    assert by_width[n_cases.size] == mean
    for width, accuracy in by_width.items():
        assert worst <= accuracy
        # Windows of a multiple of the width are averages of whole windows of it.
        assert all(accuracy <= by_width[w] for w in by_width if w % width == 0)


def test_a_window_can_be_above_the_mean_when_the_ends_are_low():
    grid = Cells.from_counts([1000], [0, 0.5, 1], n_cases=2, successes=[[0, 2, 0]]).grid
    window, mean = (treated_accuracies(grid, parse_treatment(t))[0] for t in ("window:2", "mean"))
    assert (window, mean) == (Fraction(1, 2), Fraction(1, 3))


@pytest.mark.parametrize("width", [2, 3, 8])
def test_outcomes_agree_with_simulation(width):
    lengths, depths = 1024 * 2 ** np.arange(8), np.linspace(0, 1, 11)
    rates = truths.get_truth("single-needle").accuracy(lengths, depths)
    rng = np.random.default_rng(width)
    cells = rng.binomial(20, rates, size=(20_000, 8, 11)) / 20
    windows = np.lib.stride_tricks.sliding_window_view(cells, width, axis=-1)
    passes = windows.mean(-1).min(-1) >= 0.85 - 1e-9
    drawn = np.bincount(np.cumprod(passes, axis=1).sum(axis=1), minlength=9) / 20_000
    exact = outcome_probabilities(rates, 20, Criterion(0.85, depth_treatment=f"window:{width}"))
    error = np.sqrt(exact * (1 - exact) / 20_000)
    assert np.all(np.abs(exact - drawn) < 4.5 * error + 1e-9)
    assert exact.sum() == pytest.approx(1)


def graded_grid(values, *, clusters=None, n_cases=6):
    rng = np.random.default_rng(8)
    rows = [
        {
            "length": 1000 * 2**i,
            "depth": j / 4,
            "case": f"{i}-{j}-{c}",
            "score": rng.choice(values, p=[0.1, 0.2, 0.7]),
            "cluster": f"{i}-{c}" if clusters else f"{i}-{j}-{c}",
        }
        for i in range(3)
        for j in range(4)
        for c in range(n_cases - (j == 2))
    ]
    return count_cells(Trials.from_frame(pd.DataFrame(rows))).grid


@pytest.mark.parametrize("rule", ["absolute", "relative"])
@pytest.mark.parametrize("width", [2, 3])
def test_laws_of_fractions_agree_with_counted_resampling(rule, width):
    grid = graded_grid((0, 0.5, 1))
    criterion = Criterion(0.7, rule=rule, depth_treatment=f"window:{width}")
    exact = bootstrap_masses(grid, criterion)
    drawn = resampled_masses(grid, criterion, seed=1)
    error = np.sqrt(exact * (1 - exact) / N_DRAWS)
    assert np.all(np.abs(exact - drawn) < 4 * error + 1e-9)
    assert np.any((exact > 0.05) & (exact < 0.95))


def test_zero_one_cases_and_their_counts_have_the_same_masses():
    grid = graded_grid((0, 0, 1))
    counted = Cells.from_counts(
        grid.lengths, grid.depths, n_cases=grid.n_cases, successes=grid.numerators
    ).grid
    criterion = Criterion(0.7, depth_treatment="window:2")
    np.testing.assert_array_equal(
        bootstrap_masses(grid, criterion), bootstrap_masses(counted, criterion)
    )


def test_shared_clusters_are_drawn_whole():
    criterion = Criterion(0.7, depth_treatment="window:2")
    shared, alone = graded_grid((0, 0, 1), clusters=True), graded_grid((0, 0, 1))
    masses = bootstrap_masses(shared, criterion, seed=1)
    assert masses.sum() == pytest.approx(1)
    np.testing.assert_array_equal(masses, resampled_masses(shared, criterion, seed=1))
    assert np.any(np.abs(masses - bootstrap_masses(alone, criterion)) > 0.01)


def test_a_drawn_window_is_over_its_cells_that_drew_cases():
    successes = np.array([[[2, 1, 0.0, 2]], [[0, 1, 1, 2]], [[0, 0, 0, 0]]])
    n_cases = np.array([[[2, 2, 0, 2]], [[0, 2, 2, 2]], [[0, 0, 0, 0]]])
    lowest = treat_draws(successes, n_cases, parse_treatment("window:2"))
    np.testing.assert_allclose(lowest[:, 0], [0.5, 0.5, 0.0])
    apart = treat_draws(successes, n_cases, parse_treatment("window:2"), np.array([0, 0, 1, 1]))
    np.testing.assert_allclose(apart[:, 0], [0.75, 0.5, 0.0])


def test_states_beyond_the_bound_are_drawn_and_seeded():
    n_cases = np.full((2, 11), 80)
    tau = Fraction(17, 20)
    assert not is_too_much(n_cases, 4, members=None, tau=tau)
    assert is_too_much(n_cases, 6, members=None, tau=tau)
    cells = Cells.from_counts(
        [1000, 2000], np.linspace(0, 1, 11), n_cases=n_cases, successes=[[72] * 11, [69] * 11]
    )
    criterion = Criterion(0.85, depth_treatment="window:6")
    masses = bootstrap_masses(cells.grid, criterion, seed=2)
    np.testing.assert_array_equal(masses, resampled_masses(cells.grid, criterion, seed=2))
    with pytest.raises(TableError, match="use fewer cases or narrower windows"):
        outcome_probabilities(np.full((2, 11), 0.9), 80, criterion)


def test_counted_outcomes_of_a_wide_design_agree_with_the_exact_ones():
    rng = np.random.default_rng(4)
    rates = np.linspace(0.97, 0.8, 4)[:, None] * np.ones(7)
    criterion = Criterion(0.9, rule="relative", depth_treatment="window:3")
    exact = outcome_probabilities(rates, 10, criterion)
    successes = rng.binomial(10, rates, size=(20_000, 4, 7)).astype(float)
    treated_draws = treat_draws(successes, np.full(successes.shape, 10), criterion.treatment)
    outcomes = outcomes_of_draws(treated_draws, np.arange(4), criterion)
    drawn = np.bincount(outcomes, minlength=5) / 20_000
    error = np.sqrt(exact * (1 - exact) / 20_000)
    assert np.all(np.abs(exact - drawn) < 4.5 * error + 1e-9)


def with_hole():
    return Cells.from_counts(
        [1000, 2000],
        [0, 0.25, 0.5, 0.75, 1],
        n_cases=[[4, 4, 4, 4, 4], [4, 0, 4, 4, 4]],
        successes=[[4, 4, 4, 4, 4], [0, 0, 4, 3, 2]],
    )


def test_windows_that_hold_an_untested_depth_are_left_out():
    grid = with_hole().grid
    criterion = Criterion(0.6, depth_treatment="window:2")
    assert observe(grid, criterion).accuracies[1] == Fraction(5, 8)
    counts = count_windows(grid, 2)
    assert (counts.most, counts.n_left_out, counts.n_unwatched) == (4, 2, 1)
    assert counts.lacking.tolist() == [2000]
    assert smallest_window(grid, 2) == 8
    exact = bootstrap_masses(grid, criterion)
    drawn = resampled_masses(grid, criterion, seed=3, n_draws=8000)
    assert np.all(np.abs(exact - drawn) < 4 * np.sqrt(exact * (1 - exact) / 8000) + 1e-9)


def test_a_length_without_a_window_is_refused_with_the_widest_there_is():
    grid = with_hole().grid
    with pytest.raises(OptionError, match="use window:3, or leave that length out") as raised:
        observe(grid, Criterion(0.6, depth_treatment="window:4"))
    assert "length 2000 has at most 3 adjacent depths" in str(raised.value)
    single = Cells.from_counts([1000], [0.5], n_cases=4, successes=[[4]]).grid
    with pytest.raises(OptionError, match="use worst depth or the mean over depths"):
        observe(single, Criterion(0.6, depth_treatment="window:2"))
    with pytest.raises(OptionError, match="use window:2, or leave"):
        outcome_probabilities([[0.9, 0.9]], 4, Criterion(0.6, depth_treatment="window:3"))


def test_trials_without_a_depth_are_in_no_window():
    grid = Cells.from_counts([1000], [0, 0.5, np.nan], n_cases=4, successes=[[4, 4, 4]]).grid
    with pytest.raises(OptionError, match="leave those trials out"):
        observe(grid, Criterion(0.6, depth_treatment="window:2"))


def two_tasks():
    one, two = (
        Cells.from_counts([1000], depths, n_cases=4, successes=[right], task=name).grid
        for name, depths, right in (("a", [0, 0.5, 1], [4, 4, 1]), ("b", [0, 1], [2, 4]))
    )
    return average_tasks(Cells(grids=(one, two))).grid


def test_no_window_reaches_from_one_averaged_task_into_the_next():
    grid = two_tasks()
    criterion = Criterion(0.6, depth_treatment="window:2")
    assert observe(grid, criterion).accuracies == (Fraction(5, 8),)
    exact = bootstrap_masses(grid, criterion)
    by_task = [
        passing_windows(rates, np.full(rates.shape, 4), Fraction(3, 5), 2)[0]
        for rates in (np.array([[1, 1, 0.25]]), np.array([[0.5, 1]]))
    ]
    assert exact[1] == pytest.approx(by_task[0] * by_task[1])
    with pytest.raises(OptionError, match="expected at least 3 at every length and task"):
        observe(grid, Criterion(0.6, depth_treatment="window:3"))


def test_a_curves_window_is_the_lowest_of_the_grid():
    accuracy = np.array([[0.9, 0.6, 0.8, 0.7], [0.5, 0.5, 0.5, 0.5]])
    lowest = treated(accuracy, parse_treatment("window:2"), np.full(4, 0.25))
    np.testing.assert_allclose(lowest, [0.7, 0.5])


def test_what_to_know_about_windows_is_said():
    grid = with_hole().grid
    criterion = Criterion(0.6, depth_treatment="window:2")
    interval = Interval(
        "certified",
        0.95,
        0,
        2,
        grid.lengths,
        floor=10,
        diagnostics={"floor_counts": "perfect cases per window"},
    )
    notices = notices_on(grid, observe(grid, criterion), criterion, interval, has_curve=False)
    messages = {notice.code: notice.message for notice in notices}
    assert "over 4 noisy windows is biased low" in messages["worst-depth-biased"]
    assert "a single bad depth may not show" in messages["narrow-failures-averaged"]
    assert messages["windows-left-out"] == (
        "2 windows of 2 depths hold a depth without cases and are left out at 1 length (2000); "
        "1 tested cell is in no window"
    )
    assert "a window with 8 cases cannot be certified" in messages["below-certification-floor"]
    whole = Criterion(0.6, depth_treatment="window:5")
    grid = Cells.from_counts([1000], np.linspace(0, 1, 5), n_cases=20, successes=[[20] * 5]).grid
    notices = notices_on(grid, observe(grid, whole), whole, interval, has_curve=False)
    assert "worst-depth-biased" not in {notice.code for notice in notices}


@pytest.mark.parametrize("text", ["window:0", "window:-1", "window:2.5", "window:", "window"])
def test_widths_are_whole_numbers_of_depths(text):
    with pytest.raises(OptionError, match="three adjacent ones as window:3"):
        Criterion(0.85, depth_treatment=text)


def test_a_window_has_no_single_cell():
    with pytest.raises(OptionError, match="use worst depth or a quantile here"):
        parse_treatment("window:3").rank(11)


def test_windows_in_words():
    assert treatment_words("window:3") == "worst window of 3 adjacent depths"
    assert treatment_words("window:3", 2) == "worst window of 3 adjacent depths of 2 tasks"
    assert treatment_words("window:1") == "worst depth"


def test_the_whole_answer_of_a_window():
    cells = Cells.from_counts(
        [1024, 2048],
        np.linspace(0, 1, 5),
        n_cases=20,
        successes=[[20, 20, 20, 20, 20], [20, 19, 15, 20, 19]],
    )
    answer = effective_length(cells, Criterion(0.85, depth_treatment="window:3"))
    assert answer.accuracy.tolist() == pytest.approx([1.0, 0.9])
    assert (answer.headline, answer.observed.display) == ("flexible", ">=2048")
    assert set(answer.observed.masses) == {"bootstrap"}
    assert answer.observed.outcome in answer.observed.default_set
    assert "worst window of 3 adjacent depths" in answer.sentence()
    single, worst = (
        effective_length(cells, Criterion(0.85, depth_treatment=t)) for t in ("window:1", "worst")
    )
    assert single.sentence() == worst.sentence()
    back = EffectiveLength.from_dict(answer.to_dict())
    assert back.criterion.treatment == Treatment("window", width=3)


def test_unscored_cases_bound_the_windows():
    grid = Cells.from_counts(
        [1000, 2000], [0, 0.5, 1], n_cases=10, successes=[[10, 9, 8], [9, 7, 9]]
    ).grid
    grid = replace(grid, n_missing=np.array([[0, 0, 0], [0, 5, 0]]))
    bounds = bounds_for_missing(grid, Criterion(0.8, depth_treatment="window:2"))
    low, high = bounds.accuracy[2000]
    assert (low, high) == pytest.approx(((0.9 + 7 / 15) / 2, (0.9 + 12 / 15) / 2))
    assert (bounds.worst, bounds.best) == ("1000", ">=2000")


def test_windows_of_one_depth_have_the_worst_depths_published_hits():
    lengths, depths = 1024 * 2 ** np.arange(8), np.linspace(0, 1, 11)
    rates = truths.get_truth("single-needle").accuracy(lengths, depths)
    hits = []
    for n in (5, 20, 80):
        passing = passing_windows(rates, np.full(rates.shape, n), Fraction(17, 20), 1)
        hits.append(outcome_masses(passing)[5])
    np.testing.assert_allclose(hits, [0.000, 0.156, 0.402], atol=5e-4)
