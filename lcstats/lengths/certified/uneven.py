"""The certified set for means and windows whose cases do not all count alike.

Unequal numbers of cases, graded scores, folded repeats, clusters, averages over tasks: a length,
or a window of it, is a weighted mean of independent units (:mod:`.units`).
"""

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from lcstats.cells import CellGrid
from lcstats.lengths.certified.bounds import Bounds, certification_floor, highest_kept
from lcstats.lengths.certified.units import Units, units_of
from lcstats.lengths.certified.window import SHARES
from lcstats.lengths.criterion import Treatment
from lcstats.lengths.observed import leading
from lcstats.lengths.shares import case_divisors, membership
from lcstats.lengths.windows import stretches


def certified_uneven(
    grid: CellGrid, tau: Fraction, treatment: Treatment, *, level: float
) -> Bounds:
    """Return the certified set for a mean, a pooled accuracy or windows, of whatever cases.

    Parameters
    ----------
    grid : CellGrid
        Scores in [0, 1]; clusters are independent of one another and may span depths and lengths.
        A length that lacks a depth is not accepted; of windows, those that are whole refute it.
    tau : Fraction
        The bar.
    treatment : Treatment
        ``mean``, ``pooled`` or a window.
    level : float
        Probability with which the set holds the truth, at least.

    Notes
    -----
    A length's p-value is the bound on its weighted mean being as low as it is, over shares of the
    level where it has windows. It is accepted where the bound on every mean being as high is aL at
    most. aL and aU add up to the error: clusters may span lengths.
    """
    error, rate = 1 - level, float(tau)
    rows = range(grid.lengths.size)
    own = [_own_parts(grid, treatment, row) for row in rows]
    p_values = np.array(
        [_p_value(own[row], _joint_parts(grid, treatment, row), rate) for row in rows]
    )
    whole = _are_whole(grid, treatment)
    if not treatment.is_window:
        p_values = np.where(whole, p_values, 1.0)
    lower_error = error / 2 if _can_certify(own[0], rate, error / 2) else 0.0
    accepted = [all(part.high_bound(rate) <= lower_error for part in parts) for parts in own]
    return Bounds(
        lower=leading(whole & np.array(accepted)),
        upper=highest_kept(p_values, error - lower_error),
        floor=certification_floor(tau, error / 2),
        diagnostics={
            "construction": "weighted means of independent units: Chernoff and convex bounds",
            "floor_counts": f"perfect cases per {'window' if treatment.is_window else 'length'}",
            "lower_error": lower_error,
            "upper_error": error - lower_error,
        },
        p_values=p_values,
    )


def _own_parts(grid: CellGrid, treatment: Treatment, row: int) -> list[Units]:
    """Return the means that a length has to have at the bar: one, or one per whole window."""
    divisors = case_divisors(grid.n_cases, treatment, grid.member_codes)[row]
    weight = np.divide(1.0, divisors, out=np.zeros(divisors.size), where=divisors > 0)
    return [
        units_of(grid, _placed(grid, weight, [row], columns))
        for columns in _columns(grid, treatment, [row])
    ]


def _joint_parts(grid: CellGrid, treatment: Treatment, row: int) -> list[Units]:
    """Return the means of windows over a length and the one before it."""
    if not (treatment.is_window and row):
        return []
    rows = [row - 1, row]
    divisors = 2.0 * treatment.width * np.maximum(grid.n_cases, 1)
    return [
        units_of(grid, _placed(grid, 1.0 / divisors[rows], rows, columns))
        for columns in _columns(grid, treatment, rows)
    ]


def _columns(grid: CellGrid, treatment: Treatment, rows: list[int]) -> Iterator[NDArray[np.int64]]:
    """Yield the depths that are looked at together: all of them, or every whole window."""
    if not treatment.is_window:
        yield np.arange(grid.depths.size)
        return
    present = np.asarray((grid.n_cases[rows] > 0).all(axis=0))
    for run in stretches(present, grid.member_codes, treatment.width):
        for first in range(run.size - treatment.width + 1):
            yield run[first : first + treatment.width]


def _placed(
    grid: CellGrid, weights: NDArray[np.float64], rows: list[int], columns: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Put weights of some rows on a grid that is 0 elsewhere."""
    placed = np.zeros(grid.n_cases.shape)
    placed[np.array(rows)[:, None], columns] = np.atleast_2d(weights)[:, columns]
    return placed


def _p_value(own: list[Units], joint: list[Units], rate: float) -> float:
    """Return the smallest bound over its share of the level: .7 for windows alone, .3 for joint."""
    shares = SHARES if joint else (1.0, 0.0)
    bounds = [
        part.low_bound(rate) * len(parts) / share
        for parts, share in zip((own, joint), shares, strict=True)
        for part in parts
    ]
    return min(1.0, *bounds)


def _can_certify(parts: list[Units], rate: float, error: float) -> bool:
    """Tell whether the first length would be accepted if all of it were right."""
    return all(replace(part, total=1.0).high_bound(rate) <= error for part in parts)


def _are_whole(grid: CellGrid, treatment: Treatment) -> NDArray[np.bool_]:
    """Mark the lengths that lack no depth; of pooled accuracy, no averaged task."""
    present = grid.n_cases > 0
    if treatment.kind == "pooled":
        present = present @ membership(grid.member_codes) > 0
    return np.asarray(present.all(axis=1))
