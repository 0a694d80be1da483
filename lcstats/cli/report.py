"""``lcstats report``: a page with everything, from results files or from a demonstration."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from lcstats.cli.commands import command_line, define_command
from lcstats.cli.demo import SIMULATED_SEED, load_demo, simulate_demo, simulation_seed
from lcstats.cli.inputs import read_results
from lcstats.cli.options import (
    AnalysisOptions,
    ReadingOptions,
    analysis_options,
    json_option,
    output_option,
    paths_argument,
    reading_options,
)
from lcstats.cli.output import print_json, print_text, print_warning
from lcstats.cli.report_options import SheetOptions, sheet_options
from lcstats.errors import OptionError, describe


@define_command("report", "lcstats report results/ --score-threshold 7 -o report")
@paths_argument(required=False)
@reading_options
@analysis_options
@output_option("DIR", "Folder of the report: new, empty, or an earlier report's.")
@click.option(
    "--demo",
    is_flag=True,
    help="Report on the sweep of a small language model that ships with lcstats, instead of PATH.",
)
@click.option(
    "--simulated",
    is_flag=True,
    help=f"With --demo: on trials from a known truth; seed {SIMULATED_SEED} unless --seed says.",
)
@sheet_options
@json_option
def command(
    reading: ReadingOptions,
    analysis: AnalysisOptions,
    sheet: SheetOptions,
    output: str,
    demo: bool,
    simulated: bool,
    as_json: bool,
) -> None:
    """Write a page with everything, figures, tables and JSON beside it.

    DIR gets index.html, which opens from disk and needs no network, report.md, report.json,
    figures, and tables as CSV, LaTeX and Markdown. The page begins with a spec sheet for every
    language model, under a bar for each kind of task, whatever --threshold is. The page of a
    demonstration begins by saying what it is of.
    """
    from lcstats.report import ReportSettings, write_report
    from lcstats.report.folder import check_folder

    if demo == bool(reading.paths):
        raise click.UsageError("give either PATH... or --demo")
    if simulated and not demo:
        raise click.UsageError("--simulated is a kind of demonstration: give --demo, too")
    criterion = analysis.criterion()
    check_folder(Path(output))
    refuse_among_results(Path(output), reading.paths)
    ctx = click.get_current_context()
    seed = simulation_seed(ctx, analysis.seed) if simulated else analysis.seed
    results: Any
    if demo:
        results, origin = simulate_demo(criterion, seed) if simulated else load_demo()
    else:
        results, origin = read_results(reading, analysis.by), ""
    settings = ReportSettings(
        methods=analysis.methods,
        penalty=analysis.penalty,
        sets=analysis.sets,
        masses=analysis.masses,
        repeats=reading.repeats,
        axis=reading.axis,
        average_tasks=analysis.average_tasks,
        seed=seed,
        origin=origin,
        command=command_line(ctx),
        advertised=sheet.windows,
        task_kinds=sheet.kinds,
        retrieval_bar=sheet.retrieval_bar,
        reasoning_bar=sheet.reasoning_bar,
    )
    page = write_report(
        results, output, criterion=criterion, level=analysis.level, settings=settings
    )
    _print_result(page, as_json=as_json)


def refuse_among_results(output: Path, paths: Sequence[str]) -> None:
    """Refuse a report inside a folder of results: its tables would be read as results next time.

    Raises
    ------
    OptionError
        If the report's folder is or lies in a folder that is to be read.
    """
    place = output.resolve()
    for path in paths:
        folder = Path(path)
        if folder.is_dir() and place.is_relative_to(folder.resolve()):
            raise OptionError(
                describe(
                    f"-o {output} lies in {path}, which is to be read",
                    "expected a report outside the results, because the tables in it would be "
                    "taken for results the next time",
                    "name a folder beside them with -o",
                )
            )


def _print_result(page: Path, *, as_json: bool) -> None:
    """Print the report's JSON, or its warnings and where it lies."""
    document = json.loads(page.with_name("report.json").read_text(encoding="utf-8"))
    if as_json:
        print_json({**document, "page": str(page)})
        return
    several = len(document["effective_length"]["groups"]) > 1
    for warning in document["warnings"]:
        is_own = several and "model" in warning
        group = f"{warning['model']} on {warning['task']}" if is_own else ""
        print_warning(warning["message"], group=group)
    print_text(f"The report lies in {page}")
