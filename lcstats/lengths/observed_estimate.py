"""The estimate from raw cells: its masses, its default set, and the others asked for."""

from dataclasses import replace

import numpy as np

from lcstats.cells import CellGrid
from lcstats.lengths.adaptive import LATER_CASES, on_all_lengths
from lcstats.lengths.answer import Estimate, FallBack, Interval
from lcstats.lengths.anytime import anytime_bounds, anytime_gap
from lcstats.lengths.certified import Bounds, certify
from lcstats.lengths.criterion import Criterion
from lcstats.lengths.jeffreys import jeffreys_bounds, jeffreys_masses, jeffreys_rows
from lcstats.lengths.masses import bootstrap_masses
from lcstats.lengths.observed import Observed, observe
from lcstats.lengths.request import Request
from lcstats.lengths.shares import weigh_equally

SURFACE_SETS = ("hybrid", "strict", "posterior")
"""Kinds of sets that raw cells do not have."""


def estimate_from_observed(grid: CellGrid, observed: Observed, request: Request) -> Estimate:
    """Return the estimate of raw cells; its default set is certified, or stands in by name."""
    passing = observed.longest_passing
    is_order = request.criterion.treatment.is_order
    return Estimate(
        method="observed",
        outcome=observed.outcome,
        lengths=grid.lengths,
        longest_passing=None if passing is None else int(grid.lengths[passing]),
        masses={
            kind: _masses(kind, grid, observed, request)
            for kind in request.masses
            if not (kind == "jeffreys" and is_order)
        },
        sets=_intervals(grid, observed, request),
    )


def _masses(kind: str, grid: CellGrid, observed: Observed, request: Request) -> np.ndarray:
    if kind == "bootstrap":
        return bootstrap_masses(grid, request.criterion, seed=request.seed)
    rows = jeffreys_rows(grid, observed, request.criterion)
    return jeffreys_masses(rows, observed, grid.lengths, request.criterion)


def _intervals(grid: CellGrid, observed: Observed, request: Request) -> tuple[Interval, ...]:
    """Make the default set first, then every other kind that was asked for."""
    if grid.is_adaptive:
        return _adaptive_intervals(grid, observed, request)
    default = _interval("certified", grid, observed, request, is_default=True)
    passed_over = ("default", default.kind, *SURFACE_SETS)
    kinds = [kind for kind in request.kinds if kind not in passed_over]
    others = [_interval(kind, grid, observed, request) for kind in kinds]
    return default, *(interval for interval in others if interval.kind != default.kind)


def _adaptive_intervals(
    grid: CellGrid, observed: Observed, request: Request
) -> tuple[Interval, ...]:
    """Make the anytime set first, then sets for a fixed number of cases from the fixed pilot.

    Where there is no anytime set, the pilot's is the default.
    """
    anytime = _interval("anytime", grid, observed, request, is_default=True)
    default = replace(anytime, fell_back_from=FallBack("certified", LATER_CASES))
    if grid.pilot is None:
        return (default,)
    in_pilot = observe(grid.pilot, request.criterion)
    asked = replace(request, bar=in_pilot.applied_threshold)
    gap = anytime_gap(grid, request.criterion)
    if gap:
        pilot = _interval("certified", grid.pilot, in_pilot, asked, is_default=True)
        default = replace(pilot, fell_back_from=FallBack("anytime", gap))
        default = on_all_lengths(default, grid.lengths).holding(observed.outcome)
    kinds = [kind for kind in request.kinds if kind in ("certified", "jeffreys")]
    of_pilot = [_interval(kind, grid.pilot, in_pilot, asked) for kind in kinds]
    others = {interval.kind: on_all_lengths(interval, grid.lengths) for interval in of_pilot}
    others.pop(default.kind, None)
    return default, *(interval.holding(observed.outcome) for interval in others.values())


def _interval(
    kind: str,
    grid: CellGrid,
    observed: Observed,
    request: Request,
    *,
    is_default: bool = False,
) -> Interval:
    """Make one set; where its conditions fail, the one that stands in, by name."""
    criterion, level = request.criterion, request.level
    reason = _refusal(kind, grid, criterion, is_default=is_default)
    fall_back = FallBack(kind, reason) if reason else None
    if reason:
        kind = "certified" if kind == "jeffreys" else "jeffreys"
    if kind == "anytime":
        bounds = anytime_bounds(grid, request.bar, criterion, level=level)
    elif kind == "jeffreys":
        bounds = _jeffreys(grid, observed, criterion, level)
    else:
        bounds = certify(grid, request.bar, criterion, level=level)
    return Interval(
        kind=kind,
        level=level,
        lower=bounds.lower,
        upper=bounds.upper,
        lengths=grid.lengths,
        is_default=is_default,
        floor=bounds.floor,
        fell_back_from=fall_back,
        diagnostics=bounds.diagnostics,
    ).holding(observed.outcome)


def _jeffreys(grid: CellGrid, observed: Observed, criterion: Criterion, level: float) -> Bounds:
    rows = jeffreys_rows(grid, observed, criterion)
    lower, upper = jeffreys_bounds(rows, observed, grid.lengths, criterion, level=level)
    effect = float(rows.design_effect.max())
    return Bounds(lower, upper, None, {"largest_design_effect": effect})


def _refusal(kind: str, grid: CellGrid, criterion: Criterion, *, is_default: bool) -> str | None:
    """Say why a kind of set cannot be made for these cells, or is no default for them, or None."""
    if kind == "anytime":
        return None
    if kind == "jeffreys":
        order = criterion.treatment.is_order
        return "the Jeffreys set exists for mean and pooled depth only" if order else None
    if criterion.treatment.is_order or not (is_default or criterion.rule == "relative"):
        return None
    if grid.has_fractions:
        return "graded scores or folded repeats are not 0/1 outcomes"
    if grid.is_clustered:
        return "cases share clusters, so they are not independent"
    if not weigh_equally(grid, criterion.treatment):
        unequal = "the cases of a length do not all weigh the same in the average"
        return unequal if grid.members else "the depths of a length have unequal numbers of cases"
    return None
