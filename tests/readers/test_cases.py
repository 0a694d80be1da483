"""Situations that people reported: small inputs and the right behaviour of each."""

import numpy as np
import pytest

from lcstats.errors import FormatError, OptionError, TableError
from lcstats.readers import read_trials

pytestmark = pytest.mark.filterwarnings("ignore::lcstats.errors.LcstatsWarning")


@pytest.fixture
def read(cases_dir):
    """Read a file of a case by the case's number."""

    def read(number, name="in.csv", **options):
        (folder,) = cases_dir.glob(f"{number:02d}-*")
        return read_trials(folder / name, **options)

    return read


def codes(table):
    return [notice.code for notice in table.notices]


def test_01_depth_units(read):
    tables = [read(1, f"{name}.csv").frame for name in ("percent", "fraction", "text")]
    assert tables[0]["depth"].tolist() == [0, 0.25, 0.5, 0.75, 1]
    assert all(table.equals(tables[0]) for table in tables)
    one_file = read(1, "demo_len_4096_depth_2500_results.json", score_threshold=7)
    assert one_file.frame["depth"].tolist() == [0.25]
    with pytest.raises(TableError, match=r"--depth-unit fraction.*--depth-unit percent"):
        read(1, "ambiguous.csv")
    assert read(1, "ambiguous.csv", depth_unit="percent").frame["depth"].tolist() == [0, 0.01]
    assert read(1, "ambiguous.csv", depth_unit="fraction").frame["depth"].tolist() == [0, 1]


def test_02_depth_out_of_range(read):
    with pytest.raises(TableError) as caught:
        read(2)
    places = [line.partition("; ")[0] for line in str(caught.value).split("\n")]
    assert places == [
        "in.csv line 2: depth is -1",
        "in.csv line 3: depth is 120",
        "in.csv line 6: depth is 0.5",
    ]


def test_04_score_scales(read):
    judge = read(4, "judge_1_10.csv")
    assert judge.frame["score"].mean() == pytest.approx(0.466667, abs=1e-6)
    assert "score-scale" in codes(judge)
    assert read(4, "judge_1_10.csv", score_threshold=7).frame["score"].sum() == 2
    assert read(4, "percent.csv").frame["score"].mean() == pytest.approx(0.5833, abs=1e-4)
    assert read(4, "fraction.csv").frame["score"].mean() == pytest.approx(0.5833, abs=1e-4)
    assert codes(read(4, "judge_all_ones.csv")) == ["score-scale-unclear"]


def test_07_alias_headers(read):
    for name in ("a.csv", "b.jsonl"):
        assert read(7, name).frame["length"].tolist() == [4000, 8000]
    assert read(7, "c.csv").frame["score"].tolist() == [1, 0]
    assert read(7, "clash.csv", columns={"length": "length"}).frame["length"].tolist() == [4000]
    with pytest.raises(TableError, match=r"'length' and 'context_length'.*--map length=length"):
        read(7, "clash.csv")


def test_08_letters_and_booleans(read):
    with pytest.raises(TableError, match=r"in\.jsonl line 9: score is 'maybe'; .*leave it empty"):
        read(8, "in.jsonl")


def test_10_european_locale(read):
    frame = read(10, decimal=",").frame
    assert frame["length"].tolist() == [4096, 4096, 131072]
    assert frame["depth"].tolist() == [0.255, 0.255, 0.5]
    assert frame["score"].tolist() == [0.75, 1, 0]
    with pytest.raises(TableError, match="--decimal ,"):
        read(10)
    assert read(10, "trap.csv").frame["length"].tolist() == [4096]


@pytest.mark.parametrize(
    "name",
    [
        "utf8bom.csv",
        "utf16.csv",
        "crlf.csv",
        "cr_only.csv",
        "gz_named_csv.csv",
        "x.csv.gz",
        "x.zip",
    ],
)
def test_11_encodings_and_compression(read, name):
    frame = read(11, name).frame
    assert frame["case"].tolist() == ["a", "ü"]
    assert (frame["model"].tolist(), frame["score"].tolist()) == (["m", "m"], [1, 0])


def test_11_other_encodings(read):
    assert read(11, "bom.jsonl").frame["case"].tolist() == ["ü"]
    with pytest.raises(FormatError, match=r"offset 64 .*--encoding cp1252"):
        read(11, "cp1252.csv")
    assert read(11, "cp1252.csv", encoding="cp1252").frame["case"].tolist() == ["a", "ü"]


def test_12_cut_jsonl(read):
    cut = read(12, "cut.jsonl")
    assert (cut.n_trials, codes(cut)) == (2, ["cut-line"])
    assert "line 4 is incomplete" in cut.notices[0].message
    assert read(12, "glued.jsonl").n_trials == 2
    with pytest.raises(FormatError, match=r"middle\.jsonl line 2: .*--skip-bad-lines"):
        read(12, "middle.jsonl")
    skipped = read(12, "middle.jsonl", skip_bad_lines=True)
    assert skipped.frame["case"].tolist() == ["a", "d"]
    assert "1 bad line left out" in skipped.notices[0].message


def test_15_duplicates_and_repetitions(read):
    with pytest.raises(OptionError, match=r"strict, flexible; .*--filter strict"):
        read(15, "filters.jsonl")
    for name, right in (("strict", 2), ("flexible", 3)):
        chosen = read(15, "filters.jsonl", filter_name=name)
        assert (chosen.n_trials, chosen.frame["score"].sum()) == (4, right)
    restarted = read(15, "restart.csv")
    assert (restarted.n_cases, "duplicates" in codes(restarted)) == (8, False)
    repeats = read(15, "reps.csv")
    assert (repeats.n_trials, repeats.n_cases) == (3, 1)
    copied = read(15, "exact_copy.csv")
    assert (copied.n_trials, copied.frame["score"].sum(), codes(copied)) == (2, 1, ["duplicates"])


def test_17_ragged_grid(read):
    trials = read(17)
    assert (trials.n_trials, trials.n_scored, trials.frame["score"].sum()) == (18, 16, 10)
    by_length = trials.frame.groupby("length")["score"].agg(["count", "sum"])
    assert by_length.to_numpy().tolist() == [[6, 6], [4, 4], [6, 0]]


def test_18_unsorted_lengths(read):
    lengths = sorted(read(18).frame["length"].unique())
    assert lengths == [5000, 8192, 12345, 16384, 32768, 65536, 131072]


def test_19_mixed_tasks(read):
    assert [grid.task for grid in read(19).grids] == ["A", "B"]


@pytest.mark.parametrize("name", ["zero.csv", "header.csv", "all_bad.csv"])
def test_21_empty_input(read, name):
    with pytest.raises(TableError, match=f"no scored trials in {name}: .*check that the sweep ran"):
        read(21, name)


def test_25_counts_at_the_edges(read):
    grid = read(25).grid
    assert grid.n_cases.ravel().tolist() == [10, 10, 25, 5000, 1]
    assert grid.numerators.ravel().tolist() == [10, 0, 0, 0, 1]


def test_34_one_trial_per_cell(read):
    trials = read(34)
    assert (trials.n_cases, trials.frame["score"].sum()) == (9, 8)


def test_35_repetitions_of_one_item(read):
    trials = read(35)
    assert (trials.n_trials, trials.n_cases, trials.frame["score"].mean()) == (20, 5, 0.55)


def test_45_truncated_prompts_are_left_out(read):
    trials = read(45)
    assert codes(trials) == ["truncated", "unscored"]
    assert "6 trials of 12" in trials.notices[0].message
    assert "4096 at 2 of 4 lengths" in trials.notices[0].message
    scored = trials.frame[trials.frame["score"].notna()]
    assert scored.groupby("length")["score"].sum().to_dict() == {2048: 3, 4096: 3}
    kept = read(45, keep_truncated=True).frame.groupby("length")["score"].sum()
    assert kept[[8192, 16384]].tolist() == [2, 1]
    with pytest.raises(TableError, match=r"3 rows without a score \(truncated 3\)"):
        read(45, "half.csv")


def test_48_lengths_that_scatter_and_one_that_was_never_full(read):
    trials = read(48, columns={"length": "length_nominal", "tokens_received": "length_actual"})
    scored = trials.frame[trials.frame["score"].notna()]
    assert scored.groupby("length").size().to_dict() == {4096: 3, 8192: 3}
    assert "smallest share 0.287" in trials.notices[0].message


def test_50_what_did_not_fit_is_no_wrong_answer(read):
    trials = read(50, "in.jsonl")
    assert trials.frame["status"].tolist() == ["ok", "ok", "context_exceeded", "context_exceeded"]
    scored = trials.frame[trials.frame["score"].notna()]
    assert scored.groupby("length")["score"].sum().to_dict() == {65536: 2}
    assert "error-outputs" in codes(trials)


def test_51_failed_calls(read):
    trials = read(51)
    assert (trials.n_scored, trials.frame["score"].mean()) == (5, 0.8)
    failed = trials.frame.loc[trials.frame["score"].isna(), "status"].value_counts()
    assert failed.to_dict() == {"timeout": 1, "rate_limited": 2, "error": 2}
    assert codes(trials) == ["scores-ignored", "unscored"]


def test_59_a_cut_run(read):
    trials = read(59, "done.jsonl")
    assert trials.frame["case"].tolist() == ["a", "b", "c"]
    assert np.isnan(trials.frame["score"][1])
