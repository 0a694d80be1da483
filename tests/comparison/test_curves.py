"""Tests of equal curves: against statsmodels, every possible swap, and planted changes."""

import itertools
import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from scipy.stats import chi2, t

from lcstats.cells import Cells
from lcstats.comparison.curve_result import CurveComparison
from lcstats.comparison.curves import compare_curves
from lcstats.comparison.pairs import pair_trials
from lcstats.curve import Curve, design_matrix
from lcstats.errors import DesignWarning, FitError, OptionError
from lcstats.fit import fit_curve
from lcstats.trials import Trials
from tests.comparison.paired import drawn_pairs, pairs_of, swapped

pytestmark = pytest.mark.filterwarnings("ignore::lcstats.errors.LcstatsWarning")

BASE = Curve(3.0, 0.3, 1.5, 0.8)
TERMS = ("intercept", "length", "middle", "recency")


@pytest.fixture(scope="module")
def pairs():
    """Clusters of four cases across depths, so that neither fit nor test sees independent ones."""
    drawn = drawn_pairs(BASE, Curve(2.6, 0.35, 1.5, 0.8), n_cases=20, seed=3)
    return replace(drawn, cluster=np.arange(drawn.n_pairs) // 4)


def stacked(pairs):
    """One row per case and language model: outcomes, design with interactions, clusters."""
    design = design_matrix(pairs.length.astype(float), pairs.depth)
    is_new = np.repeat([0.0, 1.0], pairs.n_pairs)[:, None]
    both = np.vstack([design, design])
    outcome = np.concatenate([pairs.old, pairs.new]) / pairs.unit
    return outcome, np.hstack([both, is_new * both]), np.tile(pairs.cluster, 2)


def test_likelihood_ratio_is_that_of_a_glm_with_interactions(pairs):
    outcome, design, _ = stacked(pairs)
    full = sm.GLM(outcome, design, family=sm.families.Binomial()).fit(tol=1e-12)
    shared = sm.GLM(outcome, design[:, :4], family=sm.families.Binomial()).fit(tol=1e-12)
    compared = compare_curves(pairs, penalty="none", n_permutations=99)
    assert compared.statistic == pytest.approx(2 * (full.llf - shared.llf), rel=1e-7)
    changes = [difference.difference for difference in compared.differences]
    # statsmodels' design has the signs of the law's columns, which are those of its terms.
    np.testing.assert_allclose(changes, full.params[4:], rtol=1e-6)


def test_standard_errors_are_those_of_a_gee_on_both_language_models(pairs):
    outcome, design, clusters = stacked(pairs)
    gee = sm.GEE(outcome, design, groups=clusters, family=sm.families.Binomial()).fit(ctol=1e-12)
    compared = compare_curves(pairs, penalty="none", n_permutations=99)
    n_clusters = np.unique(clusters).size
    errors = gee.bse[4:] * np.sqrt(n_clusters / (n_clusters - 1))
    found = np.array([d.standard_error for d in compared.differences])
    np.testing.assert_allclose(found, errors, rtol=1e-5)
    reach = t(n_clusters - 1).ppf(0.975) * errors
    np.testing.assert_allclose([d.upper - d.difference for d in compared.differences], reach, 1e-5)
    p_values = 2 * t(n_clusters - 1).sf(np.abs(gee.params[4:] / errors))
    np.testing.assert_allclose([d.p_value for d in compared.differences], p_values, rtol=1e-4)


def test_holm_and_what_moved(pairs):
    compared = compare_curves(pairs, n_permutations=99)
    p_values = np.array([d.p_value for d in compared.differences])
    expected = np.empty(4)
    running = 0.0
    for rank, j in enumerate(np.argsort(p_values)):
        running = max(running, (4 - rank) * p_values[j])
        expected[j] = min(running, 1.0)
    np.testing.assert_allclose([d.holm_p for d in compared.differences], expected)
    assert compared.moved == tuple(
        term for term, p in zip(TERMS, expected, strict=True) if p <= 0.05
    )


def test_pairs_that_agree_make_differences_sure():
    apart, together = (
        compare_curves(drawn_pairs(BASE, BASE, n_cases=80, shared=share, seed=5), n_permutations=99)
        for share in (0.0, 0.8)
    )
    assert apart.design_effect == pytest.approx(1.0, abs=0.1)
    assert together.design_effect == pytest.approx(0.2, abs=0.06)
    for loose, tight in zip(apart.differences, together.differences, strict=True):
        assert tight.standard_error < 0.6 * loose.standard_error


def test_adjusted_p_value_is_chi_square_for_independent_cases():
    compared = compare_curves(drawn_pairs(BASE, BASE, shared=0.0, n_cases=200), n_permutations=99)
    assert compared.asymptotic_p_value == pytest.approx(chi2(4).sf(compared.statistic), abs=0.03)


def few_pairs():
    """Eight clusters, of which seven differ; two cases in the third."""
    length = [1024, 1024, 1024, 4096, 4096, 4096, 8192, 8192, 8192]
    old = [1, 1, 1, 1, 1, 0, 1, 1, 1]
    new = [1, 0, 0, 0, 0, 1, 0, 0, 0]
    return pairs_of(length, old, new, cluster=[0, 1, 2, 3, 2, 4, 5, 6, 7])


def test_the_p_value_is_that_of_every_possible_swap():
    pairs = few_pairs()
    statistics = []
    for swaps in itertools.product([False, True], repeat=8):
        swap = np.array(swaps)[pairs.cluster]
        old, new = np.where(swap, pairs.new, pairs.old), np.where(swap, pairs.old, pairs.new)
        grids = replace(pairs, old=old, new=new).grids()
        fits = [fit_curve(Cells((grid,))).log_likelihood for grid in grids]
        statistics.append(sum(fits))
    reached = np.mean(np.array(statistics) >= statistics[0] - 1e-7)
    compared = compare_curves(pairs, n_permutations=20_000)
    assert 1 / 256 < reached < 0.2
    assert compared.p_value == pytest.approx(reached, abs=4 * 0.5 / np.sqrt(20_000))


def test_swapping_old_and_new_changes_only_signs(pairs):
    there, back = compare_curves(pairs, seed=2), compare_curves(swapped(pairs), seed=2)
    assert back.p_value == there.p_value
    assert back.statistic == pytest.approx(there.statistic)
    for ours, theirs in zip(there.differences, back.differences, strict=True):
        assert (theirs.old, theirs.new) == (ours.new, ours.old)
        assert (-theirs.upper, -theirs.lower) == pytest.approx((ours.lower, ours.upper))


def test_equal_answers_give_nothing_to_swap():
    same = drawn_pairs(BASE, BASE, shared=1.0)
    compared = compare_curves(same, penalty="none", n_permutations=99)
    assert compared.p_value == 1.0
    assert compared.statistic == pytest.approx(0.0, abs=1e-6)
    assert compared.moved == ()


@pytest.mark.parametrize(("term", "change"), [("intercept", -0.8), ("length", 0.25)])
def test_a_planted_change_of_one_term_is_found(term, change):
    moved = replace(BASE, **{term: getattr(BASE, term) + change})
    compared = compare_curves(drawn_pairs(BASE, moved, n_cases=200, seed=8), n_permutations=199)
    assert compared.p_value == 1 / 200
    assert compared.asymptotic_p_value < 1e-6
    assert compared.moved == (term,)
    (found,) = [d for d in compared.differences if d.term == term]
    assert found.lower <= change <= found.upper
    assert "moved, in log-odds: " in compared.sentence()


def test_any_number_of_threads_gives_the_same_bits(pairs):
    one, four = (compare_curves(pairs, seed=4, n_threads=n) for n in (1, 4))
    assert json.dumps(one.to_dict()) == json.dumps(four.to_dict())


def test_rows_may_come_in_any_order():
    pairs = drawn_pairs(BASE, BASE, n_cases=5)
    table = pd.DataFrame({"length": pairs.length, "depth": pairs.depth, "case": pairs.case})
    results = []
    for seed in (None, 4):
        frames = [table.assign(model=m, score=getattr(pairs, m)) for m in ("old", "new")]
        if seed is not None:
            frames = [frame.sample(frac=1, random_state=seed) for frame in frames]
        (paired,) = pair_trials(*(Trials.from_frame(frame) for frame in frames))
        results.append(json.dumps(compare_curves(paired, n_permutations=99).to_dict()))
    assert results[0] == results[1]


def test_graded_scores_are_compared_too():
    pairs = drawn_pairs(BASE, Curve(2.2, 0.3, 1.5, 0.8), n_cases=20, seed=6)
    halves = replace(pairs, old=pairs.old + 1, new=pairs.new + 1, unit=2)
    compared = compare_curves(halves, penalty="none", n_permutations=199)
    outcome, design, clusters = stacked(halves)
    gee = sm.GEE(outcome, design, groups=clusters, family=sm.families.Binomial()).fit(ctol=1e-12)
    changes = [d.difference for d in compared.differences]
    np.testing.assert_allclose(changes, gee.params[4:], rtol=1e-5)
    assert compared.p_value < 0.05


def test_separated_fits_are_said():
    length = np.repeat([1024, 2048, 4096, 8192], 10)
    right = length < 4000
    pairs = pairs_of(length, right, length < 2000)
    with pytest.warns(DesignWarning, match="the p-value by swapping stands"):
        compared = compare_curves(pairs, n_permutations=99)
    assert compared.old.separated
    assert compared.p_value < 0.05
    with pytest.raises(FitError, match="--penalty jeffreys"):
        compare_curves(pairs, penalty="none", n_permutations=99)


def test_one_cluster_leaves_nothing_to_judge_terms_by():
    pairs = replace(drawn_pairs(BASE, BASE, n_cases=2), cluster=np.zeros(80, dtype=np.int64))
    compared = compare_curves(pairs, n_permutations=99)
    assert compared.p_value == 1.0
    assert compared.moved == ()
    document = compared.to_dict()
    assert document["asymptotic_p_value"] is None
    assert {term["holm_p"] for term in document["terms"]} == {None}
    json.dumps(document, allow_nan=False)


def test_terms_that_the_cases_cannot_inform_are_said_once():
    length = np.repeat([1024, 4096, 16384], 20)
    outcomes = np.tile([1, 1, 1, 0], 15)
    compared = compare_curves(pairs_of(length, outcomes, outcomes[::-1]), n_permutations=99)
    assert [d.term for d in compared.differences] == ["intercept", "length"]
    assert [n.message for n in compared.notices if n.code == "dropped-term"] == [
        "no middle term: no trial has a depth",
        "no recency term: no trial has a depth",
    ]


def test_a_comparison_comes_back_from_its_dictionary(pairs):
    compared = compare_curves(pairs, n_permutations=99)
    document = json.loads(json.dumps(compared.to_dict(), allow_nan=False))
    restored = CurveComparison.from_dict(document)
    assert restored.to_dict() == compared.to_dict()
    assert repr(restored) == repr(compared)
    table = compared.to_frame()
    assert table["term"].tolist() == list(TERMS)
    assert table["difference"].tolist() == (table["new"] - table["old"]).tolist()


def test_options_are_checked(pairs):
    with pytest.raises(OptionError, match="99"):
        compare_curves(pairs, n_permutations=98)
    with pytest.raises(OptionError, match=r"write 0\.95"):
        compare_curves(pairs, level=95)
    with pytest.raises(OptionError, match="pass penalty='jeffreys'"):
        compare_curves(pairs, penalty="ridge")
