"""NUTS: when it is used, what is said without nutpie, and that it draws the same posterior."""

import numpy as np
import pytest

from lcstats.errors import LcstatsWarning, MissingExtraError
from lcstats.posterior import nuts, sample_posterior, to_arviz
from lcstats.posterior.judging import notices_on_sampling

MEND = r"python -m pip install 'lcstats\[nuts\]'"


@pytest.fixture
def without_nutpie(monkeypatch):
    def load(module, *, extra, purpose):
        raise MissingExtraError(f"{purpose} needs it; install 'lcstats[{extra}]'")

    monkeypatch.setattr(nuts, "load_extra", load)


def test_a_missing_nutpie_names_the_extra(make_fit, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "nutpie", None)
    with pytest.raises(MissingExtraError, match=MEND):
        sample_posterior(make_fit(), sampler="nuts", n_draws=10)


def test_auto_takes_nuts_where_the_weights_are_bad(make_fit, monkeypatch, without_nutpie):
    fit = make_fit()
    assert sample_posterior(fit, n_draws=500).diagnostics["sampler"] == "importance"
    monkeypatch.setattr("lcstats.posterior.door.BAD_SHAPE", -9.0)
    with pytest.raises(MissingExtraError, match=r"k-hat is -?[.\d]+, above .7: sampling by NUTS"):
        sample_posterior(fit, n_draws=500)
    alone = sample_posterior(fit, n_draws=500, sampler="importance")
    assert alone.diagnostics["sampler"] == "importance"


@pytest.mark.parametrize(
    ("found", "mend"),
    [
        ({"largest_rhat": 1.2}, "the chains have not met; draw more"),
        ({"n_divergences": 3}, "3 draws diverged"),
        ({"smallest_tail_size": 20.0}, "worth 20 independent ones"),
    ],
)
def test_poor_chains_are_named(found, mend):
    good = {
        "sampler": "nuts",
        "largest_rhat": 1.0,
        "smallest_bulk_size": 2000.0,
        "smallest_tail_size": 2000.0,
        "n_divergences": 0,
    }
    assert notices_on_sampling(good) == ()
    (notice,) = notices_on_sampling(good | found)
    assert mend in notice.message
    assert issubclass(notice.category, LcstatsWarning)


def test_chains_that_have_not_met_have_a_large_rhat():
    rng = np.random.default_rng(1)
    points = rng.standard_normal((4, 500, 2))
    assert nuts.judge_chains(points)["largest_rhat"] < 1.01
    assert nuts.judge_chains(points)["smallest_bulk_size"] > 1000
    points[0, :, 1] += 2.0
    assert nuts.judge_chains(points)["largest_rhat"] > 1.1


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")
def test_nuts_draws_what_importance_draws(make_fit):
    pytest.importorskip("nutpie", reason="needs the extra nuts")
    fit = make_fit()
    chains = sample_posterior(fit, sampler="nuts", n_draws=1999, seed=4)
    weighted = sample_posterior(fit, seed=4)
    assert len(chains) == 2000
    sd = weighted.coefficients.std(axis=0)
    apart = np.abs(chains.coefficients.mean(axis=0) - weighted.coefficients.mean(axis=0)) / sd
    assert apart.max() < 0.12
    np.testing.assert_allclose(chains.coefficients.std(axis=0), sd, rtol=0.12)
    assert chains.diagnostics["largest_rhat"] < 1.02
    assert chains.diagnostics["n_divergences"] == 0
    assert chains.statistics["diverging"].shape == (2000,)
    data = to_arviz(fit, chains)
    assert data["sample_stats"]["diverging"].shape == (4, 500)
    assert data["posterior"]["coefficients"].shape == (4, 500, 4)
    by_chain = np.asarray(data["posterior"]["coefficients"].values)
    np.testing.assert_array_equal(by_chain[1], chains.coefficients[1::4])
