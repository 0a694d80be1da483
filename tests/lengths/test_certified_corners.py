"""Certified sets at the corners of what they are for: few and many cases, depths, lengths; any bar.

Errors of the mean are exact at any size: lengths are independent, so a rejection of H_theta and the
acceptance of a bad length are products of Poisson-binomial tails. Worst depth, quantiles and
windows are enumerated where tables are few, and simulated on truths made to break them where not.
"""

import itertools
from fractions import Fraction

import numpy as np
import pytest
from scipy.special import betaincinv
from scipy.stats import binom

from lcstats.cells import Cells
from lcstats.lengths import Criterion
from lcstats.lengths.certified import certify
from lcstats.lengths.certified.bounds import spend
from lcstats.lengths.certified.means import low_tails, mean_levels

ERROR = 0.05
NEARLY = 1e-9

# The mean, exactly


def law_of_row(rates, n):
    """Law of a length's successes, n cases at every rate."""
    law = np.ones(1)
    for rate, number in zip(*np.unique(rates, return_counts=True), strict=True):
        law = np.convolve(law, binom.pmf(np.arange(n * number + 1), n * number, rate))
    return law


def mean_error(levels, laws, theta, n_cases, tau):
    """Sum of both ends' exact error probabilities; `laws` of the lengths up to theta + 1."""
    accepted = [law[least:].sum() for law, least in zip(laws, levels.least, strict=False)]
    lower = np.prod(accepted[: theta + 1]) if len(laws) > theta else 0.0
    kept = 1.0
    for law, limit in zip(laws[:theta], spend(theta, levels.upper) if theta else (), strict=True):
        tails = low_tails(np.arange(law.size), np.full(law.size, n_cases), tau)
        kept *= law[tails > limit].sum()
    return lower + 1 - kept


def spreads(accuracy, n_depths):
    """Depths with a given mean: all alike; as many perfect as can be; as many hopeless."""
    total = accuracy * n_depths
    whole = int(total)
    hopeless = np.array([1.0] * whole + [total - whole] + [0.0] * n_depths)[:n_depths]
    perfect = np.array([1.0] * (n_depths - 1) + [max(total - n_depths + 1, 0.0)])
    return [np.full(n_depths, accuracy), hopeless] + [perfect] * int(total >= n_depths - 1)


@pytest.mark.parametrize("bar", ["0.5", "0.7", "0.85", "0.95", "0.99"])
@pytest.mark.parametrize("n", [3, 20, 200])
def test_exact_error_of_the_mean_from_small_to_large(n, bar):
    tau, worst = Fraction(bar), 0.0
    for n_depths, n_lengths in itertools.product((3, 21), (2, 20)):
        size = n * n_depths
        levels = mean_levels((size,) * n_lengths, tau, ERROR)
        least = levels.least[0]
        near = [betaincinv(least, size - least + 1, d) if least <= size else 0 for d in (0.05, 0.5)]
        for good in {float(tau), *(max(float(tau), rate) for rate in near)}:
            for good_row, bad_row in itertools.product(
                spreads(min(good, 1.0), n_depths), spreads(float(tau) - NEARLY, n_depths)
            ):
                laws = law_of_row(good_row, n), law_of_row(bad_row, n)
                for theta in {0, 1, n_lengths - 1, n_lengths}:
                    rows = [laws[0]] * theta + [laws[1]] * (theta < n_lengths)
                    worst = max(worst, mean_error(levels, rows, theta, size, tau))
    assert worst <= ERROR
    assert worst > 0.2 * ERROR


# Parts of a length, every table


def ends_of(k, n, tau, treatment):
    k = np.asarray(k)
    depths = np.linspace(0, 1, k.shape[1])
    grid = Cells.from_counts(np.arange(1, len(k) + 1), depths, n_cases=n, successes=k).grid
    bounds = certify(grid, tau, Criterion(tau, depth_treatment=treatment), level=1 - ERROR)
    return bounds.lower, bounds.upper


def true_outcome(rates, treatment, tau):
    treated = {
        "worst": lambda row: row.min(),
        "quantile:0.6": lambda row: np.sort(row)[int(np.ceil(0.6 * row.size)) - 1],
        "quantile:0.1": lambda row: np.sort(row)[int(np.ceil(0.1 * row.size)) - 1],
        "window:2": lambda row: np.convolve(row, [0.5, 0.5], "valid").min(),
    }[treatment]
    return int(np.cumprod([treated(row) >= float(tau) - 1e-12 for row in rates]).sum())


@pytest.mark.parametrize("bar", ["0.5", "0.9", "0.99"])
@pytest.mark.parametrize("treatment", ["worst", "quantile:0.6", "window:2"])
@pytest.mark.parametrize(("n", "shape"), [(3, (2, 2)), (3, (1, 3)), (14, (1, 2)), (5, (3, 1))])
def test_exact_error_of_small_tables(n, shape, treatment, bar):
    if treatment == "window:2" and shape[1] < 2:
        return
    tau = Fraction(bar)
    tables = np.array(list(itertools.product(range(n + 1), repeat=shape[0] * shape[1])))
    tables = tables.reshape(-1, *shape)
    ends = np.array([ends_of(k, n, tau, treatment) for k in tables])
    low, at = float(tau) - NEARLY, float(tau)
    for values in itertools.product((low, at, 1.0), repeat=shape[0]):
        for uneven in (False, True):
            rates = np.repeat(np.array(values)[:, None], shape[1], axis=1)
            if uneven and shape[1] > 1:
                rates[:, 1:] = 1.0
            probability = binom.pmf(tables, n, rates).prod(axis=(1, 2))
            theta = true_outcome(rates, treatment, tau)
            error = probability[(ends[:, 0] > theta) | (ends[:, 1] < theta)].sum()
            assert error <= ERROR, (values, uneven)


# Parts of a length, at realistic and extreme sizes


def hard_rates(name, n, n_depths, n_lengths, tau):
    """Accuracies to break a set; between the ends, good lengths are accepted half the time."""
    rates = np.full((n_lengths, n_depths), float(tau))
    half = n_lengths // 2
    if name == "last length just below in one cell":
        rates[:] = 1.0
        rates[-1, n_depths // 2] = float(tau) - NEARLY
    if name == "between the ends":
        tails = binom.sf(np.arange(n + 1) - 1, n, float(tau))
        least = int(np.argmax(tails <= ERROR)) if (tails <= ERROR).any() else n
        each = 0.5 ** (1 / (half * n_depths))
        rates[:half] = max(float(tau), betaincinv(least, n - least + 1, each))
        rates[half:] = 1.0
        rates[half, 0] = float(tau) - NEARLY
    if name == "good, then at the bar":
        rates[:half] = 1 - (1 - float(tau)) / 4
    return rates


CORNERS = [
    (3, 3, 2, "0.5"),
    (3, 21, 20, "0.5"),
    (3, 21, 2, "0.99"),
    (59, 5, 20, "0.95"),
    (200, 3, 20, "0.5"),
    (200, 21, 2, "0.99"),
]
HARD = (
    "all at the bar",
    "last length just below in one cell",
    "between the ends",
    "good, then at the bar",
)


@pytest.mark.slow
@pytest.mark.parametrize("treatment", ["worst", "quantile:0.1", "window:2"])
@pytest.mark.parametrize(("n", "n_depths", "n_lengths", "bar"), CORNERS)
@pytest.mark.parametrize("name", HARD)
def test_error_at_the_corners(n, n_depths, n_lengths, bar, treatment, name):
    tau, n_tables = Fraction(bar), 200
    rates = hard_rates(name, n, n_depths, n_lengths, tau)
    theta = true_outcome(rates, treatment, tau)
    rng = np.random.default_rng(7)
    misses = 0
    for _ in range(n_tables):
        lower, upper = ends_of(rng.binomial(n, rates), n, tau, treatment)
        misses += not lower <= theta <= upper
    assert misses / n_tables <= ERROR + 3 * np.sqrt(ERROR * (1 - ERROR) / n_tables)
