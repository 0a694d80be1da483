"""What holds for every command: help, exit codes, messages, pure standard output, laziness."""

import ast
import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import lcstats
from lcstats.cli import cli
from lcstats.cli.commands import COMMANDS, explain
from lcstats.cli.output import columns_of_text, printable
from lcstats.errors import TableError

MAIN = [sys.executable, "-c", "from lcstats.cli import main; main()"]


def start(*args, **options):
    """Start the command line as a terminal does: a shell's background jobs ignore Ctrl-C."""
    root = str(Path(lcstats.__file__).resolve().parents[1])
    return subprocess.Popen(
        [*MAIN, *map(str, args)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": root},
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        **options,
    )


@pytest.mark.smoke
def test_help_lists_every_command(run):
    result = run("--help")
    assert result.exit_code == 0
    for name in COMMANDS:
        assert re.search(rf"^  {name} ", result.stdout, re.MULTILINE)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help_with_an_example_and_json(run, name):
    result = run(name, "--help")
    assert result.exit_code == 0
    assert f"Example:\n    lcstats {name} " in result.stdout
    assert "--json" in result.stdout
    assert "--debug" in result.stdout


@pytest.mark.parametrize("name", COMMANDS)
def test_examples_use_flags_that_exist(name):
    command = cli.get_command(None, name)
    known = {flag for parameter in command.params for flag in parameter.opts}
    assert set(re.findall(r" (--?[a-z-]+)", command.epilog)) <= known


def test_help_imports_no_numbers():
    code = (
        "import sys\n"
        "from lcstats.cli import cli\n"
        "cli(['--help'], standalone_mode=False)\n"
        "print(sorted({'numpy', 'pandas', 'matplotlib', 'lcstats.trials'} & set(sys.modules)))\n"
    )
    root = str(Path(lcstats.__file__).resolve().parents[1])
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": root},
    )
    assert done.stdout.endswith("[]\n")


def test_the_version_is_the_library_s(run):
    assert lcstats.__version__ in run("--version").stdout


def test_an_unknown_command_is_a_usage_error(run):
    result = run("fitt")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "No such command 'fitt'" in result.stderr


def test_an_error_is_a_message_without_traceback(run, tmp_path):
    result = run("read", tmp_path / "none.csv")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith("Error: ")
    assert "check the path" in result.stderr
    assert "Traceback" not in result.stderr


def test_debug_shows_the_traceback_as_well(run, tmp_path):
    result = run("read", tmp_path / "none.csv", "--debug")
    assert result.exit_code == 2
    assert "Traceback" in result.stderr
    assert "check the path" in result.stderr


def test_a_fault_of_ours_says_so_in_one_line(run, sweep, monkeypatch):
    monkeypatch.setattr("lcstats.cli.read.read_results", lambda reading: 1 / 0)
    result = run("read", sweep)
    assert (result.exit_code, result.stdout) == (2, "")
    assert "run again with --debug and report what it prints" in result.stderr
    assert result.stderr.count("\n") == 1


def test_ctrl_c_exits_130(run, sweep, monkeypatch):
    def interrupt(reading):
        raise KeyboardInterrupt

    monkeypatch.setattr("lcstats.cli.read.read_results", interrupt)
    assert run("read", sweep).exit_code == 130


def test_ctrl_c_exits_130_in_a_real_process():
    process = start("read", "-", stdin=subprocess.PIPE)
    wait_until_it_reads(process)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert out == b""
    assert b"Traceback" not in err


def wait_until_it_reads(process):
    """Fill the pipe: once more than it holds has been taken, the command is reading."""
    taken = 0
    while taken < 2**17:
        taken += process.stdin.write(b"length,depth,score\n" * 64)


def test_a_reader_that_stops_early_is_no_error(sweep):
    with start("failures", sweep, "-n", 1000) as process:
        process.stdout.close()
        assert b"Error" not in process.stderr.read()
        assert process.wait(timeout=60) == 141


def test_a_place_that_cannot_be_written_is_an_error_with_a_mend(run, sweep):
    result = run("read", sweep, "-o", "/dev/null/table.csv")
    assert result.exit_code == 2
    assert "check the path, its permissions and the space left" in result.stderr


def test_explain_keeps_our_messages_and_names_the_rest():
    assert explain(TableError("a; b; c")) == "a; b; c"
    assert "KeyError" in explain(KeyError("length"))


@pytest.mark.smoke
def test_standard_output_is_one_json_object_in_a_real_process(sweep):
    process = start("effective-length", sweep, "--json")
    out, err = process.communicate(timeout=120)
    assert process.returncode == 0
    assert [group["model"] for group in json.loads(out)["groups"]] == ["alpha", "beta"]
    assert err == b""


def test_a_terminal_that_lacks_a_character_gets_its_code(tmp_path):
    path = tmp_path / "trials.csv"
    path.write_text("model,length,depth,score\nモデル,4096,0.5,1\nモデル,8192,0.5,0\n", "utf-8")
    root = str(Path(lcstats.__file__).resolve().parents[1])
    done = subprocess.run(
        [*MAIN, "read", str(path)],
        capture_output=True,
        check=True,
        env={**os.environ, "PYTHONPATH": root, "PYTHONIOENCODING": "latin-1"},
    )
    assert rb"Models: \u30e2" in done.stdout


def test_text_from_files_cannot_move_the_cursor():
    assert printable("a\x1b[2J\rb\tc\n") == "a\\x1b[2J\\rb\tc\n"


def test_columns_are_aligned():
    assert columns_of_text([("a", "n"), ("bbb", 10)]) == "a     n\nbbb  10"


def test_commands_import_the_heavy_rooms_late():
    """At the top of a command only click, the light rooms and the command line itself."""
    light = ("lcstats.cli", "lcstats.errors", "lcstats.options", "lcstats", "click")
    light += ("lcstats.designs",)
    folder = Path(lcstats.__file__).parent / "cli"
    for path in folder.glob("*.py"):
        for statement in ast.parse(path.read_text("utf-8")).body:
            if isinstance(statement, ast.ImportFrom | ast.Import):
                module = getattr(statement, "module", None) or statement.names[0].name
                top = module.split(".")[0]
                assert (
                    top in sys.stdlib_module_names
                    or module.startswith(light[:3])
                    or (module in light)
                ), f"{path.name} imports {module}"
