"""`analyze_needles`: rates, dependence and lengths of a task of several needles."""

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from lcstats.errors import Notice, OptionError, announce, describe
from lcstats.flexible import FlexibleFit, fit_flexible
from lcstats.lengths import Criterion, effective_length
from lcstats.needles.cells import joint_cells, needle_cells
from lcstats.needles.data import NeedleTable, tabulate_needles
from lcstats.needles.dependence import N_PERMUTATIONS, measure_dependence
from lcstats.needles.notices import (
    notices_on_dependence,
    notices_on_disagreement,
    notices_on_single,
    notices_on_table,
    notices_on_trials,
)
from lcstats.needles.profile import find_depth_step
from lcstats.needles.rates import rows_by_length
from lcstats.needles.required import NUMBERS, check_numbers, required_rate
from lcstats.needles.result import NeedleAnalysis
from lcstats.needles.single import SingleNeedle, fit_single_needle
from lcstats.needles.task_length import TaskLength, lengths_by_curve, lengths_by_surface
from lcstats.options import Method, Repeats, check_level, check_type, check_whole, check_words
from lcstats.trials import Trials

SURFACE_DIGITS = 2
"""Decimals of depths on the surface: needles of nearly one place share a cell."""


def analyze_needles(
    trials: Trials,
    criterion: Criterion | None = None,
    *,
    repeats: Repeats = "fold",
    numbers: Sequence[int] = NUMBERS,
    methods: Method | Sequence[Method] = ("observed", "curve"),
    level: float = 0.95,
    seed: int = 0,
) -> NeedleAnalysis:
    """Say what is known of a task of several needles.

    Parameters
    ----------
    trials : Trials
        Of one language model, one task and one number of needles
        (:func:`lcstats.needles.split_needles` takes a table apart), with ``needle_found``,
        ``n_found`` or a score that says as much.
    criterion : Criterion, optional
        What the task asks of trials that found all their needles; its rule is absolute or above
        chance. 0.85, mean over depths, without it.
    repeats : {"fold", "independent"}
        ``fold``: repeats of a case are one unit of evidence. ``independent``: each trial is one,
        which is right where the question is about these very prompts.
    numbers : sequence of int
        Numbers of needles for which required rates and lengths are stated.
    methods : {"observed", "curve", "flexible"} or sequence of them
        Where rates of a single needle come from; ``observed`` is always stated.
    level : float
        Of all intervals and sets, in (0, 1).
    seed : int

    Returns
    -------
    NeedleAnalysis

    Raises
    ------
    OptionError
        If `trials` are no trials or of several groups, the rule is relative, or an option is
        unknown.
    TableError
        If no trial is scored, or lists of needles do not agree in size.

    Notes
    -----
    METHOD section 2, "Several needles". Intervals of rates are Wilson's of as many cases as the
    scatter between units, or the clusters they share, is worth; that of the dependence ratio is a
    score interval, those of correlation and effects are from a cluster bootstrap; independence is
    tested by permutations among outcomes of the same length and place. Lengths by the curve take
    needles for independent: with positive dependence more trials find all than they say.

    Examples
    --------
    >>> import pandas as pd
    >>> both, first, second = [1, 1], [1, 0], [0, 1]
    >>> frame = pd.DataFrame(
    ...     {
    ...         "length": [4096] * 20 + [8192] * 20,
    ...         "depth": [0.2, 0.8] * 20,
    ...         "needle_depths": [[0.1, 0.3], [0.7, 0.9]] * 20,
    ...         "needle_found": [both, both, first, second] * 10,
    ...         "score": [1.0, 1.0, 0.5, 0.5] * 10,
    ...     }
    ... )
    >>> found = analyze_needles(Trials.from_frame(frame), methods="observed")
    >>> found.rows[0].rate.value, found.rows[0].joint.value, found.rows[0].product
    (0.75, 0.5, 0.5)
    >>> round(found.dependence.ratio.value, 2), round(found.required_rates[10], 3)
    (1.0, 0.984)
    """
    check_type(trials, Trials, "trials")
    criterion = Criterion("0.85") if criterion is None else criterion
    check_type(criterion, Criterion, "criterion")
    target = _target(criterion)
    listed = check_numbers(numbers)
    wanted = check_words(methods, Method, "methods")
    check_level(level)
    check_whole(seed, "seed")
    table = tabulate_needles(trials, repeats=repeats)
    dependence = measure_dependence(table, level=level, seed=seed, n_permutations=N_PERMUTATIONS)
    cells = joint_cells(table)
    single = _single(table, seed) if "curve" in wanted else None
    numbers_stated = check_numbers((*listed, table.n_needles))
    observed = effective_length(cells, criterion, level=level, seed=seed)
    implied = _by_curve(single, target, numbers_stated, level)
    mine = next((one for one in implied if one.n_needles == table.n_needles), None)
    own = (
        *notices_on_trials(trials, table),
        *notices_on_table(table),
        *notices_on_dependence(table, dependence),
        *notices_on_single(single, find_depth_step(table)),
        *notices_on_disagreement(observed, mine, single, dependence),
    )
    announce(own)
    further = () if single is None else single.fit.notices
    return NeedleAnalysis(
        table=table,
        rows=rows_by_length(table, level),
        dependence=dependence,
        observed=observed,
        required_rates={k: required_rate(target, k) for k in numbers_stated},
        single=single,
        implied=implied,
        by_surface=_by_surface(table, wanted, target, numbers_stated, level=level, seed=seed),
        level=level,
        notices=tuple(
            dict.fromkeys((*trials.notices, *own, *further, *_on_trials(observed.notices, table)))
        ),
    )


def _on_trials(notices: Iterable[Notice], table: NeedleTable) -> Iterator[Notice]:
    """Yield notices on whole trials, without the one that a single depth of theirs tests no places.

    Needles lie at depths of their own.
    """
    own_places = table.has_depths and np.unique(table.depths).size > 1
    return (notice for notice in notices if notice.code != "single-depth" or not own_places)


def _target(criterion: Criterion) -> float:
    """Return the bar as a rate; a share of a measured base is none."""
    bar = criterion.fixed_bar
    if bar is None:
        raise OptionError(
            describe(
                "the rule is relative",
                "expected a bar that is known before anything is measured, as what needles need "
                "follows from it",
                "use rule='absolute'",
            )
        )
    return float(bar)


def _single(table: NeedleTable, seed: int) -> SingleNeedle | None:
    """Fit the curve of a needle, if there are lengths to decay over."""
    return fit_single_needle(table, seed=seed) if table.lengths.size > 1 else None


def _by_curve(
    single: SingleNeedle | None, target: float, numbers: Sequence[int], level: float
) -> tuple[TaskLength, ...]:
    """Return what the curve implies, if its fit has settled."""
    if single is None or not single.fit.converged:
        return ()
    return lengths_by_curve(single, target, numbers, level)


def _by_surface(
    table: NeedleTable,
    wanted: Sequence[str],
    target: float,
    numbers: Sequence[int],
    *,
    level: float,
    seed: int,
) -> tuple[TaskLength, ...]:
    if "flexible" not in wanted or table.kind != "needles":
        return ()
    return lengths_by_surface(fit_surface(table, seed=seed), target, numbers, level)


def fit_surface(table: NeedleTable, *, seed: int = 0) -> FlexibleFit:
    """Fit the flexible surface to the needles of trials, by length and own depth."""
    return fit_flexible(needle_cells(table, digits=SURFACE_DIGITS), seed=seed)
