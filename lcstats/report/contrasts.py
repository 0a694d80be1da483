"""Contrasts of accuracies, each with its standard error: what the patterns of a report rest on.

Two engines. A *trend within strata* compares cells that differ in one thing only, such as the
depths of one length; its variance is that of the hypothesis of no difference (Mantel 1963, JASA
58:690). A *difference of parts* compares two sets of cells against a margin; its variance takes a
success and a failure more per part (Agresti and Caffo 2000, American Statistician 54:280).
Both are divided by the design effect where cases share clusters, and both are conservative for
graded scores, which vary less than 0/1 outcomes of the same mean.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import betainc, ndtr, stdtr, stdtrit

from lcstats.cells import CellGrid, design_effect, keep_depths

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]

NORMAL = 1e12
"""Degrees of freedom with which Student's distribution is the normal one."""


@dataclass(frozen=True, slots=True, eq=False)
class Counted:
    """Counts that tests work on: cases in independent ones, so that clusters weigh as they should.

    Attributes
    ----------
    lengths : ndarray of int64, shape (n_lengths,)
        Those with cases.
    depths : ndarray of float64, shape (n_depths,)
        One NaN where no case has a depth; cases without one beside others are left out.
    right, n : ndarray of float64, shape (n_lengths, n_depths)
        Successes and cases, both divided by the design effect.
    """

    lengths: NDArray[np.int64]
    depths: Floats
    right: Floats
    n: Floats

    @classmethod
    def of(cls, grid: CellGrid) -> "Counted":
        """Return the counts of a grid."""
        kept, _ = keep_depths(grid)
        rows = kept.n_cases.any(axis=1)
        effect = design_effect(kept)
        right, n = kept.successes[rows] / effect, kept.n_cases[rows] / effect
        return cls(kept.lengths[rows], kept.depths, right, n)

    @property
    def accuracy(self) -> Floats:
        """Accuracy per cell; NaN where there is no case."""
        empty = np.full(self.n.shape, np.nan)
        return np.asarray(np.divide(self.right, self.n, out=empty, where=self.n > 0))

    def mean(self, cells: Mask) -> float:
        """Return the unweighted mean accuracy of the cells among some that have cases."""
        return float(self.accuracy[cells & (self.n > 0)].mean())


@dataclass(frozen=True, slots=True)
class Contrast:
    """A difference of accuracies.

    Attributes
    ----------
    value : float
        Positive in the direction that is tested.
    standard_error : float
        For the interval.
    p_value : float
        One-sided, of no more than the margin.
    degrees : float
        Of freedom, of Student's distribution; so many that it is the normal one unless given.
    """

    value: float
    standard_error: float
    p_value: float
    degrees: float = NORMAL

    def interval(self, level: float) -> tuple[float, float]:
        """Return the two-sided interval of the value.

        Examples
        --------
        >>> low, high = Contrast(0.2, 0.05, 0.001).interval(0.95)
        >>> round(low, 3), round(high, 3)
        (0.102, 0.298)
        """
        half = float(stdtrit(self.degrees, (1.0 + level) / 2.0)) * self.standard_error
        return self.value - half, self.value + half


def trend(right: Floats, n: Floats, x: Floats) -> Contrast | None:
    """Return the fall of accuracy per unit of `x` within strata, tested against none.

    Parameters
    ----------
    right, n : ndarray of float64, shape (n_strata, n_columns)
        Successes and cases; within a row, only `x` differs.
    x : ndarray of float64, shape (n_columns,)
        What the columns are at.

    Returns
    -------
    Contrast or None
        None where no stratum has cases at two values of `x`.

    Notes
    -----
    With n cases, k right, in each cell, and means over the cases of a stratum marked by bars, the
    statistic is the sum over strata of (x_bar - x) k. Were accuracies equal within strata it would
    have mean 0 and variance sum p(1 - p) N/(N - 1) S, S = sum of n (x - x_bar)^2, p and N the
    stratum's accuracy and cases. The value is the statistic over the sum of S: a slope.

    Examples
    --------
    >>> fall = trend(np.array([[20.0, 15, 10]]), np.full((1, 3), 20.0), np.array([0.0, 1, 2]))
    >>> round(fall.value, 3), round(fall.p_value, 5)
    (0.25, 0.00015)
    """
    total = n.sum(axis=1)
    used = total > 1
    right, n, total = right[used], n[used], total[used]
    below = (n @ x / total)[:, None] - x
    squares = (n * below**2).sum(axis=1)
    spread = float(squares.sum())
    if not spread:
        return None
    p = right.sum(axis=1) / total
    variance = float((p * (1 - p) * total / (total - 1) * squares).sum())
    statistic = float((below * right).sum())
    cell = (right + 0.5) / (n + 1.0)
    own = float((n * below**2 * cell * (1 - cell)).sum())
    p_value = float(ndtr(-statistic / np.sqrt(variance))) if variance > 0 else 1.0
    return Contrast(statistic / spread, np.sqrt(own) / spread, p_value)


def differences(
    counts: Counted, high: Mask, low: Mask, margin: float = 0.0
) -> tuple[Contrast, ...]:
    """Return by how much sets of cells are above others, each tested against a margin.

    Accuracies of sets are unweighted means over the cells that have cases.

    Parameters
    ----------
    counts : Counted
    high, low : ndarray of bool, shape (n_places, n_lengths, n_depths)
        The two sets of every place, each with a case.
    margin : float
        Differences up to here are not what is looked for.

    Notes
    -----
    A mean over D cells of n_d cases is worth n = D^2 / sum(1/n_d) cases, whatever the accuracies of
    the cells (their differences only make it less variable). The statistic is compared with
    Student's distribution of n + n' - 2 degrees of freedom: with few cases the normal one has
    tails that are too light for the small p-values that many places ask for.

    Examples
    --------
    >>> from lcstats.cells import Cells
    >>> cells = Cells.from_counts([4096], [0, 1], n_cases=20, successes=[[19, 5]])
    >>> first = np.array([[[True, False]]])
    >>> (fall,) = differences(Counted.of(cells.grid), first, ~first, margin=0.2)
    >>> round(fall.value, 2), fall.p_value < 1e-3
    (0.7, True)
    """
    (above, of_above, n_above), (below, of_below, n_below) = (
        _parts(counts, cells) for cells in (high, low)
    )
    error = np.sqrt(of_above + of_below)
    value = above - below
    degrees = np.maximum(n_above + n_below - 2.0, 1.0)
    p_values = stdtr(degrees, (margin - value) / error)
    columns = (column.tolist() for column in (value, error, p_values, degrees))
    return tuple(Contrast(*row) for row in zip(*columns, strict=True))


def _parts(counts: Counted, cells: Mask) -> tuple[Floats, Floats, Floats]:
    """Return each set's mean accuracy, its variance with two cases more, and cases it is worth."""
    has_cases = counts.n > 0
    masks = (cells & has_cases).reshape(len(cells), -1).astype(np.float64)
    shares = np.where(has_cases, counts.accuracy, 0.0).ravel()
    inverse = np.divide(1.0, counts.n, out=np.zeros(counts.n.shape), where=has_cases).ravel()
    n_cells = masks.sum(axis=1)
    mean, worth = masks @ shares / n_cells, n_cells**2 / (masks @ inverse)
    pulled = (worth * mean + 1.0) / (worth + 2.0)
    return mean, pulled * (1.0 - pulled) / (worth + 2.0), worth


def tail_at_most(right: float, n: float, rate: float) -> float:
    """Return the chance of at most `right` successes in `n` cases; neither need be whole.

    Examples
    --------
    >>> round(tail_at_most(9, 10, 0.9), 4), tail_at_most(10, 10, 0.9)
    (0.6513, 1.0)
    """
    return 1.0 if right >= n else float(betainc(n - right, right + 1.0, 1.0 - rate))
