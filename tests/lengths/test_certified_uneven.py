"""Certified sets of cases that do not all count alike: bounds and exact errors, by brute force."""

import itertools
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import LinearConstraint, minimize
from scipy.stats import binom

from lcstats.cells import Cells, average_tasks, count_cells
from lcstats.lengths import Criterion, effective_length
from lcstats.lengths.certified import certify
from lcstats.lengths.certified.tails import convex_tails, upper_tails, weighted_tail
from lcstats.lengths.certified.units import Units, units_of
from lcstats.trials import Trials

pytestmark = pytest.mark.filterwarnings("ignore::lcstats.errors.LcstatsWarning")
LEVEL = 0.95


def law_of_sum(parts):
    """Exact law of a sum of independent parts, each a mapping of value to probability."""
    law = {0.0: 1.0}
    for part in parts:
        longer = {}
        for (total, p), (value, q) in itertools.product(law.items(), part.items()):
            key = round(total + value, 10)
            longer[key] = longer.get(key, 0.0) + p * q
        law = longer
    return law


def scores_of_mean(mean, kind):
    """Scores in [0, 1] with a given mean, from spread out to constant."""
    return {
        "0/1": {0.0: 1 - mean, 1.0: mean},
        "halves": {0.5: 2 * (1 - mean), 1.0: 2 * mean - 1},
        "constant": {mean: 1.0},
    }[kind]


# Bounds: at least the probability that they stand for


@pytest.mark.parametrize(
    "kinds", [("0/1",) * 6, ("halves",) * 6, ("0/1", "halves", "constant") * 2]
)
@pytest.mark.parametrize(
    "means", [[0.8] * 6, [0.6, 0.7, 0.8, 0.9, 0.9, 0.9], [0.5, 0.5] + [0.95] * 4]
)
def test_tails_of_graded_sums_are_bounded(kinds, means):
    law = law_of_sum([scores_of_mean(m, kind) for m, kind in zip(means, kinds, strict=True)])
    rate, binary = np.mean(means), set(kinds) == {"0/1"}
    for x in law:
        tail = sum(p for value, p in law.items() if value >= x - 1e-9)
        bound = upper_tails(np.array([x]), np.array([6.0]), rate, is_binary=binary)[0]
        assert bound >= tail - 1e-9


def test_bound_of_graded_sums_is_within_e_of_the_binomial_tail():
    n, rate = 40, 0.85
    for x in range(36, 41):
        bound = upper_tails(np.array([x]), np.array([n]), rate, is_binary=False)[0]
        tail = binom.sf(x - 1, n, rate)
        assert tail <= bound * (1 + 1e-9)
        assert bound <= np.e * tail


def test_convex_tail_is_the_smallest_of_its_family():
    n, rate, x = 12, 0.7, 10.4
    law = binom.pmf(np.arange(n + 1), n, rate)
    ts = np.linspace(0, x - 1e-3, 4000)
    family = [(law * np.maximum(np.arange(n + 1) - t, 0)).sum() / (x - t) for t in ts]
    assert convex_tails(np.array([x]), n, rate)[0] == pytest.approx(min(family), rel=1e-3)


def test_weighted_tail_of_equal_weights_is_hoeffdings():
    for x, mean in ((0.9, 0.8), (1.0, 0.85), (0.3, 0.1)):
        kl = x * np.log(x / mean) + (0 if x == 1 else (1 - x) * np.log((1 - x) / (1 - mean)))
        found = weighted_tail(x, np.array([1 / 30]), np.array([30.0]), mean)
        assert found == pytest.approx(np.exp(-30 * kl), rel=0.02)
        assert found >= np.exp(-30 * kl) * (1 - 1e-9)


@given(st.data())
@settings(max_examples=60, deadline=None)
def test_weighted_tails_are_bounded_wherever_the_means_are(data):
    n = data.draw(st.integers(2, 7))
    shares = np.array(data.draw(st.lists(st.sampled_from([1, 2, 3, 5]), min_size=n, max_size=n)))
    means = np.array(data.draw(st.lists(st.floats(0, 1), min_size=n, max_size=n)))
    weights = shares / shares.sum()
    law = law_of_sum(
        [{0.0: 1 - m, w: m} for w, m in zip(weights.tolist(), means.tolist(), strict=True)]
    )
    units = Units(weights, np.ones(n, dtype=np.int64), 0.0, is_binary=False)
    rate = float(weights @ means)
    for total in law:
        found = Units(units.shares, units.sizes, total, is_binary=False)
        low = sum(p for value, p in law.items() if value <= total + 1e-9)
        high = sum(p for value, p in law.items() if value >= total - 1e-9)
        assert found.low_bound(rate) >= low - 1e-7
        assert found.high_bound(rate) >= high - 1e-7


def test_weighted_tail_finds_the_worst_spread_of_the_mean():
    weights, numbers, mean, x = np.array([0.02, 0.1]), np.array([20.0, 6.0]), 0.15, 0.45

    def log_moment(v, s):
        return (numbers * np.log1p(v * np.expm1(s * weights))).sum()

    def worst(s):
        spread = LinearConstraint(numbers * weights, mean, mean)
        found = minimize(
            lambda v: -log_moment(v, s), [0.1, 0.1], bounds=[(0, 1)] * 2, constraints=spread
        )
        return -found.fun - s * x

    best = min(worst(s) for s in np.linspace(2, 60, 120))
    assert weighted_tail(x, weights, numbers, mean) == pytest.approx(np.exp(best), rel=0.03)


# Exact errors: every table of small designs


def error_of(ends, laws, theta):
    """Exact probability of a miss; `ends` by the index of the table of every length."""
    return sum(
        float(np.prod([law[i] for law, i in zip(laws, index, strict=True)]))
        for index, (lower, upper) in ends.items()
        if not lower <= theta <= upper
    )


UNEQUAL = np.array([[2, 6], [5, 3]])
ROUGH = 0.7
"""A level at which tables this small have ends."""
TRUTHS = {
    "at the bar": [[0.6, 0.6], [0.6, 0.6]],
    "small cells carry the failures": [[0.2, 1.0], [1.0, 0.2]],
    "large cells carry the failures": [[1.0, 0.2], [0.2, 1.0]],
    "first just below": [[1.0, 0.199], [1.0, 1.0]],
    "first just below, small cell": [[0.199, 1.0], [1.0, 1.0]],
    "second just below": [[0.7, 0.8], [0.599, 0.6]],
    "bad then good": [[0.2, 0.9], [0.99, 0.99]],
}


@pytest.fixture(scope="module")
def unequal_ends():
    """Ends of the set for every table of a design of two lengths and two unequal depths."""
    counts = [list(itertools.product(*(range(n + 1) for n in row))) for row in UNEQUAL]
    criterion, ends = Criterion(0.6), {}
    for (i, first), (j, second) in itertools.product(enumerate(counts[0]), enumerate(counts[1])):
        grid = Cells.from_counts([1, 2], [0, 1], n_cases=UNEQUAL, successes=[first, second]).grid
        bounds = certify(grid, Fraction(3, 5), criterion, level=ROUGH)
        ends[i, j] = bounds.lower, bounds.upper
    return counts, ends


@pytest.mark.parametrize("name", TRUTHS)
def test_exact_error_of_unequal_cells(unequal_ends, name):
    counts, ends = unequal_ends
    rates = np.array(TRUTHS[name])
    passes = rates.mean(axis=1) >= 0.6 - 1e-12
    theta = int(np.cumprod(passes).sum())
    laws = [
        binom.pmf(np.array(counts[row]), UNEQUAL[row], rates[row]).prod(axis=1) for row in (0, 1)
    ]
    assert error_of(ends, laws, theta) <= 1 - ROUGH
    assert len(set(ends.values())) >= 5


def test_sure_cases_of_one_depth_do_not_certify_the_others():
    """A mean just below .85: one depth of 80 sure cases, ten of 5 cases just below .835."""
    n_cases = np.array([[80] + [5] * 10])
    law = binom.pmf(np.arange(51), 50, 0.8349)
    pooled = certified = 0.0
    for k, probability in enumerate(law):
        counts = np.array([80] + [k // 10 + (d < k % 10) for d in range(10)])
        grid = Cells.from_counts([1], np.arange(11) / 10, n_cases=n_cases, successes=[counts]).grid
        certified += (
            probability * certify(grid, Fraction(17, 20), Criterion(0.85), level=LEVEL).lower
        )
        pooled += probability * (binom.sf(counts.sum() - 1, n_cases.sum(), 0.85) <= 0.05)
    assert pooled > 0.85
    assert certified <= 0.025


@pytest.mark.parametrize("means", [[0.7, 0.7], [0.699, 1.0], [0.9, 0.699], [0.55, 0.85]])
@pytest.mark.parametrize("kind", ["halves", "0/1"])
def test_exact_error_of_graded_scores(means, kind):
    n, criterion = 12, Criterion(0.7)
    laws, ends = [], {}
    for mean in means:
        law = law_of_sum([scores_of_mean(mean, kind)] * n)
        laws.append({round(2 * total): p for total, p in law.items()})
    keys = [sorted(law) for law in laws]
    for first, second in itertools.product(*keys):
        rows = [[half / 2] for half in (first, second)]
        grid = Cells.from_counts([1, 2], [0.5], n_cases=n, successes=rows).grid
        if not grid.has_fractions:
            grid = graded(rows, n)
        bounds = certify(grid, Fraction(7, 10), criterion, level=LEVEL)
        ends[first, second] = bounds.lower, bounds.upper
    theta = int(np.cumprod(np.array(means) >= 0.7 - 1e-12).sum())
    assert error_of(ends, laws, theta) <= 1 - LEVEL


def graded(rows, n):
    """Make cells whose scores are known to be graded, though their sums are whole."""
    padded = [[*row, 0.5] for row in rows]
    grid = Cells.from_counts([1, 2], [0.5, 0.6], n_cases=[[n, 1]] * 2, successes=padded).grid
    return type(grid)(
        **{
            **{name: getattr(grid, name) for name in grid.__slots__},
            "depths": grid.depths[:1],
            "n_cases": grid.n_cases[:, :1],
            "n_trials": grid.n_trials[:, :1],
            "numerators": grid.numerators[:, :1],
        }
    )


# Clusters


def clustered(rng, rates, n_clusters, *, spans_lengths):
    """All cases of a cluster succeed or fail together: the hardest clusters there are."""
    n_lengths, n_depths = rates.shape
    luck = rng.random((1 if spans_lengths else n_lengths, n_clusters))
    length, depth, cluster = np.indices((n_lengths, n_depths, n_clusters)).reshape(3, -1)
    shared = np.zeros_like(length) if spans_lengths else length
    return Trials.from_frame(
        pd.DataFrame(
            {
                "length": 1000 * (length + 1),
                "depth": depth / max(n_depths - 1, 1),
                "case": np.arange(length.size).astype(str),
                "score": (luck[shared, cluster] < rates[length, depth]).astype(float),
                "cluster": [f"{a}-{b}" for a, b in zip(shared, cluster, strict=True)],
            }
        )
    )


@pytest.mark.parametrize("spans_lengths", [False, True])
@pytest.mark.parametrize("treatment", ["mean", "pooled", "worst", "quantile:0.5", "window:2"])
def test_error_of_clusters_that_succeed_and_fail_together(treatment, spans_lengths):
    rates, n_tables, rng = np.full((4, 3), 0.7), 60, np.random.default_rng(1)
    criterion = Criterion(0.7, depth_treatment=treatment)
    misses = 0
    for _ in range(n_tables):
        cells = count_cells(clustered(rng, rates, 30, spans_lengths=spans_lengths))
        bounds = certify(cells.grid, Fraction(7, 10), criterion, level=LEVEL)
        misses += not bounds.lower <= 4 <= bounds.upper
    assert misses / n_tables <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / n_tables)


def test_clusters_of_unequal_size_are_dominated_by_equal_ones():
    shares = np.array([0.5, 0.2, 0.2, 0.1])
    weight, n = Units(shares, np.ones(4, dtype=np.int64), 0.0, is_binary=False)._coarse()
    assert (weight, n) == (0.5, 4)
    weight, n = Units(np.full(2, 0.5), np.array([3, 40]), 0.0, is_binary=True)._coarse()
    assert (weight, n) == (pytest.approx(1 / 6), 6)


def test_units_are_clusters_only_where_cases_share_them():
    rng = np.random.default_rng(0)
    grid = count_cells(clustered(rng, np.full((2, 3), 0.8), 5, spans_lengths=True)).grid
    row, cell = np.zeros((2, 3)), np.zeros((2, 3))
    row[0], cell[0, 0] = 1 / 15, 1 / 5
    assert units_of(grid, row).sizes.tolist() == [1] * 5
    assert not units_of(grid, row).is_binary
    assert units_of(grid, cell).sizes.tolist() == [5]
    assert units_of(grid, cell).is_binary


# What comes out


def test_the_default_names_jeffreys_and_certified_stands_beside_it():
    n_cases = np.array([[40, 38, 40], [40, 40, 21]])
    cells = Cells.from_counts([1000, 2000], [0, 0.5, 1], n_cases=n_cases, successes=n_cases - 1)
    default, certified = effective_length(
        cells, Criterion(0.85), sets=("default", "certified")
    ).observed.sets
    assert (default.kind, default.fell_back_from.kind) == ("jeffreys", "certified")
    assert (certified.kind, certified.fell_back_from) == ("certified", None)
    assert (certified.lower, certified.upper) == (2, 2)
    assert "independent units" in certified.diagnostics["construction"]


def test_an_average_over_tasks_is_certified_on_request():
    one, two = (
        Cells.from_counts(
            [1000, 2000], np.arange(d) / d, n_cases=n, successes=[[n] * d, [n // 4] * d], task=t
        )
        for t, d, n in (("a", 2, 40), ("b", 3, 60))
    )
    both = average_tasks(Cells(grids=(one.grid, two.grid)))
    answer = effective_length(both, Criterion(0.85), sets=("certified",))
    certified = next(found for found in answer.observed.sets if found.kind == "certified")
    assert (certified.lower, certified.upper) == (1, 1)


@pytest.mark.parametrize("treatment", ["mean", "window:2"])
def test_a_length_that_lacks_a_depth_is_not_accepted(treatment):
    n_cases = np.full((3, 3), 60)
    n_cases[1, 2] = 0
    grid = Cells.from_counts([1, 2, 3], [0, 0.5, 1], n_cases=n_cases, successes=n_cases).grid
    bounds = certify(
        grid, Fraction(17, 20), Criterion(0.85, depth_treatment=treatment), level=LEVEL
    )
    assert (bounds.lower, bounds.upper) == (1, 3)


@given(st.data())
@settings(max_examples=25, deadline=None)
@pytest.mark.parametrize("treatment", ["mean", "window:2"])
def test_a_success_more_never_lowers_an_end(treatment, data):
    n = np.array([[20, 9, 30], [12, 25, 6]])
    k = np.array([[data.draw(st.integers(0, size)) for size in row] for row in n.tolist()])
    row, depth = data.draw(st.integers(0, 1)), data.draw(st.integers(0, 2))
    better = k.copy()
    better[row, depth] = min(n[row, depth], better[row, depth] + 1)
    criterion = Criterion(0.7, depth_treatment=treatment)
    before, after = (
        certify(
            Cells.from_counts([1, 2], [0, 0.5, 1], n_cases=n, successes=table).grid,
            Fraction(7, 10),
            criterion,
            level=LEVEL,
        )
        for table in (k, better)
    )
    assert after.lower >= before.lower
    assert after.upper >= before.upper
