"""What a report says, before any layout: one record per (model, task), made from its cells."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd

from lcstats.cells import Cells, Results
from lcstats.errors import Notice
from lcstats.flexible import FlexibleFit
from lcstats.lengths import (
    Criterion,
    EffectiveLength,
    Estimate,
    Interval,
    effective_length,
    outcome_label,
)
from lcstats.lengths.answer import METHOD_WORDS as METHOD_WORDS
from lcstats.lengths.answer import SET_MEANINGS as SET_MEANINGS
from lcstats.lengths.notices import notices_on_penalty
from lcstats.options import check_type
from lcstats.options import percent as percent
from lcstats.plots import decay_data, length_label
from lcstats.report.documents import own_notices
from lcstats.report.failure_sample import FailureSample, sample_failures
from lcstats.report.figures import FigureEntry, FigurePlan, draw_figures
from lcstats.report.fits import (
    FitWithTest,
    fit_and_test,
    has_a_curve,
    sets_to_ask,
    surface_if_wanted,
)
from lcstats.report.patterns import Pattern, find_patterns, list_shown
from lcstats.report.settings import ReportSettings
from lcstats.report.spec_sheet import TaskSheet
from lcstats.report.task_kinds import kind_of_task
from lcstats.report.timings import Timing
from lcstats.report.untested import find_untested
from lcstats.report.worst_place import find_worst_place
from lcstats.trials.wording import counted

SMALLEST_SHARE = 0.0005
"""Masses below this are not rows of the page's table; the CSV has them."""

SAID_ONCE = ("ragged-grid",)
"""Codes of notices whose words name the depth treatment and whose fact does not depend on it."""


@dataclass(frozen=True, slots=True, eq=False)
class GroupContent:
    """One language model on one task.

    Attributes
    ----------
    slug : str
        Its part of file names.
    cells : Cells
    answer : EffectiveLength
        Under the criterion asked for.
    other : EffectiveLength or None
        Under the other depth treatment: worst beside a mean, mean beside a worst. None where
        there is only one depth to treat.
    tested : FitWithTest or None
        The fitted curve; None where it was not asked for or one length was tested.
    notices : tuple of Notice
        Everything to know about this group, each once.
    figures : tuple of FigureEntry
    sheet : TaskSheet
        Its part of the spec sheet.
    patterns : tuple of Pattern
        Each pattern that was looked for; empty for averages of tasks.
    failures : FailureSample or None
        Failing trials to look at; None where the table has no texts of single trials.
    """

    slug: str
    cells: Cells
    answer: EffectiveLength
    other: EffectiveLength | None
    tested: FitWithTest | None
    notices: tuple[Notice, ...]
    figures: tuple[FigureEntry, ...]
    sheet: TaskSheet
    patterns: tuple[Pattern, ...]
    failures: FailureSample | None

    @property
    def shown_patterns(self) -> tuple[Pattern, ...]:
        """The patterns that the tests speak for, the strongest evidence first."""
        return tuple(list_shown(self.patterns))

    @property
    def has_other_bar(self) -> bool:
        """True if the spec sheet has another threshold than was asked for."""
        asked, on_sheet = self.answer.criterion, self.sheet.answer.criterion
        return asked.exact_threshold != on_sheet.exact_threshold

    @property
    def answers(self) -> tuple[EffectiveLength, ...]:
        """The answer, and the one under the other depth treatment."""
        return (self.answer, self.other) if self.other else (self.answer,)

    @property
    def curve(self) -> Estimate | None:
        """The curve's estimate under the criterion asked for."""
        return next((e for e in self.answer.estimates if e.method == "curve"), None)

    @property
    def n_unscored(self) -> int:
        """Unscored trials over all lengths."""
        return sum(self.answer.unscored_by_length.values())

    @property
    def n_trials(self) -> int:
        """Trials over all lengths, scored or not."""
        return int(self.answer.n_trials.sum()) + self.n_unscored

    @property
    def counts(self) -> str:
        """Scored trials, cases and lengths in words."""
        answer = self.answer
        numbers = [
            counted(answer.n_trials.sum(), "scored trial"),
            counted(answer.n_cases.sum(), "case"),
            counted(answer.lengths.size, "length"),
        ]
        ends = dict.fromkeys([answer.lengths[0], answer.lengths[-1]])
        span = f"{'from ' if len(ends) > 1 else 'of '}{' to '.join(map(str, ends))}"
        return f"{', '.join(numbers)} {span} {answer.length_unit}"


@dataclass(frozen=True, slots=True, eq=False)
class Request:
    """What every group of a report is made with.

    Attributes
    ----------
    results : Trials or Cells
        Where single trials are looked up.
    criterion : Criterion
    level : float
    settings : ReportSettings
    folder : Path
        Where figures go.
    plan : FigurePlan
    timings : mapping of (str, str) to tuple of Timing
        By language model and task.
    """

    results: Results
    criterion: Criterion
    level: float
    settings: ReportSettings
    folder: Path
    plan: FigurePlan
    timings: Mapping[tuple[str, str], tuple[Timing, ...]]


def build_group(
    cells: Cells, tested: FitWithTest | None, *, slug: str, request: Request
) -> GroupContent:
    """Analyse one group and draw its figures."""
    settings, criterion = request.settings, request.criterion
    grid = cells.grid
    surface = surface_if_wanted(cells, settings.methods, seed=settings.seed)
    analyse = partial(_analyse, cells, tested, surface, request=request)
    answer = analyse(criterion)
    further = notices_on_penalty(settings.penalty) if tested is None else tested.notices
    answer = replace(answer, notices=(*answer.notices, *further))
    other = None
    if grid.depths.size > 1:
        other = analyse(replace(criterion, depth_treatment=_other_treatment(criterion)))
    patterns = () if grid.members else find_patterns(grid, answer, level=request.level)
    return GroupContent(
        slug=slug,
        cells=cells,
        answer=answer,
        other=other,
        tested=tested,
        notices=tuple(_notices(answer, other, cells.notices)),
        figures=draw_figures(
            cells,
            answer,
            tested,
            name=f"figures/{slug}",
            folder=request.folder,
            plan=request.plan,
        ),
        sheet=_build_sheet(cells, surface, known=answer, request=request),
        patterns=patterns,
        failures=sample_failures(
            request.results,
            grid.model,
            grid.task,
            n_shown=request.plan.n_failures,
            seed=settings.seed,
        ),
    )


def _build_sheet(
    cells: Cells, surface: FlexibleFit | None, *, known: EffectiveLength, request: Request
) -> TaskSheet:
    """Make the group's part of the spec sheet; notices that `known` has are not said again."""
    grid, settings = cells.grid, request.settings
    kind = kind_of_task(grid.task, settings.task_kinds, grid.members)
    answer = effective_length(
        cells,
        replace(request.criterion, threshold=settings.bars[kind.kind]),
        flexible=surface if request.criterion.treatment.is_order else None,
        level=request.level,
        sets=sets_to_ask(("default",), settings.methods),
        masses=(),
        seed=settings.seed,
    )
    said = {notice.message for notice in known.notices}
    decay = decay_data(cells, answer, level=request.level)
    columns = ["length", "accuracy", "lower", "upper", "n_cases"]
    advertised = settings.window_of(grid.model)
    unscored: Counter[str] = Counter()
    for by_status in grid.unscored.values():
        unscored.update(by_status)
    return TaskSheet(
        kind=kind,
        answer=answer,
        advertised=advertised,
        decay=decay.loc[decay["series"] == "length", columns].reset_index(drop=True),
        level=request.level,
        worst=find_worst_place(grid, level=request.level),
        untested=find_untested(grid, advertised),
        unscored=dict(sorted(unscored.items())),
        timings=request.timings.get((grid.model, grid.task), ()),
        notes=tuple(n.message for n in answer.notices if n.message not in said),
    )


def fit_if_wanted(
    cells: Cells, criterion: Criterion, *, settings: ReportSettings
) -> FitWithTest | None:
    """Fit and test the curve where the settings name it and there is one."""
    check_type(criterion, Criterion, "criterion")
    if (settings.methods and "curve" not in settings.methods) or not has_a_curve(cells):
        return None
    guess_rate = float(criterion.exact_guess_rate) or None
    return fit_and_test(cells, penalty=settings.penalty, guess_rate=guess_rate, seed=settings.seed)


def _analyse(
    cells: Cells,
    tested: FitWithTest | None,
    surface: FlexibleFit | None,
    criterion: Criterion,
    *,
    request: Request,
) -> EffectiveLength:
    """State the effective length as the settings ask."""
    settings = request.settings
    return effective_length(
        cells,
        criterion,
        fit=None if tested is None else tested.fit,
        flexible=surface,
        level=request.level,
        sets=sets_to_ask(settings.sets, settings.methods),
        masses=settings.masses,
        seed=settings.seed,
    )


def _other_treatment(criterion: Criterion) -> str:
    return "mean" if criterion.treatment.is_order else "worst"


def _notices(
    answer: EffectiveLength, other: EffectiveLength | None, shared: Sequence[Notice]
) -> Iterator[Notice]:
    """Yield the group's own notices; what only the other depth treatment says is marked so."""
    own = own_notices(answer, shared)
    yield from own
    if other is None:
        return
    known = {notice.message for notice in own}
    for notice in own_notices(other, shared):
        if notice.message in known or notice.code in SAID_ONCE:
            continue
        speaks_for_itself = notice.message.startswith(other.criterion.depth_treatment)
        prefix = "" if speaks_for_itself else f"{other.depth_in_words()}: "
        yield Notice(notice.code, prefix + notice.message, notice.category)


def point_in_words(answer: EffectiveLength) -> str:
    """Return the effective length with its unit, as a reader should quote it.

    Examples
    --------
    >>> cells = Cells.from_counts(
    ...     [4096, 8192], [0.0, 1.0], n_cases=40, successes=[[40, 40], [20, 22]]
    ... )
    >>> point_in_words(effective_length(cells, Criterion(0.85)))
    '4096 tokens'
    >>> point_in_words(effective_length(cells, Criterion(0.5)))
    'at least 8192 tokens (>=8192): every tested length passes'
    """
    estimate, unit = answer.quoted, answer.length_unit
    return {
        "crossed": f"{estimate.length} {unit}",
        "beyond_tested": (
            f"at least {estimate.length} {unit} ({estimate.display}): every tested length passes"
        ),
        "below_tested": (
            f"below {answer.lengths[0]} {unit} ({estimate.display}): no tested length passes"
        ),
    }[estimate.status]


def set_in_words(interval: Interval, unit: str) -> str:
    """Return a set with its unit and kind, and why it is not the one asked for."""
    words = f"{interval.display} {unit} ({interval.kind})"
    if interval.fell_back_from:
        asked = interval.fell_back_from
        words += f"; not {asked.kind}, because {asked.reason}"
    return words


def length_table(answer: EffectiveLength) -> pd.DataFrame:
    """Return one row per length, tested or not: accuracy, passes, trials, cases, unscored."""
    frame = answer.to_frame().assign(length=answer.lengths)
    only_unscored = sorted(set(answer.unscored_by_length) - set(answer.lengths.tolist()))
    if only_unscored:
        empty = pd.DataFrame(
            {
                "length": only_unscored,
                "accuracy": np.nan,
                "passes": pd.NA,
                "n_trials": 0,
                "n_cases": 0,
                "n_unscored": [answer.unscored_by_length[length] for length in only_unscored],
            }
        )
        frame = pd.concat([frame.astype({"passes": object}), empty], ignore_index=True)
    table = frame.sort_values("length", ignore_index=True)
    labels = [length_label(length, answer.length_unit) for length in table["length"]]
    table.insert(1, "label", labels)
    return table


def mass_table(answer: EffectiveLength) -> pd.DataFrame:
    """Return one row per outcome: its label, and the share each kind of mass gives it."""
    estimate = answer.quoted
    outcomes = range(estimate.lengths.size + 1)
    interval = estimate.default_set
    return pd.DataFrame(
        {
            "outcome": [outcome_label(outcome, estimate.lengths) for outcome in outcomes],
            **dict(estimate.masses),
            "in_set": [outcome in interval for outcome in outcomes],
        }
    )


def summary_table(groups: Sequence[GroupContent]) -> pd.DataFrame:
    """Return one row per group, depth treatment and method: the answer with its set."""
    return pd.DataFrame(
        [
            _summary(group, answer, estimate)
            for group in groups
            for answer in group.answers
            for estimate in answer.estimates
        ]
    )


def _summary(group: GroupContent, answer: EffectiveLength, estimate: Estimate) -> dict[str, object]:
    crossing = estimate.crossing
    interval = estimate.default_set
    return {
        "model": answer.model,
        "task": answer.task,
        "threshold": float(answer.criterion.exact_threshold),
        "rule": answer.criterion.rule,
        "applied_threshold": float(answer.applied_threshold),
        "depth_treatment": answer.criterion.depth_treatment,
        "method": estimate.method,
        "headline": answer.headline == estimate.method,
        "effective_length": estimate.display,
        "length_unit": answer.length_unit,
        "set": interval.display,
        "set_kind": interval.kind,
        "level": interval.level,
        "longest_passing": estimate.longest_passing,
        "crossing": crossing and crossing.value,
        "crossing_lower": crossing and crossing.lower,
        "crossing_upper": crossing and crossing.upper,
        "n_trials": group.n_trials,
        "n_cases": int(answer.n_cases.sum()),
        "n_unscored": group.n_unscored,
    }


def pattern_table(groups: Sequence[GroupContent]) -> pd.DataFrame:
    """Return one row per group and pattern that was looked for: effect, interval, p-values."""
    names = ("strength", "effect", "lower", "upper", "p_value", "holm_p", "evidence")
    rows = [
        {
            "model": group.answer.model,
            "task": group.answer.task,
            "pattern": pattern.name,
            **{name: getattr(pattern, name) for name in names},
        }
        for group in groups
        for pattern in group.patterns
    ]
    return pd.DataFrame(rows, columns=["model", "task", "pattern", *names])
