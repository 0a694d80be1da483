"""What of two tables can be compared: pairs where cases are shared, else counts of shared cells."""

import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isnan
from typing import cast

import pandas as pd

from lcstats.cells import CellGrid, Cells, Results, count_cells
from lcstats.comparison.arms import Arms, arms_of
from lcstats.comparison.pairs import (
    KEY,
    Pairs,
    check_one_model,
    check_units,
    pair_trials,
    scored_cases,
)
from lcstats.errors import DesignWarning, LcstatsWarning, Notice, OptionError, TableError, describe
from lcstats.options import Repeats
from lcstats.trials import Trials
from lcstats.trials.wording import counted, listed


@dataclass(frozen=True, slots=True)
class Match:
    """What can be compared, by task.

    Attributes
    ----------
    data : mapping of str to (Pairs or Arms)
        Tasks by name.
    unscored : mapping of str to tuple of mapping of int to int
        By task, for old and new: trials without a score at each length that has any.
    notices : tuple of Notice
        What could not be matched, and why.
    """

    data: Mapping[str, Pairs | Arms]
    unscored: Mapping[str, tuple[Mapping[int, int], Mapping[int, int]]]
    notices: tuple[Notice, ...]


def match(old: Results, new: Results, repeats: Repeats) -> Match:
    """Bring two tables together, each of one language model.

    Raises
    ------
    TableError
        If lengths are in different units, or no task has a length and depth in common.
    OptionError
        If a table holds several language models, or there is no common task.
    """
    reason = _why_unpaired(old, new)
    pairs = () if reason else pair_trials(cast("Trials", old), cast("Trials", new), repeats=repeats)
    data: dict[str, Pairs | Arms] = {each.task: each for each in pairs}
    notices = list(_on_pairs(pairs, old, new, repeats))
    sides = [_count(results, name, repeats) for results, name in ((old, "old"), (new, "new"))]
    grids = [{grid.task: grid for grid in cells.grids} for cells in sides]
    for cells, results in zip(sides, (old, new), strict=True):
        notices += (notice for notice in cells.notices if notice not in results.notices)
    shared = sorted(grids[0].keys() & grids[1].keys())
    _check_tasks(grids[0], grids[1], shared)
    for task in shared:
        if task not in data:
            arms = arms_of(grids[0][task], grids[1][task])
            notices.append(_on_arms(arms, reason))
            if arms.n_old.size:
                data[task] = arms
        notices += _on_guess_rates(grids[0][task], grids[1][task])
    if not data:
        raise TableError(_nothing_shared(grids[0], grids[1], shared))
    notices += _on_tasks(grids[0], grids[1])
    unscored = {task: (_unscored(grids[0][task]), _unscored(grids[1][task])) for task in data}
    return Match({task: data[task] for task in sorted(data)}, unscored, tuple(notices))


def _unscored(grid: CellGrid) -> dict[int, int]:
    """Count trials without a score by length."""
    return {length: sum(statuses.values()) for length, statuses in sorted(grid.unscored.items())}


def _why_unpaired(old: Results, new: Results) -> str:
    """Say why nothing can pair; empty where cases have ids on both sides."""
    for results, name in ((old, "old"), (new, "new")):
        if not isinstance(results, Trials):
            return f"the {name} table has counts, and no single cases"
        if not results.has_case_ids:
            return f"the {name} table has no case ids (name their column with --map case=COLUMN)"
    return ""


def _count(results: Results, name: str, repeats: Repeats) -> Cells:
    """Count the cells of a side; what counting has to say is left to the comparison."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LcstatsWarning)
        cells = count_cells(results, repeats=repeats)
    check_one_model(sorted(cells.models), name)
    return cells


def _check_tasks(
    old: Mapping[str, CellGrid], new: Mapping[str, CellGrid], shared: list[str]
) -> None:
    if not shared:
        raise OptionError(
            describe(
                f"old ({_model(old)}) has the task {listed(sorted(old))}, and new ({_model(new)}) "
                f"{listed(sorted(new))}",
                "expected a task that both were scored on",
                "compare results of the same tasks, or name the task with --map task=COLUMN",
            )
        )
    for task in shared:
        check_units(old[task].length_unit, new[task].length_unit)


def _model(grids: Mapping[str, CellGrid]) -> str:
    return next(iter(grids.values())).model


def _nothing_shared(
    old: Mapping[str, CellGrid], new: Mapping[str, CellGrid], shared: list[str]
) -> str:
    task = shared[0]
    sides = [listed(grids[task].lengths.tolist()) for grids in (old, new)]
    depths = [listed(_depth_words(grids[task])) for grids in (old, new)]
    return describe(
        f"{task}: old ({_model(old)}) has lengths {sides[0]} at depths {depths[0]}, new "
        f"({_model(new)}) {sides[1]} at {depths[1]}",
        "expected a length and depth that both were tested at: accuracies at different ones "
        "cannot be compared",
        "run both on one design, such as 'lcstats run --design regression'",
    )


def _depth_words(grid: CellGrid) -> list[str]:
    return ["none" if isnan(depth) else f"{depth:g}" for depth in grid.depths.tolist()]


def _on_tasks(old: Mapping[str, CellGrid], new: Mapping[str, CellGrid]) -> Iterator[Notice]:
    for mine, theirs, name in ((old, new, "old"), (new, old, "new")):
        alone = sorted(mine.keys() - theirs.keys())
        if alone:
            yield Notice(
                "task-on-one-side",
                f"{listed(alone)}: only in the {name} table, and not compared",
                DesignWarning,
            )


def _on_arms(arms: Arms, reason: str) -> Notice:
    if not arms.n_old.size:
        words = "no length and depth that both were tested at; not compared"
        return Notice("cells-not-shared", f"{arms.task}: {words}", DesignWarning)
    left = _left_out(arms.n_unmatched_old, arms.n_unmatched_new, "in cells that the other lacks")
    why = reason or "no case of the one table is in the other"
    return Notice(
        "unpaired",
        f"{arms.task}: compared without pairs, since {why}; many more cases are then needed"
        f"{'; ' + left if left else ''}",
        DesignWarning,
    )


def _left_out(n_old: int, n_new: int, where: str) -> str:
    sides = ((n_old, "old"), (n_new, "new"))
    parts = [f"{counted(n, 'case')} of the {side} table" for n, side in sides if n]
    return f"{' and '.join(parts)} {where}, left out" if parts else ""


def _on_pairs(
    pairs: tuple[Pairs, ...], old: Results, new: Results, repeats: Repeats
) -> Iterator[Notice]:
    if not (isinstance(old, Trials) and isinstance(new, Trials)):
        return
    both = old, new
    yield from _on_thresholds(*both)
    sent = [_rows_by_task(trials.frame) for trials in both]
    scored = [_rows_by_task(scored_cases(trials)) for trials in both]
    for each in pairs:
        left = _left_out(each.n_unmatched_old, each.n_unmatched_new, "without a partner")
        rows = [side[each.task] for side in scored]
        cases = [part.drop_duplicates() for part in rows]
        if left:
            failed = _failed_there(cases, [side[each.task].drop_duplicates() for side in sent])
            message = f"{each.task}: {counted(each.n_pairs, 'pair')}; {left}{failed}"
            yield Notice("unmatched-cases", message + _elsewhere(cases), DesignWarning)
        yield from _on_scores(each)
        n_repeats = [len(part) / len(own) for part, own in zip(rows, cases, strict=True)]
        yield from _on_repeats(each.task, n_repeats, repeats)


def _rows_by_task(frame: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Return the names of every row's case, by task."""
    return {str(task): rows for task, rows in frame[[*KEY]].groupby("task", sort=False)}


def _failed_there(scored: Sequence[pd.DataFrame], sent: Sequence[pd.DataFrame]) -> str:
    """Say how many cases lack a partner because the other side's trials of it have no score."""
    n_failed = sum(
        len(scored[here].merge(_without(sent[there], scored[there]), on=[*KEY]))
        for here, there in ((0, 1), (1, 0))
    )
    words = "a score on one side alone, which is no loss to the other: look at why"
    return f"; {n_failed} of them were sent to both and have {words}" if n_failed else ""


def _elsewhere(cases: Sequence[pd.DataFrame]) -> str:
    """Say that cases without a partner have one of their id at another length or depth."""
    both = cases[0].merge(cases[1], on=[*KEY])
    alone = [_without(side, both) for side in cases]
    # Of the places of an id the first: ids that restart in every cell have very many pairs.
    firsts = [side.sort_values([*KEY]).drop_duplicates("case") for side in alone]
    close = firsts[0].merge(firsts[1], on="case", suffixes=("_old", "_new"))
    if close.empty or 2 * len(close) < min(map(len, firsts)):
        return ""
    first = close.sort_values("case").iloc[0]
    places = [
        f"length {first[f'length_{side}']} depth {first[f'depth_{side}']:g}"
        for side in ("old", "new")
    ]
    return (
        f". Most of their ids are in the other table at another length or depth: {first['case']!r} "
        f"at {places[0]} and at {places[1]}; round them alike if they are the same case"
    )


def _without(cases: pd.DataFrame, both: pd.DataFrame) -> pd.DataFrame:
    known = pd.MultiIndex.from_frame(both)
    return cases[~pd.MultiIndex.from_frame(cases).isin(known)]


def _on_scores(pairs: Pairs) -> Iterator[Notice]:
    graded = [bool((side % pairs.unit).any()) for side in (pairs.old, pairs.new)]
    if graded[0] != graded[1]:
        which = ("old", "new") if graded[0] else ("new", "old")
        yield Notice(
            "scores-differ-in-kind",
            f"{pairs.task}: scores of the {which[0]} table are graded (or means of repeats) and "
            f"those of the {which[1]} are 0 or 1",
            DesignWarning,
        )


def _on_repeats(task: str, n_repeats: Sequence[float], repeats: Repeats) -> Iterator[Notice]:
    if abs(n_repeats[0] - n_repeats[1]) > 1e-9:
        folded = "a case's mean counts once on either side"
        counts = folded if repeats == "fold" else "repeats of the same number are paired"
        yield Notice(
            "repeats-differ",
            f"{task}: {n_repeats[0]:.3g} trials per case in the old table and "
            f"{n_repeats[1]:.3g} in the new; {counts}",
            DesignWarning,
        )


def _on_thresholds(old: Trials, new: Trials) -> Iterator[Notice]:
    found = [trials.reading.score_threshold if trials.reading else None for trials in (old, new)]
    if found[0] != found[1]:
        words = ["none" if each is None else f"{each:g}" for each in found]
        yield Notice(
            "thresholds-differ",
            f"an answer counts as right from score {words[0]} in the old table and from "
            f"{words[1]} in the new: part of the difference may be the rule's",
            DesignWarning,
        )


def _on_guess_rates(old: CellGrid, new: CellGrid) -> Iterator[Notice]:
    if old.guess_rate != new.guess_rate:
        yield Notice(
            "guess-rates-differ",
            f"{old.task}: guessing is right {old.guess_rate:g} of the time in the old table and "
            f"{new.guess_rate:g} in the new: they are not the same task",
            DesignWarning,
        )
