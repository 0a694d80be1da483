"""Scores: words, grades, scales and thresholds; scales are declared or beyond doubt."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lcstats.errors import OptionError, TableError
from lcstats.trials import TableOptions, Trials
from lcstats.trials.faults import Faults
from lcstats.trials.origin import Origin, Part
from lcstats.trials.score_column import parse_scores, read_scores

ASK = r"--score-scale 0-1\|0-100\|1-10\|0-10\) to keep grades.*--score-threshold 7"


def read(cells, sizes=None, **options):
    column = pd.Series(cells)
    parts = [Part(f"{i}.csv", size) for i, size in enumerate(sizes or [len(column)])]
    faults = Faults(Origin(tuple(parts)))
    scores = read_scores(parse_scores(column), column, faults=faults, **options)
    faults.raise_any()
    return scores


def codes(scores):
    return [notice.code for notice in scores.notices]


def test_letters_words_booleans_and_numbers():
    cells = ["C", "I", "P", "N", "true", "FALSE", "1", "0.5", "yes", "no", True, False]
    values = [1, 0, 0.5, 0, 1, 0, 1, 0.5, 1, 0, 1, 0]
    assert read(pd.Series(cells, dtype=object)).values.tolist() == values
    assert read([True, False]).values.tolist() == [1.0, 0.0]


def test_an_unknown_word_is_refused_not_dropped():
    with pytest.raises(TableError, match=r"row 2: score is 'maybe'; .*leave it empty if"):
        read(["C", "maybe"])


def test_missing_scores_stay_missing():
    assert np.isnan(read([1, None, 0]).values).tolist() == [False, True, False]


def test_a_judge_scale_is_taken_only_when_its_top_is_seen():
    scores = read([10, 7, 5, 3, 1])
    assert scores.scale == "1-10"
    assert scores.values == pytest.approx([1, 6 / 9, 4 / 9, 2 / 9, 0])
    assert codes(scores) == ["score-scale"]
    with pytest.raises(TableError, match=f"score runs from 3 to 7; .*{ASK}"):
        read([7, 5, 3])


@pytest.mark.parametrize("cells", [[0.001] * 8, [0, 0.01], [0.004]])
def test_scores_that_are_all_next_to_0_are_asked_about(cells):
    with pytest.raises(TableError, match=r"above 0\.0.*--score-scale 0-1.*--map score=THEIRS"):
        read(cells)
    assert read(cells, scale="0-1").values.tolist() == cells
    assert read(cells, threshold=0.004).values.tolist() == [float(x >= 0.004) for x in cells]


@pytest.mark.parametrize("cells", [[0, 0], [0.001, 0.02], [0.001, 1]])
def test_small_scores_beside_larger_ones_or_none_are_grades(cells):
    assert (read(cells).scale, read(cells).values.tolist()) == ("0-1", cells)


def test_a_percent_scale_is_taken_only_when_scores_exceed_ten():
    scores = read([100, 75, 0])
    assert (scores.scale, scores.values.tolist()) == ("0-100", [1.0, 0.75, 0.0])
    assert "--score-threshold 7" in scores.notices[0].message


@pytest.mark.parametrize("cells", [[0, 9.3], [0, 10], [0.5, 60], [3, 1000], [1.5, 10]])
def test_unclear_scales_are_asked_about(cells):
    with pytest.raises(TableError, match=ASK):
        read(cells)


def test_files_that_show_no_scale_beside_files_that_do_are_asked_about():
    with pytest.raises(TableError, match=f"only to 1 in 1.csv; .*{ASK}"):
        read([100, 75, 0, 1], sizes=[2, 2])


def test_nothing_but_ones_is_said_to_be_unclear():
    scores = read([1, 1, 1])
    assert scores.values.tolist() == [1.0, 1.0, 1.0]
    assert codes(scores) == ["score-scale-unclear"]
    assert codes(read([True, True])) == []
    assert codes(read([1, 1], scale="0-1")) == []


@pytest.mark.parametrize(
    ("scale", "cells", "values"),
    [
        ("0-1", [0, 0.5, 1], [0, 0.5, 1]),
        ("0-100", [0, 50, 1], [0, 0.5, 0.01]),
        ("1-10", [1, 10, 5.5], [0, 1, 0.5]),
    ],
)
def test_declared_scales(scale, cells, values):
    assert read(cells, scale=scale).values.tolist() == values
    assert read(cells, scale=scale).notices == ()


@pytest.mark.parametrize(("scale", "cell"), [("0-1", 7), ("0-100", 101), ("1-10", 0)])
def test_scores_off_a_declared_scale_are_refused(scale, cell):
    with pytest.raises(TableError, match=rf"score is {cell}; .*declare another scale"):
        read([1, cell], scale=scale)


def test_a_threshold_is_in_the_scale_of_the_file_and_includes_itself():
    scores = read([10, 7, 6.9, 1, None], threshold=7)
    assert scores.values[:4].tolist() == [1, 1, 0, 0]
    assert np.isnan(scores.values[4])


def test_a_threshold_leaves_words_their_meaning():
    assert read(["C", "I", "P", "10", "3"], threshold=7).values.tolist() == [1, 0, 0, 1, 0]


def test_a_threshold_above_every_score_is_said():
    assert codes(read([1, 1], threshold=7)) == ["threshold-above-scores"]


def test_a_threshold_off_the_declared_scale_is_refused():
    with pytest.raises(OptionError, match="pass the threshold in the scale of the file"):
        read([1, 0], scale="0-1", threshold=7)


def test_a_negative_score_is_refused_under_a_threshold_too():
    with pytest.raises(TableError, match=r"score is -1; .*leave it empty if the trial"):
        read([7, -1], threshold=7)


@given(
    st.lists(st.integers(min_value=1, max_value=10), min_size=1),
    st.integers(min_value=1, max_value=10),
)
def test_a_threshold_counts_what_a_loop_counts(marks, threshold):
    right = read(marks, threshold=threshold).values
    assert right.tolist() == [float(mark >= threshold) for mark in marks]


@pytest.mark.filterwarnings("ignore::lcstats.errors.LcstatsWarning")
def test_language_models_of_two_scales_in_one_table_are_asked_about():
    frame = pd.DataFrame({"model": ["A"] * 3 + ["B"] * 3, "length": 4096, "id": [1, 2, 3] * 2})
    with pytest.raises(TableError, match=r"only to 1 in 1 group .*--score-threshold"):
        Trials.from_frame(frame.assign(score=[1, 1, 0, 100, 50, 0]))
    alike = Trials.from_frame(frame.assign(score=[0, 0, 0, 100, 50, 0]))
    assert alike.frame["score"].tolist() == [0, 0, 0, 1, 0.5, 0]


@pytest.mark.filterwarnings("ignore::lcstats.errors.LcstatsWarning")
def test_a_threshold_of_another_scale_is_said():
    frame = pd.DataFrame({"length": [4096] * 2, "score": [90, 10]})
    trials = Trials.from_frame(frame, TableOptions(score_threshold=0.85))
    assert "threshold-below-scale" in [notice.code for notice in trials.notices]


def test_an_endless_number_is_no_score():
    frame = pd.DataFrame({"length": [4096], "score": ["1e999"]})
    with pytest.raises(TableError, match=r"score is '1e999'.*mend the value"):
        Trials.from_frame(frame, TableOptions(score_threshold=7))


@pytest.mark.parametrize(
    ("cells", "scale", "bar"), [([10, 7, 1], "1-10", 7), ([100, 75, 0], "0-100", 70)]
)
def test_the_example_of_a_threshold_is_on_the_scale_that_was_found(cells, scale, bar):
    scores = read(cells)
    said = scores.notices[0].message
    assert f"pass score_scale={scale!r}" in said
    assert f"(--score-threshold {bar}) to count {bar} and more as right" in said
    right = read(cells, threshold=bar).values.tolist()
    assert right == [float(cell >= bar) for cell in cells]
