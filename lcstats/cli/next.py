"""``lcstats next``: which cells to run next within a budget, why, and when to stop."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from lcstats.cli.commands import define_command
from lcstats.cli.inputs import count_results, read_results
from lcstats.cli.options import (
    CriterionOptions,
    ReadingOptions,
    criterion_options,
    json_option,
    output_option,
    paths_argument,
    reading_options,
)
from lcstats.cli.output import check_file, print_json, print_notices, print_text
from lcstats.cli.plan_options import (
    BudgetOptions,
    PriceOptions,
    budget_options,
    price_options,
)
from lcstats.errors import OptionError, describe

if TYPE_CHECKING:
    from lcstats.plan import NextPlan

PLAN_SUFFIXES = (".toml",)


@define_command(
    "next", "lcstats next trials.jsonl --threshold 0.85 --budget-tokens 5M -o next.toml"
)
@paths_argument()
@reading_options
@criterion_options
@budget_options
@click.option(
    "--batch",
    type=float,
    default=0.25,
    show_default=True,
    metavar="X",
    help="Share of what is left to run before the next look.",
)
@click.option(
    "--until",
    default="set-size=1",
    show_default=True,
    metavar="set-size=N",
    help="Number of outcomes in the anytime set that is narrow enough to stop.",
)
@click.option(
    "--level", type=float, default=0.95, show_default=True, metavar="X", help="Level of the set."
)
@price_options
@output_option("FILE", "Where the plan for the next run goes: .toml.", required=False)
@json_option
def command(
    reading: ReadingOptions,
    asked: CriterionOptions,
    pricing: PriceOptions,
    spending: BudgetOptions,
    batch: float,
    until: str,
    level: float,
    output: str | None,
    as_json: bool,
) -> None:
    """Say which cells to run next within what is left to spend, why, and when to stop.

    Ask again after every batch, as often as you like: the anytime set keeps its level however one
    looks. Trials of the first, fixed design have stage 0 in a column of that name, or none; those
    that are added have 1 or more.
    """
    from lcstats.plan import Pursuit, plan_next
    from lcstats.report.documents import list_warnings

    if output is not None:
        check_file(output, PLAN_SUFFIXES)
    budget = spending.budget(pricing.prices())
    if budget is None:
        raise OptionError(
            describe(
                "there is no budget",
                "expected --budget-tokens or --budget-usd",
                "pass --budget-tokens 5M, say",
            )
        )
    pursuit = Pursuit.parse(until, level=level)
    cells = count_results(read_results(reading), reading)
    plan = plan_next(cells, asked.criterion(), budget, batch=batch, pursuit=pursuit)
    if output is not None:
        plan.write_toml(output)
    if as_json:
        print_json({**plan.to_dict(), "warnings": list_warnings(cells.notices)})
        return
    print_notices(cells.notices)
    for line in describe_plan(plan):
        print_text(line)
    if output is not None:
        print_text(f"Written to {output}")


def describe_plan(plan: "NextPlan") -> Iterator[str]:
    """Yield the lines that say what to run next."""
    from lcstats.options import percent
    from lcstats.trials.wording import counted

    for task, interval in plan.sets.items():
        name = f"{plan.model} on {task}"
        yield f"{name}: {percent(interval.level)} anytime set {interval.display}"
    yield plan.sentence()
    for task, length in plan.reasons():
        here = [cell for cell in plan.cells if (cell.task, cell.length) == (task, length)]
        n_trials = sum(cell.trials for cell in here)
        where = f"{task}, " if len(plan.sets) > 1 else ""
        run = f"{counted(n_trials, 'trial')} in {counted(len(here), 'cell')}"
        yield f"  {run}: {where}{here[0].why}"
