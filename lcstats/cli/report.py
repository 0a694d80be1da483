"""``lcstats report``: a page with everything, from results files or from a demonstration."""

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from lcstats.cli.commands import command_line, define_command
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

if TYPE_CHECKING:
    from lcstats.lengths import Criterion
    from lcstats.trials import Trials

DEMO_TRUTH = "single-needle"
DEMO_LENGTHS = tuple(1024 * 2**doubling for doubling in range(8))
DEMO_DEPTHS = tuple(step / 10 for step in range(11))
DEMO_TRIALS = 20
DEMO_SEED = 1
TREATMENTS = {"mean": "the mean over depths", "worst": "the worst depth", "pooled": "pooled depths"}
COUNTED_AS_KNOWN = 10**9
"""Cases per cell at which a count is an accuracy, for the demonstration's true answers."""


@define_command("report", "lcstats report results/ --score-threshold 7 -o report")
@paths_argument(required=False)
@reading_options
@analysis_options
@output_option("DIR", "Folder of the report: new, empty, or an earlier report's.")
@click.option(
    "--demo",
    is_flag=True,
    help=f"Report on simulated trials instead of PATH; seed {DEMO_SEED} unless --seed says.",
)
@sheet_options
@json_option
def command(
    reading: ReadingOptions,
    analysis: AnalysisOptions,
    sheet: SheetOptions,
    output: str,
    demo: bool,
    as_json: bool,
) -> None:
    """Write a page with everything, figures, tables and JSON beside it.

    DIR gets index.html, which opens from disk and needs no network, report.md, report.json,
    figures, and tables as CSV, LaTeX and Markdown. The page begins with a spec sheet for every
    language model, under a bar for each kind of task, whatever --threshold is. With --demo the
    trials are simulated, and the page says so.
    """
    from lcstats.report import ReportSettings, write_report
    from lcstats.report.folder import check_folder

    if demo == bool(reading.paths):
        raise click.UsageError("give either PATH... or --demo")
    criterion = analysis.criterion()
    check_folder(Path(output))
    refuse_among_results(Path(output), reading.paths)
    ctx = click.get_current_context()
    seed = demo_seed(ctx, analysis) if demo else analysis.seed
    results: Any
    if demo:
        results, origin = simulate_demo(seed), describe_demo(criterion, seed)
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


def demo_seed(ctx: click.Context, analysis: AnalysisOptions) -> int:
    """Return the seed that was given, or the demonstration's own."""
    given = ctx.get_parameter_source("seed") is click.core.ParameterSource.COMMANDLINE
    return analysis.seed if given else DEMO_SEED


def simulate_demo(seed: int) -> "Trials":
    """Simulate the demonstration's trials."""
    from lcstats.truths import simulate_trials

    return simulate_trials(DEMO_TRUTH, DEMO_LENGTHS, DEMO_DEPTHS, n_trials=DEMO_TRIALS, seed=seed)


def describe_demo(criterion: "Criterion", seed: int) -> str:
    """Say that the trials are simulated, from what, and what the analysis should find."""
    from lcstats.truths import get_truth

    truth = get_truth(DEMO_TRUTH)
    other = "mean" if criterion.treatment.is_order else "worst"
    answers = " and ".join(
        f"{true_length(c)} tokens for {_named(c)}"
        for c in (criterion, replace(criterion, depth_treatment=other))
    )
    return (
        f"A demonstration on simulated trials, not on a language model. They were drawn from the "
        f"built-in truth {truth.name} ({truth.title}; illustrative numbers, fitted to no language "
        f"model) at {len(DEMO_LENGTHS)} lengths and {len(DEMO_DEPTHS)} depths, {DEMO_TRIALS} "
        f"trials per cell, seed {seed}. Because the truth is known, so are its effective lengths: "
        f"{answers}."
    )


def _named(criterion: "Criterion") -> str:
    from lcstats.lengths.answer import treatment_words

    treatment = criterion.depth_treatment
    return TREATMENTS.get(treatment, f"the {treatment_words(treatment)}")


def true_length(criterion: "Criterion") -> str:
    """Return the demonstration's true effective length in words.

    The rule is applied to counts so large that they are the accuracies.
    """
    import numpy as np

    from lcstats.cells import Cells
    from lcstats.lengths import outcome_label
    from lcstats.lengths.observed import observe
    from lcstats.truths import get_truth

    accuracy = get_truth(DEMO_TRUTH).accuracy(DEMO_LENGTHS, DEMO_DEPTHS)
    successes = np.rint(accuracy * COUNTED_AS_KNOWN).astype(np.int64)
    cells = Cells.from_counts(
        DEMO_LENGTHS, DEMO_DEPTHS, n_cases=COUNTED_AS_KNOWN, successes=successes
    )
    return outcome_label(observe(cells.grid, criterion).outcome, cells.grid.lengths)
