"""Are the needles of a trial found independently? How far are they from it, and who is next.

All numbers compare outcomes that are alike in length and place (:mod:`lcstats.needles.strata`), so
that what depth and length do is not taken for dependence.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import Generator, Philox
from scipy.special import ndtr, ndtri

from lcstats.kernels.permutation import fill_pair_sums, pair_sums
from lcstats.needles.bounded import Bounded
from lcstats.needles.compared import Compared, compare_trials
from lcstats.needles.data import Floats, NeedleTable, Whole
from lcstats.needles.ratio import dependence_ratio
from lcstats.needles.strata import make_strata, stratum_means
from lcstats.records import (
    array_of,
    finite_or_none,
)

N_PERMUTATIONS = 1999
N_DRAWS = 1000

ROUNDING = 1e-9

FEWEST_CLUSTERS = 5
"""Clusters below which drawing them again says nothing about an interval."""


@dataclass(frozen=True, slots=True)
class Dependence:
    """How the needles of a trial go together.

    Attributes
    ----------
    ratio : Bounded
        Share of trials that found all, over the product of the rates of their needles.
    intraclass_correlation : Bounded
        Mean correlation of two needles of a trial, given length and place.
    neighbour_effect : Bounded
        By how much missing a needle raises the chance to miss the next one, against having found
        it; given length and place.
    other_effect : Bounded
        The same for pairs that are not adjacent: what a trial as a whole shares.
    independence_p, neighbour_p : float
        Of permutations within strata, two-sided; NaN where nothing can be permuted.
    ratio_by_length, correlation_by_length : tuple of Bounded
        At every length of the table.
    strata : str
        What outcomes that are compared have in common.
    n_units, n_trials : int
        That inform: others are alone in their place.
    n_permutations : int
    """

    ratio: Bounded
    intraclass_correlation: Bounded
    neighbour_effect: Bounded
    other_effect: Bounded
    independence_p: float
    neighbour_p: float
    ratio_by_length: tuple[Bounded, ...]
    correlation_by_length: tuple[Bounded, ...]
    strata: str
    n_units: int
    n_trials: int
    n_permutations: int

    def to_dict(self) -> dict[str, Any]:
        """Return JSON-ready values."""
        return {
            "dependence_ratio": self.ratio.to_dict(),
            "intraclass_correlation": self.intraclass_correlation.to_dict(),
            "neighbour_effect": self.neighbour_effect.to_dict(),
            "other_effect": self.other_effect.to_dict(),
            "independence_p": finite_or_none(self.independence_p),
            "neighbour_p": finite_or_none(self.neighbour_p),
            "dependence_strata": self.strata,
            "n_units_compared": self.n_units,
            "n_trials_compared": self.n_trials,
            "n_permutations": self.n_permutations,
        }

    @classmethod
    def from_dict(cls, document: Mapping[str, Any]) -> "Dependence":
        """Restore it from the group of the ``needles`` JSON, which has the lengths beside it."""
        of_whole = {
            name: Bounded.from_dict(document["dependence_ratio" if name == "ratio" else name])
            for name in ("ratio", "intraclass_correlation", "neighbour_effect", "other_effect")
        }
        return cls(
            **of_whole,
            independence_p=float(array_of(document["independence_p"])),
            neighbour_p=float(array_of(document["neighbour_p"])),
            ratio_by_length=_by_length(document["dependence_ratio_by_length"]),
            correlation_by_length=_by_length(document["intraclass_correlation_by_length"]),
            strata=document["dependence_strata"],
            n_units=document["n_units_compared"],
            n_trials=document["n_trials_compared"],
            n_permutations=document["n_permutations"],
        )


def _by_length(document: Mapping[str, Mapping[str, float | None]]) -> tuple[Bounded, ...]:
    return tuple(map(Bounded.from_dict, document.values()))


def measure_dependence(
    table: NeedleTable,
    *,
    level: float = 0.95,
    seed: int = 0,
    n_permutations: int = N_PERMUTATIONS,
    n_draws: int = N_DRAWS,
) -> Dependence | None:
    """Measure how the needles of a trial depend on each other, given length and place.

    Parameters
    ----------
    table : NeedleTable
    level : float
    seed : int
    n_permutations, n_draws : int
        Of the test, and of the cluster bootstrap; 0 draws give no intervals but those of the ratio.

    Returns
    -------
    Dependence or None
        None where trials have a single needle, or nobody knows more than whether all were found.

    Notes
    -----
    With r the outcome less the mean of its stratum and v that stratum's variance: the intra-class
    correlation is the sum over trials and pairs of r_i r_j over that of sqrt(v_i v_j), the
    neighbour effect the sum over adjacent pairs of r_i r_(i+1) over that of v_i. Folded repeats
    weigh together as one. The ratio has a score interval
    (:func:`lcstats.needles.ratio.dependence_ratio`). Intervals of correlation and effects are
    bias-corrected quantiles of a bootstrap that draws whole clusters, within lengths where clusters
    lie within one: its draws are not centred on the estimate (Efron and Tibshirani 1993, An
    Introduction to the Bootstrap, section 14.3).
    """
    if table.n_needles < 2 or table.kind == "all_or_nothing":
        return None
    strata = make_strata(table)
    compared = compare_trials(table, strata)
    rng = Generator(Philox(seed))
    independence_p, neighbour_p = _permutation_p(compared, rng, n_permutations)
    stated = _with_bootstrap(compared, rng, n_draws, level)
    orderless = table.kind == "counts"
    unknown = Bounded(float("nan"))
    return Dependence(
        ratio=dependence_ratio(compared, level),
        intraclass_correlation=stated[0],
        neighbour_effect=unknown if orderless else stated[1],
        other_effect=unknown if orderless or table.n_needles < 3 else stated[2],
        independence_p=independence_p,
        neighbour_p=float("nan") if orderless else neighbour_p,
        ratio_by_length=tuple(
            dependence_ratio(compared.at_length(index), level)
            for index in range(compared.n_lengths)
        ),
        correlation_by_length=stated[N_EFFECTS:],
        strata=strata.words,
        n_units=compared.n_units,
        n_trials=compared.length.size,
        n_permutations=n_permutations,
    )


N_EFFECTS = 3
"""Statistics of a whole table that are drawn again: correlation, neighbour and other effect."""


def _with_bootstrap(
    compared: Compared, rng: Generator, n_draws: int, level: float
) -> tuple[Bounded, ...]:
    """Return correlation and effects, then the correlation by length, with their intervals."""
    block = _blocks(compared.cluster, compared.length_of_unit)
    point = _statistics(compared, np.ones(compared.n_units))
    draws = _redraw(compared, block, rng, n_draws if block.size >= FEWEST_CLUSTERS else 0)
    return tuple(
        _stated(value, own, level) for value, own in zip(point.tolist(), draws.T, strict=True)
    )


def _blocks(cluster: Whole, length: Whole) -> Whole:
    """Return the block within which every cluster is drawn again: its length, or all together."""
    if not cluster.size:
        return cluster
    pairs = np.unique(np.stack([cluster, length]), axis=1)
    if np.bincount(pairs[0]).max() > 1:
        return np.zeros(pairs[0].max() + 1, dtype=np.int64)
    return np.asarray(pairs[1])


def _statistics(compared: Compared, drawn: Floats) -> Floats:
    """Return correlation, neighbour and other effect, then the correlation by length.

    Parameters
    ----------
    compared : Compared
    drawn : ndarray of float64, shape (n_units,)
        How often each unit counts.
    """
    weight = compared.weight * drawn[compared.unit]
    rate = stratum_means(compared.found, compared.code, weight)
    residual = compared.found - rate[compared.code]
    variance = stratum_means(residual**2, compared.code, weight)[compared.code]
    pairs, scale = _pairs(residual), _pairs(np.sqrt(variance))
    adjacent = (residual[:, 1:] * residual[:, :-1]).sum(axis=1)
    own = variance[:, :-1]
    later = np.arange(compared.code.shape[1] - 1, 0, -1)
    by_length = [
        np.bincount(compared.length, weight * values, minlength=compared.n_lengths)
        for values in (pairs, scale)
    ]
    above = [by_length[0].sum(), (weight * adjacent).sum(), (weight * (pairs - adjacent)).sum()]
    below = [
        by_length[1].sum(),
        (weight * own.sum(axis=1)).sum(),
        (weight * (own * (later - 1)).sum(axis=1)).sum(),
    ]
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.concatenate([np.divide(above, below), by_length[0] / by_length[1]])


def _pairs(values: Floats) -> Floats:
    """Sum the products of all pairs in a row, shape (n_rows,)."""
    return np.asarray((values.sum(axis=1) ** 2 - (values**2).sum(axis=1)) / 2.0)


def _redraw(compared: Compared, block: Whole, rng: Generator, n_draws: int) -> Floats:
    """Statistics of clusters drawn again, shape (n_draws, n_statistics)."""
    members = [np.flatnonzero(block == own) for own in np.unique(block)]
    draws = np.full((n_draws, N_EFFECTS + compared.n_lengths), np.nan)
    for draw in draws:
        times = np.zeros(block.size)
        for own in members:
            times[own] = np.bincount(rng.integers(own.size, size=own.size), minlength=own.size)
        draw[:] = _statistics(compared, times[compared.cluster])
    return draws


def _stated(value: float, draws: Floats, level: float) -> Bounded:
    """Give a number bias-corrected quantiles of its draws, if most have one and they differ."""
    known = draws[np.isfinite(draws)]
    if not np.isfinite(value) or known.size < max(draws.size / 2, 1) or np.ptp(known) < ROUNDING:
        return Bounded(value)
    ends = _without_bias(value, known, np.array([(1.0 - level) / 2.0, (1.0 + level) / 2.0]))
    lower, upper = np.quantile(known, ends)
    return Bounded(value, float(min(lower, value)), float(max(upper, value)))


def _without_bias(value: float, draws: Floats, ends: Floats) -> Floats:
    """Move the ends of an interval by twice the median bias of the draws, in normal units."""
    below = ((draws < value).mean() + (draws <= value).mean()) / 2.0
    rim = 1.0 / (draws.size + 1.0)
    shift = ndtri(min(max(below, rim), 1.0 - rim))
    return np.asarray(ndtr(2.0 * shift + ndtri(ends)))


def _permutation_p(compared: Compared, rng: Generator, n_permutations: int) -> tuple[float, float]:
    """Return two-sided p-values of independence: of all pairs, and of adjacent ones."""
    if compared.n_units < 2 or n_permutations < 1:
        return float("nan"), float("nan")
    rate = stratum_means(compared.found, compared.code, compared.weight)
    values, code = compared.unit_residuals(rate)
    places = np.argsort(code.ravel(), kind="stable")
    starts = np.searchsorted(code.ravel()[places], np.arange(code.max() + 2))
    drawn = np.empty((2, n_permutations))
    fill_pair_sums(values, places, starts, rng, drawn[0], drawn[1])
    observed = pair_sums(values)
    pair = [_two_sided(own, sums) for own, sums in zip(observed, drawn, strict=True)]
    return pair[0], pair[1]


def _two_sided(observed: float, drawn: Floats) -> float:
    """Share of tables as far from the mean as the observed one, which counts among them.

    Distance and not twice the smaller tail, for sums of products are skewed.
    """
    values = np.append(drawn, observed)
    distance = np.abs(values - values.mean())
    return float((distance >= distance[-1] - ROUNDING * max(1.0, distance[-1])).mean())
