"""Plain fits against stored results of other software; the script that made them is beside."""

import json
from pathlib import Path

import numpy as np
import pytest

from lcstats.cells import Cells
from lcstats.fit import fit_curve

STORED = json.loads(
    (Path(__file__).parent / "references" / "statsmodels.json").read_text(encoding="utf-8")
)


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
