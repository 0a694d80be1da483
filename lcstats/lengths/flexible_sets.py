"""Sets around the flexible surface's estimate: hybrid, its stricter variant, and posterior.

A hybrid takes its upper end from a test that assumes nothing, and its lower end from the posterior
of the surface: for worst depth and its kin no assumption-free lower end exists at usual numbers of
cases (docs/explanation/certified.md). docs/decisions/0006-hybrid-set.md has what was tried.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace

import numpy as np

from lcstats.flexible import FlexibleFit
from lcstats.lengths.binomial import at_least
from lcstats.lengths.certified import certification_gap, certified_upper
from lcstats.lengths.estimate import TIE, Estimate, FallBack, Interval
from lcstats.lengths.flexible_estimate import (
    effect_of_clusters,
    estimate_from_flexible,
    posterior_masses,
)
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


def estimate_with_sets(fit: FlexibleFit, request: Request) -> Estimate:
    """Return the surface's estimate with its default set, and the others asked for.

    The default is ``hybrid`` for worst depth, quantiles and windows, and ``posterior`` for mean
    and pooled accuracy, or where no upper end is proved. The point is moved into it.
    """
    estimate = estimate_from_flexible(
        fit, request.criterion, level=request.level, seed=request.seed
    )
    upper = fall_back = None
    if request.criterion.treatment.is_order:
        gap = certification_gap(request.criterion)
        fall_back = FallBack("hybrid", gap) if gap else None
        upper = None if gap else _proved_end(fit, request)
    first = "posterior" if upper is None else "hybrid"
    default, *others = _sets(fit, estimate, request, dict.fromkeys([first, *request.kinds]), upper)
    default = replace(default, is_default=True, fell_back_from=fall_back)
    outcome = min(max(estimate.outcome, default.lower), default.upper)
    sets = tuple(interval.holding(outcome) for interval in (default, *others))
    return replace(estimate, outcome=outcome, sets=sets)


def _proved_end(fit: FlexibleFit, request: Request) -> int:
    """Return the upper end that needs no surface."""
    error = UPPER_SHARE * (1.0 - request.level)
    return certified_upper(fit.grid, request.bar, request.criterion, error, level=request.level)


def _sets(
    fit: FlexibleFit,
    estimate: Estimate,
    request: Request,
    kinds: Iterable[str],
    upper: int | None,
) -> Iterator[Interval]:
    for kind in kinds:
        if kind == "posterior":
            yield replace(estimate.default_set, is_default=False)
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
                    **effect_of_clusters(fit),
                },
            )


def _lower_end(fit: FlexibleFit, request: Request, kind: str) -> int:
    """Return the first outcome that has more than the lower tail at or below it.

    The surfaces are taken as they were drawn, without importance weights: they are then a little
    wider than the posterior, and the lower end falls rather than rises. Strict, a cell given the
    surface is a hole twice as often.
    """
    doubtful = replace(fit, hole_rate=STRICT_HOLE_RATE) if kind == "strict" else fit
    masses = posterior_masses(doubtful, request.criterion, seed=request.seed, as_drawn=True)
    tail = LOWER_SHARES[kind] * (1.0 - request.level)
    lower = int(np.argmax(np.cumsum(masses) > tail + TIE))
    return min(lower, _leading_sound(fit, request)) if kind == "strict" else lower


def _leading_sound(fit: FlexibleFit, request: Request) -> int:
    """Count leading lengths all of whose well measured cells look better than the bar."""
    grid, treatment = fit.grid, request.criterion.treatment
    if treatment.is_window:
        return int(grid.lengths.size)
    tails = at_least(np.floor(grid.successes), grid.n_cases, float(request.bar))
    sound = (tails <= STRICT_TAIL) | (grid.n_cases < STRICT_CASES)
    return leading((~sound).sum(axis=1) < treatment.rank(grid.depths.size))
