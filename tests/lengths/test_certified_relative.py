"""The certified set where the bar is a share of a measured base."""

import itertools
from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import binom

from lcstats.cells import Cells
from lcstats.lengths import Criterion, effective_length
from lcstats.lengths.certified.relative import certified_relative

pytestmark = pytest.mark.filterwarnings("ignore::lcstats.errors.LcstatsWarning")


def grid_of(k, n):
    return Cells.from_counts(
        np.arange(1, len(k) + 1),
        [0.5],
        n_cases=np.reshape(n, (-1, 1)),
        successes=np.reshape(k, (-1, 1)),
    ).grid


@pytest.mark.parametrize("base_lengths", [(), (1, 2)])
@pytest.mark.parametrize(
    "rates",
    [(0.9, 0.63, 0.63), (0.9, 0.62, 0.9), (0.5, 0.35, 0.3), (1.0, 0.7, 0.69), (0.8, 0.8, 0.55)],
)
def test_exact_error_over_all_tables(rates, base_lengths):
    n, share = 10, Fraction(7, 10)
    criterion = Criterion(share, rule="relative", base_lengths=base_lengths)
    base = np.mean([rates[i - 1] for i in base_lengths] or rates[0])
    passes = [rate >= 0.7 * base - 1e-12 for rate in rates]
    theta = passes.index(False) if False in passes else 3
    error = 0.0
    for k in itertools.product(range(n + 1), repeat=3):
        probability = float(binom.pmf(k, n, rates).prod())
        if probability > 1e-9:
            bounds = certified_relative(grid_of(k, [n] * 3), criterion, level=0.9)
            error += probability * (not bounds.lower <= theta <= bounds.upper)
    assert error <= 0.1


def test_it_is_the_default_and_holds_its_point():
    cells = Cells.from_counts(
        [1000, 2000, 4000], [0, 1], n_cases=60, successes=[[58, 57], [55, 56], [20, 25]]
    )
    interval = effective_length(cells, Criterion(0.85, rule="relative")).observed.default_set
    assert interval.kind == "certified"
    assert interval.fell_back_from is None
    assert (interval.lower, interval.upper) == (2, 2)
    diagnostics = interval.diagnostics
    assert diagnostics["base_lower"] < 115 / 120 < diagnostics["base_upper"]


def test_a_length_that_is_the_base_always_passes():
    bounds = certified_relative(
        grid_of([0, 0], [5, 5]), Criterion(1.0, rule="relative"), level=0.95
    )
    assert bounds.lower == 1


def test_base_lengths_of_other_sizes_have_an_interval_each():
    criterion = Criterion(0.8, rule="relative", base_lengths=(1, 2))
    bounds = certified_relative(grid_of([90, 18, 20], [100, 20, 100]), criterion, level=0.95)
    assert bounds.diagnostics["base_lower"] < 0.9 < bounds.diagnostics["base_upper"]
    assert bounds.upper == 2
