"""Log-likelihoods of counts at many coefficients: one pass, no table of logits in memory.

A kernel sees a design matrix, counts, a guess and lapse rates - never the law.
"""

import math

import numpy as np
from numpy.typing import NDArray

from lcstats.kernels.jit import njit_fused

Floats = NDArray[np.float64]

TINY = 1e-300
"""Probabilities are taken as at least this before their logarithm."""


@njit_fused
def log_likelihoods(
    design: Floats,
    coefficients: Floats,
    n_cases: Floats,
    successes: Floats,
    guess_rate: float,
    lapse_rates: Floats,
) -> Floats:
    """Return ``sum(k log p + (n - k) log(1 - p))`` for every row of coefficients.

    Parameters
    ----------
    design : ndarray of float64, shape (n_cells, n_terms)
    coefficients : ndarray of float64, shape (n_rows, n_terms)
    n_cases, successes : ndarray of float64, shape (n_cells,)
    guess_rate : float
    lapse_rates : ndarray of float64, shape (n_rows,)

    Returns
    -------
    ndarray of float64, shape (n_rows,)

    Notes
    -----
    1 - p is computed as lapse + (1 - guess - lapse) sigma(-eta), not by subtraction, so that a
    cell that is nearly sure keeps its digits.
    """
    n_rows, n_terms = coefficients.shape
    result = np.empty(n_rows)
    for row in range(n_rows):
        lapse = lapse_rates[row]
        share = 1.0 - guess_rate - lapse
        total = 0.0
        for c in range(design.shape[0]):
            logit = 0.0
            for j in range(n_terms):
                logit += design[c, j] * coefficients[row, j]
            small = math.exp(-abs(logit))
            large = 1.0 / (1.0 + small)
            small *= large
            right, wrong = (large, small) if logit > 0.0 else (small, large)
            if successes[c] > 0.0:
                total += successes[c] * math.log(max(guess_rate + share * right, TINY))
            if n_cases[c] > successes[c]:
                failures = n_cases[c] - successes[c]
                total += failures * math.log(max(lapse + share * wrong, TINY))
        result[row] = total
    return result
