"""Dependence: by hand, by enumeration, against simulated truths."""

from itertools import permutations, product

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import bootstrap, norm

from lcstats.needles import measure_dependence, tabulate_needles
from lcstats.needles.dependence import _stated, _without_bias
from lcstats.needles.strata import make_strata
from lcstats.trials import Trials
from lcstats.truths import WORKED_CURVE, close_places, shared_rates, simulate_needles

pytestmark = pytest.mark.filterwarnings("ignore::lcstats.errors.LcstatsWarning")

LENGTHS, DEPTHS = (1024, 4096, 16384, 65536), (0.0, 0.5, 1.0)


def of_counts(values, joint, n_trials):
    """Trials of four values whose rates and joint rate are as they are told, one cell."""
    found = np.zeros((n_trials, 4), dtype=int)
    found[: round(joint * n_trials)] = 1
    missing = round(values * n_trials) - found[:, 0].sum()
    for needle in range(4):
        # Each needle is found in further trials, no trial finding all four.
        rows = np.flatnonzero(found.sum(axis=1) < 3)
        rows = rows[np.argsort(found[rows].sum(axis=1), kind="stable")][:missing]
        found[rows, needle] = 1
    return found


def test_a_real_small_models_ratio(table_of):
    """74% of single values and all four 42% of the time: .42 / .74**4 = 1.40."""
    found = of_counts(0.74, 0.42, 100)
    assert found.mean(axis=0).tolist() == [0.74] * 4
    assert found.all(axis=1).mean() == 0.42
    dependence = measure_dependence(table_of(found), n_permutations=99, n_draws=50)
    assert dependence.ratio.value == pytest.approx(0.42 / 0.74**4)
    assert round(dependence.ratio.value, 2) == 1.40


def test_correlation_and_neighbours_by_hand(table_of):
    rng = np.random.default_rng(2)
    found = (rng.random((40, 3)) < 0.7).astype(int)
    found[:10] = [0, 0, 1]
    dependence = measure_dependence(table_of(found), n_permutations=0, n_draws=0)
    covariance = np.cov(found.T, bias=True)
    sd = np.sqrt(np.diag(covariance))
    upper = np.triu_indices(3, 1)
    expected = covariance[upper].sum() / np.outer(sd, sd)[upper].sum()
    assert dependence.intraclass_correlation.value == pytest.approx(expected)
    adjacent = (covariance[0, 1] + covariance[1, 2]) / (covariance[0, 0] + covariance[1, 1])
    assert dependence.neighbour_effect.value == pytest.approx(adjacent)
    assert dependence.other_effect.value == pytest.approx(covariance[0, 2] / covariance[0, 0])


def test_the_p_value_is_that_of_the_whole_enumeration(table_of):
    found = np.array([[1, 1], [1, 1], [1, 1], [0, 0], [0, 1]])
    centered = found - found.mean(axis=0)
    observed = centered.prod(axis=1).sum()
    sums = np.array(
        [(centered[:, 0] * centered[list(order), 1]).sum() for order in permutations(range(5))]
    )
    distance = np.abs(sums - sums.mean())
    expected = np.mean(distance >= abs(observed - sums.mean()) - 1e-9)
    dependence = measure_dependence(table_of(found), n_permutations=40_000, n_draws=0)
    assert dependence.independence_p == pytest.approx(expected, abs=0.01)


def test_repeats_of_one_case_are_no_evidence(table_of):
    found = [[1, 1], [0, 0]] * 10
    columns = {"case": "a", "repeat": range(1, 21)}
    folded = measure_dependence(table_of(found, **columns))
    apart = measure_dependence(table_of(found, "independent", **columns))
    assert folded.n_units == 0
    assert np.isnan(folded.independence_p)
    assert not folded.ratio.is_known
    assert apart.independence_p < 0.01


def test_copies_of_every_case_change_neither_estimate_nor_test(trials_of):
    rng = np.random.default_rng(5)
    found = (rng.random((30, 3)) < rng.beta(2, 1, (30, 1))).astype(int).tolist()
    cases = [f"c{number}" for number in range(30)]
    once = measure_dependence(tabulate_needles(trials_of(found, case=cases, repeat=1)), seed=3)
    thrice = measure_dependence(
        tabulate_needles(trials_of(found * 3, case=cases * 3, repeat=np.repeat([1, 2, 3], 30))),
        seed=3,
    )
    assert thrice.n_trials == 3 * once.n_trials
    for name in ("ratio", "intraclass_correlation"):
        assert_allclose(
            [*getattr(once, name).to_dict().values()], [*getattr(thrice, name).to_dict().values()]
        )
    assert once.independence_p == pytest.approx(thrice.independence_p)


def test_depth_and_length_are_no_dependence(table_of):
    """Needles that are found by their place alone: every trial the same."""
    found = [[0, 0, 1]] * 20 + [[1, 1, 1]] * 20
    dependence = measure_dependence(table_of(found, length=[4096] * 20 + [1024] * 20))
    assert dependence.independence_p == 1
    assert dependence.ratio_by_length[0].value == 1
    assert not dependence.intraclass_correlation.is_known


def test_a_single_needle_has_no_dependence(table_of):
    assert measure_dependence(table_of([[1], [0]])) is None


@pytest.mark.parametrize(("shared_sd", "least", "most"), [(0.0, 0.0, 0.15), (1.0, 0.9, 1.0)])
def test_rejections_under_independence_and_a_shared_luck(shared_sd, least, most):
    """40 tables at 50 trials per cell; the study has 2000."""
    rejections = [
        measure_dependence(
            tabulate_needles(
                simulate_needles(LENGTHS, DEPTHS, n_trials=50, seed=seed, shared_sd=shared_sd)
            ),
            seed=seed,
            n_permutations=199,
            n_draws=0,
        ).independence_p
        <= 0.05
        for seed in range(40)
    ]
    assert least <= np.mean(rejections) <= most


def test_the_truth_of_simulated_needles_is_found():
    trials = simulate_needles([16384], [0.5], n_trials=20_000, seed=1, shared_sd=1.0)
    dependence = measure_dependence(tabulate_needles(trials), n_permutations=0, n_draws=200)
    rates, pairs, joint = shared_rates(
        WORKED_CURVE, 16384, close_places(np.array([0.5]))[:, 0], 1.0
    )
    ratio = joint / rates.prod()
    upper = np.triu_indices(4, 1)
    sd = np.sqrt(rates * (1 - rates))
    correlation = (pairs - np.outer(rates, rates))[upper].sum() / np.outer(sd, sd)[upper].sum()
    assert dependence.ratio.lower < ratio < dependence.ratio.upper
    assert dependence.intraclass_correlation.value == pytest.approx(correlation, abs=0.02)


def test_random_places_are_compared_by_tenths(trials_of):
    rng = np.random.default_rng(1)
    depths = rng.random((200, 4)).round(9).tolist()
    found = (rng.random((200, 4)) < rng.beta(2, 1, (200, 1))).astype(int)
    table = tabulate_needles(trials_of(found, needle_depths=depths))
    assert make_strata(table).words == "length and tenth of the context"
    assert measure_dependence(table, n_draws=0).independence_p < 0.01


def test_counts_are_compared_as_trials(trials_of):
    rng = np.random.default_rng(1)
    found = (rng.random((100, 4)) < rng.beta(2, 1, (100, 1))).astype(int)
    trials = trials_of(found)
    counts = tabulate_needles(Trials(trials.frame.drop(columns=["needle_found"])))
    dependence = measure_dependence(counts, n_draws=0)
    assert dependence.independence_p < 0.01
    assert not dependence.neighbour_effect.is_known


def test_all_placements_of_a_tiny_table_have_a_uniform_p(table_of):
    """Over all tables with the margins of one, P(p <= level) is at most the level."""
    margins = [(1, 1, 0, 0, 0), (1, 1, 1, 0, 0)]
    values = []
    for first, second in product(*(set(permutations(own)) for own in margins)):
        table = table_of(np.stack([first, second], axis=1))
        values.append(measure_dependence(table, n_permutations=400, n_draws=0).independence_p)
    for level in (0.1, 0.3, 0.6):
        assert np.mean(np.array(values) <= level - 0.05) <= level


def test_ends_without_bias_are_quantiles_where_there_is_none():
    draws = np.linspace(-1.0, 1.0, 2001)
    ends = np.array([0.025, 0.975])
    assert_allclose(_without_bias(0.0, draws, ends), ends, atol=1e-12)
    above = _without_bias(0.2, draws, ends)
    assert (above > ends).all()
    assert_allclose(above[0], norm.cdf(2 * norm.ppf(0.6) - norm.ppf(0.975)), atol=1e-3)


def test_intervals_of_a_mean_are_those_of_scipy():
    """A mean of nearly symmetric values has next to no acceleration: BCa is BC."""
    rng = np.random.default_rng(4)
    values = rng.normal(size=200)
    draws = rng.choice(values, (4000, 200)).mean(axis=1)
    ours = _stated(values.mean(), draws, 0.95)
    data = (values,)
    theirs = bootstrap(data, np.mean, n_resamples=9999, method="BCa", rng=1).confidence_interval
    assert_allclose([ours.lower, ours.upper], theirs, atol=0.015)
