"""Tests of whether a term is needed."""

import json
from math import comb

import numpy as np
import pytest
import statsmodels.api as sm
from scipy.stats import chi2

from lcstats.cells import Cells
from lcstats.errors import OptionError
from lcstats.fit import CurveFit, compare_terms, fit_curve

LENGTHS, DEPTHS = [4096, 8192, 16384, 32768, 65536], [0.0, 0.25, 0.5, 0.75, 1.0]
WITHOUT, WITH = ("intercept", "length", "recency"), ("intercept", "length", "middle", "recency")


def table(dip: float, n_cases: int = 20, seed: int = 1) -> Cells:
    rng = np.random.default_rng(seed)
    doublings, depth = np.log2(np.array(LENGTHS) / 1024)[:, None], np.array(DEPTHS)[None]
    logit = 3.2 - 0.35 * doublings - dip * 4 * depth * (1 - depth)
    counts = rng.binomial(n_cases, 1 / (1 + np.exp(-logit)))
    return Cells.from_counts(LENGTHS, DEPTHS, n_cases=n_cases, successes=counts)


def replace_cases(cells: Cells, n_cases: int) -> Cells:
    return Cells.from_counts(LENGTHS, DEPTHS, n_cases=n_cases, successes=cells.grid.successes)


def fits(cells: Cells, **options) -> tuple[CurveFit, CurveFit]:
    return fit_curve(cells, terms=WITHOUT, **options), fit_curve(cells, terms=WITH, **options)


def test_statistic_and_aic_agree_with_statsmodels():
    smaller, larger = fits(table(1.0), penalty="none")
    test = compare_terms(smaller, larger, n_simulations=99)
    assert test.terms == ("middle",)
    n, k = larger.cells.n_cases, larger.cells.successes
    results = [
        sm.GLM(np.column_stack([k, n - k]), fit.design, family=sm.families.Binomial()).fit(
            tol=1e-12
        )
        for fit in (smaller, larger)
    ]
    statistic = results[0].deviance - results[1].deviance
    assert test.statistic == pytest.approx(statistic, abs=1e-8)
    assert test.aic_difference == pytest.approx(results[1].aic - results[0].aic, abs=1e-8)
    assert test.asymptotic_p_value == pytest.approx(chi2.sf(statistic, 1), rel=1e-6)


def test_with_many_cases_the_bootstrap_agrees_with_chi_square():
    test = compare_terms(*fits(table(0.06, n_cases=2000, seed=4), penalty="none"))
    assert 0.02 < test.asymptotic_p_value < 0.8
    error = np.sqrt(test.asymptotic_p_value * (1 - test.asymptotic_p_value) / 999)
    assert abs(test.p_value - test.asymptotic_p_value) < 4 * error + 0.001


def test_a_dip_is_found_and_none_is_not():
    assert compare_terms(*fits(table(1.5))).p_value < 0.01
    p_values = [
        compare_terms(*fits(table(0.0, n_cases=5, seed=seed)), n_simulations=199).p_value
        for seed in range(60)
    ]
    # A p-value is uniform where the term is not needed: mean .5 with error .29 / sqrt(60).
    assert abs(np.mean(p_values) - 0.5) < 3 * 0.29 / np.sqrt(60)
    assert np.mean(np.array(p_values) < 0.05) <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 60)


def test_graded_scores_divide_by_the_dispersion():
    rng = np.random.default_rng(3)
    counts = 10 * rng.binomial(10, 0.7, size=(5, 5)) / 10
    cells = Cells.from_counts(LENGTHS, DEPTHS, n_cases=10, successes=counts - 0.5 * (counts > 6))
    smaller, larger = fits(cells)
    test = compare_terms(smaller, larger)
    assert (test.kind, test.aic_difference) == ("quasi_likelihood", None)
    assert 0 <= test.p_value <= 1
    assert json.loads(json.dumps(test.to_dict()))["terms"] == ["middle"]


def test_equal_seeds_give_equal_results_on_any_number_of_threads():
    pair = fits(table(0.3))
    one, two = (compare_terms(*pair, seed=5, n_threads=n) for n in (1, 2))
    assert one == two


def test_curves_that_are_not_nested_are_refused():
    smaller, larger = fits(table(0.5))
    other = fit_curve(table(0.5, seed=9), terms=WITH)
    plain = fit_curve(table(0.5), terms=WITHOUT, penalty="none")
    guessing = fit_curve(table(0.5), terms=WITHOUT, guess_rate=0.25)
    many = fit_curve(replace_cases(table(0.5), 40), terms=WITHOUT)
    for pair in (
        (larger, smaller), (smaller, smaller), (smaller, other), (plain, larger),
        (guessing, larger), (many, larger),
    ):  # fmt: skip
        with pytest.raises(OptionError, match="leaving a term out"):
            compare_terms(*pair)
    with pytest.raises(OptionError, match="or leave it out"):
        compare_terms(smaller, larger, n_simulations=10)


@pytest.mark.filterwarnings("ignore::lcstats.errors.SeparationWarning")
def test_ties_of_tables_with_few_cases_are_ties():
    """Against enumeration: every table of 2 lengths with 3 cases each, at the smaller curve."""
    cells = Cells.from_counts([4096, 8192], [0.5], n_cases=3, successes=[[3], [1]])
    pair = [fit_curve(cells, terms=terms) for terms in (("intercept",), ("intercept", "length"))]
    test = compare_terms(*pair, n_simulations=4999, seed=1)
    statistics = np.empty((4, 4))
    for k, j in np.ndindex(4, 4):
        one = Cells.from_counts([4096, 8192], [0.5], n_cases=3, successes=[[k], [j]])
        logs = [fit_curve(one, terms=fit.terms).log_likelihood for fit in pair]
        statistics[k, j] = 2 * (logs[1] - logs[0])
    rate = float(pair[0].accuracy[0, 0])
    each = [comb(3, k) * rate**k * (1 - rate) ** (3 - k) for k in range(4)]
    exact = np.outer(each, each)[statistics >= statistics[3, 1] - 1e-6].sum()
    assert test.p_value == pytest.approx(exact, abs=4 * np.sqrt(exact * (1 - exact) / 4999))
