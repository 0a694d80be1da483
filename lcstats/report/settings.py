"""What a report was asked for, and how it says so."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from lcstats.errors import OptionError, describe
from lcstats.lengths import Criterion
from lcstats.options import (
    Axis,
    MassKind,
    Method,
    Penalty,
    Repeats,
    SetKind,
    TaskKind,
    check_option,
    check_whole,
    check_words,
    words_of,
)
from lcstats.report.task_kinds import check_kinds
from lcstats.trials import Reading

EVERY_OTHER = ""
"""In place of a language model's name: every one that is not named."""


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
        Used where masses have to be drawn, for the curve's test and bootstrap, and for the sample
        of failures.
    origin : str
        Where the results come from, in a sentence or two; the page begins with it. A report on
        simulated trials says so here.
    command : str
        Command line that makes the report again.
    advertised : mapping of str to int
        Language model to its advertised window in tokens; the name ``""`` stands for every other.
    task_kinds : mapping of str to {"retrieval", "reasoning", "aggregation"}
        Task to its kind, where its name does not tell it right.
    retrieval_bar, reasoning_bar : float or str
        Thresholds of the spec sheet, under the criterion's rule and depth treatment; the second
        also for aggregation.
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
    advertised: Mapping[str, int] = field(default_factory=dict)
    task_kinds: Mapping[str, TaskKind] = field(default_factory=dict)
    retrieval_bar: float | str = 0.9
    reasoning_bar: float | str = 0.7

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
        for window in self.advertised.values():
            check_whole(window, "advertised", least=1)
        Criterion(self.retrieval_bar), Criterion(self.reasoning_bar)

    @property
    def bars(self) -> dict[TaskKind, Fraction]:
        """The threshold of every kind of task, as exact fractions."""
        retrieval, reasoning = (
            Criterion(bar).exact_threshold for bar in (self.retrieval_bar, self.reasoning_bar)
        )
        return {"retrieval": retrieval, "reasoning": reasoning, "aggregation": reasoning}

    def window_of(self, model: str) -> int | None:
        """Return the advertised window of a language model, in tokens; None where none is given."""
        return self.advertised.get(model, self.advertised.get(EVERY_OTHER))

    def check_names(self, models: Sequence[str], tasks: Sequence[str]) -> None:
        """Refuse names of language models and tasks that the results lack.

        Raises
        ------
        OptionError
            The message names those that they have.
        """
        check_kinds(self.task_kinds, tasks)
        strangers = [name for name in self.advertised if name and name not in models]
        if strangers:
            raise OptionError(
                describe(
                    f"advertised (--advertised) names {strangers[0]!r}, which the results lack",
                    f"expected one of {', '.join(models)}",
                    "write the name as it is there, --advertised MODEL=128K",
                )
            )


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
        "advertised": dict(settings.advertised),
        "task_kinds": dict(settings.task_kinds),
        "retrieval_bar": float(settings.bars["retrieval"]),
        "reasoning_bar": float(settings.bars["reasoning"]),
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
