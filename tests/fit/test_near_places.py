"""Places that nearly coincide: terms are told apart with a usable error, or left out by name."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lcstats.cells import Cells
from lcstats.curve import joint_likelihood
from lcstats.fit import fit_curve
from lcstats.fit.joint import TaskCounts, fit_joint
from lcstats.fit.joint.parameters import MOST_INFORMATION_OF_ALL, build_compound
from lcstats.fit.table import LARGEST_TERM_ERROR, MOST_INFORMATION
from lcstats.truths import WORKED_CURVE

pytestmark = pytest.mark.filterwarnings("ignore::lcstats.errors.LcstatsWarning")

LENGTHS = np.array([2048, 16384, 131072])


def successes_of(depths, seed):
    rates = WORKED_CURVE.accuracy(LENGTHS, depths)
    return np.random.default_rng(seed).binomial(80, rates)


@settings(max_examples=60, deadline=None)
@given(st.floats(0.05, 0.95), st.floats(-9, -2.5), st.integers(1, 3), st.integers(0, 99))
def test_nearly_one_depth_is_fitted_as_one_or_says_so(depth, power, n_facts, seed):
    depths = depth + 10.0**power * np.array([-1.0, 0.0, 0.5])
    places = np.repeat(np.tile(depths, 3)[:, None], n_facts, axis=1)
    n, k = np.full(9, 80.0), successes_of(depths, seed).ravel().astype(float)
    fit = fit_joint(TaskCounts("near", np.repeat(LENGTHS, 3) * 1.0, places, n, k, n_facts=n_facts))
    errors = np.array(list(fit.standard_errors.values()))
    if not fit.dropped_terms:
        assert power > -6
    if power < -6:
        assert [term.term for term in fit.dropped_terms] == ["middle", "recency"]
        assert fit.converged
        assert errors.max() < 5
    elif not (errors < LARGEST_TERM_ERROR).all():
        assert any(notice.code == "undetermined" for notice in fit.notices)


@pytest.mark.parametrize("power", [-9, -7, -5])
def test_a_curve_leaves_out_what_depths_so_near_cannot_tell(power):
    depths = 0.5 + 10.0**power * np.array([-1.0, 0.0, 0.5])
    depths = np.unique(depths)
    cells = Cells.from_counts(LENGTHS, depths, n_cases=80, successes=successes_of(depths, 1))
    fit = fit_curve(cells)
    assert fit.converged
    assert [term.term for term in fit.dropped_terms] == ["middle", "recency"]
    assert max(fit.standard_errors.values()) < 1


def test_many_cases_tell_near_depths_apart():
    depths = np.array([0.5, 0.51, 0.52])
    few, many = (
        fit_curve(
            Cells.from_counts(
                LENGTHS,
                depths,
                n_cases=n,
                successes=np.rint(n * WORKED_CURVE.accuracy(LENGTHS, depths)).astype(int),
            ),
            terms=("intercept", "length", "recency"),
        )
        for n in (20, 10**8)
    )
    assert [term.term for term in few.dropped_terms] == ["recency"]
    assert many.dropped_terms == ()
    assert many.standard_errors["recency"] < LARGEST_TERM_ERROR


@pytest.mark.parametrize("n_facts", [1, 2, 5, 40])
def test_no_rate_says_more_than_the_most(n_facts):
    task = TaskCounts(
        "one", np.ones(1), np.zeros((1, n_facts)), np.ones(1), np.ones(1), n_facts=n_facts
    )
    fit = fit_joint(task, terms=("intercept",))
    compound = build_compound(fit.tasks, fit.law, fit.fitted)
    said = [
        joint_likelihood(compound, [logit], n_cases=[1], successes=[1]).information.item()
        for logit in np.linspace(-8, 12, 400)
    ]
    most = MOST_INFORMATION if n_facts == 1 else MOST_INFORMATION_OF_ALL
    assert 0.5 * most < max(said) <= most + 1e-9
