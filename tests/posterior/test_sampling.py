"""The posterior against quadrature, its gradient, its extremes, and its notices."""

import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import lcstats as lc
from lcstats.cells import Cells
from lcstats.curve import accuracy_from_logit
from lcstats.errors import LcstatsWarning, OptionError
from lcstats.fit import fit_curve
from lcstats.posterior import Priors, sample_posterior, sample_prior
from lcstats.posterior.density import Mode, density_of
from lcstats.posterior.importance import Mixture, draw_weighted, make_proposal
from tests.posterior.conftest import DEPTHS, LENGTHS

SHORT = [4096, 8192, 16384, 32768]


def two_terms(successes, n_cases=20, **options):
    cells = Cells.from_counts(
        SHORT, [0.5], n_cases=n_cases, successes=np.reshape(successes, (4, 1))
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LcstatsWarning)
        return fit_curve(cells, terms=("intercept", "length"), **options)


def quadrature(successes, n_cases, lapse_rates=(0.0,), lapse_weights=(1.0,)):
    """Points of a grid and their posterior weights; nothing of ours takes part."""
    doublings = np.log2(np.array(SHORT) / 1024.0)
    level, slope = np.meshgrid(np.linspace(-20, 40, 400), np.linspace(-8, 16, 400), indexing="ij")
    log_prior = stats.t.logpdf(level / 4.0, 7) + stats.t.logpdf(slope * 7.0 / 7.0, 7)
    right = [1 / (1 + np.exp(-(level - slope * (x - doublings.mean())))) for x in doublings]
    logs = []
    for lapse, weight in zip(lapse_rates, lapse_weights, strict=True):
        value = log_prior + np.log(weight)
        for share, k in zip(right, successes, strict=True):
            p = np.clip((1 - lapse) * share, 1e-300, 1 - 1e-16)
            value = value + k * np.log(p) + (n_cases - k) * np.log1p(-p)
        logs.append(value)
    weights = np.exp(np.array(logs) - np.max(logs))
    lapse = np.broadcast_to(np.reshape(lapse_rates, (-1, 1, 1)), weights.shape)
    grids = {"level": level, "slope": slope, "lapse": lapse}
    return weights / weights.sum(), {
        name: np.broadcast_to(values, weights.shape) for name, values in grids.items()
    }


def check_distribution(drawn, values, weights, n_effective):
    """The share of draws below quantiles of the quadrature is what it should be."""
    order = np.argsort(values, axis=None)
    cumulated = np.cumsum(weights.ravel()[order])
    ordered = values.ravel()[order]
    for share in (0.05, 0.25, 0.5, 0.75, 0.95):
        place = np.searchsorted(ordered, ordered[np.searchsorted(cumulated, share)], side="left")
        exact = float(cumulated[max(place - 1, 0)])
        found = np.mean(drawn < ordered[place])
        slack = 4 * np.sqrt(share * (1 - share) / n_effective)
        slack += float(_step(ordered, cumulated, place))
        assert found == pytest.approx(exact, abs=slack)


def _step(ordered, cumulated, place):
    """Mass of one value of the grid: draws fall between values, quadrature does not."""
    end = np.searchsorted(ordered, ordered[place], side="right") - 1
    return cumulated[end] - cumulated[max(place - 1, 0)]


@pytest.mark.parametrize("successes", [(20, 19, 15, 9), (20, 20, 20, 20), (20, 20, 0, 0)])
def test_draws_are_distributed_as_quadrature_says(successes):
    draws = sample_posterior(two_terms(successes), seed=2)
    weights, values = quadrature(successes, 20)
    slope = draws.coefficients[:, 1]
    check_distribution(slope, values["slope"], weights, 2000)
    check_distribution(draws.coefficients[:, 0] - slope * 3.5, values["level"], weights, 2000)
    assert draws.diagnostics["pareto_shape"] < 0.7


def test_the_lapse_rate_is_estimated_as_quadrature_does():
    successes = (17, 18, 17, 10)
    shares = (np.arange(25) + 0.5) / 25 * 0.5
    draws = sample_posterior(two_terms(successes), lapse_rate="estimate", seed=3)
    weights, values = quadrature(successes, 20, shares, stats.beta.pdf(shares, 1, 10))
    check_distribution(draws.lapse_rates, values["lapse"], weights, 1500)
    check_distribution(draws.coefficients[:, 1], values["slope"], weights, 1500)
    assert np.all(draws.accuracies <= 1.0 - draws.lapse_rates[:, None, None])


@pytest.mark.parametrize("estimates_lapse", [False, True])
@pytest.mark.parametrize("freedom", [7.0, np.inf])
def test_the_gradient_is_that_of_the_density(make_fit, estimates_lapse, freedom):
    density = density_of(
        make_fit(guess_rate=0.1),
        Priors(degrees_of_freedom=freedom, lapse=(1.5, 8.0)),
        estimates_lapse=estimates_lapse,
        variance_ratio=1.7,
    )
    point = np.array([0.5, 0.3, 0.2, -0.4, 0.3])[: 4 + estimates_lapse]
    steps = 1e-5 * np.eye(point.size)
    differences = [
        (density.log_density((point + h)[None]) - density.log_density((point - h)[None]))[0] / 2e-5
        for h in steps
    ]
    np.testing.assert_allclose(density.gradient(point), differences, rtol=1e-6, atol=1e-5)


def test_the_prior_of_a_lapse_rate_is_the_beta_that_is_stated(make_fit):
    prior = sample_prior(make_fit(guess_rate=0.2), lapse_rate="estimate", n_draws=4000, seed=1)
    shares = prior.lapse_rates / 0.8
    assert stats.kstest(shares, stats.beta(1, 10).cdf).pvalue > 0.01


def test_prior_draws_have_the_stated_scales(make_fit):
    prior = sample_prior(make_fit(), n_draws=4000, seed=2)
    level = prior.coefficients[:, 0] - 3.5 * prior.coefficients[:, 1]
    for drawn, scale in (
        (level, 4.0),
        (7.0 * prior.coefficients[:, 1], 7.0),
        (prior.coefficients[:, 2], 3.0),
        (prior.coefficients[:, 3], 2.0),
    ):
        assert stats.kstest(drawn / scale, stats.t(7).cdf).pvalue > 0.01


def test_the_priors_leave_a_table_that_decides_alone(make_fit):
    apart = []
    for seed in range(8):
        fit = make_fit(n_cases=20, seed=seed)
        draws = sample_posterior(fit, n_draws=2000, seed=seed).coefficients
        apart.append((draws.mean(axis=0) - fit.coefficients) / draws.std(axis=0))
    assert np.all(np.abs(np.mean(apart, axis=0)) < 0.2)


@pytest.mark.parametrize("rate", [0, 1])
def test_tables_without_an_error_or_a_hit_have_a_posterior(make_fit, rate):
    fit = make_fit(np.full((8, 11), 5 * rate), n_cases=5)
    draws = sample_posterior(fit)
    assert draws.diagnostics["pareto_shape"] < 0.7
    mean = draws.accuracies.mean(axis=(0, 2))
    assert np.all(np.abs(mean - rate) < 0.03)
    assert draws.coefficients.std(axis=0).min() > 0.5


def test_a_separated_table_has_a_posterior(make_fit):
    cliff = np.zeros((8, 11), dtype=int)
    cliff[:5] = 5
    draws = sample_posterior(make_fit(cliff, n_cases=5))
    assert draws.diagnostics["pareto_shape"] < 0.7
    mean = draws.accuracies.mean(axis=(0, 2))
    assert np.all(mean[:5] > 0.9)
    assert np.all(mean[5:] < 0.1)
    assert np.all(np.isfinite(draws.coefficients))


def test_a_bad_proposal_is_seen(make_fit):
    density = density_of(make_fit(), Priors(), estimates_lapse=False)
    good = make_proposal(density, density.start(make_fit()))
    rng = np.random.default_rng(0)
    assert draw_weighted(density, good, 4000, rng).weights.pareto_shape < 0.5
    away = Mode(good.components[0].point + 3.0, good.components[0].covariance / 100.0)
    bad = draw_weighted(density, Mixture((away,), np.ones(1)), 4000, rng)
    assert bad.weights.pareto_shape > 0.7


def test_equal_seeds_give_equal_bytes_and_others_do_not(make_fit):
    fit = make_fit()
    one, same, other = (sample_posterior(fit, n_draws=300, seed=seed) for seed in (1, 1, 2))
    assert one.accuracies.tobytes() == same.accuracies.tobytes()
    assert one.accuracies.tobytes() != other.accuracies.tobytes()


def test_accuracies_are_those_of_the_coefficients(make_fit):
    fit = make_fit(guess_rate=0.1)
    draws = sample_posterior(fit, n_draws=50, lapse_rate="estimate")
    logits = fit.law.design(LENGTHS[:, None], DEPTHS[None, :]) @ draws.coefficients[7]
    expected = accuracy_from_logit(logits, guess_rate=0.1, lapse_rate=draws.lapse_rates[7])
    np.testing.assert_allclose(draws.accuracies[7], expected, rtol=1e-12)
    assert len(draws.first(9).lapse_rates) == 9


def test_ten_times_the_cases_give_a_third_of_the_width(make_fit):
    few = sample_posterior(make_fit(n_cases=40)).coefficients.std(axis=0)
    many = sample_posterior(make_fit(n_cases=4000)).coefficients.std(axis=0)
    np.testing.assert_allclose(few / many, 10.0, rtol=0.3)


def test_copies_of_clustered_cases_are_no_evidence():
    trials = lc.simulate_trials("single-needle", LENGTHS[3:], [0.0, 0.5], n_trials=60, seed=6)
    frame = trials.to_frame()
    frame = frame.assign(cluster=[f"c{i}" for i in range(len(frame))])
    copies = [frame.assign(case=frame["case"].astype(str) + f"-{c}") for c in range(4)]
    alone, copied = (_fit_frame(part) for part in (frame, pd.concat(copies, ignore_index=True)))
    with pytest.warns(LcstatsWarning, match="so this is a quasi-posterior"):
        draws = sample_posterior(copied)
    assert draws.diagnostics["variance_ratio"] == pytest.approx(4.0, rel=0.2)
    assert [notice.code for notice in draws.notices] == ["quasi-posterior"]
    single = _draw_quietly(alone)
    np.testing.assert_allclose(
        draws.coefficients.std(axis=0), single.coefficients.std(axis=0), rtol=0.2
    )


def _fit_frame(frame):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LcstatsWarning)
        return fit_curve(lc.count_cells(lc.Trials.from_frame(frame)))


def _draw_quietly(fit):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LcstatsWarning)
        return sample_posterior(fit)


def test_graded_scores_are_narrower_than_right_and_wrong():
    trials = lc.simulate_trials("single-needle", SHORT, [0.0, 0.5, 1.0], n_trials=30, seed=7)
    frame = trials.to_frame()
    graded = frame.assign(score=0.5 + 0.4 * (frame["score"] - 0.5))
    draws = _draw_quietly(_fit_frame(graded))
    assert draws.diagnostics["variance_ratio"] < 0.5
    assert [notice.code for notice in draws.notices] == ["quasi-posterior"]


def test_scores_without_scatter_are_not_taken_for_certainty():
    trials = lc.simulate_trials("single-needle", SHORT, [0.0, 0.5, 1.0], n_trials=30, seed=7)
    frame = trials.to_frame()
    flat = frame.assign(score=0.9 + 0.001 * frame["score"])
    assert _draw_quietly(_fit_frame(flat)).diagnostics["variance_ratio"] == 0.1


def test_cells_that_scatter_more_than_the_curve_are_named(make_fit):
    rng = np.random.default_rng(8)
    deviating = rng.binomial(40, rng.beta(2, 1, size=(8, 11)))
    fit = make_fit(deviating, n_cases=40)
    with pytest.warns(LcstatsWarning, match="too narrow"):
        draws = sample_posterior(fit, n_draws=200)
    assert "overdispersed" in [notice.code for notice in draws.notices]


def test_a_held_recency_scale_and_few_draws_are_named(make_fit):
    fit = make_fit(recency_scale="profile")
    with pytest.warns(LcstatsWarning, match="recency scale was estimated and is held"):
        draws = sample_posterior(fit, n_draws=10)
    assert "recency-scale-held" in [notice.code for notice in draws.notices]


def test_unusable_weights_are_named(make_fit, monkeypatch):
    monkeypatch.setattr("lcstats.posterior.judging.BAD_SHAPE", -5.0)
    with pytest.warns(LcstatsWarning, match="sampler='nuts' does without weights"):
        sample_posterior(make_fit(), n_draws=10, sampler="importance")


def test_the_fits_penalty_plays_no_part(make_fit):
    plain, penalised = make_fit(penalty="none"), make_fit(penalty="jeffreys")
    one, other = (sample_posterior(fit).coefficients for fit in (plain, penalised))
    np.testing.assert_allclose(one.mean(axis=0), other.mean(axis=0), atol=0.05 * one.std())


@pytest.mark.parametrize(
    ("options", "mend"),
    [
        ({"n_draws": 0}, "pass n_draws=1"),
        ({"sampler": "gibbs"}, "pass sampler='auto'"),
        ({"lapse_rate": 0.1}, "lapse_rate='estimate'"),
        ({"seed": -1}, "pass seed="),
    ],
)
def test_options_out_of_range_are_refused(make_fit, options, mend):
    with pytest.raises(OptionError, match=mend):
        sample_posterior(make_fit(), **options)


def test_other_arguments_are_refused():
    with pytest.raises(OptionError, match="fit cells with fit_curve"):
        sample_posterior("fit")
    with pytest.raises(OptionError, match=r"write Priors\(\) for the method's own priors"):
        Priors(length=0.0)
    with pytest.raises(OptionError, match="the prior's lapse is -1"):
        Priors(lapse=(1.0, -1))


def test_bootstraps_are_no_posteriors(make_fit):
    with pytest.raises(OptionError, match="kind='parametric_bootstrap'"):
        lc.resample(make_fit(), kind="posterior")


def test_one_length_and_no_depths_leave_a_level():
    cells = Cells.from_counts([4096], [np.nan], n_cases=30, successes=[[21]])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LcstatsWarning)
        fit = fit_curve(cells)
        draws = sample_posterior(fit)
    assert draws.terms == ("intercept",)
    logit = np.linspace(-8, 8, 20001)
    weights = stats.binom.pmf(21, 30, 1 / (1 + np.exp(-logit))) * stats.t.pdf(logit / 4, 7)
    mean = (weights * logit).sum() / weights.sum()
    assert draws.coefficients.mean() == pytest.approx(mean, abs=0.03)


def test_other_units_span_their_own_lengths():
    cells = Cells.from_counts(
        [10, 20, 40], [0.0, 0.5, 1.0], n_cases=20, successes=[[18, 16, 18]] * 3,
        length_unit="documents",
    )  # fmt: skip
    prior = sample_prior(fit_curve(cells), n_draws=4000, seed=3)
    fall = prior.coefficients[:, 1] * 2.0
    assert stats.kstest(fall / 7.0, stats.t(7).cdf).pvalue > 0.01


def test_draws_say_what_they_are(make_fit):
    said = repr(_draw_quietly(make_fit()))
    assert said.startswith("Draws(posterior, 4000 draws, sampler importance, n_chains 1")
    assert repr(sample_prior(make_fit(), n_draws=5)) == "Draws(prior, 5 draws, 0 failed fits)"
