"""The object for ArviZ: what is in it, and that ArviZ's own functions work on it.

Each of the two versions of ArviZ skips the tests of the other.
"""

import warnings
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import arviz as az
import matplotlib as mpl
import numpy as np
import pytest
from scipy import stats

import lcstats as lc
from lcstats.cells import Cells
from lcstats.draws import resample
from lcstats.errors import LcstatsWarning, OptionError
from lcstats.fit import fit_curve
from lcstats.posterior import sample_posterior, to_arviz
from tests.posterior.conftest import DEPTHS, LENGTHS

IS_OLD = az.__version__.startswith("0.")
old_only = pytest.mark.skipif(not IS_OLD, reason=f"ArviZ {az.__version__} is installed, not 0.23")
new_only = pytest.mark.skipif(IS_OLD, reason=f"ArviZ {az.__version__} is installed, not 1.x")

# ArviZ and what it stands on announce their own changes; they are not ours to heed.
pytestmark = pytest.mark.filterwarnings(
    "ignore::DeprecationWarning", "ignore::FutureWarning", "ignore::UserWarning"
)


@pytest.fixture
def fit(make_fit):
    return make_fit()


def values(data, group, name):
    return np.asarray(data[group][name].values)


def test_groups_dimensions_and_coordinates(fit):
    draws = sample_posterior(fit, n_draws=300, lapse_rate="estimate")
    data = to_arviz(fit, draws)
    posterior = data["posterior"]
    assert posterior["accuracy"].dims == ("chain", "draw", "length", "depth")
    assert posterior["coefficients"].dims == ("chain", "draw", "term")
    assert posterior["accuracy"].shape == (1, 300, 8, 11)
    assert posterior["length"].values.tolist() == LENGTHS.tolist()
    assert posterior["depth"].values.tolist() == DEPTHS.tolist()
    assert posterior["term"].values.tolist() == list(fit.terms)
    np.testing.assert_array_equal(values(data, "posterior", "lapse_rate")[0], draws.lapse_rates)
    np.testing.assert_array_equal(values(data, "posterior", "accuracy")[0], draws.accuracies)
    assert posterior.attrs["inference_library"] == "lcstats"
    assert posterior.attrs["pareto_shape"] == draws.diagnostics["pareto_shape"]
    assert values(data, "constant_data", "n_cases").tolist() == [20] * 88
    assert values(data, "constant_data", "cell_length").tolist() == np.repeat(LENGTHS, 11).tolist()


def test_log_likelihood_and_predictions_are_binomial(fit):
    draws = sample_posterior(fit, n_draws=400)
    data = to_arviz(fit, draws, seed=1)
    expected = stats.binom.logpmf(fit.grid.successes.ravel(), 20, draws.accuracies.reshape(400, -1))
    np.testing.assert_allclose(values(data, "log_likelihood", "successes")[0], expected, rtol=1e-8)
    predicted = values(data, "posterior_predictive", "successes")[0]
    mean = 20 * draws.accuracies.reshape(400, -1).mean(axis=0)
    assert np.abs(predicted.mean(axis=0) - mean).max() < 0.6
    again = values(to_arviz(fit, draws, seed=1), "posterior_predictive", "successes")[0]
    assert predicted.tobytes() == again.tobytes()


def test_cells_without_cases_are_left_out():
    counts = np.array([[9, 8, 9], [8, 0, 7]])
    n_cases = np.array([[10, 10, 10], [10, 0, 10]])
    cells = Cells.from_counts([4096, 8192], [0.0, 0.5, 1.0], n_cases=n_cases, successes=counts)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LcstatsWarning)
        data = to_arviz(fit_curve(cells), seed=2)
    assert values(data, "observed_data", "successes").tolist() == [9, 8, 9, 8, 7]
    np.testing.assert_array_equal(
        values(data, "constant_data", "cell_depth"), [0.0, 0.5, 1.0, 0.0, 1.0]
    )
    assert np.all(np.isfinite(values(data, "log_likelihood", "successes")))


def test_loo_prefers_the_curve_to_a_flat_line(make_fit):
    full, flat = (
        az.loo(to_arviz(make_fit(terms=terms), seed=3))
        for terms in (("intercept", "length", "middle", "recency"), ("intercept",))
    )
    name = "elpd_loo" if IS_OLD else "elpd"
    assert getattr(full, name) > getattr(flat, name) + 20


@old_only
def test_summary_and_figures_of_the_old_version(fit):
    data = to_arviz(fit, sample_posterior(fit, n_draws=200))
    table = az.summary(data, var_names=["coefficients"], hdi_prob=0.95, round_to="none")
    np.testing.assert_allclose(
        table["mean"], values(data, "posterior", "coefficients")[0].mean(axis=0), rtol=1e-6
    )
    with mpl.rc_context({"backend": "agg", "figure.max_open_warning": 0}):
        assert az.plot_posterior(data, var_names=["coefficients"]).size >= 4
        az.plot_forest(data, var_names=["coefficients"])
        az.plot_ppc(data, num_pp_samples=5, random_seed=1)
        mpl.pyplot.close("all")


@new_only
def test_summary_and_figures_of_the_new_version(fit):
    data = to_arviz(fit, sample_posterior(fit, n_draws=200))
    table = az.summary(
        data, var_names=["coefficients"], ci_prob=0.95, ci_kind="hdi", round_to="none"
    )
    np.testing.assert_allclose(
        table["mean"], values(data, "posterior", "coefficients")[0].mean(axis=0), rtol=1e-6
    )
    with mpl.rc_context({"backend": "agg"}):
        az.plot_dist(data, var_names=["coefficients"], backend="matplotlib")
        az.plot_forest(data, var_names=["coefficients"], backend="matplotlib")
        az.plot_ppc_dist(data, backend="matplotlib")
        mpl.pyplot.close("all")


def test_a_quasi_posterior_has_no_law_of_counts():
    trials = lc.simulate_trials("single-needle", [4096, 32768], [0.0, 0.5], n_trials=20, seed=1)
    frame = trials.to_frame()
    frame = frame.assign(score=0.2 + 0.6 * frame["score"])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LcstatsWarning)
        fit = fit_curve(lc.count_cells(lc.Trials.from_frame(frame)))
        data = to_arviz(fit)
    assert "posterior" in data
    assert "log_likelihood" not in data
    assert "posterior_predictive" not in data


@dataclass
class Surface:
    """A fit of another kind: a grid, and accuracies of every draw."""

    grid: Any
    accuracies: Any


def test_another_kind_of_fit_needs_a_grid_and_accuracies_only(fit):
    grid = fit.grid
    accuracies = np.random.default_rng(1).random((50, 8, 11))
    surface = Surface(grid, accuracies)
    data = to_arviz(surface)
    np.testing.assert_array_equal(values(data, "posterior", "accuracy")[0], accuracies)
    assert "coefficients" not in data["posterior"]
    assert values(data, "log_likelihood", "successes").shape == (1, 50, 88)


def test_draws_of_something_else_are_refused(fit):
    with pytest.raises(OptionError, match=r"pass sample_posterior\(fit\)"):
        to_arviz(fit, resample(fit, n_draws=10))
    with pytest.raises(OptionError, match="expected draws of this very fit"):
        to_arviz(fit, Surface(fit.grid, np.zeros((5, 8, 10))))
    elsewhere = sample_posterior(fit, n_draws=500)
    object.__setattr__(elsewhere, "lengths", elsewhere.lengths * 2)
    with pytest.raises(OptionError, match="expected draws of this very fit"):
        to_arviz(fit, elsewhere)
    with pytest.raises(OptionError, match="or pass draws="):
        to_arviz(SimpleNamespace(grid=fit.grid))
    with pytest.raises(OptionError, match="fit cells with fit_curve"):
        to_arviz(fit.grid)
