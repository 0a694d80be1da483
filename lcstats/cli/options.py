"""The options that commands share, as decorators; each group reaches a command as one record."""

from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import wraps
from typing import TYPE_CHECKING, Any, TypeVar

import click

from lcstats.cli.parameters import LENGTHS, PAIR, Words
from lcstats.errors import OptionError, describe
from lcstats.options import (
    Axis,
    DepthUnit,
    LengthUnit,
    MassKind,
    Method,
    Penalty,
    Repeats,
    ScoreScale,
    SetKind,
    ThresholdRule,
    words_of,
)

if TYPE_CHECKING:
    from lcstats.lengths import Criterion

GROUP = ("model", "task")

Function = Callable[..., None]
Wrap = Callable[[Function], Function]
AnyFunction = TypeVar("AnyFunction", bound=Function)


@dataclass(frozen=True, slots=True)
class ReadingOptions:
    """What was asked of reading: where results are and how to understand them."""

    paths: tuple[str, ...]
    format: str
    model_name: str | None
    columns: dict[str, str]
    select: tuple[tuple[str, str], ...]
    depth_unit: DepthUnit | None
    score_scale: ScoreScale | None
    score_threshold: float | None
    length_unit: LengthUnit | None
    axis: Axis
    filter_name: str | None
    keep_truncated: bool
    repeats: Repeats
    encoding: str | None
    decimal: str
    skip_bad_lines: bool
    cases_per_cell: int | None
    cluster: str | None


@dataclass(frozen=True, slots=True)
class FitOptions:
    """What was asked of a fit."""

    penalty: Penalty
    guess_rate: str | None
    seed: int

    @property
    def exact_guess_rate(self) -> float | None:
        """The guess rate as a number, refused where it is none; None where it was not given."""
        from lcstats.lengths import Criterion

        if self.guess_rate is None:
            return None
        return float(Criterion("0.5", guess_rate=self.guess_rate).exact_guess_rate)


@dataclass(frozen=True, slots=True)
class CriterionOptions:
    """What was asked of a length: the bar, its rule, and how depths count."""

    threshold: str
    threshold_rule: ThresholdRule
    base_lengths: tuple[int, ...]
    guess_rate: str
    depth: str

    def criterion(self) -> "Criterion":
        """Make the criterion; it refuses what is out of range."""
        from lcstats.lengths import Criterion

        return Criterion(
            self.threshold,
            rule=self.threshold_rule,
            base_lengths=self.base_lengths,
            depth_treatment=self.depth,
            guess_rate=self.guess_rate,
        )


@dataclass(frozen=True, slots=True)
class AnalysisOptions(CriterionOptions):
    """What was asked of the analysis: the criterion, the sets and masses, the groups."""

    methods: tuple[Method, ...]
    penalty: Penalty
    sets: tuple[SetKind, ...]
    masses: tuple[MassKind, ...]
    level: float
    by: tuple[str, ...]
    average_tasks: bool
    seed: int

    @property
    def wants_curve(self) -> bool:
        """True unless ``--method`` was given and leaves the curve out."""
        return not self.methods or "curve" in self.methods


def choice(alias: Any) -> "click.Choice[str]":
    """Return the choice among the words of an option's type."""
    return click.Choice(words_of(alias))


def flatten_words(
    ctx: click.Context, parameter: click.Parameter, value: tuple[tuple[str, ...], ...]
) -> tuple[str, ...]:
    """Join the words of an option that may be repeated, each once."""
    return tuple(dict.fromkeys(word for words in value for word in words))


def _as_mapping(
    ctx: click.Context, parameter: click.Parameter, value: tuple[tuple[str, str], ...]
) -> dict[str, str]:
    return dict(value)


def _split_columns(ctx: click.Context, parameter: click.Parameter, value: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in value.split(",") if name.strip())


def paths_argument(*, required: bool = True) -> Wrap:
    """Take PATH...: files, folders, globs or ``-``."""
    return click.argument("paths", metavar="PATH...", nargs=-1, required=required)


_READING: tuple[Wrap, ...] = (
    click.option(
        "--format",
        default="auto",
        show_default=True,
        metavar="NAME|auto",
        help="Format of the files; see 'lcstats formats'.",
    ),
    click.option(
        "--model-name",
        metavar="NAME",
        help="Name of the language model, where the files have none or a wrong one.",
    ),
    click.option(
        "--map",
        "columns",
        type=PAIR,
        multiple=True,
        callback=_as_mapping,
        metavar="COLUMN=theirs",
        help="Where a column is; repeat for several.",
    ),
    click.option(
        "--select",
        type=PAIR,
        multiple=True,
        metavar="COLUMN=VALUE",
        help="Keep the rows with this value, such as task=qa1; repeat for several.",
    ),
    click.option(
        "--depth-unit", type=choice(DepthUnit), help="Unit of depths, where the file leaves doubt."
    ),
    click.option("--score-scale", type=choice(ScoreScale), help="Scale of graded scores."),
    click.option(
        "--score-threshold",
        type=float,
        metavar="X",
        help="Score, in the file's own scale, from which an answer counts as right.",
    ),
    click.option(
        "--length-unit",
        type=choice(LengthUnit),
        help="Unit of lengths, tokens where neither this nor the files say it; k1000 and k1024 "
        "become tokens.",
    ),
    click.option(
        "--axis",
        type=choice(Axis),
        default="asked",
        show_default=True,
        help="Length asked for, or tokens received.",
    ),
    click.option(
        "--filter", "filter_name", metavar="NAME", help="Keep the rows of one answer filter."
    ),
    click.option(
        "--keep-truncated",
        is_flag=True,
        help="Count trials that received well below the tokens asked for, too.",
    ),
    click.option(
        "--repeats",
        type=choice(Repeats),
        default="fold",
        show_default=True,
        help="Fold the repeats of a case into one observation, or count each.",
    ),
    click.option("--encoding", metavar="NAME", help="Encoding of text files; UTF-8 unless said."),
    click.option(
        "--decimal",
        type=click.Choice([".", ","]),
        default=".",
        show_default=True,
        help="Decimal mark of numbers in text files.",
    ),
    click.option("--skip-bad-lines", is_flag=True, help="Leave out lines that cannot be read."),
    click.option(
        "--cases-per-cell",
        type=click.IntRange(min=1),
        metavar="N",
        help="Cases that each mean is of, in a table of means by depth and length.",
    ),
    click.option(
        "--cluster",
        metavar="COLUMN|none",
        help="Column that says what cases share, such as a haystack or a question; none takes "
        "every case as independent.",
    ),
)

_PENALTY = click.option(
    "--penalty",
    type=choice(Penalty),
    default="jeffreys",
    show_default=True,
    help="Penalty of the curve's fit; none is plain maximum likelihood.",
)

_SEED = click.option(
    "--seed",
    type=click.IntRange(min=0),
    default=0,
    show_default=True,
    help="Seed of what is random.",
)

_FIT: tuple[Wrap, ...] = (
    _PENALTY,
    click.option(
        "--guess-rate",
        metavar="X",
        help="Accuracy of guessing: the floor of the curve; what the files say, or 0, unless said.",
    ),
    _SEED,
)

_CRITERION: tuple[Wrap, ...] = (
    click.option(
        "--threshold",
        default="0.85",
        show_default=True,
        metavar="X",
        help="Accuracy that a length has to reach.",
    ),
    click.option(
        "--threshold-rule",
        type=choice(ThresholdRule),
        default="absolute",
        show_default=True,
        help="How the threshold is set.",
    ),
    click.option(
        "--base-lengths",
        type=LENGTHS,
        default=(),
        metavar="L,L,...",
        help="Lengths whose mean is the base of a relative threshold; the shortest unless said.",
    ),
    click.option(
        "--guess-rate",
        default="0",
        show_default=True,
        metavar="X",
        help="Accuracy of guessing, for the rule above_chance and as the floor of a curve; at 0 "
        "what the files say.",
    ),
    click.option(
        "--depth",
        default="mean",
        show_default=True,
        metavar="mean|worst|pooled|quantile:Q|window:W",
        help="How the depths of a length become one accuracy; window:3 is the smallest mean over "
        "three adjacent depths.",
    ),
)

_ANALYSIS: tuple[Wrap, ...] = (
    *_CRITERION,
    click.option(
        "--method",
        "methods",
        type=Words(words_of(Method)),
        multiple=True,
        default=(),
        callback=flatten_words,
        help="How accuracies come from data; observed is always stated, and so are curve and, up "
        "to 400 cells, flexible unless this flag leaves them out.",
    ),
    _PENALTY,
    click.option(
        "--set",
        "sets",
        type=Words(words_of(SetKind)),
        multiple=True,
        default=("default",),
        callback=flatten_words,
        help="Sets to state beside the default one.",
    ),
    click.option(
        "--masses",
        type=Words(words_of(MassKind)),
        multiple=True,
        default=("bootstrap,jeffreys",),
        callback=flatten_words,
        help="Masses to show.",
    ),
    click.option(
        "--level",
        type=float,
        default=0.95,
        show_default=True,
        metavar="X",
        help="Level of the sets.",
    ),
    click.option(
        "--average-tasks",
        is_flag=True,
        help="Average the tasks of every language model, without weights, instead of each alone.",
    ),
    click.option(
        "--by",
        default=",".join(GROUP),
        show_default=True,
        callback=_split_columns,
        metavar="COLUMN,...",
        help="Columns whose values make a group.",
    ),
    _SEED,
)


def reading_options(function: Function) -> Function:
    """Add the reading flags; the command gets them as ``reading``."""
    return as_record("reading", ReadingOptions, _READING)(function)


def fit_options(function: Function) -> Function:
    """Add the flags of a fit; the command gets them as ``fitting``."""
    return as_record("fitting", FitOptions, _FIT)(function)


def criterion_options(function: Function) -> Function:
    """Add the flags of a criterion; the command gets them as ``asked``."""
    return as_record("asked", CriterionOptions, _CRITERION)(function)


def bar_options(function: Function) -> Function:
    """Add the flags of a criterion beside a command's own; the command gets them as ``bar``."""
    return as_record("bar", CriterionOptions, _CRITERION)(function)


def analysis_options(function: Function) -> Function:
    """Add the analysis flags; the command gets them as ``analysis``."""
    return as_record("analysis", AnalysisOptions, _ANALYSIS)(function)


def refuse_curve(analysis: AnalysisOptions, command: str) -> None:
    """Refuse ``--method curve`` where a command shows raw cells only, instead of ignoring it.

    Raises
    ------
    OptionError
        If the curve was asked for.
    """
    if "curve" in analysis.methods:
        raise OptionError(
            describe(
                f"--method names curve, which 'lcstats {command}' does not show",
                "expected observed",
                "use 'lcstats effective-length --method observed,curve'",
            )
        )


def json_option(function: AnyFunction) -> AnyFunction:
    """Add ``--json``; the command gets it as ``as_json``."""
    return click.option(
        "--json", "as_json", is_flag=True, help="Print one JSON object and nothing else."
    )(function)


def output_option(metavar: str, help: str, *, required: bool = True) -> Wrap:
    """Add ``-o``; the command gets it as ``output``."""
    return click.option("-o", "--output", metavar=metavar, required=required, help=help)


def scoring_option(function: AnyFunction) -> AnyFunction:
    """Add ``--scoring``, how strictly answers are scored."""
    return click.option(
        "--scoring",
        type=click.Choice(["strict", "contains"]),
        default="strict",
        show_default=True,
        help="Whether a wrong value beside the right one makes an answer wrong.",
    )(function)


def as_record(name: str, record: type, options: tuple[Wrap, ...]) -> Wrap:
    """Decorate with options whose values reach the function as one record."""
    names = [field.name for field in fields(record)]

    def decorate(function: Function) -> Function:
        @wraps(function)
        def call(**values: Any) -> None:
            taken = {field: values.pop(field) for field in names}
            function(**{name: record(**taken)}, **values)

        decorated: Function = call
        for option in reversed(options):
            decorated = option(decorated)
        return decorated

    return decorate
