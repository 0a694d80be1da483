"""The tasks: one file for each kind, one line each here."""

from collections.abc import Callable, Mapping
from difflib import get_close_matches
from inspect import signature
from types import MappingProxyType

from lcstats.errors import OptionError, describe
from lcstats.runner.tasks.aggregation import Aggregation
from lcstats.runner.tasks.associative import Associative
from lcstats.runner.tasks.controls import CONTROLS, NO_FILLER, Control
from lcstats.runner.tasks.coreference import Coreference
from lcstats.runner.tasks.needles import Distractors, GrowingDistractors, SingleNeedle
from lcstats.runner.tasks.puzzle import Placed, Puzzle, Scorer, Task
from lcstats.runner.tasks.several import SeveralKeys, SeveralValues
from lcstats.runner.tasks.tracking import VariableTracking
from lcstats.runner.tasks.two_hop import TwoHop

TASKS: Mapping[str, Callable[..., Task]] = MappingProxyType(
    {
        kind.NAME: kind
        for kind in (
            SingleNeedle,
            Distractors,
            GrowingDistractors,
            SeveralValues,
            SeveralKeys,
            VariableTracking,
            Aggregation,
            TwoHop,
            Associative,
            Coreference,
        )
    }
)
"""Name to task."""

__all__ = ["TASKS", "Placed", "Puzzle", "Scorer", "Task", "parse_task"]


def parse_task(text: str) -> Task:
    """Return a task by its label: a name, parameters behind colons, a control behind a point.

    Raises
    ------
    OptionError
        If there is no such task, parameter or control.

    Examples
    --------
    >>> parse_task("distractors:n_distractors=8").label
    'distractors:n_distractors=8'
    >>> parse_task("two-hop.closed-book").label
    'two-hop.closed-book'
    """
    whole, _, control = text.strip().partition(".")
    name, *written = whole.split(":")
    if name not in TASKS:
        near = get_close_matches(name, TASKS, n=1) or ["single-needle"]
        raise OptionError(
            describe(
                f"task is {name!r}",
                f"expected one of {', '.join(TASKS)}, or a file of cases (.jsonl)",
                f"pass --task {near[0]}",
            )
        )
    task = TASKS[name](**dict(_parameter(name, part) for part in written))
    return _controlled(task, control) if control else task


def _parameter(name: str, written: str) -> tuple[str, int]:
    key, _, value = written.partition("=")
    allowed = list(signature(TASKS[name]).parameters)
    if key not in allowed or not value.isdecimal():
        raise OptionError(
            describe(
                f"{name} has the parameter {written!r}",
                f"expected {' or '.join(allowed) or 'none'} with a whole number",
                f"write {':'.join([name, *(f'{a}=4' for a in allowed[:1])])}",
            )
        )
    return key, int(value)


def _controlled(task: Task, control: str) -> Task:
    if control not in CONTROLS or (isinstance(task, Aggregation) and control == NO_FILLER):
        raise OptionError(
            describe(
                f"{task.label} has the control {control!r}",
                f"expected {' or '.join(CONTROLS)}, and of aggregation closed-book only",
                f"write {task.label}.closed-book",
            )
        )
    return Control(task, control)
