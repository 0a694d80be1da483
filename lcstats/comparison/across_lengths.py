"""What the pairs of a task say about its lengths together: shift and curves."""

import os
import warnings
from collections.abc import Sequence
from dataclasses import replace

from lcstats.comparison.curves import compare_curves
from lcstats.comparison.pairs import Pairs
from lcstats.comparison.result import TaskComparison
from lcstats.comparison.shift import METHODS, length_shift
from lcstats.errors import LcstatsWarning, Notice
from lcstats.lengths import Criterion
from lcstats.options import Method

CURVE = "curve"
"""Name of the one law whose curves are tested."""


def add_lengths(
    group: TaskComparison,
    pairs: Pairs,
    criterion: Criterion,
    *,
    methods: Sequence[Method] = METHODS,
    level: float = 0.95,
    seed: int = 0,
) -> TaskComparison:
    """Add the shift of the effective length and, with the curve, the test of equal curves.

    A task with a single length is returned as it is. Nothing is announced: what there is to know
    is in :func:`notices_across`.

    Examples
    --------
    >>> import pandas as pd
    >>> from lcstats.comparison import compare, pair_trials
    >>> from lcstats.trials import Trials
    >>> table = pd.DataFrame({"case": range(40), "length": [4096] * 20 + [8192] * 20})
    >>> old = Trials.from_frame(table.assign(score=[0] + [1] * 39, model="a"))
    >>> new = Trials.from_frame(table.assign(score=[0] + [1] * 19 + [0] * 20, model="b"))
    >>> (pairs,) = pair_trials(old, new)
    >>> group = add_lengths(compare(old, new).group, pairs, Criterion(0.8), methods=("observed",))
    >>> group.effective_length_shift["observed"].point
    '<=-1'
    """
    if len(set(pairs.length.tolist())) < 2:
        return group
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LcstatsWarning)
        shifts = length_shift(pairs, criterion, methods=methods, level=level, seed=seed)
        curves = {}
        if CURVE in methods:
            n_threads = os.cpu_count() or 1
            curves[CURVE] = compare_curves(pairs, level=level, seed=seed, n_threads=n_threads)
    return replace(group, effective_length_shift=shifts, curve_tests=curves)


def notices_across(group: TaskComparison) -> tuple[Notice, ...]:
    """Return what there is to know of shifts and curves, each thing once, with its task."""
    of_shifts = (n for shift in group.effective_length_shift.values() for n in shift.notices)
    of_curves = (n for test in group.curve_tests.values() for n in test.notices)
    found = dict.fromkeys((*of_shifts, *of_curves))
    return tuple(replace(n, message=f"{group.task}: {n.message}") for n in found)
