"""How good the curve is where it is right, and who catches it where it is wrong.

``python -m sims.curve --seed 1`` writes ``docs/evidence/curve.csv`` and the page beside it: hit
rates of the curve's grid length, coverage of its crossing's interval and of its set, and size and
power of the goodness-of-fit test. Equal seeds give byte-identical files for any number of
processes.
"""

import argparse
import csv
import multiprocessing
import sys
import warnings
import zlib
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import astuple, dataclass, fields
from math import sqrt
from pathlib import Path

import numpy as np
from numpy.random import Generator, Philox, SeedSequence
from numpy.typing import NDArray

import lcstats as lc
from lcstats.curve import accuracy_from_logit, design_matrix
from lcstats.errors import LcstatsWarning
from lcstats.fit import fit_curve, goodness_of_fit
from lcstats.kernels.logistic import fit_batch
from lcstats.lengths.crossing import find_crossing, log2_crossing, treated
from lcstats.lengths.curve_estimate import estimate_from_curve
from lcstats.lengths.estimate import TIE
from sims.coverage_simulation import DEPTHS, LENGTHS, LEVEL, Setting, true_outcome
from sims.curve_page import make_page

OUT = Path("docs/evidence/curve.csv")
CASES = (5, 20, 80)
BASE = "single-needle"
N_HIT_TABLES = 8000
N_TABLES = 400
N_GOODNESS_TABLES = 1000
N_GOODNESS_SIMULATIONS = 199


@dataclass(frozen=True, slots=True)
class Question:
    """One line of the study before it is run.

    Attributes
    ----------
    subject : str
        ``hit``, ``crossing``, ``set`` or ``goodness``.
    treatment : str
        Empty for ``goodness``, which has none.
    penalty : str
        ``jeffreys`` or ``none``.
    """

    subject: str
    truth: str
    treatment: str
    penalty: str
    n_cases: int


@dataclass(frozen=True, slots=True)
class Line:
    """A rate with its Monte Carlo error; `n_failed` tables had no answer and count against it."""

    subject: str
    truth: str
    treatment: str
    penalty: str
    n_cases: int
    rate: float
    error: float
    n_tables: int
    n_failed: int
    seed: int


QUESTIONS = (
    *(Question("hit", BASE, t, p, n) for t in ("mean", "worst") for p in ("jeffreys", "none")
      for n in CASES),
    *(Question("hit", "cliff", t, "jeffreys", n) for t in ("mean", "worst") for n in CASES),
    *(Question("crossing", BASE, t, "jeffreys", n) for t in ("mean", "worst") for n in CASES),
    *(Question("set", BASE, t, "jeffreys", n) for t in ("mean", "worst") for n in CASES),
    *(Question("goodness", truth, "", "jeffreys", n)
      for truth in (BASE, "cliff", "one-bad-depth") for n in CASES),
)  # fmt: skip


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return its exit code."""
    parser = argparse.ArgumentParser("python -m sims.curve", description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--out", type=Path, default=OUT, help=f"CSV file ({OUT})")
    options = parser.parse_args(arguments)
    lines = run_study(QUESTIONS, options.seed, options.jobs)
    write_lines(lines, options.out)
    page = make_page(lines, options.out.name)
    options.out.with_suffix(".md").write_text(page, encoding="utf-8")
    return 0


def run_study(questions: Iterable[Question], seed: int, jobs: int = 1) -> list[Line]:
    """Answer questions in their order, the same for any number of processes."""
    work = [(question, seed) for question in questions]
    if jobs == 1:
        return list(map(answer, work))
    # Spawned, because a process that has run numba must not be forked.
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(jobs, mp_context=context) as executor:
        return list(executor.map(answer, work))


def answer(work: tuple[Question, int]) -> Line:
    """Simulate one line."""
    question, seed = work
    ask, n_tables = {
        "hit": (hits, N_HIT_TABLES),
        "crossing": (crossings, N_TABLES),
        "set": (sets, N_TABLES),
        "goodness": (rejections, N_GOODNESS_TABLES),
    }[question.subject]
    return make_line(question, seed, n_tables, ask)


def make_line(
    question: Question,
    seed: int,
    n_tables: int,
    ask: Callable[[Question, NDArray[np.int64]], tuple[int, int]],
) -> Line:
    """Draw the tables and turn the number of successes into a rate with its error."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LcstatsWarning)
        found, n_failed = ask(question, draw_tables(question, seed, n_tables))
    rate = found / n_tables
    error = sqrt(rate * (1 - rate) / n_tables)
    return Line(
        question.subject,
        question.truth,
        question.treatment,
        question.penalty,
        question.n_cases,
        rate=round(rate, 6),
        error=round(error, 6),
        n_tables=n_tables,
        n_failed=n_failed,
        seed=seed,
    )


def draw_tables(question: Question, seed: int, n_tables: int) -> NDArray[np.int64]:
    """Draw counts, shape (n_tables, n_lengths, n_depths); questions on one truth share them."""
    name = zlib.crc32(question.truth.encode())
    rng = Generator(Philox(SeedSequence([seed, name, question.n_cases])))
    accuracy = lc.truths.get_truth(question.truth).accuracy(LENGTHS, DEPTHS)
    return rng.binomial(question.n_cases, accuracy, size=(n_tables, *accuracy.shape))


def hits(question: Question, tables: NDArray[np.int64]) -> tuple[int, int]:
    """Count tables whose fitted curve has the true grid length; failed fits do not."""
    design = design_matrix(LENGTHS[:, None], DEPTHS).reshape(-1, 4)
    batch = fit_batch(
        design,
        np.full(design.shape[0], float(question.n_cases)),
        tables.reshape(tables.shape[0], -1).astype(np.float64),
        start=np.array([2.0, 0.0, 0.0, 0.0]),
        penalised=question.penalty == "jeffreys",
    )
    accuracy = accuracy_from_logit(batch.coefficients @ design.T).reshape(tables.shape)
    criterion, true = _criterion(question), _true_outcome(question)
    weights = np.full(DEPTHS.size, 1 / DEPTHS.size)
    heights = treated(accuracy, criterion.treatment, weights)
    passes = heights >= float(criterion.exact_threshold) - TIE
    outcomes = np.cumprod(passes, axis=1).sum(axis=1)
    return int(((outcomes == true) & batch.converged).sum()), int((~batch.converged).sum())


def crossings(question: Question, tables: NDArray[np.int64]) -> tuple[int, int]:
    """Count tables whose interval holds the true crossing; a curve that never crosses does not."""
    criterion = _criterion(question)
    held = failed = 0
    for table in tables:
        fit = fit_curve(_cells(question, table))
        true = float(np.exp2(log2_crossing(fit, lc.truths.WORKED_CURVE, criterion)))
        crossing = find_crossing(fit, criterion, level=LEVEL)
        if crossing is None or crossing.lower is None or crossing.upper is None:
            failed += 1
        else:
            held += crossing.lower <= true <= crossing.upper
    return held, failed


def sets(question: Question, tables: NDArray[np.int64]) -> tuple[int, int]:
    """Count tables whose curve's set holds the true grid length; a fit that stalled does not."""
    criterion, true = _criterion(question), _true_outcome(question)
    held = failed = 0
    for number, table in enumerate(tables):
        fit = fit_curve(_cells(question, table))
        estimate = estimate_from_curve(fit, criterion, level=LEVEL, seed=number)
        interval = estimate.default_set
        held += fit.converged and interval.lower <= true <= interval.upper
        failed += not fit.converged
    return held, failed


def rejections(question: Question, tables: NDArray[np.int64]) -> tuple[int, int]:
    """Count tables whose curve fails the test: its size on the base truth, else its power."""
    rejected = failed = 0
    for number, table in enumerate(tables):
        fit = fit_curve(_cells(question, table))
        result = goodness_of_fit(fit, n_simulations=N_GOODNESS_SIMULATIONS, seed=number)
        rejected += not result.passes
        failed += not fit.converged
    return rejected, failed


def write_lines(lines: Iterable[Line], path: Path) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(field.name for field in fields(Line))
        writer.writerows(astuple(line) for line in lines)


def _criterion(question: Question) -> lc.Criterion:
    return Setting(question.truth, question.treatment, question.n_cases).criterion


def _true_outcome(question: Question) -> int:
    accuracy = lc.truths.get_truth(question.truth).accuracy(LENGTHS, DEPTHS)
    return true_outcome(accuracy, _criterion(question))


def _cells(question: Question, table: NDArray[np.int64]) -> lc.Cells:
    return lc.Cells.from_counts(LENGTHS, DEPTHS, n_cases=question.n_cases, successes=table)


if __name__ == "__main__":
    sys.exit(main())
