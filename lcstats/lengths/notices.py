"""What a reader of an effective length has to know: the limits of the design and of the method."""

from collections.abc import Iterator

import numpy as np

from lcstats.cells import CellGrid
from lcstats.errors import (
    DesignWarning,
    Notice,
    SmallSampleWarning,
    UnscoredWarning,
)
from lcstats.lengths.answer import Estimate, Interval
from lcstats.lengths.criterion import Criterion
from lcstats.lengths.observed import Observed
from lcstats.options import Penalty, percent
from lcstats.trials.wording import counted

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
        *_on_depth(grid, criterion),
        *_on_bar(observed, criterion),
        *_on_sizes(grid, interval),
        *_on_design(grid, criterion),
        *_on_shape(grid, observed),
        *_on_unscored(grid),
        *_on_guess_rate(criterion, has_curve=has_curve),
    )


def notices_on_refits(curve: Estimate) -> Iterator[Notice]:
    """Say that refits behind a curve's set did not settle."""
    found = curve.default_set.diagnostics
    n_failed, n_draws = found.get("n_failed_fits", 0), found.get("n_draws", 0)
    if n_failed:
        yield Notice(
            "failed-refits",
            f"{n_failed} of {n_draws} refits behind the curve's set did not settle; they stay in "
            "it, where they stopped",
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
    if criterion.treatment.is_order and grid.depths.size > 1:
        yield Notice(
            "worst-depth-biased",
            f"{criterion.depth_treatment} over {grid.depths.size} noisy cells is biased low: it "
            "is the luck of the lowest cell as much as the language model; quote the set, not "
            "the point",
            SmallSampleWarning,
        )
    tested = grid.depths[~np.isnan(grid.depths)]
    if tested.size == 1 and grid.depths.size == 1:
        yield Notice(
            "single-depth",
            f"every trial has depth {tested[0]:g}: where the evidence stands was not tested",
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


def _on_sizes(grid: CellGrid, interval: Interval) -> Iterator[Notice]:
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
    yield from _on_floor(grid, interval)


def _on_floor(grid: CellGrid, interval: Interval) -> Iterator[Notice]:
    if interval.floor is None:
        return
    per_cell = interval.diagnostics.get("floor_counts") == "perfect cases per cell"
    counts = grid.n_cases[grid.n_cases > 0] if per_cell else grid.n_cases.sum(axis=1)
    if counts.min() < interval.floor:
        place = "cell" if per_cell else "length"
        yield Notice(
            "below-certification-floor",
            f"a {place} with {counted(int(counts.min()), 'case')} cannot be certified even if "
            f"all are right; at {percent(interval.level)} that takes {interval.floor}",
            SmallSampleWarning,
        )


def _on_design(grid: CellGrid, criterion: Criterion) -> Iterator[Notice]:
    across = "tasks" if grid.members else "depths"
    lacking = [
        int(length)
        for length, n_cases in zip(grid.lengths, grid.n_cases, strict=True)
        if np.any(n_cases == 0)
    ]
    if lacking:
        yield Notice(
            "ragged-grid",
            f"{len(lacking)} of {counted(grid.lengths.size, 'length')} "
            f"{'lacks' if len(lacking) == 1 else 'lack'} some of the {grid.depths.size} "
            f"{across} ({_listed(lacking)}): their {criterion.depth_treatment} is over other "
            f"{across} than the rest",
            DesignWarning,
        )
    if grid.lengths.size == 1:
        yield Notice(
            "single-length",
            f"only length {grid.lengths[0]} was tested: the effective length is on one side of it",
            DesignWarning,
        )
    if grid.cases is not None and grid.cases.is_clustered:
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
            f"{_listed(sorted(counts))})",
            UnscoredWarning,
        )


def _listed(lengths: list[int]) -> str:
    shown = ", ".join(map(str, lengths[:5]))
    return f"{shown} and {len(lengths) - 5} more" if len(lengths) > 5 else shown
