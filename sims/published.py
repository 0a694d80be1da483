"""The worked numbers of the article behind this library, made again: ``python -m sims.published``.

Nothing on the page is typed in: accuracies come from the truths, effective lengths from the
library's own rule, and the sample-size study from simulated tables, with exact probabilities
beside. Equal seeds give a byte-identical page.
"""

import argparse
import sys
import warnings
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import replace
from math import sqrt
from pathlib import Path

import numpy as np
from numpy.random import Generator, Philox, SeedSequence

import lcstats as lc
from lcstats.errors import LcstatsWarning
from lcstats.lengths.masses import outcome_probabilities
from lcstats.truths import FOUR_VALUES, SINGLE_NEEDLE, TASKS, WORKED_CURVE, Truth
from sims.coverage_simulation import DEPTHS, LENGTHS, true_outcome

OUT = Path("docs/evidence/published.md")
THRESHOLD = 0.85
CASES = (5, 20, 80)
NEEDLES = (1, 2, 4, 10, 20)
DEFINITIONS = (("mean", 0.85), ("quantile:0.1", 0.85), ("worst", 0.85), ("mean", 0.95))
"""Depth treatment and threshold."""

N_TABLES = 2000
FOUR_VALUES_COST = 0.31
"""Logits that each of four values close together costs."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return its exit code."""
    parser = argparse.ArgumentParser("python -m sims.published", description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, default=OUT, help=f"page ({OUT})")
    options = parser.parse_args(arguments)
    options.out.write_text(make_page(options.seed), encoding="utf-8")
    return 0


def single_needle_at_longest() -> list[float]:
    """Return accuracy at 128K at depth 0, .5 and 1, and its mean over the depths."""
    accuracy = SINGLE_NEEDLE.accuracy(LENGTHS[-1:], DEPTHS)[0]
    return [float(value) for value in (accuracy[0], accuracy[5], accuracy[-1], accuracy.mean())]


def four_values_at_16k() -> list[float]:
    """Return rate and joint mid-document, rate and joint at the start, and the mean joint."""
    joint = FOUR_VALUES.accuracy([16384], DEPTHS)[0]
    curve = replace(WORKED_CURVE, intercept=WORKED_CURVE.intercept - FOUR_VALUES_COST)
    rate = curve.accuracy([16384], DEPTHS)[0]
    return [float(value) for value in (rate[5], joint[5], rate[0], joint[0], joint.mean())]


def required_rate(n_needles: int) -> float:
    """Return the rate per needle at which all are found as often as the threshold asks."""
    return float(THRESHOLD ** (1 / n_needles))


def standard_error(n_cases: int) -> float:
    """Return the standard error of a depth mean that is at the threshold."""
    return sqrt(THRESHOLD * (1 - THRESHOLD) / (n_cases * DEPTHS.size))


def true_length(truth: Truth, treatment: str, threshold: float = THRESHOLD) -> str:
    """Return the effective length of a truth, as one writes it."""
    outcome = _true_outcome(truth, treatment, threshold)
    if outcome == 0:
        return "under 1K"
    return f"{LENGTHS[outcome - 1] // 1024}K" + (" or more" if outcome == LENGTHS.size else "")


def exact_hit(truth: Truth, n_cases: int) -> float:
    """Return the probability that the observed length for the depth mean is the true one."""
    accuracy = truth.accuracy(LENGTHS, DEPTHS)
    cases = np.full(accuracy.shape, n_cases)
    masses = outcome_probabilities(accuracy, cases, lc.Criterion(THRESHOLD), lengths=LENGTHS)
    return float(masses[_true_outcome(truth, "mean")])


def simulated_outcomes(truth: Truth, n_cases: int, seed: int) -> list[float]:
    """Return the shares of tables whose length is true, a doubling off, and further off.

    A mean passes if its count does: ``k >= tau * n * D``, in whole numbers.
    """
    name = zlib.crc32(truth.name.encode())
    rng = Generator(Philox(SeedSequence([seed, name, n_cases])))
    accuracy = truth.accuracy(LENGTHS, DEPTHS)
    counts = rng.binomial(n_cases, accuracy, (N_TABLES, *accuracy.shape)).sum(axis=2)
    passes = 100 * counts >= round(100 * THRESHOLD) * n_cases * DEPTHS.size
    outcomes = np.cumprod(passes, axis=1).sum(axis=1)
    distance = np.abs(outcomes - _true_outcome(truth, "mean"))
    return [float(share.mean()) for share in (distance == 0, distance == 1, distance > 1)]


def make_page(seed: int) -> str:
    """Return the page as Markdown."""
    start, middle, end, mean = single_needle_at_longest()
    rate, joint, first_rate, first_joint, mean_joint = four_values_at_16k()
    return f"""# The worked example

    python -m sims.published --seed {seed}

Accuracies of the tasks in `lcstats.truths.TASKS` on {LENGTHS.size} lengths (1K to 128K) and
{DEPTHS.size} depths; the threshold is {THRESHOLD}. The parameters are illustrative, not fitted to
any model.

- **Single needle at 128K**: {start:.2f} at the start, {middle:.2f} in the middle, {end:.2f} at the
  end, {mean:.2f} on average over depth.
- **Four values at 16K**: each is found {rate:.2f} of the time mid-document and all four
  {joint:.2f}; {first_rate:.2f} and {first_joint:.2f} at the start; all four {mean_joint:.2f} on
  average over depth.

## Rate per needle that finds all with probability {THRESHOLD}

{_table(["needles", *map(str, NEEDLES)], [["rate", *(f"{required_rate(k):.3f}" for k in NEEDLES)]])}

## Effective length by task and definition

Depth treatment and threshold:

{_lengths_table()}

## How many cases per cell

Standard error of a depth mean at the threshold:

{
        _table(
            ["cases per cell", *map(str, CASES)],
            [["standard error", *(f"{standard_error(n):.3f}" for n in CASES)]],
        )
    }

The observed effective length (depth mean) of {N_TABLES:,} simulated tables; the Monte
Carlo error of a share is at most {0.5 / sqrt(N_TABLES):.3f}. The exact probability of a hit needs
no simulation.

{_study_table(seed)}
"""


def _lengths_table() -> str:
    heads = [f"{treatment}, {threshold}" for treatment, threshold in DEFINITIONS]
    rows = [[truth.name, *(true_length(truth, *d) for d in DEFINITIONS)] for truth in TASKS]
    return _table(["task", *heads], rows)


def _study_table(seed: int) -> str:
    heads = ["task", "true", "cases per cell", "hit", "one doubling off", "further", "exact hit"]
    rows = []
    for truth in TASKS:
        for n_cases in CASES:
            shares = simulated_outcomes(truth, n_cases, seed)
            cells = [f"{share:.3f}" for share in shares]
            exact = f"{exact_hit(truth, n_cases):.4f}"
            rows.append([truth.name, true_length(truth, "mean"), str(n_cases), *cells, exact])
    return _table(heads, rows)


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _true_outcome(truth: Truth, treatment: str, threshold: float = THRESHOLD) -> int:
    criterion = lc.Criterion(threshold, depth_treatment=treatment)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LcstatsWarning)
        return true_outcome(truth.accuracy(LENGTHS, DEPTHS), criterion)


if __name__ == "__main__":
    sys.exit(main())
