"""The dependence ratio: how often all needles are found, over what independent ones would reach.

With needles that are found together the misses gather in few trials, so that a handful of them
decides the ratio: its estimate is skewed, and its scatter grows with it. An interval that takes the
scatter for that of the estimate is too short above (a bootstrap's quantiles as well as a normal
interval of the logarithm). So the scatter is taken to grow with the distance from the least chance
of finding all that the rates allow, as the variance of a count grows with its mean.
"""

import numpy as np
from scipy.special import stdtrit

from lcstats.needles.bounded import Bounded
from lcstats.needles.compared import Compared
from lcstats.needles.data import Floats
from lcstats.needles.rates import scatter_of_mean
from lcstats.needles.strata import stratum_means

LARGEST_BIAS = 0.5
"""Share of the product of rates that its bias is taken to be at most."""


def dependence_ratio(compared: Compared, level: float) -> Bounded:
    """Return the share of trials that found all over the product of rates, with an interval.

    Parameters
    ----------
    compared : Compared
    level : float

    Returns
    -------
    Bounded
        NaN without trials, or where the product is 0; without an interval where no unit is left to
        scatter.

    Notes
    -----
    A score interval. With J the share of trials that found all, Q the mean product of their rates
    and F the mean of the least chance max(0, 1 - sum(1 - p_i)) that these rates allow (Frechet),
    the variance of J - R Q, R held at its estimate, is that of its linear part over clusters. In
    the interval it is proportional to the overlap O = R Q - F: the ends solve
    ``(O - (J - F))^2 = t^2 V / (J - F) O``, t the quantile for as many degrees of freedom as there
    are clusters beyond places. V and J - F are those of the data and one cluster more that counts
    fully, which keeps the interval open where no trial found all, or none missed any. The product
    of rates that are estimated from the same trials is too high where needles are found together;
    the upper end allows for it. The lower end is that of a normal interval of the logarithm where
    that is lower: needles that avoid each other scatter though they hardly overlap.
    """
    total = compared.weight.sum()
    rates = stratum_means(compared.found, compared.code, compared.weight)
    own = rates[compared.code]
    least = np.maximum(1.0 - (1.0 - own).sum(axis=1), 0.0)
    if not own.prod(axis=1).any():
        return Bounded(float("nan"))
    joint, product, bound = (
        float((compared.weight * values).sum() / total)
        for values in (compared.all_found, own.prod(axis=1), least)
    )
    ratio = joint / product
    values = compared.unit_means(compared.all_found - ratio * _linear_products(compared, rates))
    variance, freedom = scatter_of_mean(values, compared.place, compared.cluster)
    if freedom < 1:
        return Bounded(ratio)
    n_clusters = int(compared.cluster.max()) + 1
    overlap = max(joint - bound, 0.0)
    spread = (variance + n_clusters**-2.0) / (overlap + 1.0 / n_clusters)
    quantile = float(stdtrit(freedom, (1.0 + level) / 2.0))
    lower, upper = _score_ends(overlap, quantile**2 * spread)
    lowest = ratio * np.exp(-quantile * np.sqrt(variance) / joint) if joint else 0.0
    bias = _bias_of_product(compared, rates) * n_clusters / freedom
    unbiased = product - min(max(bias, 0.0), LARGEST_BIAS * product)
    return Bounded(
        ratio,
        min((bound + lower) / product, float(lowest), ratio),
        max((bound + upper) / unbiased, ratio),
    )


def _score_ends(value: float, spread: float) -> tuple[float, float]:
    """Solve ``(x - value)^2 = spread x``; both ends are at least 0."""
    middle = value + spread / 2.0
    reach = np.sqrt(spread * value + spread**2 / 4.0)
    return max(float(middle - reach), 0.0), float(middle + reach)


def _linear_products(compared: Compared, rates: Floats) -> Floats:
    """Product of every trial's rates with its first-order change by the trial's own outcomes."""
    own = rates[compared.code]
    slopes = stratum_means(products_of_others(own), compared.code, compared.weight)
    change = slopes[compared.code] * (compared.found - own)
    return np.asarray(own.prod(axis=1) + change.sum(axis=1))


def products_of_others(rates: Floats) -> Floats:
    """Return the product of the other values of the row, shape (n_rows, n_columns).

    Examples
    --------
    >>> products_of_others(np.array([[2.0, 3.0, 0.0]])).tolist()
    [[0.0, 0.0, 6.0]]
    """
    one = np.ones((rates.shape[0], 1))
    before = np.cumprod(np.hstack([one, rates[:, :-1]]), axis=1)
    after = np.cumprod(np.hstack([one, rates[:, :0:-1]]), axis=1)[:, ::-1]
    return np.asarray(before * after)


def _bias_of_product(compared: Compared, rates: Floats) -> float:
    """Mean over units of the sum over pairs of cov(p_i, p_j) times the product of other rates."""
    residual, code = compared.unit_residuals(rates)
    weight = np.bincount(code.ravel())
    pairs, pair = np.unique(code[:, :, None] * weight.size + code[:, None, :], return_inverse=True)
    products = residual[:, :, None] * residual[:, None, :]
    sums = np.bincount(pair.ravel(), products.ravel())
    covariance = sums / (weight[pairs // weight.size] * weight[pairs % weight.size])
    each = covariance[pair.reshape(products.shape)]
    own, total = rates[code], 0.0
    for needle in range(code.shape[1]):
        rest = own.copy()
        rest[:, needle] = 1.0
        later = slice(needle + 1, None)
        total += (products_of_others(rest)[:, later] * each[:, needle, later]).sum()
    return float(total / compared.n_units)
