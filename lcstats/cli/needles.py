"""``lcstats needles``: rates, dependence and lengths of tasks with several needles."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from lcstats.cli.commands import define_command
from lcstats.cli.inputs import (
    read_results,
    single_trials,
)
from lcstats.cli.options import (
    CriterionOptions,
    ReadingOptions,
    as_record,
    criterion_options,
    flatten_words,
    json_option,
    paths_argument,
    reading_options,
)
from lcstats.cli.output import (
    columns_of_text,
    print_groups,
    print_json,
    working_on,
)
from lcstats.cli.parameters import COUNTS, Words
from lcstats.options import Method, words_of

if TYPE_CHECKING:
    from lcstats.lengths import Criterion
    from lcstats.needles import NeedleAnalysis
    from lcstats.trials import Trials


@dataclass(frozen=True, slots=True)
class NeedleOptions:
    """What was asked of needles."""

    numbers: tuple[int, ...]
    methods: tuple[Method, ...]
    level: float
    seed: int


_NEEDLES = (
    click.option(
        "--needles",
        "numbers",
        type=COUNTS,
        default="1,2,4,10,20",
        show_default=True,
        metavar="K,K,...",
        help="Numbers of needles that rates and lengths are stated for.",
    ),
    click.option(
        "--method",
        "methods",
        type=Words(words_of(Method)),
        multiple=True,
        default=("observed,curve",),
        callback=flatten_words,
        help="Where rates of a single needle come from: curve, flexible, or both; observed is "
        "always stated.",
    ),
    click.option(
        "--level",
        type=float,
        default=0.95,
        show_default=True,
        metavar="X",
        help="Level of intervals and sets.",
    ),
    click.option(
        "--seed",
        type=click.IntRange(min=0),
        default=0,
        show_default=True,
        help="Seed of what is random.",
    ),
)


@define_command("needles", "lcstats needles results/ --threshold 0.85 --repeats fold")
@paths_argument()
@reading_options
@criterion_options
@as_record("wanted", NeedleOptions, _NEEDLES)
@json_option
def command(
    reading: ReadingOptions, asked: CriterionOptions, wanted: NeedleOptions, as_json: bool
) -> None:
    """Say how often each needle is found, how needles hang together, and what a task asks of each.

    Trials need a number of needles, and which or how many of them were found. Needles of one trial
    are no separate evidence, and repeats of one case none at all.
    """
    from lcstats.report.documents import needles_document

    criterion = asked.criterion()
    trials, parts = read_needles(reading)
    with working_on("Comparing needles"):
        analyses = [_analyze(part, reading, criterion, wanted) for part in parts]
    if as_json:
        print_json(needles_document(analyses, trials.notices))
        return
    print_groups(
        trials.notices,
        [(f"{one.model} on {name_of(one)}", _lines(one), one.notices) for one in analyses],
    )


def read_needles(reading: ReadingOptions) -> tuple["Trials", list["Trials"]]:
    """Read single trials, and take them apart by language model, task and number of needles.

    Raises
    ------
    OptionError
        If the files hold counts or means, which have no needles.
    """
    from lcstats.needles import split_needles

    trials = single_trials(
        read_results(reading),
        "expected trials that say how many needles they found",
        "give the runner's own results, one row per trial",
    )
    return trials, list(split_needles(trials))


def _analyze(
    part: "Trials", reading: ReadingOptions, criterion: "Criterion", wanted: NeedleOptions
) -> "NeedleAnalysis":
    from lcstats.needles import analyze_needles

    return analyze_needles(
        part,
        criterion,
        repeats=reading.repeats,
        numbers=wanted.numbers,
        methods=wanted.methods,
        level=wanted.level,
        seed=wanted.seed,
    )


def name_of(analysis: "NeedleAnalysis") -> str:
    """Name the task of an analysis, with its number of needles."""
    from lcstats.trials.wording import counted

    return f"{analysis.task}, {counted(analysis.n_needles, 'needle')}"


def _lines(analysis: "NeedleAnalysis") -> Iterator[str]:
    """Yield the text of one group."""
    from lcstats.needles.wording import describe_needles, implied_rows, length_rows

    yield from describe_needles(analysis)
    yield ""
    yield _table(length_rows(analysis))
    for name, implied in (("curve", analysis.implied), ("surface", analysis.by_surface)):
        if implied:
            yield ""
            yield f"  By the {name} of a single needle, if needles were independent:"
            yield _table(implied_rows(implied))


def _table(rows: Iterator[tuple[str, ...]]) -> str:
    return "\n".join(f"  {line}" for line in columns_of_text(rows).split("\n"))
