"""``effective_length``: the door of this room. It orchestrates; numbers happen elsewhere."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from lcstats.cells import CellGrid, Cells
from lcstats.draws import Draws
from lcstats.errors import OptionError, announce, describe
from lcstats.fit import CurveFit
from lcstats.flexible import FlexibleFit, fit_flexible
from lcstats.lengths.answer import EffectiveLength, Estimate, FallBack, Interval
from lcstats.lengths.certified import Bounds, certify
from lcstats.lengths.criterion import Criterion
from lcstats.lengths.curve_estimate import draw_curves, estimate_from_curve
from lcstats.lengths.flexible_sets import FlexibleRequest, estimate_with_sets, is_quick
from lcstats.lengths.jeffreys import jeffreys_bounds, jeffreys_masses, jeffreys_rows
from lcstats.lengths.masses import bootstrap_masses
from lcstats.lengths.missing import bounds_for_missing
from lcstats.lengths.notices import notices_on, notices_on_refits
from lcstats.lengths.observed import Observed, observe
from lcstats.lengths.shares import weigh_equally
from lcstats.options import MassKind, SetKind, check_level, check_type, check_whole, check_words
from lcstats.posterior import sample_posterior

SURFACE_SETS = ("hybrid", "strict", "posterior")


def effective_length(
    cells: Cells,
    criterion: Criterion,
    *,
    fit: CurveFit | None = None,
    flexible: FlexibleFit | None = None,
    draws: Draws | Sequence[Draws] = (),
    level: float = 0.95,
    sets: SetKind | Sequence[SetKind] = ("default",),
    masses: MassKind | Sequence[MassKind] = ("bootstrap", "jeffreys"),
    seed: int = 0,
) -> EffectiveLength:
    """State how long a context works, with sets that hold the truth and masses beside them.

    The effective length is the largest tested length such that it and every shorter one reach
    the bar (METHOD section 3). It is decided on integer counts; ties pass.

    Parameters
    ----------
    cells : Cells
        One language model on one task.
    criterion : Criterion
    fit : CurveFit, optional
        A curve fitted to these cells; adds the estimate ``curve`` beside ``observed``.
    flexible : FlexibleFit, optional
        A surface fitted to these cells; adds the estimate ``flexible``. For worst depth,
        quantiles and windows, whose default set needs one, it is fitted here without it, unless
        the grid has more than 400 cells, which takes seconds.
    draws : Draws or sequence of Draws
        Of `fit`, such as those of ``sample_posterior``; their masses and sets stand with the
        curve. Without any, counts or clusters are drawn from it again, and the posterior is where
        `sets` names it.
    level : float
        Level of the sets, in (0, 1).
    sets : {"default", "certified", "jeffreys", "hybrid", "strict", "posterior"} or several
        ``default`` is always the first set of an estimate, and that of the headline is the one to
        quote. For mean and pooled depth it is ``certified`` where its conditions hold and
        ``jeffreys``, by name and with the reason, where they do not. For worst depth, quantiles
        and windows it is the surface's ``hybrid``: upper end certified, lower end from its
        posterior; ``strict`` is its wider variant. Without "default" among `sets` no surface is
        fitted here.
    masses : {"bootstrap", "jeffreys"} or sequence of them
        ``jeffreys`` exists for mean and pooled depth only and is left out elsewhere.
    seed : int
        Used where masses have to be drawn: clusters, very fine lattices, the curve's bootstrap.

    Returns
    -------
    EffectiveLength

    Raises
    ------
    OptionError
        If `cells` are no cells or several groups, `criterion` is none, a base length was not
        tested or an option is unknown.

    Examples
    --------
    >>> cells = Cells.from_counts(
    ...     [4096, 8192, 16384],
    ...     [0.0, 0.5],
    ...     n_cases=20,
    ...     successes=[[20, 20], [19, 17], [12, 10]],
    ... )
    >>> answer = effective_length(cells, Criterion(0.85))
    >>> answer.observed.display, answer.observed.default_set.display
    ('8192', '4096 to 8192')
    """
    check_type(cells, Cells, "cells")
    check_type(criterion, Criterion, "criterion")
    if fit is not None:
        check_type(fit, CurveFit, "fit")
    if flexible is not None:
        check_type(flexible, FlexibleFit, "flexible")
    check_level(level)
    check_whole(seed, "seed")
    grid = cells.grid
    if not criterion.guess_rate and grid.guess_rate:
        criterion = replace(criterion, guess_rate=grid.guess_rate)
    observed = observe(grid, criterion)
    outcome = observed.outcome
    passing = observed.longest_passing
    kinds = check_words(sets, SetKind, "sets")
    ours = tuple(kind for kind in kinds if kind not in SURFACE_SETS)
    intervals = _intervals(grid, observed, criterion, level=level, kinds=ours)
    estimate = Estimate(
        method="observed",
        outcome=outcome,
        lengths=grid.lengths,
        longest_passing=None if passing is None else int(grid.lengths[passing]),
        masses={
            kind: _masses(kind, grid, observed, criterion, seed)
            for kind in check_words(masses, MassKind, "masses")
            if not (kind == "jeffreys" and criterion.treatment.is_order)
        },
        sets=intervals,
    )
    bounds = bounds_for_missing(grid, criterion)
    notices = notices_on(grid, observed, criterion, intervals[0], has_curve=fit is not None)
    notices += (bounds.notice(),) if bounds else ()
    wants_posterior = "posterior" in kinds
    curves = _by_curve(
        grid, fit, criterion, draws, level=level, seed=seed, wants_posterior=wants_posterior
    )
    notices += tuple(notice for curve in curves for notice in notices_on_refits(curve))
    theirs = tuple(kind for kind in kinds if kind in SURFACE_SETS)
    request = FlexibleRequest(criterion, observed.applied_threshold, level, theirs, seed)
    surfaces = _by_surface(cells, flexible, request, fits_one="default" in kinds or bool(theirs))
    known = {notice.code for notice in cells.notices}
    notices = tuple(n for n in notices if not (n.code == "unscored" and n.code in known))
    announce(notices)
    return EffectiveLength(
        model=grid.model,
        task=grid.task,
        criterion=criterion,
        applied_threshold=observed.applied_threshold,
        length_unit=grid.length_unit,
        lengths=grid.lengths,
        accuracy=np.array([float(accuracy) for accuracy in observed.accuracies]),
        n_trials=grid.n_trials.sum(axis=1),
        n_cases=grid.n_cases.sum(axis=1),
        n_unscored=grid.n_unscored,
        unscored_by_length={k: sum(v.values()) for k, v in sorted(grid.unscored.items())},
        estimates=(estimate, *curves, *surfaces),
        headline=_headline(criterion, surfaces),
        unscored_bounds=bounds,
        members=grid.members,
        notices=(*cells.notices, *notices),
    )


def _by_curve(
    grid: CellGrid,
    fit: CurveFit | None,
    criterion: Criterion,
    draws: Draws | Sequence[Draws],
    *,
    level: float,
    seed: int,
    wants_posterior: bool,
) -> tuple[Estimate, ...]:
    """Make the curve's estimate where there is a fit; it has to be a fit to these cells."""
    if fit is None:
        return ()
    if not fit.is_of(grid):
        raise _other_cells(fit.grid, grid, "fit=fit_curve(cells)")
    if draws == () and wants_posterior:
        draws = (draw_curves(fit, seed=seed), sample_posterior(fit, seed=seed))
    return (estimate_from_curve(fit, criterion, level=level, seed=seed, draws=draws),)


def _by_surface(
    cells: Cells, flexible: FlexibleFit | None, request: FlexibleRequest, *, fits_one: bool
) -> tuple[Estimate, ...]:
    """Make the surface's estimate where there is one, or where the default set needs one."""
    grid = cells.grid
    if flexible is None:
        if not (fits_one and is_quick(grid) and request.criterion.treatment.is_order):
            return ()
        flexible = fit_flexible(cells, seed=request.seed)
    elif not flexible.is_of(grid):
        raise _other_cells(flexible.grid, grid, "flexible=fit_flexible(cells)")
    return (estimate_with_sets(cells, flexible, request),)


def _other_cells(theirs: CellGrid, ours: CellGrid, mend: str) -> OptionError:
    return OptionError(
        describe(
            f"the fit is of {theirs.model} on {theirs.task} and other counts or lengths",
            f"expected a fit to these cells, {ours.model} on {ours.task}",
            f"pass {mend}",
        )
    )


def _headline(criterion: Criterion, surfaces: tuple[Estimate, ...]) -> str | None:
    """Name the method to quote: raw cells for averages, the surface for parts of a length."""
    if criterion.treatment.is_order:
        return surfaces[0].method if surfaces else None
    return "observed"


def _masses(
    kind: str, grid: CellGrid, observed: Observed, criterion: Criterion, seed: int
) -> np.ndarray:
    if kind == "bootstrap":
        return bootstrap_masses(grid, criterion, seed=seed)
    rows = jeffreys_rows(grid, observed, criterion)
    return jeffreys_masses(rows, observed, grid.lengths, criterion)


def _intervals(
    grid: CellGrid,
    observed: Observed,
    criterion: Criterion,
    *,
    level: float,
    kinds: tuple[str, ...],
) -> tuple[Interval, ...]:
    """Make the default set first, then every other kind that was asked for."""
    default = _interval("certified", grid, observed, criterion, level, is_default=True)
    others = [
        _interval(kind, grid, observed, criterion, level)
        for kind in kinds
        if kind not in ("default", default.kind)
    ]
    return default, *(interval for interval in others if interval.kind != default.kind)


def _interval(
    kind: str,
    grid: CellGrid,
    observed: Observed,
    criterion: Criterion,
    level: float,
    *,
    is_default: bool = False,
) -> Interval:
    """Make one set; where its conditions fail, the one that stands in, by name."""
    reason = _refusal(kind, grid, criterion)
    fall_back = FallBack(kind, reason) if reason else None
    if reason:
        kind = "certified" if kind == "jeffreys" else "jeffreys"
    if kind == "jeffreys":
        bounds = _jeffreys(grid, observed, criterion, level)
    else:
        bounds = certify(grid, observed.applied_threshold, criterion, level=level)
    outcome = observed.outcome
    ends = (bounds.lower, bounds.upper, outcome)
    return Interval(
        kind=kind,
        level=level,
        lower=min(ends),
        upper=max(ends),
        lengths=grid.lengths,
        is_default=is_default,
        extended=not bounds.lower <= outcome <= bounds.upper,
        floor=bounds.floor,
        fell_back_from=fall_back,
        diagnostics=bounds.diagnostics,
    )


def _jeffreys(grid: CellGrid, observed: Observed, criterion: Criterion, level: float) -> Bounds:
    rows = jeffreys_rows(grid, observed, criterion)
    lower, upper = jeffreys_bounds(rows, observed, grid.lengths, criterion, level=level)
    effect = float(rows.design_effect.max())
    return Bounds(lower, upper, None, {"largest_design_effect": effect})


def _refusal(kind: str, grid: CellGrid, criterion: Criterion) -> str | None:
    """Say why a kind of set cannot be made for these cells, or None."""
    if kind == "jeffreys":
        order = criterion.treatment.is_order
        return "the Jeffreys set exists for mean and pooled depth only" if order else None
    if criterion.treatment.is_order:
        return None
    if grid.has_fractions:
        return "graded scores or folded repeats are not 0/1 outcomes"
    if grid.cases is not None and grid.cases.is_clustered:
        return "cases share clusters, so they are not independent"
    if not weigh_equally(grid, criterion.treatment):
        unequal = "the cases of a length do not all weigh the same in the average"
        return unequal if grid.members else "the depths of a length have unequal numbers of cases"
    return None
