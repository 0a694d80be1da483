"""The spec sheet: computed before any layout, and the same numbers wherever it is written."""

import csv
import html
import json
import re

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from scipy.stats import beta

from lcstats.cells import Cells, count_cells
from lcstats.errors import OptionError
from lcstats.lengths import Criterion, effective_length
from lcstats.report import ReportSettings, write_report
from lcstats.report.failure_sample import LONGEST_SHOWN, sample_failures
from lcstats.report.spec_sheet import EASIEST
from lcstats.report.timings import find_timings
from lcstats.report.untested import find_untested
from lcstats.report.worst_place import find_worst_place
from lcstats.trials import Trials

pytestmark = pytest.mark.filterwarnings("ignore::lcstats.errors.LcstatsWarning")

LENGTHS, DEPTHS, N_CASES = (4096, 8192, 16384), (0.0, 0.5, 1.0), 20
RIGHT = {"needle": (20, 19, 12), "two-hop": (16, 14, 5)}
WINDOW = 131072


def table() -> pd.DataFrame:
    rows = [
        {
            "model": "alpha", "task": task, "case": str(case), "length": length, "depth": depth,
            "score": float(case <= right), "question": f"Q<b>{case}</b> of {length}",
            "answer": "7315", "output": "x" * 2000, "ttft_s": length / 4096 + depth / 10,
            "cost_usd": length * 2e-6,
        }
        for task, by_length in RIGHT.items()
        for length, right in zip(LENGTHS, by_length, strict=True)
        for depth in DEPTHS
        for case in range(1, N_CASES + 1)
    ]  # fmt: skip
    frame = pd.DataFrame(rows).assign(status="ok")
    lost = (frame["length"] == LENGTHS[-1]) & (frame["case"] == "20")
    frame.loc[lost, ["score", "status"]] = [np.nan, "timeout"]
    return frame


@pytest.fixture(scope="module")
def trials() -> Trials:
    return Trials.from_frame(table())


@pytest.fixture(scope="module")
def folder(trials, tmp_path_factory):
    folder = tmp_path_factory.mktemp("spec") / "report"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("lcstats.report.figures.SUFFIXES", (".svg",))
        settings = ReportSettings(advertised={"": WINDOW})
        write_report(trials, folder, criterion=Criterion(0.85), settings=settings)
    return folder


@pytest.fixture(scope="module")
def document(folder):
    return json.loads((folder / "report.json").read_text("utf-8"))


def tasks_of(document) -> dict:
    (sheet,) = document["spec_sheet"]["models"]
    return {task["task"]: task for task in sheet["tasks"]}


def test_each_kind_has_its_bar_and_its_own_answer(document, trials):
    for task, kind, bar in (("needle", "retrieval", 0.9), ("two-hop", "reasoning", 0.7)):
        entry = tasks_of(document)[task]
        answer = effective_length(count_cells(trials).select(task=task), Criterion(bar))
        assert (entry["kind"], entry["criterion"]["threshold"]) == (kind, bar)
        assert entry["display"] == answer.quoted.display
        assert entry["set"] == answer.quoted.default_set.to_dict()
        assert entry["share_of_advertised"] == answer.quoted.length / WINDOW


def test_the_sentence_to_quote_leaves_nothing_out(document):
    sentence = tasks_of(document)["two-hop"]["sentence"]
    for words in (
        "alpha on two-hop", "effective length 8192 tokens", "accuracy 0.7", "mean over depths",
        "observed", "95% set", "certified", "6.2% of the advertised 131072", "Reasoning task",
        "177 scored trials, 177 cases, 3 lengths, 3 depths",
    ):  # fmt: skip
        assert words in sentence


def test_json_markdown_latex_csv_and_html_say_the_same_numbers(folder, document):
    texts = {
        "page": html.unescape(re.sub(r"<[^>]+>", "", (folder / "index.html").read_text("utf-8"))),
        "markdown": (folder / "report.md").read_text("utf-8").replace("\\<", "<"),
    }
    latex = (folder / "tables" / "spec-sheet.tex").read_text("utf-8")
    with (folder / "tables" / "spec-sheet.csv").open() as file:
        rows = {row["task"]: row for row in csv.DictReader(file)}
    cells = {
        line.split(" & ")[1]: line[:-3].split(" & ")
        for line in latex.splitlines()
        if line.startswith("alpha")
    }
    for task, entry in tasks_of(document).items():
        interval = entry["set"]["display"]
        assert rows[task]["effective_length"] == entry["display"]
        assert rows[task]["set"] == interval
        assert_allclose(float(rows[task]["share_of_advertised"]), entry["share_of_advertised"])
        assert float(rows[task]["worst_accuracy"]) == entry["worst_place"]["accuracy"]
        written = [text.replace("$<$", "<").replace(r"$\geq$", ">=") for text in cells[task]]
        assert [entry["display"], interval] == [written[6], written[8]]
        assert f"{entry['share_of_advertised']:.4g}" in written
        for text in texts.values():
            assert f"{entry['sentence']}" in " ".join(text.split())
            assert f"95% set {interval}, {entry['set']['kind']}" in text
            for length, at in entry["accuracy_by_length"].items():
                row = next(line for line in _rows(text, length) if f"{at['accuracy']:.4f}" in line)
                assert f"{at['lower']:.2f} to {at['upper']:.2f}, {at['n_cases']}" in row
    for group in document["patterns"]["groups"]:
        for text in texts.values():
            assert group["conclusion"] in text
            for pattern in group["patterns"]:
                assert pattern["evidence"] in text


def _rows(text: str, length: str) -> list[str]:
    return [line for line in text.splitlines() if re.match(rf"\W*{length}", line)]


def test_the_main_answer_is_the_same_in_the_summary_table_and_the_json(folder, document):
    with (folder / "tables" / "effective-lengths.csv").open() as file:
        rows = [row for row in csv.DictReader(file) if row["depth_treatment"] == "mean"]
    written = {(row["task"], row["method"]): (row["effective_length"], row["set"]) for row in rows}
    said = {
        (group["task"], estimate["method"]): (estimate["display"], interval["display"])
        for group in document["effective_length"]["groups"]
        for estimate in group["estimates"]
        for interval in estimate["sets"][:1]
    }
    assert written == said


def test_times_costs_and_unscored_trials_are_said(document):
    entry = tasks_of(document)["needle"]
    assert entry["unscored_by_status"] == {"timeout": 3}
    timings = {timing["quantity"]: timing for timing in entry["timings"]}
    assert set(timings) == {"ttft_s", "cost_usd"}
    longest = timings["ttft_s"]["by_length"][-1]
    assert (longest["length"], longest["n_trials"]) == (16384, 57)
    assert longest["median"] == pytest.approx(4.05)


def test_counts_have_no_times():
    cells = Cells.from_counts([4096], [0.5], n_cases=5, successes=[[5]])
    assert find_timings(cells) == {}


def test_a_needle_only_table_is_said_to_be_the_easiest_task(folder, document, tmp_path):
    assert document["spec_sheet"]["models"][0]["caution"] is None
    cells = Cells.from_counts([4096, 8192], [0, 1], n_cases=20, successes=[[20, 20], [19, 20]])
    page = write_report(
        cells,
        tmp_path / "r",
        criterion=Criterion(0.85),
        settings=ReportSettings(methods=("observed",)),
    )
    assert EASIEST in page.read_text("utf-8")
    assert EASIEST not in (folder / "index.html").read_text("utf-8")


def test_told_kinds_and_bars_change_the_sheet(tmp_path):
    cells = Cells.from_counts([4096, 8192], [0, 1], n_cases=20, successes=[[20, 20], [15, 15]])
    settings = ReportSettings(
        methods=("observed",), task_kinds={"default": "aggregation"}, reasoning_bar="0.75"
    )
    page = write_report(cells, tmp_path / "r", criterion=Criterion(0.85), settings=settings)
    document = json.loads(page.with_name("report.json").read_text("utf-8"))
    entry = tasks_of(document)["default"]
    assert (entry["kind"], entry["kind_because"]) == ("aggregation", "as told")
    assert entry["display"] == ">=8192"


@pytest.mark.parametrize(
    ("options", "mend"),
    [
        ({"advertised": {"beta": 4096}}, "--advertised MODEL=128K"),
        ({"task_kinds": {"nedle": "reasoning"}}, "--task-kind TASK=reasoning"),
    ],
)
def test_names_that_the_results_lack_are_refused(tmp_path, options, mend):
    cells = Cells.from_counts([4096], [0.5], n_cases=20, successes=[[20]])
    with pytest.raises(OptionError, match=mend):
        write_report(
            cells, tmp_path / "r", criterion=Criterion(0.85), settings=ReportSettings(**options)
        )
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("options", [{"advertised": {"": 0}}, {"retrieval_bar": 1.5}])
def test_windows_and_bars_out_of_range_are_refused(options):
    with pytest.raises(OptionError):
        ReportSettings(**options)


def test_the_worst_place_is_picked_among_equals_and_its_interval_knows_it():
    successes = [[20, 20, 20], [18, 9, 20], [9, 20, 20]]
    grid = Cells.from_counts(LENGTHS, DEPTHS, n_cases=20, successes=successes).grid
    worst = find_worst_place(grid)
    assert (worst.length, worst.depth, worst.n_as_low) == (8192, 0.5, 2)
    error = 0.05 / 9
    exact = beta.ppf([error / 2, 1 - error / 2], [9, 10], [12, 11])
    assert_allclose([worst.lower, worst.upper], exact)
    assert "1 more cell is as low" in worst.sentence()


def test_one_failing_call_says_next_to_nothing():
    grid = Cells.from_counts(LENGTHS, DEPTHS, n_cases=1, successes=[[1, 1, 1], [1, 0, 1], [1] * 3])
    worst = find_worst_place(grid.grid)
    assert worst.lower == 0.0
    assert worst.upper > 0.99


def test_perfect_cells_have_no_worst_place():
    grid = Cells.from_counts(LENGTHS, DEPTHS, n_cases=20, successes=[[20] * 3] * 3).grid
    assert find_worst_place(grid).sentence().startswith("none: all 9 cells are perfect")


def test_what_was_not_tested_is_said():
    n_cases = [[5, 5, 5], [5, 0, 5]]
    grid = Cells.from_counts(
        [4096, 16384], [0.2, 0.5, 0.9], n_cases=n_cases, successes=n_cases
    ).grid
    said = find_untested(grid, WINDOW).sentences()
    assert said == (
        "nothing above 16384 tokens, 12.5% of the advertised 131072",
        "no length between 4096 and 16384, more than a doubling apart",
        "no depth between 0 and 0.2, 0.2 and 0.5, 0.5 and 0.9, 0.9 and 1",
        "1 of 6 cells have no scored trial",
    )
    assert find_untested(grid, 16384).sentences()[0].startswith("no length between")


def test_without_depths_nobody_knows_where_it_fails():
    grid = Cells.from_counts([4096, 8192], [np.nan], n_cases=5, successes=[[5], [4]]).grid
    assert "no trial has a depth" in " ".join(find_untested(grid).sentences())


def test_failures_are_spread_over_cells_and_the_same_for_equal_seeds(trials):
    sample = sample_failures(trials, "alpha", "two-hop", n_shown=9, seed=3)
    places = {(trial["length"], trial["depth"]) for trial in sample.trials}
    assert len(sample.trials) == len(places) == 9
    scores = trials.frame.loc[trials.frame["task"] == "two-hop", "score"]
    assert sample.n_failures == (scores < 1).sum()
    assert all(trial["score"] < 1 for trial in sample.trials)
    assert sample == sample_failures(trials, "alpha", "two-hop", n_shown=9, seed=3)
    assert sample != sample_failures(trials, "alpha", "two-hop", n_shown=9, seed=4)


def test_failures_are_text_and_cut(folder):
    source = (folder / "index.html").read_text("utf-8")
    assert "Q&lt;b&gt;20&lt;/b&gt;" in source
    assert f"[... {2000 - LONGEST_SHOWN} characters ...]" in source
    assert "x" * (LONGEST_SHOWN + 1) not in source


def test_without_texts_there_is_nothing_to_look_at(trials):
    frame = trials.frame.drop(columns=["question", "answer", "output"])
    bare = Trials.from_frame(frame)
    assert sample_failures(bare, "alpha", "needle", n_shown=9, seed=0) is None
    assert sample_failures(count_cells(bare), "alpha", "needle", n_shown=9, seed=0) is None


def test_methods_name_only_papers_that_the_bibliography_has(folder):
    markdown = (folder / "report.md").read_text("utf-8")
    bibliography = (folder / "references.bib").read_text("utf-8")
    assert re.findall(r"@article\{(\w+),", bibliography) == sorted(
        re.findall(r"@article\{(\w+),", bibliography)
    )
    listed = markdown.split("References:")[1].split("## ")[0]
    assert listed.count("\n- ") == bibliography.count("@article")
    for name, year in re.findall(r"([A-Z]\w+)(?: and \w+)?(?:'s)? \((\d{4})\)", markdown):
        assert f"{name.lower()}{year}" in bibliography.lower()
