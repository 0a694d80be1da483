import json

import pytest

from lcstats.lengths import Criterion

PARTS = {"index.html", "report.json", "report.md", "references.bib", "figures", "tables"}


@pytest.fixture(scope="module")
def simulated(tmp_path_factory):
    """The simulated demonstration, made once: its folder and what was printed."""
    from click.testing import CliRunner

    from lcstats.cli import cli

    folder = tmp_path_factory.mktemp("demo") / "report"
    return folder, CliRunner().invoke(cli, ["report", "--demo", "--simulated", "-o", str(folder)])


@pytest.mark.smoke
def test_the_demo_ends_by_saying_where_it_lies(simulated):
    folder, result = simulated
    assert result.exit_code == 0
    assert result.stdout.rstrip().endswith(f"The report lies in {folder / 'index.html'}")
    assert {path.name for path in folder.iterdir()} == PARTS


def test_the_demo_says_that_it_is_simulated_and_what_is_true(simulated):
    folder, _ = simulated
    page = (folder / "index.html").read_text("utf-8")
    markdown = (folder / "report.md").read_text("utf-8")
    report = json.loads((folder / "report.json").read_text("utf-8"))
    for text in (page, markdown, report["source"]["origin"]):
        assert "demonstration on simulated trials, not on a language model" in text
        assert "single-needle" in text
        assert "seed 1" in text
        assert "32768 tokens for the mean over depths" in text
        assert "16384 tokens for the worst depth" in text
    assert page.index("simulated trials") < page.index("Threshold")


def test_the_demo_is_the_same_again_wherever_it_lies(simulated, run, tmp_path):
    folder, _ = simulated
    again = tmp_path / "elsewhere"
    assert run("report", "--demo", "--simulated", "-o", again).exit_code == 0
    files = sorted(path.relative_to(folder) for path in folder.rglob("*") if path.is_file())
    assert files == sorted(p.relative_to(again) for p in again.rglob("*") if p.is_file())
    for file in files:
        assert (folder / file).read_bytes() == (again / file).read_bytes(), file


@pytest.mark.usefixtures("svg_only")
def test_the_demo_is_of_a_real_sweep_and_says_what_to_know_of_it(run_json, tmp_path):
    report = run_json("report", "--demo", "-o", tmp_path / "report")
    groups = report["effective_length"]["groups"]
    assert {group["model"] for group in groups} == {"SmolLM2-135M-Instruct"}
    assert report["source"]["files"] == ["smollm2_sweep.csv.gz"]
    for text in (
        report["source"]["origin"],
        (tmp_path / "report" / "report.md").read_text("utf-8"),
    ):
        assert "A demonstration on a real sweep" in text
        assert "one time in four" in text
        assert "cannot be told apart" in text


def test_a_simulation_that_is_no_demo_is_refused(run, sweep, tmp_path):
    result = run("report", sweep, "--simulated", "-o", tmp_path / "report")
    assert result.exit_code == 2
    assert "give --demo, too" in result.stderr


@pytest.mark.usefixtures("svg_only")
def test_a_sweep_gives_a_report(run, sweep, tmp_path):
    folder = tmp_path / "new" / "report"
    result = run("report", sweep, "--threshold", "0.8", "--set", "jeffreys", "-o", folder)
    assert result.exit_code == 0, result.stderr
    assert result.stdout == f"The report lies in {folder / 'index.html'}\n"
    assert result.stderr.count("trials have no score") == 1
    assert result.stderr.count("cases are unscored at some lengths") == 2
    report = json.loads((folder / "report.json").read_text("utf-8"))
    command = "lcstats report PATH... --threshold 0.8 --set jeffreys -o DIR"
    assert report["settings"]["command"] == command
    assert report["settings"]["threshold"] == 0.8
    assert [group["model"] for group in report["effective_length"]["groups"]] == ["alpha", "beta"]
    assert [s["kind"] for s in report["effective_length"]["groups"][0]["estimates"][0]["sets"]]


@pytest.mark.usefixtures("svg_only")
def test_json_is_the_report_s_own(run_json, sweep, tmp_path):
    document = run_json("report", sweep, "-o", tmp_path / "report")
    assert document.pop("page") == str(tmp_path / "report" / "index.html")
    assert document == json.loads((tmp_path / "report" / "report.json").read_text("utf-8"))


@pytest.mark.parametrize("arguments", [(), ("--demo", "x.csv")])
def test_either_paths_or_the_demo(run, tmp_path, arguments):
    result = run("report", *arguments, "-o", tmp_path / "report")
    assert result.exit_code == 2
    assert "give either PATH... or --demo" in result.stderr


@pytest.mark.parametrize("inside", [".", "report", "a/report"])
def test_a_report_among_the_results_is_refused(run, sweep, tmp_path, inside):
    (tmp_path / "trials.csv").write_bytes(sweep.read_bytes())
    result = run("report", tmp_path, "-o", tmp_path / inside)
    assert result.exit_code == 2
    assert "with -o" in result.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["trials.csv"]


def test_a_folder_with_other_things_is_refused_before_reading(run, tmp_path):
    (tmp_path / "thesis.tex").write_text("mine")
    result = run("report", tmp_path / "absent.csv", "-o", tmp_path)
    assert result.exit_code == 2
    assert "name another folder with -o" in result.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]


@pytest.mark.usefixtures("svg_only")
def test_a_report_replaces_an_earlier_one(run, sweep, tmp_path):
    folder = tmp_path / "report"
    assert run("report", sweep, "-o", folder).exit_code == 0
    (folder / "notes.txt").write_text("mine")
    assert run("report", sweep, "--select", "model=alpha", "-o", folder).exit_code == 0
    assert {path.name for path in folder.iterdir()} == {*PARTS, "notes.txt"}
    assert not [path for path in folder.rglob("*") if "beta" in path.name]


@pytest.mark.parametrize(
    ("criterion", "length"),
    [
        (Criterion(0.85), "32768"),
        (Criterion(0.85, depth_treatment="worst"), "16384"),
        (Criterion(0.999), "<1024"),
        (Criterion(0.5), ">=131072"),
        (Criterion("0.95", rule="relative"), "8192"),
    ],
)
def test_the_demo_s_true_length_follows_the_criterion(criterion, length):
    from lcstats.cli.demo import true_length

    assert true_length(criterion) == length


@pytest.mark.usefixtures("svg_only")
def test_the_flags_of_the_spec_sheet_reach_it(run_json, sweep, tmp_path):
    flags = ["--advertised", "128K", "--advertised", "beta=64K", "--task-kind", "needle=reasoning"]
    document = run_json("report", sweep, *flags, "--reasoning-bar", "0.6", "-o", tmp_path / "r")
    alpha, beta = document["spec_sheet"]["models"]
    assert (alpha["advertised_window"], beta["advertised_window"]) == (131072, 65536)
    assert [task["kind"] for task in alpha["tasks"]] == ["reasoning"]
    assert alpha["tasks"][0]["criterion"]["threshold"] == 0.6
    assert alpha["caution"] is None
    said = document["settings"]["command"]
    assert "--advertised 131072 --advertised beta=65536 --task-kind needle=reasoning" in said


@pytest.mark.parametrize(
    ("flag", "value", "mend"),
    [
        ("--advertised", "big", "write 4096 or 4K"),
        ("--advertised", "gamma=4K", "--advertised MODEL=128K"),
        ("--task-kind", "needle", "write length=ctx_len"),
        ("--task-kind", "needle=hard", "write needle=retrieval"),
        ("--task-kind", "nedle=reasoning", "--task-kind TASK=reasoning"),
        ("--retrieval-bar", "90", "write 85 percent as 0.85"),
    ],
)
def test_flags_that_cannot_be_used_say_how_to_mend_them(run, sweep, tmp_path, flag, value, mend):
    result = run("report", sweep, flag, value, "-o", tmp_path / "r")
    assert (result.exit_code, result.stdout) == (2, "")
    assert mend in " ".join(result.stderr.split())
    assert not (tmp_path / "r").exists()
