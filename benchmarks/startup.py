"""Starting up, reading a folder of many small files, and a whole report on it."""

import json
import random
import tempfile
import warnings
from pathlib import Path

import numpy as np

import lcstats as lc
from benchmarks.measure import Measurement, best_process_seconds, best_seconds, show_seconds
from lcstats.errors import LcstatsWarning

COMMAND_LINE = "from lcstats.cli import main; main()"
N_LENGTHS, N_DEPTHS, N_SECOND_RUNS = 35, 35, 151
CURVE = lc.Curve(intercept=5.04, length=0.778, middle=0.675, recency=1.80)
SCORE_THRESHOLD = 7


def measure_startup(folder: Path | None = None) -> list[Measurement]:
    """Time imports, help, reading and the report.

    Parameters
    ----------
    folder : Path, optional
        Needle-in-a-haystack results, one JSON file per trial; written into a temporary folder
        where it is not given.
    """
    lines = _measure_start()
    with tempfile.TemporaryDirectory() as scratch:
        if folder is None:
            folder = Path(scratch) / "results"
            write_results(folder, random.Random(1))
        return [*lines, _measure_reading(folder), _measure_report(folder, Path(scratch))]


def write_results(folder: Path, rng: random.Random, model: str = "simulated") -> None:
    """Write 1376 files like those of the needle-in-a-haystack runner, some of them second runs."""
    folder.mkdir()
    lengths = np.linspace(1000, 200_000, N_LENGTHS).round().astype(int)
    percents = np.linspace(0, 100, N_DEPTHS).round(3)
    accuracy = CURVE.accuracy(lengths, percents / 100)
    cells = [(i, j) for i in range(N_LENGTHS) for j in range(N_DEPTHS)]
    for version, kept in ((1, cells), (2, cells[-N_SECOND_RUNS:])):
        for i, j in kept:
            name = f"token_len_{lengths[i]}_depth_{round(percents[j] * 100)}"
            trial = {
                "model": model,
                "context_length": int(lengths[i]),
                "file_name": name,
                "depth_percent": float(percents[j]),
                "version": version,
                "needle": "\n    The best thing to do in San Francisco is to sit in a park.\n    ",
                "model_response": " Based on the context provided, " + "the best thing to do " * 15,
                "score": 10 if rng.random() < accuracy[i, j] else 1,
            }
            suffix = "" if version == 1 else f"_{version}"
            (folder / f"{name}_results{suffix}.json").write_text(json.dumps(trial))


def _measure_start() -> list[Measurement]:
    bare = show_seconds(best_process_seconds("pass"))
    imported = best_process_seconds("import lcstats")
    used = best_process_seconds("import lcstats; lcstats.effective_length")
    helped = best_process_seconds(COMMAND_LINE, ["--help"])
    return [
        _timed("`import lcstats`", imported, f"a bare interpreter: {bare}", 0.3),
        Measurement(
            "`lcstats.effective_length`, first named",
            show_seconds(used),
            "numpy, scipy, pandas and numba are imported then",
        ),
        _timed("`lcstats --help`", helped, f"a bare interpreter: {bare}", 0.6),
    ]


def _measure_reading(folder: Path) -> Measurement:
    paths = sorted(folder.glob("*.json"))

    def load_all() -> list[dict[str, object]]:
        trials = []
        for path in paths:
            with path.open(encoding="utf-8") as file:
                trials.append(json.load(file))
        return trials

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LcstatsWarning)
        read = best_seconds(lambda: lc.read_trials(folder, score_threshold=SCORE_THRESHOLD))
    bare = best_seconds(load_all)
    return Measurement(
        f"`read_trials`, {len(paths)} files",
        f"{show_seconds(read)}, {read / bare:.1f} times as long",
        f"a loop of `json.load`: {show_seconds(bare)}",
    )


def _measure_report(folder: Path, scratch: Path) -> Measurement:
    out = scratch / "report"
    arguments = ["report", str(folder), "-o", str(out), "--score-threshold", str(SCORE_THRESHOLD)]
    seconds = best_process_seconds(COMMAND_LINE, arguments, repeats=3)
    if not (out / "index.html").stat().st_size:
        raise AssertionError("the report is empty")
    n_files = len(list(folder.glob("*.json")))
    return _timed(f"`lcstats report`, {n_files} files", seconds, "the whole process, warm", 10.0)


def _timed(subject: str, seconds: float, beside: str, limit: float) -> Measurement:
    target = f"under {limit:g} s"
    return Measurement(subject, show_seconds(seconds), beside, target, seconds < limit)
