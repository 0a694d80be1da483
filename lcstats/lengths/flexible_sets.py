"""Sets around the flexible surface's estimate: hybrid, its stricter variant, and posterior.

A hybrid takes its upper end from a test that assumes nothing, and its lower end from the posterior
of the surface: for worst depth and its kin no assumption-free lower end exists at usual numbers of
cases (docs/explanation/certified.md). docs/decisions/0006-hybrid-set.md has what was tried.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from lcstats.cells import CellGrid
from lcstats.flexible import FlexibleFit
from lcstats.lengths.answer import Estimate, FallBack, Interval
from lcstats.lengths.binomial import at_least
from lcstats.lengths.certified import certification_gap, certified_upper
from lcstats.lengths.flexible_estimate import estimate_from_flexible, posterior_masses
from lcstats.lengths.observed import leading
from lcstats.lengths.request import Request

UPPER_SHARE = 0.8
"""Of the error, for the proved upper end."""

LOWER_SHARES = {"hybrid": 0.9, "strict": 0.4}
"""Of the error, that the posterior may leave below the lower end.

With the upper share they add up to more than 1: upper errors need cells at the bar, where the
posterior's lower end is far below the truth. The coverage study is the check.
"""

STRICT_HOLE_RATE = 0.01
STRICT_TAIL = 0.2
"""Largest P(Bin(n, tau) >= k) of a cell that a strict lower end may pass, from 80 cases on."""
STRICT_CASES = 80

FEW_CELLS = 400

TIE = 1e-12


def is_quick(grid: CellGrid) -> bool:
    """Tell whether a surface is fitted in a fraction of a second: one task, at most 400 cells."""
    return grid.n_cases.size <= FEW_CELLS and not grid.members


def estimate_with_sets(fit: FlexibleFit, request: Request) -> Estimate:
    """Return the surface's estimate with its default set, and the others asked for.

    The default is ``hybrid`` for worst depth, quantiles and windows, and ``posterior`` for mean
    and pooled accuracy, or where no upper end is proved. The point is moved into it.
    """
    estimate = estimate_from_flexible(
        fit, request.criterion, level=request.level, seed=request.seed
    )
    gap = certification_gap(fit.grid, request.criterion)
    wants_hybrid = request.criterion.treatment.is_order and gap is None
    kinds = dict.fromkeys(["hybrid" if wants_hybrid else "posterior", *request.kinds])
    upper = None
    if gap is None and request.criterion.treatment.is_order:
        error = UPPER_SHARE * (1.0 - request.level)
        upper = certified_upper(
            fit.grid, request.bar, request.criterion, error, level=request.level
        )
    sets = [
        replace(interval, is_default=number == 0)
        for number, interval in enumerate(_sets(fit, estimate, request, kinds, upper))
    ]
    if gap and request.criterion.treatment.is_order:
        sets[0] = replace(sets[0], fell_back_from=FallBack("hybrid", gap))
    outcome = min(max(estimate.outcome, sets[0].lower), sets[0].upper)
    return replace(estimate, outcome=outcome, sets=tuple(_holding(outcome, sets)))


def _sets(
    fit: FlexibleFit,
    estimate: Estimate,
    request: Request,
    kinds: Mapping[str, None],
    upper: int | None,
) -> Iterator[Interval]:
    for kind in kinds:
        if kind == "posterior":
            yield estimate.default_set
        elif kind in LOWER_SHARES and upper is not None:
            lower = _lower_end(fit, request, kind)
            yield Interval(
                kind=kind,
                level=request.level,
                lower=lower,
                upper=max(lower, upper),
                lengths=fit.grid.lengths,
                diagnostics={
                    "lower_end": "posterior of the flexible surface",
                    "upper_end": "certified",
                    "lower_tail": LOWER_SHARES[kind] * (1.0 - request.level),
                    "upper_error": UPPER_SHARE * (1.0 - request.level),
                },
            )


def _lower_end(fit: FlexibleFit, request: Request, kind: str) -> int:
    """Return the first outcome that has more than the lower tail at or below it.

    The surfaces are taken as they were drawn, without importance weights: they are then a little
    wider than the posterior, and the lower end falls rather than rises. Strict, a cell given the
    surface is a hole twice as often.
    """
    doubtful = replace(
        fit,
        draw_weights=np.full(fit.n_draws, 1.0 / fit.n_draws),
        hole_rate=STRICT_HOLE_RATE if kind == "strict" else fit.hole_rate,
    )
    masses = posterior_masses(doubtful, request.criterion, seed=request.seed)
    tail = LOWER_SHARES[kind] * (1.0 - request.level)
    lower = int(np.argmax(np.cumsum(masses) > tail + TIE))
    return min(lower, _leading_sound(fit, request)) if kind == "strict" else lower


def _leading_sound(fit: FlexibleFit, request: Request) -> int:
    """Count leading lengths all of whose well measured cells look better than the bar."""
    grid = fit.grid
    tails = at_least(np.floor(grid.successes), grid.n_cases, float(request.bar))
    sound = (tails <= STRICT_TAIL) | (grid.n_cases < STRICT_CASES)
    allowed: NDArray[np.int64] = (~sound).sum(axis=1)
    treatment = request.criterion.treatment
    most = 0 if treatment.is_window else treatment.rank(grid.depths.size) - 1
    return leading(allowed <= most) if not treatment.is_window else grid.lengths.size


def _holding(outcome: int, sets: Sequence[Interval]) -> Iterator[Interval]:
    """Extend every set to the point."""
    for interval in sets:
        if outcome in interval:
            yield interval
        else:
            lower, upper = min(interval.lower, outcome), max(interval.upper, outcome)
            yield replace(interval, lower=lower, upper=upper, extended=True)
