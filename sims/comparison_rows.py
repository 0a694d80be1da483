"""What the study of comparisons measures: one row per design, and its exact and simulated parts."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.special import expit, roots_hermitenorm, stdtrit
from scipy.stats import binom, multinomial

from lcstats.cells import Cells
from lcstats.comparison.arms import arms_of, evidence_of_arms
from lcstats.comparison.evidence import evidence_of_pairs
from lcstats.comparison.exact import loss_p_value
from lcstats.comparison.pairs import Pairs
from lcstats.comparison.tango import score_statistic
from lcstats.power import discordant_share, exact_power_of_pairs
from lcstats.wilson import two_sided_quantile

FloatArray = NDArray[np.float64]

LEVEL = 0.95
N_SHARES = 401
"""Shares of discordant pairs over which the largest false alarm is sought."""


@dataclass(frozen=True, slots=True)
class Setting:
    """What a row is about, before it is measured."""

    study: str
    design: str
    n: int
    old: float
    new: float
    dependence: float

    @property
    def key(self) -> tuple[str, str, int, float, float, float]:
        """What tells a setting, and its row, from others."""
        return (self.study, self.design, self.n, self.old, self.new, self.dependence)

    def row(self, value: float, seed: int, simulations: int = 0) -> "Row":
        """Return the row of a measured share."""
        error = None
        if simulations:
            error = float(np.sqrt(max(value * (1 - value), 1 / simulations) / simulations))
        return Row(*self.key, value, error, simulations, seed)


@dataclass(frozen=True, slots=True)
class Row(Setting):
    """One number of the study.

    `error` is the Monte Carlo error, missing where the number is exact; `simulations` is then 0.
    """

    value: float
    error: float | None
    simulations: int
    seed: int


def every_table(n: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the two discordant counts of every table of `n` pairs."""
    old_only, new_only = np.meshgrid(np.arange(n + 1), np.arange(n + 1), indexing="ij")
    possible = old_only + new_only <= n
    return old_only[possible], new_only[possible]


def law_of_tables(n: int, old_share: float, new_share: float) -> FloatArray:
    """Return the probability of every table, from the shares of both kinds of discordant pairs."""
    old_only, new_only = every_table(n)
    counts = np.stack([old_only, new_only, n - old_only - new_only], axis=1)
    rest = max(1.0 - old_share - new_share, 0.0)
    return np.asarray(multinomial.pmf(counts, n, [old_share, new_share, rest]))


def tango_coverage(setting: Setting) -> float:
    """Return how often Tango's interval holds the true difference, over all tables."""
    discordant = discordant_share(setting.old, setting.new, setting.dependence)
    difference = setting.new - setting.old
    shares = (discordant - difference) / 2, (discordant + difference) / 2
    law = law_of_tables(setting.n, *(max(share, 0.0) for share in shares))
    statistic = score_statistic(*every_table(setting.n), setting.n, difference)
    return float(law[np.abs(statistic) <= two_sided_quantile(LEVEL)].sum())


def mcnemar_rejections(setting: Setting) -> float:
    """Return how often McNemar's test rejects: its size, or its power."""
    test = "exact" if setting.design == "exact" else "mid-p"
    accuracies = setting.old, setting.new, setting.dependence
    return exact_power_of_pairs(*accuracies, n_pairs=setting.n, level=LEVEL, test=test)  # type: ignore[arg-type]


def gate_false_alarms(setting: Setting) -> float:
    """Return the largest share of false alarms at a true loss of the margin, over discordances."""
    margin, n = setting.old - setting.new, setting.n
    old_only, new_only = every_table(n)
    statistic = score_statistic(old_only, new_only, n, -margin)
    if setting.design == "score test":
        rejected = statistic <= -two_sided_quantile(2 * LEVEL - 1)
    else:
        rejected = statistic <= _critical_value(statistic, old_only, new_only, n, margin)
    spares = (1.0 - margin) / 2 * np.sin(np.linspace(0, np.pi / 2, N_SHARES)) ** 4
    # Tables are added up column by column: given old_only, new_only is binomial.
    most = np.full(n + 1, -1)
    np.maximum.at(most, old_only[rejected], new_only[rejected])
    return float(max(_alarm(n, most, margin, spare) for spare in spares))


def _critical_value(
    statistic: FloatArray,
    old_only: NDArray[np.int64],
    new_only: NDArray[np.int64],
    n: int,
    margin: float,
) -> float:
    """Return the largest statistic at which the gate fails; p-values rise with the statistic."""
    order = np.argsort(statistic, kind="stable")

    def fails(place: int) -> bool:
        table = int(old_only[order[place]]), int(new_only[order[place]])
        return loss_p_value(*table, n, -margin) <= 1 - LEVEL

    low, high = 0, order.size - 1
    if not fails(low):
        return -np.inf
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if fails(middle) else (low, middle)
    return float(statistic[order[low]])


def _alarm(n: int, most: NDArray[np.int64], margin: float, spare: float) -> float:
    old_only = np.arange(n + 1)
    given = spare / (1.0 - margin - spare) if margin + spare < 1.0 else 0.0
    tails = binom.cdf(most, n - old_only, min(given, 1.0))
    return float(binom.pmf(old_only, n, margin + spare) @ tails)


def unpaired_coverage(setting: Setting) -> float:
    """Return how often Miettinen and Nurminen's interval holds the difference, one cell a side."""
    n, held = setting.n, 0.0
    laws = [binom.pmf(np.arange(n + 1), n, share) for share in (setting.old, setting.new)]
    for right_old, right_new in np.argwhere(np.outer(*laws) > 1e-9):
        sides = [
            Cells.from_counts([4096], [0.5], n_cases=n, successes=[[int(right)]]).grid
            for right in (right_old, right_new)
        ]
        statistic = evidence_of_arms(arms_of(*sides)).statistic(setting.new - setting.old)
        if abs(statistic) <= two_sided_quantile(LEVEL):
            held += laws[0][right_old] * laws[1][right_new]
    return held


@dataclass(frozen=True, slots=True)
class Population:
    """Pairs whose cases share something: logits vary over clusters and over cases.

    Attributes
    ----------
    n_clusters, size : int
        Clusters, and pairs in each.
    shared, own, case : float
        Standard deviations of a cluster's common part, of its part for the new side alone, and of a
        case's common part.
    n_steps : int
        1 for 0/1 scores; else scores are binomial shares of so many.
    """

    n_clusters: int
    size: int
    shared: float
    own: float
    case: float
    n_steps: int = 1

    def draw(self, old: float, new: float, rng: Generator) -> Pairs:
        """Draw pairs with these marginal accuracies."""
        centers = self._centers(old, new)
        shape = (self.n_clusters, self.size)
        common = self.shared * rng.normal(size=(self.n_clusters, 1))
        common = common + self.case * rng.normal(size=shape)
        apart = self.own * rng.normal(size=(self.n_clusters, 1))
        scores = [
            np.ravel(rng.binomial(self.n_steps, expit(center + common + extra)))
            for center, extra in zip(centers, (np.zeros_like(apart), apart), strict=True)
        ]
        n = scores[0].size
        return Pairs(
            "old",
            "new",
            "simulated",
            "tokens",
            length=np.full(n, 8192),
            depth=np.full(n, 0.5),
            case=np.arange(n).astype(object),
            old=scores[0],
            new=scores[1],
            unit=self.n_steps,
            cluster=np.repeat(np.arange(self.n_clusters), self.size),
            n_unmatched_old=0,
            n_unmatched_new=0,
        )

    def _centers(self, old: float, new: float) -> tuple[float, float]:
        """Find the logits at which the marginal accuracies are the wanted ones."""
        nodes, weights = roots_hermitenorm(60)
        weights = weights / weights.sum()

        def solve(accuracy: float, spread: float) -> float:
            return float(
                brentq(lambda c: weights @ expit(c + spread * nodes) - accuracy, -30.0, 30.0)
            )

        common = self.shared**2 + self.case**2
        return solve(old, common**0.5), solve(new, (common + self.own**2) ** 0.5)


POPULATIONS: dict[str, Population] = {
    "20 haystacks of 11": Population(20, 11, 0.8, 0.5, 1.0),
    "40 haystacks of 5": Population(40, 5, 0.8, 0.8, 1.0),
    "10 haystacks of 11": Population(10, 11, 0.8, 0.8, 1.0),
    "graded, 20 cases": Population(20, 1, 0.0, 0.0, 1.0, 4),
    "graded, 100 cases": Population(100, 1, 0.0, 0.0, 1.0, 4),
    "graded, 20 haystacks of 5": Population(20, 5, 0.8, 0.5, 1.0, 4),
}


def simulate(setting: Setting, simulations: int, rng: Generator) -> tuple[float, float, float]:
    """Return coverage of the interval, rejections of the test, and false alarms of the gate.

    The margin of the gate is the true loss.
    """
    population = POPULATIONS[setting.design]
    difference = setting.new - setting.old
    freedom = population.n_clusters - 1
    two_sided, one_sided = stdtrit(freedom, [(1 + LEVEL) / 2, LEVEL])
    found = np.zeros(3)
    for _ in range(simulations):
        evidence = evidence_of_pairs(population.draw(setting.old, setting.new, rng))
        # Of the true difference, also the gate's margin; bounds are where it is a quantile.
        statistic = evidence.statistic(difference)
        rejects = evidence.counts.p_value <= 1 - LEVEL
        found += (abs(statistic) <= two_sided, rejects, statistic <= -one_sided)
    return tuple(float(share) for share in found / simulations)  # type: ignore[return-value]


Measure = Callable[[Setting], float]


def exact_studies() -> Iterator[tuple[Setting, Measure]]:
    """Yield what is enumerated, and how."""
    for n in (50, 100, 450):
        for old, new, correlations in COVERAGE:
            for correlation in correlations:
                yield (
                    Setting("interval coverage", "Tango", n, old, new, correlation),
                    tango_coverage,
                )
    for accuracy in (0.85, 0.5):
        for test in ("mid-p", "exact"):
            yield Setting("test size", test, 50, accuracy, accuracy, 0.5), mcnemar_rejections
    yield Setting("test power", "mid-p", 460, 0.85, 0.80, 0.5), mcnemar_rejections
    yield Setting("test power", "exact", 460, 0.85, 0.80, 0.5), mcnemar_rejections
    for margin in (0.02, 0.05):
        for n in (20, 50, 100, 200, 450):
            for design in ("gate", "score test"):
                yield (
                    Setting("gate false alarms", design, n, margin, 0.0, 0.0),
                    gate_false_alarms,
                )
    for n, old, new in ((50, 0.85, 0.80), (50, 0.99, 0.95), (100, 0.85, 0.80)):
        yield Setting("unpaired coverage", "one cell", n, old, new, 0.0), unpaired_coverage


COVERAGE: tuple[tuple[float, float, tuple[float, ...]], ...] = (
    (0.85, 0.80, (0.0, 0.3, 0.5, 0.8)),
    (0.85, 0.85, (0.0, 0.5, 0.9)),
    (0.5, 0.5, (0.0, 0.5, 0.9)),
    (0.99, 0.95, (0.0, 0.2, 0.4)),
    (0.99, 0.99, (0.0, 0.5, 0.9)),
)
"""Accuracies and correlations; .99 with .95 allows none above .438."""

SIMULATED = ((0.85, 0.80), (0.85, 0.85), (0.97, 0.95))
