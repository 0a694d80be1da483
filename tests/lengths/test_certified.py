"""Certified sets: their exact error over every outcome, on truths made to break them."""

import itertools
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom

from lcstats.cells import Cells, count_cells
from lcstats.lengths import Criterion, certification_floor, effective_length
from lcstats.lengths.binomial import at_least, at_most
from lcstats.lengths.certified import certify
from lcstats.lengths.certified.cells import certified_cells
from lcstats.lengths.certified.means import certified_mean, mean_levels
from lcstats.lengths.criterion import parse_treatment
from lcstats.trials import Trials

pytestmark = pytest.mark.filterwarnings("ignore::lcstats.errors.LcstatsWarning")
TAU = Fraction(17, 20)


def test_binomial_tails_agree_with_scipy():
    k, n, p = np.meshgrid(np.arange(-1, 9), np.arange(1, 8), [0.0, 0.3, 0.85, 1.0])
    np.testing.assert_allclose(at_least(k, n, p), binom.sf(k - 1, n, p), atol=1e-13)
    np.testing.assert_allclose(at_most(k, n, p), binom.cdf(k, n, p), atol=1e-13)


@pytest.mark.parametrize(
    ("error", "floors"), [(0.05, (14, 19, 29, 59, 299)), (0.025, (17, 23, 36, 72, 368))]
)
def test_certification_floors(error, floors):
    bars = ("0.8", "0.85", "0.9", "0.95", "0.99")
    assert tuple(certification_floor(Fraction(bar), error) for bar in bars) == floors
    for bar, floor in zip(bars, floors, strict=True):
        assert float(bar) ** floor <= error < float(bar) ** (floor - 1)


@pytest.mark.parametrize(
    ("n", "least", "lower", "upper"),
    [(5, 52, 0.0264, 0.0487), (20, 197, 0.0320, 0.0468), (80, 766, 0.0472, 0.0358)],
)
def test_levels_of_the_mean_as_derived(n, least, lower, upper):
    levels = mean_levels((11 * n,) * 8, TAU, 0.05)
    assert set(levels.least) == {least}
    assert levels.lower == pytest.approx(lower, abs=5e-5)
    assert levels.upper == pytest.approx(upper, abs=5e-5)


def poisson_binomial(rates):
    law = np.ones(1)
    for rate in rates:
        law = np.convolve(law, [1 - rate, rate])
    return law


def mean_set_error(rows, n, tau):
    """Exact probability that the certified set for the mean misses the truth."""
    accuracies = [np.mean(row) for row in rows]
    theta = 0
    while theta < len(rows) and accuracies[theta] >= float(tau) - 1e-12:
        theta += 1
    laws = [poisson_binomial(np.repeat(row, n)) for row in rows]
    size = n * len(rows[0])
    error = 0.0
    for counts in itertools.product(range(size + 1), repeat=len(rows)):
        probability = np.prod([law[k] for law, k in zip(laws, counts, strict=True)])
        if probability < 1e-14:
            continue
        bounds = certified_bounds(counts, size, len(rows), tau)
        error += probability * (not bounds[0] <= theta <= bounds[1])
    return error


_KNOWN: dict = {}


def certified_bounds(counts, size, n_lengths, tau):
    key = (counts, size, tau)
    if key not in _KNOWN:
        cells = Cells.from_counts(
            np.arange(1, n_lengths + 1),
            [0.5],
            n_cases=size,
            successes=np.array(counts)[:, None],
        )
        bounds = certified_mean(cells.grid, tau, level=0.95)
        _KNOWN[key] = (bounds.lower, bounds.upper)
    return _KNOWN[key]


HARD_ROWS = {
    "at the bar": [[0.7, 0.7], [0.7, 0.7]],
    "just below": [[0.7, 0.7], [0.699, 0.699]],
    "first just below": [[0.699, 0.699], [0.99, 0.99]],
    "uneven depths at the bar": [[1.0, 0.4], [1.0, 0.4]],
    "uneven, second below": [[1.0, 0.4], [0.999, 0.4]],
    "good then bad": [[0.95, 0.95], [0.69, 0.69]],
    "bad then good": [[0.5, 0.5], [0.9, 0.9]],
}


@pytest.mark.parametrize("name", HARD_ROWS)
@pytest.mark.parametrize("n", [4, 12])
def test_exact_error_of_the_mean_set(name, n):
    assert mean_set_error(HARD_ROWS[name], n, Fraction(7, 10)) <= 0.05


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_exact_error_of_the_mean_set_on_random_rows(seed):
    rng = np.random.default_rng(seed)
    rows = np.clip(0.7 + rng.normal(0, 0.15, size=(2, 3)), 0, 1)
    assert mean_set_error(rows.tolist(), 6, Fraction(7, 10)) <= 0.05


def order_set_error(rates, n, treatment, tau):
    """Exact probability that the set for worst depth or a quantile misses the truth."""
    rank = treatment.rank(rates.shape[1])
    theta = 0
    while theta < len(rates) and np.sort(rates[theta])[rank - 1] >= float(tau):
        theta += 1
    error = 0.0
    for counts in itertools.product(range(n + 1), repeat=rates.size):
        k = np.array(counts).reshape(rates.shape)
        probability = float(binom.pmf(k, n, rates).prod())
        if probability < 1e-12:
            continue
        cells = Cells.from_counts(
            np.arange(1, len(rates) + 1), np.linspace(0, 1, rates.shape[1]), n_cases=n, successes=k
        )
        bounds = certified_cells(cells.grid, tau, treatment, level=0.95)
        error += probability * (not bounds.lower <= theta <= bounds.upper)
    return error


@pytest.mark.parametrize("treatment", ["worst", "quantile:0.6"])
@pytest.mark.parametrize(
    "rates",
    [
        [[0.5, 0.5], [0.5, 0.5]],
        [[1.0, 0.49], [1.0, 1.0]],
        [[0.49, 0.49], [1.0, 1.0]],
        [[0.9, 0.5], [0.49, 0.4]],
        [[0.49, 0.49, 1.0]],
        [[0.5, 0.5, 0.5]],
    ],
)
def test_exact_error_of_the_order_set(treatment, rates):
    error = order_set_error(np.array(rates), 6, parse_treatment(treatment), Fraction(1, 2))
    assert error <= 0.05


def test_perfect_cells_certify_from_the_floor_on():
    criterion = Criterion(0.85, depth_treatment="worst")
    for n, lower in ((18, 0), (19, 2)):
        cells = Cells.from_counts([1000, 2000], [0, 1], n_cases=n, successes=np.full((2, 2), n))
        interval = effective_length(cells, criterion).observed.default_set
        assert (interval.lower, interval.upper, interval.floor) == (lower, 2, 19)


def test_one_hopeless_cell_rejects_its_length():
    successes = np.full((3, 4), 40)
    successes[1, 2] = 10
    cells = Cells.from_counts([1, 2, 3], [0, 0.3, 0.6, 1], n_cases=40, successes=successes)
    criterion = Criterion(0.85, depth_treatment="worst")
    interval = effective_length(cells, criterion).observed.default_set
    assert (interval.lower, interval.upper) == (1, 1)
    tolerant = Criterion(0.85, depth_treatment="quantile:0.5")
    assert effective_length(cells, tolerant).observed.default_set.upper == 3


def frame_of(**columns):
    base = pd.DataFrame(
        {
            "length": [1000] * 40,
            "depth": [0.0, 0.5] * 20,
            "case": np.arange(40).astype(str),
            "score": [1.0] * 40,
        }
    )
    return base.assign(**columns)


@pytest.mark.parametrize(
    ("frame", "criterion", "reason"),
    [
        (frame_of(score=[0.5, 1.0] * 20), Criterion(0.7), "graded scores"),
        (frame_of(cluster=np.repeat(np.arange(20).astype(str), 2)), Criterion(0.7), "clusters"),
        (frame_of(depth=[0.0] * 15 + [0.5] * 25), Criterion(0.7), "unequal numbers"),
    ],
)
def test_default_falls_back_to_jeffreys_by_name_and_reason(frame, criterion, reason):
    interval = effective_length(
        count_cells(Trials.from_frame(frame)), criterion
    ).observed.default_set
    assert interval.kind == "jeffreys"
    assert interval.fell_back_from.kind == "certified"
    assert reason in interval.fell_back_from.reason


def test_unbalanced_rows_are_certified_when_pooled():
    frame = frame_of(depth=[0.0] * 15 + [0.5] * 25)
    criterion = Criterion(0.85, depth_treatment="pooled")
    interval = effective_length(
        count_cells(Trials.from_frame(frame)), criterion
    ).observed.default_set
    assert interval.kind == "certified"
    assert interval.lower == 1


@pytest.mark.parametrize(
    ("n_clusters", "score", "ends"), [(1, 0.0, (0, 1)), (40, 0.0, (0, 0)), (40, 1.0, (1, 1))]
)
def test_clusters_within_cells_are_the_units_of_a_quantile(n_clusters, score, ends):
    frame = pd.concat([frame_of(score=score)] * 4, ignore_index=True)
    frame = frame.assign(
        case=np.arange(160).astype(str), cluster=(np.arange(160) % n_clusters).astype(str)
    )
    bounds = certify(
        count_cells(Trials.from_frame(frame)).grid,
        Fraction(7, 10),
        Criterion(0.7, depth_treatment="quantile:0.8"),
        level=0.95,
    )
    assert (bounds.lower, bounds.upper) == ends
