"""The surface against brute force on two cells, and its parts against plain linear algebra."""

import numpy as np
import pytest
from scipy.special import betaincc, betaln, expit

from lcstats.cells import Cells
from lcstats.flexible import SETTINGS, conditional_cells, fit_flexible, pass_probabilities
from lcstats.flexible.latent import draw_around, propose
from lcstats.flexible.solve import Observations, climb, find_modes
from lcstats.flexible.surface import PRIOR_MEAN, Surface
from lcstats.kernels.binomial import at_most_failing, mean_run_law
from lcstats.kernels.cholesky import factor_in_place, solve_in_place, solve_one_in_place
from lcstats.lengths.criterion import Treatment
from lcstats.lengths.flexible_estimate import flexible_masses
from lcstats.truths import get_truth, simulate_cells

LENGTHS = 1024 * 2 ** np.arange(8)
DEPTHS = np.linspace(0, 1, 11)
BAR, HOLE = 0.85, 0.005


def exact_posterior(n, k, guess):
    """Integrate over the two logits on a fine grid, setting by setting."""
    surface = Surface.over(np.array([1024.0, 8192.0]), np.array([0.5]))
    line = np.linspace(-8, 16, 241)
    z = np.stack(np.meshgrid(line, line, indexing="ij"), axis=-1) - PRIOR_MEAN
    mu, n, k = guess + (1 - guess) * expit(line)[:, None], np.array(n, float), np.array(k, float)
    total, accuracy, holes, masses = 0.0, np.zeros(2), np.zeros(2), np.zeros(3)
    hole = HOLE * np.exp(betaln(k + 2, n - k + 1) - betaln(2, 1))
    for setting in SETTINGS:
        m = setting.precision
        covariance = surface.covariance(setting.sds, np.arange(2), np.arange(2))
        (a11, a12), (_, a22) = np.linalg.inv(covariance)
        square = a11 * z[..., 0] ** 2 + 2 * a12 * z[..., 0] * z[..., 1] + a22 * z[..., 1] ** 2
        prior = np.exp(-0.5 * square) / np.sqrt(np.linalg.det(covariance))
        a, b = k + m * mu, n - k + m * (1 - mu)
        smooth = (1 - HOLE) * np.exp(betaln(a, b) - betaln(m * mu, m * (1 - mu)))
        one, two = (smooth + hole).T
        weight = setting.prior * prior * one[:, None] * two[None, :]
        margins = np.stack([weight.sum(axis=1), weight.sum(axis=0)], axis=1)
        h = hole / (smooth + hole)
        first, second = ((1 - h) * betaincc(a, b, BAR) + h * betaincc(k + 2, n - k + 1, BAR)).T
        total += weight.sum()
        accuracy += (margins * ((1 - h) * a / (a + b) + h * (k + 2) / (n + 3))).sum(axis=0)
        holes += (margins * h).sum(axis=0)
        both = first @ weight @ second
        passes = margins[:, 0] @ first
        masses += [weight.sum() - passes, passes - both, both]
    return accuracy / total, masses / total, holes / total


@pytest.mark.parametrize(
    ("n", "k", "guess"),
    [
        ((20, 20), (19, 15), 0.0),
        ((5, 5), (5, 2), 0.0),
        ((80, 5), (78, 4), 0.0),
        ((20, 20), (18.5, 12.25), 0.0),
        ((20, 20), (19, 10), 0.25),
    ],
)
def test_two_cells_meet_brute_force(n, k, guess):
    cells = Cells.from_counts(
        [1024, 8192], [0.5], n_cases=np.array(n)[:, None], successes=np.array(k)[:, None]
    )
    fit = fit_flexible(cells, guess_rate=guess, n_draws=12000)
    accuracy, masses, holes = exact_posterior(n, k, guess)
    np.testing.assert_allclose(fit.accuracy[:, 0], accuracy, atol=0.005)
    np.testing.assert_allclose(flexible_masses(fit, BAR, Treatment("order")), masses, atol=0.012)
    np.testing.assert_allclose(fit.hole_probability[:, 0], holes, atol=0.012)


def test_evidence_meets_importance_sampling():
    grid = simulate_cells(
        get_truth("one-bad-cell"), LENGTHS, DEPTHS, n_cases=20, rng=np.random.default_rng(3)
    ).grid
    surface = Surface.over(LENGTHS.astype(float), DEPTHS)
    seen = Observations(grid.n_cases.ravel().astype(float), grid.successes.ravel(), 0.0, HOLE)
    n, k = seen.n_cases, seen.successes
    for mode in find_modes(surface, seen)[::4]:
        covariance = surface.covariance(mode.setting.sds, seen.seen, seen.seen)
        inverse = np.linalg.inv(covariance)
        laplace = np.linalg.inv(inverse + np.diag(mode.root_weight**2))
        root = np.linalg.cholesky((laplace + laplace.T) / 2)
        noise = np.random.default_rng(0).standard_normal((4000, n.size))
        z = mode.latent + noise @ root.T
        log_q = -0.5 * (noise**2).sum(axis=1) - np.log(np.diag(root)).sum()
        d = z - PRIOR_MEAN
        log_prior = -0.5 * (d @ inverse * d).sum(axis=1) - 0.5 * np.linalg.slogdet(covariance)[1]
        m, mu = mode.setting.precision, expit(z)
        smooth = betaln(k + m * mu, n - k + m * (1 - mu)) - betaln(m * mu, m * (1 - mu))
        hole = betaln(k + 2, n - k + 1) - betaln(2, 1)
        log_counts = np.logaddexp(smooth + np.log1p(-HOLE), hole + np.log(HOLE)).sum(axis=1)
        exact = np.logaddexp.reduce(log_counts + log_prior - log_q) - np.log(4000)
        assert mode.converged
        assert mode.score - mode.setting.log_prior == pytest.approx(exact, abs=0.7)


def test_mode_is_where_the_score_balances_the_prior():
    """At the mode K^-1 (z - m) is the quasi-score, for cells that are surely no holes."""
    n, k = np.full(6, 40.0), np.array([39.0, 38, 37, 35, 30, 31])
    surface = Surface.over(np.array([1000.0, 2000, 7000]), np.array([0.0, 1.0]))
    counts = Observations(n, k, 0.0, 1e-12)
    setting = SETTINGS[30]
    covariance = surface.covariance(setting.sds, np.arange(6), np.arange(6))
    mode = climb(setting, covariance, counts, np.zeros(6))
    mu = expit(mode.latent)
    score = (k - n * mu) * (setting.precision + 1) / (setting.precision + n)
    np.testing.assert_allclose(
        np.linalg.solve(covariance, mode.latent - PRIOR_MEAN), score, atol=0.02
    )
    np.testing.assert_allclose(covariance @ mode.alpha, mode.latent - PRIOR_MEAN, atol=1e-8)


def test_drawn_surfaces_have_the_prior_and_the_posterior_covariance():
    surface = Surface.over(np.array([1000.0, 2000, 7000]), np.array([0.0, 0.4, np.nan]))
    cells = np.arange(9)
    n = np.array([20.0, 20, 20, 20, 0, 20, 20, 20, 20])
    counts = Observations(n, np.round(0.9 * n), 0.0, HOLE)
    mode = find_modes(surface, counts)[-1]
    rng = np.random.default_rng(1)
    prior = surface.covariance(mode.setting.sds, cells, cells)
    drawn = surface.draw(mode.setting.sds, 60000, rng)
    np.testing.assert_allclose(np.cov(drawn), prior, atol=0.03 * prior.max())
    proposal = propose(surface, counts, mode)
    around = draw_around(surface, counts, proposal, n_draws=60000, rng=rng)
    weight = np.zeros(9)
    weight[counts.seen] = proposal.root_weight**2
    posterior = np.linalg.inv(np.linalg.inv(prior) + np.diag(weight))
    np.testing.assert_allclose(np.cov(around.deviations.T), posterior, atol=0.03 * posterior.max())
    np.testing.assert_allclose(around.center[counts.seen], mode.latent, atol=1e-8)


@pytest.mark.parametrize("size", [1, 2, 5, 16, 17, 33, 150, 301])
def test_cholesky_and_solves(size):
    rng = np.random.default_rng(size)
    noise = rng.standard_normal((size, size + 3))
    matrix = noise @ noise.T / size + np.eye(size)
    right = rng.standard_normal((size, 3))
    factor = matrix.copy()
    assert factor_in_place(factor)
    np.testing.assert_allclose(np.triu(factor), np.linalg.cholesky(matrix).T, atol=1e-10)
    solved = right.copy()
    solve_in_place(factor, solved)
    np.testing.assert_allclose(matrix @ solved, right, atol=1e-9)
    one = right[:, 0].copy()
    solve_one_in_place(factor, one)
    np.testing.assert_allclose(one, solved[:, 0], atol=1e-10)
    assert not factor_in_place(-np.eye(size))


def test_tables_meet_direct_evaluation():
    cells = simulate_cells(
        get_truth("single-needle"), LENGTHS, DEPTHS, n_cases=7, rng=np.random.default_rng(0)
    )
    fit = fit_flexible(cells, n_draws=600)
    given = conditional_cells(fit)
    smooth = betaincc(given.alpha, given.beta, BAR)
    hole = betaincc(given.hole_alpha, given.hole_beta, BAR)
    direct = (1 - given.hole_shares) * smooth + given.hole_shares * hole
    np.testing.assert_allclose(pass_probabilities(fit, BAR), direct, atol=1e-5)


def test_short_cells_and_leading_rows_are_counted_right():
    rng = np.random.default_rng(0)
    passes = rng.random((1, 2, 4))
    outcomes = np.indices((2,) * 4).reshape(4, -1).T
    for most in range(4):
        expected = [
            sum(np.where(o, q, 1 - q).prod() for o in outcomes if (o == 0).sum() <= most)
            for q in passes[0]
        ]
        np.testing.assert_allclose(at_most_failing(passes[0], np.full(2, most)), expected)
    masses = mean_run_law(np.array([[0.5, 0.2], [1.0, 0.0]]), np.array([0.25, 0.75]))
    np.testing.assert_allclose(masses, [0.125, 0.1 + 0.75, 0.025])
