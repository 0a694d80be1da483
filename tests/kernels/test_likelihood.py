"""The log-likelihood kernel against the plain formula."""

import numpy as np
import pytest

from lcstats.curve import trial_likelihood
from lcstats.kernels.likelihood import log_likelihoods


@pytest.mark.parametrize(("guess", "lapse"), [(0.0, 0.0), (0.25, 0.0), (0.0, 0.1), (0.2, 0.05)])
def test_every_row_is_the_plain_likelihood(guess, lapse):
    rng = np.random.default_rng(1)
    design = rng.standard_normal((30, 3))
    coefficients = 3.0 * rng.standard_normal((20, 3))
    n_cases = rng.integers(1, 9, 30).astype(float)
    successes = np.floor(rng.random(30) * (n_cases + 1))
    found = log_likelihoods(
        design, coefficients, n_cases, successes, guess, np.full(20, float(lapse))
    )
    for row, value in zip(coefficients, found, strict=True):
        plain = trial_likelihood(
            design,
            row,
            n_cases=n_cases,
            successes=successes,
            guess_rate=guess,
            lapse_rate=lapse,
        )
        assert value == pytest.approx(plain.log_likelihood, rel=1e-9)


def test_a_sure_cell_keeps_its_digits():
    design, one = np.ones((1, 1)), np.ones(1)
    (value,) = log_likelihoods(design, np.array([[60.0]]), one, 0.0 * one, 0.0, np.zeros(1))
    assert value == pytest.approx(-60.0, rel=1e-14)
    (value,) = log_likelihoods(design, np.array([[9e3]]), one, 0.0 * one, 0.0, np.zeros(1))
    assert np.isfinite(value)
