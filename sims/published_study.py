"""How often the observed effective length of a simulated table is the true one."""

import warnings
import zlib
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator, Philox, SeedSequence

import lcstats as lc
from lcstats.errors import LcstatsWarning
from lcstats.lengths.masses import outcome_probabilities
from lcstats.truths import TASKS, Truth
from sims.coverage_simulation import DEPTHS, LENGTHS, true_outcome

THRESHOLD = 0.85
CASES = (5, 20, 80)
N_TABLES = 2000


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of the simulated tables of one task with one number of cases per cell.

    Attributes
    ----------
    shares : tuple of float
        Tables whose length is true, a doubling off, and further off.
    exact_hit : float
        Probability of the first, computed.
    """

    task: str
    true_length: str
    n_cases: int
    shares: tuple[float, float, float]
    exact_hit: float


def run_study(seed: int) -> list[Outcome]:
    """Simulate every task with every number of cases per cell."""
    return [
        Outcome(
            task=truth.name,
            true_length=true_length(truth, "mean"),
            n_cases=n_cases,
            shares=simulated_outcomes(truth, n_cases, seed),
            exact_hit=exact_hit(truth, n_cases),
        )
        for truth in TASKS
        for n_cases in CASES
    ]


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


def simulated_outcomes(truth: Truth, n_cases: int, seed: int) -> tuple[float, float, float]:
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
    hit, near, far = (float(share.mean()) for share in (distance == 0, distance == 1, distance > 1))
    return hit, near, far


def _true_outcome(truth: Truth, treatment: str, threshold: float = THRESHOLD) -> int:
    criterion = lc.Criterion(threshold, depth_treatment=treatment)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LcstatsWarning)
        return true_outcome(truth.accuracy(LENGTHS, DEPTHS), criterion)
