"""The batch kernel against statsmodels, finite differences, and itself on other threads."""

import numpy as np
import pytest
import statsmodels.api as sm
from scipy.optimize import minimize
from scipy.special import expit, xlog1py, xlogy

from lcstats.kernels.logistic import LANES, fill_sigmoid, fit_batch

LENGTH = np.repeat(np.arange(8.0), 11)
DEPTH = np.tile(np.linspace(0, 1, 11), 8)
DESIGN = np.stack(
    [
        np.ones(88),
        -LENGTH,
        -LENGTH / 7 * 4 * DEPTH * (1 - DEPTH),
        np.exp(-(1 - DEPTH) / 0.1),
    ],
    axis=1,
)
TRUE = np.array([4.2, 0.3, 1.9, 0.6])
STATSMODELS_TOLERANCE = 1e-10


def counts(n, n_replicates, seed=1, guess=0.0, lapse=0.0):
    rng = np.random.default_rng(seed)
    accuracy = guess + (1 - guess - lapse) * expit(DESIGN @ TRUE)
    return rng.binomial(n, accuracy, size=(n_replicates, 88)).astype(float)


def test_sigmoid_agrees_with_scipy():
    logit = np.random.default_rng(0).normal(0, 12, size=(3, LANES))
    logit[0, :4] = [0.0, -36.0, 36.0, 1e-300]
    power, shift, sigma = (np.empty_like(logit) for _ in range(3))
    fill_sigmoid(logit, power, shift, sigma)
    np.testing.assert_allclose(sigma, expit(np.clip(logit, -36, 36)), rtol=5e-16)


@pytest.mark.parametrize("n", [5, 20, 80])
def test_plain_fits_agree_with_statsmodels(n):
    successes = counts(n, 12)
    batch = fit_batch(DESIGN, np.full(88, float(n)), successes, start=TRUE, penalised=False)
    assert batch.converged.all()
    for row, found in zip(successes, batch.coefficients, strict=True):
        response = np.column_stack([row, n - row])
        reference = sm.GLM(response, DESIGN, family=sm.families.Binomial()).fit(tol=1e-14)
        np.testing.assert_allclose(found, reference.params, rtol=STATSMODELS_TOLERANCE)


def penalised_log_likelihood(coefficients, n, k, guess, lapse, penalised):
    share = 1 - guess - lapse
    p = guess + share * expit(DESIGN @ coefficients)
    slope = (p - guess) * (1 - lapse - p) / share
    information = DESIGN.T @ ((n * slope**2 / (p * (1 - p)))[:, None] * DESIGN)
    penalty = 0.5 * np.linalg.slogdet(information)[1] if penalised else 0.0
    return (xlogy(k, p) + xlogy(n - k, 1 - p)).sum() + penalty


@pytest.mark.parametrize("penalised", [True, False])
@pytest.mark.parametrize(("guess", "lapse"), [(0.0, 0.0), (0.25, 0.0), (0.0, 0.05), (0.25, 0.03)])
def test_the_score_vanishes_where_the_kernel_stops(penalised, guess, lapse):
    successes = counts(40, 6, guess=guess, lapse=lapse)
    n_cases = np.full(88, 40.0)
    batch = fit_batch(
        DESIGN,
        n_cases,
        successes,
        start=TRUE,
        guess_rate=guess,
        lapse_rate=lapse,
        penalised=penalised,
    )
    assert batch.converged.all()
    for k, found in zip(successes, batch.coefficients, strict=True):
        for direction in np.eye(4) * 1e-4:
            ends = [
                penalised_log_likelihood(found + step, n_cases, k, guess, lapse, penalised)
                for step in (-direction, direction)
            ]
            assert abs(ends[1] - ends[0]) / 2e-4 < 1e-4


def test_equal_on_any_number_of_threads_and_in_any_order():
    successes = counts(20, 700)
    n_cases = np.full(88, 20.0)
    one = fit_batch(DESIGN, n_cases, successes, start=TRUE)
    for n_threads in (2, 8):
        many = fit_batch(DESIGN, n_cases, successes, start=TRUE, n_threads=n_threads)
        assert many.coefficients.tobytes() == one.coefficients.tobytes()
    order = np.random.default_rng(0).permutation(700)
    shuffled = fit_batch(DESIGN, n_cases, successes[order], start=TRUE)
    assert shuffled.coefficients.tobytes() == one.coefficients[order].tobytes()


def test_replicates_may_have_cases_of_their_own():
    successes = counts(20, 3)
    own = np.full((3, 88), 20.0)
    own[1, ::2] = 0.0
    successes[1, ::2] = 0.0
    batch = fit_batch(DESIGN, own, successes, start=TRUE)
    kept = fit_batch(DESIGN[1::2], np.full(44, 20.0), successes[1:2, 1::2], start=TRUE)
    np.testing.assert_allclose(batch.coefficients[1], kept.coefficients[0], rtol=1e-9)
    shared = fit_batch(DESIGN, np.full(88, 20.0), successes, start=TRUE)
    assert batch.coefficients[0].tobytes() == shared.coefficients[0].tobytes()


def test_separated_data_are_finite_with_the_penalty_and_flagged_without():
    design = np.stack([np.ones(6), np.arange(6.0)], axis=1)
    successes = np.array([[0.0, 0, 0, 10, 10, 10]])
    n_cases = np.full(6, 10.0)
    start = np.zeros(2)
    penalised = fit_batch(design, n_cases, successes, start=start)
    assert penalised.converged[0]
    assert np.abs(penalised.coefficients).max() < 50
    plain = fit_batch(design, n_cases, successes, start=start, penalised=False)
    assert not plain.converged[0]


@pytest.mark.parametrize("guess_rate", [0.25, 0.5])
def test_nearly_separated_counts_settle_with_a_guess_rate(guess_rate):
    """Without shorter steps, 60 of 100 of these swing between two points for good."""
    length = np.repeat(np.arange(5.0), 5)
    design = np.stack([np.ones(25), -length], axis=1)
    accuracy = np.where(length < 3, 1.0, guess_rate)
    n_cases = np.full(25, 20.0)
    successes = np.random.default_rng(1).binomial(20, accuracy, (500, 25)).astype(np.float64)
    batch = fit_batch(design, n_cases, successes, start=np.array([6.0, 2.0]), guess_rate=guess_rate)
    assert batch.converged.mean() > 0.99
    for row in np.flatnonzero(batch.converged)[:20]:
        best = minimize(
            _penalised_loss,
            batch.coefficients[row],
            (design, n_cases, successes[row], guess_rate),
            method="Nelder-Mead",
            options={"xatol": 1e-8, "fatol": 1e-10, "maxiter": 4000},
        )
        reached = _penalised_loss(
            batch.coefficients[row], design, n_cases, successes[row], guess_rate
        )
        assert reached <= best.fun + 1e-7


def _penalised_loss(coefficients, design, n_cases, successes, guess_rate):
    sigma = expit(design @ coefficients)
    mu = guess_rate + (1 - guess_rate) * sigma
    slope = (1 - guess_rate) * sigma * (1 - sigma)
    information = (design.T * (n_cases * slope**2 / (mu * (1 - mu)))) @ design
    log_likelihood = (xlogy(successes, mu) + xlog1py(n_cases - successes, -mu)).sum()
    return -log_likelihood - 0.5 * np.linalg.slogdet(information)[1]


def test_one_term_has_a_closed_form():
    design = np.ones((1, 1))
    batch = fit_batch(design, np.array([10.0]), np.array([[7.0], [10.0], [0.0]]), start=np.zeros(1))
    expected = [np.log((k + 0.5) / (10.5 - k)) for k in (7, 10, 0)]
    np.testing.assert_allclose(batch.coefficients[:, 0], expected, rtol=1e-9)
