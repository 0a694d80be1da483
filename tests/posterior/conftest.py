"""Tables of known curves, with and without the notices that other tests are about."""

import warnings

import numpy as np
import pytest

from lcstats.cells import Cells
from lcstats.curve import Curve
from lcstats.errors import LcstatsWarning
from lcstats.fit import CurveFit, fit_curve

LENGTHS = 1024 * 2 ** np.arange(8)
DEPTHS = np.linspace(0.0, 1.0, 11)
WORKED = Curve(4.2, 0.30, 1.9, 0.6)


@pytest.fixture
def make_fit():
    """Fit a table of the worked example's curve, or one that is given, without its warnings."""

    def make(successes=None, *, n_cases=20, seed=0, **options) -> CurveFit:
        if successes is None:
            accuracy = WORKED.accuracy(LENGTHS, DEPTHS)
            successes = np.random.default_rng(seed).binomial(n_cases, accuracy)
        cells = Cells.from_counts(LENGTHS, DEPTHS, n_cases=n_cases, successes=successes)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", LcstatsWarning)
            return fit_curve(cells, **options)

    return make
