"""Wide tables of means of which the call says how many cases each is of."""

import pytest

from lcstats.errors import FormatError, OptionError, TableError
from lcstats.readers import read_trials

ROUCHER = ",1000,9928,18857\n0,10.0,10.0,0.0\n7,10.0,8.5,0.0\n"


@pytest.mark.parametrize("header", [",0,1,2", "1000,2000,4000", "length,4096", "id,4k,score"])
def test_other_headers_are_not_taken_for_one(tmp_path, header):
    path = tmp_path / "a.csv"
    path.write_text(f"{header}\n" + ",".join("1" * (header.count(",") + 1)) + "\n")
    with pytest.raises(ValueError, match="expected") as caught:
        read_trials(path)
    assert "means" not in str(caught.value)


@pytest.fixture
def wide(tmp_path):
    """Write a table and return its file."""
    path = tmp_path / "wide.csv"

    def write(text):
        path.write_text(text)
        return path

    return write


@pytest.mark.filterwarnings("ignore::lcstats.errors.LcstatsWarning")
@pytest.mark.parametrize(
    ("text", "n", "options"),
    [
        ("Document Depth,4K,128K\n0,1,0.667\n100,1,0.333\n", 3, {}),
        ("depth %;4096;131072\n0;100,0;66,7\n100;100,0;33,3\n", 3, {"decimal": ","}),
        ("depth,4096,131072\n0,100%,66.7%\n1,100%,33.3%\n", 3, {"depth_unit": "fraction"}),
        ("depth,4096,131072\n0,1,0.6666666666666666\n100,1.0,0.3333333333333333\n", 3, {}),
    ],
    ids=["fractions", "decimal commas", "percent signs", "all digits"],
)
def test_with_a_number_of_cases_it_is_counts(wide, text, n, options):
    cells = read_trials(wide(text), cases_per_cell=n, **options)
    assert cells.aggregate_only
    assert cells.grid.lengths.tolist() == [4096, 131072]
    assert cells.grid.depths.tolist() == [0.0, 1.0]
    assert cells.grid.n_cases.tolist() == [[3, 3], [3, 3]]
    assert cells.grid.successes.tolist() == [[3, 3], [2, 1]]


@pytest.mark.filterwarnings("ignore::lcstats.errors.LcstatsWarning")
def test_rows_may_be_language_models_and_cells_empty(wide):
    cells = read_trials(wide(",2048,4096\nyarn,1.0,0.35\nllama,0.5,\n"), cases_per_cell=20)
    grids = {grid.model: grid for grid in cells.grids}
    assert grids["yarn"].successes.ravel().tolist() == [20, 7]
    assert grids["llama"].lengths.tolist() == [2048]


@pytest.mark.filterwarnings("ignore::lcstats.errors.LcstatsWarning")
def test_ones_and_zeros_are_no_rounded_means(wide):
    cells = read_trials(wide("depth,2048,4096\n50,1,0\n"), cases_per_cell=25, depth_unit="percent")
    assert cells.grid.successes.ravel().tolist() == [25, 0]


@pytest.mark.parametrize(
    ("cell", "n", "match"),
    [
        ("0.5", 3, r"line 2, column 4096: 0\.5 of 3 cases is 1\.5 right.*check cases_per_cell=3"),
        ("0.4", 25, r"0\.4 has too few digits .*of 25 cases.*with more digits"),
        ("-1", 3, r"-1 of 3 cases is -3 right"),
        ("good", 3, r"line 2, column 4096 is 'good'.*leave the cell empty"),
    ],
)
def test_a_mean_that_is_not_of_so_many_cases_is_named(wide, cell, n, match):
    with pytest.raises(TableError, match=match):
        read_trials(wide(f"depth,2048,4096\n50,1,{cell}\n"), cases_per_cell=n)


def test_means_of_marks_say_nothing_about_how_many_were_right(wide):
    with pytest.raises(OptionError, match=r"means of up to 10\.0.*--score-scale 0-100"):
        read_trials(wide(ROUCHER), cases_per_cell=3)
    with pytest.raises(OptionError, match=r"score_scale is '1-10'.*read the single trials"):
        read_trials(wide(ROUCHER), cases_per_cell=3, score_scale="1-10")


def test_a_number_of_cases_is_refused_where_files_say_it(wide):
    path = wide("length,score\n4096,1\n4096,0\n")
    with pytest.raises(OptionError, match=r"several rows per length.*leave out --cases-per-cell"):
        read_trials(path, cases_per_cell=3)
    with pytest.raises(OptionError, match="expected a whole number of at least 1"):
        read_trials(path, cases_per_cell=0)


@pytest.mark.filterwarnings("ignore::lcstats.errors.LcstatsWarning")
def test_means_that_round_from_two_counts_are_refused(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text(",1000,2000\n0,0.85,0.85\n100,0.85,1.00\n")
    with pytest.raises(
        TableError, match=r"column 1000: 0\.85 has too few .*not 127 to 128.*digits"
    ):
        read_trials(path, cases_per_cell=150)
    assert read_trials(path, cases_per_cell=40).grid.successes.tolist() == [[34, 34], [34, 40]]


@pytest.mark.filterwarnings("ignore::lcstats.errors.LcstatsWarning")
def test_lines_of_another_width_are_said(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("depth,1000,2000\n0,1,1,0\n50,1\n100,1,0\n")
    with pytest.raises(FormatError, match=r"line 2: more cells than the header.*skip-bad-lines"):
        read_trials(path, cases_per_cell=1)
    cells = read_trials(path, cases_per_cell=1, skip_bad_lines=True)
    assert cells.grid.n_cases.tolist() == [[1, 1], [0, 1]]
    said = {notice.code: notice.message for notice in cells.notices}
    assert "line 3 has fewer cells" in said["short-lines"]
    assert "1 bad line left out (line 2)" in said["bad-lines"]


@pytest.mark.parametrize("cell", ['"1,000"', "1_000", "1e400", "1e999999999"])
def test_large_cells_are_refused_in_words(tmp_path, cell):
    path = tmp_path / "a.csv"
    path.write_text(f"depth,1k,2k\n0,{cell},0.5\n50,1,0\n")
    with pytest.raises(TableError, match=r"line 2, column 1k"):
        read_trials(path, cases_per_cell=20)


@pytest.mark.filterwarnings("ignore::lcstats.errors.LcstatsWarning")
def test_points_group_in_headers_beside_decimal_commas(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("depth;1.000;2.000\n0;0,5;1,0\n50;0,5;0,0\n")
    cells = read_trials(path, cases_per_cell=2, decimal=",")
    assert cells.grid.lengths.tolist() == [1000, 2000]
