"""Draws: whole curves resampled, by the counts or by clusters."""

import numpy as np
import pandas as pd
import pytest

from lcstats.cells import Cells, count_cells
from lcstats.curve import Curve
from lcstats.draws import resample
from lcstats.errors import OptionError
from lcstats.fit import fit_curve, goodness_of_fit
from lcstats.trials import Trials

pytestmark = pytest.mark.filterwarnings("ignore::lcstats.errors.LcstatsWarning")

LENGTHS = 1024 * 2 ** np.arange(8)
DEPTHS = np.linspace(0, 1, 11)
CURVE = Curve(4.2, 0.3, 1.9, 0.6)


def fit_of(n=20, seed=1):
    successes = np.random.default_rng(seed).binomial(n, CURVE.accuracy(LENGTHS, DEPTHS))
    return fit_curve(Cells.from_counts(LENGTHS, DEPTHS, n_cases=n, successes=successes))


def test_accuracies_are_the_curves_of_the_coefficients():
    fit = fit_of()
    draws = resample(fit, n_draws=50, seed=1)
    for coefficients, accuracy in zip(draws.coefficients, draws.accuracies, strict=True):
        expected = Curve(*coefficients).accuracy(LENGTHS, DEPTHS)
        np.testing.assert_allclose(accuracy, expected, rtol=1e-12)


def test_parametric_draws_scatter_as_the_standard_errors_say():
    fit = fit_of(n=80)
    draws = resample(fit, n_draws=2000, seed=1)
    assert draws.n_failed == 0
    errors = np.array(list(fit.standard_errors.values()))
    np.testing.assert_allclose(draws.coefficients.std(axis=0), errors, rtol=0.1)


def haystacks(shared):
    rng = np.random.default_rng(3)
    rows = [
        {
            "length": int(length),
            "depth": depth,
            "case": f"{h}-{depth}",
            "haystack": f"{length}-{h}",
            "right": hit,
        }
        for length in (1024, 8192, 65536)
        for h in range(40)
        for hit in [float(rng.random() < 0.75)]
        for depth in (0.0, 0.25, 0.5, 0.75)
    ]
    frame = pd.DataFrame(rows).rename(columns={"right": "score"})
    columns = {"haystack": "cluster"} if shared else {}
    frame = frame.rename(columns=columns)
    return fit_curve(count_cells(Trials.from_frame(frame)), terms=("intercept", "length"))


def test_cluster_draws_scatter_as_the_robust_errors_say():
    fit = haystacks(shared=True)
    draws = resample(fit, kind="cluster_bootstrap", n_draws=1500, seed=2)
    robust = np.array(list(fit.robust_standard_errors.values()))
    np.testing.assert_allclose(draws.coefficients.std(axis=0), robust, rtol=0.15)
    model = np.array(list(fit.standard_errors.values()))
    assert np.all(robust > 1.6 * model)


@pytest.mark.parametrize("kind", ["parametric_bootstrap", "cluster_bootstrap"])
def test_equal_seeds_are_byte_identical_on_any_number_of_threads(kind):
    fit = haystacks(shared=True)
    one, two = (resample(fit, kind=kind, n_draws=300, seed=5, n_threads=n) for n in (1, 2))
    assert one.accuracies.tobytes() == two.accuracies.tobytes()
    other = resample(fit, kind=kind, n_draws=300, seed=6)
    assert other.accuracies.tobytes() != one.accuracies.tobytes()


def test_what_cannot_be_drawn_is_refused_with_the_mend():
    fit = fit_of()
    for call in (resample, goodness_of_fit):
        with pytest.raises(OptionError, match=r"expected CurveFit; fit cells with fit_curve\("):
            call(Cells(grids=(fit.grid,)))
    with pytest.raises(OptionError, match="use kind='parametric_bootstrap'"):
        resample(fit, kind="cluster_bootstrap")
    with pytest.raises(OptionError, match="or leave it out"):
        resample(fit, n_draws=0)


@pytest.mark.parametrize("option", [{"seed": -1}, {"n_threads": 0}, {"n_draws": 2.5}])
def test_numbers_that_are_none_are_refused(option):
    cells = Cells.from_counts([4096, 8192], [0.5], n_cases=20, successes=[[18], [9]])
    fit = fit_curve(cells, terms=("intercept", "length"))
    with pytest.raises(OptionError, match=rf"pass {next(iter(option))}="):
        resample(fit, **option)
