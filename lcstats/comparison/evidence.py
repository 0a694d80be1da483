"""What data say about a difference: its numbers, its bounds, and its tests."""

from dataclasses import dataclass, replace
from typing import Literal, Protocol

import numpy as np
from scipy.special import ndtr, ndtri, stdtr, stdtrit

from lcstats.comparison.clusters import EffectiveCounts, effective_counts, flip_signs
from lcstats.comparison.exact import (
    LARGEST_N,
    excluded_loss_p_value,
    largest_difference,
    loss_p_value,
    smallest_difference,
)
from lcstats.comparison.pairs import Pairs
from lcstats.comparison.tango import score_statistic, tango_interval
from lcstats.power import mcnemar_p_value

TestKind = Literal["mcnemar", "sign_flip", "score"]
"""McNemar's test, exchange of whole clusters' signs, or the score test of independent samples."""


@dataclass(frozen=True, slots=True)
class Counts:
    """The numbers of a difference.

    Attributes
    ----------
    n_paired : int
        0 where there are no pairs.
    n_old, n_new : int
        Cases on each side that the difference is of.
    accuracy_old, accuracy_new, difference : float
        The difference is new minus old.
    test : {"mcnemar", "sign_flip", "score"}
    p_value : float
        Two-sided, of no difference: mid-p for pairs.
    exact_p : float or None
        For pairs.
    discordant : tuple of int, or None
        Pairs on which only the old side is right (or has the higher score), and only the new one.
    """

    n_paired: int
    n_old: int
    n_new: int
    accuracy_old: float
    accuracy_new: float
    difference: float
    test: TestKind
    p_value: float = 1.0
    exact_p: float | None = None
    discordant: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class MarginTest:
    """Both one-sided tests of a loss as large as the margin.

    Attributes
    ----------
    loss_p : float
        Small where a loss beyond the margin is shown.
    excluded_p : float
        Small where such a loss is excluded.
    lower, upper : float
        One-sided bounds of the difference; they agree with the tests.
    statistic : float
        Standard errors by which the difference lies above a loss as large as the margin.
    method : str
        How, in words.
    """

    loss_p: float
    excluded_p: float
    lower: float
    upper: float
    statistic: float
    method: str


class Evidence(Protocol):
    """What any data say about a difference."""

    @property
    def counts(self) -> Counts:
        """Its numbers."""

    @property
    def kind(self) -> str:
        """Name of the interval."""

    def bounds(self, level: float) -> tuple[float, float]:
        """Return the lower and the upper bound, each one-sided at a level."""

    def test_margin(self, margin: float, level: float) -> MarginTest:
        """Test both hypotheses about a loss as large as the margin."""


@dataclass(frozen=True, slots=True)
class PairedEvidence:
    """What pairs say about a difference.

    Attributes
    ----------
    counts : Counts
    effective : EffectiveCounts
        The counts themselves where pairs are independent 0/1 outcomes.
    """

    counts: Counts
    effective: EffectiveCounts

    @property
    def kind(self) -> str:
        """Name of the interval: Tango's, on the counts or on effective ones."""
        return "tango" if self.effective.freedom is None else "tango_effective"

    def statistic(self, difference: float) -> float:
        """Return by how many standard errors the observed difference lies above a given one."""
        seen = self.effective
        return score_statistic(seen.old_only, seen.new_only, seen.n_pairs, difference).item()

    def bounds(self, level: float) -> tuple[float, float]:
        """Return the lower and the upper bound, each one-sided at a level."""
        seen, point = self.effective, self.counts.difference
        if seen.freedom == 0:
            return -1.0, 1.0
        quantile = _quantile(level, seen.freedom)
        lower, upper = tango_interval(seen.old_only, seen.new_only, seen.n_pairs, quantile)
        return min(lower.item(), point), max(upper.item(), point)

    def test_margin(self, margin: float, level: float) -> MarginTest:
        """Test both hypotheses about a loss as large as the margin."""
        if self.effective.freedom is None and self.counts.n_paired <= LARGEST_N:
            return self._test_exactly(margin, level)
        seen = self.effective
        lower, upper = self.bounds(level)
        if seen.freedom == 0:
            return MarginTest(1.0, 1.0, lower, upper, 0.0, "nothing: all cases are of one cluster")
        statistic = self.statistic(-margin)
        below, above = (_tail(sign * statistic, seen.freedom) for sign in (1.0, -1.0))
        words = "Tango's score test" if seen.freedom is None else "score test on effective counts"
        return MarginTest(below, above, lower, upper, statistic, words)

    def _test_exactly(self, margin: float, level: float) -> MarginTest:
        old_only, new_only = self.counts.discordant or (0, 0)
        table = (old_only, new_only, self.counts.n_paired)
        return MarginTest(
            loss_p=loss_p_value(*table, -margin),
            excluded_p=excluded_loss_p_value(*table, -margin),
            lower=smallest_difference(*table, level=level, margin=margin),
            upper=largest_difference(*table, level=level, margin=margin),
            statistic=self.statistic(-margin),
            method="exact unconditional test",
        )


def _quantile(level: float, freedom: int | None) -> float:
    return float(ndtri(level) if freedom is None else stdtrit(freedom, level))


def _tail(statistic: float, freedom: int | None) -> float:
    return float(ndtr(statistic) if freedom is None else stdtr(freedom, statistic))


def evidence_of_pairs(pairs: Pairs) -> PairedEvidence:
    """Return what pairs say.

    Independent 0/1 outcomes get McNemar's test and Tango's interval; graded scores and clusters the
    exchange of whole clusters' signs, and Tango's interval on effective counts.
    """
    difference = pairs.new - pairs.old
    n, total = pairs.n_pairs, pairs.unit * pairs.n_pairs
    old_only, new_only = int((difference < 0).sum()), int((difference > 0).sum())
    counts = Counts(
        n_paired=n,
        n_old=n,
        n_new=n,
        accuracy_old=int(pairs.old.sum()) / total,
        accuracy_new=int(pairs.new.sum()) / total,
        difference=int(difference.sum()) / total,
        test="mcnemar",
        discordant=(old_only, new_only),
    )
    if not (pairs.is_clustered or pairs.has_fractions):
        mid, exact = (
            mcnemar_p_value(old_only, new_only, test=t).item() for t in ("mid-p", "exact")
        )
        counts = replace(counts, p_value=mid, exact_p=exact)
        return PairedEvidence(counts, EffectiveCounts(old_only, new_only, n, None))
    flips = flip_signs(difference, pairs.cluster)
    counts = replace(counts, test="sign_flip", p_value=flips.mid, exact_p=flips.exact)
    shares = difference / np.float64(pairs.unit)
    return PairedEvidence(counts, effective_counts(shares, pairs.cluster))
