"""``lcstats plot``: one figure, or one per (model, task)."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from lcstats.cli.commands import define_command
from lcstats.cli.effective_length import analyse, fit_if_wanted
from lcstats.cli.inputs import count_results, read_results
from lcstats.cli.options import (
    AnalysisOptions,
    ReadingOptions,
    analysis_options,
    json_option,
    output_option,
    paths_argument,
    reading_options,
    refuse_curve,
)
from lcstats.cli.output import (
    check_file,
    print_common,
    print_json,
    print_notices,
    print_text,
    whole_files,
)
from lcstats.cli.plot_comparison import COMPARING, draw_comparison
from lcstats.cli.plot_needles import draw_needles
from lcstats.errors import Notice, OptionError, describe

if TYPE_CHECKING:
    from lcstats.cells import Cells, Means
    from lcstats.lengths import EffectiveLength
    from lcstats.report.fits import FitWithTest

FIGURE_SUFFIXES = (".svg", ".pdf", ".png")
KINDS = (
    "heatmap",
    "decay",
    "methods",
    "depth",
    "masses",
    "residuals",
    "needles",
    "plan",
    *COMPARING,
)
WITHOUT_COUNTS = ("heatmap", "decay")
WITH_CURVE = ("decay", "methods", "depth", "residuals", "needles", "shift", "forest")


@define_command("plot", "lcstats plot decay results/ --score-threshold 7 -o decay.svg")
@click.argument("kind", metavar="KIND", type=click.Choice(KINDS))
@paths_argument()
@reading_options
@analysis_options
@output_option("FILE", "Where to: .svg, .pdf or .png.")
@json_option
def command(
    kind: str,
    reading: ReadingOptions,
    analysis: AnalysisOptions,
    output: str,
    as_json: bool,
) -> None:
    """Draw one figure, of one kind: heatmap, decay and so on, needles, plan, or a comparison.

    Of several models or tasks each gets a file of its own, named after it; --select takes one. The
    PATH of a plan is what 'lcstats plan --json' printed. Comparisons: difference and shift take two
    PATHs, OLD and NEW; forest has all models of a task.
    """
    from lcstats.cells import Means
    from lcstats.report.documents import group_warnings, list_warnings, own_notices
    from lcstats.report.fits import each_group

    check_methods(kind, analysis)
    check_file(output, FIGURE_SUFFIXES)
    if kind == "plan":
        _plot_plan(reading.paths, Path(output), as_json=as_json)
        return
    analysis.criterion()
    if kind in (*COMPARING, "needles"):
        _plot_drawn(kind, reading, analysis, Path(output), as_json=as_json)
        return
    results = read_results(reading, analysis.by)
    if isinstance(results, Means) and kind in WITHOUT_COUNTS:
        _plot_means(kind, results, Path(output), as_json=as_json)
        return
    cells = count_results(results, reading, average=analysis.average_tasks)
    groups = list(cells)
    fits: list[FitWithTest | None] = [None] * len(groups)
    if kind in WITH_CURVE:
        fits = each_group(cells, lambda group: fit_if_wanted(group, analysis))
    answers = [analyse(group, analysis, fit) for group, fit in zip(groups, fits, strict=True)]
    paths = name_files(Path(output), [(answer.model, answer.task) for answer in answers])
    with whole_files(Path(output).parent) as folder:
        for group, answer, tested, path in zip(groups, answers, fits, paths, strict=True):
            place = folder / path.name
            draw(kind, group, answer=answer, tested=tested, path=place, seed=analysis.seed)
    if as_json:
        names = [(answer.model, answer.task) for answer in answers]
        warnings = list_warnings(cells.notices) + group_warnings(answers, cells.notices)
        print_json(plot_document(kind, names, paths, warnings))
        return
    said = print_common(cells.notices, (answer.notices for answer in answers))
    for answer, path in zip(answers, paths, strict=True):
        name = f"{answer.model} on {answer.task}" if len(answers) > 1 else ""
        print_notices(own_notices(answer, said), group=name)
        print_text(f"Written to {path}")


def plot_document(
    kind: str,
    groups: Sequence[tuple[str, str]],
    paths: Sequence[Path],
    warnings: list[dict[str, str]],
) -> dict[str, Any]:
    """Return the ``plot`` object: which files show what."""
    files = [
        {"model": model, "task": task, "path": str(path)}
        for (model, task), path in zip(groups, paths, strict=True)
    ]
    return {"schema_version": 1, "kind": kind, "files": files, "warnings": warnings}


def _plot_means(kind: str, means: "Means", output: Path, *, as_json: bool) -> None:
    """Draw means that nobody says the number of cases of; they have no effective length."""
    from lcstats import plots

    draw_means: Any = plots.plot_heatmap if kind == "heatmap" else plots.plot_decay
    names = [(group.models[0], group.tasks[0]) for group in means]
    drawn = (draw_means(group) for group in means)
    _write_drawn(kind, names, drawn, means.notices, output, as_json=as_json)


def _plot_plan(paths: Sequence[str], output: Path, *, as_json: bool) -> None:
    """Draw the plan in a file of JSON."""
    from lcstats import plots
    from lcstats.cli.plan import read_plan
    from lcstats.report.documents import list_warnings

    plan = read_plan(paths)
    with whole_files(output.parent) as folder:
        axes: Any = plots.plot_plan(plan)
        plots.save_figure(axes.figure, folder / output.name)
    if as_json:
        file = {"truth": plan.truth, "path": str(output)}
        warnings = list_warnings(plan.notices)
        print_json({"schema_version": 1, "kind": "plan", "files": [file], "warnings": warnings})
        return
    print_notices(plan.notices)
    print_text(f"Written to {output}")


def _plot_drawn(
    kind: str, reading: ReadingOptions, analysis: AnalysisOptions, output: Path, *, as_json: bool
) -> None:
    """Draw several language models together, or several needles, a file per task."""
    if kind == "needles":
        drawn, notices = draw_needles(reading, analysis)
    else:
        drawn, notices = draw_comparison(kind, reading, analysis)
    names = [(models, task) for models, task, _ in drawn]
    figures = (axes for _, _, axes in drawn)
    _write_drawn(kind, names, figures, notices, output, as_json=as_json)


def _write_drawn(
    kind: str,
    names: Sequence[tuple[str, str]],
    drawn: Iterable[Any],
    notices: Sequence[Notice],
    output: Path,
    *,
    as_json: bool,
) -> None:
    """Write every figure as it is drawn, all or none, and say where."""
    from lcstats import plots
    from lcstats.report.documents import list_warnings

    paths = name_files(output, names)
    with whole_files(output.parent) as folder:
        for axes, path in zip(drawn, paths, strict=True):
            plots.save_figure(axes.figure, folder / path.name)
    if as_json:
        print_json(plot_document(kind, names, paths, list_warnings(notices)))
        return
    print_notices(notices)
    for path in paths:
        print_text(f"Written to {path}")


def check_methods(kind: str, analysis: AnalysisOptions) -> None:
    """Refuse a ``--method`` that the figure cannot show.

    Raises
    ------
    OptionError
        If the curve was asked for where there is none, or left out where nothing else is shown.
    """
    if kind not in WITH_CURVE:
        refuse_curve(analysis, f"plot {kind}")
    if kind == "residuals" and not analysis.wants_curve:
        raise OptionError(
            describe(
                "--method leaves out curve, and residuals are distances from it",
                "expected curve among the methods",
                "leave out --method, or draw a heatmap",
            )
        )


def name_files(output: Path, groups: Sequence[tuple[str, str]]) -> list[Path]:
    """Return the file itself for one (model, task); one named after each for several."""
    from lcstats.report.slugs import slugs_of

    if len(groups) == 1:
        return [output]
    slugs = slugs_of(groups)
    return [output.with_name(f"{output.stem}-{slug}{output.suffix}") for slug in slugs]


def draw(
    kind: str,
    cells: "Cells",
    *,
    answer: "EffectiveLength",
    tested: "FitWithTest | None",
    path: Path,
    seed: int,
) -> None:
    """Draw one figure into a file."""
    from lcstats import plots

    axes: Any
    if kind == "heatmap":
        axes = plots.plot_heatmap(cells, effective_length=answer)
    elif kind == "methods":
        axes = plots.plot_methods(answer)
    elif kind == "masses":
        axes = plots.plot_masses(answer)
    elif kind == "residuals":
        axes = _draw_residuals(cells, tested)
    else:
        axes = _draw_with_curve(kind, cells, answer=answer, tested=tested, seed=seed)
    plots.save_figure(axes.figure, path)


def _draw_with_curve(
    kind: str,
    cells: "Cells",
    *,
    answer: "EffectiveLength",
    tested: "FitWithTest | None",
    seed: int,
) -> Any:
    from lcstats import plots
    from lcstats.report.fits import plot_options

    curve = plot_options(tested, seed=seed)
    if kind == "depth":
        return plots.plot_depth(cells, **curve)
    return plots.plot_decay(cells, effective_length=answer, **curve)


def _draw_residuals(cells: "Cells", tested: "FitWithTest | None") -> Any:
    from lcstats import plots

    if tested is None:
        why, mend = "was tested at one length", ", or give --method curve to fit depths alone"
        if cells.grid.members:
            why, mend = "averages tasks, each with a curve of its own", ", or leave the tasks apart"
        raise OptionError(
            describe(
                f"{cells.grid.model} on {cells.grid.task} {why}",
                "expected several lengths of one task, so that a curve can be fitted",
                f"draw a heatmap{mend}",
            )
        )
    return plots.plot_residuals(tested.fit, goodness=tested.goodness)
