"""``lcstats plot``: one figure, or one per (model, task)."""

from collections.abc import Iterable, Sequence
from functools import partial
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
from lcstats.cli.plan_options import PriceOptions, price_options
from lcstats.cli.plot_comparison import COMPARING, draw_comparison
from lcstats.cli.plot_groups import draw_group, draw_together
from lcstats.cli.plot_needles import draw_needles
from lcstats.cli.plot_options import LookOptions, look_options
from lcstats.cli.plot_usage import USAGE, draw_usage
from lcstats.errors import Notice, OptionError, describe

if TYPE_CHECKING:
    from lcstats.cells import Cells, Means
    from lcstats.report.fits import FitWithTest

FIGURE_SUFFIXES = (".svg", ".pdf", ".png")
KINDS = (
    "heatmap",
    "decay",
    "methods",
    "depth",
    "masses",
    "residuals",
    "predictive",
    "needles",
    "plan",
    *COMPARING,
    *USAGE,
)
WITHOUT_COUNTS = ("heatmap", "decay")
WITH_CURVE = (
    "decay",
    "methods",
    "depth",
    "residuals",
    "predictive",
    "needles",
    "shift",
    "forest",
)
CHECKS = {"residuals": "residuals are distances from it", "predictive": "it is what is checked"}
"""Kinds that show nothing but a curve, and why they need one."""


@define_command("plot", "lcstats plot decay results/ --score-threshold 7 -o decay.svg")
@click.argument("kind", metavar="KIND", type=click.Choice(KINDS))
@paths_argument()
@reading_options
@analysis_options
@look_options
@price_options
@output_option("FILE", "Where to: .svg, .pdf or .png.")
@json_option
def command(
    kind: str,
    reading: ReadingOptions,
    analysis: AnalysisOptions,
    look: LookOptions,
    pricing: PriceOptions,
    output: str,
    as_json: bool,
) -> None:
    """Draw one figure, of one kind: heatmap, decay and so on, needles, plan, or a comparison.

    Of several models or tasks each gets a file of its own, named after it; --select takes one, and
    --together puts all into one. The PATH of a plan is what 'lcstats plan --json' printed.
    Comparisons: difference and shift take two PATHs, OLD and NEW; forest has all models of a task.
    Latency and cost are what trials took, where the files say it or prices are given.
    """
    from lcstats.cells import Means
    from lcstats.plots import figure_style

    check_methods(kind, analysis)
    look.check(kind)
    check_file(output, FIGURE_SUFFIXES)
    with figure_style(look.theme):
        if kind == "plan":
            _plot_plan(reading.paths, Path(output), look, as_json=as_json)
            return
        analysis.criterion()
        if kind in (*COMPARING, *USAGE, "needles"):
            drawn, notices = _draw_whole(kind, reading, analysis, look, pricing)
            names = [(models, task) for models, task, _ in drawn]
            figures = (axes for _, _, axes in drawn)
            _write_drawn(kind, names, figures, notices, Path(output), as_json=as_json)
            return
        results = read_results(reading, analysis.by)
        if isinstance(results, Means) and kind in WITHOUT_COUNTS:
            _plot_means(kind, results, Path(output), look, as_json=as_json)
            return
        cells = count_results(results, reading, average=analysis.average_tasks)
        _plot_groups(kind, cells, analysis, look, Path(output), as_json=as_json)


def _plot_groups(
    kind: str,
    cells: "Cells",
    analysis: AnalysisOptions,
    look: LookOptions,
    output: Path,
    *,
    as_json: bool,
) -> None:
    """Draw every language model and task into a file of its own, or all into one."""
    from lcstats.report.documents import group_warnings, list_warnings, own_notices
    from lcstats.report.fits import each_group

    groups = list(cells)
    fits: list[FitWithTest | None] = [None] * len(groups)
    if kind in WITH_CURVE:
        fits = each_group(cells, lambda group: fit_if_wanted(group, analysis))
    answers = [analyse(group, analysis, fit) for group, fit in zip(groups, fits, strict=True)]
    names = [(answer.model, answer.task) for answer in answers]
    paths = [output] * len(names) if look.together else name_files(output, names)
    if look.together:
        figures = iter([draw_together(kind, cells, answers, fits, look)])
    else:
        figures = (
            draw_group(kind, group, answer=answer, tested=tested, look=look, seed=analysis.seed)
            for group, answer, tested in zip(groups, answers, fits, strict=True)
        )
    _save(figures, list(dict.fromkeys(paths)))
    if as_json:
        warnings = list_warnings(cells.notices) + group_warnings(answers, cells.notices)
        print_json(plot_document(kind, names, paths, warnings))
        return
    said = print_common(cells.notices, (answer.notices for answer in answers))
    for answer, path in zip(answers, paths, strict=True):
        name = f"{answer.model} on {answer.task}" if len(answers) > 1 else ""
        print_notices(own_notices(answer, said), group=name)
        if not look.together or answer is answers[-1]:
            print_text(f"Written to {path}")


def _save(figures: "Iterable[Any]", paths: Sequence[Path]) -> None:
    """Write every figure as it is drawn: all or none."""
    from lcstats import plots

    with whole_files(paths[0].parent) as folder:
        for axes, path in zip(figures, paths, strict=True):
            plots.save_figure(axes.figure, folder / path.name)


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


def _plot_means(
    kind: str, means: "Means", output: Path, look: LookOptions, *, as_json: bool
) -> None:
    """Draw means that nobody says the number of cases of; they have no effective length."""
    from lcstats import plots

    draw_means: Any = plots.plot_decay
    if kind == "heatmap":
        draw_means = partial(plots.plot_heatmap, style=look.style)
    names = [(group.models[0], group.tasks[0]) for group in means]
    drawn = (draw_means(group, width=look.width) for group in means)
    _write_drawn(kind, names, drawn, means.notices, output, as_json=as_json)


def _plot_plan(paths: Sequence[str], output: Path, look: LookOptions, *, as_json: bool) -> None:
    """Draw the plan in a file of JSON."""
    from lcstats import plots
    from lcstats.cli.plan import read_plan
    from lcstats.report.documents import list_warnings

    plan = read_plan(paths)
    _save([plots.plot_plan(plan, width=look.width)], [output])
    if as_json:
        file = {"truth": plan.truth, "path": str(output)}
        warnings = list_warnings(plan.notices)
        print_json({"schema_version": 1, "kind": "plan", "files": [file], "warnings": warnings})
        return
    print_notices(plan.notices)
    print_text(f"Written to {output}")


def _draw_whole(
    kind: str,
    reading: ReadingOptions,
    analysis: AnalysisOptions,
    look: LookOptions,
    pricing: PriceOptions,
) -> "tuple[list[tuple[str, str, Any]], tuple[Notice, ...]]":
    """Draw several language models together, several needles, or what trials took."""
    if kind == "needles":
        return draw_needles(reading, analysis, look.width)
    if kind in USAGE:
        return draw_usage(kind, reading, pricing, look.width)
    return draw_comparison(kind, reading, analysis, look.width)


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
    from lcstats.report.documents import list_warnings

    paths = name_files(output, names)
    _save(drawn, paths)
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
    if kind in CHECKS and not analysis.wants_curve:
        raise OptionError(
            describe(
                f"--method leaves out curve, and {CHECKS[kind]}",
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
