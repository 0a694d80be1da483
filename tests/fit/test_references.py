"""Fits and crossings against stored results of other software; the scripts are beside them."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm

from lcstats.cells import Cells, count_cells
from lcstats.fit import fit_curve
from lcstats.lengths import Criterion
from lcstats.lengths.crossing import find_crossing
from lcstats.trials import Trials

REFERENCES = Path(__file__).parent / "references"
STORED = json.loads((REFERENCES / "statsmodels.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("stored", STORED["fits"], ids=lambda stored: f"n={stored['n_cases']}")
def test_plain_fits_agree_with_stored_statsmodels(stored):
    cells = Cells.from_counts(
        STORED["lengths"],
        STORED["depths"],
        n_cases=stored["n_cases"],
        successes=stored["successes"],
    )
    fit = fit_curve(cells, penalty="none")
    np.testing.assert_allclose(fit.coefficients, stored["coefficients"], rtol=1e-8)
    np.testing.assert_allclose(fit.covariance, stored["covariance"], rtol=1e-7, atol=1e-10)
    assert fit.deviance == pytest.approx(stored["deviance"], rel=1e-9)


def stored_by(name):
    return json.loads((REFERENCES / f"{name}.json").read_text(encoding="utf-8"))


def test_plain_fits_and_both_kinds_of_errors_agree_with_r():
    stored = stored_by("r")
    trials = Trials.from_frame(pd.read_csv(REFERENCES / "trials.csv"))
    fit = fit_curve(count_cells(trials), penalty="none")
    np.testing.assert_allclose(fit.coefficients, stored["coefficients"], rtol=1e-8)
    # R stops with the weights of the last step but one, which its errors are made of.
    for name in ("standard_errors", "robust_standard_errors"):
        found = list(getattr(fit, name).values())
        np.testing.assert_allclose(found, stored[name], rtol=1e-6)
    assert fit.log_likelihood == pytest.approx(stored["log_likelihood"], rel=1e-10)
    assert fit.aic == pytest.approx(stored["aic"], rel=1e-10)


def crossing_of_six_lengths(penalty):
    stored = stored_by("psignifit")
    cells = Cells.from_counts(
        stored["lengths"],
        [0.5],
        n_cases=stored["n_cases"],
        successes=[[right] for right in stored["right"]],
    )
    fit = fit_curve(cells, terms=("intercept", "length"), penalty=penalty)
    crossing = find_crossing(fit, Criterion(stored["threshold"]), level=0.95)
    return np.array([crossing.value, crossing.lower, crossing.upper])


def test_the_crossing_and_its_error_agree_with_dose_p():
    stored = stored_by("r")
    assert (stored["six_lengths"], stored["six_right"], stored["six_n"]) == tuple(
        stored_by("psignifit")[name] for name in ("lengths", "right", "n_cases")
    )
    value, lower, upper = np.log2(crossing_of_six_lengths("none"))
    assert value == pytest.approx(stored["log2_crossing"], abs=1e-10)
    error = (upper - lower) / (2 * norm.isf(0.025))
    assert error == pytest.approx(stored["log2_crossing_error"], rel=1e-6)


def test_the_crossing_in_units_of_1024_tokens():
    found = crossing_of_six_lengths("none") / 1024
    assert found.round(1).tolist() == [40.6, 31.3, 52.7]
    found = crossing_of_six_lengths("jeffreys") / 1024
    assert found.round(1).tolist() == [40.3, 31.1, 52.3]


@pytest.mark.parametrize("penalty", ["none", "jeffreys"])
@pytest.mark.parametrize("kind", ["binomial", "overdispersed"])
def test_the_crossing_is_near_psignifit(penalty, kind):
    """Near, not equal: psignifit averages a posterior over its own priors on threshold and width.

    It also cuts quantiles from a grid, and estimates overdispersion, which widens its interval.
    In standard errors (.19 doublings) the points may be .15 apart and the ends .3.
    """
    stored = stored_by("psignifit")["log2_crossing"][kind]
    error = stored_by("r")["log2_crossing_error"]
    value, lower, upper = np.log2(crossing_of_six_lengths(penalty))
    assert value == pytest.approx(stored["mode"], abs=0.15 * error)
    assert lower == pytest.approx(stored["lower"], abs=0.3 * error)
    assert upper == pytest.approx(stored["upper"], abs=0.3 * error)
