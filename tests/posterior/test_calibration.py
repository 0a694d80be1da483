"""A small simulation-based calibration: the posterior passes, wrong ones fail."""

import functools
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from lcstats.posterior import Priors, sample_posterior
from sims import sbc
from sims.sbc import (
    N_DRAWS,
    SETTINGS,
    draw_posterior,
    main,
    run_study,
    simulate_ranks,
    spread,
    summarise,
    uniformity,
)

FOUR_TERMS = SETTINGS[0]
N_SIMULATIONS = 120
COMMITTED = Path(__file__).resolve().parents[2] / "docs" / "evidence" / "sbc.csv"
SMALLEST_P_VALUE, LARGEST_SPREAD = 1e-4, 3.7


@functools.cache
def _drawn(seed, fit_of_seed):
    return draw_posterior(FOUR_TERMS, fit_of_seed.fit, seed)


class OfSeed:
    """A fit that is told apart by the seed of its simulation, so that its draws are kept."""

    def __init__(self, fit, seed):
        self.fit, self.seed = fit, seed

    def __hash__(self):
        return self.seed

    def __eq__(self, other):
        return self.seed == other.seed


def is_calibrated(posterior, n_simulations=N_SIMULATIONS):
    ranks = simulate_ranks(FOUR_TERMS, 7, (0, n_simulations), posterior=posterior).ranks.T
    p_value = min(uniformity(column, 10)[1] for column in ranks)
    return p_value > SMALLEST_P_VALUE and max(abs(spread(c)) for c in ranks) < LARGEST_SPREAD


def stretched(factor, fit, seed):
    """The posterior with every coefficient's deviation from its mean stretched."""
    draws = _drawn(seed, OfSeed(fit, seed))
    middle = draws.coefficients.mean(axis=0)
    return replace(draws, coefficients=middle + factor * (draws.coefficients - middle))


def without_prior(fit, seed):
    flat = Priors(level=400.0, length=700.0, middle=300.0, recency=200.0)
    return sample_posterior(fit, n_draws=N_DRAWS, sampler="importance", priors=flat, seed=seed)


@pytest.mark.slow
def test_the_posterior_is_calibrated():
    assert is_calibrated(partial(stretched, 1.0))


@pytest.mark.slow
@pytest.mark.parametrize("factor", [1.5, 1 / 1.5])
def test_a_posterior_too_wide_or_too_narrow_is_caught(factor):
    assert not is_calibrated(partial(stretched, factor))


def test_a_posterior_without_its_prior_is_caught():
    assert not is_calibrated(without_prior, 80)


def test_ranks_that_pile_up_are_not_uniform():
    assert uniformity(np.arange(2000) % 100)[1] == pytest.approx(1.0)
    assert uniformity(np.full(2000, 99))[1] == 0.0


def test_ties_are_broken_by_lot():
    rng = np.random.default_rng(1)
    ranks = [sbc.rank(1.0, np.ones(99), rng) for _ in range(2000)]
    assert uniformity(np.array(ranks))[1] > 0.001


def test_the_study_is_the_same_in_blocks(tmp_path, monkeypatch):
    monkeypatch.setattr(sbc, "SETTINGS", SETTINGS[:1])
    whole = simulate_ranks(FOUR_TERMS, 3, (0, 6))
    parts = [simulate_ranks(FOUR_TERMS, 3, (first, 3)) for first in (0, 3)]
    assert summarise(FOUR_TERMS, 3, [whole]) == summarise(FOUR_TERMS, 3, parts)
    out = tmp_path / "sbc.csv"
    assert main(["--seed", "3", "--simulations", "6", "--out", str(out)]) == 0
    lines = run_study(SETTINGS[:1], 3, 6)
    assert out.read_text(encoding="utf-8").count("\n") == len(lines) + 1
    page = out.with_suffix(".md").read_text(encoding="utf-8")
    assert "python -m sims.sbc --seed 3 --simulations 6" in page


def test_the_committed_ranks_are_uniform():
    rows = COMMITTED.read_text(encoding="utf-8").splitlines()[1:]
    p_values = [float(row.split(",")[4]) for row in rows]
    assert len(p_values) == 19
    assert min(p_values) > 1 - 0.99 ** (1 / 19)
