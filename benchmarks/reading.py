"""Reading much: five million rows of a table, ten thousand small files, prompts of megabytes."""

import json
import random
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path

import numpy as np
import pandas as pd

import lcstats as lc
from benchmarks.measure import Measurement, best_seconds, race, show_seconds
from benchmarks.startup import SCORE_THRESHOLD, write_results
from lcstats.errors import LcstatsWarning

N_ROWS = 5_000_000
RIGHT_PER_MILLION = {4096: 990_000, 8192: 900_000, 16384: 700_000, 32768: 400_000, 65536: 100_000}
N_FOLDERS = 8
"""Folders of 1376 files, so that there are more than ten thousand."""
N_PROMPTS, PROMPT_CHARACTERS = 480, 625_000
"""RULER's 128K prompts, so many that their file has 300 MB."""
FILLER = (
    "The grass is green. The sky is blue. The sun is yellow. Here we go. There and back again. "
)
KEYS = ["model", "task", "length", "depth"]
MEMORY = """
import resource, sys
from pathlib import Path
import lcstats as lc
lc.count_cells(lc.read_trials(sys.argv[1]))
status = Path("/proc/self/status")
if status.exists():
    peak = status.read_text().split("VmHWM:")[1].split()[0]
else:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(peak)
"""
"""On Linux ``ru_maxrss`` of a child starts at what its parent held: a large parent hides it."""


def measure_reading() -> list[Measurement]:
    """Time reading and counting against pandas, and small files against ``json.load``."""
    with tempfile.TemporaryDirectory() as scratch, warnings.catch_warnings():
        warnings.simplefilter("ignore", LcstatsWarning)
        table = Path(scratch) / "trials.csv"
        write_rows(table)
        folders = Path(scratch) / "folders"
        folders.mkdir()
        for number in range(N_FOLDERS):
            name = f"model-{number}"
            write_results(folders / name, random.Random(number), name)
        prompts = Path(scratch) / "m" / "synthetic" / "131072" / "pred" / "niah_single_1.jsonl"
        write_prompts(prompts)
        return [*_measure_table(table), _measure_files(folders), *_measure_prompts(prompts)]


def write_rows(path: Path) -> None:
    """Write a million cases at each of five lengths, eleven depths, exact shares of them right."""
    case = np.arange(N_ROWS // len(RIGHT_PER_MILLION))
    parts = [
        pd.DataFrame(
            {
                "model": "m",
                "task": "niah",
                "item_id": case,
                "length": length,
                "depth": case % 11 * 10,
                "score": (case * 7919 % 1_000_000 < right).astype(int),
            }
        )
        for length, right in RIGHT_PER_MILLION.items()
    ]
    pd.concat(parts).sort_values(["item_id", "length"]).to_csv(path, index=False)


def write_prompts(path: Path) -> None:
    """Write RULER's predictions with their prompts; every second one is right."""
    path.parent.mkdir(parents=True)
    text = FILLER * (PROMPT_CHARACTERS // len(FILLER))
    with path.open("w", encoding="utf-8") as file:
        for number in range(N_PROMPTS):
            answer, place = str(1_000_000 + number), number * len(text) // N_PROMPTS
            row = {
                "index": number,
                "pred": f" {answer if number % 2 else 'unknown'}.",
                "input": f"{text[:place]}The special magic number is {answer}. {text[place:]}",
                "outputs": [answer],
                "others": {},
                "truncation": -1,
                "length": 131_000,
            }
            file.write(json.dumps(row) + "\n")


def _measure_table(path: Path) -> list[Measurement]:
    def ours() -> lc.Cells:
        return lc.count_cells(lc.read_trials(path))

    def theirs() -> pd.DataFrame:
        return pd.read_csv(path).groupby(KEYS)["score"].agg(["size", "sum"])

    counts = ours().grid.numerators.sum(axis=1).tolist()
    if counts != list(RIGHT_PER_MILLION.values()):
        raise AssertionError(f"counted {counts}, expected {RIGHT_PER_MILLION}")
    taken = race(ours, theirs, repeats=7)
    gigabytes = _peak_gigabytes(path)
    clock = taken.wall[0] / taken.wall[1]
    return [
        Measurement(
            f"`read_trials` and `count_cells`, {N_ROWS:,} rows",
            f"{show_seconds(taken.processor[0])}, {taken.ratio:.2f} times as long",
            f"`pandas.read_csv` and a group-by: {show_seconds(taken.processor[1])}; both processor "
            f"time, in turns; on the clock {clock:.2f} times",
            "twice as long",
            taken.ratio <= 2.0,
        ),
        Measurement(
            "its peak memory, whole process",
            f"{gigabytes:.1f} GB",
            "exact counts at every length",
            "under 4 GB",
            gigabytes < 4.0,
        ),
    ]


def _peak_gigabytes(path: Path) -> float:
    """Return the peak memory of a process that reads a file and counts its cells."""
    child = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", MEMORY, str(path)],
        check=True, capture_output=True, text=True,
    )  # fmt: skip
    return int(child.stdout) * (1 if sys.platform == "darwin" else 1024) / 1e9


def _measure_files(folder: Path) -> Measurement:
    paths = sorted(folder.rglob("*.json"))

    def load_all() -> list[object]:
        loaded = []
        for path in paths:
            with path.open(encoding="utf-8") as file:
                loaded.append(json.load(file))
        return loaded

    seconds = best_seconds(
        lambda: lc.read_trials(folder, score_threshold=SCORE_THRESHOLD), repeats=3
    )
    bare = best_seconds(load_all, repeats=3)
    ratio = seconds / bare
    return Measurement(
        f"`read_trials`, {len(paths):,} files",
        f"{show_seconds(seconds)}, {ratio:.1f} times as long",
        f"a loop of `json.load`: {show_seconds(bare)}",
        "twice as long",
        ratio <= 2.0,
    )


def _measure_prompts(path: Path) -> list[Measurement]:
    def load_all() -> int:
        with path.open(encoding="utf-8") as file:
            return sum(len(json.loads(line)) for line in file)

    trials = lc.read_trials(path)
    if trials.frame["score"].sum() != N_PROMPTS // 2:
        raise AssertionError(f"counted {trials.frame['score'].sum()}, expected {N_PROMPTS // 2}")
    # Processor time: both are one thread, and the file is in memory after the first look at it.
    seconds = best_seconds(lambda: lc.read_trials(path), timer=time.process_time)
    bare = best_seconds(load_all, timer=time.process_time)
    ratio, gigabytes = seconds / bare, _peak_gigabytes(path)
    size = f"{path.stat().st_size / 1e6:.0f} MB"
    return [
        Measurement(
            f"`read_trials`, RULER's predictions with their prompts, {size}",
            f"{show_seconds(seconds)}, {ratio:.1f} times as long",
            f"`json.loads` line by line: {show_seconds(bare)}, both processor time",
            "twice as long",
            ratio <= 2.0,
        ),
        Measurement(
            "its peak memory, whole process",
            f"{gigabytes:.2f} GB",
            "no more for longer files: lines are let go",
            "under 0.5 GB",
            gigabytes < 0.5,
        ),
    ]
