"""Goodness of fit: passes a right curve, catches wrong ones, and repeats itself."""

import numpy as np
import pandas as pd
import pytest

from lcstats import truths
from lcstats.cells import Cells, count_cells
from lcstats.curve import Curve
from lcstats.errors import OptionError
from lcstats.fit import fit_curve, goodness_of_fit
from lcstats.fit.goodness import statistics
from lcstats.trials import Trials

pytestmark = pytest.mark.filterwarnings("ignore::lcstats.errors.LcstatsWarning")

LENGTHS = 1024 * 2 ** np.arange(8)
DEPTHS = np.linspace(0, 1, 11)


def cells_of(name, n, seed):
    accuracy = truths.get_truth(name).accuracy(LENGTHS, DEPTHS)
    successes = np.random.default_rng(seed).binomial(n, accuracy)
    return Cells.from_counts(LENGTHS, DEPTHS, n_cases=n, successes=successes)


def rejected(name, n, n_tables, n_simulations=199):
    verdicts = [
        goodness_of_fit(fit_curve(cells_of(name, n, seed)), n_simulations=n_simulations).passes
        for seed in range(n_tables)
    ]
    return n_tables - sum(verdicts)


def test_a_right_curve_is_rarely_rejected():
    assert rejected("single-needle", 20, 40) <= 7


@pytest.mark.parametrize(("truth", "n"), [("cliff", 20), ("one-bad-depth", 20)])
def test_a_wrong_curve_is_caught(truth, n):
    assert rejected(truth, n, 10) == 10


def test_the_worst_residual_is_where_the_data_are_off():
    accuracy = Curve(4.2, 0.3, 1.9, 0.6).accuracy(LENGTHS, DEPTHS)
    successes = np.rint(100 * accuracy).astype(int)
    successes[5, 3] = 20
    cells = Cells.from_counts(LENGTHS, DEPTHS, n_cases=100, successes=successes)
    result = goodness_of_fit(fit_curve(cells))
    assert (result.worst_length, result.worst_depth) == (LENGTHS[5], pytest.approx(0.3))
    assert result.worst_residual == pytest.approx(np.nanmin(result.residuals))
    assert not result.passes
    assert "do not quote its numbers" in result.notice().message


def test_statistics_by_hand():
    cells = Cells.from_counts([1024, 2048], [0.0, 0.5], n_cases=10, successes=[[9, 8], [6, 3]])
    fit = fit_curve(cells, terms=("intercept",))
    p = np.full(4, 0.5)
    found = statistics(fit, fit.cells.successes[None], p[None])[:, 0]
    pearson = (np.array([9, 8, 6, 3]) - 5) / np.sqrt(2.5)
    by_length = ((9 + 8 - 10) ** 2 + (6 + 3 - 10) ** 2) / 5
    by_depth = ((9 + 6 - 10) ** 2 + (8 + 3 - 10) ** 2) / 5
    expected = [by_length, by_depth, (pearson**2).sum(), (pearson**2).max()]
    np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_the_overall_p_value_is_calibrated_between_the_smallest_and_bonferroni():
    for seed in range(5):
        result = goodness_of_fit(fit_curve(cells_of("single-needle", 20, seed)), seed=seed)
        smallest = min(result.p_values.values())
        assert smallest <= result.p_value <= min(1.0, 4 * smallest)


def test_equal_seeds_give_equal_results_on_any_number_of_threads():
    fit = fit_curve(cells_of("single-needle", 5, 1))
    first, second = (goodness_of_fit(fit, seed=7, n_threads=n) for n in (1, 2))
    assert first.to_dict() == second.to_dict()
    assert goodness_of_fit(fit, seed=8).to_dict() != first.to_dict()


def test_what_cannot_be_tested_is_refused_with_the_mend():
    frame = pd.DataFrame({"length": [1024, 2048] * 10, "score": [0.5, 0.25] * 10})
    graded = fit_curve(count_cells(Trials.from_frame(frame)))
    with pytest.raises(OptionError, match="pass a score threshold"):
        goodness_of_fit(graded)
    fit = fit_curve(cells_of("single-needle", 5, 1))
    with pytest.raises(OptionError, match="or leave it out"):
        goodness_of_fit(fit, n_simulations=10)


def test_a_curve_with_as_many_parameters_as_cells_is_not_tested():
    cells = Cells.from_counts([4096, 8192], [0.5], n_cases=20, successes=[[12], [5]])
    fit = fit_curve(cells, terms=("intercept", "length"), penalty="none")
    with pytest.raises(OptionError, match="fit fewer terms with terms="):
        goodness_of_fit(fit)


def test_residuals_are_pooled_only_over_several_lengths_or_depths():
    cells = Cells.from_counts(
        [4096, 8192, 16384, 32768], [0.5], n_cases=40, successes=[[39], [36], [31], [20]]
    )
    found = goodness_of_fit(fit_curve(cells, terms=("intercept", "length")))
    assert set(found.p_values) == {"by_length", "cell_wise", "largest_cell"}
