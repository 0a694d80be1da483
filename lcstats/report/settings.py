"""What a report was asked for, and how it says so."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from lcstats.lengths import Criterion
from lcstats.options import (
    Axis,
    MassKind,
    Method,
    Penalty,
    Repeats,
    SetKind,
    check_option,
    check_words,
    words_of,
)
from lcstats.trials import Reading


@dataclass(frozen=True, slots=True)
class ReportSettings:
    """What a report is asked for beside the criterion.

    Attributes
    ----------
    methods : tuple of {"observed", "curve", "flexible"}
        ``curve`` adds the fitted curve where several lengths were tested, ``flexible`` the smooth
        surface; ``observed`` is always among them. Empty for all three, but the surface up to 400
        cells only.
    penalty : {"jeffreys", "none"}
        Of the curve's fit.
    sets : tuple of {"default", "certified", "jeffreys", "hybrid", "strict", "posterior"}
        Sets to state; the default one is always among them.
    masses : tuple of {"bootstrap", "jeffreys"}
    repeats : {"fold", "independent"}
    axis : {"asked", "received"}
    average_tasks : bool
        Average the tasks of every language model instead of reporting each.
    seed : int
        Used where masses have to be drawn, and for the curve's test and bootstrap.
    origin : str
        Where the results come from, in a sentence or two; the page begins with it. A report on
        simulated trials says so here.
    command : str
        Command line that makes the report again.
    """

    methods: tuple[Method, ...] = ()
    penalty: Penalty = "jeffreys"
    sets: tuple[SetKind, ...] = ("default",)
    masses: tuple[MassKind, ...] = ("bootstrap", "jeffreys")
    repeats: Repeats = "fold"
    axis: Axis = "asked"
    average_tasks: bool = False
    seed: int = 0
    origin: str = ""
    command: str = ""

    def __post_init__(self) -> None:
        """Refuse words that no option knows; a plain string is one word.

        Raises
        ------
        OptionError
            If an option holds a word it does not have.
        """
        for name, alias in (("methods", Method), ("sets", SetKind), ("masses", MassKind)):
            object.__setattr__(self, name, check_words(getattr(self, name), alias, name))
        check_option(self.penalty, Penalty, "penalty")
        check_option(self.repeats, Repeats, "repeats")
        check_option(self.axis, Axis, "axis")


def list_settings(
    settings: ReportSettings, criterion: Criterion, *, level: float, reading: Reading | None
) -> dict[str, Any]:
    """Return every setting by name, enough to make the report again."""
    return {
        **criterion.to_dict(),
        "guess_rate": float(criterion.exact_guess_rate),
        "method": list(dict.fromkeys(("observed", *(settings.methods or words_of(Method))))),
        "penalty": settings.penalty,
        "level": level,
        "sets": list(settings.sets),
        "masses": list(settings.masses),
        "repeats": settings.repeats,
        "average_tasks": settings.average_tasks,
        "axis": settings.axis,
        "seed": settings.seed,
        **_reading_settings(reading),
        "command": settings.command or None,
    }


def _reading_settings(reading: Reading | None) -> Mapping[str, Any]:
    if reading is None:
        return {}
    return {
        "format": reading.format,
        "depth_unit": reading.depth_unit,
        "score_scale": reading.score_scale,
        "score_threshold": reading.score_threshold,
    }
