"""One curve behind several tasks: recovery, what is confounded, what is compared."""

import json
from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from lcstats.cells import Cells
from lcstats.errors import FormatError, OptionError
from lcstats.fit import fit_curve
from lcstats.fit.joint import JointFit, TaskCounts, compare_joint, fit_joint
from lcstats.truths import WORKED_CURVE, close_places, spread_places
from sims.needles import (
    DEPTHS,
    LENGTHS,
    TRUTHS,
    WITHIN,
    Question,
    _asked,
    _cells_of,
    _counts,
    ask_recovery,
    true_parameters,
)

pytestmark = pytest.mark.filterwarnings("ignore::lcstats.errors.LcstatsWarning")

N_SEEDS = 100


@pytest.mark.parametrize(
    "what",
    [
        *("single-needle", "distractors", "four-values", "aggregate-ten"),
        *("two-hop with single-needle", "all five together"),
    ],
)
def test_tasks_are_recovered_in_95_of_100_seeds(what):
    question = Question("recovery", what, 200)
    found = [ask_recovery(question, seed) for seed in range(N_SEEDS)]
    assert sum(one["all within"] for one in found) >= 95


def test_exact_rates_give_the_parameters_back():
    """Counts that are the rates themselves: no error but that of rounding to 10**9 cases."""
    question = Question("recovery", "all five together", 200)
    tasks = [
        TaskCounts.from_grid(
            _cells_of(TRUTHS[name], None).grid,
            _places(name),
            combines=name == "two-hop",
            own_terms=own,
        )
        for name, own in _asked(question)
    ]
    fit = fit_joint(tasks, penalty="none")
    true = true_parameters(question)
    assert set(fit.estimates) == set(true)
    for name, value in fit.estimates.items():
        assert value == pytest.approx(true[name], abs=2e-3), name
    for task in tasks:
        assert_allclose(
            fit.rates[task.name], TRUTHS[task.name].accuracy(LENGTHS, DEPTHS).ravel(), atol=1e-5
        )
    assert fit.combining_of("two-hop") == pytest.approx((0.92, 0.06), abs=1e-3)
    assert fit.curve_of("distractors").intercept == pytest.approx(3.3, abs=2e-3)


def _places(name):
    task = _counts(name, (), 1)
    return None if task.places.shape[1] == 1 else task.places[: DEPTHS.size].T


def test_single_facts_are_fit_as_by_fit_curve():
    cells = _cells_of(TRUTHS["single-needle"], 3)
    ours = fit_joint(TaskCounts.from_grid(cells.grid))
    theirs = fit_curve(cells)
    assert_allclose(ours.coefficients, theirs.coefficients, rtol=1e-6)
    assert_allclose(ours.covariance, theirs.covariance, rtol=1e-5)
    assert ours.log_likelihood == pytest.approx(theirs.log_likelihood)


def test_items_over_the_whole_context_say_nothing_of_depth():
    alone = fit_joint(_counts("aggregate-ten", (), 1))
    assert [term.term for term in alone.dropped_terms] == ["middle", "recency"]
    together = fit_joint([_counts("aggregate-ten", (), 1), _counts("single-needle", (), 2)])
    assert not together.dropped_terms


def test_own_terms_are_needed_where_they_are_and_not_where_they_are_not():
    tasks = {
        own: [_counts("single-needle", (), 1), _counts("distractors", own, 2)]
        for own in ((), ("intercept",), ("intercept", "length"))
    }
    fits = {own: fit_joint(listed) for own, listed in tasks.items()}
    needed = compare_joint(fits[()], fits[("intercept",)], n_simulations=99)
    assert needed.terms == ("intercept[distractors]",)
    assert needed.p_value == 0.01
    assert needed.aic_difference < -10
    same = [
        fit_joint([_counts("single-needle", (), 1), _renamed(_counts("single-needle", own, 2))])
        for own in ((), ("intercept",))
    ]
    assert compare_joint(*same, n_simulations=99).p_value > 0.05


def _renamed(task):
    return replace(task, name="again")


def test_a_factor_that_is_not_needed_is_held_at_one():
    """Two facts that need no combining, told that they do."""
    single = _counts("single-needle", (), 1)
    places = np.stack([DEPTHS, 1 - DEPTHS])
    each = WORKED_CURVE.accuracy(LENGTHS, DEPTHS)
    counts = np.random.default_rng(7).binomial(200, each * each[:, ::-1])
    cells = Cells.from_counts(LENGTHS, DEPTHS, n_cases=200, successes=counts, task="pairs")
    fit = fit_joint([single, TaskCounts.from_grid(cells.grid, places, combines=True)])
    rate, decay = fit.combining_of("pairs")
    assert (rate * np.exp(-decay * np.log2(LENGTHS / 1024)) <= 1 + 1e-12).all()
    assert rate > 0.97


def test_places_that_are_not_known_are_averaged_over():
    truth = WORKED_CURVE.accuracy(LENGTHS, DEPTHS).mean(axis=1) ** 4
    cells = Cells.from_counts(
        LENGTHS, [np.nan], n_cases=10**9, successes=np.rint(10**9 * truth)[:, None].astype(int)
    )
    task = TaskCounts.from_grid(cells.grid, DEPTHS, n_facts=4)
    fit = fit_joint(task, terms=("intercept", "length"), penalty="none")
    assert_allclose(fit.rates["default"], truth, rtol=0.03)
    assert any(notice.code == "places-averaged" for notice in fit.notices)


def test_counts_of_facts_are_overdispersed_where_they_are():
    rng = np.random.default_rng(1)
    rates = WORKED_CURVE.accuracy(LENGTHS, spread_places(DEPTHS)[:, 0]).mean(axis=1)
    # Ten trials of fifty facts that share one luck: counts scatter as those of ten do.
    luck = (rng.random((10, LENGTHS.size)) < rates).mean(axis=0)
    task = TaskCounts(
        name="counts",
        length=LENGTHS.astype(float),
        places=np.repeat(spread_places(DEPTHS)[:, 0][None], LENGTHS.size, axis=0),
        n_cases=np.full(LENGTHS.size, 500.0),
        successes=np.rint(500 * luck),
        n_facts=10,
        counted="facts",
    )
    fit = fit_joint(task)
    assert fit.dispersion > 1
    wide = np.linalg.inv(np.linalg.inv(fit.covariance) * fit.dispersion)
    assert (np.diag(fit.covariance) > np.diag(wide)).all()


def test_fits_that_are_not_nested_are_not_compared():
    fit = fit_joint(_counts("four-values", (), 1))
    with pytest.raises(OptionError, match="fewer own_terms"):
        compare_joint(fit, fit)


def test_two_tasks_of_one_name_are_refused():
    task = _counts("four-values", (), 1)
    with pytest.raises(OptionError, match="name of its own"):
        fit_joint([task, task])


def test_a_task_to_differ_from_is_needed():
    with pytest.raises(OptionError, match="leave own_terms out"):
        fit_joint(_counts("distractors", ("intercept",), 1))


def test_places_have_to_be_those_of_the_facts():
    cells = Cells.from_counts([4096], [0.5], n_cases=20, successes=[[11]])
    with pytest.raises(OptionError, match="are_placed=False"):
        TaskCounts("x", np.ones(1), np.zeros((1, 3)), np.ones(1), np.ones(1), n_facts=2)
    assert TaskCounts.from_grid(cells.grid, close_places(np.array([0.5]))).n_facts == 4


def test_standard_errors_are_within_which_estimates_scatter():
    found = [fit_joint(_counts("four-values", (), seed)) for seed in range(60)]
    scatter = np.std([fit.coefficients for fit in found], axis=0, ddof=1)
    stated = np.mean([list(fit.standard_errors.values()) for fit in found], axis=0)
    assert_allclose(scatter, stated, rtol=0.35)
    assert WITHIN == 3


@pytest.mark.parametrize("what", ["all five together", "aggregate-ten"])
def test_a_fit_comes_back_from_its_dictionary(what):
    tasks = [_counts(name, own, 5) for name, own in _asked(Question("recovery", what, 200))]
    fit = fit_joint(tasks)
    document = json.loads(json.dumps(fit.to_dict(), allow_nan=False))
    again = JointFit.from_dict(document)
    assert again.to_dict() == fit.to_dict()
    assert again.parameters == fit.parameters
    for name, rates in fit.rates.items():
        assert_allclose(again.rates[name], rates, rtol=1e-13)


def test_a_dictionary_that_is_not_whole_is_refused():
    document = fit_joint(_counts("single-needle", (), 5)).to_dict()
    with pytest.raises(FormatError, match="counts"):
        JointFit.from_dict({k: v for k, v in document.items() if k != "counts"})
