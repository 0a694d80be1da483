"""The prior predictive figure: its numbers are quantiles of the draws, and it stands upright."""

import numpy as np
import pytest

from lcstats.errors import OptionError
from lcstats.fit import fit_curve
from lcstats.plots import plot_prior_predictive, prior_predictive_data
from lcstats.posterior import sample_posterior, sample_prior
from tests.plots.drawings import DESIGNS, clipped_and_overlapping, simulated

pytestmark = pytest.mark.filterwarnings("ignore::lcstats.errors.LcstatsWarning")


def test_bands_are_quantiles_of_the_draws():
    fit = fit_curve(simulated())
    prior, posterior = sample_prior(fit, n_draws=500), sample_posterior(fit, n_draws=500)
    table = prior_predictive_data(fit, prior=prior, posterior=posterior, level=0.9)
    for kind, draws in (("prior", prior), ("posterior", posterior)):
        rows = table[table["series"] == kind]
        means = draws.accuracies.mean(axis=2)
        np.testing.assert_allclose(rows["lower"], np.quantile(means, 0.05, axis=0))
        np.testing.assert_allclose(rows["inner_upper"], np.quantile(means, 0.75, axis=0))
        np.testing.assert_allclose(rows["median"], np.median(means, axis=0))
    curve = table[(table["series"] == "curve") & (table["curve"] == 3)]
    np.testing.assert_allclose(curve["median"], prior.accuracies[3].mean(axis=1))
    observed = table[table["series"] == "observed"]
    np.testing.assert_allclose(observed["median"], fit.grid.accuracy.mean(axis=1))


def test_the_counts_narrow_the_prior():
    fit = fit_curve(simulated())
    table = prior_predictive_data(fit, posterior=sample_posterior(fit, n_draws=500))
    width = {
        kind: (rows["upper"] - rows["lower"]).mean()
        for kind, rows in table.groupby("series")
        if kind in ("prior", "posterior")
    }
    assert width["posterior"] < 0.2 < 0.9 < width["prior"]


@pytest.mark.parametrize("design", ["doublings", "hole", "no depth, documents", "names"])
def test_nothing_is_clipped_or_overlaps(design):
    fit = fit_curve(DESIGNS[design])
    ax = plot_prior_predictive(fit, posterior=sample_posterior(fit, n_draws=200))
    clipped, overlapping = clipped_and_overlapping(ax)
    assert clipped == []
    assert overlapping == []


def test_the_key_says_what_is_drawn():
    fit = fit_curve(simulated())
    words = [t.get_text() for t in plot_prior_predictive(fit).get_legend().get_texts()]
    assert " ".join(words[0].split()) == "prior: median and single curves, 50% and 95% bands"
    assert words[1:] == ["observed"]


def test_draws_of_another_kind_are_refused():
    fit = fit_curve(simulated())
    with pytest.raises(OptionError, match=r"pass posterior=sample_posterior\(fit\)"):
        prior_predictive_data(fit, posterior=sample_prior(fit, n_draws=10))
