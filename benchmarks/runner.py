"""The runner: how long prompts take to build, and what a sweep adds to its server's own time."""

import importlib.util
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from benchmarks.measure import Measurement, best_seconds, show_seconds
from lcstats.runner import (
    Connection,
    Design,
    NeutralFiller,
    Settings,
    open_backend,
    parse_task,
    run_sweep,
)
from lcstats.runner.keys import make_rng
from lcstats.runner.prompts import Press
from lcstats.runner.tokens import BuiltinTokenizer

LONGEST = 128 * 1024
BUILD_TARGET_S = 0.5

N_TRIALS, CONCURRENCY, LATENCY_S = 2000, 32, 0.05
OVERHEAD_TARGET = 1.5
"""Times the seconds that the server alone takes."""

_SERVER = f"""
import sys
from tests.runner.fault_server import Answer, serving
with serving(lambda number, body: Answer(delay_s={LATENCY_S})) as server:
    print(server.url, flush=True)
    sys.stdin.read()
"""


def measure_runner() -> list[Measurement]:
    """Time prompts of every kind at 128K, and a sweep against a server on loopback."""
    names = ("single-needle", "several-values", "coreference", "aggregation")
    return [*map(_measure_prompt, names), *_measure_server()]


def _measure_prompt(name: str) -> Measurement:
    press, task = Press(BuiltinTokenizer(), NeutralFiller()), parse_task(name)

    def build() -> None:
        puzzle = task.make(make_rng(1, name), LONGEST)
        press.build(puzzle, LONGEST, 0.5, rng=make_rng(2, name))

    seconds = best_seconds(build)
    return Measurement(
        f"a prompt of 128K tokens, {name}",
        show_seconds(seconds),
        "counted by the builtin tokenizer",
        f"below {BUILD_TARGET_S} s",
        seconds < BUILD_TARGET_S,
    )


def _measure_server() -> Iterator[Measurement]:
    if importlib.util.find_spec("openai") is None:
        return
    ideal = N_TRIALS / CONCURRENCY * LATENCY_S
    design = Design.grid(
        [parse_task("single-needle")], [512], [0.0, 0.25, 0.5, 0.75, 1.0], n_trials=N_TRIALS // 5
    )
    with _server() as url, tempfile.TemporaryDirectory() as folder:
        connection = Connection(base_url=url, tokenizer="builtin", key_variable="NO_SUCH_KEY")
        backend = open_backend("openai:none", connection=connection)
        settings = Settings(concurrency=CONCURRENCY)
        result = run_sweep(backend, design, Path(folder) / "trials.jsonl", settings=settings)
    ratio = result.seconds / ideal
    yield Measurement(
        f"{N_TRIALS} trials, {CONCURRENCY} at a time, a server that takes {LATENCY_S * 1e3:.0f} ms",
        f"{result.seconds:.3g} s: {ratio:.2f} times the server's own",
        "client, prompts, scores and disk included",
        f"at most {OVERHEAD_TARGET} times",
        ratio <= OVERHEAD_TARGET,
    )


@contextmanager
def _server() -> Iterator[str]:
    """Run the server in a process of its own, so that it takes nothing from the sweep."""
    process = subprocess.Popen(
        [sys.executable, "-c", _SERVER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        yield process.stdout.readline().strip()
    finally:
        process.stdin.close()
        process.wait(30)
        process.stdout.close()
