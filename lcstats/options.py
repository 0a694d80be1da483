"""Every option that takes one of a few words: its type, and the one checker for all of them."""

from typing import Any, Literal, get_args

from lcstats.errors import OptionError, describe

Axis = Literal["asked", "received"]
DepthUnit = Literal["fraction", "percent"]
DrawKind = Literal["parametric_bootstrap", "cluster_bootstrap"]
TermTestKind = Literal["parametric_bootstrap", "quasi_likelihood"]
LengthUnit = Literal["tokens", "k1000", "k1024", "characters", "words", "documents"]
MassKind = Literal["bootstrap", "jeffreys"]
Method = Literal["observed", "curve"]
Penalty = Literal["jeffreys", "none"]
Repeats = Literal["fold", "independent"]
ScoreScale = Literal["0-1", "0-100", "1-10"]
SetKind = Literal["default", "certified", "jeffreys"]
ThresholdRule = Literal["absolute", "relative", "above_chance"]

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
