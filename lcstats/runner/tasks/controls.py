"""Controls: the question without any context, and the evidence without filler.

The first shows what is guessed or remembered, the second what is not found even in a few lines.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, ClassVar

from numpy.random import Generator

from lcstats.runner.tasks.puzzle import Puzzle, Task

CLOSED_BOOK = "closed-book"
NO_FILLER = "no-filler"


_CHANGES: Mapping[str, Mapping[str, Any]] = MappingProxyType(
    {
        CLOSED_BOOK: {"placed": (), "is_filled": False},
        NO_FILLER: {"is_filled": False},
    }
)
"""What a control changes in a puzzle."""

CONTROLS = tuple(_CHANGES)


@dataclass(frozen=True, slots=True)
class Control:
    """A task's questions under a control.

    Attributes
    ----------
    task : Task
    control : {"closed-book", "no-filler"}
    """

    takes_depth: ClassVar[bool] = False
    takes_length: ClassVar[bool] = False

    task: Task
    control: str

    @property
    def label(self) -> str:
        """Name of the task and the control."""
        return f"{self.task.label}.{self.control}"

    def make(self, rng: Generator, length: int) -> Puzzle:
        """Make a puzzle."""
        return replace(self.task.make(rng, length), **_CHANGES[self.control])

    def describe(self) -> dict[str, Any]:
        """Return the task's parameters and the control."""
        return {**self.task.describe(), "control": self.control}
