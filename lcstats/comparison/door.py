"""`compare`: two language models, or two versions of one, on the same cases."""

from collections.abc import Mapping
from numbers import Real

import numpy as np

from lcstats.cells import Cells, Means, Results
from lcstats.comparison.across_lengths import add_lengths, notices_across
from lcstats.comparison.arms import Arms
from lcstats.comparison.contrast import Contrast, contrast_of, evidence_of, slices_of
from lcstats.comparison.evidence import Evidence
from lcstats.comparison.gate import run_gate
from lcstats.comparison.match import Match, match
from lcstats.comparison.pairs import Pairs, pool_pairs
from lcstats.comparison.result import Comparison, TaskComparison
from lcstats.comparison.verdict import correct_for_number, judge
from lcstats.errors import DesignWarning, Notice, OptionError, announce, describe
from lcstats.lengths import Criterion
from lcstats.options import GateKind, Repeats, check_level, check_option, check_type
from lcstats.trials import Trials

MARGIN = 0.02
"""Differences in accuracy up to here do not matter, unless said otherwise."""


def compare(
    old: Results,
    new: Results,
    *,
    margin: float = MARGIN,
    level: float = 0.95,
    gate: GateKind | None = None,
    repeats: Repeats = "fold",
    criterion: Criterion | None = None,
) -> Comparison:
    """Compare two language models on the cases that both were scored on.

    Parameters
    ----------
    old, new : Trials or Cells
        Of one language model each. Cells, and tables without case ids, are compared without pairs,
        on the lengths and depths that both have.
    margin : float
        Differences up to here do not matter, in [0, 1).
    level : float
        Of two-sided intervals and of verdicts; one-sided, of the gate, which needs at least 0.5.
    gate : {"regression", "noninferiority"}, optional
        ``regression`` fails only if a loss beyond the margin is shown, ``noninferiority`` passes
        only if one is excluded.
    repeats : {"fold", "independent"}
        As for :func:`lcstats.count_cells`.
    criterion : Criterion, optional
        Adds by how many doublings the effective length moved, by every method, and whether the
        curves are equal; for tasks with pairs, with seed 0.

    Returns
    -------
    Comparison
        Independent of the order of the rows.

    Raises
    ------
    OptionError
        If a side holds several language models, there is no common task, or an option is out of
        range.
    TableError
        If units of length differ, or nothing was tested at a common length and depth.

    Warns
    -----
    DesignWarning
        For what is not matched, and where there are no pairs.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"case": range(100), "length": 8192, "score": [1] * 70 + [0] * 30})
    >>> old = Trials.from_frame(table.assign(model="old"))
    >>> scores = [1] * 60 + [0] * 38 + [1] * 2
    >>> answer = compare(old, Trials.from_frame(table.assign(model="new", score=scores)))
    >>> answer.group.overall.discordant, round(answer.group.overall.mid_p, 4)
    ((10, 2), 0.0225)
    >>> answer.group.verdict
    'worse'
    """
    for results, name in ((old, "old"), (new, "new")):
        check_type(results, (Trials, Cells, Means), name)
    check_margin(margin)
    check_level(level)
    if gate is not None:
        check_option(gate, GateKind, "gate")
    matched = match(old, new, repeats)
    evidence = {task: evidence_of(data) for task, data in matched.data.items()}
    first = next(iter(matched.data.values()))
    names = _told_apart(first.old_model, first.new_model)
    groups = _compare_tasks(matched, evidence, margin=margin, level=level)
    if criterion is not None:
        groups = _across_lengths(groups, matched.data, criterion, level)
    comparison = Comparison(
        *names,
        length_unit=first.length_unit,
        margin=margin,
        level=level,
        groups=groups,
        pooled=_pool(matched.data, level),
        gate=None if gate is None else run_gate(evidence, gate, margin=margin, level=level),
        notices=(
            *matched.notices,
            *_on_clusters(matched.data),
            *(notice for group in groups for notice in notices_across(group)),
        ),
    )
    announce(comparison.notices)
    return comparison


def check_margin(margin: float) -> None:
    """Refuse a margin that is no number of at least 0 and below 1.

    Raises
    ------
    OptionError
        If it is not.
    """
    if not isinstance(margin, Real) or not 0 <= margin < 1:
        raise OptionError(
            describe(
                f"margin is {margin!r}",
                "expected a number of at least 0 and below 1: the difference that does not matter",
                "write 2 percentage points as 0.02",
            )
        )


def _told_apart(old: str, new: str) -> tuple[str, str]:
    return (f"{old} (old)", f"{new} (new)") if old == new else (old, new)


def _compare_tasks(
    matched: Match,
    evidence: Mapping[str, Evidence],
    *,
    margin: float,
    level: float,
) -> tuple[TaskComparison, ...]:
    data = matched.data
    contrasts = [contrast_of(evidence[task], level) for task in data]
    corrected = correct_for_number([contrast.p_value for contrast in contrasts])
    return tuple(
        TaskComparison(
            task=task,
            overall=contrast,
            n_unmatched_old=each.n_unmatched_old,
            n_unmatched_new=each.n_unmatched_new,
            holm_p=holm_p,
            verdict=judge(contrast, holm_p, margin),
            by_length=slices_of(each, "length", level),
            by_depth=slices_of(each, "depth", level),
            n_unscored_old=matched.unscored[task][0],
            n_unscored_new=matched.unscored[task][1],
        )
        for (task, each), contrast, holm_p in zip(data.items(), contrasts, corrected, strict=True)
    )


def _across_lengths(
    groups: tuple[TaskComparison, ...],
    data: Mapping[str, Pairs | Arms],
    criterion: Criterion,
    level: float,
) -> tuple[TaskComparison, ...]:
    """Add shifts and tests of curves to the tasks that have pairs."""
    check_type(criterion, Criterion, "criterion")
    sides = ((group, data[group.task]) for group in groups)
    return tuple(
        add_lengths(group, pairs, criterion, level=level) if isinstance(pairs, Pairs) else group
        for group, pairs in sides
    )


def _pool(data: Mapping[str, Pairs | Arms], level: float) -> Contrast | None:
    """Put the pairs of all tasks together; None for one task, or where one has no pairs."""
    paired = [each for each in data.values() if isinstance(each, Pairs)]
    if len(paired) < max(len(data), 2):
        return None
    return contrast_of(evidence_of(pool_pairs(paired)), level)


def _on_clusters(data: Mapping[str, Pairs | Arms]) -> tuple[Notice, ...]:
    """Say that cases share something, and what was done about it."""
    clustered = [e for e in data.values() if isinstance(e, Pairs) and e.is_clustered]
    return tuple(
        Notice(
            "clustered-pairs",
            f"{each.task}: {each.n_pairs} pairs share {np.unique(each.cluster).size} clusters, "
            "which are taken whole: the interval is wider, and McNemar's test gives way to an "
            "exchange of whole clusters",
            DesignWarning,
        )
        for each in clustered
    )
