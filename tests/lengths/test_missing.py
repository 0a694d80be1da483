"""What unscored cases could change."""

import json

import pandas as pd
import pytest

from lcstats.cells import count_cells
from lcstats.cells.average import average_tasks
from lcstats.lengths import Criterion, EffectiveLength, effective_length
from lcstats.readers import read_trials
from lcstats.trials import Trials

pytestmark = pytest.mark.filterwarnings("ignore::lcstats.errors.LcstatsWarning")


MEAN = Criterion("0.85")


def answer_of(rows, criterion=MEAN) -> EffectiveLength:
    frame = pd.DataFrame(rows, columns=["case", "length", "depth", "score"])
    return effective_length(count_cells(Trials.from_frame(frame)), criterion)


def rows(length, right, wrong, unscored, depth=0.5):
    scores = [1.0] * right + [0.0] * wrong + [None] * unscored
    return [(f"{length}-{depth}-{i}", length, depth, score) for i, score in enumerate(scores)]


def test_bounds_are_those_of_all_wrong_and_all_right():
    answer = answer_of([*rows(4096, 20, 0, 0), *rows(8192, 8, 2, 10)])
    bounds = answer.unscored_bounds
    assert bounds.accuracy == {8192: (0.4, 0.9)}
    assert (bounds.worst, bounds.best) == ("4096", ">=8192")
    (said,) = (n.message for n in answer.notices if n.code == "unscored-bounds")
    assert "0.4 to 0.9 at 8192, and the effective length from 4096 to >=8192" in said


def test_bounds_that_agree_are_one_outcome():
    answer = answer_of([*rows(4096, 2, 8, 0), *rows(8192, 8, 2, 10)])
    (said,) = (n.message for n in answer.notices if n.code == "unscored-bounds")
    assert said.endswith("and the effective length is <4096")


def test_the_worst_depth_has_bounds_of_its_own():
    table = [*rows(4096, 9, 1, 1), *rows(4096, 10, 0, 0, depth=0.9)]
    bounds = answer_of(table, Criterion("0.85", depth_treatment="worst")).unscored_bounds
    assert bounds is None
    table = [*rows(4096, 9, 1, 2), *rows(4096, 10, 0, 0, depth=0.9)]
    bounds = answer_of(table, Criterion("0.85", depth_treatment="worst")).unscored_bounds
    assert bounds.accuracy == {4096: (9 / 12, 11 / 12)}


def test_a_case_with_one_scored_repeat_is_not_missing():
    table = rows(4096, 8, 2, 0)
    frame = pd.DataFrame(
        [(*row, 1) for row in table] + [(*row[:3], None, 2) for row in table],
        columns=["case", "length", "depth", "score", "repeat"],
    )
    cells = count_cells(Trials.from_frame(frame))
    assert cells.grid.n_missing is None
    assert effective_length(cells, Criterion("0.85")).unscored_bounds is None
    independent = count_cells(Trials.from_frame(frame), repeats="independent")
    assert independent.grid.n_missing.tolist() == [[10]]


def test_few_unscored_cases_have_no_bounds():
    assert answer_of(rows(4096, 19, 0, 1)).unscored_bounds is None
    assert answer_of(rows(4096, 18, 0, 1)).unscored_bounds is not None


def test_they_come_back_from_the_dictionary():
    answer = answer_of(rows(4096, 8, 2, 10))
    document = json.loads(json.dumps(answer.to_dict()))
    assert document["unscored_bounds"]["accuracy_by_length"] == {"4096": [0.4, 0.9]}
    assert EffectiveLength.from_dict(document).unscored_bounds == answer.unscored_bounds


def test_case_51_failed_calls(cases_dir):
    (folder,) = cases_dir.glob("51-*")
    answer = effective_length(count_cells(read_trials(folder / "in.csv")), Criterion("0.85"))
    assert list(answer.unscored_bounds.accuracy.values()) == [(0.4, 0.9)]


def gap(length, n=20, depth=0.5):
    return rows(length, 0, 0, n, depth)


def codes_of(answer):
    return {notice.code: notice.message for notice in answer.notices}


@pytest.mark.parametrize("treatment", ["mean", "worst", "pooled"])
def test_a_length_without_any_score_is_not_passed_over_in_silence(treatment):
    table = [*rows(4096, 20, 0, 0), *gap(8192), *rows(16384, 20, 0, 0)]
    answer = answer_of(table, Criterion("0.85", depth_treatment=treatment))
    bounds = answer.unscored_bounds
    assert bounds.accuracy == {8192: (0.0, 1.0)}
    assert (bounds.worst, bounds.best) == ("4096", ">=16384")
    said = codes_of(answer)["length-passed-over"]
    assert "length 8192 lies inside the tested range, and none of its 20 trials is scored" in said


def test_gaps_outside_the_tested_range_have_bounds_and_are_not_passed_over():
    answer = answer_of([*gap(2048), *rows(4096, 20, 0, 0), *rows(8192, 1, 19, 0), *gap(16384)])
    bounds = answer.unscored_bounds
    assert bounds.accuracy == {2048: (0.0, 1.0), 16384: (0.0, 1.0)}
    assert (bounds.worst, bounds.best) == ("<2048", "4096")
    assert "length-passed-over" not in codes_of(answer)


def test_a_depth_without_any_score_is_a_hole_with_bounds():
    table = [
        row
        for length in (4096, 8192)
        for row in (
            *rows(length, 20, 0, 0, 0.0),
            *gap(length, 20, 0.5),
            *rows(length, 20, 0, 0, 0.9),
        )
    ]
    answer = answer_of(table)
    assert answer.accuracy.tolist() == [1.0, 1.0]
    assert answer.unscored_bounds.accuracy == {4096: (2 / 3, 1.0), 8192: (2 / 3, 1.0)}
    assert (answer.unscored_bounds.worst, answer.unscored_bounds.best) == ("<4096", ">=8192")
    assert "no trial at depth 0.5 is scored" in codes_of(answer)["depth-unscored"]
    assert answer.observed.default_set.kind == "jeffreys"


def test_a_depth_without_score_at_one_length_makes_the_grid_ragged():
    table = [*rows(4096, 20, 0, 0, 0.0), *rows(4096, 20, 0, 0, 0.9), *rows(8192, 20, 0, 0, 0.0)]
    answer = answer_of([*table, *gap(8192, 20, 0.9)])
    assert "1 of 2 lengths lacks some of the 2 depths (8192)" in codes_of(answer)["ragged-grid"]
    assert answer.unscored_bounds.accuracy == {8192: (0.5, 1.0)}


def test_failed_requests_without_a_depth_are_no_depth():
    answer = answer_of(
        [*rows(4096, 20, 0, 0, 0.0), *rows(4096, 20, 0, 0, 0.9), *gap(4096, 20, None)]
    )
    assert not {"ragged-grid", "depth-unscored"} & set(codes_of(answer))


def test_a_relative_bar_is_bounded_by_the_opposite_base():
    table = [*rows(4096, 16, 0, 4), *rows(8192, 16, 4, 0)]
    answer = answer_of(table, Criterion("0.95", rule="relative"))
    # The base is .8 to 1, the bar .76 to .95, and the length beside it .8.
    assert (answer.unscored_bounds.worst, answer.unscored_bounds.best) == ("4096", ">=8192")


def test_a_task_without_score_at_a_length_bounds_the_average():
    tables = {
        "A": rows(4096, 20, 0, 0) + rows(8192, 20, 0, 0),
        "B": rows(4096, 20, 0, 0) + gap(8192),
    }
    frame = pd.concat(
        pd.DataFrame(table, columns=["case", "length", "depth", "score"]).assign(task=task)
        for task, table in tables.items()
    )
    both = average_tasks(count_cells(Trials.from_frame(frame)))
    bounds = effective_length(both, MEAN).unscored_bounds
    assert bounds.accuracy == {8192: (0.5, 1.0)}
    assert (bounds.worst, bounds.best) == ("4096", ">=8192")


def test_a_small_task_without_score_at_a_length_is_no_small_share():
    table = [*rows(4096, 400, 0, 0), *rows(8192, 400, 0, 0)]
    small = [*rows(4096, 5, 0, 0), *rows(8192, 0, 0, 5)]
    frame = pd.concat(
        pd.DataFrame(part, columns=["case", "length", "depth", "score"]).assign(task=task)
        for task, part in (("a", table), ("b", small))
    )
    both = average_tasks(count_cells(Trials.from_frame(frame)))
    bounds = effective_length(both, MEAN).unscored_bounds
    assert bounds.accuracy == {8192: (0.5, 1.0)}
    assert (bounds.worst, bounds.best) == ("4096", ">=8192")
