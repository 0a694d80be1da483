"""How far a task of several needles goes, by the rate of a single one."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from lcstats.curve import Curve, FloatArray
from lcstats.flexible import FlexibleFit
from lcstats.lengths.answer import estimate_of
from lcstats.lengths.estimate import TIE, Estimate, Interval, equal_tailed_ends
from lcstats.lengths.observed import leading
from lcstats.needles.data import Floats, Whole
from lcstats.needles.required import required_rate
from lcstats.needles.single import SingleNeedle
from lcstats.options import Method
from lcstats.records import array_of, freeze_arrays, list_numbers

Layout = Literal["spread", "close"]
"""Needles at depths of their own, or all at one depth."""

LAYOUTS: tuple[Layout, ...] = ("spread", "close")

POINTS_PER_DOUBLING = 64


@dataclass(frozen=True, slots=True, eq=False)
class TaskLength:
    """The effective length that single needles imply for a task, if needles were independent.

    Attributes
    ----------
    n_needles : int
    layout : {"spread", "close"}
        ``spread``: each at any tested depth, the rate is the mean over depths to the power of their
        number. ``close``: all at one depth, the rate is the mean over depths of the power.
    required_rate : float
        Of a single needle.
    joint : ndarray of float64, shape (n_lengths,)
        Implied share of trials that find all needles.
    estimate : Estimate
        The longest tested length up to which that reaches the target, with masses and a set.
    crossing : float or None
        Where the mean rate of the curve falls below the required one, in the lengths' unit; None
        where it does not within the tested lengths, and for needles close together.
    """

    n_needles: int
    layout: Layout
    required_rate: float
    joint: Floats
    estimate: Estimate
    crossing: float | None = None

    def __post_init__(self) -> None:
        """Make the array read-only."""
        freeze_arrays(self)

    def to_dict(self) -> dict[str, Any]:
        """Return JSON-ready values."""
        lengths = map(str, self.estimate.lengths.tolist())
        estimate = self.estimate.to_dict()
        kept = ("method", "length", "status", "display", "longest_passing", "sets", "masses")
        return {
            **{name: estimate[name] for name in kept},
            "crossing": self.crossing,
            "joint_by_length": dict(zip(lengths, list_numbers(self.joint), strict=True)),
        }

    @classmethod
    def from_dict(
        cls, document: Mapping[str, Any], n_needles: int, layout: Layout, required_rate: float
    ) -> "TaskLength":
        """Restore what :meth:`to_dict` returned, and where it stood."""
        by_length = document["joint_by_length"]
        lengths = np.array(list(map(int, by_length)), dtype=np.int64)
        return cls(
            n_needles=n_needles,
            layout=layout,
            required_rate=required_rate,
            joint=array_of(list(by_length.values())),
            estimate=estimate_of({**document, "crossing": None}, lengths),
            crossing=document["crossing"],
        )


@dataclass(frozen=True, slots=True, eq=False)
class Rates:
    """Rates of a single needle, however they were found.

    Attributes
    ----------
    method : {"curve", "flexible"}
    kind : str
        Of the draws.
    lengths : ndarray of int64, shape (n_lengths,)
    rates : ndarray of float64, shape (n_lengths, n_depths)
    draws : ndarray of float64, shape (n_draws, n_lengths, n_depths)
    """

    method: Method
    kind: str
    lengths: Whole
    rates: Floats
    draws: Floats


def lengths_by_curve(
    single: SingleNeedle, target: float, numbers: Sequence[int], level: float
) -> tuple[TaskLength, ...]:
    """Return what a curve of single needles implies for each number and layout.

    Parameters
    ----------
    single : SingleNeedle
    target : float
        Share of trials that have to find all needles.
    numbers : sequence of int
    level : float
    """
    source = Rates("curve", single.kind, single.lengths, single.rates, single.draws)
    found = _all_lengths(source, target, numbers, level)
    return tuple(_with_crossing(single, one) for one in found)


def lengths_by_surface(
    surface: FlexibleFit, target: float, numbers: Sequence[int], level: float
) -> tuple[TaskLength, ...]:
    """Return what a surface of single needles implies for each number and layout."""
    source = Rates(
        "flexible", "posterior", surface.grid.lengths, surface.accuracy, surface.accuracies
    )
    return _all_lengths(source, target, numbers, level)


def _all_lengths(
    source: Rates, target: float, numbers: Sequence[int], level: float
) -> tuple[TaskLength, ...]:
    return tuple(
        _task_length(source, number, layout, target, level)
        for number in numbers
        for layout in LAYOUTS
    )


def joint_rates(rates: FloatArray, n_needles: int, layout: Layout) -> FloatArray:
    """Return the chance that independent needles are all found.

    Parameters
    ----------
    rates : ndarray of float64, shape (..., n_depths)
        Of a single needle.
    n_needles : int
    layout : {"spread", "close"}

    Returns
    -------
    ndarray of float64, shape (...)

    Examples
    --------
    >>> rates = np.array([0.9, 0.5])
    >>> joint_rates(rates, 2, "spread").round(2), joint_rates(rates, 2, "close").round(2)
    (np.float64(0.49), np.float64(0.53))
    """
    if layout == "spread":
        return np.asarray(rates.mean(axis=-1) ** n_needles)[()]
    return np.asarray((rates**n_needles).mean(axis=-1))[()]


def _task_length(
    source: Rates, number: int, layout: Layout, target: float, level: float
) -> TaskLength:
    lengths, joint = source.lengths, joint_rates(source.rates, number, layout)
    passes = joint >= target - TIE
    passing = np.flatnonzero(passes)
    outcome = leading(passes)
    masses: dict[str, Floats] = {}
    sets: tuple[Interval, ...] = ()
    if len(source.draws):
        masses[source.kind] = _masses(joint_rates(source.draws, number, layout), target)
        lower, upper = equal_tailed_ends(masses[source.kind], level)
        own = Interval(source.kind, level, lower, upper, lengths, is_default=True)
        sets = (own.holding(outcome),)
    estimate = Estimate(
        method=source.method,
        outcome=outcome,
        lengths=lengths,
        longest_passing=int(lengths[passing[-1]]) if passing.size else None,
        masses=masses,
        sets=sets,
    )
    return TaskLength(number, layout, required_rate(target, number), joint, estimate)


def _masses(drawn: Floats, target: float) -> Floats:
    """Share of draws at every outcome, shape (n_lengths + 1,)."""
    reached = drawn >= target - TIE
    n_lengths = reached.shape[1]
    outcomes = np.where(reached.all(axis=1), n_lengths, np.argmin(reached, axis=1))
    return np.bincount(outcomes, minlength=n_lengths + 1) / len(drawn)


def _with_crossing(single: SingleNeedle, length: TaskLength) -> TaskLength:
    """Add where the mean rate falls below the required one, for needles anywhere."""
    if length.layout != "spread":
        return length
    rate = length.required_rate
    crossing = crossing_of_mean(single.curve, single.lengths, single.depths, rate)
    return replace(length, crossing=crossing)


def crossing_of_mean(curve: Curve, lengths: Whole, depths: Floats, rate: float) -> float | None:
    """Return the smallest length between the tested ones at which the mean over depths is below.

    None where it is below at the shortest already, or nowhere.

    Examples
    --------
    >>> curve = Curve(4.2, 0.3, 1.9, 0.6)
    >>> found = crossing_of_mean(curve, np.array([1024, 131072]), np.linspace(0, 1, 11), 0.85)
    >>> round(float(curve.accuracy(found, np.linspace(0, 1, 11)).mean()), 4)
    0.85
    """
    first, last = np.log2(lengths[[0, -1]].astype(np.float64))
    n_points = max(2, int((last - first) * POINTS_PER_DOUBLING))
    points = np.linspace(first, last, n_points)
    below = curve.accuracy(2.0**points, depths).mean(axis=1) < rate
    if below[0] or not below.any():
        return None
    end = int(np.argmax(below))
    low, high = points[end - 1], points[end]
    for _ in range(50):
        middle = (low + high) / 2.0
        is_below = curve.accuracy(2.0**middle, depths).mean() < rate
        low, high = (low, middle) if is_below else (middle, high)
    return float(2.0**high)
