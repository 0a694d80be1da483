"""Controls: the question without any context, and the evidence without filler.

The first shows what is guessed or remembered, the second what is not found even in a few lines.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, ClassVar

from numpy.random import Generator

from lcstats.runner.tasks.puzzle import Puzzle, Task

CLOSED_BOOK = "closed-book"
NO_FILLER = "no-filler"


@dataclass(frozen=True, slots=True)
class ClosedBook:
    """A task's questions alone."""

    takes_depth: ClassVar[bool] = False
    takes_length: ClassVar[bool] = False

    task: Task

    @property
    def label(self) -> str:
        """Name of the task and the control."""
        return f"{self.task.label}.{CLOSED_BOOK}"

    def make(self, rng: Generator, length: int) -> Puzzle:
        """Make a puzzle."""
        puzzle = self.task.make(rng, length)
        return replace(puzzle, placed=(), is_filled=False)

    def describe(self) -> dict[str, Any]:
        """Return the task's parameters and the control."""
        return {**self.task.describe(), "control": CLOSED_BOOK}


@dataclass(frozen=True, slots=True)
class NoFiller:
    """A task's evidence and distractors alone."""

    takes_depth: ClassVar[bool] = False
    takes_length: ClassVar[bool] = False

    task: Task

    @property
    def label(self) -> str:
        """Name of the task and the control."""
        return f"{self.task.label}.{NO_FILLER}"

    def make(self, rng: Generator, length: int) -> Puzzle:
        """Make a puzzle."""
        return replace(self.task.make(rng, length), is_filled=False)

    def describe(self) -> dict[str, Any]:
        """Return the task's parameters and the control."""
        return {**self.task.describe(), "control": NO_FILLER}


CONTROLS: Mapping[str, Callable[[Task], Task]] = MappingProxyType(
    {CLOSED_BOOK: ClosedBook, NO_FILLER: NoFiller}
)
