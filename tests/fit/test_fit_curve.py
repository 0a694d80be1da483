"""``fit_curve`` against METHOD's references, recovery, and the tables that break a fit."""

import itertools
import json

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm

from lcstats.cells import Cells, count_cells
from lcstats.curve import TERMS, Curve, design_matrix, trial_likelihood
from lcstats.errors import FitError, OptionError, SeparationWarning
from lcstats.fit import fit_curve
from lcstats.readers import read_trials
from lcstats.trials import Trials

pytestmark = pytest.mark.filterwarnings("ignore::lcstats.errors.LcstatsWarning")

LENGTHS = 1024 * 2 ** np.arange(8)
DEPTHS = np.linspace(0, 1, 11)
WORKED = Curve(4.2, 0.3, 1.9, 0.6)


def cells_from(curve, n, lengths=LENGTHS, depths=DEPTHS, seed=None):
    accuracy = curve.accuracy(lengths, depths)
    if seed is None:
        successes = np.rint(n * accuracy).astype(np.int64)
    else:
        successes = np.random.default_rng(seed).binomial(n, accuracy)
    return Cells.from_counts(lengths, depths, n_cases=n, successes=successes)


@pytest.mark.parametrize(
    ("folder", "coefficients", "errors", "log_likelihood"),
    [
        (
            "claude_2_1",
            (5.039750, 0.778111, 0.675449, 1.801630),
            (0.387720, 0.061414, 0.232957, 0.233254),
            -713.013005,
        ),
        ("gpt4_128k", (19.716602, 2.916720, -1.364720, 12.437989), None, -80.054102),
    ],
)
def test_reference_fits_on_real_data(real_data, folder, coefficients, errors, log_likelihood):
    trials = read_trials(real_data / "kamradt_v1" / folder, score_threshold=7)
    fit = fit_curve(count_cells(trials, repeats="independent"), penalty="none")
    np.testing.assert_allclose(fit.coefficients, coefficients, rtol=1e-5)
    assert fit.log_likelihood == pytest.approx(log_likelihood, abs=2e-6)
    if errors:
        np.testing.assert_allclose(list(fit.standard_errors.values()), errors, rtol=1e-5)


TERM_SETS = [
    ("intercept", *extra) for size in range(4) for extra in itertools.combinations(TERMS[1:], size)
]


@pytest.mark.parametrize("terms", TERM_SETS, ids="-".join)
@pytest.mark.parametrize("signs", [(1, 1, 1), (-1, -1, -1)])
@pytest.mark.parametrize("guess", [0.0, 0.25])
def test_recovery_from_ten_million_trials_a_cell(terms, signs, guess):
    values = {"intercept": 1.5, "length": 0.25, "middle": 1.2, "recency": 0.8}
    used = [
        values[term] * (1 if term == "intercept" else signs[i - 1]) if term in terms else 0.0
        for i, term in enumerate(TERMS)
    ]
    curve = Curve(*used, guess_rate=guess)
    fit = fit_curve(cells_from(curve, 10**7), terms=terms, guess_rate=guess)
    assert fit.converged
    np.testing.assert_allclose(fit.curve.coefficients, used, atol=2e-4)


def test_lapse_and_recency_scale_are_recovered():
    curve = Curve(4.2, 0.3, 1.9, 1.6, lapse_rate=0.06, recency_scale=0.2)
    fit = fit_curve(cells_from(curve, 10**7), lapse_rate="estimate", recency_scale="profile")
    assert fit.curve.lapse_rate == pytest.approx(0.06, abs=1e-4)
    assert fit.curve.recency_scale == pytest.approx(0.2, abs=1e-3)
    assert fit.parameters == (*TERMS, "recency_scale", "lapse_rate")
    assert np.all(np.isfinite(list(fit.standard_errors.values())))


def test_no_ceiling_gives_a_lapse_rate_of_zero():
    fit = fit_curve(cells_from(WORKED, 2000, seed=3), lapse_rate="estimate")
    assert fit.curve.lapse_rate < 0.01


def reference_design(cells):
    frame = cells.to_frame()
    return frame, design_matrix(frame.length, frame.depth)


@pytest.mark.parametrize("n", [5, 20])
def test_model_based_errors_agree_with_statsmodels(n):
    cells = cells_from(WORKED, n, seed=n)
    fit = fit_curve(cells, penalty="none")
    frame, design = reference_design(cells)
    response = np.column_stack([frame.successes, frame.n_cases - frame.successes])
    reference = sm.GLM(response, design, family=sm.families.Binomial()).fit(tol=1e-14)
    np.testing.assert_allclose(fit.coefficients, reference.params, rtol=1e-8)
    np.testing.assert_allclose(list(fit.standard_errors.values()), reference.bse, rtol=1e-6)
    assert fit.deviance == pytest.approx(reference.deviance, rel=1e-8)
    assert fit.dispersion == pytest.approx(reference.pearson_chi2 / reference.df_resid, rel=1e-6)


def haystack_trials(seed=4, n_haystacks=30):
    rng = np.random.default_rng(seed)
    rows = []
    for length in (1024, 8192, 65536):
        for haystack in range(n_haystacks):
            effect = rng.normal(0, 1)
            for depth in (0.0, 0.25, 0.5, 0.75, 1.0):
                logit = WORKED.logit_accuracy(length, depth).item() - 2 + effect
                rows.append(
                    {
                        "length": length,
                        "depth": depth,
                        "case": f"{haystack}",
                        "cluster": f"{length}-{haystack}",
                        "score": float(rng.random() < 1 / (1 + np.exp(-logit))),
                    }
                )
    return pd.DataFrame(rows)


def test_cluster_robust_errors_agree_with_statsmodels():
    frame = haystack_trials()
    fit = fit_curve(count_cells(Trials.from_frame(frame)), penalty="none")
    design = design_matrix(frame.length, frame.depth)
    reference = sm.GLM(frame.score, design, family=sm.families.Binomial()).fit(
        cov_type="cluster",
        cov_kwds={"groups": pd.factorize(frame.cluster)[0], "use_correction": False},
    )
    n_clusters = frame.cluster.nunique()
    expected = np.asarray(reference.bse) * np.sqrt(n_clusters / (n_clusters - 1))
    np.testing.assert_allclose(list(fit.robust_standard_errors.values()), expected, rtol=1e-6)
    assert fit.robust_standard_errors["intercept"] > fit.standard_errors["intercept"]


@pytest.mark.parametrize("guess", [0.0, 0.25])
@pytest.mark.parametrize("lapse", [0.0, 0.04])
@pytest.mark.parametrize("terms", TERM_SETS[1:], ids="-".join)
def test_derivatives_agree_with_finite_differences(guess, lapse, terms):
    cells = cells_from(WORKED, 20, seed=9)
    frame, design = reference_design(cells)
    design = design[:, [TERMS.index(term) for term in terms]]
    at = np.array([1.1, 0.2, 0.7, -0.4])[: len(terms)]
    step = 1e-5

    def likelihood(coefficients):
        return trial_likelihood(
            design,
            coefficients,
            n_cases=frame.n_cases,
            successes=frame.successes,
            guess_rate=guess,
            lapse_rate=lapse,
        )

    here = likelihood(at)
    for j, direction in enumerate(np.eye(len(at)) * step):
        ahead, behind = likelihood(at + direction), likelihood(at - direction)
        slope = (ahead.log_likelihood - behind.log_likelihood) / (2 * step)
        assert here.gradient[j] == pytest.approx(slope, rel=1e-5, abs=1e-5)
        bend = (ahead.gradient - behind.gradient) / (2 * step)
        np.testing.assert_allclose(here.hessian[j], bend, rtol=1e-5, atol=1e-4)


def test_information_is_minus_the_expected_hessian():
    frame, design = reference_design(cells_from(WORKED, 20, seed=9))
    at = np.array([1.1, 0.2, 0.7, -0.4])
    expected = 0.25 + 0.71 / (1 + np.exp(-design @ at))
    here = trial_likelihood(
        design,
        at,
        n_cases=frame.n_cases,
        successes=frame.n_cases * expected,
        guess_rate=0.25,
        lapse_rate=0.04,
    )
    np.testing.assert_allclose(here.information, -here.hessian, rtol=1e-10)


def filled(value, lengths=LENGTHS, depths=DEPTHS, n=10):
    successes = np.full((len(lengths), len(depths)), value)
    return Cells.from_counts(lengths, depths, n_cases=n, successes=successes)


@pytest.mark.parametrize(
    ("cells", "terms"),
    [
        (filled(10), TERMS),
        (filled(0), TERMS),
        (filled(10, lengths=[4096]), ("intercept", "middle", "recency")),
        (filled(7, depths=[0.5]), ("intercept", "length")),
        (filled(7, lengths=[4096], depths=[0.5]), ("intercept",)),
        (filled(7, depths=[np.nan]), ("intercept", "length")),
    ],
)
def test_tables_that_break_a_fit_give_finite_flagged_answers(cells, terms):
    fit = fit_curve(cells)
    assert fit.converged
    assert fit.terms == terms
    assert np.all(np.abs(fit.coefficients) < 100)
    assert np.all(np.isfinite(list(fit.standard_errors.values())))
    assert set(TERMS) - set(terms) == {dropped.term for dropped in fit.dropped_terms}


def test_separation_is_named_and_bounded(cases_dir):
    trials = read_trials(cases_dir / "26-perfect-separation" / "in.csv", score_scale="0-1")
    cells = count_cells(trials)
    with pytest.warns(SeparationWarning, match="bounded on one side"):
        fit = fit_curve(cells)
    assert fit.separated
    assert np.abs(fit.coefficients).max() < 1000
    with pytest.raises(FitError, match="penalty='jeffreys'"):
        fit_curve(cells, penalty="none")


def test_data_that_overlap_are_not_called_separated():
    assert not fit_curve(cells_from(WORKED, 20, seed=1)).separated


def test_other_units_start_at_the_shortest_length():
    cells = Cells.from_counts(
        [10, 20, 40],
        [0.0, 0.5, 1.0],
        n_cases=50,
        successes=[[48, 47, 49], [45, 39, 47], [40, 29, 46]],
        length_unit="documents",
    )
    fit = fit_curve(cells)
    assert (fit.curve.base_length, fit.curve.span_doublings) == (10.0, 2.0)


def test_graded_scores_have_smaller_errors_than_right_and_wrong():
    rng = np.random.default_rng(6)
    mean = np.repeat([0.9, 0.7, 0.5], 60)
    graded = np.clip(mean + rng.normal(0, 0.05, 180), 0, 1).round(2)
    length = np.repeat([1024, 8192, 65536], 60)
    tables = [
        pd.DataFrame({"length": length, "score": score})
        for score in (graded, (rng.random(180) < mean).astype(float))
    ]
    fine, coarse = (fit_curve(count_cells(Trials.from_frame(table))) for table in tables)
    assert fine.standard_errors["length"] < 0.25 * coarse.standard_errors["length"]
    robust = fine.robust_standard_errors["length"]
    assert fine.standard_errors["length"] == pytest.approx(robust, rel=0.35)


@pytest.mark.parametrize(
    ("options", "mend"),
    [
        ({"terms": ("intercept", "width")}, "leave terms out"),
        ({"terms": ("length",)}, "leave terms out"),
        ({"penalty": "ridge"}, "pass penalty='jeffreys'"),
        ({"guess_rate": 1.0}, "pass guess_rate=0.25"),
        ({"recency_scale": 0.0}, "leave recency_scale out"),
    ],
)
def test_bad_options_are_refused_with_the_mend(options, mend):
    with pytest.raises(OptionError, match=mend):
        fit_curve(filled(7), **options)


def test_what_is_no_cells_is_refused_and_one_word_is_one_term():
    trials = Trials.from_frame(pd.DataFrame({"length": [1000, 2000], "score": [1.0, 0.0]}))
    with pytest.raises(OptionError, match=r"of type Trials; expected Cells; .*count_cells\(trials"):
        fit_curve(trials)
    with pytest.raises(OptionError, match="guess_rate is 'x'; expected a finite number"):
        fit_curve(filled(7), guess_rate="x")
    assert fit_curve(filled(7), terms="intercept").terms == ("intercept",)


def test_json_is_strict():
    for cells in (filled(10), filled(7, lengths=[4096], depths=[0.5])):
        group = fit_curve(cells).to_dict()
        json.dumps(group, allow_nan=False)
        assert {"coefficients", "standard_errors", "covariance", "dropped_terms"} <= set(group)


@pytest.mark.parametrize(
    ("successes", "constants"),
    [([[98], [98], [60]], {"lapse_rate": 0.05}), ([[90], [50], [10]], {"guess_rate": 0.25})],
)
def test_cells_beyond_floor_or_ceiling_separate_like_sure_ones(successes, constants):
    cells = Cells.from_counts([1024, 4096, 8192], [0.5], n_cases=100, successes=successes)
    plain = {"terms": ("intercept", "length"), "penalty": "none", **constants}
    if "lapse_rate" in constants:
        with pytest.raises(FitError, match="--penalty jeffreys"):
            fit_curve(cells, **plain)
        return
    assert np.abs(fit_curve(cells, **plain).curve.coefficients).max() < 50


def test_a_cell_below_the_floor_beside_a_mixed_one_separates():
    cells = Cells.from_counts([1024, 4096], [0.5], n_cases=50, successes=[[45], [5]])
    with pytest.raises(FitError, match="--penalty jeffreys"):
        fit_curve(cells, terms=("intercept", "length"), guess_rate=0.25, penalty="none")


def test_constants_that_the_data_do_not_determine_are_named():
    cells = Cells.from_counts(
        [1024, 4096, 8192], [0.0, 0.5, 1.0], n_cases=10, successes=np.full((3, 3), 10)
    )
    fit = fit_curve(cells, recency_scale="profile")
    said = [notice.message for notice in fit.notices if notice.code == "undetermined"]
    assert any("recency_scale is at the edge of what is searched" in message for message in said)
