"""Certified sets for worst depth, quantiles and windows: laws, exact errors, hard truths."""

import itertools
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom

from lcstats.cells import Cells, count_cells
from lcstats.kernels.scan import ratio_tables, rectangle_sizes, scan_rectangles, subset_means
from lcstats.lengths import Criterion, effective_length
from lcstats.lengths.certified import certify, nulls
from lcstats.lengths.certified.bounded import certified_bounded
from lcstats.lengths.certified.bounds import highest_kept, upper_level
from lcstats.lengths.certified.ranks import RankDesign, rank_levels
from lcstats.lengths.certified.scan import Design, certified_worst, law_at_bar, scan_levels
from lcstats.trials import Trials

pytestmark = pytest.mark.filterwarnings("ignore::lcstats.errors.LcstatsWarning")
TAU = Fraction(17, 20)


def grid_of(k, n):
    k = np.asarray(k)
    depths = np.linspace(0, 1, k.shape[1])
    return Cells.from_counts(np.arange(1, len(k) + 1), depths, n_cases=n, successes=k).grid


def bounds_of(k, n, tau, treatment):
    bounds = certify(grid_of(k, n), tau, Criterion(tau, depth_treatment=treatment), level=0.95)
    return bounds.lower, bounds.upper


# What the statistics are


def test_scan_adds_up_the_ratios_of_all_rectangles():
    rng = np.random.default_rng(0)
    n = np.array([[3, 5, 4, 2], [6, 1, 0, 3]])
    k = rng.integers(0, n + 1)
    right, wrong = np.log([0.8, 0.4]), np.log([1.5, 3.0])
    expected = 0.0
    for top, width in itertools.product((0, 1), range(1, 5)):
        for start in range(5 - width):
            part = np.s_[top:, start : start + width]
            x, size = k[part].sum(), n[part].sum()
            expected += np.exp(x * right + (size - x) * wrong).sum() / width / (5 - width)
    tables = ratio_tables(rectangle_sizes(n), right, wrong, 600.0)
    assert scan_rectangles(k[None], *tables)[0] == pytest.approx(expected, rel=1e-12)


def test_subset_means_are_elementary_symmetric_polynomials():
    ratios = np.random.default_rng(1).lognormal(size=(2, 6))
    expected = [
        [np.mean([np.prod(c) for c in itertools.combinations(row, w)]) for w in range(1, 7)]
        for row in ratios
    ]
    np.testing.assert_allclose(subset_means(ratios), expected, rtol=1e-12)


def test_ratios_beyond_floating_point_stay_comparable():
    n = np.full((1, 2), 5000)
    tables = ratio_tables(rectangle_sizes(n), np.log([0.1]), np.log([6.0]), 600.0)
    sums = scan_rectangles(np.array([[[0, 0]], [[5000, 5000]]]), *tables)
    assert np.isfinite(sums).all()
    assert sums[0] > sums[1]


# Levels


@pytest.mark.parametrize(
    ("n", "least", "lower", "upper"),
    [(5, 6, 0.0, 0.05), (20, 20, 0.0388, 0.0461), (80, 74, 0.0345, 0.0465)],
)
def test_levels_of_the_scan_as_derived(n, least, lower, upper):
    levels = scan_levels(Design(((n,) * 11,) * 8, TAU), 0.05)
    assert set(levels.least) == {least}
    assert levels.lower == pytest.approx(lower, abs=5e-5)
    assert levels.upper == pytest.approx(upper, abs=5e-5)


def test_levels_of_a_quantile_count_the_smallest_cells_together():
    levels = rank_levels(RankDesign((20,) * 8, 11, 2, TAU), 0.05)
    assert set(levels.least) == {38}
    assert levels.lower == pytest.approx(binom.sf(37, 40, 0.85), rel=1e-9)
    assert levels.upper > 0.03


def test_nothing_is_left_for_the_upper_end_unless_both_errors_are_unlikely_together():
    assert upper_level(0.05, 0.04, lambda delta, upper: 1.0) == pytest.approx(0.01)
    assert upper_level(0.05, 0.04, lambda delta, upper: 0.0) == pytest.approx(0.05 - 0.02 * 0.04)
    assert upper_level(0.05, 0.04, lambda delta, upper: 0.02 * (delta < 0.2)) == pytest.approx(
        0.05 - 0.2 * 0.04
    )


def test_one_rejected_length_does_not_end_the_set():
    assert highest_kept(np.array([0.5, 0.03, 0.5]), 0.05) == 3
    assert highest_kept(np.array([0.5, 0.004, 0.5]), 0.05) == 1


# Exact errors: every table of small designs


RATES = {
    "all at the bar": [[0.5, 0.5], [0.5, 0.5]],
    "one cell just below": [[1.0, 0.499], [1.0, 1.0]],
    "second length just below": [[0.5, 0.5], [0.499, 1.0]],
    "both just below": [[0.499, 0.499], [1.0, 1.0]],
    "good then bad": [[0.95, 0.9], [0.499, 0.4]],
    "bad then good": [[0.3, 0.9], [0.9, 0.9]],
    "one depth never works": [[0.0, 0.5], [0.0, 0.5]],
    "uneven": [[1.0, 0.0], [1.0, 0.001]],
}


@pytest.mark.parametrize("treatment", ["worst", "quantile:0.6", "window:2"])
def test_exact_error(treatment):
    n, tau = 5, Fraction(1, 2)
    tables = np.array(list(itertools.product(range(n + 1), repeat=4))).reshape(-1, 2, 2)
    ends = np.array([bounds_of(k, n, tau, treatment) for k in tables])
    for name, rows in RATES.items():
        rates = np.array(rows)
        theta = true_outcome(rates, treatment, 0.5)
        probability = binom.pmf(tables, n, rates).prod(axis=(1, 2))
        error = probability[(ends[:, 0] > theta) | (ends[:, 1] < theta)].sum()
        assert error <= 0.05, name


def true_outcome(rates, treatment, tau):
    reduce = {
        "worst": lambda row: row.min(),
        "quantile:0.1": lambda row: np.sort(row)[1],
        "quantile:0.6": lambda row: np.sort(row)[1],
        "window:2": lambda row: np.convolve(row, [0.5, 0.5], "valid").min(),
        "window:3": lambda row: np.convolve(row, np.full(3, 1 / 3), "valid").min(),
    }[treatment]
    passes = [reduce(row) >= tau - 1e-12 for row in rates]
    return passes.index(False) if False in passes else len(passes)


# Hard truths of realistic designs: the error is at most .05 and three Monte Carlo errors


def hard_rates(name):
    rates = np.full((6, 11), 0.85)
    if name == "a cell just below":
        rates[:] = 1.0
        rates[3, 5] = 0.8499
    if name == "a stretch just below":
        rates[:] = 0.99
        rates[3, 4:7] = 0.8499
    if name == "two cells never work":
        rates[:, 2] = 0.0
    if name == "first length just below":
        rates[:] = 0.97
        rates[0, 0] = 0.8499
    return rates


@pytest.mark.parametrize(
    "name", ["all at the bar", "a cell just below", "a stretch just below", "two cells never work"]
)
@pytest.mark.parametrize("treatment", ["worst", "quantile:0.1", "window:3"])
@pytest.mark.parametrize("n", [5, 20])
def test_error_on_hard_truths(name, treatment, n):
    rates, n_tables = hard_rates(name), 250
    theta = true_outcome(rates, treatment, 0.85)
    rng = np.random.default_rng(11)
    misses = 0
    for _ in range(n_tables):
        lower, upper = bounds_of(rng.binomial(n, rates), n, TAU, treatment)
        misses += not lower <= theta <= upper
    assert misses / n_tables <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / n_tables)


def test_a_level_that_is_not_kept_would_show():
    rates = np.full((6, 11), 0.85)
    rng = np.random.default_rng(5)
    uppers = [
        certified_worst(grid_of(rng.binomial(20, rates), 20), TAU, level=0.7).upper
        for _ in range(400)
    ]
    assert np.mean(np.array(uppers) < 6) > 0.15


# What may not matter, and what must


@given(st.data())
@settings(max_examples=25, deadline=None)
@pytest.mark.parametrize("treatment", ["worst", "quantile:0.6", "window:2"])
def test_a_success_more_never_lowers_an_end(treatment, data):
    n = data.draw(st.sampled_from([6, 25]))
    cells = st.lists(st.integers(0, n), min_size=9, max_size=9)
    k = np.array(data.draw(cells)).reshape(3, 3)
    row, depth = data.draw(st.integers(0, 2)), data.draw(st.integers(0, 2))
    better = k.copy()
    better[row, depth] = min(n, better[row, depth] + 1)
    before, after = (bounds_of(table, n, Fraction(4, 5), treatment) for table in (k, better))
    assert after[0] >= before[0]
    assert after[1] >= before[1]


def test_unequal_numbers_are_certified_without_leaving_cases_out():
    n = np.array([[20, 19, 20], [40, 20, 25], [20, 20, 20]])
    lower, upper = bounds_of(n, n, TAU, "worst")
    assert (lower, upper) == (3, 3)
    k = n.copy()
    k[1, 0] = 20
    assert bounds_of(k, n, TAU, "worst") == (1, 1)


def test_a_length_that_lacks_a_depth_is_never_accepted():
    n = np.full((3, 3), 30)
    n[1, 2] = 0
    assert bounds_of(n, n, TAU, "worst") == (1, 3)


def test_a_bar_of_one_is_refuted_by_one_failure():
    k = np.full((3, 2), 50)
    k[1, 1] = 49
    assert bounds_of(k, 50, Fraction(1), "worst") == (0, 1)


# Graded scores and clusters


def frame(rng, rates, n, *, graded=False, clusters="none"):
    rows = []
    for i, row in enumerate(rates):
        common = rng.random(n)
        for d, rate in enumerate(row):
            draws = common if clusters == "rows" else rng.random(n)
            right = (draws < rate).astype(float)
            score = (
                right
                if not graded
                else np.where(right > 0, 1.0, 0.0) * 0.5 + 0.5 * (rng.random(n) < rate)
            )
            rows += [
                {
                    "length": 1000 * (i + 1),
                    "depth": (d + 1) / (len(row) + 1),
                    "case": f"{i}-{d}-{c}",
                    "score": s,
                    "cluster": f"{i}-{c}" if clusters == "rows" else f"{i}-{d}-{c}",
                }
                for c, s in enumerate(score)
            ]
    return pd.DataFrame(rows)


@pytest.mark.parametrize(("graded", "clusters"), [(True, "none"), (False, "rows"), (True, "rows")])
def test_error_of_graded_and_clustered_tables(graded, clusters):
    rates, n_tables = np.full((3, 4), 0.7), 30
    rng = np.random.default_rng(3)
    misses = 0
    for _ in range(n_tables):
        table = frame(rng, rates, 15, graded=graded, clusters=clusters)
        grid = count_cells(Trials.from_frame(table)).grid
        bounds = certified_bounded(grid, Fraction(7, 10), level=0.95)
        misses += not bounds.lower <= 3 <= bounds.upper
    assert misses / n_tables <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / n_tables)


def test_clusters_are_the_units():
    rng = np.random.default_rng(0)
    bad = np.array([[1.0, 1.0], [0.3, 0.3]])
    apart = frame(rng, bad, 12)
    shared = apart.assign(cluster="one")
    criterion = Criterion(0.7, depth_treatment="worst")
    sets = [
        effective_length(count_cells(Trials.from_frame(table)), criterion).observed.default_set
        for table in (apart, shared)
    ]
    assert sets[0].upper == 1
    assert (sets[1].lower, sets[1].upper) == (0, 2)


def test_graded_scores_below_the_bar_are_seen():
    rng = np.random.default_rng(0)
    table = frame(rng, np.array([[0.99, 0.99], [0.3, 0.3]]), 40, graded=True)
    criterion = Criterion(0.7, depth_treatment="worst")
    interval = effective_length(
        count_cells(Trials.from_frame(table)), criterion
    ).observed.default_set
    assert (interval.lower, interval.upper) == (1, 1)


# The law that is kept on disk


def test_a_law_is_kept_and_read_again(tmp_path, monkeypatch):
    monkeypatch.setenv("LCSTATS_CACHE_DIR", str(tmp_path))
    calls = []

    def simulate():
        calls.append(1)
        return np.array([3.0, 1.0, 2.0])

    first, second = nulls.kept_law("a", simulate), nulls.kept_law("a", simulate)
    np.testing.assert_array_equal(first.values, [1, 2, 3])
    np.testing.assert_array_equal(second.values, first.values)
    assert len(calls) == 1
    nulls.kept_law("b", simulate)
    assert len(calls) == 2
    assert {path.suffix for path in tmp_path.rglob("*") if path.is_file()} == {".npy"}


@pytest.mark.parametrize("content", [b"", b"no numpy file", b"\x93NUMPY"])
def test_a_damaged_law_is_made_again(tmp_path, monkeypatch, content):
    monkeypatch.setenv("LCSTATS_CACHE_DIR", str(tmp_path))
    path = nulls.law_path("a")
    path.parent.mkdir(parents=True)
    path.write_bytes(content)
    law = nulls.kept_law("a", lambda: np.array([2.0, 1.0]))
    np.testing.assert_array_equal(law.values, [1, 2])
    np.testing.assert_array_equal(np.load(path), [1, 2])


def test_no_folder_to_write_to_is_no_fault(tmp_path, monkeypatch):
    blocked = tmp_path / "file"
    blocked.write_text("")
    monkeypatch.setenv("LCSTATS_CACHE_DIR", str(blocked))
    np.testing.assert_array_equal(nulls.kept_law("a", lambda: np.ones(2)).values, [1, 1])
    assert blocked.read_text() == ""


def test_p_values_bound_the_share_from_above():
    law = law_at_bar(((6, 6),), Fraction(1, 2), 65536)
    values = np.unique(law.values)[[3, -5, -1]]
    exact = [np.mean(law.values >= value) for value in values]
    p_values = law.p_values(values)
    assert np.all(p_values > exact)
    assert np.all(p_values < np.array(exact) * 1.2 + 1e-3)
    for limit in (0.01, 0.05, 0.3):
        assert law.n_rejected(law.values, limit) == np.sum(law.p_values(law.values) <= limit)
