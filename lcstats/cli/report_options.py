"""The options of a report's spec sheet: advertised windows, kinds of tasks, and their bars."""

from dataclasses import dataclass
from typing import Any

import click

from lcstats.cli.options import Function, as_record
from lcstats.cli.parameters import PAIR, parse_length
from lcstats.errors import describe
from lcstats.options import TaskKind, words_of


@dataclass(frozen=True, slots=True)
class SheetOptions:
    """What was asked of the spec sheet."""

    windows: dict[str, int]
    kinds: dict[str, TaskKind]
    retrieval_bar: str
    reasoning_bar: str


def parse_window(text: str) -> tuple[str, int]:
    """Return a language model's name and its window; the name is empty where none is written.

    Raises
    ------
    ValueError
        If the window is no length.

    Examples
    --------
    >>> parse_window("128K"), parse_window("org/name=x:1=1M")
    (('', 131072), ('org/name=x:1', 1048576))
    """
    model, _, window = text.rpartition("=")
    return model.strip(), parse_length(window)


def _windows(
    ctx: click.Context, parameter: click.Parameter, value: tuple[str, ...]
) -> dict[str, int]:
    windows: dict[str, int] = {}
    for text in value:
        try:
            model, window = parse_window(text)
        except ValueError as error:
            raise click.BadParameter(str(error), ctx, parameter) from error
        windows[model] = window
    return windows


def _kinds(
    ctx: click.Context, parameter: click.Parameter, value: tuple[tuple[str, Any], ...]
) -> dict[str, TaskKind]:
    allowed = words_of(TaskKind)
    for task, kind in value:
        if kind not in allowed:
            found = f"the kind of {task!r} is {kind!r}"
            message = describe(
                found, f"expected one of {', '.join(allowed)}", f"write {task}={allowed[0]}, say"
            )
            raise click.BadParameter(message, ctx, parameter)
    return dict(value)


_SHEET = (
    click.option(
        "--advertised",
        "windows",
        multiple=True,
        callback=_windows,
        metavar="[MODEL=]TOKENS",
        help="Advertised window, such as 128K (K = 1024), of every language model or of one; "
        "repeat for several.",
    ),
    click.option(
        "--task-kind",
        "kinds",
        type=PAIR,
        multiple=True,
        callback=_kinds,
        metavar=f"TASK={'|'.join(words_of(TaskKind))}",
        help="Kind of a task, where its name does not tell it right; repeat for several.",
    ),
    click.option(
        "--retrieval-bar",
        default="0.9",
        show_default=True,
        metavar="X",
        help="Threshold of the spec sheet for retrieval.",
    ),
    click.option(
        "--reasoning-bar",
        default="0.7",
        show_default=True,
        metavar="X",
        help="Threshold of the spec sheet for reasoning and aggregation.",
    ),
)


def sheet_options(function: Function) -> Function:
    """Add the flags of the spec sheet; the command gets them as ``sheet``."""
    return as_record("sheet", SheetOptions, _SHEET)(function)
