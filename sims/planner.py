"""Whole adaptive runs, pilot to stop: ``python -m sims.planner --seed 1``.

Every run starts from a fixed pilot, asks which cells to run next, runs them, and asks again until
it is told to stop or the budget is spent. It is compared with the same budget spent evenly. A row
per truth and depth treatment goes to a CSV file, with a page that reads it beside it; an
interrupted study goes on with the row where it stopped, and equal seeds give equal files.
"""

import argparse
import sys
import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.random import Generator, Philox
from numpy.typing import ArrayLike, NDArray

import lcstats as lc
from lcstats.errors import LcstatsWarning
from lcstats.lengths.observed import observe
from lcstats.plan.adaptive.batch import Purse, Rows, fill_batch
from lcstats.plan.adaptive.sequential import Standing
from lcstats.plan.budget import Budget
from lcstats.plan.simulation.simulate import monte_carlo_error
from lcstats.plan.truths import planned_truth
from sims.coverage_table import markdown
from sims.csv_rows import read_csv, write_csv

LENGTHS = 1024 * 2 ** np.arange(8)
DEPTHS = np.arange(11) / 10
THRESHOLD = 0.85
LEVEL = 0.95
PILOT = 5
UNIFORM = 20
BATCH = 0.25
RUNS = 500
TRUTHS = ("single-needle", "cliff", "one-bad-depth")
TREATMENTS = ("mean", "worst")
BUDGET = int(LENGTHS.sum()) * DEPTHS.size * UNIFORM
OUT = Path("docs/evidence/planner.csv")


@dataclass(frozen=True, slots=True)
class Run:
    """How one adaptive run ended."""

    lower: int
    upper: int
    point: int
    true: int
    tokens: float
    n_looks: int
    was_ever_excluded: bool

    @property
    def size(self) -> int:
        return self.upper - self.lower + 1


@dataclass(frozen=True, slots=True)
class Row:
    """All runs of one truth and depth treatment, beside the same budget spent evenly."""

    truth: str
    treatment: str
    true_outcome: int
    seed: int
    runs: int
    hit_rate: float
    coverage: float
    coverage_at_all_looks: float
    mean_size: float
    size_error: float
    mean_tokens: float
    tokens_error: float
    mean_looks: float
    decided: float
    uniform_hit_rate: float
    uniform_coverage: float
    uniform_mean_size: float
    uniform_size_error: float
    uniform_tokens: int


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return its exit code."""
    parser = argparse.ArgumentParser("python -m sims.planner", description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--runs", type=int, default=RUNS, help=f"{RUNS}")
    parser.add_argument("--out", type=Path, default=OUT, help=f"CSV file ({OUT})")
    parser.add_argument("--truth", choices=TRUTHS, action="append", help="all")
    parser.add_argument("--treatment", choices=TREATMENTS, action="append", help="all")
    options = parser.parse_args(arguments)
    try:
        asked = [
            (truth, treatment)
            for treatment in options.treatment or TREATMENTS
            for truth in options.truth or TRUTHS
        ]
        run_study(options.seed, options.runs, asked, options.out)
    except ValueError as error:
        parser.error(str(error))
    except KeyboardInterrupt:
        return 130
    return 0


def run_study(seed: int, runs: int, asked: Sequence[tuple[str, str]], out: Path) -> None:
    """Simulate the rows that the file lacks, and write the page.

    Raises
    ------
    ValueError
        If the file was made with another seed or number of runs.
    """
    rows = read_rows(out)
    if any((row.seed, row.runs) != (seed, runs) for row in rows):
        raise ValueError(
            f"{out} was made with seed {rows[0].seed} and {rows[0].runs} runs; expected seed "
            f"{seed} and {runs}; remove the file or pass another --out"
        )
    done = {(row.truth, row.treatment) for row in rows}
    for truth, treatment in asked:
        if (truth, treatment) not in done:
            rows.append(simulate_row(truth, treatment, seed, runs))
            rows.sort(key=lambda row: (row.treatment, TRUTHS.index(row.truth)))
            write_rows(rows, out)
    write_page(rows, out)


def simulate_row(truth: str, treatment: str, seed: int, runs: int) -> Row:
    """Simulate adaptive runs of one truth and depth treatment, and even ones beside them."""
    criterion = lc.Criterion(THRESHOLD, depth_treatment=treatment)
    planned = planned_truth(truth, LENGTHS, DEPTHS)
    accuracy, true = planned.accuracies[0], int(planned.true_outcomes(criterion)[0])
    streams = [Generator(Philox([seed, hash_of(truth, treatment), run])) for run in range(runs)]
    adaptive = [run_adaptively(accuracy, true, criterion, rng) for rng in streams]
    evenly = [run_evenly(accuracy, true, criterion, rng) for rng in streams]
    sizes, tokens = (np.array([getattr(r, name) for r in adaptive]) for name in ("size", "tokens"))
    even_sizes = np.array([run.size for run in evenly])
    return Row(
        truth=truth,
        treatment=treatment,
        true_outcome=true,
        seed=seed,
        runs=runs,
        hit_rate=float(np.mean([run.point == true for run in adaptive])),
        coverage=covered(adaptive),
        coverage_at_all_looks=float(np.mean([not run.was_ever_excluded for run in adaptive])),
        mean_size=float(sizes.mean()),
        size_error=standard_error(sizes),
        mean_tokens=float(tokens.mean()),
        tokens_error=standard_error(tokens),
        mean_looks=float(np.mean([run.n_looks for run in adaptive])),
        decided=float(np.mean(sizes == 1)),
        uniform_hit_rate=float(np.mean([run.point == true for run in evenly])),
        uniform_coverage=covered(evenly),
        uniform_mean_size=float(even_sizes.mean()),
        uniform_size_error=standard_error(even_sizes),
        uniform_tokens=BUDGET,
    )


def run_adaptively(
    accuracy: NDArray[np.float64], true: int, criterion: lc.Criterion, rng: Generator
) -> Run:
    """Run a pilot, then batches until there is nothing to gain or nothing left."""
    n_cases = np.full(accuracy.shape, PILOT, dtype=np.int64)
    successes = rng.binomial(n_cases, accuracy).astype(np.float64)
    members = np.zeros(DEPTHS.size, dtype=np.int64)
    spent, n_looks, was_ever_excluded = float(n_cases.sum(axis=1) @ LENGTHS), 0, False
    while True:
        standing = Standing.of(successes, n_cases, members, criterion, LEVEL)
        lower, upper = standing.ends
        n_looks += 1
        was_ever_excluded |= not lower <= true <= upper
        left = BUDGET - spent
        if lower == upper or left < LENGTHS[0]:
            break
        steps = list(fill_batch([Rows(standing, LENGTHS)], Purse.of(Budget(left), BATCH), 1))
        if not steps:
            break
        successes, n_cases = successes.copy(), n_cases.copy()
        for step in steps:
            successes[step.bid.row] += rng.binomial(step.bid.trials, accuracy[step.bid.row])
            n_cases[step.bid.row] += step.bid.trials
        spent = float(n_cases.sum(axis=1) @ LENGTHS)
    raw = observe(_cells(n_cases, successes).grid, criterion).outcome
    point = int(np.clip(raw, lower, upper))
    return Run(lower, upper, point, true, spent, n_looks, was_ever_excluded)


def run_evenly(
    accuracy: NDArray[np.float64], true: int, criterion: lc.Criterion, rng: Generator
) -> Run:
    """Spend the whole budget evenly; the set is the certified one, for a fixed number of cases."""
    n_cases = np.full(accuracy.shape, UNIFORM, dtype=np.int64)
    cells = _cells(n_cases, rng.binomial(n_cases, accuracy))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LcstatsWarning)
        answer = lc.effective_length(cells, criterion, level=LEVEL, sets=("certified",), masses=())
    found, point = answer.observed.default_set, answer.observed.outcome
    return Run(found.lower, found.upper, point, true, BUDGET, 1, true not in found)


def _cells(n_cases: NDArray[np.int64], successes: ArrayLike) -> lc.Cells:
    return lc.Cells.from_counts(LENGTHS, DEPTHS, n_cases=n_cases, successes=successes)


def hash_of(truth: str, treatment: str) -> int:
    """Return the number of a row, the same in every study."""
    return len(TREATMENTS) * TRUTHS.index(truth) + TREATMENTS.index(treatment)


def covered(runs: Sequence[Run]) -> float:
    return float(np.mean([run.lower <= run.true <= run.upper for run in runs]))


def standard_error(values: NDArray[np.float64]) -> float:
    return float(values.std(ddof=1) / np.sqrt(values.size))


def read_rows(path: Path) -> list[Row]:
    """Return the rows of a file; none where there is no file."""
    return read_csv(Row, path)


def write_rows(rows: Iterable[Row], path: Path) -> None:
    """Write rows, figures with enough digits to be read back as they are."""
    write_csv(rows, Row, path)


def write_page(rows: Sequence[Row], out: Path) -> None:
    out.with_suffix(".md").write_text(page(rows), encoding="utf-8")


def page(rows: Sequence[Row]) -> str:
    """Return the page in Markdown."""
    first = rows[0]
    words = (
        f"{first.runs} whole runs of `lcstats next` on each truth, seed {first.seed}: a fixed "
        f"pilot of {PILOT} trials per cell on {LENGTHS.size} lengths (1K to 128K) and "
        f"{DEPTHS.size} depths, then batches of {BATCH:.0%} of what is left of "
        f"{BUDGET / 1e6:.1f} million tokens, with a look after each, until the anytime set is a "
        f"single outcome, nothing can be moved, or nothing is left. Threshold {THRESHOLD}, "
        f"{LEVEL:.0%} sets. Beside it the same budget spent evenly, {UNIFORM} trials per cell, "
        "with the certified set for a fixed number of trials. Made with "
        f"`python -m sims.planner --seed {first.seed}`.\n\n"
        '"Ever" is the share of runs whose set held the truth at every look. Sizes are of '
        f"{LENGTHS.size + 1} outcomes. Raw worst depth is biased low, so its hit rates, of the raw "
        "cells inside the set, are no recommendation."
    )
    parts = ("# Adaptive runs: pilot, next, stop", words, table(rows), conclusions(rows))
    return "\n\n".join(parts) + "\n"


def table(rows: Sequence[Row]) -> str:
    header = (
        "truth, depth",
        "true length",
        "coverage",
        "ever",
        "mean size",
        "one outcome",
        "hit rate",
        "tokens",
        "looks",
        "even: coverage",
        "even: mean size",
        "even: hit rate",
    )
    return markdown(header, [list(_line(row)) for row in rows])


def _line(row: Row) -> Iterator[str]:
    yield f"{row.truth}, {row.treatment}"
    yield f"{LENGTHS[row.true_outcome - 1] // 1024}K"
    for name in ("coverage", "coverage_at_all_looks"):
        yield _rate(getattr(row, name), row.runs)
    yield f"{row.mean_size:.2f} +- {row.size_error:.2f}"
    yield _rate(row.decided, row.runs)
    yield _rate(row.hit_rate, row.runs)
    yield f"{row.mean_tokens / 1e6:.1f}M +- {row.tokens_error / 1e6:.1f}M"
    yield f"{row.mean_looks:.1f}"
    yield _rate(row.uniform_coverage, row.runs)
    yield f"{row.uniform_mean_size:.2f} +- {row.uniform_size_error:.2f}"
    yield _rate(row.uniform_hit_rate, row.runs)


def _rate(rate: float, runs: int) -> str:
    return f"{rate:.3f} +- {monte_carlo_error(rate, runs):.3f}"


def conclusions(rows: Sequence[Row]) -> str:
    """Say where looking pays and where it does not, by the numbers."""
    lines = []
    for row in rows:
        saved = 1 - row.mean_tokens / row.uniform_tokens
        change = row.mean_size - row.uniform_mean_size
        error = float(np.hypot(row.size_error, row.uniform_size_error))
        verdict = "no different from"
        if abs(change) > 2 * error:
            verdict = "smaller than" if change < 0 else "larger than"
        lines.append(
            f"- {row.truth}, {row.treatment}: {saved:.0%} fewer tokens; the set is {verdict} the "
            f"even design's ({row.mean_size:.2f} and {row.uniform_mean_size:.2f})."
        )
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
