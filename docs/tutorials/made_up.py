"""Results in the layouts of other programs, for the tutorials: simulated, and named made-up.

``python -m docs.tutorials.made_up kamradt results`` writes a folder of needle-in-a-haystack files,
from the root of a clone. Equal seeds write equal files.
"""

import argparse
import json
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import lcstats as lc

MODEL = "made-up-1"
NEEDLE = "The best thing to do in San Francisco is eat a sandwich and sit in Dolores Park."
DEPTHS = np.linspace(0, 1, 11)
TIME = "2026-01-01T00-00-00.000000"
RULER_TRUTHS = {"niah_single_1": "all-99", "niah_multikey_2": "single-needle", "vt": "two-hop"}
SHARE_CHANGED = 0.15
"""Of the samples, between epochs: the same prompt again mostly gets the same answer."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return its exit code."""
    parser = argparse.ArgumentParser("python -m docs.tutorials.made_up", description=__doc__)
    parser.add_argument("layout", choices=LAYOUTS)
    parser.add_argument("folder", type=Path, help="made if it does not exist")
    options = parser.parse_args(arguments)
    for name, text in LAYOUTS[options.layout]():
        path = options.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return 0


def kamradt_files() -> Iterator[tuple[str, str]]:
    """Yield one file per trial, one trial per cell, with a judge's mark from 1 to 10."""
    lengths = np.linspace(1000, 128_000, 15).astype(int)
    for row in _simulate("single-needle", lengths, np.linspace(0, 1, 15), n_trials=1):
        record = {
            "model": MODEL,
            "context_length": int(row.length),
            "depth_percent": 100 * row.depth,
            "version": 1,
            "needle": NEEDLE,
            "model_response": _answer(row.score),
            "score": 10 if row.score else 1,
        }
        name = f"{MODEL}_len_{row.length}_depth_{round(10000 * row.depth)}"
        yield f"{name}_results.json", json.dumps(record)


def ruler_files() -> Iterator[tuple[str, str]]:
    """Yield the predictions of three tasks at six lengths, 50 each."""
    lengths = 4096 * 2 ** np.arange(6)
    for task, truth in RULER_TRUTHS.items():
        lines: dict[int, list[str]] = {}
        for row in _simulate(truth, lengths, [0.5], n_trials=50):
            number = f"{1000003 * (int(row.trial) + 1) % 9000000 + 1000000}"
            found = number if row.score else "I could not find it."
            prediction = {"index": int(row.trial), "pred": found, "input": "", "outputs": [number]}
            lines.setdefault(row.length, []).append(json.dumps(prediction))
        for length, texts in lines.items():
            yield f"synthetic/{length}/pred/{task}.jsonl", "\n".join(texts) + "\n"


def inspect_files() -> Iterator[tuple[str, str]]:
    """Yield one log of a needle task, three epochs of every sample, which mostly agree."""
    lengths = 2000 * 2 ** np.arange(6)
    first, *others = (
        _simulate("single-needle", lengths, DEPTHS[::2], n_trials=12, seed=epoch)
        for epoch in (1, 2, 3)
    )
    changes = np.random.default_rng(1).random((len(others), len(first))) < SHARE_CHANGED
    epochs = [first]
    for other, is_changed in zip(others, changes, strict=True):
        pairs = zip(first, other, is_changed, strict=True)
        epochs.append([new if changed else old for old, new, changed in pairs])
    samples = [
        _inspect_sample(number, epoch, row)
        for epoch, rows in enumerate(epochs, start=1)
        for number, row in enumerate(rows)
    ]
    log = {
        "version": 2,
        "status": "success",
        "eval": {
            "eval_id": "e1",
            "task": "niah",
            "task_id": "t1",
            "model": f"openai/{MODEL}",
            "dataset": {"samples": len(samples) // 3},
            "config": {"epochs": 3},
            "scorers": [{"name": "includes"}],
        },
        "samples": samples,
    }
    yield f"{TIME}_niah_e1.json", json.dumps(log)


def _inspect_sample(number: int, epoch: int, row: Any) -> dict[str, Any]:
    return {
        "id": f"niah_{number}",
        "epoch": epoch,
        "input": "",
        "target": NEEDLE,
        "messages": [],
        "output": {"completion": _answer(row.score)},
        "scores": {"includes": {"value": "C" if row.score else "I"}},
        "metadata": {
            "target_context_length": int(row.length),
            "target_position": 100 * row.depth,
        },
        "uuid": f"u{epoch}-{number}",
    }


def _answer(score: float) -> str:
    return NEEDLE if score else "The text does not say."


def _simulate(
    truth: str, lengths: Any, depths: Any, *, n_trials: int, seed: int = 1
) -> Sequence[Any]:
    """Return simulated trials as rows, with their number within the cell."""
    frame: pd.DataFrame = lc.simulate_trials(
        truth, lengths, depths, n_trials=n_trials, seed=seed
    ).to_frame()
    trial = frame.groupby(["length", "depth"]).cumcount()
    return list(frame.assign(trial=trial).itertuples())


LAYOUTS: dict[str, Callable[[], Iterator[tuple[str, str]]]] = {
    "kamradt": kamradt_files,
    "ruler": ruler_files,
    "inspect": inspect_files,
}


if __name__ == "__main__":
    sys.exit(main())
