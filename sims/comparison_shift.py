"""Shifts of the effective length and tests of curves: ``python -m sims.comparison_shift --seed 1``.

Pairs of language models are simulated case by case with a given correlation. How often do intervals
of the shift hold the true one, how often would the masses' own quantiles, and how often do the
tests of equal curves reject, where curves are equal and where one term moved? Rows go to a CSV file
design by design, with a page that reads it beside it; an interrupted study goes on with the design
where it stopped, and equal seeds give equal files.
"""

import argparse
import sys
import warnings
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.random import Generator, Philox
from numpy.typing import NDArray

import lcstats as lc
from lcstats.comparison.curves import compare_curves
from lcstats.comparison.doublings import attainable_shifts, shift_between
from lcstats.comparison.pairs import Pairs
from lcstats.comparison.shift import length_shift
from lcstats.comparison.shift_interval import ShiftInterval, from_masses
from lcstats.curve import Curve
from lcstats.errors import LcstatsWarning
from lcstats.options import Method
from lcstats.plan.simulation.simulate import monte_carlo_error
from sims.comparison_shift_page import Row, make_page
from sims.csv_rows import read_csv, write_csv

LENGTHS = 1024 * 2 ** np.arange(8)
DEPTHS = np.arange(5) / 4
THRESHOLD = 0.85
LEVEL = 0.95
CASES = (5, 20, 80)
CORRELATIONS = (0.0, 0.5)
OLD = Curve(4.2, 0.3, 1.9, 0.6)
NEW: Mapping[str, Curve] = {
    "equal": OLD,
    "shifted": Curve(3.6, 0.3, 1.9, 0.6),
    "steeper": Curve(4.2, 0.4, 1.9, 0.6),
}
"""The old curve again, one with a lower level (a doubling less), one with a dearer doubling."""
PLATEAU = {"old": (0.97, 0.5), "new": (0.86, 0.5)}
"""Accuracies up to 64K and beyond: equal effective lengths, the new just above the threshold."""
PARTS: Mapping[str, tuple[str, ...]] = {
    "shift": ("equal", "shifted", "plateau"),
    "test": ("equal", "shifted", "steeper"),
}
ASKED: Mapping[str, tuple[tuple[Method, int], ...]] = {
    "mean": (("observed", 1), ("curve", 2)),
    "worst": (("observed", 1), ("curve", 2), ("flexible", 2)),
}
"""Methods by depth treatment, and of how many simulations each looks at one."""
N_DRAWS = 300
N_PERMUTATIONS = 199
SIMULATIONS = 200
OUT = Path("docs/evidence/comparison-shift.csv")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return its exit code."""
    parser = argparse.ArgumentParser("python -m sims.comparison_shift", description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--simulations", type=int, default=SIMULATIONS, help=f"{SIMULATIONS}")
    parser.add_argument("--out", type=Path, default=OUT, help=f"CSV file ({OUT})")
    parser.add_argument("--part", choices=PARTS, action="append", help="all")
    parser.add_argument("--cases", type=int, choices=CASES, action="append", help="all")
    options = parser.parse_args(arguments)
    designs = [
        (part, truth, cases, correlation)
        for part in options.part or PARTS
        for cases in options.cases or CASES
        for truth in PARTS[part]
        for correlation in CORRELATIONS
    ]
    try:
        run_study(options.seed, options.simulations, designs, options.out)
    except ValueError as error:
        parser.error(str(error))
    except KeyboardInterrupt:
        return 130
    return 0


def run_study(
    seed: int, simulations: int, designs: Sequence[tuple[str, str, int, float]], out: Path
) -> None:
    """Simulate the designs that the file lacks, and write the page.

    Raises
    ------
    ValueError
        If the file was made with another seed or number of simulations.
    """
    rows = read_csv(Row, out)
    most = max((row.simulations for row in rows), default=simulations)
    if any(row.seed != seed for row in rows) or most != simulations:
        raise ValueError(
            f"{out} was made with seed {rows[0].seed} and {most} simulations; expected seed "
            f"{seed} and {simulations}; remove the file or pass another --out"
        )
    done = {row.design for row in rows}
    for design in designs:
        if design not in done:
            rows += simulate_design(design, seed, simulations)
            rows.sort(key=lambda row: (list(PARTS).index(row.part), *row.design[1:]))
            write_csv(rows, Row, out)
    out.with_suffix(".md").write_text(make_page(rows, out.name), encoding="utf-8")


def simulate_design(
    design: tuple[str, str, int, float], seed: int, simulations: int
) -> Iterator[Row]:
    """Simulate one design; return its numbers."""
    part, truth, cases, correlation = design
    measure = shift_numbers if part == "shift" else test_numbers
    found: dict[tuple[str, str, str], list[float]] = {}
    for simulation in range(simulations):
        rng = Generator(Philox([seed, number_of(design), simulation]))
        pairs = simulate_pairs(truth, cases, correlation, rng)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", LcstatsWarning)
            for key, value in measure(pairs, truth, simulation):
                found.setdefault(key, []).append(value)
    for (depth, subject, quantity), values in found.items():
        yield Row(
            *design,
            depth=depth,
            subject=subject,
            quantity=quantity,
            value=float(np.mean(values)),
            error=_error_of(values, quantity),
            simulations=len(values),
            seed=seed,
        )


def number_of(design: tuple[str, str, int, float]) -> int:
    """Return the number of a design, the same in every study."""
    part, truth, cases, correlation = design
    digits = (list(PARTS).index(part), PARTS[part].index(truth), CASES.index(cases))
    return int(np.ravel_multi_index((*digits, CORRELATIONS.index(correlation)), (2, 3, 3, 2)))


def accuracies(truth: str) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the true accuracies of the old and the new one, shape (n_lengths, n_depths) each."""
    if truth == "plateau":
        ends = (np.append(np.full(7, before), after) for before, after in PLATEAU.values())
        old, new = (np.repeat(rates[:, None], DEPTHS.size, axis=1) for rates in ends)
        return old, new
    return OLD.accuracy(LENGTHS, DEPTHS), NEW[truth].accuracy(LENGTHS, DEPTHS)


def _error_of(values: Sequence[float], quantity: str) -> float:
    if quantity == "size":
        return float(np.std(values, ddof=1) / np.sqrt(len(values)))
    return monte_carlo_error(float(np.mean(values)), len(values))


def simulate_pairs(truth: str, cases: int, correlation: float, rng: Generator) -> Pairs:
    """Draw the same cases for the old and the new one, correlated where accuracies allow."""
    shape = (LENGTHS.size, DEPTHS.size, cases)
    old_rate, new_rate = (rates[..., None] for rates in accuracies(truth))
    spread = np.sqrt(old_rate * (1 - old_rate) * new_rate * (1 - new_rate))
    both = np.minimum(old_rate * new_rate + correlation * spread, np.minimum(old_rate, new_rate))
    old = rng.random(shape) < old_rate
    given = np.where(old, both / old_rate, (new_rate - both) / (1 - old_rate))
    number = np.arange(old.size)
    return Pairs(
        "old",
        "new",
        "simulated",
        "tokens",
        length=np.broadcast_to(LENGTHS[:, None, None], shape).ravel(),
        depth=np.broadcast_to(DEPTHS[:, None], shape).ravel(),
        case=number.astype(object),
        old=old.ravel().astype(np.int64),
        new=(rng.random(shape) < given).ravel().astype(np.int64),
        unit=1,
        cluster=number,
        n_unmatched_old=0,
        n_unmatched_new=0,
    )


def shift_numbers(
    pairs: Pairs, truth: str, simulation: int
) -> Iterator[tuple[tuple[str, str, str], float]]:
    """Say of every interval whether it holds the true shift, and how many shifts it holds."""
    for depth, methods in ASKED.items():
        criterion = lc.Criterion(THRESHOLD, depth_treatment=depth)
        true = true_shift(truth, criterion)
        asked = [method for method, every in methods if simulation % every == 0]
        shifts = length_shift(
            pairs, criterion, methods=asked, level=LEVEL, n_draws=N_DRAWS, seed=simulation
        )
        for method, shift in shifts.items():
            kind: Any = "posterior" if method == "flexible" else "bootstrap"
            quantiles = from_masses(shift.joint, shift.lengths, kind, level=LEVEL)
            named: dict[str, ShiftInterval] = {
                interval.kind: interval for interval in shift.intervals
            }
            for name, interval in {**named, "masses": quantiles}.items():
                subject = f"{method}, {name}"
                yield (depth, subject, "coverage"), float(true in interval)
                yield (depth, subject, "size"), float(size_of(interval))


def true_shift(truth: str, criterion: lc.Criterion) -> float:
    """Return the shift between the true effective lengths, in doublings."""
    outcomes = []
    for accuracy in accuracies(truth):
        heights = accuracy.mean(axis=1) if criterion.depth_treatment == "mean" else accuracy.min(1)
        outcomes.append(int(np.cumprod(heights >= THRESHOLD).sum()))
    return shift_between(outcomes[0], outcomes[1], LENGTHS)


def size_of(interval: ShiftInterval) -> int:
    """Count the shifts between tested lengths that an interval holds."""
    shifts: NDArray[np.float64] = attainable_shifts(LENGTHS)
    return sum(float(shift) in interval for shift in shifts)


def test_numbers(
    pairs: Pairs, truth: str, simulation: int
) -> Iterator[tuple[tuple[str, str, str], float]]:
    """Say which tests reject, and which terms are shown to have moved."""
    compared = compare_curves(pairs, level=LEVEL, n_permutations=N_PERMUTATIONS, seed=simulation)
    error = 1.0 - LEVEL
    yield ("", "swapping", "rejects"), float(compared.p_value <= error)
    yield ("", "adjusted chi-square", "rejects"), float(compared.asymptotic_p_value <= error)
    for term in compared.differences:
        moved = getattr(NEW[truth], term.term) - getattr(OLD, term.term)
        yield ("", f"{term.term}, alone", "rejects"), float(term.p_value <= error)
        yield ("", f"{term.term}, Holm", "rejects"), float(term.holm_p <= error)
        holds = term.lower <= moved <= term.upper
        yield ("", f"{term.term}, interval", "coverage"), float(holds)


if __name__ == "__main__":
    sys.exit(main())
