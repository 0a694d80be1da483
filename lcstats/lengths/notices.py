"""What a reader of an effective length has to know: the limits of the design and of the method."""

from collections.abc import Iterator

import numpy as np

from lcstats.cells import CellGrid
from lcstats.draws import Draws
from lcstats.errors import (
    DesignWarning,
    Notice,
    SmallSampleWarning,
    UnscoredWarning,
)
from lcstats.lengths.answer import Interval
from lcstats.lengths.criterion import Criterion, Treatment
from lcstats.lengths.jeffreys import largest_lower_error
from lcstats.lengths.missing import notices_on_gaps
from lcstats.lengths.observed import Observed
from lcstats.lengths.shares import membership
from lcstats.lengths.windows import count_windows, smallest_window
from lcstats.options import Penalty, percent
from lcstats.trials.wording import counted, listed

FEW_CASES = 10
"""Below this many cases in a cell the bootstrap's variance is short by more than a tenth."""


def notices_on(
    grid: CellGrid,
    observed: Observed,
    criterion: Criterion,
    interval: Interval,
    *,
    has_curve: bool,
) -> tuple[Notice, ...]:
    """Collect every notice on one effective length, most important first."""
    return (
        *notices_on_gaps(grid),
        *_on_depth(grid, criterion),
        *_on_bar(observed, criterion),
        *_on_sizes(grid, interval, criterion),
        *_on_small_tasks(grid, interval),
        *_on_design(grid, criterion),
        *_on_shape(grid, observed),
        *_on_unscored(grid),
        *_on_guess_rate(criterion, has_curve=has_curve),
    )


def notices_on_depthless(grid: CellGrid, n_cases: int) -> Iterator[Notice]:
    """Say that cases without a depth were left out of a mean or an order over depths."""
    if n_cases:
        yield Notice(
            "depthless-left-out",
            f"{n_cases} of {counted(int(grid.n_cases.sum()), 'case')} without a depth, at lengths "
            "where others have one, left out: no depth is no tested depth; fill in the depths, or "
            "pool all cases of a length with depth_treatment='pooled' (--depth pooled)",
            DesignWarning,
        )


def notices_on_refits(draws: Draws) -> Iterator[Notice]:
    """Say that refits behind a curve's set did not settle, and what became of the set."""
    if draws.n_failed:
        fate = "; they stay in it, where they stopped"
        if not draws.are_settled:
            fate = ": they make no set, and what they say of the effective length is left out"
        yield Notice(
            "failed-refits",
            f"{draws.n_failed} of {len(draws)} refits behind the curve's set did not settle{fate}",
            DesignWarning,
        )


def notices_on_penalty(penalty: Penalty) -> tuple[Notice, ...]:
    """Say that a penalty was named where no curve is fitted."""
    if penalty == "jeffreys":
        return ()
    return (
        Notice(
            "unused-penalty",
            f"penalty {penalty!r} has no effect: no curve is fitted",
        ),
    )


def _on_guess_rate(criterion: Criterion, *, has_curve: bool) -> Iterator[Notice]:
    if criterion.guess_rate and criterion.rule != "above_chance" and not has_curve:
        yield Notice(
            "unused-guess-rate",
            f"guess rate {float(criterion.exact_guess_rate):g} has no effect on observed with the "
            f"{criterion.rule} rule: use the rule above_chance, or fit a curve",
        )


def _on_depth(grid: CellGrid, criterion: Criterion) -> Iterator[Notice]:
    treatment = criterion.treatment
    if treatment.is_window:
        yield from _on_windows(grid, treatment.width)
    elif treatment.is_order and grid.depths.size > 1:
        yield Notice(
            "worst-depth-biased",
            f"{criterion.depth_treatment} over {grid.depths.size} noisy cells is biased low: it "
            "is the luck of the lowest cell as much as the language model; quote the set, not "
            "the raw cells' length",
            SmallSampleWarning,
        )
    tested = np.unique(grid.depths[grid.n_cases.any(axis=0)])
    if tested.size == 1 and not np.isnan(tested[0]):
        yield Notice(
            "single-depth",
            f"every trial has depth {tested[0]:g}: where the evidence stands was not tested",
            DesignWarning,
        )


def _on_windows(grid: CellGrid, width: int) -> Iterator[Notice]:
    windows = count_windows(grid, width)
    if windows.most > 1:
        yield Notice(
            "worst-depth-biased",
            f"window:{width} over {windows.most} noisy windows is biased low: it is the luck of "
            "the lowest window as much as the language model; quote the set, not the raw cells' "
            "length",
            SmallSampleWarning,
        )
    yield Notice(
        "narrow-failures-averaged",
        f"a failure at fewer than {width} adjacent depths is averaged with its neighbours: a "
        "single bad depth may not show; worst depth shows it, from more cases",
        DesignWarning,
    )
    if windows.n_left_out:
        n_unwatched = windows.n_unwatched
        yield Notice(
            "windows-left-out",
            f"{counted(windows.n_left_out, 'window')} of {width} depths "
            f"{'holds' if windows.n_left_out == 1 else 'hold'} a depth without cases and "
            f"{'is' if windows.n_left_out == 1 else 'are'} left out at "
            f"{counted(windows.lacking.size, 'length')} ({listed(windows.lacking.tolist())}); "
            f"{counted(n_unwatched, 'tested cell')} {'is' if n_unwatched == 1 else 'are'} in no "
            "window",
            DesignWarning,
        )


def _on_bar(observed: Observed, criterion: Criterion) -> Iterator[Notice]:
    if observed.applied_threshold == 0:
        yield Notice(
            "base-is-zero",
            "the base score is 0, and so is the bar: any accuracy reaches it; "
            f"the {criterion.rule} rule says nothing here",
            DesignWarning,
        )


def _on_sizes(grid: CellGrid, interval: Interval, criterion: Criterion) -> Iterator[Notice]:
    present = grid.n_cases[grid.n_cases > 0]
    single = int((present == 1).sum())
    if single:
        yield Notice(
            "one-case-cells",
            f"{single} of {counted(present.size, 'cell')} {'holds' if single == 1 else 'hold'} one "
            "case and cannot vary when drawn again; "
            "the bootstrap draws them from their length's pooled accuracy",
            SmallSampleWarning,
        )
    elif present.min() < FEW_CASES:
        smallest = int(present.min())
        share = np.sqrt(1 - 1 / smallest)
        yield Notice(
            "few-cases",
            f"cells hold as few as {counted(smallest, 'case')}: bootstrap masses are too narrow "
            f"there (standard error x {share:.2f})",
            SmallSampleWarning,
        )
    yield from _on_floor(grid, interval, criterion.treatment)


def _on_small_tasks(grid: CellGrid, interval: Interval) -> Iterator[Notice]:
    """Say how far the set of an average may be off where a task of few cases decides it."""
    if not grid.members or interval.kind != "jeffreys":
        return
    by_task = grid.n_cases @ membership(grid.member_codes)
    smallest = int(by_task[by_task > 0].min())
    if smallest < FEW_CASES:
        named = grid.members[int(np.nonzero(by_task == smallest)[1][0])]
        error = largest_lower_error(smallest, level=interval.level)
        yield Notice(
            "few-cases-of-a-task",
            f"{named} has {counted(smallest, 'case')} at a length: where it decides the average, "
            f"the lower end of the jeffreys set is too high in up to {error:.1%} of sweeps "
            f"({(1 - interval.level) / 2:.1%} by its level); run more cases of it",
            SmallSampleWarning,
        )


def _on_floor(grid: CellGrid, interval: Interval, treatment: Treatment) -> Iterator[Notice]:
    if interval.floor is None:
        return
    place = str(interval.diagnostics.get("floor_counts")).removeprefix("perfect cases per ")
    if place == "cell":
        smallest = int(grid.n_cases[grid.n_cases > 0].min())
    elif place == "window":
        smallest = smallest_window(grid, treatment.width)
    else:
        place, smallest = "length", int(grid.n_cases.sum(axis=1).min())
    if smallest < interval.floor:
        yield Notice(
            "below-certification-floor",
            f"a {place} with {counted(smallest, 'case')} cannot be certified even if "
            f"all are right; at {percent(interval.level)} that takes {interval.floor}",
            SmallSampleWarning,
        )


def _on_design(grid: CellGrid, criterion: Criterion) -> Iterator[Notice]:
    across, present = "depths", grid.n_cases > 0
    if grid.members:
        # That a task lacks a depth is said where tasks are averaged, with the task's name.
        across, codes = "tasks", grid.member_codes
        present = np.stack([present[:, codes == i].any(1) for i in range(codes.max() + 1)], axis=1)
    never = [f"{depth:g}" for depth in grid.depths[~grid.n_cases.any(axis=0)]]
    if never:
        yield Notice(
            "depth-unscored",
            f"no trial at depth {listed(never)} is scored: every "
            f"{criterion.depth_treatment} is over the other depths",
            DesignWarning,
        )
        present = present[:, present.any(axis=0)]
    lacking = grid.lengths[~present.all(axis=1)].tolist()
    if lacking:
        yield Notice(
            "ragged-grid",
            f"{len(lacking)} of {counted(grid.lengths.size, 'length')} "
            f"{'lacks' if len(lacking) == 1 else 'lack'} some of the {present.shape[1]} "
            f"{across} ({listed(lacking)}): their {criterion.depth_treatment} is over other "
            f"{across} than the rest",
            DesignWarning,
        )
    if grid.lengths.size == 1:
        yield Notice(
            "single-length",
            f"only length {grid.lengths[0]} was tested: the effective length is on one side of it",
            DesignWarning,
        )
    if grid.cases is not None and grid.is_clustered:
        yield Notice(
            "clustered",
            f"{grid.cases.cell.size} cases share "
            f"{counted(np.unique(grid.cases.cluster).size, 'cluster')}; "
            "masses draw clusters whole and sets allow for it where they say so",
            DesignWarning,
        )


def _on_shape(grid: CellGrid, observed: Observed) -> Iterator[Notice]:
    longest = observed.longest_passing
    if longest is not None and longest + 1 > observed.outcome:
        yield Notice(
            "not-monotone",
            f"length {grid.lengths[observed.outcome]} fails but {grid.lengths[longest]} passes: "
            f"accuracy is not monotone in length (longest passing {grid.lengths[longest]})",
            DesignWarning,
        )


def _on_unscored(grid: CellGrid) -> Iterator[Notice]:
    counts = {length: sum(by_status.values()) for length, by_status in grid.unscored.items()}
    total = sum(counts.values())
    if total:
        n_all = total + int(grid.n_trials.sum())
        yield Notice(
            "unscored",
            f"{total} of {counted(n_all, 'trial')} {'is' if total == 1 else 'are'} unscored and "
            f"left out, never counted as wrong (length{'s' * (len(counts) != 1)} "
            f"{listed(sorted(counts))})",
            UnscoredWarning,
        )
