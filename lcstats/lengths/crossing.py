"""Where a fitted curve falls below the bar: the continuous crossing, with its interval."""

from dataclasses import dataclass
from functools import reduce
from typing import Any, Protocol

import numpy as np
from scipy.special import ndtri

from lcstats.cells import CellGrid
from lcstats.curve import TERMS, Curve, FloatArray, accuracy_from_logit
from lcstats.draws import Draws
from lcstats.fit import CurveFit
from lcstats.fit.covariance import standard_errors
from lcstats.lengths.criterion import Criterion, Treatment
from lcstats.lengths.observed import base_rows

EXTRAPOLATED_DOUBLINGS = 6.0
"""How far beyond the tested lengths a crossing is looked for."""

POINTS_PER_DOUBLING = 16
N_BISECTIONS = 45
DRAWN_BISECTIONS = 17
MOST_DRAWS = 1000
"""Draws whose crossings are looked for: the ends of an interval need no more."""
RELATIVE_STEP = 1e-4
"""Step of the numerical derivative in a parameter, in standard errors."""
LENGTH_STEP = 1e-5
"""Step of the numerical derivative in log2 of the length."""


class Gridded(Protocol):
    """What knows its lengths, depths and cases: a fit, or cells that are only planned."""

    @property
    def grid(self) -> CellGrid:
        """The cells of the design."""


@dataclass(frozen=True, slots=True)
class Crossing:
    """The smallest length at which a curve is below the bar.

    Attributes
    ----------
    value : float
        In the lengths' unit.
    lower, upper : float or None
        Ends of the interval on the log2 scale, written as lengths; None where the curve cannot
        bound it: further than six doublings beyond the tested lengths nothing is looked for.
    level : float
    extrapolated : bool
        True if `value` lies outside the tested lengths.
    bootstrap_lower, bootstrap_upper : float or None
        Equal-tailed quantiles of the crossings of bootstrap draws; None where they are beyond the
        lengths searched.
    """

    value: float
    lower: float | None
    upper: float | None
    level: float
    extrapolated: bool
    bootstrap_lower: float | None = None
    bootstrap_upper: float | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return JSON-ready values."""
        return {
            "value": self.value,
            "lower": self.lower,
            "upper": self.upper,
            "level": self.level,
            "extrapolated": self.extrapolated,
            "bootstrap_lower": self.bootstrap_lower,
            "bootstrap_upper": self.bootstrap_upper,
        }


def treated(accuracy: FloatArray, treatment: Treatment, weights: FloatArray) -> FloatArray:
    """Apply a depth treatment to the last axis of fitted accuracies.

    Parameters
    ----------
    accuracy : ndarray of float64, shape (..., n_depths)
    treatment : Treatment
    weights : ndarray of float64, shape (n_depths,)
        Share of the cases at each depth, for ``pooled``.

    Notes
    -----
    A curve has an accuracy at every tested depth, also where a length has no cases; so its windows
    are all those of the grid.
    """
    if treatment.kind == "pooled":
        return np.asarray((accuracy * weights).sum(axis=-1))
    if treatment.kind == "mean":
        return np.asarray(accuracy.mean(axis=-1))
    if treatment.is_window:
        # Added up depth by depth: numpy's mean of a view of windows takes ten times as long.
        n_windows = accuracy.shape[-1] - treatment.width + 1
        shifted = (accuracy[..., first : first + n_windows] for first in range(treatment.width))
        return np.asarray((reduce(np.add, shifted) / treatment.width).min(axis=-1))
    rank = treatment.rank(accuracy.shape[-1]) - 1
    return np.asarray(np.partition(accuracy, rank, axis=-1)[..., rank])


def depth_weights(grid: CellGrid) -> FloatArray:
    """Share of all cases at each depth, shape (n_depths,): what ``pooled`` weighs by."""
    by_depth = grid.n_cases.sum(axis=0)
    return np.asarray(by_depth / by_depth.sum())


def curve_bar(fit: Gridded, curve: Curve, criterion: Criterion) -> float:
    """Return the bar in accuracy; a relative one is measured on the curve itself."""
    if criterion.fixed_bar is not None:
        return float(criterion.fixed_bar)
    base = fit.grid.lengths[list(base_rows(fit.grid.lengths, criterion))]
    score = height(fit, curve, criterion.treatment, np.log2(base)).mean()
    return float(criterion.exact_threshold) * float(score)


def height(fit: Gridded, curve: Curve, treatment: Treatment, doublings: FloatArray) -> FloatArray:
    """Depth-treated accuracy of a curve over the tested depths, at lengths ``2**doublings``."""
    accuracy = curve.accuracy(np.exp2(doublings), fit.grid.depths)
    return treated(accuracy, treatment, depth_weights(fit.grid))


def log2_crossing(fit: Gridded, curve: Curve, criterion: Criterion) -> float:
    """Return log2 of the crossing; -inf or inf where the search ends before it.

    A grid of sixteen points a doubling finds the first point below the bar, bisection the rest. A
    curve that reaches the bar at the shortest tested length is followed from there: one that rises
    before it falls may be below the bar at lengths that nobody tested.
    """
    tested = np.log2(fit.grid.lengths[[0, -1]].astype(np.float64))
    bar = curve_bar(fit, curve, criterion)
    reaches = height(fit, curve, criterion.treatment, tested[:1])[0] >= bar
    start = tested[0] - (0.0 if reaches else EXTRAPOLATED_DOUBLINGS)
    stop = tested[1] + EXTRAPOLATED_DOUBLINGS
    points = np.linspace(start, stop, int((stop - start) * POINTS_PER_DOUBLING) + 1)
    below = height(fit, curve, criterion.treatment, points) < bar
    if not below.any():
        return float("inf")
    first = int(below.argmax())
    if first == 0:
        return float("-inf")
    high, low = points[first - 1], points[first]
    for _ in range(N_BISECTIONS):
        middle = (high + low) / 2.0
        if height(fit, curve, criterion.treatment, np.array([middle]))[0] < bar:
            low = middle
        else:
            high = middle
    return float(low)


def find_crossing(
    fit: CurveFit, criterion: Criterion, *, level: float, draws: Draws | None = None
) -> Crossing | None:
    """Return the crossing of a fitted curve; None where it never falls below the bar in reach.

    The interval is the delta method on log2 of the length: the derivative in every parameter is
    taken numerically, through the whole rule, so that the depth that is worst, a relative base
    and an estimated lapse rate are all in it. Shared clusters use the robust covariance. With
    bootstrap `draws` of the fit their own interval stands beside it.
    """
    center = log2_crossing(fit, fit.curve, criterion)
    if not np.isfinite(center):
        return None
    shortest, longest = fit.grid.lengths[0], fit.grid.lengths[-1]
    error = _standard_error(fit, criterion, center)
    reach = float(ndtri((1.0 + level) / 2.0)) * error
    lowest = float(np.log2(shortest)) - EXTRAPOLATED_DOUBLINGS
    highest = float(np.log2(longest)) + EXTRAPOLATED_DOUBLINGS
    value = float(np.exp2(center))
    return Crossing(
        value=value,
        lower=float(np.exp2(center - reach)) if center - reach >= lowest else None,
        upper=float(np.exp2(center + reach)) if center + reach <= highest else None,
        level=level,
        extrapolated=not shortest <= value <= longest,
        **_bootstrap_ends(fit, draws, criterion, level),
    )


def _bootstrap_ends(
    fit: CurveFit, draws: Draws | None, criterion: Criterion, level: float
) -> dict[str, float | None]:
    """Return the equal-tailed ends of the draws' crossings."""
    if draws is None:
        return {}
    outside = (1.0 - level) / 2.0
    crossings = np.sort(drawn_crossings(fit, draws.first(MOST_DRAWS), criterion))
    place = int(outside * (crossings.size - 1))
    ends = {"bootstrap_lower": crossings[place], "bootstrap_upper": crossings[-1 - place]}
    return {name: float(np.exp2(e)) if np.isfinite(e) else None for name, e in ends.items()}


def drawn_crossings(fit: CurveFit, draws: Draws, criterion: Criterion) -> FloatArray:
    """Return log2 of every draw's crossing, found as :func:`log2_crossing` finds the curve's.

    A point at every doubling brackets the first fall below the bar, and bisection of all draws
    together finds it to a hundred-thousandth of one.

    Returns
    -------
    ndarray of float64, shape (n_draws,)
        inf where a draw does not fall below the bar in reach, -inf where it is below all the way.
    """
    tested = np.log2(fit.grid.lengths[[0, -1]].astype(np.float64))
    start, stop = tested[0] - EXTRAPOLATED_DOUBLINGS, tested[1] + EXTRAPOLATED_DOUBLINGS
    points = np.union1d(np.arange(start, stop), tested[0])
    grid = np.broadcast_to(points, (len(draws), points.size))
    bars = _drawn_bars(fit, draws, criterion)
    below = _drawn_heights(fit, draws, criterion.treatment, grid) < bars[:, None]
    below[:, points < tested[0]] &= below[:, points == tested[0]]
    first = below.argmax(axis=1)
    low, high = points[first], points[np.maximum(first - 1, 0)]
    for _ in range(DRAWN_BISECTIONS):
        middle = (low + high) / 2.0
        height = _drawn_heights(fit, draws, criterion.treatment, middle[:, None])[:, 0]
        falls = height < bars
        low, high = np.where(falls, middle, low), np.where(falls, high, middle)
    return np.where(~below.any(axis=1), np.inf, np.where(first == 0, -np.inf, low))


def _drawn_heights(
    fit: CurveFit, draws: Draws, treatment: Treatment, doublings: FloatArray
) -> FloatArray:
    """Depth-treated accuracy of every draw at its own lengths, shape (n_draws, n_points)."""
    design = fit.law.design(np.exp2(doublings)[..., None], fit.grid.depths)
    logits = np.einsum("npdt,nt->npd", design, draws.coefficients)
    accuracy = accuracy_from_logit(
        logits, guess_rate=fit.curve.guess_rate, lapse_rate=fit.curve.lapse_rate
    )
    return treated(accuracy, treatment, depth_weights(fit.grid))


def _drawn_bars(fit: CurveFit, draws: Draws, criterion: Criterion) -> FloatArray:
    """Return every draw's bar; a relative one is measured on the draw itself."""
    if criterion.fixed_bar is not None:
        return np.full(len(draws), float(criterion.fixed_bar))
    base = list(base_rows(fit.grid.lengths, criterion))
    heights = treated(draws.accuracies[:, base], criterion.treatment, depth_weights(fit.grid))
    return np.asarray(float(criterion.exact_threshold) * heights.mean(axis=1))


def _standard_error(fit: CurveFit, criterion: Criterion, center: float) -> float:
    """Standard error of log2 of the crossing; infinite where a derivative has no value."""
    covariance = fit.covariance
    if fit.grid.is_clustered and fit.robust_covariance is not None:
        covariance = fit.robust_covariance
    gradient = _gradient(fit, criterion, center)
    if not np.all(np.isfinite(gradient)):
        return float("inf")
    return float(np.sqrt(max(float(gradient @ covariance @ gradient), 0.0)))


def _gradient(fit: CurveFit, criterion: Criterion, center: float) -> FloatArray:
    """Derivative of log2 of the crossing in every parameter; NaN or infinite where it has none.

    At the crossing the height above the bar is 0, so its derivatives in the parameters and in log2
    of the length give that of the crossing (implicit function theorem); they are central
    differences through the whole rule.
    """
    errors = standard_errors(fit.covariance)
    steps = RELATIVE_STEP * np.where(np.isfinite(errors), errors, np.nan)

    def above(curve: Curve, doublings: float) -> float:
        reached = height(fit, curve, criterion.treatment, np.array([doublings]))[0]
        return float(reached) - curve_bar(fit, curve, criterion)

    def difference(name: str, step: float) -> float:
        ends = [above(_moved(fit.curve, name, way * step), center) for way in (1.0, -1.0)]
        return (ends[0] - ends[1]) / (2.0 * step)

    rise = above(fit.curve, center + LENGTH_STEP) - above(fit.curve, center - LENGTH_STEP)
    slope = rise / (2.0 * LENGTH_STEP)
    if not np.all(steps > 0.0) or slope == 0.0:
        return np.full(steps.size, np.nan)
    return np.array(
        [-difference(n, float(h)) / slope for n, h in zip(fit.parameters, steps, strict=True)]
    )


def _moved(curve: Curve, name: str, step: float) -> Curve:
    """Return the curve with one parameter moved."""
    values = {field: getattr(curve, field) for field in (*TERMS, *_CONSTANTS)}
    values[name] = values[name] + step
    return Curve(**values)


_CONSTANTS = ("guess_rate", "lapse_rate", "recency_scale", "base_length", "span_doublings")
