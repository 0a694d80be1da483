"""The compound kernel finds the maximum that scipy finds, penalised or not."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import minimize

from lcstats.curve import Compound, design_matrix, joint_likelihood
from lcstats.fit.joint.solve import Problem, solve_joint
from lcstats.fit.table import Law
from lcstats.truths import FOUR_VALUES, close_places

LENGTHS, DEPTHS = 1024 * 2.0 ** np.arange(8), np.arange(11) / 10
START = np.array([2.0, 0.0, 0.0, 0.0])


@pytest.fixture(scope="module")
def four_values():
    places = close_places(DEPTHS).T
    design = design_matrix(LENGTHS[:, None, None], places[None]).reshape(88, 4, 4)
    rates = FOUR_VALUES.accuracy(LENGTHS, DEPTHS).ravel()
    counts = np.random.default_rng(3).binomial(20, rates).astype(float)
    return Compound.of_places(design), np.full(88, 20.0), counts


def objective(compound, n, k, guess, lapse, penalised):
    def loss(theta):
        found = joint_likelihood(
            compound, theta, n_cases=n, successes=k, guess_rate=guess, lapse_rate=lapse
        )
        penalty = np.linalg.slogdet(found.information)[1] / 2 if penalised else 0.0
        return -(found.log_likelihood + penalty)

    return loss


@pytest.mark.parametrize("rates", [(0.0, 0.0), (0.1, 0.02)])
@pytest.mark.parametrize("penalised", [True, False])
def test_the_maximum_is_scipys(four_values, rates, penalised):
    compound, n, k = four_values
    law = Law(("intercept", "length", "middle", "recency"), *rates, 0.1, 1024.0, 7.0)
    found, settled = solve_joint(Problem((), compound, n, START), k, law, penalised=penalised)
    loss = objective(compound, n, k, *rates, penalised)
    theirs = minimize(loss, START, method="BFGS", options={"gtol": 1e-4})
    assert settled
    assert loss(found) <= theirs.fun + 1e-8
    assert_allclose(found, theirs.x, rtol=2e-3, atol=2e-3)


def test_the_penalised_gradient_vanishes_at_the_maximum(four_values):
    compound, n, k = four_values
    law = Law(("intercept", "length", "middle", "recency"), 0.0, 0.0, 0.1, 1024.0, 7.0)
    found, _ = solve_joint(Problem((), compound, n, START), k, law, penalised=True)
    loss = objective(compound, n, k, 0.0, 0.0, True)
    slopes = [(loss(found + s) - loss(found - s)) / 2e-5 for s in 1e-5 * np.eye(4)]
    assert_allclose(slopes, 0.0, atol=1e-4)


def test_separated_trials_have_finite_coefficients_with_the_penalty(four_values):
    compound, n, _ = four_values
    law = Law(("intercept", "length", "middle", "recency"), 0.0, 0.0, 0.1, 1024.0, 7.0)
    everything = np.where(np.arange(88) < 44, n, 0.0)
    found, settled = solve_joint(Problem((), compound, n, START), everything, law, penalised=True)
    assert settled
    assert np.abs(found).max() < 100
