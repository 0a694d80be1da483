"""Figures of ``lcstats plot`` that stand on several language models."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

from lcstats.cli.effective_length import analyse, fit_if_wanted
from lcstats.cli.inputs import count_results, read_results
from lcstats.cli.options import AnalysisOptions, ReadingOptions
from lcstats.errors import Notice, OptionError, describe
from lcstats.options import ColumnWidth

if TYPE_CHECKING:
    from lcstats.comparison import Comparison, TaskComparison

COMPARING = ("difference", "shift", "forest")
"""Kinds that are drawn here."""

Drawn = tuple[str, str, Any]
"""Language models, task, and the axes drawn on."""


def draw_comparison(
    kind: str, reading: ReadingOptions, analysis: AnalysisOptions, width: ColumnWidth
) -> tuple[list[Drawn], tuple[Notice, ...]]:
    """Draw one of :data:`COMPARING`, an axes per task, and return what there is to know."""
    if kind == "forest":
        return _draw_forests(reading, analysis, width)
    comparison = _compare(kind, reading, analysis)
    names = f"{comparison.new_model} against {comparison.old_model}"
    draw = _draw_difference if kind == "difference" else _draw_shift
    return [
        (names, g.task, draw(comparison, g, width)) for g in comparison.groups
    ], comparison.notices


def _compare(kind: str, reading: ReadingOptions, analysis: AnalysisOptions) -> "Comparison":
    from lcstats.comparison import compare

    if len(reading.paths) != 2:
        raise OptionError(
            describe(
                f"{len(reading.paths)} path{'s are' if len(reading.paths) > 1 else ' is'} given",
                f"expected two for plot {kind}: OLD and NEW",
                f"write 'lcstats plot {kind} OLD NEW -o FILE'",
            )
        )
    old, new = (read_results(replace(reading, paths=(path,))) for path in reading.paths)
    return compare(
        old,
        new,
        level=analysis.level,
        repeats=reading.repeats,
        criterion=analysis.criterion() if kind == "shift" else None,
    )


def _draw_difference(comparison: "Comparison", group: "TaskComparison", width: ColumnWidth) -> Any:
    """Draw by length; by depth where there is a single length."""
    from lcstats import plots

    by_depth = len(group.by_length) < 2 and group.by_depth
    by: Literal["length", "depth"] = "depth" if by_depth else "length"
    return plots.plot_difference(comparison, task=group.task, by=by, width=width)


def _draw_shift(_: "Comparison", group: "TaskComparison", width: ColumnWidth) -> Any:
    from lcstats import plots

    if not group.effective_length_shift:
        raise OptionError(
            describe(
                f"{group.task} has no cases that both were scored on, or a single length",
                "expected pairs at several lengths for a shift of the effective length",
                "draw each with 'lcstats plot forest', which needs no pairs",
            )
        )
    return plots.plot_shift(group.effective_length_shift, width=width)


def _draw_forests(
    reading: ReadingOptions, analysis: AnalysisOptions, width: ColumnWidth
) -> tuple[list[Drawn], tuple[Notice, ...]]:
    """Draw the language models of every task under one another, with the methods asked for."""
    from lcstats import plots
    from lcstats.report.fits import each_group

    cells = count_results(
        read_results(reading, analysis.by), reading, average=analysis.average_tasks
    )
    fits = each_group(cells, lambda group: fit_if_wanted(group, analysis))
    answers = [analyse(group, analysis, fit) for group, fit in zip(cells, fits, strict=True)]
    tasks = dict.fromkeys(answer.task for answer in answers)
    drawn: list[Drawn] = []
    for task in tasks:
        own = [answer for answer in answers if answer.task == task]
        axes = plots.plot_length_forest(own, all_methods=len(analysis.methods) > 1, width=width)
        drawn.append((_named(own), task, axes))
    notices = dict.fromkeys(
        replace(notice, message=f"{answer.model} on {answer.task}: {notice.message}")
        for answer in answers
        for notice in answer.notices
        if notice not in cells.notices
    )
    return drawn, (*cells.notices, *notices)


def _named(answers: Sequence[Any]) -> str:
    """Name the language model, or say how many there are."""
    return str(answers[0].model) if len(answers) == 1 else f"{len(answers)} language models"
