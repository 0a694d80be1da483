"""Two published needle sweeps by every method: ``python -m sims.published_needles FOLDER``.

FOLDER holds the published result files, a folder for each language model. Nothing on the page is
typed in that the files decide: points, sets, floors and the sentences on what to quote are the
library's. Equal files give a byte-identical page.
"""

import argparse
import sys
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import ceil, log
from pathlib import Path
from typing import Any

import lcstats as lc
from lcstats.errors import LcstatsWarning
from lcstats.lengths import EffectiveLength, Estimate
from lcstats.lengths.curve_estimate import draw_curves
from lcstats.lengths.quoting import NAMES
from lcstats.options import SetKind
from lcstats.plots import plot_methods, save_figure
from lcstats.posterior import sample_posterior
from lcstats.report.fits import FitWithTest, fit_and_test, verdict
from sims.coverage_table import markdown

OUT = Path("docs/evidence/published-needles.md")
THRESHOLD = 0.85
MARK = 7
"""Marks of the published judge, from 1 to 10, from which an answer counts as right."""

SOURCE = "https://github.com/gkamradt/LLMTest_NeedleInAHaystack"
SWEEPS = (("claude_2_1", "Claude 2.1"), ("gpt4_128k", "GPT-4 128K"))
"""Folders and names of the language models."""

TREATMENTS = ("mean", "worst")
SETS: tuple[SetKind, ...] = ("default", "certified", "jeffreys", "hybrid", "strict", "posterior")
FLOORS = (0.8, 0.85, 0.9, 0.95, 0.99)


@dataclass(frozen=True, slots=True)
class Sweep:
    """What every method says of one language model.

    Attributes
    ----------
    title : str
    slug : str
        Its part of the figure's name.
    tested : FitWithTest
    answers : tuple of EffectiveLength
        One per depth treatment, in the order of :data:`TREATMENTS`.
    design : str
        What was tested, in words.
    """

    title: str
    slug: str
    tested: FitWithTest
    answers: tuple[EffectiveLength, ...]
    design: str


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return its exit code."""
    parser = argparse.ArgumentParser("python -m sims.published_needles", description=__doc__)
    parser.add_argument("folder", type=Path, help="with claude_2_1 and gpt4_128k")
    parser.add_argument("--out", type=Path, default=OUT, help=f"page ({OUT})")
    options = parser.parse_args(arguments)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LcstatsWarning)
        sweeps = [analyse(options.folder / name, title) for name, title in SWEEPS]
    pictures = [f"{options.out.stem}-{sweep.slug}.svg" for sweep in sweeps]
    for sweep, picture in zip(sweeps, pictures, strict=True):
        axes: Any = plot_methods(sweep.answers[TREATMENTS.index("worst")], width="double")
        save_figure(axes.figure, options.out.with_name(picture))
    options.out.write_text(make_page(sweeps, pictures), encoding="utf-8")
    return 0


def analyse(folder: Path, title: str) -> Sweep:
    """Read one sweep and ask every method for every set."""
    cells = lc.count_cells(lc.read_trials(folder, score_threshold=MARK, model_name=title))
    tested, answers = ask_every_method(cells, THRESHOLD, SETS)
    return Sweep(
        title=title,
        slug=folder.name.replace("_", "-"),
        tested=tested,
        answers=tuple(replace(a, notices=(*a.notices, *tested.notices)) for a in answers),
        design=describe_design(cells),
    )


def ask_every_method(
    cells: lc.Cells, threshold: float, sets: Sequence[SetKind] = ("default",)
) -> tuple[FitWithTest, tuple[EffectiveLength, ...]]:
    """Return the curve with its test, and an answer for each of :data:`TREATMENTS`.

    Parameters
    ----------
    cells : Cells
        Of one language model and task.
    threshold : float
    sets : sequence of str
    """
    tested = fit_and_test(cells, penalty="jeffreys", guess_rate=None, seed=0)
    flexible = lc.fit_flexible(cells)
    draws = (draw_curves(tested.fit, seed=0), sample_posterior(tested.fit))
    answers = tuple(
        lc.effective_length(
            cells,
            lc.Criterion(threshold, depth_treatment=treatment),
            fit=tested.fit,
            flexible=flexible,
            draws=draws,
            sets=sets,
        )
        for treatment in TREATMENTS
    )
    return tested, answers


def describe_design(cells: lc.Cells) -> str:
    """Say how many trials, cases and cells there are."""
    grid = cells.grid
    twice = int((grid.n_trials > grid.n_cases).sum())
    words = (
        f"{grid.lengths.size} lengths from {grid.lengths[0]} to {grid.lengths[-1]} tokens, "
        f"{grid.depths.size} depths, {grid.n_trials.sum()} trials of {grid.n_cases.sum()} cases: "
        f"{grid.n_cases.max()} in each cell"
    )
    if twice:
        words += f", sent twice in {twice} cells and folded"
    return words + (", so that a case can be half right" if grid.has_fractions else "")


def floor(threshold: float, level: float = 0.95) -> int:
    """Return how many cases of a cell, all of them right, certify it: tau^n <= 1 - level."""
    return ceil(log(1.0 - level) / log(threshold))


def method_rows(answers: Sequence[EffectiveLength]) -> list[list[str]]:
    """Return a row for each method's point and each of its sets: its words, one per treatment."""
    rows: list[list[str]] = []
    for method in ("observed", "curve", "flexible"):
        estimates = [_estimate(answer, method) for answer in answers]
        name = NAMES[method].removeprefix("the ")
        rows.append([f"**{name}**", *(f"**{estimate.display}**" for estimate in estimates)])
        kinds = dict.fromkeys(s.kind for estimate in estimates for s in estimate.sets)
        for kind in kinds:
            cells = [_set_words(answer, method, kind) for answer in answers]
            rows.append([f"{kind.replace('_', ' ')} set", *cells])
    return rows


def _estimate(answer: EffectiveLength, method: str) -> Estimate:
    return next(estimate for estimate in answer.estimates if estimate.method == method)


def _set_words(answer: EffectiveLength, method: str, kind: str) -> str:
    """Write a set; the one to quote is marked."""
    estimate = _estimate(answer, method)
    found = next((interval for interval in estimate.sets if interval.kind == kind), None)
    if found is None:
        return "-"
    is_quoted = estimate is answer.quoted and found is estimate.default_set
    return found.display + " (quote this)" * is_quoted


def make_page(sweeps: Sequence[Sweep], pictures: Sequence[str]) -> str:
    """Return the page as Markdown."""
    parts = [_section(s, picture) for s, picture in zip(sweeps, pictures, strict=True)]
    n_depths = max(int(sweep.tested.fit.grid.depths.size) for sweep in sweeps)
    return f"""# Two published sweeps, by every method

    python -m sims.published_needles FOLDER

FOLDER holds `claude_2_1` and `gpt4_128k`, result files that Greg Kamradt published
([source]({SOURCE})). One sentence is hidden in essays
at many lengths and depths, asked for, and marked by a judge from 1 to 10; marks of {MARK} and more
count as right. The bar is an accuracy of {THRESHOLD}.

{"".join(parts)}{floor_words(n_depths)}

## How to read the three methods

- **Raw cells.** The lowest of many cells with one case each is 0 as soon as one answer is wrong.
  That is a fact about this run and not about the language model: the bootstrap's masses around it
  are narrow and wrong, and it is never to be quoted alone.
- **The curve** has four coefficients for all cells, and its sets are narrow because of that. They
  are worth what its fit is worth: see the test above.
- **The flexible surface** lets neighbouring cells speak for each other, and takes a lone failure
  for what it may be: bad luck, or a hole. Its point is the length up to which the mean of its
  posterior stays above the bar at every depth; its masses may lie lower, because one bad depth of
  many is enough. Its posterior set holds if its assumptions do; the hybrid set has a proved upper
  end.
- **The mean over depths** asks less: all cases of a length count together, and with many depths one
  case per cell can be enough to certify it.

That cases are independent is an assumption here, too: all prompts share one needle, one question
and one set of essays, and nothing in the files could tell how much of the result hangs on them.
"""


def floor_words(n_depths: int) -> str:
    """Say why few cases per cell certify no worst depth, and how many it takes."""
    least = floor(THRESHOLD)
    numbers = ["perfect cases per cell", *(str(floor(bar)) for bar in FLOORS)]
    return f"""## Why one case per cell certifies no worst depth

A length is certified if every one of its cells has a count that a cell below the bar would show one
time in twenty at most. A cell whose accuracy is just below {THRESHOLD} answers a case right nearly
{THRESHOLD:.0%} of the time, and n cases, all of them right, {THRESHOLD}^n of the time. That is .05
or less from n = {least} on:

{markdown(["bar", *map(str, FLOORS)], [numbers])}

Neighbouring cells do not help as long as nothing is assumed: the one bad depth may be any of them,
and the others may be perfect. {n_depths} depths certify a length from {least} x {n_depths} = \
{least * n_depths} trials on, all of them
right. Cases that can be half right take more (see
[how certified sets are built](../explanation/certified.md)).

The *upper* end needs no such numbers. Failures of many cells add up, whichever they are, and so a
certified set can say at which lengths some depth certainly does not work."""


def _section(sweep: Sweep, picture: str) -> str:
    by_treatment = zip(TREATMENTS, sweep.answers, strict=True)
    quotes = "\n".join(
        f"- *{answer.depth_in_words().capitalize()}*: {answer.which_to_quote()}"
        for _, answer in by_treatment
    )
    heads = ["tokens", *(answer.depth_in_words() for answer in sweep.answers)]
    return f"""## {sweep.title}

{sweep.design[0].upper()}{sweep.design[1:]}.

{markdown(heads, method_rows(sweep.answers))}

{quotes}

The curve: {verdict(sweep.tested.goodness)}.

![Worst depth of {sweep.title}: points, 95% sets and masses of all methods]({picture})

"""


if __name__ == "__main__":
    sys.exit(main())
