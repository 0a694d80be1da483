"""Masses: how often each outcome would come up again. Not a set that holds the truth.

``bootstrap`` is the distribution of the observed effective length when every cell is drawn
again from its own cases. Cells are independent, so it is known exactly and nothing is drawn:
cells of a length are convolved, lengths are multiplied. Only clusters that lengths or depths
share, and lattices too fine to convolve, need counted resampling.
"""

from fractions import Fraction
from math import lcm

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lcstats.cells import CellGrid
from lcstats.errors import TableError, describe
from lcstats.kernels.binomial import joint_with_total
from lcstats.lengths.case_laws import passing_windows_of_cases, row_laws_of_cases
from lcstats.lengths.criterion import Criterion, Treatment
from lcstats.lengths.laws import (
    FINEST_LATTICE,
    RowLaw,
    is_too_fine,
    outcome_masses,
    passing_probabilities,
    row_law,
)
from lcstats.lengths.observed import apply_rule, base_rows
from lcstats.lengths.resampling import bootstrap_rates, resampled_masses
from lcstats.lengths.shares import case_divisors, finest_step
from lcstats.lengths.window_laws import MOST_STATES, MOST_WORK, is_too_much
from lcstats.lengths.windows import check_runs
from lcstats.options import check_type

FINEST_JOINT_LATTICE = 20_000
"""Totals of several base lengths beyond which counted resampling takes over."""


def outcome_probabilities(
    accuracy: ArrayLike,
    n_cases: ArrayLike,
    criterion: Criterion,
    *,
    lengths: ArrayLike | None = None,
) -> NDArray[np.float64]:
    """Exact probability of every observed effective length when the true accuracies are known.

    Parameters
    ----------
    accuracy : array_like, shape (n_lengths, n_depths)
        True accuracy of every cell, in [0, 1].
    n_cases : int or array_like of int, shape (n_lengths, n_depths)
        Cases per cell; 0 leaves a cell out.
    criterion : Criterion
    lengths : array_like of int, shape (n_lengths,), optional
        Needed only to find named base lengths of a ``relative`` threshold.

    Returns
    -------
    ndarray of float64, shape (n_lengths + 1,)
        Entry i is the probability that exactly the first i lengths pass in a row.

    Raises
    ------
    TableError
        If accuracies lie outside [0, 1], a length has no cases, unequal numbers of cases have too
        large a common multiple, or windows have too many cases.
    OptionError
        If `criterion` is none, a base length is not among the lengths, or a length has fewer
        adjacent depths with cases than a window has.

    Notes
    -----
    Cell counts are independent binomials; see METHOD section 4. The hit probability of a
    design is the entry at the true outcome.

    Examples
    --------
    >>> from lcstats import Criterion
    >>> outcome_probabilities([[0.99], [0.5]], 20, Criterion(0.85)).round(4).tolist()
    [0.0, 0.9987, 0.0013]
    """
    check_type(criterion, Criterion, "criterion")
    rates = np.atleast_2d(np.asarray(accuracy, dtype=np.float64))
    n_cases = np.broadcast_to(np.asarray(n_cases, dtype=np.int64), rates.shape).copy()
    _check_rates(rates, n_cases)
    if criterion.treatment.kind != "order" or criterion.fixed_bar is None:
        _check_lattice(n_cases, criterion.treatment)
    _check_windows(n_cases, criterion)
    axis = np.arange(rates.shape[0]) if lengths is None else np.asarray(lengths, dtype=np.int64)
    return exact_masses(rates, n_cases, axis, criterion)


def bootstrap_masses(grid: CellGrid, criterion: Criterion, *, seed: int = 0) -> NDArray[np.float64]:
    """Return the bootstrap distribution of the observed outcome, shape (n_lengths + 1,).

    Exact unless cases share clusters, scores are on too fine a lattice or windows have too many
    states; then it is counted over seeded draws.
    """
    treatment = criterion.treatment
    if grid.is_clustered:
        return resampled_masses(grid, criterion, seed=seed)
    if grid.has_fractions and grid.cases is not None:
        too_fine = _case_lattice_size(grid, treatment) > FINEST_LATTICE
        if too_fine or _windows_too_much(grid.n_cases * grid.unit, criterion, grid.member_codes):
            return resampled_masses(grid, criterion, seed=seed)
        if treatment.is_window and criterion.rule != "relative":
            bar = apply_rule((), grid.lengths, criterion)
            return outcome_masses(passing_windows_of_cases(grid, bar, treatment.width))
        return masses_of_laws(row_laws_of_cases(grid, treatment), grid.lengths, criterion)
    rates, members = bootstrap_rates(grid), grid.member_codes
    if (
        is_too_fine(grid.n_cases, treatment, members)
        or _base_too_fine(grid, criterion)
        or _windows_too_much(grid.n_cases, criterion, members)
    ):
        return resampled_masses(grid, criterion, seed=seed)
    return exact_masses(rates, grid.n_cases, grid.lengths, criterion, members=members)


def exact_masses(
    rates: NDArray[np.float64],
    n_cases: NDArray[np.int64],
    lengths: NDArray[np.int64],
    criterion: Criterion,
    *,
    members: NDArray[np.int64] | None = None,
) -> NDArray[np.float64]:
    """Return the distribution of the outcome when cells are independent binomials."""
    treatment = criterion.treatment
    if criterion.rule == "relative":
        laws = [row_law(rates[i], n_cases[i], treatment, members) for i in range(len(rates))]
        return masses_of_laws(laws, lengths, criterion)
    bar = apply_rule((), lengths, criterion)
    passing = passing_probabilities(rates, n_cases, bar, treatment, members=members)
    return outcome_masses(passing)


def masses_of_laws(
    laws: list[RowLaw], lengths: NDArray[np.int64], criterion: Criterion
) -> NDArray[np.float64]:
    """Return the distribution of the outcome from each length's accuracy distribution."""
    if criterion.rule == "relative":
        base = base_rows(lengths, criterion)
        return _relative_masses(laws, base, criterion.exact_threshold)
    bar = apply_rule((), lengths, criterion)
    return outcome_masses(np.array([law.tail(bar) for law in laws]))


def _relative_masses(
    laws: list[RowLaw], base: tuple[int, ...], share: Fraction
) -> NDArray[np.float64]:
    """Condition on the base's total, where all lengths are independent, and add up."""
    scale = lcm(*(laws[i].scale for i in base))
    embedded = np.stack([_embed(laws[i], scale) for i in base])
    totals = np.arange(len(base) * scale + 1)
    reached = 0
    joint = joint_with_total(embedded, 0, totals)
    others = np.ones(totals.size)
    reach = [1.0]
    for i, law in enumerate(laws):
        if i in base:
            reached += 1
            least = _least_steps(share / len(base), totals)
            joint = joint_with_total(embedded, reached, least)
        else:
            beyond = np.append(np.cumsum(law.mass[::-1])[::-1], 0.0)
            bar = share * law.scale / (len(base) * scale)
            others = others * beyond[_least_steps(bar, totals)]
        reach.append(float(joint @ others))
    falls = -np.diff(np.append(np.minimum(reach, 1.0), 0.0))
    return np.maximum(falls, 0.0) + 0.0


def _least_steps(share: Fraction, totals: NDArray[np.int64]) -> NDArray[np.int64]:
    """Smallest whole numbers that are at least ``share * totals``."""
    steps: NDArray[np.int64] = -(-share.numerator * totals // share.denominator)
    return steps


def _embed(law: RowLaw, scale: int) -> NDArray[np.float64]:
    """Write a law on a finer lattice whose scale is a multiple of its own."""
    mass = np.zeros(scale + 1)
    mass[:: scale // law.scale] = law.mass
    return mass


def _case_lattice_size(grid: CellGrid, treatment: Treatment) -> int:
    """Points of the finest lattice that a length's accuracy can live on."""
    divisors = case_divisors(grid.n_cases, treatment, grid.member_codes)
    rows = zip(grid.n_cases, divisors, strict=True)
    return grid.unit * max(finest_step(*row, is_order=False) for row in rows)


def _base_too_fine(grid: CellGrid, criterion: Criterion) -> bool:
    """True if a relative threshold's base has more possible totals than is worth summing."""
    if criterion.rule != "relative":
        return False
    base = base_rows(grid.lengths, criterion)
    divisors = case_divisors(grid.n_cases, criterion.treatment, grid.member_codes)
    is_cell = criterion.treatment.kind == "order"
    scales = [finest_step(grid.n_cases[i], divisors[i], is_order=is_cell) for i in base]
    return len(base) > 1 and len(base) * lcm(*scales) > FINEST_JOINT_LATTICE


def _windows_too_much(
    n_units: NDArray[np.int64], criterion: Criterion, members: NDArray[np.int64] | None
) -> bool:
    """True if the exact law of windows takes more states or steps than is worth it."""
    if not criterion.treatment.is_window:
        return False
    width, tau = criterion.treatment.width, criterion.fixed_bar
    return is_too_much(n_units, width, members=members, tau=tau)


def _check_windows(n_cases: NDArray[np.int64], criterion: Criterion) -> None:
    """Raise where a length has no window, or windows have more states than can be followed."""
    treatment = criterion.treatment
    if not treatment.is_window:
        return
    check_runs(n_cases, treatment.width, [f"number {i + 1}" for i in range(len(n_cases))])
    if _windows_too_much(n_cases, criterion, None):
        raise TableError(
            describe(
                f"windows of {treatment.width} depths with up to {n_cases.max()} cases each have "
                "too many states to be added up exactly",
                f"expected at most {MOST_STATES} states, and {MOST_WORK} steps for the table",
                "use fewer cases or narrower windows, or draw tables with simulate_trials",
            )
        )


def _check_lattice(n_cases: NDArray[np.int64], treatment: Treatment) -> None:
    if is_too_fine(n_cases, treatment):
        raise TableError(
            describe(
                "the numbers of cases of a length have no common multiple small enough to add up "
                "exactly",
                f"expected a lattice of at most {FINEST_LATTICE} points",
                "use equal numbers of cases at the depths of a length, or pooled depth",
            )
        )


def _check_rates(rates: NDArray[np.float64], n_cases: NDArray[np.int64]) -> None:
    used = n_cases > 0
    if not np.all(used.any(axis=1)):
        raise TableError(
            describe(
                f"length number {int(np.argmin(used.any(axis=1))) + 1} has no cases",
                "expected at least one cell with cases at every length",
                "leave that length out",
            )
        )
    wrong = used & ~((rates >= 0) & (rates <= 1))
    if wrong.any():
        row, column = np.argwhere(wrong)[0]
        raise TableError(
            describe(
                f"accuracy of length number {row + 1}, depth number {column + 1} is "
                f"{rates[row, column]}",
                "expected a fraction in [0, 1]",
                "divide percentages by 100",
            )
        )
