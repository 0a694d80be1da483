"""``lcstats compare``: words, JSON, files, exit codes, and what it refuses."""

from xml.etree import ElementTree

import pytest


@pytest.fixture
def write(tmp_path):
    """Write a table of counts of pairs: both right, only old, only new, neither."""

    def make(both, old_only, new_only, neither, *, length=32768, name="both.csv"):
        old = [1] * (both + old_only) + [0] * (new_only + neither)
        new = [1] * both + [0] * old_only + [1] * new_only + [0] * neither
        lines = ["model,case,length,depth,score"]
        for model, scores in (("old", old), ("new", new)):
            lines += [f"{model},c{i},{length},0.5,{score}" for i, score in enumerate(scores)]
        path = tmp_path / name
        path.write_text("\n".join(lines) + "\n")
        return path

    return make


BOTH = ("--old-model", "old", "--new-model", "new")


@pytest.mark.parametrize("n_paths", [1, 2])
def test_the_reported_case_from_one_file_or_twice_the_same(run, cases_dir, n_paths):
    paths = [cases_dir / "40-paired-models" / "in.csv"] * n_paths
    result = run("compare", *paths, "--old-model", "A", "--new-model", "B")
    assert result.exit_code == 0, result.stderr
    assert result.stdout.startswith("B against A on default: worse. 0.62 against 0.7 on 100 pairs")
    assert "mid-p 0.0225 (exact 0.0386); margin 0.02." in result.stdout


def test_with_two_language_models_one_name_gives_the_other(run, write):
    path = write(60, 10, 2, 28)
    named = run("compare", path, *BOTH, "--json").stdout
    assert run("compare", path, "--old-model", "old", "--json").stdout == named
    assert run("compare", path, "--new-model", "new", "--json").stdout == named


def test_json_is_one_object_with_the_fixed_names(run_json, write):
    document = run_json("compare", write(60, 10, 2, 28), *BOTH)
    (group,) = document["groups"]
    fixed = {
        *("task", "n_paired", "n_unmatched_old", "n_unmatched_new", "accuracy_old"),
        *("accuracy_new", "difference", "interval", "discordant", "mcnemar_exact_p"),
        *("mcnemar_midp", "holm_p", "verdict", "effective_length_shift"),
    }
    assert fixed <= group.keys()
    assert {"kind", "lower", "upper"} <= group["interval"].keys()
    assert (group["discordant"], group["verdict"]) == ([10, 2], "worse")
    assert (document["gate"], document["pairs_to_decide"]) == ("off", None)


@pytest.mark.parametrize(
    ("counts", "kind", "code", "outcome"),
    [
        ((60, 30, 2, 8), "regression", 1, "failed"),
        ((60, 30, 2, 8), "noninferiority", 1, "failed"),
        ((60, 9, 6, 25), "regression", 0, "undecided"),
        ((60, 9, 6, 25), "noninferiority", 1, "undecided"),
        ((300, 3, 5, 92), "regression", 0, "passed"),
        ((300, 3, 5, 92), "noninferiority", 0, "passed"),
    ],
)
def test_exit_codes_and_junit_of_a_gate(run, write, tmp_path, counts, kind, code, outcome):
    junit, markdown = tmp_path / "gate.xml", tmp_path / "gate.md"
    flags = ("--gate", kind, "--junit", junit, "--markdown", markdown)
    result = run("compare", write(*counts), *BOTH, *flags)
    assert result.exit_code == code, result.stderr
    assert f"Gate {kind}, margin 0.02, one-sided level 95%: {outcome}" in result.stdout
    suite = ElementTree.fromstring(junit.read_text())
    tags = {child.tag for child in suite.find("testcase")}
    marks = {"failure"} if code else {"skipped"} if outcome == "undecided" else set()
    assert tags == {*marks, "system-out"}
    assert suite.get("failures") == str(code)
    assert suite.get("tests") == "1"
    words = markdown.read_text()
    assert f"**{outcome.capitalize()}.** Gate {kind}" in words
    assert "| default |" in words


def test_a_design_is_a_slice_of_the_results(run_json, write, tmp_path):
    path = write(60, 10, 2, 28)
    other = write(5, 1, 1, 3, length=4096, name="short.csv")
    lines = other.read_text().splitlines()[1:]
    path.write_text(path.read_text() + "\n".join(lines) + "\n")
    everything = run_json("compare", path, *BOTH)["groups"][0]
    sliced = run_json("compare", path, *BOTH, "--design", "regression")["groups"][0]
    chosen = run_json("compare", path, *BOTH, "--lengths", "32K", "--depths", "0.5")["groups"][0]
    assert (everything["n_paired"], sliced["n_paired"]) == (110, 100)
    assert sliced == chosen
    assert [each["length"] for each in everything["by_length"]] == [4096, 32768]


def test_lengths_get_a_table(run, sweep):
    result = run("compare", sweep, "--old-model", "alpha")
    assert result.exit_code == 0, result.stderr
    rows = [line.split()[:2] for line in result.stdout.splitlines() if line[:1].isdigit()]
    assert ["16384", "14"] in rows
    assert "1 case of the old table without a partner" in result.stderr


def test_more_language_models_are_ranked(run, run_json, write, tmp_path):
    first = write(60, 10, 2, 28)
    text = first.read_text().splitlines()
    third = [line.replace("old,", "third,") for line in text if line.startswith("old")]
    first.write_text("\n".join([*text, *third]) + "\n")
    result = run("compare", first)
    assert result.exit_code == 0, result.stderr
    assert "among 3 tests (Holm)" in result.stdout
    assert "share a letter" in result.stdout
    document = run_json("compare", first, "--reference", "old")
    assert document["reference"] == "old"
    assert [each["new_model"] for each in document["comparisons"]] == ["new", "third"]


def test_equal_inputs_print_equal_bytes(run, sweep):
    flags = ("compare", sweep, "--old-model", "alpha", "--gate", "regression", "--json")
    assert run(*flags).stdout == run(*flags).stdout


@pytest.mark.parametrize(
    ("flags", "mend"),
    [
        ((), "add --old-model old --new-model new, say"),
        ((*BOTH, "--margin", "2"), "write 2 percentage points as 0.02"),
        ((*BOTH, "--level", "95"), "write 0.95, say"),
        ((*BOTH, "--lengths", "4K"), "choose lengths and depths that were run"),
        ((*BOTH, "--lengths", "4K", "--design", "regression"), "leave one of them out"),
        ((*BOTH, "--junit", "gate.txt"), "write --junit gate.xml, say"),
        (("--old-model", "nobody", "--new-model", "new"), "choose another model"),
        (("--reference", "old", "--gate", "regression"), "lcstats compare OLD NEW"),
        (("--reference", "old", "--threshold", "0.8"), "lcstats compare OLD NEW"),
        ((*BOTH, "--gate", "regression", "--level", "0.3"), "write 0.95 for an error of 5%"),
    ],
)
def test_bad_input_exits_2_and_says_how_to_mend(run, write, flags, mend):
    result = run("compare", write(60, 10, 2, 28), *flags)
    assert result.exit_code == 2
    assert result.stderr.startswith("Error: ")
    assert mend in result.stderr


def test_three_paths_with_a_side_named_are_refused(run, write):
    path = write(60, 10, 2, 28)
    result = run("compare", path, path, path, *BOTH)
    assert result.exit_code == 2
    assert "leave the flags out to compare every pair" in result.stderr


def test_standard_input_cannot_be_both_sides(run):
    result = run("compare", "-", "-")
    assert result.exit_code == 2
    assert "standard input is named twice" in result.stderr
    assert "write one of the tables to a file" in result.stderr


def test_two_files_of_several_language_models_ask_which(run, write):
    path = write(60, 10, 2, 28)
    result = run("compare", path, path)
    assert result.exit_code == 2
    assert "--old-model" in result.stderr


def test_names_cannot_break_the_files(run, write, tmp_path):
    path = write(60, 30, 2, 8)
    path.write_text(path.read_text().replace("new,", "n|<b>\x1bw,"))
    junit, markdown = tmp_path / "gate.xml", tmp_path / "gate.md"
    flags = ("--gate", "regression", "--junit", junit, "--markdown", markdown)
    result = run("compare", path, "--old-model", "old", *flags)
    assert result.exit_code == 1, result.stderr
    assert "n|<b>" in ElementTree.fromstring(junit.read_text()).find("testcase/system-out").text
    assert r"n\|&lt;b>" in markdown.read_text()
