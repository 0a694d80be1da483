"""Jeffreys Beta statements about a length's accuracy: closed-form masses and a set.

A depth mean over cells of n_d cases has the information of n_eff = D^2 / sum(1/n_d) cases, any
weighted sum of cases that of 1 / sum(weight^2), less where cases share clusters. An average over
tasks has less where the cases that weigh most have an accuracy of their own;
q_j = P(A_j >= bar) under Beta(k_eff + 1/2, n_eff - k_eff + 1/2).
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import betainc, betaincc, betaincinv

from lcstats.cells import CellGrid, case_residuals, variance_inflation
from lcstats.lengths.criterion import Criterion, Treatment
from lcstats.lengths.laws import outcome_masses
from lcstats.lengths.observed import Observed, base_rows, leading
from lcstats.lengths.shares import case_divisors

N_NODES = 512
"""Deterministic nodes over which a measured base of one length is integrated."""

N_SPREAD_NODES = 2048
"""The same for a base of several lengths."""


@dataclass(frozen=True, slots=True)
class JeffreysRows:
    """Each length's accuracy given its data.

    Attributes
    ----------
    right, wrong : ndarray of float64, shape (n_lengths,)
        Parameters of the Beta distribution.
    design_effect : ndarray of float64, shape (n_lengths,)
        Variance of the accuracy over what it would be without clusters; at least 1.
    """

    right: NDArray[np.float64]
    wrong: NDArray[np.float64]
    design_effect: NDArray[np.float64]


def jeffreys_rows(grid: CellGrid, observed: Observed, criterion: Criterion) -> JeffreysRows:
    """Return the Beta distribution of every length's mean or pooled accuracy."""
    pooled = criterion.treatment.kind == "pooled"
    effect = design_effects(grid, pooled=pooled)
    n_eff = effective_cases(grid.n_cases, pooled=pooled)
    if grid.members:
        n_eff = informative_cases(grid, pooled=pooled)
    n = n_eff / effect
    k = n * np.array([float(accuracy) for accuracy in observed.accuracies])
    return JeffreysRows(k + 0.5, n - k + 0.5, effect)


def effective_cases(
    n_cases: NDArray[np.int64], *, pooled: bool, members: NDArray[np.int64] | None = None
) -> NDArray[np.float64]:
    """Number of independent cases a length's accuracy is worth, shape (n_lengths,).

    Examples
    --------
    >>> effective_cases(np.array([[20, 20], [5, 0]]), pooled=False).tolist()
    [40.0, 5.0]
    >>> effective_cases(np.array([[20, 20, 40]]), pooled=False, members=np.array([0, 0, 1]))
    array([80.])
    """
    divisors = case_divisors(n_cases, Treatment("pooled" if pooled else "mean"), members)
    squares = divisors.astype(np.float64) ** 2
    share = np.divide(n_cases, squares, out=np.zeros(n_cases.shape), where=n_cases > 0)
    effective: NDArray[np.float64] = 1.0 / share.sum(axis=1)
    return effective


def informative_cases(grid: CellGrid, *, pooled: bool) -> NDArray[np.float64]:
    """Number of independent cases a length's accuracy is worth, given the accuracies found.

    Shares of cases alone say how much an accuracy varies if every cell has the same one. A task of
    1000 cases, all right, averaged with one of 10 leaves the variance of the 10 alone. So cases
    that weigh the same in the same task make a group, each group has its variance p(1 - p)/n with
    p = (k + 1/2)/(n + 1), and n_eff = A(1 - A)/var, A being the weighted sum of these p. It is used
    where it is below that of :func:`effective_cases`; one group alone changes nothing.

    Parameters
    ----------
    grid : CellGrid
    pooled : bool
        Whether depths are pooled within their task.

    Returns
    -------
    ndarray of float64, shape (n_lengths,)

    Examples
    --------
    >>> from lcstats.cells import Cells
    >>> grid = Cells.from_counts([4096], [0, 1], n_cases=[[200, 5]], successes=[[200, 4]]).grid
    >>> effective_cases(grid.n_cases, pooled=False).round(1).tolist()
    [19.5]
    >>> informative_cases(grid, pooled=False).round(1).tolist()
    [11.8]
    """
    treatment = Treatment("pooled" if pooled else "mean")
    divisors = case_divisors(grid.n_cases, treatment, grid.member_codes)
    least = effective_cases(grid.n_cases, pooled=pooled, members=grid.member_codes)
    for row in range(grid.lengths.size):
        present = grid.n_cases[row] > 0
        kinds = np.stack([grid.member_codes[present], divisors[row, present]])
        groups, code = np.unique(kinds, axis=1, return_inverse=True)
        if groups.shape[1] > 1:
            n = np.bincount(code.ravel(), grid.n_cases[row, present])
            k = np.bincount(code.ravel(), grid.successes[row, present])
            share, p = n / groups[1], (k + 0.5) / (n + 1)
            mean, variance = share @ p, share**2 @ (p * (1 - p) / n)
            least[row] = min(least[row], mean * (1 - mean) / variance)
    return least


def jeffreys_masses(
    rows: JeffreysRows, observed: Observed, lengths: NDArray[np.int64], criterion: Criterion
) -> NDArray[np.float64]:
    """Return the probability of every outcome, shape (n_lengths + 1,)."""
    if criterion.rule != "relative":
        return outcome_masses(_beyond(rows, float(observed.applied_threshold)))
    passing = _passing_by_node(rows, lengths, criterion)
    reach = np.concatenate(([1.0], np.cumprod(passing, axis=1).mean(axis=0)))
    return np.append(np.maximum(-np.diff(reach), 0.0) + 0.0, reach[-1])


def jeffreys_bounds(
    rows: JeffreysRows,
    observed: Observed,
    lengths: NDArray[np.int64],
    criterion: Criterion,
    *,
    level: float,
) -> tuple[int, int]:
    """Return the lowest and highest outcome of the ``jeffreys`` set (METHOD section 4).

    The lower end stops at the first length that is not above the bar with probability
    (1 + level)/2; the upper end before the first with probability below (1 - level)/2 over the
    number of lengths.
    """
    if criterion.rule == "relative":
        passing = _passing_by_node(rows, lengths, criterion).mean(axis=0)
    else:
        passing = _beyond(rows, float(observed.applied_threshold))
    outside = (1 - level) / 2
    return leading(passing >= 1 - outside), leading(passing >= outside / lengths.size)


def largest_lower_error(n_cases: int, *, level: float) -> float:
    """Return how often the lower end may be too high at worst, for one cell of so many cases.

    The end is the (1 - level)/2 quantile of Beta(k + 1/2, n - k + 1/2). At an accuracy just below
    the quantile of k right ones, k and more are too many; the worst k above 0 is taken. With many
    cases such accuracies are next to 0 and 1, with few they are anywhere [1]_.

    References
    ----------
    .. [1] L. D. Brown, T. T. Cai, A. DasGupta (2001), Interval Estimation for a Binomial
       Proportion, Statistical Science 16(2).

    Examples
    --------
    >>> [round(largest_lower_error(n, level=0.95), 3) for n in (5, 20, 1000)]
    [0.108, 0.104, 0.102]
    """
    k = np.arange(1, n_cases + 1)
    end = betaincinv(k + 0.5, n_cases - k + 0.5, (1 - level) / 2)
    return float(betainc(k, n_cases - k + 1, end).max())


def design_effects(grid: CellGrid, *, pooled: bool) -> NDArray[np.float64]:
    """Return how much clusters inflate the variance of each length's accuracy, at least 1.

    The variance of the sum over clusters of the cases' residuals, over the variance with every
    case a cluster of its own; shape (n_lengths,).
    """
    n_lengths, n_depths = grid.n_cases.shape
    if grid.cases is None or not grid.cases.is_clustered:
        return np.ones(n_lengths)
    treatment = Treatment("pooled" if pooled else "mean")
    divisors = case_divisors(grid.n_cases, treatment, grid.member_codes).ravel()
    influence = case_residuals(grid) / divisors[grid.cases.cell]
    row = grid.cases.cell // n_depths
    return variance_inflation(influence, grid.cases.cluster, row, n_lengths)


def _beyond(rows: JeffreysRows, bar: float) -> NDArray[np.float64]:
    return np.asarray(betaincc(rows.right, rows.wrong, min(bar, 1.0)), dtype=np.float64)


def _passing_by_node(
    rows: JeffreysRows, lengths: NDArray[np.int64], criterion: Criterion
) -> NDArray[np.float64]:
    """P(length passes | base), over nodes of the measured base; shape (n_nodes, n_lengths)."""
    base = list(base_rows(lengths, criterion))
    base_accuracy = betaincinv(rows.right[base], rows.wrong[base], _nodes(len(base)))
    bar = float(criterion.exact_threshold) * base_accuracy.mean(axis=1)
    passing = np.array(betaincc(rows.right, rows.wrong, bar[:, None]), dtype=np.float64)
    passing[:, base] = base_accuracy >= bar[:, None]
    return passing


def _nodes(n_dimensions: int) -> NDArray[np.float64]:
    """Evenly spread points of the unit cube, the same on every call."""
    if n_dimensions == 1:
        return ((np.arange(N_NODES) + 0.5) / N_NODES)[:, None]
    root = 1.0
    for _ in range(60):
        root = (1.0 + root) ** (1.0 / (n_dimensions + 1))
    steps = root ** -np.arange(1.0, n_dimensions + 1.0)
    nodes: NDArray[np.float64] = (0.5 + np.arange(N_SPREAD_NODES)[:, None] * steps) % 1.0
    return nodes
