"""Numbers of found facts: beta-binomial fits against scipy, recovery, intervals, the test."""

import json
from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import minimize
from scipy.stats import betabinom, chi2

from lcstats.curve import TERMS, design_matrix
from lcstats.fit.joint import JointFit, TaskCounts, compare_joint, fit_joint
from lcstats.fit.joint.overdispersed import solve_counts
from lcstats.fit.joint.resample import resample_joint
from lcstats.fit.joint.solve import likelihood_at, pose, solve_joint
from lcstats.truths import WORKED_CURVE

pytestmark = pytest.mark.filterwarnings("ignore::lcstats.errors.LcstatsWarning")

LENGTHS = np.repeat([1024.0, 8192.0, 32768.0, 131072.0], 5)
PLACES = np.clip(np.tile(np.linspace(0, 1, 5), 4)[:, None] + np.linspace(-0.1, 0.1, 4), 0, 1)
N_FACTS = PLACES.shape[1]
RATES = np.array(
    [WORKED_CURVE.accuracy(length, own).mean() for length, own in zip(LENGTHS, PLACES, strict=True)]
)
SHORT = ("intercept", "length")


def counts_of(tallies):
    number = np.arange(N_FACTS + 1)
    return TaskCounts(
        name="four counted",
        length=LENGTHS,
        places=PLACES,
        n_cases=N_FACTS * tallies.sum(axis=1),
        successes=tallies @ number,
        n_facts=N_FACTS,
        counted="facts",
        tallies=tallies,
    )


def drawn(correlation, n_trials, seed):
    rng = np.random.default_rng(seed)
    rates = np.repeat(RATES[:, None], n_trials, axis=1)
    if correlation:
        precision = (1 - correlation) / correlation
        rates = rng.beta(rates * precision, (1 - rates) * precision)
    found = rng.binomial(N_FACTS, rates)
    return counts_of(np.stack([(found == m).sum(axis=1) for m in range(N_FACTS + 1)], 1) * 1.0)


def test_a_fit_is_the_maximum_that_scipy_finds():
    task = drawn(0.2, 25, 1)
    design = design_matrix(LENGTHS[:, None], PLACES)

    def loss(point):
        rate = 1 / (1 + np.exp(-(design @ point[:4])))
        p, precision = rate.mean(axis=1)[:, None], np.exp(-point[4])
        numbers = np.arange(N_FACTS + 1)
        logs = betabinom.logpmf(numbers, N_FACTS, p * precision, (1 - p) * precision)
        return -(task.tallies * logs).sum()

    fit = fit_joint(task, penalty="none")
    best = minimize(loss, [*fit.coefficients + 0.1, -1.0], tol=1e-10)
    correlation = 1 / (1 + np.exp(-best.x[4]))
    assert fit.likelihood == "beta-binomial"
    assert_allclose(fit.coefficients, best.x[:4], rtol=1e-4)
    assert fit.overdispersion.correlation == pytest.approx(correlation, rel=1e-4)


def test_exact_shares_give_curve_and_correlation_back():
    precision = (1 - 0.3) / 0.3
    numbers = np.arange(N_FACTS + 1)
    shares = betabinom.pmf(
        numbers, N_FACTS, RATES[:, None] * precision, (1 - RATES[:, None]) * precision
    )
    fit = fit_joint(counts_of(1e7 * shares), penalty="none")
    assert_allclose(fit.coefficients, [getattr(WORKED_CURVE, term) for term in TERMS], rtol=1e-3)
    assert fit.overdispersion.correlation == pytest.approx(0.3, rel=1e-4)


def test_intervals_hold_coefficients_and_correlation_of_overdispersed_counts():
    fits = [fit_joint(drawn(0.2, 20, seed)) for seed in range(150)]
    true = {term: getattr(WORKED_CURVE, term) for term in TERMS}
    held = {
        term: np.mean(
            [
                abs(fit.estimates[term] - true[term]) < 1.96 * fit.standard_errors[term]
                for fit in fits
            ]
        )
        for term in TERMS
    }
    held["correlation"] = np.mean(
        [
            abs(fit.overdispersion.correlation - 0.2) < 1.96 * fit.overdispersion.standard_error
            for fit in fits
        ]
    )
    assert all(fit.converged for fit in fits)
    assert min(held.values()) > 0.95 - 3 * np.sqrt(0.95 * 0.05 / 150)


def edge_p_value(task):
    """Return the p-value of no correlation, whatever likelihood a fit chooses by it."""
    fit = fit_joint(task)
    problem = pose(fit.tasks, fit.law, fit.fitted)
    binomial, _ = solve_joint(problem, task.successes, fit.law, penalised=True)
    value = likelihood_at(problem, task.successes, fit.law, binomial).log_likelihood
    found = solve_counts(problem, task.tallies, fit.law, binomial, penalised=True)
    return 1.0 if found is None else found.overdispersion(value).p_value


def test_counts_are_beta_binomial_where_the_test_rejects_and_nowhere_else():
    tasks = [drawn(correlation, 20, seed) for correlation in (0.0, 0.03) for seed in range(12)]
    chosen = [fit_joint(task).overdispersion is not None for task in tasks]
    assert chosen == [edge_p_value(task) < 0.05 for task in tasks]
    assert 0 < sum(chosen) < len(tasks)


@pytest.mark.parametrize("n_trials", [1, 5, 40])
@pytest.mark.parametrize("found", ["all", "none", "all until 8192", "three each"])
def test_counts_that_do_not_scatter_are_never_overdispersed(found, n_trials):
    number = {"all": N_FACTS, "none": 0, "three each": 3}.get(found)
    numbers = np.where(LENGTHS <= 8192, N_FACTS, 0) if number is None else np.full(20, number)
    tallies = np.zeros((RATES.size, N_FACTS + 1))
    tallies[np.arange(RATES.size), numbers] = n_trials
    fit = fit_joint(counts_of(tallies))
    assert fit.likelihood == "binomial"
    assert "overdispersed-counts" not in {notice.code for notice in fit.notices}
    assert fit.separated == (found != "three each")
    assert ("separated" in {notice.code for notice in fit.notices}) == fit.separated


def test_likelihoods_of_nested_curves_are_nested_whatever_is_chosen():
    """One fit of the two may be beta-binomial and the other not: the gain is no less than 0."""
    smaller, larger = ((*SHORT, "middle"), TERMS)
    for seed in range(4):
        task = drawn(0.04, 20, seed)
        fits = [fit_joint(task, terms=terms) for terms in (smaller, larger)]
        assert compare_joint(*fits, n_simulations=99).statistic > -0.5


def test_the_test_at_the_edge_keeps_its_level_and_has_power():
    """Half of all independent tables have no correlation; the others half a chi-square's tail."""
    level = 0.1
    p_values = np.array([edge_p_value(drawn(0.0, 20, seed)) for seed in range(200)])
    assert 0.3 < np.mean(p_values == 1) < 0.7
    assert np.mean(p_values < level) < level + 3 * np.sqrt(level * (1 - level) / 200)
    one = fit_joint(drawn(0.2, 20, 1)).overdispersion
    assert one.p_value == pytest.approx(chi2.sf(one.statistic, 1) / 2)
    assert one.p_value < 1e-3


def test_counts_that_scatter_less_are_binomial():
    """Every trial finds as many as the rates say, to the next number."""
    tallies = np.zeros((RATES.size, N_FACTS + 1))
    tallies[np.arange(RATES.size), np.rint(N_FACTS * RATES).astype(int)] = 30
    fit = fit_joint(counts_of(tallies), terms=SHORT)
    assert fit.overdispersion is None
    assert fit.likelihood == "binomial"
    assert not any(notice.code == "overdispersed-counts" for notice in fit.notices)


def test_a_fit_says_that_it_is_beta_binomial_and_comes_back():
    fit = fit_joint(drawn(0.3, 20, 2))
    said = next(notice for notice in fit.notices if notice.code == "overdispersed-counts")
    assert f"correlation of {fit.overdispersion.correlation:.2g}" in said.message
    again = JointFit.from_dict(json.loads(json.dumps(fit.to_dict(), allow_nan=False)))
    assert again.overdispersion == fit.overdispersion
    assert_allclose(again.tallies, fit.tallies)
    assert again.aic == fit.aic == 2 * 5 - 2 * fit.log_likelihood


def test_standard_errors_lie_between_binomial_and_inflated_ones():
    """Quasi-likelihood uses mean and variance alone; the whole distribution says more than that."""
    task = drawn(0.3, 25, 3)
    counts, quasi = fit_joint(task), fit_joint(replace(task, tallies=None))
    inflation = 1 + (N_FACTS - 1) * counts.overdispersion.correlation
    binomial = np.array(list(quasi.standard_errors.values())) / np.sqrt(quasi.dispersion)
    stated = np.array(list(counts.standard_errors.values()))
    assert (binomial < stated).all()
    assert (stated < binomial * np.sqrt(inflation)).all()


def test_drawn_curves_scatter_as_the_standard_errors_say():
    fit = fit_joint(drawn(0.3, 40, 4), terms=SHORT)
    draws = resample_joint(fit, [1024.0], [0.5], n_draws=150, seed=1)
    logits = np.log(draws / (1 - draws)).std()
    assert logits == pytest.approx(fit.standard_errors["intercept"], rel=0.2)


def test_terms_of_counted_facts_are_compared_under_their_own_likelihood():
    task = drawn(0.3, 20, 5)
    needed = compare_joint(fit_joint(task, terms=SHORT), fit_joint(task), n_simulations=99)
    assert needed.terms == ("middle", "recency")
    assert needed.p_value <= 0.02
    flat = fit_joint(task, terms=("intercept", "length", "middle"))
    again = compare_joint(flat, fit_joint(task), n_simulations=99)
    assert again.asymptotic_p_value == pytest.approx(again.p_value, abs=0.15)
