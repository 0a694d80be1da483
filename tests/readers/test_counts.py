"""Tables of counts: cells without trials."""

import json

import pytest

from lcstats.cells import Cells
from lcstats.errors import OptionError, TableError
from lcstats.readers import read_trials

pytestmark = pytest.mark.filterwarnings("ignore::lcstats.errors.LcstatsWarning")


@pytest.fixture
def read(tmp_path):
    def read(text, **options):
        (tmp_path / "a.csv").write_text(text)
        return read_trials(tmp_path / "a.csv", **options)

    return read


def test_several_groups_give_several_grids(read):
    cells = read("model,task,length,n,k\nm,A,4096,1000,900\nm,B,4096,10,5\n")
    assert isinstance(cells, Cells)
    assert cells.aggregate_only
    assert cells.reading.format == "counts"
    assert [grid.task for grid in cells.grids] == ["A", "B"]
    assert cells.select(task="B").grid.accuracy.tolist() == [[0.5]]


def test_lengths_and_depths_are_read_like_those_of_trials(read):
    cells = read("ctx_len,Depth %,n_cases,successes\n4k,0,20,20\n4k,100,20,17\n8k,50,5,0\n")
    grid = cells.grid
    assert grid.lengths.tolist() == [4096, 8192]
    assert grid.depths.tolist() == [0.0, 0.5, 1.0]
    assert grid.n_cases.tolist() == [[20, 0, 20], [0, 5, 0]]
    assert [notice.code for notice in cells.notices] == ["length-base", "model-unnamed"]


def test_counts_in_json(tmp_path):
    rows = [{"length": 4096, "n": 10, "k": 9}]
    (tmp_path / "a.json").write_text(json.dumps(rows))
    assert read_trials(tmp_path / "a.json").grid.accuracy.tolist() == [[0.9]]


def test_rows_of_one_cell_are_added_up_and_it_is_said(read):
    cells = read("length,n,k\n4096,10,9\n4096,10,8\n")
    assert cells.grid.numerators.tolist() == [[17]]
    assert [notice.code for notice in cells.notices] == ["counts-added", "model-unnamed"]


def test_a_count_of_zero_is_no_estimate(read):
    assert read("length,n,k\n4096,10,9\n8192,0,0\n").grid.lengths.tolist() == [4096]
    with pytest.raises(TableError, match=r"no scored trials in a\.csv: every count is 0; .*sweep"):
        read("length,n,k\n4096,0,0\n")


@pytest.mark.parametrize(
    ("row", "mend"),
    [
        ("4096,10,11", r"k is 11; expected at most n.*--map n_cases=THEIRS"),
        ("4096,10,0.9", r"k is 0\.9; .*give counts, not rates"),
        ("4096,-1,0", r"n is -1; .*give counts, not rates"),
        ("4096,,0", r"n is missing; .*leave out rows that were not run"),
        ("0,10,9", r"length is 0; expected a whole number of at least 1"),
    ],
)
def test_faults_of_counts(read, row, mend):
    with pytest.raises(TableError, match=rf"a\.csv line 3: {mend}"):
        read(f"length,n,k\n8192,10,9\n{row}\n")


def test_options_about_scores_contradict_counts(read):
    with pytest.raises(OptionError, match="leave out --score-threshold and --score-scale"):
        read("length,n,k\n4096,10,9\n", score_threshold=7)


def test_a_header_of_counts_without_rows(read):
    with pytest.raises(TableError, match=r"no scored trials in a\.csv"):
        read("length,n,k\n")


def test_counts_need_a_length(read):
    with pytest.raises(TableError, match="--map length=THEIRS"):
        read("ctx,n,k\n4096,10,9\n")


def test_counts_beyond_all_sweeps_are_refused(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("model,length,n,k\nm,4096,1e19,1e19\nm,8192,10,5\n")
    with pytest.raises(TableError, match=r"line 2: n is 1e\+19; expected a count below .*mend"):
        read_trials(path)


def test_rows_that_count_nothing_are_named(read):
    cells = read("model,length,n,k\nm,4096,10,10\nm,8192,0,0\nm,16384,0,0\n")
    assert cells.grid.lengths.tolist() == [4096]
    said = {notice.code: notice.message for notice in cells.notices}
    assert said["empty-counts"] == (
        "2 rows with n 0 left out, at length 8192, 16384: nothing was counted there"
    )


def test_a_missing_number_of_trials_is_one_fault(read):
    with pytest.raises(TableError) as caught:
        read("length,n,k\n4096,,3\n")
    assert str(caught.value).count("line 2") == 1


def test_sums_of_grades_that_were_written_are_read_again(read):
    header = "model,task,length,depth,n_cases,successes\n"
    cells = read(f"{header}m,cwe,4096,,500,495.7\nm,cwe,8192,,500,428.0\n")
    assert cells.grid.successes.ravel().tolist() == pytest.approx([495.7, 428.0])
    with pytest.raises(TableError, match=r"successes is 0\.85; .*give counts, not rates"):
        read(f"{header}m,cwe,4096,,20,0.85\nm,cwe,8192,,20,0.5\n")
