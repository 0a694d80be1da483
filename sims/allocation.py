"""What unequal trials are worth: uniform, allocated, c-optimal and two-stage plans at one price.

``python -m sims.allocation --seed 1`` writes ``docs/evidence/allocation.csv`` and the page beside
it. Equal seeds give byte-identical files.
"""

import argparse
import csv
import sys
import warnings
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import astuple, dataclass, fields, replace
from math import sqrt
from pathlib import Path

import numpy as np
from numpy.random import Generator, Philox, SeedSequence
from numpy.typing import NDArray

import lcstats as lc
from lcstats.errors import LcstatsWarning
from lcstats.fit import fit_curve, goodness_of_fit
from lcstats.options import Method
from lcstats.plan.allocation.allocate import SPREAD, allocate, allocate_for_curve
from lcstats.plan.allocation.two_stage import plan_two_stage
from lcstats.plan.budget import Budget
from lcstats.plan.simulation.simulate import Simulation, simulate_plan
from lcstats.plan.truths import PlannedTruth, planned_truth
from lcstats.truths import WORKED_CURVE
from sims.allocation_page import make_page
from sims.coverage_simulation import DEPTHS, LENGTHS

OUT = Path("docs/evidence/allocation.csv")
ASSUMED = "single-needle"
CURVES = {
    ASSUMED: WORKED_CURVE,
    "distractors": replace(WORKED_CURVE, intercept=3.3, length=0.42),
}
TRUTHS = (*CURVES, "cliff", "one-bad-depth")
CASES = (5, 20)
TREATMENTS = ("mean", "worst")
THRESHOLD = 0.85
N_SIMULATIONS = 8000
N_GOODNESS_TABLES = 100
N_GOODNESS_SIMULATIONS = 199


@dataclass(frozen=True, slots=True)
class Question:
    """One truth at one price: that of `n_cases` trials in every cell."""

    truth: str
    treatment: str
    n_cases: int

    @property
    def criterion(self) -> lc.Criterion:
        return lc.Criterion(THRESHOLD, depth_treatment=self.treatment)

    @property
    def budget(self) -> Budget:
        return Budget(self.n_cases * DEPTHS.size * int(LENGTHS.sum()))

    @property
    def planned(self) -> PlannedTruth:
        return planned_truth(self.truth, LENGTHS, DEPTHS)


@dataclass(frozen=True, slots=True)
class Line:
    """How often a plan is right, and how often its table shows that no curve fits.

    Attributes
    ----------
    plan : str
    method : {"observed", "curve"}
        Whose effective length is judged.
    hit, within : float
        Simulated.
    error : float
        Monte Carlo error of `hit`.
    planned_hit : float
        What the plan says of itself: exact, or simulated anew; NaN where it says nothing.
    misfit_seen : float
        Share of tables in which ``goodness_of_fit`` rejects the curve; NaN where not asked.
    """

    truth: str
    treatment: str
    n_cases: int
    plan: str
    method: str
    hit: float
    error: float
    within: float
    planned_hit: float
    misfit_seen: float
    misfit_error: float
    seed: int


QUESTIONS = tuple(
    Question(truth, treatment, n) for treatment in TREATMENTS for truth in TRUTHS for n in CASES
)


@dataclass(frozen=True, slots=True, eq=False)
class Design:
    """A plan whose trials are fixed before the first of them is run."""

    name: str
    method: Method
    trials: NDArray[np.int64]
    planned_hit: float = float("nan")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return its exit code."""
    parser = argparse.ArgumentParser("python -m sims.allocation", description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, default=OUT, help=f"CSV file ({OUT})")
    options = parser.parse_args(arguments)
    lines = run_study(QUESTIONS, options.seed)
    write_lines(lines, options.out)
    page = make_page(lines, options.out.name)
    options.out.with_suffix(".md").write_text(page, encoding="utf-8")
    return 0


def run_study(questions: Iterable[Question], seed: int) -> list[Line]:
    """Answer questions in their order."""
    return [line for question in questions for line in answer(question, seed)]


def answer(question: Question, seed: int) -> Iterator[Line]:
    """Compare all plans for one truth at one price."""
    for design in designs(question):
        simulation = Simulation(n_simulations=N_SIMULATIONS, seed=seed)
        found = simulate_plan(
            question.planned,
            design.trials,
            question.criterion,
            method=design.method,
            simulation=simulation,
        ).probabilities()
        seen, error = see_misfit(question, design, seed)
        numbers = (found.hit, found.error, found.within, design.planned_hit, seen, error)
        yield _line(question, design.name, design.method, numbers, seed)
    if question.treatment == "mean":
        two = plan_two_stage(
            question.planned,
            question.criterion,
            question.budget,
            against=(),
            n_simulations=N_SIMULATIONS,
            seed=seed,
        )
        nothing = float("nan")
        numbers = (two.rate.hit, two.rate.error, two.rate.within, nothing, nothing, nothing)
        yield _line(question, "two stages", "observed", numbers, seed)


def designs(question: Question) -> Iterator[Design]:
    """Return the plans with fixed trials: for raw cells, then for the curve.

    A curve is planned with the truth's own coefficients, where it has some; else, as one would in
    ignorance, with those of the assumed truth.
    """
    criterion, budget = question.criterion, question.budget
    own = allocate(question.planned, criterion, budget, against=())
    even = np.full(own.trials.shape, own.uniform_trials)
    yield Design("uniform", "observed", even, own.uniform.hit)
    yield Design("allocated", "observed", own.trials, own.probabilities.hit)
    if question.truth != ASSUMED:
        assumed = allocate(
            planned_truth(ASSUMED, LENGTHS, DEPTHS), criterion, budget, against=[question.planned]
        )
        hit = assumed.robustness[0].probability
        yield Design(f"allocated for {ASSUMED}", "observed", assumed.trials, hit)
    curve = CURVES.get(question.truth, WORKED_CURVE)
    for spread, name in ((1.0, "uniform"), (SPREAD, "c-optimal, half spread"), (0.0, "c-optimal")):
        plan = allocate_for_curve(curve, LENGTHS, DEPTHS, criterion, budget, spread=spread)
        says = plan.probabilities.hit if question.truth in CURVES else float("nan")
        yield Design(name, "curve", plan.trials, says)


def see_misfit(question: Question, design: Design, seed: int) -> tuple[float, float]:
    """Return how often the curve is rejected on this design's tables, with its error.

    Asked for the mean's designs only: the curve does not depend on the treatment.
    """
    if question.treatment != "mean" or design.method != "curve":
        return float("nan"), float("nan")
    label = zlib.crc32(f"{question.truth} {design.name}".encode())
    rng = Generator(Philox(SeedSequence([seed, label, question.n_cases])))
    accuracy = question.planned.accuracies[0]
    rejected = 0
    for number in range(N_GOODNESS_TABLES):
        right = rng.binomial(design.trials, accuracy)
        cells = lc.Cells.from_counts(LENGTHS, DEPTHS, n_cases=design.trials, successes=right)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", LcstatsWarning)
            fit = fit_curve(cells)
        result = goodness_of_fit(fit, n_simulations=N_GOODNESS_SIMULATIONS, seed=number)
        rejected += not result.passes
    share = rejected / N_GOODNESS_TABLES
    return share, sqrt(share * (1 - share) / N_GOODNESS_TABLES)


def write_lines(lines: Iterable[Line], path: Path) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(field.name for field in fields(Line))
        writer.writerows(astuple(line) for line in lines)


def _line(
    question: Question, plan: str, method: str, numbers: tuple[float, ...], seed: int
) -> Line:
    hit, error, within, planned_hit, seen, seen_error = (round(number, 6) for number in numbers)
    return Line(
        truth=question.truth,
        treatment=question.treatment,
        n_cases=question.n_cases,
        plan=plan,
        method=method,
        hit=hit,
        error=error,
        within=within,
        planned_hit=planned_hit,
        misfit_seen=seen,
        misfit_error=seen_error,
        seed=seed,
    )


if __name__ == "__main__":
    sys.exit(main())
