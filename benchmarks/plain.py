"""The analysis as one writes it first, with scipy and numpy: what lcstats is compared with.

The models are lcstats' own - its design matrix, priors and covariances - so that both ways answer
the same question; how they are computed is written out here.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_factor, cho_solve
from scipy.optimize import minimize
from scipy.special import betaln, expit, logit, softmax
from scipy.stats import binom, multivariate_t, t

from lcstats.curve import BASE_LENGTH, design_matrix
from lcstats.flexible.conditional import HOLE_ALPHA, HOLE_BETA
from lcstats.flexible.door import HOLE_RATE
from lcstats.flexible.settings import SETTINGS, Setting
from lcstats.flexible.surface import PRIOR_MEAN, Surface
from lcstats.posterior import Priors

Floats = NDArray[np.float64]

STEP = 1e-4
"""Of numerical derivatives in a cell's logit."""
SHORTFALLS = (0.5, 1.0, 2.0, 4.0)
"""Logits below the bar that the scan looks for."""


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """Counts on a grid, (n_lengths, n_depths), and the design of the curve's cells."""

    lengths: NDArray[np.int64]
    depths: Floats
    n_cases: Floats
    successes: Floats

    @property
    def design(self) -> Floats:
        """Columns of the curve's terms, shape (n_cells, 4)."""
        return design_matrix(self.lengths[:, None], self.depths).reshape(-1, 4)


def fit_curve(table: Table, successes: Floats, start: Floats) -> Floats:
    """Return the coefficients that maximise the likelihood with Jeffreys' penalty."""
    design, n = table.design, table.n_cases.ravel()

    def loss(coefficients: Floats) -> float:
        p = expit(design @ coefficients)
        information = design.T @ (design * (n * p * (1.0 - p))[:, None])
        penalty = 0.5 * np.linalg.slogdet(information)[1]
        return -float(binom.logpmf(successes.ravel(), n, p).sum() + penalty)

    return minimize(loss, start, method="BFGS").x


def refit_curve(table: Table, fitted: Floats, n_refits: int, rng: np.random.Generator) -> Floats:
    """Return coefficients of refits to tables drawn from the curve, shape (n_refits, 4)."""
    accuracy = expit(table.design @ fitted)
    drawn = rng.binomial(table.n_cases.ravel().astype(int), accuracy, (n_refits, accuracy.size))
    return np.array([fit_curve(table, row, fitted) for row in drawn])


def sample_curve(
    table: Table, start: Floats, n_proposals: int, n_draws: int, rng: np.random.Generator
) -> Floats:
    """Return accuracies of posterior draws, (n_draws, n_lengths, n_depths), by importance."""
    design, n, k = table.design, table.n_cases.ravel(), table.successes.ravel()
    priors, middle = Priors(), np.log2(table.lengths[[0, -1]] / BASE_LENGTH).mean()
    scales = np.array([priors.level, priors.length / 7.0, priors.middle, priors.recency])

    def log_density(points: Floats) -> Floats:
        fit = binom.logpmf(k, n, expit(points @ design.T)).sum(axis=-1)
        centred = points - middle * points[..., [1]] * np.array([1.0, 0.0, 0.0, 0.0])
        return fit + t.logpdf(centred / scales, priors.degrees_of_freedom).sum(axis=-1)

    mode = minimize(lambda point: -float(log_density(point)), start, method="BFGS")
    proposal = multivariate_t(mode.x, mode.hess_inv, df=5, seed=rng)
    points = proposal.rvs(n_proposals)
    weights = softmax(log_density(points) - proposal.logpdf(points))
    chosen = points[rng.choice(n_proposals, n_draws, p=weights)]
    return expit(chosen @ design.T).reshape(n_draws, *table.n_cases.shape)


@dataclass(frozen=True, slots=True, eq=False)
class PlainMode:
    """The surface of one setting: mode, covariance around it, and log evidence plus prior."""

    setting: Setting
    mode: Floats
    covariance: Floats
    score: float


def fit_surface(table: Table, setting: Setting) -> PlainMode:
    """Find the mode of the surface under one setting and Laplace's approximation around it."""
    cells = np.arange(table.n_cases.size)
    surface = Surface.over(table.lengths.astype(float), table.depths)
    prior = surface.covariance(setting.sds, cells, cells)
    root = np.linalg.cholesky(prior)

    def loss(place: Floats) -> tuple[float, Floats]:
        low, middle, high = _log_cells(table, PRIOR_MEAN + root @ place, setting.precision)
        slope = (high - low) / (2.0 * STEP)
        return 0.5 * float(place @ place) - middle.sum(), place - root.T @ slope

    place = minimize(loss, np.zeros(cells.size), jac=True, method="L-BFGS-B").x
    mode = PRIOR_MEAN + root @ place
    low, middle, high = _log_cells(table, mode, setting.precision)
    weight = np.sqrt(np.maximum(2.0 * middle - low - high, 0.0)) / STEP
    factor = cho_factor(np.eye(cells.size) + weight[:, None] * prior * weight)
    across = weight[:, None] * prior
    log_determinant = np.log(np.diag(factor[0])).sum()
    return PlainMode(
        setting=setting,
        mode=mode,
        covariance=prior - across.T @ cho_solve(factor, across),
        score=middle.sum() - 0.5 * float(place @ place) - log_determinant + setting.log_prior,
    )


def sample_surface(
    table: Table, modes: list[PlainMode], n_draws: int, rng: np.random.Generator
) -> Floats:
    """Draw surfaces, setting by setting, and every cell once given each of them."""
    numbers = rng.multinomial(n_draws, softmax([mode.score for mode in modes]))
    drawn = [
        draw_cells(table, mode, int(number), rng)
        for mode, number in zip(modes, numbers, strict=True)
        if number
    ]
    return np.concatenate(drawn)


def draw_cells(table: Table, mode: PlainMode, n_draws: int, rng: np.random.Generator) -> Floats:
    """Draw surfaces of one setting and every cell given each, (n_draws, n_lengths, n_depths)."""
    size = mode.mode.size
    root = np.linalg.cholesky(mode.covariance + 1e-9 * np.eye(size))
    logits = mode.mode + rng.standard_normal((n_draws, size)) @ root.T
    precision, means = mode.setting.precision, expit(logits)
    n, k = table.n_cases.ravel(), table.successes.ravel()
    smooth = _log_beta_binomial(n, k, precision * means, precision * (1.0 - means))
    hole = _log_beta_binomial(n, k, HOLE_ALPHA, HOLE_BETA)
    is_hole = rng.random(logits.shape) < expit(logit(HOLE_RATE) + hole - smooth)
    alpha = np.where(is_hole, HOLE_ALPHA, precision * means)
    beta = np.where(is_hole, HOLE_BETA, precision * (1.0 - means))
    return rng.beta(k + alpha, n - k + beta).reshape(n_draws, *table.n_cases.shape)


def all_settings() -> tuple[Setting, ...]:
    """Every setting that the surface is averaged over."""
    return SETTINGS


def outcomes(accuracies: Floats, bar: float) -> list[Floats]:
    """Return the masses of five depth treatments, each (n_lengths + 1,), from drawn accuracies."""
    windows = np.lib.stride_tricks.sliding_window_view(accuracies, 3, axis=-1)
    tenth = int(np.ceil(0.1 * accuracies.shape[-1])) - 1
    treated = (
        accuracies.mean(axis=-1),
        accuracies.mean(axis=-1),
        accuracies.min(axis=-1),
        np.sort(accuracies, axis=-1)[..., tenth],
        windows.mean(axis=-1).min(axis=-1),
    )
    counts = [np.cumprod(values >= bar, axis=1).sum(axis=1) for values in treated]
    size = accuracies.shape[1] + 1
    return [np.bincount(count, minlength=size) / len(accuracies) for count in counts]


def bootstrap(table: Table, n_draws: int, rng: np.random.Generator) -> Floats:
    """Draw every cell's cases again; accuracies, (n_draws, n_lengths, n_depths)."""
    n = table.n_cases.astype(int)
    drawn = rng.binomial(n, table.successes / table.n_cases, (n_draws, *n.shape))
    return drawn / n


def scan(successes: NDArray[np.int64], n_cases: int, bar: float) -> Floats:
    """Sum the likelihood ratios of all rectangles, (n_tables, n_rows, n_depths) to (n_tables,)."""
    _, n_rows, n_depths = successes.shape
    total = np.zeros(len(successes))
    for height in range(1, n_rows + 1):
        columns = successes[:, n_rows - height :].sum(axis=1)
        before = np.pad(np.cumsum(columns, axis=1), ((0, 0), (1, 0)))
        for width in range(1, n_depths + 1):
            right = before[:, width:] - before[:, :-width]
            size = n_cases * height * width
            ratios = sum(
                np.exp(right * np.log(p / bar) + (size - right) * np.log((1.0 - p) / (1.0 - bar)))
                for p in expit(logit(bar) - np.array(SHORTFALLS))
            )
            total += np.asarray(ratios).mean(axis=1) / width
    return total


def _log_cells(table: Table, logits: Floats, precision: float) -> Floats:
    """Log probability of every cell's count a step below, at, and a step above its logit."""
    n, k = table.n_cases.ravel(), table.successes.ravel()
    means = expit(logits + STEP * np.array([[-1.0], [0.0], [1.0]]))
    smooth = _log_beta_binomial(n, k, precision * means, precision * (1.0 - means))
    hole = _log_beta_binomial(n, k, HOLE_ALPHA, HOLE_BETA)
    return np.logaddexp(np.log1p(-HOLE_RATE) + smooth, np.log(HOLE_RATE) + hole)


def _log_beta_binomial(n: Floats, k: Floats, alpha: Floats | float, beta: Floats | float) -> Floats:
    return betaln(k + alpha, n - k + beta) - betaln(alpha, beta)
