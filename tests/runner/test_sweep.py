"""Sweeps from end to end: three fakes, recovery of a curve, resuming, refusing, stopping."""

import errno
import gc
import io
import json
import os
import random
import signal
import subprocess
import sys
import time
import warnings
from pathlib import Path

import numpy as np
import pytest

import lcstats as lc
from lcstats.errors import DuplicateWarning, FormatError, LcstatsWarning, OptionError
from lcstats.options import STATUSES
from lcstats.runner import Ceiling, Design, DesignCell, Settings, TextFiller, parse_task, run_sweep
from lcstats.runner.backends.simulated import SimulatedBackend
from lcstats.runner.ledger import Ledger, cut_torn_line, read_rows
from lcstats.runner.replies import Reply
from lcstats.runner.tasks import TASKS
from lcstats.truths.tasks import WORKED_CURVE
from tests.runner.sweeps import key_of, rows_of

DEPTHS = [0.0, 0.25, 0.5, 0.75, 1.0]
LENGTHS = [512, 1024, 2048]


def accuracies(path):
    cells = lc.count_cells(lc.read_trials(path))
    return {grid.task: grid.accuracy for grid in cells.grids}


@pytest.mark.parametrize(
    ("fake", "by_depth"),
    [("perfect", [1, 1, 1, 1, 1]), ("blind-middle", [1, 0, 0, 0, 1]), ("echo", [0, 0, 0, 0, 0])],
)
def test_three_fakes_give_what_they_must(fake, by_depth, output):
    tasks = [parse_task(name) for name in ("single-needle", "distractors", "two-hop")]
    design = Design.grid(tasks, LENGTHS, DEPTHS, n_trials=2, seed=3)
    run_sweep(f"simulated:{fake}", design, output)
    for accuracy in accuracies(output).values():
        np.testing.assert_array_equal(accuracy, [by_depth] * len(LENGTHS))


def test_a_sweep_leaves_the_search_for_garbage_as_it_was(output):
    design = Design.grid([parse_task("single-needle")], [512], [0.5], n_trials=1)
    frozen = []
    run_sweep(
        "simulated:perfect", design, output, watch=lambda _: frozen.append(gc.get_freeze_count())
    )
    assert frozen[0] > 0
    assert gc.get_freeze_count() == 0


@pytest.mark.parametrize("name", TASKS)
def test_every_task_can_be_solved_and_echoing_does_not(name, output):
    design = Design.grid([parse_task(name)], [1024], [0.0, 1.0], n_trials=3)
    run_sweep("simulated:perfect", design, output)
    echoed = output.with_name("echo.jsonl")
    run_sweep("simulated:echo", design, echoed)
    assert {row["score"] for row in rows_of(output)} == {1.0}
    assert {row["score"] for row in rows_of(echoed)} == {0.0}


@pytest.mark.slow
def test_a_curve_is_recovered(output):
    terms = ("intercept", "length", "middle", "recency")
    deviations = []
    for seed in range(5):
        path = output.with_name(f"{seed}.jsonl")
        design = Design.grid(
            [parse_task("single-needle")],
            [512, 1024, 2048, 4096, 8192],
            DEPTHS,
            n_trials=40,
            seed=seed,
        )
        run_sweep("simulated:curve", design, path, settings=Settings(concurrency=64))
        fit = lc.fit_curve(lc.count_cells(lc.read_trials(path)))
        deviations += [
            (getattr(fit.curve, term) - getattr(WORKED_CURVE, term)) / fit.standard_errors[term]
            for term in terms
        ]
    assert np.abs(deviations).max() <= 3
    assert np.abs(deviations).max() > 0.2


def test_rows_are_read_as_they_were_meant(output, small):
    run_sweep("simulated:perfect", small("distractors"), output)
    trials = lc.read_trials(output)
    assert (trials.n_trials, trials.n_scored, trials.models) == (12, 12, ("simulated:perfect",))
    assert not [n for n in trials.notices if n.code != "length-unit-guessed"]
    assert set(trials.frame["guess_rate"]) == {0.25}
    row = rows_of(output)[0]
    assert row["scorer"] == "number-strict/2"
    assert row["realised_depth"] == pytest.approx(row["depth"], abs=0.05)
    assert row["tokens_received"] <= row["length"]


@pytest.mark.parametrize("status", [s for s in STATUSES if s != "ok"])
def test_statuses_are_read_as_they_were_written(status, output, small):
    class Failing(SimulatedBackend):
        async def answer(self, request):
            if request.length == 512:
                return await super().answer(request)
            return Reply(status, output="I saw 4829173.", error=f"server said no: {status}")

    run_sweep(Failing("perfect"), small(), output)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LcstatsWarning)
        frame = lc.read_trials(output).frame
    by_length = frame.groupby("length")["status"].unique().map(list).to_dict()
    assert by_length == {512: ["ok"], 1024: [status]}
    assert frame.loc[frame["length"] == 1024, "score"].isna().all()


def test_two_language_models_share_their_cases(output, small):
    other = output.with_name("other.jsonl")
    run_sweep("simulated:perfect", small("two-hop"), output)
    run_sweep("simulated:echo", small("two-hop"), other)
    ours, theirs = (
        {key_of(row): row["prompt_digest"] for row in rows_of(p)} for p in (output, other)
    )
    assert ours == theirs


def test_equal_seeds_give_equal_files_and_other_seeds_others(output, small):
    paths = [output.with_name(f"{name}.jsonl") for name in "abc"]
    for path, seed in zip(paths, (1, 1, 2), strict=True):
        run_sweep("simulated:curve", small(seed=seed), path, settings=Settings(concurrency=1))
    first, again = (path.read_bytes() for path in paths[:2])
    assert first == again
    digests = [{row["prompt_digest"] for row in rows_of(path)} for path in (paths[0], paths[2])]
    assert not digests[0] & digests[1]


def test_prefix_order_makes_clusters(output, small):
    run_sweep("simulated:perfect", small(order="prefix"), output)
    cells = lc.count_cells(lc.read_trials(output))
    assert len({row["cluster"] for row in rows_of(output)}) == 4
    assert cells.grid.cases.cluster.max() == 3


def test_repeats_are_the_same_case_again(output, small):
    run_sweep("simulated:perfect", small(repeats=3), output)
    digests = {}
    for row in rows_of(output):
        digests.setdefault(key_of(row)[:-1], set()).add(row["prompt_digest"])
    assert len(rows_of(output)) == 36
    assert {len(found) for found in digests.values()} == {1}


def test_a_sweep_goes_on_where_it_stopped(output, small):
    """Two kept, two tried again, one torn line: as in a file that people reported."""
    design = small(lengths=[512], depths=[0.5], n_trials=4, repeats=2)
    run_sweep("simulated:perfect", design, output)
    rows = sorted(rows_of(output), key=lambda row: (row["repeat"], row["case"]))
    kept, failed = rows[:3], {**rows[1], "status": "timeout", "score": None}
    lines = [json.dumps(row) for row in (kept[0], failed, kept[2], rows[3])]
    output.write_text("\n".join(lines)[: -len(lines[3]) // 2])
    result = run_sweep("simulated:perfect", design, output, resume=True)
    after = rows_of(output)
    assert len(after) == 3 + 6
    assert after[0] == kept[0]
    assert len({key_of(row) for row in after}) == result.n_done == 8
    with pytest.warns(DuplicateWarning, match="tried again"):
        assert lc.read_trials(output).n_scored == 8


def test_a_finished_sweep_sends_nothing_again(output, small):
    run_sweep("simulated:perfect", small(), output)
    before = output.read_bytes()
    run_sweep("simulated:perfect", small(), output, resume=True)
    assert output.read_bytes() == before


@pytest.mark.parametrize(
    ("change", "mend"),
    [
        ({"design": {"n_trials": 3}}, "into another file with -o"),
        ({"design": {"seed": 9}}, "into another file with -o"),
        ({"model": "simulated:echo"}, "run with the old settings"),
        ({"settings": {"max_output_tokens": 9}}, "run with the old settings"),
        ({"settings": {"strictness": "contains"}}, "run with the old settings"),
        ({"settings": {"filler": TextFiller("One sentence here. " * 500)}}, "old settings"),
    ],
)
def test_a_sweep_that_is_another_by_now_is_refused(change, mend, output, small):
    run_sweep("simulated:perfect", small(), output)
    before = output.read_bytes()
    with pytest.raises(OptionError, match=mend):
        run_sweep(
            change.get("model", "simulated:perfect"),
            small(**change.get("design", {})),
            output,
            settings=Settings(**change.get("settings", {})),
            resume=True,
        )
    assert output.read_bytes() == before


def test_a_file_that_is_there_is_not_written_over(output, small):
    run_sweep("simulated:perfect", small(), output)
    with pytest.raises(OptionError, match="resume=True"):
        run_sweep("simulated:perfect", small(), output)
    output.with_name("trials.manifest.json").unlink()
    with pytest.raises(OptionError, match="bring it back"):
        run_sweep("simulated:perfect", small(), output, resume=True)
    with pytest.raises(OptionError, match=r"write -o trials\.jsonl"):
        run_sweep("simulated:perfect", small(), output.with_suffix(".csv"))


@pytest.mark.parametrize("text", ["{}", "[1]", '{"schema_version": 1, "stages": []}'])
def test_a_record_that_is_none_is_refused(text, output, small):
    run_sweep("simulated:perfect", small(), output)
    output.with_name("trials.manifest.json").write_text(text)
    with pytest.raises(FormatError, match="another file with -o"):
        run_sweep("simulated:perfect", small(), output, resume=True)


@pytest.mark.parametrize("data", [b'{"model": "m", "score": 1}', b"PK\x03\x04", b"text\n"])
def test_a_file_of_something_else_is_left_alone(data, output, small):
    output.write_bytes(data)
    for resume in (False, True):
        with pytest.raises(OptionError, match=r"another (?:file )?with -o"):
            run_sweep("simulated:perfect", small(), output, resume=resume)
    assert output.read_bytes() == data
    assert list(output.parent.iterdir()) == [output]


def test_a_torn_first_line_is_cut_off(output, small):
    run_sweep("simulated:perfect", small(), output)
    output.write_bytes(output.read_bytes()[:40])
    assert run_sweep("simulated:perfect", small(), output).n_done == 12


def test_rows_that_cannot_be_gone_on_with_are_named(output, small):
    run_sweep("simulated:perfect", small(), output)
    with output.open("a") as file:
        file.write('{"task": "a"}\n')
    with pytest.raises(FormatError, match=r"line 13 has no length .* take the line out"):
        run_sweep("simulated:perfect", small(), output, resume=True)


@pytest.mark.skipif(os.name != "posix", reason="locks of POSIX")
def test_two_runs_do_not_write_to_one_file(output, small):
    with Ledger(output), pytest.raises(OptionError, match="wait for it to end"):
        run_sweep("simulated:perfect", small(), output)
    assert output.read_bytes() == b""
    assert run_sweep("simulated:perfect", small(), output).n_done == 12


def test_a_budget_stops_before_it_is_exceeded(output, small):
    design = small(n_trials=10)
    settings = Settings(ceiling=Ceiling(10_000), max_output_tokens=8, concurrency=4)
    result = run_sweep("simulated:perfect", design, output, settings=settings)
    assert result.stop_reason == "budget"
    assert 8_000 < result.spent <= 10_000
    assert result.n_done == len(rows_of(output)) < design.n_trials
    whole = run_sweep(
        "simulated:perfect", design, output, settings=Settings(max_output_tokens=8), resume=True
    )
    assert whole.n_done == design.n_trials
    with pytest.raises(OptionError, match="pass --budget-tokens 5M"):
        Ceiling(0)


def test_faults_of_a_design_come_before_anything_is_sent(output):
    design = Design.grid(
        [parse_task("single-needle")], [40, 512], [i / 30 for i in range(31)], n_trials=1
    )
    with pytest.raises(OptionError) as refused:
        run_sweep("simulated:perfect", design, output)
    assert "lengths from" in str(refused.value)
    assert "fewer depths" in str(refused.value)
    assert not list(output.parent.iterdir())


@pytest.mark.parametrize(
    ("lengths", "depths", "trials", "mend"),
    [
        ([0], [0.5], 1, "pass lengths such as"),
        ([-5], [0.5], 1, "pass lengths such as"),
        ([512], [50], 1, "divide percentages by 100"),
        ([512], [0.5], 0, "pass trials=1"),
        ([512, 512], [0.5], 1, "write every length and depth once"),
        ([], [0.5], 1, "write every length and depth once"),
    ],
)
def test_designs_that_cannot_be_run_are_refused(lengths, depths, trials, mend):
    with pytest.raises(OptionError, match=mend):
        Design.grid([parse_task("single-needle")], lengths, depths, n_trials=trials)


@pytest.mark.parametrize(
    ("task", "length", "depth", "mend"),
    [
        ("single-needle", 0, 0.5, "pass length=1"),
        ("single-needle", 512.5, 0.5, "pass length=1"),
        ("single-needle", 512, None, "write depth=0.5"),
        ("single-needle", 512, 7, "write depth=0.5"),
        ("single-needle", 512, float("nan"), "write depth=0.5"),
        ("several-keys", 512, 0.5, "leave the depth out"),
    ],
)
def test_cells_that_cannot_be_run_are_refused(task, length, depth, mend):
    with pytest.raises(OptionError, match=mend):
        DesignCell(parse_task(task), length, depth, 1)


def test_later_stages_are_new_cases_and_marked(output, small):
    run_sweep("simulated:perfect", small(), output)
    more = Design(small().cells[:2], stage=1)
    for _ in range(2):
        run_sweep("simulated:perfect", more, output, resume=True)
    rows = rows_of(output)
    assert [sum(row["stage"] == stage for row in rows) for stage in range(3)] == [12, 4, 4]
    assert len({key_of(row) for row in rows}) == len(rows)
    assert lc.count_cells(lc.read_trials(output)).grid.n_adaptive.sum() == 8
    manifest = json.loads(output.with_name("trials.manifest.json").read_text())
    assert [stage["stage"] for stage in manifest["stages"]] == [0, 1, 2]


def test_controls_have_no_length(output):
    names = ("single-needle", "single-needle.closed-book", "single-needle.no-filler")
    design = Design.grid([parse_task(name) for name in names], [2048], [0.5], n_trials=3)
    run_sweep("simulated:perfect", design, output)
    controls = [row for row in rows_of(output) if "." in row["task"]]
    assert {(row["length"], row["depth"]) for row in controls} == {(0, None)}
    assert lc.read_trials(output).n_scored == 9


def test_a_sweep_runs_where_an_event_loop_runs_already(output, small):
    import asyncio

    async def notebook():
        return run_sweep("simulated:perfect", small(), output)

    assert asyncio.run(notebook()).n_done == 12


def test_progress_is_told_after_every_trial(output, small):
    seen = []
    run_sweep("simulated:perfect", small(), output, watch=seen.append)
    assert [progress.n_done for progress in seen] == list(range(1, 13))
    assert {progress.n_planned for progress in seen} == {12}


def test_a_torn_line_is_cut_and_a_broken_one_named(tmp_path):
    path = tmp_path / "t.jsonl"
    path.write_bytes(b'{"a": 1}\n{"a": 2')
    assert list(read_rows(path)) == [{"a": 1}]
    cut_torn_line(path)
    assert path.read_bytes() == b'{"a": 1}\n'
    path.write_bytes(b'{"a": 1}\nno json\n')
    with pytest.raises(FormatError, match=r"take the line out"):
        list(read_rows(path))


def test_a_long_torn_line_is_cut_whole(tmp_path):
    path = tmp_path / "t.jsonl"
    path.write_bytes(b'{"a": 1}\n' + b"x" * 300_000)
    cut_torn_line(path)
    assert path.read_bytes() == b'{"a": 1}\n'


def test_a_full_disk_is_an_error_and_not_silence(output, small, monkeypatch):
    def refuse(descriptor):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("lcstats.runner.ledger.os.fsync", refuse)
    with pytest.raises(OSError, match="No space left"):
        run_sweep("simulated:perfect", small(), output)
    with pytest.raises(OSError, match="No space left"), Ledger(output) as ledger:
        ledger.append({"a": 1})


def test_what_a_full_disk_refused_is_not_written_again(output, small, monkeypatch, capfd):
    written = []

    class Full(io.FileIO):
        def write(self, data):
            written.append(len(data))
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("builtins.open", lambda path, mode, **_: Full(path, mode))
    ledger = Ledger(output)
    with pytest.raises(OSError, match="No space left"), ledger:
        ledger.append({"a": 1})
    assert len(written) == 1
    assert capfd.readouterr().err == ""


N_KILLS = int(os.environ.get("LCSTATS_TEST_KILLS", "10"))
"""A hundred before a release."""

N_TRIALS = 20 * N_KILLS
"""Per cell, of three: more than are run between all kills, on a busy machine too."""

N_ENDLESS = 10_000
"""Trials per cell that take longer than anybody waits."""

SWEEP = """
import signal, sys
# A shell that starts the tests in the background has interruptions ignored.
signal.signal(signal.SIGINT, signal.default_int_handler)
from lcstats.runner import Design, Settings, parse_task, run_sweep
from lcstats.runner.backends.simulated import SimulatedBackend
import asyncio

class Slow(SimulatedBackend):
    async def answer(self, request):
        await asyncio.sleep(0.004)
        return await super().answer(request)

output, n_trials = sys.argv[1], int(sys.argv[2])
design = Design.grid([parse_task("single-needle")], [512], [0.0, 0.5, 1.0], n_trials=n_trials)
print("begun", flush=True)
run_sweep(Slow("curve"), design, output, settings=Settings(concurrency=4), resume=True)
"""


def start(path, n_trials=N_TRIALS):
    process = subprocess.Popen(
        [sys.executable, "-c", SWEEP, str(path), str(n_trials)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(Path(lc.__file__).parents[1])},
    )
    process.stdout.readline()
    return process


def wait_for_rows(process, path, n_rows):
    deadline = time.monotonic() + 60
    while process.poll() is None and time.monotonic() < deadline:
        if path.exists() and path.read_bytes().count(b"\n") >= n_rows:
            return
        time.sleep(0.001)


@pytest.mark.slow
def test_random_kills_lose_and_double_nothing(output):
    rng, seen = random.Random(5), set()
    for _ in range(N_KILLS):
        process = start(output)
        n_before = output.read_bytes().count(b"\n") if output.exists() else 0
        wait_for_rows(process, output, n_before + rng.randint(1, 9))
        process.kill()
        process.communicate()
        if output.exists():
            whole = output.read_bytes().rpartition(b"\n")[0].splitlines()
            keys = [key_of(json.loads(line)) for line in whole]
            assert len(set(keys)) == len(keys)
            assert seen <= set(keys)
            seen = set(keys)
    assert 0 < len(seen) < 3 * N_TRIALS
    last = start(output)
    assert last.wait(60) == 0, last.stderr.read()
    last.communicate()
    keys = [key_of(row) for row in rows_of(output)]
    assert len(set(keys)) == len(keys) == 3 * N_TRIALS
    assert seen <= set(keys)


def test_an_interruption_ends_cleanly(output):
    process = start(output, N_ENDLESS)
    wait_for_rows(process, output, 5)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert process.returncode != 0
    assert b"KeyboardInterrupt" in errors
    assert output.read_bytes().endswith(b"\n")
    assert len({key_of(row) for row in rows_of(output)}) == len(rows_of(output)) < 3 * N_ENDLESS
