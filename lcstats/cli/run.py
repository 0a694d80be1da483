"""``lcstats run``: send a sweep to a language model, and write its table line by line."""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import click

from lcstats.cli.commands import define_command
from lcstats.cli.options import (
    CriterionOptions,
    criterion_options,
    json_option,
    output_option,
)
from lcstats.cli.output import print_json, print_notices, print_text
from lcstats.cli.plan_options import BudgetOptions, PriceOptions, budget_options, price_options
from lcstats.cli.pursue import Pursued, Sending, run_adaptively
from lcstats.cli.run_options import (
    DesignOptions,
    GoingOptions,
    SendingOptions,
    design_options,
    going_options,
    sending_options,
)
from lcstats.errors import OptionError, describe

if TYPE_CHECKING:
    from lcstats.plan import Cost, Prices
    from lcstats.runner import Ceiling, Design, Settings, SweepResult
    from lcstats.runner.replies import Backend

MILLION = 1_000_000


@define_command(
    "run",
    "lcstats run --model simulated:perfect --task single-needle --lengths 512..8K --depths 5 "
    "--trials 3 -o trials.jsonl",
)
@click.option(
    "--model",
    required=True,
    metavar="simulated:NAME|hf:FOLDER|openai:NAME",
    help="What answers: a simulated language model, transformers, or a server.",
)
@design_options
@sending_options
@going_options
@criterion_options
@budget_options
@price_options
@output_option("FILE", "Where the trials go: .jsonl.", required=False)
@json_option
def command(
    model: str,
    wanted: DesignOptions,
    sending: SendingOptions,
    going: GoingOptions,
    asked: CriterionOptions,
    spending: BudgetOptions,
    pricing: PriceOptions,
    output: str | None,
    as_json: bool,
) -> None:
    """Send a sweep to a language model, score strictly, and write one line per trial.

    Every line is on disk before the next request. After an interruption, however hard, --resume
    goes on: nothing is lost or sent twice. A plan of 'lcstats next' is added to the file with
    --design next.toml --resume, and its trials are marked.
    """
    from lcstats.runner import open_backend

    prices = pricing.prices()
    settings = sending.settings(_ceiling(spending, prices))
    backend = open_backend(model, seed=wanted.seed or 0, connection=sending.connection())
    design = wanted.make(backend.tokenizer)
    if going.dry_run:
        cost = estimate_cost(design, backend, settings, prices)
        _tell_cost(design, cost, as_json=as_json)
        return
    if output is None:
        raise OptionError(
            describe("there is no output", "expected -o FILE", "pass -o trials.jsonl, or --dry-run")
        )
    send = Sending(backend, settings, output)
    if going.adaptive:
        pursued = Pursued(asked.criterion(), spending.budget(prices), going.batch, going.pursuit())
        result = run_adaptively(send, design, pursued, resume=going.resume)
    else:
        result = send(design, resume=going.resume)
    usd = None
    if prices.input_usd is not None:
        usd = _usd(result.tokens_received or result.tokens_asked, result.output_tokens, prices)
    _tell_result(result, usd, as_json=as_json)


def _usd(sent: int, received: int, prices: "Prices") -> float:
    """Return what tokens cost; cached ones are taken at the full price."""
    return (sent * (prices.input_usd or 0.0) + received * (prices.output_usd or 0.0)) / MILLION


def _ceiling(spending: BudgetOptions, prices: "Prices") -> "Ceiling | None":
    """Return where to stop, in tokens or in dollars."""
    from lcstats.runner import Ceiling

    budget = spending.budget(prices)
    if budget is None:
        return None
    if budget.currency == "tokens":
        return Ceiling(float(budget.amount))
    if prices.input_usd is None:
        raise OptionError(
            describe(
                "--budget-usd is given without prices",
                "expected dollars per million tokens",
                "pass --price-in 2.5 --price-out 10, say",
            )
        )
    charge: Callable[[int, int], float] = lambda sent, received: _usd(sent, received, prices)  # noqa: E731
    return Ceiling(float(budget.amount), charge, "usd")


def estimate_cost(
    design: "Design", backend: "Backend", settings: "Settings", prices: "Prices"
) -> "Cost":
    """Return what a design costs, after one prompt of every task and length was built."""
    from lcstats.plan.cost import cost_of
    from lcstats.runner.prompts import Press
    from lcstats.runner.sweep import rehearse

    press = Press(backend.tokenizer, settings.filler, settings.style)
    rows = rehearse(design, press, settings.longest)
    trials = [[row.n_trials] for row in rows]
    return cost_of(trials, [row.tokens for row in rows], prices)


def _tell_cost(design: "Design", cost: "Cost", *, as_json: bool) -> None:
    if as_json:
        print_json({"schema_version": 1, "n_planned": design.n_trials, "cost": cost.to_dict()})
        return
    print_text(f"{describe_design(design)}; one prompt of every length was built.")
    print_text(cost.sentence())
    print_text("Nothing was sent.")


def describe_design(design: "Design") -> str:
    """Say what a design asks."""
    from lcstats.trials.wording import counted

    tasks = {cell.task.label for cell in design.cells}
    return (
        f"{counted(design.n_trials, 'trial')} of {counted(len(tasks), 'task')} in "
        f"{counted(len(design.cells), 'cell')}"
    )


def _tell_result(result: "SweepResult", usd: float | None, *, as_json: bool) -> None:
    from lcstats.report.documents import list_warnings

    document: dict[str, Any] = {**result.to_dict(), "cost_usd": usd}
    if as_json:
        print_json({**document, "warnings": list_warnings(result.notices)})
        return
    print_notices(result.notices)
    for line in describe_result(result, usd):
        print_text(line)


def describe_result(result: "SweepResult", usd: float | None) -> Iterator[str]:
    """Yield the lines that say what a sweep came to."""
    from lcstats.trials.wording import counted

    yield f"{result.n_done} of {counted(result.n_planned, 'trial')} in {result.seconds:.1f} s"
    spent = f"; ${usd:.2f}" if usd is not None else ""
    yield f"Tokens so far: {result.tokens_asked:,} sent, {result.output_tokens:,} answered{spent}"
    if result.n_unscored_by_status:
        statuses = sorted(result.n_unscored_by_status.items())
        yield f"Unscored: {', '.join(f'{count} {status}' for status, count in statuses)}"
    if result.stop_reason is not None:
        yield f"Stopped by the {result.stop_reason}; go on with --resume and a larger one."
    yield f"Written to {result.output}"
