"""Rows that stand for several trials: counts and means in tables of anybody's making."""

import json

import pytest

from lcstats.cells import Cells
from lcstats.errors import OptionError, TableError
from lcstats.readers import read_trials
from lcstats.trials import Trials

pytestmark = pytest.mark.filterwarnings("ignore::lcstats.errors.LcstatsWarning")


@pytest.fixture
def read(tmp_path):
    def read(text, **options):
        (tmp_path / "a.csv").write_text(text)
        return read_trials(tmp_path / "a.csv", model_name="m", **options)

    return read


@pytest.mark.parametrize(
    ("header", "rows", "n", "right"),
    [
        ("total,correct", ("200,97", "200,50"), 200, [97, 50]),
        ("n,correct", ("10,9", "10,5"), 10, [9, 5]),
        ("n_samples,num_passed", ("10,1", "10,2"), 10, [1, 2]),
        ("count,hits", ("10,3", "10,0"), 10, [3, 0]),
        ("n,k,score", ("100,97,.97", "100,90,.9"), 100, [97, 90]),
        ("n,k,accuracy", ("3,2,66.7", "3,1,33.3"), 3, [2, 1]),
        ("n,accuracy", ("100,0.97", "100,0.5"), 100, [97, 50]),
        ("num_trials,accuracy", ("100,97", "100,90"), 100, [97, 90]),
        ("n,correct", ("50,0.98", "50,0.1"), 50, [49, 5]),
        ("n,score", ("3,.667", "3,.333"), 3, [2, 1]),
    ],
)
def test_counts_and_means_become_cells(read, header, rows, n, right):
    cells = read(f"length,{header}\n4096,{rows[0]}\n8192,{rows[1]}\n")
    assert isinstance(cells, Cells)
    assert cells.grid.n_cases.tolist() == [[n], [n]]
    assert cells.grid.successes.ravel().tolist() == right
    assert [notice.code for notice in cells.notices] == ["counts-in-rows"]


@pytest.mark.parametrize(
    ("header", "rows"),
    [
        ("n,correct", ("100,1", "100,0")),
        ("n,accuracy", ("100,1", "100,0")),
        ("total,correct,item_id", ("10,7,a", "10,3,b")),
    ],
)
def test_what_may_be_a_count_or_a_single_trial_is_asked(read, header, rows):
    text = f"length,{header}\n4096,{rows[0]}\n8192,{rows[1]}\n"
    with pytest.raises(TableError, match=r"--map n_cases=.*--map score="):
        read(text)


def test_the_answer_to_the_question_is_taken(read):
    text = "length,n,correct\n4096,100,1\n8192,100,0\n"
    counts = read(text, columns={"n_cases": "n", "successes": "correct"})
    assert counts.grid.accuracy.tolist() == [[0.01], [0.0]]
    trials = read(text, columns={"score": "correct"})
    assert trials.frame["score"].tolist() == [1.0, 0.0]


@pytest.mark.parametrize(
    "text",
    [
        "length,n,correct\n4096,1,1\n8192,1,0\n",
        "length,n,correct\n4096,1,1\n8192,2,0\n16384,3,1\n",
        "length,n,correct\n4096,5,1\n4096,5,0\n",
        "item_id,length,n,k,correct\na,4096,5,1,1\nb,4096,5,1,0\n",
        "length,total,correct\n4096,10,true\n8192,10,false\n",
        "length,n,k,score\n4096,5,3,1\n4096,5,3,0\n",
    ],
    ids=["one each", "row numbers", "several rows", "ids", "words", "k is something else"],
)
def test_a_number_beside_single_trials_is_no_count(read, text):
    trials = read(text)
    assert isinstance(trials, Trials)
    assert trials.frame["score"].max() == 1


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("10,0.97", r"a\.csv line 2: accuracy 0\.97 of n 10 is no whole number .*--map score="),
        ("1000,0.97", r"line 2: .*too few digits to tell .*write the means with more digits"),
    ],
)
def test_a_mean_that_leaves_its_count_open_is_refused(read, row, message):
    with pytest.raises(TableError, match=message):
        read(f"length,n,accuracy\n4096,{row}\n")


def test_means_of_marks_say_nothing_about_right_ones(read):
    with pytest.raises(OptionError, match=r"means of marks .*--score-scale 0-100"):
        read("length,n,score\n4096,10,7.5\n8192,10,3.5\n")


def test_rows_without_a_mean_are_left_out(read):
    cells = read("length,n,accuracy\n4096,10,0.9\n8192,10,\n16384,0,\n")
    assert cells.grid.lengths.tolist() == [4096]


def test_a_mean_without_a_number_of_cases_is_no_silent_trial(read):
    text = "length,accuracy\n4096,0.97\n8192,0.9\n"
    trials = read(text)
    assert [notice.code for notice in trials.notices] == ["perhaps-means"]
    assert "--cases-per-cell N" in trials.notices[0].message
    assert read(text, cases_per_cell=100).grid.successes.ravel().tolist() == [97, 90]
    whole = read("length,accuracy\n4096,1\n8192,0\n", cases_per_cell=100)
    assert whole.grid.successes.ravel().tolist() == [100, 0]


@pytest.mark.parametrize(
    "text",
    [
        "length,item_id,score\n4096,a,1\n4096,b,0\n",
        "length,score\n4096,1\n4096,0\n",
        "length,n,score\n4096,20,.9\n",
    ],
)
def test_a_number_of_cases_for_other_tables_is_refused(read, text):
    with pytest.raises(OptionError, match="leave out --cases-per-cell"):
        read(text, cases_per_cell=20)


def test_counts_in_json_lines(tmp_path):
    rows = [{"length": 4096, "total": 200, "correct": 97}]
    (tmp_path / "a.jsonl").write_text("\n".join(map(json.dumps, rows)))
    assert read_trials(tmp_path / "a.jsonl").grid.accuracy.tolist() == [[0.485]]
