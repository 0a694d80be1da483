"""LangSmith's exports: the run is the trial, its needles are found by their rows, repeats fold."""

import pytest

from lcstats.cells import count_cells
from lcstats.errors import FormatError, TableError
from lcstats.readers import read_trials

pytestmark = pytest.mark.filterwarnings("ignore::lcstats.errors.LcstatsWarning")

NEEDLE_HEADER = (
    ",Unnamed: 0,needle,needle point,insertion %,context size,retrieved_needles_check,"
    "total_needles,run name,run_url,retrieved_needles"
)
RUN_HEADER = (
    ",Unnamed: 0,run_name,run_url,depth %,context length,retrieved needles,model name,"
    "total needles,answer,needles,insertion_percentages,fract per turn"
)
FOLDER = ("kamradt_v1", "multi_needle_langsmith")


@pytest.fixture
def csv(tmp_path):
    """Write a header and lines, and return their file."""
    path = tmp_path / "export.csv"

    def write(header, *lines):
        path.write_text("\n".join([header, *lines, ""]))
        return path

    return write


def needle(run, depth, found, *, text="Figs", n_needles=2, n_found=1, length=1000):
    name = f"{length}-5--gpt-4-0125-preview--pizza-{n_needles}--{run}"
    return f"0,0, {text} ,x,{depth},{length},{found},{n_needles},{name},https://l/{run}/r,{n_found}"


def run(run, *, depths="[4.9, 50.0]", fraction=0.5, n_needles=2):
    name = f"1000-5--gpt-4-0125-preview--pizza-{n_needles}--{run}"
    return (
        f"0,0,{name},https://l/{run}/r,5,1000,1.0,gpt-4-0125-preview,{n_needles},figs,"
        f"\"[' Figs ', ' Lemon ']\",\"{depths}\",{fraction}"
    )


def test_needle_rows_become_one_trial(csv):
    rows = [needle("a", 50.0, 1, text="Lemon"), needle("a", 4.9, 0)]
    trials = read_trials(csv(NEEDLE_HEADER, *rows))
    assert trials.reading.format == "langsmith_needles"
    (row,) = trials.frame.to_dict("records")
    expected = {
        "model": "gpt-4-0125-preview",
        "task": "pizza-2",
        "repeat": 1,
        "length": 1000,
        "depth": 0.05,
        "score": 0.5,
        "n_needles": 2,
        "n_found": 1,
        "needle_depths": [0.049, 0.5],
        "needle_found": [0, 1],
        "run_url": "https://l/a/r",
    }
    assert {name: row[name] for name in expected} == expected
    assert row["case"].startswith("2 needles at 4.90 50.00 % #")
    assert not [name for name in trials.frame if name.startswith("Unnamed")]


def test_runs_with_one_placement_are_repeats_of_a_case(csv):
    rows = [needle(run, depth, 1) for run in "abc" for depth in (5, 50)]
    other = [needle("d", depth, 1, text="Lemon") for depth in (5, 50)]
    trials = read_trials(csv(NEEDLE_HEADER, *rows, *other))
    assert trials.frame["repeat"].tolist() == [1, 2, 3, 1]
    assert trials.n_cases == 2


def test_a_run_without_all_of_its_needles_is_not_scored(csv):
    rows = [needle("a", 5, 1), needle("a", 50, 1), needle("b", 5, 1), needle("c", 5, 1)]
    trials = read_trials(csv(NEEDLE_HEADER, *rows, needle("c", 50, "")))
    assert trials.frame["status"].tolist() == ["ok", "unparsed", "unparsed"]
    assert trials.frame["score"].isna().tolist() == [False, True, True]
    assert "2 runs without one row" in " ".join(notice.message for notice in trials.notices)


def test_needle_rows_written_twice_count_once(csv):
    rows = [needle("a", 5, 1), needle("a", 50, 0)]
    trials = read_trials(csv(NEEDLE_HEADER, *rows, *rows))
    assert trials.frame["needle_found"].tolist() == [[1, 0]]


def test_the_rows_of_needles_win_over_the_count_beside_them(csv):
    rows = [needle("a", depth, 1, n_found=1) for depth in (5, 50)]
    trials = read_trials(csv(NEEDLE_HEADER, *rows))
    assert trials.frame["n_found"].tolist() == [2]
    assert "needle-counts" in {notice.code for notice in trials.notices}


def test_a_fault_is_placed_at_the_first_row_of_its_run(csv):
    rows = [needle("a", 5, 1), needle("a", 50, 1), needle("b", 5, 1, length="x")]
    with pytest.raises(TableError, match=r"export\.csv line 4: context size"):
        read_trials(csv(NEEDLE_HEADER, *rows, needle("b", 50, 1, length="x")))


def test_a_header_alone_has_no_trials(csv):
    with pytest.raises(TableError, match=r"header and no rows.*check that the sweep ran"):
        read_trials(csv(NEEDLE_HEADER))


def test_other_names_of_runs_say_less(csv):
    rows = [needle("a", depth, 1).replace("--", "_") for depth in (5, 50)]
    trials = read_trials(csv(NEEDLE_HEADER, *rows), model_name="gpt-4")
    assert (trials.models, trials.tasks) == (("gpt-4",), ("default",))
    assert trials.frame["depth"].isna().all()
    assert trials.frame["needle_depths"].tolist() == [[0.05, 0.5]]


def test_run_rows(csv):
    trials = read_trials(csv(RUN_HEADER, run("a"), run("b", fraction=1.0)))
    assert trials.reading.format == "langsmith_runs"
    row = trials.frame.to_dict("records")[0]
    expected = {
        "model": "gpt-4-0125-preview",
        "task": "pizza-2",
        "depth": 0.05,
        "score": 0.5,
        "n_needles": 2,
        "n_found": 1,
        "needle_depths": [0.049, 0.5],
        "output": "figs",
    }
    assert {name: row[name] for name in expected} == expected
    assert trials.frame["repeat"].tolist() == [1, 2]
    assert "needle_found" not in trials.frame


def test_a_list_of_depths_that_is_short_is_not_used(csv):
    trials = read_trials(csv(RUN_HEADER, run("a"), run("b", depths="[4.9]"), run("c", depths="?")))
    assert trials.frame["needle_depths"].tolist() == [[0.049, 0.5], None, None]
    assert trials.n_scored == 3


def test_per_needle_file(real_data):
    path = real_data.joinpath(*FOLDER, "gpt4_retrieval_per_needle.csv")
    trials = read_trials(path)
    assert (trials.n_trials, trials.n_scored, trials.n_cases) == (90, 90, 18)
    assert trials.frame["n_needles"].sum() == 612
    ten = trials.frame[trials.frame["n_needles"] == 10]
    assert (len(ten) * 10, ten["n_found"].sum()) == (540, 324)
    assert ten.groupby("length")["n_found"].sum().tolist() == [90, 42, 43, 44, 53, 52]
    assert ten.groupby("length")["n_needles"].sum().tolist() == [90] * 6
    assert ten.groupby("length")["case"].nunique().tolist() == [1] * 6
    needles = ten[["needle_depths", "needle_found"]].explode(["needle_depths", "needle_found"])
    hard = ten["length"].loc[needles.index] > 1000
    early = needles[hard & (needles["needle_depths"] < 0.4)]
    late = needles[hard & (needles["needle_depths"] > 0.6)]
    assert early["needle_found"].mean() < 0.25
    assert late["needle_found"].mean() > 0.85
    assert "10 runs" in trials.notices[0].message


def test_per_needle_runs_fold_into_cells(real_data):
    path = real_data.joinpath(*FOLDER, "gpt4_retrieval_per_needle.csv")
    cells = count_cells(read_trials(path)).select(task="multi-needle-eval-pizza-10")
    assert cells.grid.n_cases.ravel().tolist() == [1] * 6
    assert cells.grid.n_trials.ravel().tolist() == [9] * 6
    assert cells.grid.accuracy.ravel() == pytest.approx(
        [1, 42 / 90, 43 / 90, 44 / 90, 53 / 90, 52 / 90]
    )


@pytest.mark.parametrize(
    ("name", "n_trials", "n_found"), [("gpt4_retrieval", 102, 418), ("gpt4_reasoning", 28, 104)]
)
def test_per_run_files(real_data, name, n_trials, n_found):
    trials = read_trials(real_data.joinpath(*FOLDER, f"{name}.csv"))
    assert (trials.n_trials, trials.n_scored) == (n_trials, n_trials)
    assert trials.frame["n_found"].sum() == n_found
    assert (trials.frame["n_found"] / trials.frame["n_needles"]).tolist() == pytest.approx(
        trials.frame["score"].tolist()
    )
    assert trials.frame["needle_depths"].notna().all()


def test_the_two_kinds_of_files_are_not_read_together(real_data):
    with pytest.raises(FormatError, match=r"several formats.*--format langsmith_runs"):
        read_trials(real_data.joinpath(*FOLDER))


def test_rows_without_the_url_of_their_run_are_put_together_by_its_name(csv):
    rows = [
        needle(run, depth, found, text=text).replace(f"https://l/{run}/r", "")
        for run in ("a", "b")
        for depth, found, text in ((4.9, 0, "Figs"), (50.0, 1, "Lemon"))
    ]
    trials = read_trials(csv(NEEDLE_HEADER, needle("c", 4.9, 1, n_needles=1), *rows))
    assert trials.n_trials == 3
    assert trials.frame["score"].tolist() == [1, 0.5, 0.5]
    assert trials.frame["n_found"].tolist() == [1, 1, 1]
