"""The same law fitted again to other counts: what bootstraps and tests are made of."""

import numpy as np

from lcstats.curve import FloatArray
from lcstats.fit.result import CurveFit
from lcstats.kernels.logistic import BatchFit, fit_batch


def draw_counts(fit: CurveFit, n_draws: int, rng: np.random.Generator) -> FloatArray:
    """Draw successes of every cell from the fitted curve, shape (n_draws, n_cells)."""
    accuracy = fit.accuracy.ravel()[fit.cells.flat]
    n_cases = np.rint(fit.cells.n_cases).astype(np.int64)
    return rng.binomial(n_cases, accuracy, size=(n_draws, n_cases.size)).astype(np.float64)


def refit(
    fit: CurveFit,
    n_cases: FloatArray,
    successes: FloatArray,
    *,
    done_below: float | None = None,
    n_threads: int = 1,
) -> BatchFit:
    """Fit the same law with the same penalty to other counts, starting from `fit`.

    Parameters
    ----------
    n_cases : ndarray of float64, shape (n_cells,) or (n_replicates, n_cells)
    successes : ndarray of float64, shape (n_replicates, n_cells)
    done_below, n_threads
        As in :func:`lcstats.kernels.logistic.fit_batch`.
    """
    return fit_batch(
        fit.design,
        n_cases,
        successes,
        start=fit.coefficients,
        guess_rate=fit.curve.guess_rate,
        lapse_rate=fit.curve.lapse_rate,
        penalised=fit.penalty == "jeffreys",
        done_below=done_below,
        n_threads=n_threads,
    )
