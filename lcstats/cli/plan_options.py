"""The flags of a plan: what for, where, how many, by which engine, at what price."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from lcstats.cli.options import Function, Wrap, as_record, choice
from lcstats.cli.parameters import AMOUNT, COUNTS, DEPTHS, LENGTHS
from lcstats.errors import OptionError, describe
from lcstats.options import Method

if TYPE_CHECKING:
    from lcstats.plan import Budget, Prices, Target

ENGINES = {"auto": "auto", "exact": "exact", "monte-carlo": "monte_carlo"}
"""The words of the command line and those of the library."""


@dataclass(frozen=True, slots=True)
class TargetOptions:
    """What a plan is for and what it is to reach."""

    truth: str | None
    lengths: tuple[int, ...] | None
    depths: tuple[float, ...] | None
    trials: tuple[int, ...] | None
    target_text: str | None
    difference: float | None
    correlation: float | None
    accuracy: float | None
    method: Method
    level: float

    def target(self) -> "Target | None":
        """Make the target; it refuses what no plan could reach."""
        from lcstats.plan import Target

        beside = {
            "difference": self.difference,
            "correlation": self.correlation,
            "accuracy": self.accuracy,
        }
        if self.target_text is None:
            given = [f"--{name}" for name, value in beside.items() if value is not None]
            if given:
                raise click.UsageError(f"{', '.join(given)} belongs to a --target.")
            return None
        return Target.parse(self.target_text, **beside)


@dataclass(frozen=True, slots=True)
class EngineOptions:
    """How a plan is computed."""

    engine: str
    simulations: int
    seed: int
    checkpoint: str | None


@dataclass(frozen=True, slots=True)
class PriceOptions:
    """What tokens cost."""

    price_in: float | None
    price_out: float | None
    output_tokens: int | None
    cached_fraction: float | None
    cached_discount: float | None
    price_file: str | None
    price_model: str | None

    def prices(self) -> "Prices":
        """Make the prices; flags overrule the file."""
        from lcstats.plan import Prices

        flags = {
            "input_usd": self.price_in,
            "output_usd": self.price_out,
            "output_tokens": self.output_tokens,
            "cached_fraction": self.cached_fraction,
            "cached_discount": self.cached_discount,
        }
        given: dict[str, Any] = {name: value for name, value in flags.items() if value is not None}
        if self.price_file is None:
            return Prices(**given)
        if self.price_model is None:
            raise click.UsageError("--price-file needs --price-model, whose prices to take.")
        return Prices.from_file(self.price_file, self.price_model, **given)


@dataclass(frozen=True, slots=True)
class BudgetOptions:
    """What is left to spend."""

    budget_tokens: float | None
    budget_usd: float | None

    def budget(self, prices: "Prices") -> "Budget | None":
        """Make the budget; None where there is none.

        Raises
        ------
        OptionError
            If there are two.
        """
        from lcstats.plan import Budget

        if self.budget_tokens is not None and self.budget_usd is not None:
            raise OptionError(
                describe(
                    "there are two budgets",
                    "expected --budget-tokens or --budget-usd",
                    "leave one of them out",
                )
            )
        if self.budget_tokens is not None:
            return Budget(self.budget_tokens, "tokens", prices)
        return None if self.budget_usd is None else Budget(self.budget_usd, "usd", prices)


_TARGET: tuple[Wrap, ...] = (
    click.option(
        "--truth",
        metavar="NAME|FILE",
        help="What is expected: a built-in truth, a .csv of accuracies (length, depth, accuracy), "
        "or a .json of 'lcstats fit --json'; single-needle unless said or --pilot is given.",
    ),
    click.option(
        "--lengths",
        type=LENGTHS,
        metavar="L,L,...|L..L",
        help="Lengths in tokens; a range doubles; K = 1024. Those of the pilot, or 1K..128K.",
    ),
    click.option(
        "--depths",
        type=DEPTHS,
        metavar="N|D,D,...",
        help="Number of evenly spaced depths, ends included, or fractions. Those of the pilot, or "
        "11.",
    ),
    click.option(
        "--trials",
        type=COUNTS,
        metavar="N,N,...",
        help="Trials per cell to look at; 5,20,80 without a target.",
    ),
    click.option(
        "--target",
        "target_text",
        metavar="hit=P|within=P|set-size=W|half-width=H|power=P|certify",
        help="What to reach: the true tested length, or one within a doubling of it, with "
        "probability P; sets of W outcomes on average; an interval of half-width H; power P for a "
        "--difference; or anything certified.",
    ),
    click.option(
        "--difference", type=float, metavar="X", help="For power: the loss that is to be shown."
    ),
    click.option(
        "--correlation",
        type=float,
        metavar="R",
        help="For power: within pairs of the same case; without it two independent arms.",
    ),
    click.option(
        "--accuracy",
        type=float,
        metavar="X",
        help="For power and half-width: the accuracy expected, instead of the truth's.",
    ),
    click.option(
        "--method",
        type=choice(Method),
        default="observed",
        show_default=True,
        help="Whose effective length is planned.",
    ),
    click.option(
        "--level",
        type=float,
        default=0.95,
        show_default=True,
        metavar="X",
        help="Level of intervals, tests and certificates.",
    ),
)

_ENGINE: tuple[Wrap, ...] = (
    click.option(
        "--engine",
        type=click.Choice(list(ENGINES)),
        default="auto",
        show_default=True,
        help="Exact probabilities, or simulation; auto is exact where it can be.",
    ),
    click.option(
        "--simulations",
        type=click.IntRange(min=1),
        default=2000,
        show_default=True,
        help="Simulated tables for each number of trials.",
    ),
    click.option(
        "--seed",
        type=click.IntRange(min=0),
        default=0,
        show_default=True,
        help="Seed of what is simulated.",
    ),
    click.option(
        "--checkpoint",
        metavar="FILE",
        help="Keep finished simulations here, and go on from them.",
    ),
)

_PRICES: tuple[Wrap, ...] = (
    click.option("--price-in", type=float, metavar="USD", help="Dollars per million tokens sent."),
    click.option(
        "--price-out", type=float, metavar="USD", help="Dollars per million tokens received."
    ),
    click.option(
        "--output-tokens", type=click.IntRange(min=0), metavar="N", help="Tokens of an answer."
    ),
    click.option(
        "--cached-fraction",
        type=float,
        metavar="X",
        help="Share of the tokens sent that the server's prefix cache holds.",
    ),
    click.option(
        "--cached-discount",
        type=float,
        metavar="X",
        help="What is taken off the price of a cached token; 0.9 where it costs a tenth.",
    ),
    click.option(
        "--price-file", metavar="FILE", help="TOML file of prices that you keep, by language model."
    ),
    click.option("--price-model", metavar="NAME", help="Language model in the price file."),
)


_BUDGET: tuple[Wrap, ...] = (
    click.option(
        "--budget-tokens",
        type=AMOUNT,
        metavar="N",
        help="Tokens left to spend, such as 5M; K = 1000.",
    ),
    click.option(
        "--budget-usd",
        type=AMOUNT,
        metavar="USD",
        help="Dollars left to spend; needs prices.",
    ),
)


def target_options(function: Function) -> Function:
    """Add the flags of a target; the command gets them as ``wanted``."""
    return as_record("wanted", TargetOptions, _TARGET)(function)


def engine_options(function: Function) -> Function:
    """Add the flags of an engine; the command gets them as ``how``."""
    return as_record("how", EngineOptions, _ENGINE)(function)


def budget_options(function: Function) -> Function:
    """Add the flags of a budget; the command gets them as ``spending``."""
    return as_record("spending", BudgetOptions, _BUDGET)(function)


def price_options(function: Function) -> Function:
    """Add the flags of prices; the command gets them as ``pricing``."""
    return as_record("pricing", PriceOptions, _PRICES)(function)
