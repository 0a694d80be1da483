"""``certify``: the certified set of any depth treatment, or every outcome where none is proved."""

from fractions import Fraction
from functools import lru_cache

from lcstats.cells import CellGrid
from lcstats.lengths.certified.bounded import certified_bounded
from lcstats.lengths.certified.bounds import Bounds, highest_kept
from lcstats.lengths.certified.cells import certified_cells
from lcstats.lengths.certified.means import certified_mean
from lcstats.lengths.certified.ranks import certified_rank
from lcstats.lengths.certified.relative import certified_relative
from lcstats.lengths.certified.scan import certified_worst
from lcstats.lengths.certified.uneven import certified_uneven
from lcstats.lengths.certified.window import certified_window
from lcstats.lengths.criterion import Criterion, Treatment
from lcstats.lengths.shares import weigh_equally


@lru_cache(maxsize=2)
def certify(grid: CellGrid, bar: Fraction, criterion: Criterion, *, level: float) -> Bounds:
    """Return the certified set; it holds every outcome, and says why, where none is proved.

    The last ones are kept, as :func:`certified_upper` takes the tests of the set beside it.

    Parameters
    ----------
    grid : CellGrid
    bar : Fraction
        In accuracy, after the threshold rule.
    criterion : Criterion
    level : float
    """
    treatment = criterion.treatment
    if not treatment.is_order and criterion.rule == "relative":
        return certified_relative(grid, criterion, level=level)
    if not treatment.is_order:
        if has_equal_cases(grid, treatment):
            return certified_mean(grid, bar, level=level)
        return certified_uneven(grid, bar, treatment, level=level)
    gap = certification_gap(criterion)
    if gap:
        return Bounds(0, grid.lengths.size, None, {"construction": f"every outcome: {gap}"})
    if treatment.is_window:
        if has_equal_cases(grid, treatment):
            return certified_window(grid, bar, treatment.width, level=level)
        return certified_uneven(grid, bar, treatment, level=level)
    rank = treatment.rank(grid.depths.size)
    has_units = grid.has_fractions or grid.is_clustered
    if rank == 1:
        return (certified_bounded if has_units else certified_worst)(grid, bar, level=level)
    if bar < 1 and has_equal_cases(grid, treatment):
        return certified_rank(grid, bar, rank, level=level)
    return certified_cells(grid, bar, treatment, level=level)


def certified_upper(
    grid: CellGrid, bar: Fraction, criterion: Criterion, error: float, *, level: float
) -> int:
    """Return an upper end for a part of a length that is proved at `error`, all of it spent there.

    Parameters
    ----------
    grid : CellGrid
    bar : Fraction
    criterion : Criterion
        For worst depth, a quantile or windows, without a certification gap.
    error : float
        Probability, at most, with which the truth is above it.
    level : float
        Of the certified set beside it, whose tests are taken.
    """
    p_values = certify(grid, bar, criterion, level=level).p_values
    if p_values is None:
        return certify(grid, bar, criterion, level=1.0 - 2.0 * error).upper
    return highest_kept(p_values, error)


def certification_gap(criterion: Criterion) -> str | None:
    """Say what keeps parts of a length from being certified, or None."""
    if criterion.rule == "relative":
        return "the base of a relative threshold is measured too, and no set is proved for that"
    return None


def has_equal_cases(grid: CellGrid, treatment: Treatment) -> bool:
    """Tell whether cases are 0 or 1, independent, and worth the same at each length."""
    return not grid.has_fractions and not grid.is_clustered and weigh_equally(grid, treatment)
