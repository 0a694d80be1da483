"""The worked numbers of the article behind this library, made again: ``python -m sims.published``.

Nothing on the page is typed in: accuracies come from the truths, effective lengths from the
library's own rule, and the sample-size study from simulated tables, with exact probabilities
beside. Equal seeds give a byte-identical page.
"""

import argparse
import sys
from collections.abc import Iterable, Sequence
from dataclasses import replace
from math import sqrt
from pathlib import Path

from lcstats.truths import FOUR_VALUES, SINGLE_NEEDLE, TASKS, WORKED_CURVE
from sims.coverage_simulation import DEPTHS, LENGTHS
from sims.coverage_table import markdown
from sims.published_figures import draw_curves, draw_study
from sims.published_study import CASES, N_TABLES, THRESHOLD, Outcome, run_study, true_length

OUT = Path("docs/evidence/published.md")
FIGURES = ("curves", "study")
NEEDLES = (1, 2, 4, 10, 20)
DEFINITIONS = (("mean", 0.85), ("quantile:0.1", 0.85), ("worst", 0.85), ("mean", 0.95))
"""Depth treatment and threshold."""

FOUR_VALUES_COST = 0.31
"""Logits that each of four values close together costs."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return its exit code."""
    parser = argparse.ArgumentParser("python -m sims.published", description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, default=OUT, help=f"page ({OUT})")
    options = parser.parse_args(arguments)
    study = run_study(options.seed)
    curves, shares = (options.out.with_name(f"{options.out.stem}-{n}.svg") for n in FIGURES)
    draw_curves(curves)
    draw_study(study, shares)
    page = make_page(options.seed, study, curves.name, shares.name)
    options.out.write_text(page, encoding="utf-8")
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


def make_page(seed: int, study: Sequence[Outcome], curves: str, shares: str) -> str:
    """Return the page as Markdown; `curves` and `shares` are the names of its figures."""
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

![Accuracy of the five tasks by length, and of the single needle by depth]({curves})

## Rate per needle that finds all with probability {THRESHOLD}

{
        markdown(
            ["needles", *map(str, NEEDLES)],
            [["rate", *(f"{required_rate(k):.3f}" for k in NEEDLES)]],
        )
    }

## Effective length by task and definition

Depth treatment and threshold:

{_lengths_table()}

## How many cases per cell

Standard error of a depth mean at the threshold:

{
        markdown(
            ["cases per cell", *map(str, CASES)],
            [["standard error", *(f"{standard_error(n):.3f}" for n in CASES)]],
        )
    }

The observed effective length (depth mean) of {N_TABLES:,} simulated tables; the Monte
Carlo error of a share is at most {0.5 / sqrt(N_TABLES):.3f}. The exact probability of a hit needs
no simulation.

![Shares of simulated tables that hit the true length or miss it, by task and cases]({shares})

{_study_table(study)}
"""


def _rates_table() -> str:
    rates = (f"{required_rate(number):.3f}" for number in NEEDLES)
    return markdown(["needles", *map(str, NEEDLES)], [["rate", *rates]])


def _lengths_table() -> str:
    heads = [f"{treatment}, {threshold}" for treatment, threshold in DEFINITIONS]
    rows = [[truth.name, *(true_length(truth, *d) for d in DEFINITIONS)] for truth in TASKS]
    return markdown(["task", *heads], rows)


def _study_table(study: Iterable[Outcome]) -> str:
    heads = ["task", "true", "cases per cell", "hit", "one doubling off", "further", "exact hit"]
    rows = [
        [
            outcome.task,
            outcome.true_length,
            str(outcome.n_cases),
            *(f"{share:.3f}" for share in outcome.shares),
            f"{outcome.exact_hit:.4f}",
        ]
        for outcome in study
    ]
    return markdown(heads, rows)


if __name__ == "__main__":
    sys.exit(main())
