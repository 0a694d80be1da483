"""What options may be: words, their types and their one checker; levels; arguments of our types."""

from collections.abc import Iterable
from numbers import Integral, Real
from typing import Any, Literal, get_args

from lcstats.errors import LcstatsError, OptionError, describe

Axis = Literal["asked", "received"]
DepthUnit = Literal["fraction", "percent", "hundredths", "tokens", "index0", "index1"]
BootstrapKind = Literal["parametric_bootstrap", "cluster_bootstrap"]
ColumnWidth = Literal["single", "double", "slide"]
Direction = Literal["loss", "gain"]
Engine = Literal["exact", "monte_carlo", "closed_form"]
EngineChoice = Literal["auto", "exact", "monte_carlo"]
GateKind = Literal["regression", "noninferiority"]
HeatmapStyle = Literal["default", "classic"]
HeatmapWords = Literal["counts", "accuracy", "half-width", "none"]
DrawKind = Literal["parametric_bootstrap", "cluster_bootstrap", "posterior", "prior"]
TaskKind = Literal["retrieval", "reasoning", "aggregation"]
TargetKind = Literal["hit", "within", "set-size", "certify", "half-width", "power"]
TermTestKind = Literal["parametric_bootstrap", "quasi_likelihood"]
LengthUnit = Literal[
    "tokens", "k1000", "k1024", "characters", "words", "documents", "pairs", "lines"
]
MassKind = Literal["bootstrap", "jeffreys"]
Method = Literal["observed", "curve", "flexible"]
PairedTest = Literal["mid-p", "exact"]
Penalty = Literal["jeffreys", "none"]
Repeats = Literal["fold", "independent"]
Sampler = Literal["auto", "importance", "nuts"]
ScoreScale = Literal["0-1", "0-100", "1-10", "0-10"]
SetKind = Literal["default", "certified", "jeffreys", "hybrid", "strict", "posterior", "anytime"]
Theme = Literal["light", "dark"]
ThresholdRule = Literal["absolute", "relative", "above_chance"]
Verdict = Literal["better", "worse", "tied", "undecided"]

STATUSES = (
    "ok",
    "error",
    "timeout",
    "rate_limited",
    "context_exceeded",
    "truncated",
    "skipped",
    "refused",
    "empty",
    "budget_exhausted",
    "unparsed",
)
"""What can have become of a trial; only ``ok`` trials carry a score."""


def words_of(alias: Any) -> tuple[str, ...]:
    """Return the words a ``Literal`` alias allows, in the order they were written."""
    return get_args(alias)


def check_option(value: str, alias: Any, name: str) -> str:
    """Return `value` if `alias` allows it.

    Parameters
    ----------
    value : str
        The word that was given.
    alias : Literal alias
        One of this module's aliases.
    name : str
        The option's name, for the message.

    Raises
    ------
    OptionError
        If the word is not one of the alias's.

    Examples
    --------
    >>> check_option("percent", DepthUnit, "depth_unit")
    'percent'
    """
    allowed = words_of(alias)
    if value not in allowed:
        raise OptionError(
            describe(
                f"{name} is {value!r}",
                f"expected one of {', '.join(allowed)}",
                f"pass {name}={allowed[0]!r}, say",
            )
        )
    return value


def check_words(values: str | Iterable[str], alias: Any, name: str) -> tuple[str, ...]:
    """Return the words of an option that takes several, each once; a plain string is one word.

    Raises
    ------
    OptionError
        If a word is not one of the alias's.

    Examples
    --------
    >>> check_words("jeffreys", SetKind, "sets"), check_words(["default"] * 2, SetKind, "sets")
    (('jeffreys',), ('default',))
    """
    listed = [values] if isinstance(values, str) or not isinstance(values, Iterable) else values
    return tuple(dict.fromkeys(check_option(value, alias, name) for value in listed))


def check_level(level: float) -> None:
    """Refuse a level that is no number between 0 and 1.

    Raises
    ------
    OptionError
        If it is not.
    """
    if not isinstance(level, Real) or not 0 < level < 1:
        raise OptionError(
            describe(f"level is {level!r}", "expected a number between 0 and 1", "write 0.95, say")
        )


def check_share(value: float, name: str) -> None:
    """Refuse what is no number from 0 to 1, both included.

    Raises
    ------
    OptionError
        If it is not.
    """
    if isinstance(value, bool) or not isinstance(value, Real) or not 0 <= value <= 1:
        raise OptionError(
            describe(
                f"{name} is {value!r}",
                "expected a number from 0 to 1",
                "write 85 percent as 0.85",
            )
        )


def check_whole(value: object, name: str, *, least: int = 0) -> None:
    """Refuse what is no whole number of at least `least`.

    Raises
    ------
    OptionError
        If it is not.
    """
    if isinstance(value, bool) or not isinstance(value, Integral) or value < least:
        raise OptionError(
            describe(
                f"{name} is {value!r}",
                f"expected a whole number of at least {least}",
                f"pass {name}={max(least, 1)}, say, or leave it out",
            )
        )


def percent(level: float) -> str:
    """Write a level as a percentage, never rounded to 100%.

    Examples
    --------
    >>> percent(0.95), percent(0.995), percent(0.99999)
    ('95%', '99.5%', '99.999%')
    """
    return f"{100 * level:.10g}%"


HOW_TO_MAKE = {
    "Cells": "count trials with count_cells(trials), or make them with Cells.from_counts(...)",
    "CellGrid": "count trials with count_cells(trials)",
    "Curve": "write Curve(4.2, 0.3, 1.9, 0.6), say",
    "Criterion": "write Criterion(0.85), say",
    "CurveFit": "fit cells with fit_curve(cells)",
    "DataFrame": "read files with read_trials(paths)",
    "Trials": "make them with Trials.from_frame(frame) or read_trials(paths)",
    "str": "pass a table with Trials.from_frame(frame), files by their paths",
}
"""How to come by an argument of each type, by the type's name."""


def check_type(
    value: object,
    wanted: type | tuple[type, ...],
    name: str,
    *,
    mend_as: str = "",
    error: type[LcstatsError] = OptionError,
) -> None:
    """Refuse an argument that is not of the type that is worked with.

    Parameters
    ----------
    value : object
    wanted : type or tuple of type
    name : str
        The argument's name, for the message.
    mend_as : str
        Entry of :data:`HOW_TO_MAKE` that is the mend; the first type's without it.
    error : type
        What to raise.

    Raises
    ------
    OptionError
        Or `error`, if the type is another.

    Examples
    --------
    >>> check_type("results/", str, "paths")
    """
    if isinstance(value, wanted):
        return
    types = wanted if isinstance(wanted, tuple) else (wanted,)
    raise error(
        describe(
            f"{name} is of type {type(value).__name__}",
            f"expected {' or '.join(kind.__name__ for kind in types)}",
            HOW_TO_MAKE[mend_as or types[0].__name__],
        )
    )
