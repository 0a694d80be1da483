"""``lcstats plan``: trials per cell for a target, and what they cost."""

import json
import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from lcstats.cli.commands import define_command
from lcstats.cli.inputs import count_results, read_results
from lcstats.cli.options import (
    CriterionOptions,
    ReadingOptions,
    criterion_options,
    json_option,
    reading_options,
)
from lcstats.cli.output import columns_of_text, print_json, print_notices, print_text
from lcstats.cli.plan_options import (
    ENGINES,
    BudgetOptions,
    EngineOptions,
    PriceOptions,
    TargetOptions,
    budget_options,
    engine_options,
    price_options,
    target_options,
)
from lcstats.cli.truth_file import truth_named, truth_of_pilot
from lcstats.errors import FormatError, OptionError, describe

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lcstats.cells import CellGrid
    from lcstats.errors import Notice
    from lcstats.lengths import Criterion
    from lcstats.plan import Allocation, Budget, Plan, PlanRow, Simulation
    from lcstats.plan.truths import PlannableTruth

LENGTHS = tuple(1024 * 2**i for i in range(8))
DEPTHS = tuple(i / 10 for i in range(11))

SHOWN_ROWS = 12
"""Rows of a table for people; --json has them all."""

WORTH_SAYING = 5.0
"""Seconds from which on a plan says how long it takes before it starts."""


@define_command(
    "plan",
    "lcstats plan --truth single-needle --lengths 1K..128K --depths 11 --target hit=0.9",
)
@click.option(
    "--pilot",
    "paths",
    multiple=True,
    metavar="PATH",
    help="Results so far, of one language model on one task: what they leave open is averaged "
    "over; repeat for several files.",
)
@target_options
@criterion_options
@engine_options
@price_options
@budget_options
@reading_options
@json_option
def command(
    wanted: TargetOptions,
    asked: CriterionOptions,
    how: EngineOptions,
    pricing: PriceOptions,
    spending: BudgetOptions,
    reading: ReadingOptions,
    as_json: bool,
) -> None:
    """Say how many trials per cell a sweep needs, or what given numbers lead to.

    Observed lengths are planned exactly, fitted ones by simulation, with their errors. With a
    budget, unequal trials are compared with a uniform sweep of the same price.
    """
    from lcstats.plan import plan_trials

    criterion, prices = asked.criterion(), pricing.prices()
    truth, lengths, depths, found = _what_for(wanted, reading, how.seed)
    simulation = _simulation(how)
    target = wanted.target()
    say_how_long(truth, lengths, depths, criterion, wanted, simulation)
    plan = plan_trials(
        truth,
        lengths,
        depths,
        criterion,
        target,
        method=wanted.method,
        trials=wanted.trials,
        engine=ENGINES[how.engine],  # type: ignore[arg-type]
        simulation=simulation,
        prices=prices,
        level=wanted.level,
    )
    plan = replace(plan, notices=(*found, *plan.notices))
    budget = spending.budget(prices)
    allocation = None if budget is None else _allocate(truth, plan, budget)
    if as_json:
        print_json(plan_document(plan, allocation))
        return
    print_notices((*plan.notices, *(() if allocation is None else allocation.notices)))
    for line in describe_plan(plan):
        print_text(line)
    if allocation is not None:
        print_text()
        for line in describe_allocation(allocation):
            print_text(line)


def _what_for(
    wanted: TargetOptions, reading: ReadingOptions, seed: int
) -> tuple["PlannableTruth", "Sequence[int]", "Sequence[float]", tuple["Notice", ...]]:
    """Return truth, lengths, depths and notices; those of a pilot where nothing else is said."""
    if not reading.paths:
        truth = truth_named(wanted.truth or "single-needle")
        return truth, wanted.lengths or LENGTHS, wanted.depths or DEPTHS, ()
    if wanted.truth is not None:
        raise OptionError(
            describe(
                f"--truth {wanted.truth} and --pilot are both given",
                "expected one of them",
                "leave out --truth to plan for what the pilot leaves open",
            )
        )
    cells = count_results(read_results(reading), reading)
    grid = cells.grid
    truth = truth_of_pilot(cells, wanted.method, seed)
    lengths = wanted.lengths or grid.lengths.tolist()
    found = (*cells.notices, *_on_clusters(grid))
    return truth, lengths, wanted.depths or grid.depths.tolist(), found


def _on_clusters(grid: "CellGrid") -> "Iterator[Notice]":
    from lcstats.errors import DesignWarning, Notice

    if grid.is_clustered:
        yield Notice(
            "planned-as-independent",
            "cases of the pilot share clusters, and the trials planned here are independent: with "
            "the same clusters more are needed",
            DesignWarning,
        )


def _simulation(how: EngineOptions) -> "Simulation":
    from lcstats.plan import Simulation
    from lcstats.plan.simulation.blocks import progress_line

    return Simulation(
        n_simulations=how.simulations,
        seed=how.seed,
        n_threads=os.cpu_count() or 1,
        progress=progress_line("Simulating"),
        checkpoint=how.checkpoint,
    )


def say_how_long(
    truth: "PlannableTruth",
    lengths: "Sequence[int]",
    depths: "Sequence[float]",
    criterion: "Criterion",
    wanted: TargetOptions,
    simulation: "Simulation",
) -> None:
    """Say on standard error what each number of trials takes, where that is long."""
    from lcstats.plan import planned_truth
    from lcstats.plan.door import N_SET_TABLES
    from lcstats.plan.simulation.simulate import expected_seconds

    if (wanted.target_text or "").startswith("set-size"):
        click.echo(
            f"Sets are made for {N_SET_TABLES} simulated tables at every number of trials, which "
            "takes from seconds to minutes each.",
            err=True,
        )
    if wanted.method != "flexible":
        return
    planned = planned_truth(truth, lengths, depths)
    seconds = expected_seconds(
        planned, 20, criterion, method=wanted.method, simulation=simulation
    ) / min(simulation.n_threads, os.cpu_count() or 1)
    if seconds > WORTH_SAYING:
        click.echo(
            f"Every number of trials per cell takes about {_duration(seconds)} here: "
            f"{simulation.n_simulations} tables, a surface fitted to each.",
            err=True,
        )


def _duration(seconds: float) -> str:
    return f"{seconds / 60:.0f} minutes" if seconds >= 120 else f"{seconds:.0f} seconds"


def _allocate(truth: "PlannableTruth", plan: "Plan", budget: "Budget") -> "Allocation":
    """Spend a budget unequally: for raw cells, or for the crossing of a curve."""
    from lcstats.curve import Curve
    from lcstats.plan import allocate, allocate_for_curve, planned_truth

    if plan.method == "observed":
        planned = planned_truth(truth, plan.lengths, plan.depths)
        return allocate(planned, plan.criterion, budget)
    if plan.method == "curve" and isinstance(truth, Curve):
        return allocate_for_curve(truth, plan.lengths, plan.depths, plan.criterion, budget)
    raise OptionError(
        describe(
            f"a budget is given for {plan.truth} by method {plan.method}",
            "expected the method observed, or the method curve with a curve as the truth",
            "leave out the budget, or write --method observed, or --truth fit.json",
        )
    )


def plan_document(plan: "Plan", allocation: "Allocation | None") -> dict[str, Any]:
    """Return the ``plan`` object; without a budget its allocation is null."""
    document = {**plan.to_dict(), "allocation": None}
    if allocation is None:
        return document
    spent = allocation.to_dict()
    return {**document, "allocation": spent.pop("allocation"), "allocated": spent}


def describe_allocation(allocation: "Allocation") -> Iterator[str]:
    """Yield the lines that say where trials go, and what becomes of them if the truth is wrong."""
    from lcstats.plan.wording import share_words

    yield f"Unequal trials for the same price: {allocation.gain_words()}."
    yield columns_of_text(_by_length(allocation))
    for other in allocation.robustness:
        kept = [share_words(s) for s in (other.probability, other.uniform_probability)]
        yield f"If the truth is {other.truth}: {kept[0]}, against {kept[1]}."
    yield allocation.cost.sentence()


def _by_length(allocation: "Allocation") -> list[list[str]]:
    """Return trials per cell by length; a range where they differ over depths."""
    rows = [["length", "trials per cell"]]
    for length, trials in zip(allocation.lengths.tolist(), allocation.trials, strict=True):
        least, most = int(trials.min()), int(trials.max())
        rows.append([str(length), str(least) if least == most else f"{least} to {most}"])
    return rows


def describe_plan(plan: "Plan") -> Iterator[str]:
    """Yield the lines that say a plan, fit to be read aloud."""
    from lcstats.trials.wording import counted

    yield plan.sentence()
    yield f"Truth: {_truth_words(plan)}; {plan.method}, {_engine_words(plan)}."
    if plan.rows:
        yield ""
        yield columns_of_text(_table(plan))
        yield ""
    if plan.floor is not None:
        yield (
            f"Nothing is certified at {float(plan.criterion.exact_threshold):g} with fewer than "
            f"{plan.floor} perfect cases (in a cell for worst depth, in a length for means)."
        )
    if plan.cost is not None:
        number = plan.recommended or plan.rows[-1].trials_per_cell
        yield f"{counted(number, 'trial')} per cell: {plan.cost.sentence()}"


def _truth_words(plan: "Plan") -> str:
    lengths = list(plan.true_lengths)
    if len(lengths) == 1:
        return f"{plan.truth}, whose effective length is {lengths[0]}"
    return f"{plan.truth}, which leaves the effective length open"


def _engine_words(plan: "Plan") -> str:
    words = {"exact": "exact", "monte_carlo": "simulated", "closed_form": "by formula"}
    return words[plan.engine]


def _table(plan: "Plan") -> list[list[str]]:
    simulated = plan.engine == "monte_carlo"
    has_sets = any(row.mean_set_size is not None for row in plan.rows)
    heads = ["trials per cell", "true length"]
    heads += ["+-"] * simulated + ["within a doubling"] + ["set size"] * has_sets
    return [heads, *(_cells(row, simulated, has_sets) for row in _shown(plan))]


def _cells(row: "PlanRow", simulated: bool, has_sets: bool) -> list[str]:
    cells = [str(row.trials_per_cell), f"{row.hit_probability:.4f}"]
    cells += [f"{row.monte_carlo_error:.4f}"] * simulated + [f"{row.within_one_doubling:.4f}"]
    if has_sets:
        cells.append("" if row.mean_set_size is None else f"{row.mean_set_size:.2f}")
    return cells


def _shown(plan: "Plan") -> list["PlanRow"]:
    """Choose the rows asked for, those where the target is reached, and some between."""
    if len(plan.rows) <= SHOWN_ROWS:
        return list(plan.rows)
    step = -(-len(plan.rows) // SHOWN_ROWS)
    wanted = {*plan.asked, plan.recommended, plan.holds_from}
    wanted |= {row.trials_per_cell for row in plan.rows[::step]}
    return [row for row in plan.rows if row.trials_per_cell in wanted]


def read_plan(paths: "Sequence[str]") -> "Plan":
    """Read what ``lcstats plan --json`` printed.

    Raises
    ------
    FormatError
        If there are several files, or it is none.
    """
    from lcstats.plan import Plan

    mend = "run: lcstats plan ... --json > plan.json"
    if len(paths) != 1:
        raise FormatError(describe(f"{len(paths)} files are given", "expected one plan", mend))
    try:
        document = json.loads(Path(paths[0]).read_text(encoding="utf-8-sig"))
    except (OSError, ValueError) as error:
        raise FormatError(
            describe(f"{paths[0]} cannot be read ({error})", "expected a plan as JSON", mend)
        ) from error
    return Plan.from_dict(document)
