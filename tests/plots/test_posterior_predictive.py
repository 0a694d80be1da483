"""The posterior predictive check: calm where the curve holds, loud where it does not."""

import numpy as np
import pandas as pd
import pytest

from lcstats.cells import Cells, count_cells
from lcstats.errors import OptionError
from lcstats.fit import fit_curve
from lcstats.plots import plot_posterior_predictive, posterior_predictive_data
from lcstats.posterior import sample_posterior, sample_prior
from lcstats.trials import Trials
from tests.plots.drawings import DEPTHS, LENGTHS, ragged, simulated

pytestmark = pytest.mark.filterwarnings("ignore::lcstats.errors.LcstatsWarning")


def cliff(n_cases=40):
    """All right up to 8K, hardly anything after: no smooth curve falls so fast."""
    right = np.where(LENGTHS <= 8192, n_cases, n_cases // 10)
    successes = np.repeat(right[:, None], DEPTHS.size, axis=1)
    return Cells.from_counts(LENGTHS, DEPTHS, n_cases=n_cases, successes=successes)


def test_bands_are_quantiles_of_binomial_tables():
    fit = fit_curve(simulated())
    draws = sample_posterior(fit, n_draws=1000, seed=4)
    table = posterior_predictive_data(fit, posterior=draws, level=0.9)
    rng = np.random.default_rng(99)
    means = (rng.binomial(20, draws.accuracies) / 20).mean(axis=2)
    rows = table[table["by"] == "length"]
    for name, share in (("lower", 0.05), ("median", 0.5), ("upper", 0.95)):
        np.testing.assert_allclose(rows[name], np.quantile(means, share, axis=0), atol=0.02)
    np.testing.assert_allclose(rows["observed"], fit.grid.accuracy.mean(axis=1))
    depths = table[table["by"] == "depth"]
    np.testing.assert_allclose(depths["observed"], fit.grid.accuracy.mean(axis=0))


def test_tables_of_the_curve_itself_are_not_outside_and_a_cliff_is():
    calm = posterior_predictive_data(fit_curve(simulated()))
    loud = posterior_predictive_data(fit_curve(cliff()))
    assert calm["is_outside"].sum() == 0
    assert loud["is_outside"].sum() >= 3
    assert calm["observed"].iloc[-1] > 0.2 > 0.001 > loud["observed"].iloc[-1]


def test_what_lies_outside_is_a_cross_in_the_figure():
    fit = fit_curve(cliff())
    outside = posterior_predictive_data(fit).query("by == 'length' and is_outside")
    ax = plot_posterior_predictive(fit)
    (crosses,) = [line for line in ax.lines if line.get_marker() == "X"]
    assert crosses.get_xdata().tolist() == outside["place"].tolist()


def test_holes_are_left_out():
    table = posterior_predictive_data(fit_curve(ragged()))
    assert table.loc[table["by"] == "length", "observed"].tolist() == [1.0, 1.0, 0.0]


def test_equal_seeds_give_equal_tables():
    fit = fit_curve(simulated())
    assert posterior_predictive_data(fit, seed=3).equals(posterior_predictive_data(fit, seed=3))


def test_other_draws_and_graded_scores_are_refused():
    fit = fit_curve(simulated())
    with pytest.raises(OptionError, match="sample_posterior"):
        posterior_predictive_data(fit, posterior=sample_prior(fit, n_draws=50))
    frame = pd.DataFrame({"length": np.repeat([1024, 8192], 20), "score": [0.5, 1.0] * 20})
    graded = fit_curve(count_cells(Trials.from_frame(frame)))
    with pytest.raises(OptionError, match="count repeats on their own"):
        posterior_predictive_data(graded)
    nowhere = fit_curve(simulated(depths=[np.nan]))
    with pytest.raises(OptionError, match="draw by length"):
        plot_posterior_predictive(nowhere, by="depth")
