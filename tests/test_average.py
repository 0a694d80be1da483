"""The average over tasks: the same number as by hand, and an interval of that same number."""

import numpy as np
import pandas as pd
import pytest

from lcstats.cells import Cells, average_tasks, count_cells
from lcstats.errors import OptionError
from lcstats.fit import fit_curve
from lcstats.lengths import Criterion, effective_length
from lcstats.readers import read_trials
from lcstats.trials import Trials

pytestmark = pytest.mark.filterwarnings("ignore::lcstats.errors.LcstatsWarning")
LENGTHS = [4096, 8192, 16384]


def task(name, n_cases, successes, depths=(0.5,), model="m"):
    return Cells.from_counts(
        LENGTHS, list(depths), n_cases=n_cases, successes=successes, task=name, model=model
    ).grid


def three() -> Cells:
    return Cells(
        grids=(
            task("a", 10, [[10], [9], [4]]),
            task("b", 40, [[36], [32], [30]]),
            task("c", 20, [[20, 18], [19, 17], [12, 10]], depths=(0.0, 1.0)),
        )
    )


def test_it_is_the_unweighted_mean_of_the_tasks_own_means():
    answer = effective_length(average_tasks(three()), Criterion("0.85"))
    by_hand = [(1 + 0.9 + 0.95) / 3, (0.9 + 0.8 + 0.9) / 3, (0.4 + 0.75 + 0.55) / 3]
    assert answer.accuracy == pytest.approx(by_hand)
    assert answer.members == ("a", "b", "c")
    assert "mean of 3 tasks" in answer.sentence()
    assert answer.to_dict()["averaged_tasks"] == ["a", "b", "c"]


def test_some_tasks_can_be_chosen():
    both = average_tasks(three(), ["a", "b"])
    assert both.grid.members == ("a", "b")
    assert both.grid.task == "2 tasks"


def test_masses_are_those_of_the_average():
    """Against drawing every task's cases again and averaging by hand."""
    cells = average_tasks(three(), ["a", "b"])
    masses = effective_length(cells, Criterion("0.85")).observed.masses["bootstrap"]
    rng = np.random.default_rng(1)
    shares = [
        rng.binomial(n, np.array(k) / n, (40000, 3)) / n
        for n, k in ((10, [10, 9, 4]), (40, [36, 32, 30]))
    ]
    passes = (shares[0] + shares[1]) / 2 >= 0.85 - 1e-12
    outcomes = np.cumprod(passes, axis=1).sum(axis=1)
    drawn = np.bincount(outcomes, minlength=4) / outcomes.size
    assert masses == pytest.approx(drawn, abs=4 * 0.5 / np.sqrt(40000))


def test_a_relative_bar_is_the_average_s_own():
    criterion = Criterion("0.85", rule="relative", base_lengths=(4096,))
    answer = effective_length(average_tasks(three()), criterion)
    assert float(answer.applied_threshold) == pytest.approx(0.85 * answer.accuracy[0])
    assert answer.observed.length == 8192


def test_a_question_asked_in_two_tasks_stays_one_cluster():
    frame = pd.DataFrame(
        [
            {"task": t, "case": c, "length": n, "score": (c + n) % 2, "cluster": f"q{c}"}
            for t in "ab"
            for n in LENGTHS
            for c in range(5)
        ]
    )
    cases = average_tasks(count_cells(Trials.from_frame(frame))).grid.cases
    assert np.unique(cases.cluster).size == 5
    assert cases.is_clustered
    alone = average_tasks(count_cells(Trials.from_frame(frame.drop(columns="cluster"))))
    assert not alone.grid.cases.is_clustered


def test_a_length_that_lacks_a_task_is_named():
    counts = {"n_cases": 10, "successes": [[9]], "task": "b", "model": "m"}
    short = Cells.from_counts([4096], [0.5], **counts).grid
    cells = average_tasks(Cells(grids=(task("a", 10, [[10], [9], [8]]), short)))
    answer = effective_length(cells, Criterion("0.85"))
    (said,) = (n.message for n in answer.notices if n.code == "ragged-grid")
    assert "lack some of the 2 tasks" in said


def test_every_language_model_has_its_average():
    grids = [task(t, 10, [[9], [8], [7]], model=m) for m in "xy" for t in "ab"]
    assert [grid.model for grid in average_tasks(Cells(grids=tuple(grids))).grids] == ["x", "y"]


def test_what_cannot_be_averaged_is_refused():
    with pytest.raises(OptionError, match="name tasks that every language model has"):
        average_tasks(three(), ["a", "z"])
    with pytest.raises(OptionError, match="leave out averaging"):
        average_tasks(Cells(grids=three().grids[:1]))
    with pytest.raises(OptionError, match="fit the tasks before averaging"):
        fit_curve(average_tasks(three()))


def test_ruler_s_number_and_its_effective_length(real_data):
    trials = read_trials(real_data / "ruler" / "llama3_8b_262k")
    answer = effective_length(average_tasks(count_cells(trials)), Criterion("0.856"))
    means = [92.42, 89.35, 89.23, 84.56, 78.83, 75.17]
    assert (100 * answer.accuracy) == pytest.approx(means, abs=0.006)
    assert answer.observed.length == 16384


def test_a_task_that_lacks_a_depth_is_named():
    ragged = task("a", [[10, 10], [10, 0], [10, 10]], [[9, 9], [8, 0], [7, 7]], depths=(0.0, 1.0))
    cells = average_tasks(Cells(grids=(ragged, three().grids[1])))
    assert [notice.code for notice in cells.notices] == ["ragged-task"]
