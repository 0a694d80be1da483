"""Averages over a task of few cases: how far the lower end of the set may be off, enumerated."""

import numpy as np
import pytest
from scipy.stats import beta, binom

from lcstats.cells import Cells, average_tasks
from lcstats.lengths import Criterion, effective_length
from lcstats.lengths.jeffreys import largest_lower_error

N_SURE, N_FEW, LEVEL = 100, 5, 0.95

pytestmark = pytest.mark.filterwarnings("ignore::lcstats.errors.LcstatsWarning")


def average(n_right, n_few=N_FEW):
    """Return the average of a task that is always right and one of few cases."""
    return average_tasks(
        Cells(
            grids=tuple(
                Cells.from_counts([4096], [0.5], n_cases=n, successes=[[k]], task=task).grid
                for task, n, k in (("sure", N_SURE, N_SURE), ("few", n_few, n_right))
            )
        )
    )


def said(answer):
    return [n.message for n in answer.notices if n.code == "few-cases-of-a-task"]


@pytest.mark.parametrize("n_cases", [1, 5, 20])
@pytest.mark.parametrize("level", [0.8, 0.95])
def test_the_largest_error_is_that_of_the_worst_accuracy(n_cases, level):
    right = np.arange(n_cases + 1)
    ends = beta.ppf((1 - level) / 2, right + 0.5, n_cases - right + 0.5)
    accuracies = np.append(np.linspace(ends[0], 1, 1001)[1:], ends[1:] * (1 - 1e-9))
    too_high = ends[:, None] > accuracies
    errors = (binom.pmf(right[:, None], n_cases, accuracies) * too_high).sum(axis=0)
    largest = largest_lower_error(n_cases, level=level)
    assert errors.max() == pytest.approx(largest)


def test_the_error_of_an_average_is_above_the_level_and_within_what_is_said():
    # The sure task leaves .5 of the average, so .8 of both is .6 of the few: just below it fails.
    answers = [effective_length(average(k), Criterion(0.8)) for k in range(N_FEW + 1)]
    assert {answer.observed.default_set.kind for answer in answers} == {"jeffreys"}
    claims = np.array([answer.observed.default_set.lower == 1 for answer in answers])
    error = float(binom.pmf(range(N_FEW + 1), N_FEW, 0.6) @ claims)
    assert error == pytest.approx(0.6**N_FEW)
    largest = largest_lower_error(N_FEW, level=LEVEL)
    assert (1 - LEVEL) / 2 < error < largest
    assert all(f"up to {largest:.1%} of sweeps (2.5% by" in said(answer)[0] for answer in answers)
    assert all("few has 5 cases" in said(answer)[0] for answer in answers)


def test_nothing_is_said_of_tasks_with_cases_enough_or_of_one_task_alone():
    assert said(effective_length(average(20, n_few=20), Criterion(0.8))) == []
    alone = Cells.from_counts([4096], [0.5], n_cases=5, successes=[[5]])
    assert said(effective_length(alone, Criterion(0.8), sets=("jeffreys",))) == []
