"""A command line to call and a small sweep to call it on."""

import inspect
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from lcstats.cli import cli

Run = Callable[..., Result]


@pytest.fixture
def run() -> Run:
    """Call ``lcstats`` in this process; standard output and standard error stay apart."""
    # Before click 8.2 the two are mixed unless asked otherwise.
    apart = "mix_stderr" in inspect.signature(CliRunner).parameters
    runner = CliRunner(**{"mix_stderr": False} if apart else {})

    def call(*args: object, **options: object) -> Result:
        return runner.invoke(cli, [str(arg) for arg in args], **options)

    return call


@pytest.fixture
def run_json(run: Run) -> Callable[..., dict]:
    """Call ``lcstats ... --json`` and return its one object."""

    def refuse(word: str) -> None:
        raise AssertionError(f"{word} is not strict JSON")

    def call(*args: object, **options: object) -> dict:
        result = run(*args, "--json", **options)
        assert result.exit_code == 0, result.stderr
        return json.loads(result.stdout, parse_constant=refuse)

    return call


@pytest.fixture(scope="session")
def sweep(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two language models at 3 lengths and 3 depths, 5 cases per cell; one of them times out."""
    lines = ["model,task,case,length,depth,score,status,question,answer,output"]
    for model, n_right in (("alpha", (5, 5, 3)), ("beta", (5, 4, 0))):
        for length, right in zip((4096, 8192, 16384), n_right, strict=True):
            for depth in (0, 0.5, 1):
                for case in range(1, 6):
                    score, status = f"{int(case <= right)}", "ok"
                    if (model, length, depth, case) == ("beta", 16384, 1, 5):
                        score, status = "", "timeout"
                    text = f"q{case},a{case},o{case}"
                    cells = f"{model},needle,{case},{length},{depth},{score},{status},{text}"
                    lines.append(cells)
    path = tmp_path_factory.mktemp("sweep") / "trials.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.fixture
def svg_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave PDF and PNG out of reports, for tests of something else: they take most of the time."""
    monkeypatch.setattr("lcstats.report.figures.SUFFIXES", (".svg",))
