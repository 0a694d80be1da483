"""Simulation-based calibration of the curve's posterior: are its draws what Bayes' rule says?

``python -m sims.sbc --seed 1`` draws curves from the priors, counts from the curves and a posterior
from the counts, and asks where the curve that made the counts stands among the posterior's draws.
If all is right, every rank is equally likely (Talts, Betancourt, Simpson, Vehtari and Gelman 2018,
Validating Bayesian inference algorithms with simulation-based calibration, arXiv:1804.06788).
It writes ``docs/evidence/sbc.csv`` and the page beside it; equal seeds give byte-identical files
for any number of processes.
"""

import argparse
import csv
import multiprocessing
import sys
import warnings
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import astuple, dataclass, fields
from functools import partial
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtrc, ndtri

import lcstats as lc
from lcstats.errors import LcstatsWarning
from lcstats.fit import CurveFit, fit_curve
from lcstats.posterior import sample_posterior, sample_prior

OUT = Path("docs/evidence/sbc.csv")
LENGTHS = 1024 * 2 ** np.arange(8)
DEPTHS = np.linspace(0.0, 1.0, 11)
N_CASES = 5
N_DRAWS = 99
"""Ranks are 0 to 99: few draws of many proposals are as good as independent."""
N_BINS = 20
N_SIMULATIONS = 1000
BLOCK = 50
"""Simulations of one task for a process."""

Posterior = Callable[[CurveFit, int], lc.Draws]
"""Draws from a posterior, given a fit and a seed."""


@dataclass(frozen=True, slots=True)
class Setting:
    """What is calibrated: a guess rate, and whether the lapse rate is estimated."""

    name: str
    guess_rate: float = 0.0
    lapse_rate: Literal["estimate"] | None = None


SETTINGS = (
    Setting("four terms"),
    Setting("guess rate .25", guess_rate=0.25),
    Setting("lapse rate estimated", lapse_rate="estimate"),
)


@dataclass(frozen=True, slots=True)
class Line:
    """Ranks of one quantity in bins of five, and the chi-square test that they are uniform."""

    setting: str
    quantity: str
    n_simulations: int
    chi_square: float
    p_value: float
    mean_rank: float
    spread: float
    largest_pareto_shape: float
    n_bad_shapes: int
    seed: int
    counts: str


@dataclass(frozen=True, slots=True, eq=False)
class Ranks:
    """Where the truths stand among the draws.

    Attributes
    ----------
    quantities : tuple of str
    ranks : ndarray of int64, shape (n_simulations, n_quantities)
        0..N_DRAWS.
    pareto_shapes : ndarray of float64, shape (n_simulations,)
    """

    quantities: tuple[str, ...]
    ranks: NDArray[np.int64]
    pareto_shapes: NDArray[np.float64]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return its exit code."""
    parser = argparse.ArgumentParser("python -m sims.sbc", description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--simulations", type=int, default=N_SIMULATIONS, help="per setting")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--out", type=Path, default=OUT, help=f"CSV file ({OUT})")
    options = parser.parse_args(arguments)
    lines = run_study(SETTINGS, options.seed, options.simulations, options.jobs)
    write_lines(lines, options.out)
    page = make_page(lines, options.out.name)
    options.out.with_suffix(".md").write_text(page, encoding="utf-8")
    return 0


def run_study(
    settings: Iterable[Setting], seed: int, n_simulations: int, jobs: int = 1
) -> list[Line]:
    """Calibrate every setting, the same for any number of processes."""
    lines = []
    for setting in settings:
        starts = range(0, n_simulations, BLOCK)
        blocks = [(first, min(BLOCK, n_simulations - first)) for first in starts]
        work = partial(simulate_ranks, setting, seed)
        if jobs == 1:
            found = list(map(work, blocks))
        else:
            # Spawned, because a process that has run numba must not be forked.
            context = multiprocessing.get_context("spawn")
            with ProcessPoolExecutor(jobs, mp_context=context) as executor:
                found = list(executor.map(work, blocks))
        lines += summarise(setting, seed, found)
    return lines


def simulate_ranks(
    setting: Setting,
    seed: int,
    block: tuple[int, int],
    *,
    posterior: Posterior | None = None,
    n_cases: int = N_CASES,
) -> Ranks:
    """Simulate one block.

    Parameters
    ----------
    setting : Setting
    seed : int
    block : tuple of int
        Number of the first simulation, and how many.
    posterior : callable, optional
        What is calibrated; the library's own posterior without it.
    """
    first, n_simulations = block
    draw = posterior or partial(draw_posterior, setting)
    ranks, shapes = [], []
    quantities: tuple[str, ...] = ()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LcstatsWarning)
        template = fit_counts(setting, np.full((LENGTHS.size, DEPTHS.size), n_cases), n_cases)
        for number in range(first, first + n_simulations):
            rng = np.random.default_rng([seed, SETTINGS.index(setting), number])
            own_seed = int(rng.integers(2**31))
            truth = sample_prior(template, n_draws=1, lapse_rate=setting.lapse_rate, seed=own_seed)
            counts = rng.binomial(n_cases, truth.accuracies[0])
            draws = draw(fit_counts(setting, counts, n_cases), own_seed + 1)
            true_values, drawn = quantities_of(truth), quantities_of(draws)
            quantities = tuple(drawn)
            ranks.append([rank(true_values[q][0], drawn[q], rng) for q in quantities])
            shapes.append(draws.diagnostics["pareto_shape"])
    return Ranks(quantities, np.array(ranks), np.array(shapes))


def fit_counts(setting: Setting, counts: NDArray[np.int64], n_cases: int) -> CurveFit:
    """Fit one table."""
    cells = lc.Cells.from_counts(LENGTHS, DEPTHS, n_cases=n_cases, successes=counts)
    return fit_curve(cells, guess_rate=setting.guess_rate)


def draw_posterior(setting: Setting, fit: CurveFit, seed: int) -> lc.Draws:
    """Draw the library's posterior; always by importance, so that it is this that is judged."""
    return sample_posterior(
        fit, n_draws=N_DRAWS, sampler="importance", lapse_rate=setting.lapse_rate, seed=seed
    )


def quantities_of(draws: lc.Draws) -> dict[str, NDArray[np.float64]]:
    """Return what is ranked, each of shape (n_draws,)."""
    found = {term: draws.coefficients[:, j] for j, term in enumerate(draws.terms)}
    if draws.lapse_rates is not None:
        found["lapse rate"] = draws.lapse_rates
    found["depth mean at 16K"] = draws.accuracies[:, 4].mean(axis=1)
    found["worst depth at 128K"] = draws.accuracies[:, -1].min(axis=1)
    return found


def rank(truth: float, drawn: NDArray[np.float64], rng: np.random.Generator) -> int:
    """Number of draws below the truth; ties, where accuracies round to 1, are broken by lot."""
    below, equal = int((drawn < truth).sum()), int((drawn == truth).sum())
    return below + int(rng.integers(equal + 1))


def uniformity(ranks: NDArray[np.int64], n_bins: int = N_BINS) -> tuple[float, float]:
    """Return chi-square and p-value of the hypothesis that all ranks are equally likely."""
    counts = np.bincount(ranks * n_bins // (N_DRAWS + 1), minlength=n_bins)
    expected = ranks.size / n_bins
    chi_square = float(((counts - expected) ** 2 / expected).sum())
    return chi_square, float(chdtrc(n_bins - 1, chi_square))


def spread(ranks: NDArray[np.int64]) -> float:
    """How much ranks crowd the ends or the middle, in standard errors; near 0 if uniform.

    The squares of the ranks' normal scores have mean 1 and variance 2. Draws that are too narrow
    send the truth to the ends (above 0), draws that are too wide to the middle (below 0): this
    sees a wrong width with a fraction of the simulations that chi-square needs.
    """
    scores = ndtri((ranks + 0.5) / (N_DRAWS + 1))
    return float(((scores**2).mean() - 1.0) * np.sqrt(ranks.size / 2.0))


def summarise(setting: Setting, seed: int, found: Sequence[Ranks]) -> list[Line]:
    """Put the blocks of one setting together."""
    ranks = np.concatenate([block.ranks for block in found])
    shapes = np.concatenate([block.pareto_shapes for block in found])
    lines = []
    for j, quantity in enumerate(found[0].quantities):
        chi_square, p_value = uniformity(ranks[:, j])
        counts = np.bincount(ranks[:, j] * N_BINS // (N_DRAWS + 1), minlength=N_BINS)
        lines.append(
            Line(
                setting=setting.name,
                quantity=quantity,
                n_simulations=len(ranks),
                chi_square=round(chi_square, 2),
                p_value=round(p_value, 4),
                mean_rank=round(float(ranks[:, j].mean()), 2),
                spread=round(spread(ranks[:, j]), 2),
                largest_pareto_shape=round(float(shapes.max()), 2),
                n_bad_shapes=int((shapes > 0.7).sum()),
                seed=seed,
                counts=" ".join(map(str, counts.tolist())),
            )
        )
    return lines


def write_lines(lines: Iterable[Line], path: Path) -> None:
    """Write the table, one line a quantity."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(field.name for field in fields(Line))
        writer.writerows(astuple(line) for line in lines)


def make_page(lines: Sequence[Line], csv_name: str) -> str:
    """Return the page as Markdown."""
    n_simulations, smallest = lines[0].n_simulations, min(line.p_value for line in lines)
    rows = [
        f"| {line.setting} | {line.quantity} | {line.chi_square:.2f} | {line.p_value:.4f} | "
        f"{line.mean_rank:.2f} | {line.spread:+.2f} | {line.counts} |"
        for line in lines
    ]
    settings = {line.setting: line for line in lines}
    shapes = [
        f"| {name} | {line.largest_pareto_shape:.2f} | {line.n_bad_shapes} of {n_simulations:,} |"
        for name, line in settings.items()
    ]
    error = (N_DRAWS + 1) / np.sqrt(12.0 * n_simulations)
    return f"""# The posterior of the curve is the posterior

    python -m sims.sbc --seed {lines[0].seed} --simulations {n_simulations}

Curves are drawn from the priors, counts from the curves (8 lengths from 1K to 128K, 11 depths,
{N_CASES} cases per cell), and {N_DRAWS} draws from the posterior given the counts, by importance.
The rank of the true value among the draws is 0 to {N_DRAWS}; if the posterior is right, all ranks
are equally likely. Each line has {n_simulations:,} simulations in {N_BINS} bins,
{n_simulations / N_BINS:g} expected in each; chi-square has {N_BINS - 1} degrees of freedom (mean
{N_BINS - 1}, 1% point 36.19), and the mean rank is {N_DRAWS / 2:g} with a Monte Carlo error of
{error:.2f}. The spread says, in standard errors, whether truths crowd the ends (above 0: draws too
narrow) or the middle (below 0: too wide). Of {len(lines)} p-values the smallest is
{smallest:.4f}; one below {1 - 0.95 ** (1 / len(lines)):.4f} would come up in one study of twenty by
chance. All numbers: [{csv_name}]({csv_name}).

| setting | quantity | chi-square | p-value | mean rank | spread | ranks in bins of 5 |
| --- | --- | --- | --- | --- | --- | --- |
{chr(10).join(rows)}

How hard the tables are: the largest k-hat of a setting's tables, and how many were above .7,
where `sampler="auto"` goes over to NUTS and this study did not.

| setting | largest k-hat | above .7 |
| --- | --- | --- |
{chr(10).join(shapes)}

`tests/posterior/test_calibration.py` runs a small study of this kind, and shows that a posterior
without its prior, or one 1.5 times too wide or too narrow, fails it.
"""


if __name__ == "__main__":
    sys.exit(main())
