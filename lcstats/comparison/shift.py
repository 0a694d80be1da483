"""``length_shift``: by how many doublings the effective length moved, by every method."""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from lcstats.cells import CellGrid, set_aside_depthless
from lcstats.comparison.joint import Grids, curve_joint, observed_joint
from lcstats.comparison.pairs import Pairs
from lcstats.comparison.shift_interval import (
    ShiftInterval,
    from_both_sets,
    from_combined_sets,
    from_masses,
)
from lcstats.comparison.shift_result import LengthShift
from lcstats.comparison.sides import do_both, fit_quietly, notice_of_side, side_notices
from lcstats.draws import MOST_UNSETTLED
from lcstats.errors import (
    Notice,
    OptionError,
    SmallSampleWarning,
    announce,
    describe,
)
from lcstats.fit import CurveFit, fit_curve, goodness_of_fit
from lcstats.flexible import FlexibleFit, fit_flexible, is_quick
from lcstats.lengths import Criterion, Estimate, Interval
from lcstats.lengths.curve_estimate import curve_passes
from lcstats.lengths.flexible_sets import estimate_with_sets
from lcstats.lengths.observed import leading, observe
from lcstats.lengths.observed_estimate import estimate_from_observed
from lcstats.lengths.request import Request
from lcstats.lengths.resampling import N_DRAWS
from lcstats.options import Method, check_level, check_type, check_whole, check_words

METHODS: tuple[Method, ...] = ("observed", "curve", "flexible")
FEWEST_CASES = 10
"""Cases in a cell below which resampling scatters visibly less than new cases would."""

SetsAt = Callable[[float], tuple[Interval, Interval]]
"""The sets of both language models at a level."""


@dataclass(frozen=True, slots=True)
class _Question:
    """What is asked of every method alike."""

    criterion: Criterion
    level: float
    n_draws: int
    seed: int

    @property
    def half_error(self) -> float:
        """Level of a set that uses half of the error."""
        return 1.0 - (1.0 - self.level) / 2.0


def length_shift(
    pairs: Pairs,
    criterion: Criterion,
    *,
    methods: Method | Sequence[Method] = METHODS,
    level: float = 0.95,
    n_draws: int = N_DRAWS,
    seed: int = 0,
) -> Mapping[str, LengthShift]:
    """Say by how many doublings the effective length moved from the old to the new language model.

    Parameters
    ----------
    pairs : Pairs
        Of one task.
    criterion : Criterion
        Applied to both; a relative bar is each language model's own.
    methods : {"observed", "curve", "flexible"} or sequence of them
        A method that these cases do not allow is left out, and a notice says why.
    level : float
        Of the intervals, in (0, 1).
    n_draws : int
        Resampled tables for the masses, at least 1.
    seed : int
        Equal seeds give the same result bit for bit, on any number of threads.

    Returns
    -------
    mapping of str to LengthShift
        By method, in the order asked for.

    Raises
    ------
    OptionError
        If an option is out of range, a base length was not tested, or no method is possible.

    Notes
    -----
    ``observed`` and ``curve`` resample cases, or the clusters they share, each with its two
    scores; ``flexible`` multiplies the posterior masses of two surfaces, which takes them as
    independent: wide where the two err on the same cases. Masses say what would come up again and
    cover too little; the interval to quote is built from two sets, each at half of the error
    (METHOD sections 4 and 6).

    Examples
    --------
    >>> import pandas as pd
    >>> from lcstats.comparison.pairs import pair_trials
    >>> from lcstats.trials import Trials
    >>> table = pd.DataFrame(
    ...     {
    ...         "case": list(range(40)) * 3,
    ...         "length": [4096] * 40 + [8192] * 40 + [16384] * 40,
    ...         "score": [1] * 80 + [1] * 10 + [0] * 30,
    ...     }
    ... )
    >>> worse = table.assign(score=[1] * 40 + [1] * 10 + [0] * 70)
    >>> (pairs,) = pair_trials(Trials.from_frame(table), Trials.from_frame(worse))
    >>> shift = length_shift(pairs, Criterion(0.85), methods="observed")["observed"]
    >>> shift.point, dict(shift.doublings), shift.default_interval.display
    ('-1', {'-1': 1.0}, '-1')
    """
    check_type(criterion, Criterion, "criterion")
    check_level(level)
    check_whole(n_draws, "n_draws", least=1)
    check_whole(seed, "seed")
    asked = check_words(methods, Method, "methods")
    question = _Question(criterion.with_guess_rate(pairs.guess_rate), level, n_draws, seed)
    grids = _grids_of(pairs, question.criterion)
    shifts, left_out = {}, []
    for method in asked:
        shift = _MAKERS[method](grids, question)
        if isinstance(shift, str):
            left_out.append(Notice("no-shift", f"no shift by the {method} method: {shift}"))
        else:
            shifts[method] = shift
    if not shifts:
        raise OptionError(
            describe(
                "; ".join(notice.message for notice in left_out),
                f"expected a method that these cases allow, of {', '.join(METHODS)}",
                "ask for methods=('observed',), which needs no fit",
            )
        )
    first = next(iter(shifts))
    shifts[first] = replace(shifts[first], notices=(*shifts[first].notices, *left_out))
    announce(notice for shift in shifts.values() for notice in shift.notices)
    return shifts


def _grids_of(pairs: Pairs, criterion: Criterion) -> Grids:
    """Return the counts of both; cases without a depth are set aside where others have one."""
    old, new = pairs.grids()
    if criterion.treatment.kind == "pooled":
        return old, new
    return set_aside_depthless(old)[0], set_aside_depthless(new)[0]


def _names(grids: Grids, question: _Question) -> dict[str, Any]:
    """Say what every shift says alike: of what, on what, by which bar."""
    old, new = grids
    return {
        "old_model": old.model,
        "new_model": new.model,
        "task": old.task,
        "criterion": question.criterion,
        "length_unit": old.length_unit,
        "lengths": old.lengths,
    }


def _observed_shift(grids: Grids, question: _Question) -> LengthShift:
    """Compare raw cells; both language models are resampled together."""
    criterion, clustered = question.criterion, grids[0].is_clustered
    joint = observed_joint(grids, criterion, n_draws=question.n_draws, seed=question.seed)
    points = do_both(grids, lambda grid: observe(grid, criterion).outcome)
    return LengthShift(
        method="observed",
        **_names(grids, question),
        outcomes=points,
        joint=joint,
        mass_kind="cluster_bootstrap" if clustered else "bootstrap",
        is_paired=True,
        intervals=_from_sets(
            lambda level: do_both(grids, lambda grid: _raw_set(grid, question, level)),
            points,
            question,
        ),
        notices=tuple(_notices_on_scatter(grids[0])),
    )


def _raw_set(grid: CellGrid, question: _Question, level: float) -> Interval:
    """Return the default set of raw cells."""
    observed = observe(grid, question.criterion)
    request = Request(question.criterion, observed.applied_threshold, level, seed=question.seed)
    return estimate_from_observed(grid, observed, request).default_set


def _curve_shift(grids: Grids, question: _Question) -> LengthShift | str:
    """Compare fitted curves; both are fitted again to the same resampled cases."""
    if grids[0].lengths.size < 2:
        return "only one length was tested"
    criterion = question.criterion
    fits = do_both(grids, lambda grid: fit_quietly(grid, fit_curve))
    drawn = curve_joint(
        fits,
        criterion,
        n_draws=question.n_draws,
        seed=question.seed,
        n_threads=os.cpu_count() or 1,
    )
    if drawn.n_failed > MOST_UNSETTLED * question.n_draws:
        return f"{drawn.n_failed} of {question.n_draws} refits did not settle"
    points = do_both(fits, lambda fit: leading(curve_passes(fit, criterion)))
    lengths, clustered = fits[0].grid.lengths, fits[0].grid.is_clustered
    interval = from_masses(drawn.masses, lengths, "bootstrap", level=question.level)
    interval = replace(interval, is_default=True, diagnostics={"n_failed_fits": drawn.n_failed})
    return LengthShift(
        method="curve",
        **_names(grids, question),
        outcomes=points,
        joint=drawn.masses,
        mass_kind="cluster_bootstrap" if clustered else "bootstrap",
        is_paired=True,
        intervals=(interval.holding(*points, lengths),),
        notices=(*side_notices(fits), *_notices_on_fit(fits, question.seed)),
    )


def _flexible_shift(grids: Grids, question: _Question) -> LengthShift | str:
    """Compare smooth surfaces, whose posteriors are taken as independent."""
    if not is_quick(grids[0]):
        return f"a surface over {grids[0].n_cases.size} cells takes too long to fit twice"
    fits = do_both(grids, lambda grid: fit_quietly(grid, partial(fit_flexible, seed=question.seed)))
    estimates = {
        level: do_both(fits, partial(_surface_estimate, question, level))
        for level in (question.level, question.half_error)
    }
    found = estimates[question.level]
    points = do_both(found, lambda estimate: estimate.outcome)
    return LengthShift(
        method="flexible",
        **_names(grids, question),
        outcomes=points,
        joint=np.outer(*do_both(found, lambda estimate: estimate.masses["posterior"])),
        mass_kind="posterior",
        is_paired=False,
        intervals=_from_sets(
            lambda level: do_both(estimates[level], lambda estimate: estimate.default_set),
            points,
            question,
        ),
        notices=tuple(side_notices(fits)),
    )


def _from_sets(
    sets_at: SetsAt, points: tuple[int, int], question: _Question
) -> tuple[ShiftInterval, ...]:
    """Make the interval to quote from sets at half the error, and one from sets at the whole."""
    old, new = sets_at(question.half_error)
    quoted = from_both_sets(old, new, level=question.level).holding(*points, old.lengths)
    beside = from_combined_sets(*sets_at(question.level), points, level=question.level)
    return (replace(quoted, is_default=True), *([beside] if beside else []))


def _surface_estimate(question: _Question, level: float, fit: FlexibleFit) -> Estimate:
    bar = observe(fit.grid, question.criterion).applied_threshold
    return estimate_with_sets(fit, Request(question.criterion, bar, level, seed=question.seed))


def _notices_on_scatter(grid: CellGrid) -> Iterator[Notice]:
    """Say where resampling scatters less than new cases would."""
    fewest = int(grid.n_cases[grid.n_cases > 0].min())
    if fewest < FEWEST_CASES:
        yield Notice(
            "few-cases-resampled",
            f"masses of the shift resample cells with as few as {fewest} cases, which scatter less "
            "than new cases would: quote the interval",
            SmallSampleWarning,
        )


def _notices_on_fit(fits: tuple[CurveFit, CurveFit], seed: int) -> Iterator[Notice]:
    """Say which of the two curves does not fit: its interval can then miss the shift for good.

    Nothing is said of graded scores, nor of a curve with as many parameters as cells, which goes
    through them all.
    """
    for fit, side in zip(fits, ("old", "new"), strict=True):
        if fit.grid.has_fractions or fit.cells.length.size <= len(fit.parameters):
            continue
        notice = goodness_of_fit(fit, seed=seed, n_threads=os.cpu_count() or 1).notice()
        if notice:
            yield notice_of_side(notice, fit, side)


_MAKERS: Mapping[str, Callable[[Grids, _Question], LengthShift | str]] = {
    "observed": _observed_shift,
    "curve": _curve_shift,
    "flexible": _flexible_shift,
}
