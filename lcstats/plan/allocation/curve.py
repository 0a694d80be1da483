"""Where trials tell most about a curve's crossing: the c-optimal design, kept honest.

The design that is optimal for one curve stands on a few cells: it could not see that the curve is
wrong. So a share of the budget is spread over all cells first, and the rest is spent where,
together with that, it makes the crossing most certain.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lcstats.cells import Cells
from lcstats.curve import TERMS, Curve, FloatArray
from lcstats.errors import OptionError, describe
from lcstats.fit.covariance import accuracy_gradient
from lcstats.fit.table import Law, tabulate
from lcstats.lengths import Criterion
from lcstats.lengths.crossing import curve_bar, height, log2_crossing
from lcstats.records import freeze_arrays

MOST_ITERATIONS = 20_000
CLOSE_ENOUGH = 1e-4
"""Share of the variance by which a design may miss the best one."""

STEP = 1e-5
"""Of the numerical derivatives, in a coefficient and in log2 of the length."""


@dataclass(frozen=True, slots=True, eq=False)
class CurveQuestion:
    """What a design is to find out: where a curve crosses the bar.

    Attributes
    ----------
    curve : Curve
        The truth that is planned for.
    lengths : ndarray of int64, shape (n_lengths,)
    depths : ndarray of float64, shape (n_depths,)
    crossing : float
        log2 of the length at which the curve crosses the bar.
    gradient : ndarray of float64, shape (n_terms,)
        Derivative of `crossing` in every coefficient.
    roots : ndarray of float64, shape (n_cells, n_terms)
        Of every cell's Fisher information: one trial brings ``outer(root, root)``.
    """

    curve: Curve
    lengths: NDArray[np.int64]
    depths: FloatArray
    crossing: float
    gradient: FloatArray
    roots: FloatArray

    def __post_init__(self) -> None:
        """Make the arrays read-only."""
        freeze_arrays(self)

    def variance(self, trials: FloatArray | NDArray[np.int64]) -> float:
        """Asymptotic variance of log2 of the estimated crossing.

        Parameters
        ----------
        trials : ndarray, shape (n_lengths, n_depths) or (n_cells,)
            Trials of every cell; fractions of trials are understood.

        Returns
        -------
        float
            Infinite where the design cannot tell.
        """
        information = self.roots.T @ (self.roots * np.ravel(trials)[:, None])
        try:
            return float(self.gradient @ np.linalg.solve(information, self.gradient))
        except np.linalg.LinAlgError:
            return float("inf")


def ask_curve(
    curve: Curve, lengths: NDArray[np.int64], depths: FloatArray, criterion: Criterion
) -> CurveQuestion:
    """Return the crossing of a curve, its gradient, and what a trial of each cell tells.

    Raises
    ------
    OptionError
        If the curve does not cross the bar within the lengths, or depth is pooled: its weights
        would move with the design.

    Notes
    -----
    The derivative of the crossing follows from those of the height above the bar (implicit function
    theorem), by central differences through the whole rule.

    Examples
    --------
    >>> curve = Curve(4.2, 0.3, 1.9, 0.6)
    >>> lengths = 1024 * 2 ** np.arange(8)
    >>> question = ask_curve(curve, lengths, np.linspace(0, 1, 11), Criterion(0.85))
    >>> round(2**question.crossing)
    38921
    """
    shape = (lengths.size, depths.size)
    cells = Cells.from_counts(lengths, depths, n_cases=1, successes=np.zeros(shape, np.int64))
    crossing = log2_crossing(cells, curve, criterion)
    _check_question(crossing, lengths, criterion)
    law = Law(
        TERMS,
        curve.guess_rate,
        curve.lapse_rate,
        curve.recency_scale,
        curve.base_length,
        curve.span_doublings,
    )
    accuracy, slopes = accuracy_gradient(law, tabulate(cells.grid), curve, ())
    roots = slopes / np.sqrt(accuracy * (1.0 - accuracy))[:, None]

    def above(moved: FloatArray, doublings: float) -> float:
        shifted = law.curve(moved)
        reached = height(cells, shifted, criterion.treatment, np.array([doublings]))[0]
        return float(reached) - curve_bar(cells, shifted, criterion)

    center = curve.coefficients
    rise = above(center, crossing + STEP) - above(center, crossing - STEP)
    moves = STEP * np.eye(center.size)
    changes = [above(center + h, crossing) - above(center - h, crossing) for h in moves]
    kept = np.any(roots != 0.0, axis=0)
    gradient = -np.array(changes) / rise
    return CurveQuestion(curve, lengths, depths, crossing, gradient[kept], roots[:, kept])


def _check_question(crossing: float, lengths: NDArray[np.int64], criterion: Criterion) -> None:
    if criterion.treatment.kind == "pooled":
        raise OptionError(
            describe(
                "depth is pooled",
                "expected a depth treatment whose weights do not move with the numbers of trials",
                "allocate for depth_treatment='mean'",
            )
        )
    shortest, longest = np.log2(lengths[[0, -1]].astype(np.float64))
    if not shortest <= crossing <= longest:
        where = f"at {2.0**crossing:.0f}" if np.isfinite(crossing) else "nowhere in reach"
        raise OptionError(
            describe(
                f"the curve crosses the bar {where}",
                f"expected a crossing within the lengths, {lengths[0]} to {lengths[-1]}",
                "plan for lengths on both sides of the bend",
            )
        )


@dataclass(frozen=True, slots=True, eq=False)
class Spending:
    """Money for every cell.

    Attributes
    ----------
    spent : ndarray of float64, shape (n_cells,)
        Beyond what is spread over all cells; adds up to the rest of the budget.
    gap : float
        Share of the variance by which, at most, it misses the best spending.
    """

    spent: FloatArray
    gap: float


def spend_on_curve(
    question: CurveQuestion, prices: FloatArray, rest: float, *, floor: int
) -> Spending:
    """Return the spending that makes the crossing most certain, beside `floor` trials everywhere.

    Parameters
    ----------
    question : CurveQuestion
    prices : ndarray of float64, shape (n_cells,)
        Of a trial in every cell.
    rest : float
        Money beyond the floor.
    floor : int
        Trials that every cell has anyway; 0 gives the locally optimal design.

    Returns
    -------
    Spending

    Notes
    -----
    The variance ``g' M(s)^-1 g`` is convex in the spending s, and by the equivalence theorem s is
    best exactly where no cell's derivative ``(root' M^-1 g)^2 / price`` exceeds their mean over s.
    The multiplicative algorithm raises every cell by the square root of its derivative (Silvey,
    Titterington and Torsney 1978); the excess of the largest derivative bounds what is missed.
    """
    roots = question.roots / np.sqrt(prices)[:, None]
    spread = floor * question.roots.T @ question.roots
    spent = np.full(prices.size, rest / prices.size)
    gap = np.inf
    for _ in range(MOST_ITERATIONS):
        information = spread + roots.T @ (roots * spent[:, None])
        direction = np.linalg.solve(information, question.gradient)
        sensitivity = np.abs(roots @ direction)
        mean = float(spent @ sensitivity**2)
        gap = (rest * float((sensitivity**2).max()) - mean) / float(question.gradient @ direction)
        if gap <= CLOSE_ENOUGH:
            break
        spent = spent * sensitivity
        spent *= rest / spent.sum()
    return Spending(spent, gap)


def whole_trials(
    spent: FloatArray, prices: FloatArray, budget: float, *, floor: int
) -> NDArray[np.int64]:
    """Round spending to whole trials: down, and up again where most was lost, while money lasts.

    Parameters
    ----------
    spent, prices : ndarray of float64, shape (n_cells,)
        Money for every cell beyond the floor, and the price of a trial there.
    budget : float
        For everything.
    floor : int
        Trials that every cell gets anyway.

    Returns
    -------
    ndarray of int64, shape (n_cells,)
        At least `floor`; they cost at most `budget`.

    Examples
    --------
    >>> whole_trials(np.array([2.5, 7.0]), np.array([1.0, 4.0]), 11.0, floor=0).tolist()
    [3, 2]
    """
    wanted = spent / prices
    trials = floor + np.floor(wanted + 1e-9).astype(np.int64)
    left = budget - float(prices @ trials)
    for cell in np.argsort(np.floor(wanted) - wanted, kind="stable"):
        if prices[cell] <= left:
            trials[cell] += 1
            left -= prices[cell]
    return trials
