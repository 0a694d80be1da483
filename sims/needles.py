"""Several needles: does the test of independence keep its level, do intervals keep theirs.

``python -m sims.needles --seed 1`` writes ``docs/evidence/needles.csv`` and the page beside it:
size and power of the permutation test, coverage of the intervals of rates, of the dependence ratio,
of the intra-class correlation and of a curve's coefficients where needles share a trial's luck, and
how often fits recover the five tasks. Questions that the file answers with the same seed are not
asked again, so an interrupted study goes on where it stopped.
"""

import argparse
import sys
import warnings
import zlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.random import Generator, Philox, SeedSequence
from numpy.typing import NDArray

import lcstats as lc
from lcstats.errors import LcstatsWarning
from lcstats.fit import fit_curve
from lcstats.fit.joint import TaskCounts, fit_joint
from lcstats.needles import NeedleTable, measure_dependence, needle_cells, tabulate_needles
from lcstats.needles.rates import rows_by_length
from lcstats.needles.single import task_counts
from lcstats.truths import (
    AGGREGATE_TEN,
    DISTRACTORS,
    FOUR_VALUES,
    SINGLE_NEEDLE,
    TWO_HOP,
    WORKED_CURVE,
    Truth,
    close_places,
    draw_found,
    mirrored_places,
    shared_rates,
    simulate_cells,
    simulate_needles,
    spread_places,
)
from lcstats.wilson import two_sided_quantile, wilson_interval
from sims.coverage_simulation import DEPTHS, LENGTHS
from sims.csv_rows import read_csv, write_csv
from sims.needles_page import make_page

OUT = Path("docs/evidence/needles.csv")
LEVEL = 0.95
NEEDLE_LENGTHS = (1024, 4096, 16384, 65536)
NEEDLE_DEPTHS = (0.0, 0.5, 1.0)
N_TESTS = 2000
N_INTERVALS = 1000
N_RATIOS = 1000
N_BOOTSTRAPS = 400
N_FITS = 400
N_COUNTS = 300
N_DRAWS = 400
N_PERMUTATIONS = 299
N_RECOVERIES = 100
N_PER_CELL = 200
WITHIN = 3.0
"""Standard errors within which a recovered parameter has to be."""
ROUNDING = 1e-9
"""A ratio of 1 that is summed over cells differs from 1 by less."""

Floats = NDArray[np.float64]

CURVES = {
    "needles": WORKED_CURVE,
    "counts": WORKED_CURVE,
    "rarely all": replace(WORKED_CURVE, intercept=0.5),
    "nearly always all": replace(WORKED_CURVE, intercept=6.0),
}
"""Kinds of tables, and the curve that each is drawn from."""


@dataclass(frozen=True, slots=True)
class Question:
    """One thing to ask of many simulated tables.

    Attributes
    ----------
    subject : str
        ``test``, ``rates``, ``ratio``, ``correlation``, ``coefficients``, ``counted curve`` or
        ``recovery``.
    what : str
        The kind of table, one of :data:`CURVES`, or the task that is recovered.
    n_trials : int
        Per cell.
    shared_sd : float
        What the needles of a trial share, on the logit.
    """

    subject: str
    what: str
    n_trials: int
    shared_sd: float = 0.0


@dataclass(frozen=True, slots=True)
class Row:
    """A rate over simulated tables with its Monte Carlo error."""

    subject: str
    what: str
    n_trials: int
    shared_sd: float
    statistic: str
    rate: float
    error: float
    n_tables: int
    seed: int


QUESTIONS = (
    *(Question("test", kind, 50, sd) for kind in ("needles", "counts") for sd in (0.0, 1.0)),
    *(Question("test", "needles", n, sd) for n in (5, 20) for sd in (0.0, 1.0)),
    *(Question("rates", "needles", n, sd) for n in (5, 20, 50) for sd in (0.0, 1.0)),
    *(Question("ratio", "needles", n, sd) for n in (5, 20, 50) for sd in (0.0, 1.0)),
    *(Question("ratio", "rarely all", n, sd) for n in (20, 50) for sd in (0.0, 1.0)),
    *(Question("ratio", "nearly always all", 20, sd) for sd in (0.0, 1.0)),
    *(Question("ratio", "needles", n, 2.0) for n in (20, 50)),
    *(Question("correlation", "needles", n, sd) for n in (20, 50) for sd in (0.0, 1.0)),
    *(Question("coefficients", "needles", 50, sd) for sd in (0.0, 1.0)),
    *(Question("counted curve", "counts", n, sd) for n in (20, 50) for sd in (0.0, 1.0)),
    *(
        Question("recovery", what, N_PER_CELL)
        for what in (
            *("single-needle", "distractors", "four-values", "aggregate-ten"),
            *("two-hop with single-needle", "all five together"),
        )
    ),
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return its exit code."""
    parser = argparse.ArgumentParser("python -m sims.needles", description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, default=OUT, help=f"CSV file ({OUT})")
    options = parser.parse_args(arguments)
    rows = run_study(QUESTIONS, options.seed, options.out)
    page = make_page(rows, options.out.name)
    options.out.with_suffix(".md").write_text(page, encoding="utf-8")
    return 0


def run_study(questions: Iterable[Question], seed: int, out: Path) -> list[Row]:
    """Answer the questions that the file does not answer, writing it after each."""
    rows = [row for row in read_csv(Row, out) if row.seed == seed]
    for question in questions:
        if not any(_answers(row, question) for row in rows):
            rows += answer(question, seed)
            write_csv(rows, Row, out)
    return rows


def _answers(row: Row, question: Question) -> bool:
    mine = (question.subject, question.what, question.n_trials, question.shared_sd)
    return (row.subject, row.what, row.n_trials, row.shared_sd) == mine


def answer(question: Question, seed: int) -> list[Row]:
    """Simulate one question."""
    ask: Callable[[Question, int], dict[str, bool]]
    ask, n_tables = {
        "test": (ask_test, N_TESTS),
        "rates": (ask_rates, N_INTERVALS),
        "ratio": (ask_ratio, N_RATIOS),
        "correlation": (ask_correlation, N_BOOTSTRAPS),
        "coefficients": (ask_coefficients, N_FITS),
        "counted curve": (ask_counted_curve, N_COUNTS),
        "recovery": (ask_recovery, N_RECOVERIES),
    }[question.subject]
    key = zlib.crc32(f"{question.what} {question.n_trials} {question.shared_sd}".encode())
    seeds = SeedSequence([seed, key]).generate_state(n_tables, np.uint32).tolist()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LcstatsWarning)
        found = [ask(question, own) for own in seeds]
    return [_row(question, name, [one[name] for one in found], seed) for name in found[0]]


def _row(question: Question, statistic: str, hits: Sequence[bool], seed: int) -> Row:
    rate = float(np.mean(hits))
    return Row(
        question.subject,
        question.what,
        question.n_trials,
        question.shared_sd,
        statistic,
        rate=round(rate, 6),
        error=round(float(np.sqrt(rate * (1.0 - rate) / len(hits))), 6),
        n_tables=len(hits),
        seed=seed,
    )


def draw_table(question: Question, seed: int) -> NeedleTable:
    """Simulate four values close together at 4 lengths and 3 depths."""
    design, logits = _design(question.what, question.n_trials)
    rng = Generator(Philox(seed))
    drawn = draw_found(CURVES[question.what], logits, question.n_trials, question.shared_sd, rng)
    found = drawn.reshape(design.found.shape).astype(np.float64)
    if question.what == "counts":
        found = -np.sort(-found, axis=1)
    return replace(design, found=found, all_found=np.prod(found, axis=1))


@lru_cache
def _design(kind: str, n_trials: int) -> tuple[NeedleTable, Floats]:
    """Return a table whose outcomes are to be drawn again, and the logits of its needles."""
    trials = simulate_needles(NEEDLE_LENGTHS, NEEDLE_DEPTHS, n_trials=n_trials, seed=0)
    if kind == "counts":
        trials = replace(trials, frame=trials.frame.drop(columns=["needle_found"]))
    places = close_places(np.array(NEEDLE_DEPTHS)).T
    logits = CURVES[kind].logit_accuracy(NEEDLE_LENGTHS, places.ravel())
    return tabulate_needles(trials), logits.reshape(-1, *places.shape)


def ask_test(question: Question, seed: int) -> dict[str, bool]:
    """Ask whether independence is rejected at .05."""
    table = draw_table(question, seed)
    found = measure_dependence(table, seed=seed, n_permutations=N_PERMUTATIONS, n_draws=0)
    assert found is not None
    return {"rejects": found.independence_p <= 1.0 - LEVEL}


def ask_rates(question: Question, seed: int) -> dict[str, bool]:
    """Ask whether intervals of the rate at a length hold it, with needles in trials and without."""
    table = draw_table(question, seed)
    held = {}
    for row, true in zip(rows_by_length(table, LEVEL), true_rates(question), strict=True):
        lower, upper = wilson_interval(row.rate.value, row.n_units * table.n_needles, LEVEL)
        held[f"clustered at {row.length}"] = row.rate.lower <= true <= row.rate.upper
        held[f"naive at {row.length}"] = bool(lower <= true <= upper)
    return held


def ask_ratio(question: Question, seed: int) -> dict[str, bool]:
    """Ask whether the intervals of the dependence ratio hold it, in all and at every length.

    Where the product is 0 nothing is stated, and nothing missed.
    """
    found = measure_dependence(draw_table(question, seed), n_permutations=0, n_draws=0)
    assert found is not None
    stated = (found.ratio, *found.ratio_by_length)
    return {
        name: not own.is_known or own.lower - ROUNDING <= true <= own.upper + ROUNDING
        for own, (name, true) in zip(stated, true_ratios(question).items(), strict=True)
    }


def ask_correlation(question: Question, seed: int) -> dict[str, bool]:
    """Ask whether the bootstrap's interval holds the intra-class correlation."""
    table = draw_table(question, seed)
    found = measure_dependence(table, level=LEVEL, seed=seed, n_permutations=0, n_draws=N_DRAWS)
    assert found is not None
    own = found.intraclass_correlation
    return {"correlation": own.lower <= true_correlation(question) <= own.upper}


def ask_coefficients(question: Question, seed: int) -> dict[str, bool]:
    """Ask whether intervals of the curve's coefficients hold those of the average trial.

    With a shared luck the average trial follows no curve exactly: the target is the fit to its
    rates.
    """
    cells = needle_cells(draw_table(question, seed))
    fit = fit_curve(cells, penalty="none")
    true = _coefficients_of_average(question)
    robust = fit.robust_standard_errors
    assert robust is not None
    reach = two_sided_quantile(LEVEL)
    held = {}
    for name, errors in (("robust", robust), ("model-based", fit.standard_errors)):
        for term, value in true.items():
            distance = abs(getattr(fit.curve, term) - value)
            held[f"{name} {term}"] = bool(distance <= reach * errors[term])
    return held


def ask_counted_curve(question: Question, seed: int) -> dict[str, bool]:
    """Ask whether intervals of the curve behind numbers of found needles hold its coefficients.

    The likelihood is beta-binomial where a test says so. The target is the fit to the rates of the
    average trial.
    """
    fit = fit_joint(task_counts(draw_table(question, seed)))
    reach = two_sided_quantile(LEVEL)
    held = {
        term: bool(abs(fit.estimates[term] - value) <= reach * fit.standard_errors[term])
        for term, value in _counted_curve_of_average(question).items()
    }
    return {**held, "beta-binomial": fit.overdispersion is not None}


@lru_cache
def _counted_curve_of_average(question: Question) -> dict[str, float]:
    """Fit the curve of counts to the rates of the average trial themselves."""
    counts = task_counts(_design("counts", question.n_trials)[0])
    rates = [
        shared_rates(WORKED_CURVE, length, places, question.shared_sd)[0].mean()
        for length, places in zip(counts.length, counts.places, strict=True)
    ]
    n_cases = np.full(len(rates), 1e9)
    exact = replace(counts, n_cases=n_cases, successes=n_cases * rates, tallies=None)
    return dict(fit_joint(exact, penalty="none").estimates)


def ask_recovery(question: Question, seed: int) -> dict[str, bool]:
    """Ask whether every parameter is within three standard errors, and lengths are found again."""
    tasks = [_counts(name, own, seed + shift) for shift, (name, own) in enumerate(_asked(question))]
    fit = fit_joint(tasks)
    true = true_parameters(question)
    errors = fit.standard_errors
    near = all(
        abs(value - true[name]) <= WITHIN * errors[name]
        for name, value in fit.estimates.items()
        if name in true
    )
    lengths = [_length(task, fit.rates[task.name]) for task in tasks]
    right = [_length(task, _true_rates_of(task)) for task in tasks]
    return {"all within": near, "lengths of the curve": lengths == right}


TRUTHS: dict[str, Truth] = {
    truth.name: truth for truth in (SINGLE_NEEDLE, DISTRACTORS, FOUR_VALUES, AGGREGATE_TEN, TWO_HOP)
}
PLACES = {
    "four-values": close_places,
    "aggregate-ten": spread_places,
    "two-hop": mirrored_places,
}
OWN_TERMS = {"distractors": ("intercept", "length"), "four-values": ("intercept",)}
COMMON = {"intercept": 4.2, "length": 0.3, "middle": 1.9, "recency": 0.6}
DIFFERENCES = {
    "distractors": {"intercept": -0.9, "length": 0.12},
    "four-values": {"intercept": -0.31},
}
COMBINING = {
    "log_combining_rate[two-hop]": float(np.log(0.92)),
    "combining_decay[two-hop]": 0.06,
}


def _asked(question: Question) -> list[tuple[str, tuple[str, ...]]]:
    """Return the tasks of a recovery, with the terms that each has of its own."""
    if question.what == "all five together":
        return [(name, OWN_TERMS.get(name, ())) for name in TRUTHS]
    names = question.what.split(" with ")[::-1]
    return [(name, ()) for name in names]


def true_parameters(question: Question) -> dict[str, float]:
    """Return what is to be recovered; aggregate-ten alone has curves that are no truth."""
    if question.what == "aggregate-ten":
        return _first_order_aggregate()
    true = COMMON | COMBINING
    if question.what == "all five together":
        return true | {
            f"{term}[{name}]": value
            for name, own in DIFFERENCES.items()
            for term, value in own.items()
        }
    own = DIFFERENCES.get(question.what, {})
    return true | {term: COMMON[term] + value for term, value in own.items()}


def _first_order_aggregate() -> dict[str, float]:
    """Fit the two terms that trials of ten spread items can tell to their exact rates."""
    counts = _cells_of(AGGREGATE_TEN, None)
    fit = fit_joint(TaskCounts.from_grid(counts.grid, spread_places(DEPTHS)), penalty="none")
    return dict(fit.estimates)


def _counts(name: str, own: tuple[str, ...], seed: int) -> TaskCounts:
    grid = _cells_of(TRUTHS[name], seed).grid
    places = PLACES[name](DEPTHS) if name in PLACES else None
    return TaskCounts.from_grid(grid, places, combines=name == "two-hop", own_terms=own)


def _cells_of(truth: Truth, seed: int | None) -> lc.Cells:
    """Simulate a table; without a seed, one of many cases whose shares are the rates."""
    if seed is not None:
        rng = Generator(Philox(seed))
        return simulate_cells(truth, LENGTHS, DEPTHS, n_cases=N_PER_CELL, rng=rng)
    n_cases = 10**9
    successes = np.rint(n_cases * truth.accuracy(LENGTHS, DEPTHS)).astype(np.int64)
    return lc.Cells.from_counts(
        LENGTHS, DEPTHS, n_cases=n_cases, successes=successes, task=truth.name
    )


def _length(task: TaskCounts, rates: Floats) -> int:
    """Return how many leading lengths reach the bar with their mean over depths."""
    means = rates.reshape(LENGTHS.size, -1).mean(axis=1)
    return int(np.argmin(np.append(means >= 0.85, False)))


def _true_rates_of(task: TaskCounts) -> Floats:
    return TRUTHS[task.name].accuracy(LENGTHS, DEPTHS).ravel()


def _placed(depth: float) -> Floats:
    return close_places(np.array([depth]))[:, 0]


def true_rates(question: Question) -> list[float]:
    """Return the mean chance of a needle at every length."""
    return [
        float(
            np.mean(
                [
                    shared_rates(WORKED_CURVE, length, _placed(depth), question.shared_sd)[0]
                    for depth in NEEDLE_DEPTHS
                ]
            )
        )
        for length in NEEDLE_LENGTHS
    ]


def true_ratios(question: Question) -> dict[str, float]:
    """Return the dependence ratios that tables are drawn with, in all and at every length."""
    sums = np.array(
        [
            np.sum([(every, rates.prod()) for rates, _, every in _cells_at(question, length)], 0)
            for length in NEEDLE_LENGTHS
        ]
    )
    names = [f"at {length}" for length in NEEDLE_LENGTHS]
    ratios = (sums[:, 0] / sums[:, 1]).tolist()
    joint, product = sums.sum(axis=0).tolist()
    return {"in all": joint / product, **dict(zip(names, ratios, strict=True))}


def true_correlation(question: Question) -> float:
    """Return the intra-class correlation that tables are drawn with."""
    together = scale = 0.0
    for length in NEEDLE_LENGTHS:
        for rates, pairs, _ in _cells_at(question, length):
            upper = np.triu_indices(rates.size, 1)
            deviation = np.sqrt(rates * (1.0 - rates))
            together += (pairs - np.outer(rates, rates))[upper].sum()
            scale += np.outer(deviation, deviation)[upper].sum()
    return together / scale


@lru_cache
def _cells_at(question: Question, length: int) -> list[tuple[Floats, Floats, float]]:
    """Return rates, rates of pairs and of all needles in every cell of a length."""
    curve = CURVES[question.what]
    return [
        shared_rates(curve, length, _placed(depth), question.shared_sd) for depth in NEEDLE_DEPTHS
    ]


def _coefficients_of_average(question: Question) -> dict[str, float]:
    """Fit the curve to the average trial's rates themselves."""
    n_cases = 10**9
    depths = np.unique(close_places(np.array(NEEDLE_DEPTHS)))
    # Two of the four values at an end of the context lie on it, and weigh twice.
    weight = np.array([np.sum(close_places(np.array(NEEDLE_DEPTHS)) == d) for d in depths])
    rates = np.array(
        [
            shared_rates(WORKED_CURVE, length, depths, question.shared_sd)[0]
            for length in NEEDLE_LENGTHS
        ]
    )
    cases = np.broadcast_to(n_cases * weight, rates.shape)
    cells = lc.Cells.from_counts(
        NEEDLE_LENGTHS, depths, n_cases=cases, successes=np.rint(cases * rates).astype(np.int64)
    )
    fit = fit_curve(cells, penalty="none")
    return {term: getattr(fit.curve, term) for term in fit.terms}


if __name__ == "__main__":
    sys.exit(main())
