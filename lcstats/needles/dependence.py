"""Are the needles of a trial found independently? How far are they from it, and who is next.

All numbers compare outcomes that are alike in length and place (:mod:`lcstats.needles.strata`), so
that what depth and length do is not taken for dependence.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import Generator, Philox
from scipy.special import ndtr, ndtri

from lcstats.fit.result import finite_or_none
from lcstats.kernels.permutation import fill_pair_sums, pair_sums
from lcstats.needles.bounded import Bounded
from lcstats.needles.data import Floats, NeedleTable, Whole
from lcstats.needles.strata import Strata, make_strata, stratum_means

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
            "n_permutations": self.n_permutations,
        }


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
        Of the test, and of the cluster bootstrap; 0 draws give no intervals.

    Returns
    -------
    Dependence or None
        None where trials have a single needle, or nobody knows more than whether all were found.

    Notes
    -----
    With r the outcome less the mean of its stratum and v that stratum's variance: the intra-class
    correlation is the sum over trials and pairs of r_i r_j over that of sqrt(v_i v_j), the
    neighbour effect the sum over adjacent pairs of r_i r_(i+1) over that of v_i. Folded repeats
    weigh together as one. Intervals are from a bootstrap that draws whole clusters, within lengths
    where clusters lie within one: quantiles for the ratio, bias-corrected ones for correlation and
    effects (Efron and Tibshirani 1993, An Introduction to the Bootstrap, section 14.3), whose draws
    are not centred on the estimate.
    """
    if table.n_needles < 2 or table.kind == "all_or_nothing":
        return None
    strata = make_strata(table)
    keep = np.flatnonzero(strata.informs)
    view = _view(table, strata, keep)
    rng = Generator(Philox(seed))
    independence_p, neighbour_p = _permutation_p(view, rng, n_permutations)
    point = _statistics(view, np.ones(view.n_units))
    draws = _redraw(view, rng, n_draws if view.block.size >= FEWEST_CLUSTERS else 0)
    n_lengths = table.lengths.size
    is_ratio = [i == 0 or 4 <= i < 4 + n_lengths for i in range(point.size)]
    stated = [
        _stated(point[i], draws[:, i], level, correct_bias=not is_ratio[i])
        for i in range(point.size)
    ]
    orderless = table.kind == "counts"
    unknown = Bounded(float("nan"))
    return Dependence(
        ratio=stated[0],
        intraclass_correlation=stated[1],
        neighbour_effect=unknown if orderless else stated[2],
        other_effect=unknown if orderless or table.n_needles < 3 else stated[3],
        independence_p=independence_p,
        neighbour_p=float("nan") if orderless else neighbour_p,
        ratio_by_length=tuple(stated[4 : 4 + n_lengths]),
        correlation_by_length=tuple(stated[4 + n_lengths :]),
        strata=strata.words,
        n_units=view.n_units,
        n_trials=keep.size,
        n_permutations=n_permutations,
    )


@dataclass(frozen=True, slots=True, eq=False)
class _View:
    """The trials that inform, their units numbered anew."""

    found: Floats
    all_found: Floats
    code: Whole
    unit: Whole
    weight: Floats
    length: Whole
    n_lengths: int
    cluster: Whole
    block: Whole

    @property
    def n_units(self) -> int:
        return int(self.cluster.size)


def _view(table: NeedleTable, strata: Strata, keep: Whole) -> _View:
    units, unit = np.unique(table.unit[keep], return_inverse=True)
    cluster = np.unique(table.cluster[units], return_inverse=True)[1]
    length_of_unit = np.searchsorted(table.lengths, table.length_of_unit[units])
    return _View(
        found=table.found[keep],
        all_found=table.all_found[keep],
        code=np.unique(strata.code[keep], return_inverse=True)[1].reshape(-1, table.n_needles),
        unit=unit,
        weight=table.weight[keep],
        length=np.searchsorted(table.lengths, table.length[keep]),
        n_lengths=table.lengths.size,
        cluster=cluster,
        block=_blocks(cluster, length_of_unit),
    )


def _blocks(cluster: Whole, length: Whole) -> Whole:
    """Return the block within which every cluster is drawn again: its length, or all together."""
    if not cluster.size:
        return cluster
    pairs = np.unique(np.stack([cluster, length]), axis=1)
    if np.bincount(pairs[0]).max() > 1:
        return np.zeros(pairs[0].max() + 1, dtype=np.int64)
    return np.asarray(pairs[1])


def _statistics(view: _View, drawn: Floats) -> Floats:
    """Return ratio, correlation, neighbour and other effect, then the first two by length.

    Parameters
    ----------
    drawn : ndarray of float64, shape (n_units,)
        How often each unit counts.
    """
    weight = view.weight * drawn[view.unit]
    rate = stratum_means(view.found, view.code, weight)
    residual = view.found - rate[view.code]
    variance = stratum_means(residual**2, view.code, weight)[view.code]
    deviation = np.sqrt(variance)
    pairs, pairs_scale = _pairs(residual), _pairs(deviation)
    adjacent = (residual[:, 1:] * residual[:, :-1]).sum(axis=1)
    own = variance[:, :-1]
    later = np.arange(view.code.shape[1] - 1, 0, -1)
    adjacent_scale = own.sum(axis=1)
    other_scale = (own * (later - 1)).sum(axis=1)
    product = rate[view.code].prod(axis=1)
    sums = [
        np.bincount(view.length, weight * values, minlength=view.n_lengths)
        for values in (view.all_found, product, pairs, pairs_scale)
    ]
    effects = [
        float((weight * values).sum())
        for values in (adjacent, adjacent_scale, pairs - adjacent, other_scale)
    ]
    with np.errstate(invalid="ignore", divide="ignore"):
        whole = [sums[0].sum() / sums[1].sum(), sums[2].sum() / sums[3].sum()]
        slopes = np.divide(effects[0::2], effects[1::2])
        return np.concatenate([whole, slopes, sums[0] / sums[1], sums[2] / sums[3]])


def _pairs(values: Floats) -> Floats:
    """Sum the products of all pairs in a row, shape (n_rows,)."""
    return np.asarray((values.sum(axis=1) ** 2 - (values**2).sum(axis=1)) / 2.0)


def _redraw(view: _View, rng: Generator, n_draws: int) -> Floats:
    """Statistics of clusters drawn again, shape (n_draws, n_statistics)."""
    members = [np.flatnonzero(view.block == block) for block in np.unique(view.block)]
    draws = np.full((n_draws, 4 + 2 * view.n_lengths), np.nan)
    for draw in draws:
        times = np.zeros(view.block.size)
        for own in members:
            times[own] = np.bincount(rng.integers(own.size, size=own.size), minlength=own.size)
        draw[:] = _statistics(view, times[view.cluster])
    return draws


def _stated(value: float, draws: Floats, level: float, *, correct_bias: bool) -> Bounded:
    """Give a number the quantiles of its draws, if most draws have one and they differ."""
    known = draws[np.isfinite(draws)]
    if not np.isfinite(value) or known.size < max(draws.size / 2, 1) or np.ptp(known) < ROUNDING:
        return Bounded(float(value))
    ends = np.array([(1.0 - level) / 2.0, (1.0 + level) / 2.0])
    if correct_bias:
        ends = _without_bias(value, known, ends)
    lower, upper = np.quantile(known, ends)
    return Bounded(float(value), float(min(lower, value)), float(max(upper, value)))


def _without_bias(value: float, draws: Floats, ends: Floats) -> Floats:
    """Move the ends of an interval by twice the median bias of the draws, in normal units."""
    below = ((draws < value).mean() + (draws <= value).mean()) / 2.0
    rim = 1.0 / (draws.size + 1.0)
    shift = ndtri(min(max(below, rim), 1.0 - rim))
    return np.asarray(ndtr(2.0 * shift + ndtri(ends)))


def _permutation_p(view: _View, rng: Generator, n_permutations: int) -> tuple[float, float]:
    """Return two-sided p-values of independence: of all pairs, and of adjacent ones."""
    if view.n_units < 2 or n_permutations < 1:
        return float("nan"), float("nan")
    values, code = _unit_residuals(view)
    places = np.argsort(code.ravel(), kind="stable")
    starts = np.searchsorted(code.ravel()[places], np.arange(code.max() + 2))
    drawn = np.empty((2, n_permutations))
    fill_pair_sums(values, places, starts, rng, drawn[0], drawn[1])
    observed = pair_sums(values)
    pair = [_two_sided(own, sums) for own, sums in zip(observed, drawn, strict=True)]
    return pair[0], pair[1]


def _unit_residuals(view: _View) -> tuple[Floats, Whole]:
    """Mean residual of every unit's needles, (n_units, n_needles), with their strata."""
    rate = stratum_means(view.found, view.code, view.weight)
    residual = (view.found - rate[view.code]) * view.weight[:, None]
    means = np.zeros((view.n_units, view.code.shape[1]))
    np.add.at(means, view.unit, residual)
    code = np.zeros(means.shape, dtype=np.int64)
    code[view.unit] = view.code
    return means, code


def _two_sided(observed: float, drawn: Floats) -> float:
    """Share of tables as far from the mean as the observed one, which counts among them.

    Distance and not twice the smaller tail, for sums of products are skewed.
    """
    values = np.append(drawn, observed)
    distance = np.abs(values - values.mean())
    return float((distance >= distance[-1] - ROUNDING * max(1.0, distance[-1])).mean())
