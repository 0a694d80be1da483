"""``lcstats run`` and ``rescore``: from a design to a table, by hand and from files."""

import json
import os
import signal
import time

import pytest

from lcstats.cli.progress import describe_progress, show_progress
from lcstats.runner import Progress
from tests.cli.test_commands import start

SMALL = ("--lengths", "512,1024", "--depths", "3", "--trials", "2")


@pytest.fixture
def output(tmp_path):
    return tmp_path / "trials.jsonl"


@pytest.fixture
def sweep_fake(run, output):
    """Run the small design on a simulated language model."""

    def call(*more, model="simulated:perfect"):
        return run("run", "--model", model, *more, "-o", output)

    return call


def rows_of(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


@pytest.mark.smoke
def test_a_sweep_runs_and_its_table_is_read(sweep_fake, run, run_json, output):
    result = sweep_fake(*SMALL)
    assert result.exit_code == 0, result.stderr
    assert "12 of 12 trials" in result.stdout
    assert result.stderr == ""
    found = run_json("read", output)
    assert (found["format"], found["n_scored"], found["warnings"]) == ("lcstats", 12, [])
    assert run_json("effective-length", output)["groups"][0]["model"] == "simulated:perfect"


def test_a_task_named_by_another_flag_is_one_more(sweep_fake, output):
    flags = ("--task", "single-needle", "--task", "two-hop,aggregation")
    assert sweep_fake(*flags, "--lengths", "1K", "--depths", "0.5", "--trials", "1").exit_code == 0
    tasks = {row["task"] for row in rows_of(output)}
    assert tasks == {"single-needle", "two-hop", "aggregation"}


def test_json_has_the_promised_fields(run_json, output):
    document = run_json(
        *("run", "--model", "simulated:perfect", *SMALL, "--price-in", 2, "--price-out", 10),
        *("-o", output),
    )
    promised = "output n_planned n_done n_unscored_by_status tokens_asked tokens_received cost_usd"
    assert set(promised.split()) | {"seconds"} <= set(document)
    expected = (document["tokens_received"] * 2 + document["output_tokens"] * 10) / 1e6
    assert document["cost_usd"] == pytest.approx(expected)


def test_the_three_fakes_reach_the_report(run, run_json, output, svg_only):
    for fake, accuracy in (("perfect", 1.0), ("blind-middle", 0.4), ("echo", 0.0)):
        path = output.with_name(f"{fake}.jsonl")
        words = ("--lengths", "512..2K", "--depths", 5, "--trials", 2)
        assert run("run", "--model", f"simulated:{fake}", *words, "-o", path).exit_code == 0
        group = run_json("effective-length", path)["groups"][0]
        assert set(group["accuracy_by_length"].values()) == {accuracy}
        report = run("report", path, "-o", output.with_name(fake))
        assert report.exit_code == 0, report.stderr
        assert f"simulated:{fake}" in output.with_name(fake).joinpath("index.html").read_text()


def test_a_dry_run_builds_and_sends_nothing(sweep_fake, run_json, output):
    result = sweep_fake(*SMALL, "--dry-run", "--price-in", 2)
    assert result.exit_code == 0, result.stderr
    assert "12 trials of 1 task in 6 cells" in result.stdout
    assert "Nothing was sent." in result.stdout
    assert not output.exists()
    document = run_json("run", "--model", "simulated:perfect", *SMALL, "--dry-run")
    assert 0.97 * 6 * 1536 <= document["cost"]["input_tokens"] <= 6 * 1536


def test_it_goes_on_only_where_it_is_told_to(sweep_fake, output):
    sweep_fake(*SMALL)
    again = sweep_fake(*SMALL)
    assert again.exit_code == 2
    assert "--resume" in again.stderr
    rows = rows_of(output)
    output.write_text("".join(json.dumps(row) + "\n" for row in rows[:5]))
    assert sweep_fake(*SMALL, "--resume").exit_code == 0
    assert len(rows_of(output)) == 12
    changed = sweep_fake("--design", "quick", "--resume")
    assert changed.exit_code == 2
    assert "another design" in changed.stderr


@pytest.mark.parametrize("name", ["quick", "standard", "regression"])
def test_ready_designs(name, run_json):
    document = run_json("run", "--model", "simulated:perfect", "--design", name, "--dry-run")
    assert document["n_planned"] == {"quick": 45, "standard": 600, "regression": 240}[name]


def test_flags_overrule_a_ready_design(run_json):
    words = ("--design", "quick", "--trials", 1, "--lengths", "1K")
    document = run_json("run", "--model", "simulated:perfect", *words, "--dry-run")
    assert document["n_planned"] == 3


TOML = 'tasks = ["distractors:n_distractors=2"]\nlengths = "512..1K"\ndepths = 3\ntrials = 2\n'
YAML = "tasks: [two-hop, two-hop.no-filler]\nlengths: [512]\ndepths: [0, 0.5]\ntrials: 3\n"


@pytest.mark.parametrize(
    ("name", "text", "tasks", "n_rows"),
    [
        ("d.toml", TOML, {"distractors:n_distractors=2"}, 12),
        ("d.yaml", YAML, {"two-hop", "two-hop.no-filler"}, 9),
    ],
)
def test_designs_from_files(name, text, tasks, n_rows, sweep_fake, output):
    path = output.with_name(name)
    path.write_text(text)
    result = sweep_fake("--design", path)
    assert result.exit_code == 0, result.stderr
    assert {row["task"] for row in rows_of(output)} == tasks
    assert len(rows_of(output)) == n_rows


def test_what_next_plans_is_run_and_marked(run, sweep_fake, run_json, output):
    sweep_fake("--lengths", "1K..8K", "--depths", "3", "--trials", "5", model="simulated:curve")
    plan = output.with_name("next.toml")
    planned = run("next", output, "--budget-tokens", "1M", "-o", plan)
    assert planned.exit_code == 0, planned.stderr
    result = sweep_fake("--design", plan, "--resume", model="simulated:curve")
    assert result.exit_code == 0, result.stderr
    assert {row["stage"] for row in rows_of(output)} == {0, 1}
    estimate = run_json("effective-length", output)["groups"][0]["estimates"][0]
    assert any(found["kind"] == "anytime" for found in estimate["sets"])


def test_a_plan_that_was_carried_out_is_not_run_again(run, sweep_fake, output):
    sweep_fake("--lengths", "1K..8K", "--depths", "3", "--trials", "5", model="simulated:curve")
    plan, other = output.with_name("next.toml"), output.with_name("other.toml")
    run("next", output, "--budget-tokens", "1M", "-o", plan)
    for _ in range(3):
        result = sweep_fake("--design", plan, "--resume", model="simulated:curve")
        assert result.exit_code == 0, result.stderr
        assert {row["stage"] for row in rows_of(output)} == {0, 1}
    n_rows = len(rows_of(output))
    run("next", output, "--budget-tokens", "1M", "-o", other)
    assert other.read_text() != plan.read_text()
    sweep_fake("--design", other, "--resume", model="simulated:curve")
    assert {row["stage"] for row in rows_of(output)} == {0, 1, 2}
    rows = output.read_bytes()
    for path in (plan, other):
        result = sweep_fake("--design", path, "--resume", model="simulated:curve")
        assert result.exit_code == 0, result.stderr
    assert output.read_bytes() == rows
    assert len(rows_of(output)) > n_rows


def test_a_plan_that_was_interrupted_goes_on(run, sweep_fake, output):
    sweep_fake("--lengths", "1K..8K", "--depths", "3", "--trials", "5", model="simulated:curve")
    plan = output.with_name("next.toml")
    run("next", output, "--budget-tokens", "1M", "-o", plan)
    sweep_fake("--design", plan, "--resume", model="simulated:curve")
    whole = {(row["stage"], row["case"], row["length"], row["depth"]) for row in rows_of(output)}
    lines = output.read_bytes().splitlines(keepends=True)
    output.write_bytes(b"".join(lines[:-3]))
    sweep_fake("--design", plan, "--resume", model="simulated:curve")
    after = [(row["stage"], row["case"], row["length"], row["depth"]) for row in rows_of(output)]
    assert set(after) == whole
    assert len(after) == len(whole)


def test_an_adaptive_run_spends_where_it_tells_most(sweep_fake, run_json, output):
    result = sweep_fake(
        *("--task", "distractors", "--lengths", "1K..8K", "--depths", "3", "--trials", "5"),
        *("--adaptive", "--threshold", "0.8", "--budget-tokens", "700K"),
        *("--max-output-tokens", "8"),
        model="simulated:distractors",
    )
    assert result.exit_code == 0, result.stderr
    assert "Run " in result.stderr
    assert "Stop: " in result.stderr
    rows = rows_of(output)
    assert f"{len(rows)} of {len(rows)} trials" in result.stdout
    assert sum(row["stage"] == 0 for row in rows) == 60
    assert len({(row["length"], row["depth"], row["case"]) for row in rows}) == len(rows) > 60
    assert sum(row["tokens_received"] + row["output_tokens"] for row in rows) <= 700_000
    again = sweep_fake("--design", "quick", "--adaptive")
    assert "pass --budget-tokens 20M" in again.stderr


def test_a_plan_to_stop_is_not_run(sweep_fake, output):
    path = output.with_name("next.toml")
    path.write_text('schema_version = 1\nmodel = "m"\nstop = true\nstop_reason = "decided"\n')
    result = sweep_fake("--design", path)
    assert result.exit_code == 2
    assert "nothing more to run" in result.stderr


@pytest.mark.parametrize(
    ("words", "mend"),
    [
        ((), "--design quick"),
        (("--design", "qick"), "pass --design standard"),
        (("--task", "sngle-needle", *SMALL), "pass --task single-needle"),
        (("--budget-usd", "3", *SMALL), "pass --price-in"),
        (("--task", "a.jsonl,single-needle", *SMALL), "one after the other"),
        (("--filler", "missing.txt", *SMALL), "check the path"),
    ],
)
def test_what_is_missing_is_said(words, mend, sweep_fake):
    result = sweep_fake(*words)
    assert result.exit_code == 2
    assert mend in result.stderr
    assert "Traceback" not in result.stderr


CELL = "[[cells]]\ntask = 'single-needle'\n"


@pytest.mark.parametrize(
    ("text", "mend"),
    [
        ("tasks = [", "mend the file"),
        ("taks = 3\n", "correct the names"),
        ('[[cells]]\ntask = "single-needle"\nlength = 512\n', "add it"),
        ("lengths = [0]\n", "write 4096 or 4K"),
        ("tasks = 7\n", "names of tasks"),
        ("tasks = []\n", "names of tasks"),
        (f"{CELL}length = 512\ndepth = 0.5\ntrials = 'x'\n", "cell 1: trials is 'x'"),
        (f"{CELL}length = 512\ndepth = 0.5\ntrials = 2.5\n", "pass trials=1"),
        (f"{CELL}length = 'long'\ndepth = 0.5\ntrials = 1\n", "write 4096 or 4K"),
        (f"{CELL}length = 512.5\ndepth = 0.5\ntrials = 1\n", "pass length=1"),
        (f"{CELL}length = 512\ndepth = 'half'\ntrials = 1\n", "write depth=0.5"),
        (f"{CELL}length = 512\ndepth = 7\ntrials = 1\n", "write depth=0.5"),
        (f"{CELL}length = 512\ntrials = 1\n", "write depth=0.5"),
        (f"depths = 3\n{CELL}length = 512\ndepth = 0.5\ntrials = 1\n", "take one of them out"),
        (b"lengths = [512]\n# \xff\n", "iconv -t UTF-8"),
    ],
)
def test_designs_that_mean_nothing_are_refused(text, mend, sweep_fake, output):
    path = output.with_name("d.toml")
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    result = sweep_fake("--design", path)
    assert result.exit_code == 2
    assert mend in result.stderr
    assert "internal error" not in result.stderr


def test_fields_of_yaml_that_are_no_names_are_refused(sweep_fake, output):
    path = output.with_name("d.yaml")
    path.write_text("1: 2\nlengths: 512\n")
    result = sweep_fake("--design", path)
    assert "has the fields 1;" in result.stderr


def test_lengths_of_cells_are_written_as_on_the_command_line(sweep_fake, output):
    path = output.with_name("d.toml")
    path.write_text(f"{CELL}length = '1K'\ndepth = 0.5\ntrials = 1\n")
    assert sweep_fake("--design", path).exit_code == 0
    assert [row["length"] for row in rows_of(output)] == [1024]


@pytest.mark.parametrize(
    ("words", "mend"),
    [
        (("--batch", "0"), "pass --batch 0.25"),
        (("--batch", "nan"), "pass --batch 0.25"),
        (("--until", "narrow"), "write set-size=1"),
    ],
)
def test_an_adaptive_run_that_makes_no_plan_sends_nothing(words, mend, sweep_fake, output):
    result = sweep_fake(*SMALL, "--adaptive", "--budget-tokens", "1M", *words)
    assert result.exit_code == 2
    assert mend in result.stderr
    assert not output.exists()


def test_a_dry_run_knows_the_context_window(run_json):
    words = ("run", "--model", "simulated:perfect", *SMALL, "--dry-run")
    whole, small = (run_json(*words, *more) for more in ((), ("--context-window", "900")))
    assert small["cost"]["input_tokens"] < whole["cost"]["input_tokens"]
    assert 0.9 * 6 * (512 + 643) < small["cost"]["input_tokens"] <= 6 * (512 + 643)


def test_cases_of_two_files_with_one_name_are_told_apart(sweep_fake, output, tmp_path):
    paths = [tmp_path / folder / "law.jsonl" for folder in "ab"]
    for path in paths:
        path.parent.mkdir()
        path.write_text('{"question": "q?", "answer": "1"}\n')
    result = sweep_fake("--task", ",".join(map(str, paths)))
    assert "give the files other names" in result.stderr
    assert not output.exists()


@pytest.mark.parametrize(
    ("task", "mend"),
    [
        ("distractors:n_distractors=5000", "ask for fewer distractors"),
        ("variable-tracking:n_hops=30000", "ask for fewer distractors"),
        ("aggregation:n_words=5000", "write aggregation:n_words=20"),
    ],
)
def test_more_than_there_is_to_ask_for_is_refused(task, mend, sweep_fake):
    result = sweep_fake("--task", task, *SMALL)
    assert result.exit_code == 2
    assert mend in result.stderr


def test_flags_beside_a_list_of_cells_are_refused(sweep_fake, output):
    path = output.with_name("d.toml")
    path.write_text('[[cells]]\ntask = "single-needle"\nlength = 512\ndepth = 0.5\ntrials = 1\n')
    assert "leave the flag out" in sweep_fake("--design", path, "--trials", "3").stderr
    assert sweep_fake("--design", path).exit_code == 0
    assert [row["stage"] for row in rows_of(output)] == [0]


def test_a_budget_stops_and_says_so(sweep_fake, output):
    result = sweep_fake(*SMALL, "--budget-tokens", "4000", "--max-output-tokens", "8")
    assert result.exit_code == 0, result.stderr
    assert "Stopped by the budget" in result.stdout
    assert 0 < len(rows_of(output)) < 12


def test_own_cases_run(sweep_fake, output):
    cases = output.with_name("law.jsonl")
    lines = [{"id": i, "context": "a " * 50, "question": "q?", "answer": str(i)} for i in range(3)]
    cases.write_text("".join(json.dumps(line) + "\n" for line in lines))
    result = sweep_fake("--task", cases)
    assert result.exit_code == 0, result.stderr
    assert [(row["task"], row["length"], row["score"]) for row in rows_of(output)] == [
        ("law", 1024, 1.0)
    ] * 3


def test_scores_can_be_made_again(sweep_fake, run, run_json, output):
    sweep_fake(*SMALL, model="simulated:echo")
    lenient = output.with_name("lenient.jsonl")
    result = run("rescore", output, "--scoring", "contains", "-o", lenient)
    assert result.exit_code == 0, result.stderr
    assert "12 trials, 12 scored: 12 changed, 12 up and 0 down" in result.stdout
    assert {row["score"] for row in rows_of(lenient)} == {1.0}
    assert {row["scorer"] for row in rows_of(lenient)} == {"number-contains/2"}
    back = output.with_name("back.jsonl")
    document = run_json("rescore", lenient, "-o", back)
    assert document["n_down"] == 12
    assert back.read_bytes() == output.read_bytes()
    assert run("rescore", output, "-o", output).exit_code == 2


def test_what_was_not_run_here_cannot_be_rescored(run, output):
    output.write_text('{"score": 1}\n')
    result = run("rescore", output, "-o", output.with_name("b.jsonl"))
    assert result.exit_code == 2
    assert "name the file of a sweep" in result.stderr


@pytest.mark.parametrize(
    ("changed", "mend"),
    [
        ({"answer": "x"}, "list of answers"),
        ({"answer": []}, "list of answers"),
        ({"answer": ["no number"]}, "number in each answer"),
        ({"wrong": None}, "list of wrong values"),
        ({"output": 5}, "output that is text"),
        ({"status": None}, "known status"),
        ({"scorer": "mine"}, "known scorer"),
    ],
)
def test_rows_that_are_odd_are_named_when_they_are_rescored(changed, mend, sweep_fake, run, output):
    sweep_fake(*SMALL)
    first, *others = rows_of(output)
    output.write_text("".join(json.dumps(row) + "\n" for row in ({**first, **changed}, *others)))
    result = run("rescore", output, "-o", output.with_name("b.jsonl"))
    assert result.exit_code == 2
    assert f"line 1 has no {mend}; expected a line that 'lcstats run' wrote" in result.stderr


def test_nothing_is_not_rescored(run, output):
    target = output.with_name("b.jsonl")
    assert "check the path" in run("rescore", output, "-o", target).stderr
    output.write_text("")
    assert "has no trials" in run("rescore", output, "-o", target).stderr
    assert not target.exists()


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_an_interruption_says_how_to_go_on(output):
    words = ("--model", "simulated:curve", "--lengths", "512..64K", "--depths", 11)
    process = start("run", *words, "--trials", 200, "-o", output)
    deadline = time.monotonic() + 60
    while not (output.exists() and output.stat().st_size) and time.monotonic() < deadline:
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 130
    assert b"go on with --resume" in errors
    assert b"Traceback" not in errors
    assert all(row["status"] == "ok" for row in rows_of(output))


def test_progress_is_for_terminals(capsys):
    with show_progress("tokens") as watch:
        assert watch is None
    assert describe_progress(Progress(5, 9, 0.5, 0.0), "usd", 5) == "0.0/s, $0.50"


def test_a_bar_on_a_terminal(monkeypatch, capsys):
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    with show_progress("tokens") as watch:
        for n_done in range(3, 6):
            watch(Progress(n_done, 5, 1000.0 * n_done, 2.0))
    shown = capsys.readouterr().err
    assert "3/3" in shown
    assert "5,000 tokens" in shown
