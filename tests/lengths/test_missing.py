"""What unscored cases could change."""

import json

import pandas as pd
import pytest

from lcstats.cells import count_cells
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
