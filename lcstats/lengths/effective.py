"""``effective_length``: the door of this room. It orchestrates; numbers happen elsewhere."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from lcstats.cells import CellGrid, Cells, set_aside_depthless
from lcstats.draws import Draws
from lcstats.errors import OptionError, announce, describe
from lcstats.fit import CurveFit
from lcstats.flexible import FlexibleFit, fit_flexible, is_quick
from lcstats.lengths.adaptive import notices_on_adaptive
from lcstats.lengths.answer import EffectiveLength, Estimate
from lcstats.lengths.criterion import Criterion
from lcstats.lengths.curve_estimate import draw_curves, estimate_from_curve
from lcstats.lengths.flexible_sets import estimate_with_sets
from lcstats.lengths.missing import bounds_for_missing
from lcstats.lengths.notices import notices_on, notices_on_depthless, notices_on_refits
from lcstats.lengths.observed import observe
from lcstats.lengths.observed_estimate import SURFACE_SETS, estimate_from_observed
from lcstats.lengths.request import Request
from lcstats.options import MassKind, SetKind, check_level, check_type, check_whole, check_words
from lcstats.posterior import sample_posterior


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
    sets : {"default", "certified", "jeffreys", "hybrid", "strict", "posterior", "anytime"}
        Or several of them.
        ``default`` is always the first set of an estimate, and that of the headline is the one to
        quote. For mean and pooled depth it is ``certified`` where its conditions hold and
        ``jeffreys``, by name and with the reason, where they do not. For worst depth, quantiles
        and windows it is the surface's ``hybrid``: upper end certified, lower end from its
        posterior; ``strict`` is its wider variant. Without "default" among `sets` no surface is
        fitted here. Where cases were added after looking at outcomes it is ``anytime``, for every
        treatment, and the sets for a fixed number of cases take the fixed pilot.
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
    whole = cells.grid
    is_pooled = criterion.treatment.kind == "pooled"
    grid, n_depthless = (whole, 0) if is_pooled else set_aside_depthless(whole)
    cells = replace(cells, grids=(grid,))
    criterion = criterion.with_guess_rate(grid.guess_rate)
    observed = observe(grid, criterion)
    request = Request(
        criterion,
        observed.applied_threshold,
        level,
        kinds=check_words(sets, SetKind, "sets"),
        masses=check_words(masses, MassKind, "masses"),
        seed=seed,
    )
    estimate = estimate_from_observed(grid, observed, request)
    drawn = _draws_of(whole, fit, draws, request)
    curves = _by_curve(fit, drawn, request)
    if flexible is not None and n_depthless and flexible.is_of(whole):
        flexible = fit_flexible(cells, seed=seed)
    surfaces = _by_surface(cells, flexible, request)
    bounds = bounds_for_missing(grid, criterion)
    notices = (
        *notices_on_adaptive(grid),
        *notices_on_depthless(whole, n_depthless),
        *notices_on(grid, observed, criterion, estimate.default_set, has_curve=fit is not None),
        *([bounds.notice()] if bounds else []),
        *(notice for one in drawn for notice in notices_on_refits(one)),
    )
    known = {notice.code for notice in cells.notices}
    own = tuple(n for n in notices if not (n.code == "unscored" and n.code in known))
    announce(own)
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
        headline=_headline(criterion, () if grid.is_adaptive else surfaces),
        unscored_bounds=bounds,
        members=grid.members,
        notices=(*cells.notices, *own),
    )


def _draws_of(
    grid: CellGrid, fit: CurveFit | None, draws: Draws | Sequence[Draws], request: Request
) -> tuple[Draws, ...]:
    """Return the curve's draws, made here where none are given; a fit has to be of these cells."""
    if fit is None:
        return ()
    if not fit.is_of(grid):
        raise _other_cells(fit.grid, grid, "fit=fit_curve(cells)")
    given = (draws,) if isinstance(draws, Draws) else tuple(draws)
    if given:
        return given
    again = draw_curves(fit, seed=request.seed)
    if "posterior" in request.kinds:
        return again, sample_posterior(fit, seed=request.seed)
    return (again,)


def _by_curve(
    fit: CurveFit | None, drawn: tuple[Draws, ...], request: Request
) -> tuple[Estimate, ...]:
    """Make the curve's estimate where there is a fit, with draws that settled for its sets."""
    settled = tuple(draws for draws in drawn if draws.are_settled)
    if fit is None or not settled:
        return ()
    return (
        estimate_from_curve(
            fit, request.criterion, level=request.level, seed=request.seed, draws=settled
        ),
    )


def _by_surface(
    cells: Cells, flexible: FlexibleFit | None, request: Request
) -> tuple[Estimate, ...]:
    """Make the surface's estimate where there is one, or where a set asked for needs one."""
    grid = cells.grid
    if flexible is None:
        needs_one = any(kind in ("default", *SURFACE_SETS) for kind in request.kinds)
        has_one = is_quick(grid) and not grid.is_adaptive
        if not (needs_one and has_one and request.criterion.treatment.is_order):
            return ()
        flexible = fit_flexible(cells, seed=request.seed)
    elif not flexible.is_of(grid):
        raise _other_cells(flexible.grid, grid, "flexible=fit_flexible(cells)")
    return (estimate_with_sets(flexible, request),)


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
