"""What looking does, exactly: ``python -m sims.anytime``.

Counts after every look are followed as a Markov chain, so that nothing is simulated: how often a
Wilson interval and the anytime evidence ever exclude an accuracy that is true, and how many trials
the evidence takes under other weights on rates. The figures go to a CSV file with a page beside it.
"""

import argparse
import csv
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, fields
from math import log
from pathlib import Path
from unittest.mock import patch

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binom, norm

from lcstats.lengths import anytime
from sims.coverage_table import markdown

OUT = Path("docs/evidence/anytime.csv")
BARS = (0.8, 0.85, 0.9, 0.95)
LAST_LOOK = 400
FIRST_WILSON_LOOK = 10
LEVEL = 0.95
PRIORS = (1.0, 2.0, 5.0, 10.0, 20.0)
BAR = 0.85
ACCURACIES = (0.7, 0.75, 0.8, 0.9, 0.925, 0.95, 0.97, 0.99)
DEPTHS = 11
MOST_TRIALS = 1650

Counts = NDArray[np.float64]
Excludes = Callable[[Counts, int], NDArray[np.bool_]]


@dataclass(frozen=True, slots=True)
class Figure:
    """One figure: what it is of, and under which setting."""

    name: str
    setting: float
    accuracy: float
    value: float


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return its exit code."""
    parser = argparse.ArgumentParser("python -m sims.anytime", description=__doc__)
    parser.add_argument("--out", type=Path, default=OUT, help=f"CSV file ({OUT})")
    out = parser.parse_args(arguments).out
    figures = [*looking_errors(), *trials_to_decide()]
    write_figures(figures, out)
    out.with_suffix(".md").write_text(page(figures), encoding="utf-8")
    return 0


def looking_errors() -> Iterable[Figure]:
    """Yield how often looking after every trial ever excludes a true accuracy at the bar."""
    for bar in BARS:
        yield Figure(
            "wilson", bar, bar, ever(excluded_by_wilson(bar), bar, first=FIRST_WILSON_LOOK)
        )
        yield Figure("anytime", bar, bar, ever(excluded_by_evidence(bar), bar, first=1))


def trials_to_decide() -> Iterable[Figure]:
    """Yield the mean number of trials until the evidence decides, by weight in cases."""
    for cases in PRIORS:
        with patch.object(anytime, "PRIOR_CASES", cases):
            for accuracy in ACCURACIES:
                yield Figure("trials", cases, accuracy, mean_trials(accuracy))


def ever(excludes: Excludes, rate: float, *, first: int, last: int = LAST_LOOK) -> float:
    """Return the probability that a rule, asked after trials `first` to `last`, ever excludes.

    Examples
    --------
    >>> ever(lambda counts, n: counts == n, 0.5, first=2, last=3)
    0.25
    """
    law, excluded = np.ones(1), 0.0
    for n in range(1, last + 1):
        law = np.convolve(law, (1.0 - rate, rate))
        if n >= first:
            out = excludes(np.arange(n + 1.0), n)
            excluded += float(law[out].sum())
            law = np.where(out, 0.0, law)
    return excluded


def excluded_by_wilson(bar: float) -> Excludes:
    """Exclude the bar where it lies outside Wilson's interval."""
    quantile = norm.ppf(1.0 - (1.0 - LEVEL) / 2.0)

    def excludes(counts: Counts, n: int) -> NDArray[np.bool_]:
        return np.asarray(np.abs(counts - n * bar) > quantile * np.sqrt(n * bar * (1.0 - bar)))

    return excludes


def excluded_by_evidence(bar: float) -> Excludes:
    """Exclude the bar where an e-value against either side is large enough."""
    threshold = -log((1.0 - LEVEL) / 2.0)

    def excludes(counts: Counts, n: int) -> NDArray[np.bool_]:
        above = anytime.log_evidence_above(counts, n, bar)
        below = anytime.log_evidence_below(counts, n, bar)
        return np.maximum(above, below) >= threshold

    return excludes


def mean_trials(accuracy: float) -> float:
    """Return the mean number of trials, in rounds of one per depth, up to the most there are."""
    decides, step = excluded_by_evidence(BAR), binom.pmf(np.arange(DEPTHS + 1), DEPTHS, accuracy)
    law, total = np.ones(1), 0.0
    for n in range(DEPTHS, MOST_TRIALS + 1, DEPTHS):
        total += DEPTHS * float(law.sum())
        law = np.convolve(law, step)
        law = np.where(decides(np.arange(n + 1.0), n), 0.0, law)
    return total


def write_figures(figures: Iterable[Figure], path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, [f.name for f in fields(Figure)], lineterminator="\n")
        writer.writeheader()
        for figure in figures:
            writer.writerow({**asdict(figure), "value": f"{figure.value:.6g}"})


def page(figures: Sequence[Figure]) -> str:
    """Return the page in Markdown."""
    words = (
        f"Exact, without simulation: `python -m sims.anytime`. A {LEVEL:.0%} Wilson interval that "
        f"is looked at after every trial from {FIRST_WILSON_LOOK} to {LAST_LOOK}, and anytime "
        f"evidence that is looked at after every trial from 1 to {LAST_LOOK}: how often each ever "
        "excludes the true accuracy."
    )
    priors = (
        f"Mean number of trials (at most {MOST_TRIALS}) until the evidence decides on the bar "
        f"{BAR}, in rounds of {DEPTHS} depths, at {LEVEL:.0%}, by what the weights on rates are "
        f"worth in cases. lcstats uses {anytime.PRIOR_CASES:g}."
    )
    parts = ("# Looking as often as one likes", words, _errors(figures), priors, _trials(figures))
    return "\n\n".join(parts) + "\n"


def _errors(figures: Sequence[Figure]) -> str:
    value = {(f.name, f.setting): f.value for f in figures}
    lines = [[f"{b:g}", f"{value['wilson', b]:.3f}", f"{value['anytime', b]:.3f}"] for b in BARS]
    return markdown(("accuracy", "Wilson", "anytime"), lines)


def _trials(figures: Sequence[Figure]) -> str:
    value = {(f.setting, f.accuracy): f.value for f in figures if f.name == "trials"}
    best = {a: min(value[cases, a] for cases in PRIORS) for a in ACCURACIES}
    lines = []
    for cases in PRIORS:
        excess = max(value[cases, a] / best[a] for a in ACCURACIES) - 1
        trials = (f"{value[cases, accuracy]:.0f}" for accuracy in ACCURACIES)
        lines.append([f"{cases:g}", *trials, f"{excess:.0%}"])
    header = ("worth in cases", *(f"accuracy {a:g}" for a in ACCURACIES), "most over the best")
    return markdown(header, lines)


if __name__ == "__main__":
    sys.exit(main())
