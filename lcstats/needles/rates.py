"""Rates of needles and of whole trials; intervals keep the needles of a trial together."""

from dataclasses import dataclass

import numpy as np
from scipy.special import stdtrit

from lcstats.needles.bounded import Bounded
from lcstats.needles.data import Floats, NeedleTable, Whole, count_members
from lcstats.needles.strata import make_strata, stratum_means
from lcstats.wilson import exact_interval, two_sided_quantile, wilson_interval


@dataclass(frozen=True, slots=True)
class LengthRow:
    """What was found at one length.

    Attributes
    ----------
    length : int
    n_trials, n_units : int
    rate : Bounded
        Share of needles found; NaN where only whole trials are known.
    joint : Bounded
        Share of trials that found all needles.
    product : float
        Mean over trials of the product of their needles' rates; NaN where no rates are known.
    """

    length: int
    n_trials: int
    n_units: int
    rate: Bounded
    joint: Bounded
    product: float


def rows_by_length(table: NeedleTable, level: float = 0.95) -> tuple[LengthRow, ...]:
    """Return rates, joint rates and products at every length.

    Parameters
    ----------
    table : NeedleTable
    level : float
    """
    shares = table.found.mean(axis=1)
    products = products_by_length(table)
    rows = []
    for index, length in enumerate(table.lengths.tolist()):
        own = np.flatnonzero(table.length == length)
        rows.append(
            LengthRow(
                length=length,
                n_trials=own.size,
                n_units=np.unique(table.unit[own]).size,
                rate=share_of_units(table, own, shares, level, n_parts=table.n_needles),
                joint=share_of_units(table, own, table.all_found, level),
                product=float(products[index]),
            )
        )
    return tuple(rows)


def products_by_length(table: NeedleTable) -> Floats:
    """Return the mean product of needle rates at every length, over trials that are not alone.

    Shape (n_lengths,); NaN where no rates are known, or every trial is alone in its places.
    """
    if table.kind == "all_or_nothing":
        return np.full(table.lengths.size, np.nan)
    strata = make_strata(table)
    rate = stratum_means(table.found, strata.code, table.weight)
    weight = table.weight * strata.informs
    index = np.searchsorted(table.lengths, table.length)
    total = np.bincount(index, weight)
    product = np.bincount(index, weight * rate[strata.code].prod(axis=1))
    unknown = np.full(total.size, np.nan)
    return np.asarray(np.divide(product, total, out=unknown, where=total > 0))


def share_of_units(
    table: NeedleTable, trials: Whole, values: Floats, level: float, *, n_parts: int = 1
) -> Bounded:
    """Return the mean of shares with an interval from the scatter of clusters.

    Parameters
    ----------
    table : NeedleTable
    trials : ndarray of int64
        Which trials count.
    values : ndarray of float64, shape (n_trials,)
        A share from 0 to 1 for every trial of the table.
    level : float
    n_parts : int
        Outcomes that each value is a mean of: a unit is worth no more than these, and where units
        do not scatter at all no more than one.

    Notes
    -----
    Clopper and Pearson's interval of the units where each is a single 0/1 outcome and none share a
    cluster: whatever the chances of single units, it holds their mean at least as often as it says
    (Hoeffding 1956, Annals of Mathematical Statistics 27:713).

    The same where all was found, or nothing, at its end: of 1/w cases, w the largest share of units
    in one cluster. With m_g the chance of cluster g and p = sum w_g m_g, all is found with a
    chance of at most ``prod m_g <= (prod m_g ** w_g) ** (1 / w) <= p ** (1 / w)``, however the
    parts of a unit hang together (means of the geometric and arithmetic kind); below the lower end
    that is less than half of 1 - level.

    Otherwise Wilson's interval of n_eff = p (1 - p) / variance cases, times the squared ratio of
    the normal to the t quantile for as many degrees of freedom as there are clusters beyond places
    (Korn and Graubard 1998, Survey Methodology 24:193). The variance is that of sums over clusters,
    about the mean of their place where a place has several.
    """
    if not trials.size or np.isnan(values[trials]).any():
        return Bounded(float("nan"))
    units, index = np.unique(table.unit[trials], return_inverse=True)
    share = np.bincount(index, values[trials]) / np.bincount(index)
    place = np.zeros(units.size, dtype=np.int64)
    place[index] = np.unique(table.placement[trials], return_inverse=True)[1]
    cluster = np.unique(table.cluster[units], return_inverse=True)[1]
    mean = float(share.mean())
    worth = effective_number(share, place, cluster, n_parts)
    if worth is None:
        return Bounded(mean)
    largest = int(np.bincount(cluster).max())
    is_single = n_parts == 1 and largest == 1 and bool(np.isin(share, (0.0, 1.0)).all())
    if is_single or mean in (0.0, 1.0):
        return Bounded(mean, *exact_interval(share.sum() / largest, units.size / largest, level))
    n_cases, freedom = worth
    lower, upper = wilson_interval(mean, n_cases * _t_share(freedom, level), level)
    return Bounded(mean, float(lower), float(upper))


def effective_number(
    share: Floats, place: Whole, cluster: Whole, n_parts: int
) -> tuple[float, int] | None:
    """Return how many independent cases the mean of shares is worth, and degrees of freedom.

    None where a single cluster leaves nothing to scatter.
    """
    variance, freedom = scatter_of_mean(share, place, cluster)
    if freedom < 1:
        return None
    p = float(share.mean())
    if variance <= 0.0 or not 0.0 < p < 1.0:
        return float(cluster.max() + 1), freedom
    return min(p * (1.0 - p) / variance, float(share.size * n_parts)), freedom


def scatter_of_mean(values: Floats, place: Whole, cluster: Whole) -> tuple[float, int]:
    """Return the variance of a mean of units by what clusters scatter, and degrees of freedom.

    Parameters
    ----------
    values : ndarray of float64, shape (n_units,)
    place, cluster : ndarray of int64, shape (n_units,)
        Codes without gaps.

    Returns
    -------
    tuple of float and int
        NaN where no degrees of freedom are left.
    """
    n_clusters = int(cluster.max()) + 1
    center, n_places = _centers(values, place, cluster)
    freedom = n_clusters - n_places
    if freedom < 1:
        return float("nan"), freedom
    sums = np.bincount(cluster, values - center)
    return float((sums**2).sum()) * n_clusters / freedom / values.size**2, freedom


def _centers(share: Floats, place: Whole, cluster: Whole) -> tuple[Floats, int]:
    """Return what every share is measured from, and how many means that takes.

    A place that holds a single cluster does not vary about itself: then all are measured from
    their common mean.
    """
    if count_members(place, cluster).min() < 2:
        return np.full(share.size, share.mean()), 1
    means = np.bincount(place, share) / np.bincount(place)
    return means[place], means.size


def _t_share(freedom: int, level: float) -> float:
    """Squared ratio of the normal to the t quantile."""
    t = float(stdtrit(freedom, (1.0 + level) / 2.0))
    return (two_sided_quantile(level) / t) ** 2
