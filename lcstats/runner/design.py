"""What a sweep asks: tasks, lengths, depths, how often, in which order, from which seed."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from numbers import Real
from typing import Any, Literal

from numpy.random import Generator

from lcstats.curve import check_depths, check_lengths
from lcstats.errors import OptionError, describe
from lcstats.options import check_option, check_whole
from lcstats.runner.keys import digest, make_rng
from lcstats.runner.tasks import Task

Order = Literal["random", "prefix"]
"""Trials in random order, or those that share a haystack one after the other."""

Key = tuple[str, int, float | None, str, int]
"""Task, length, depth, case and repeat: what tells a trial of one language model from others."""


def key_of_row(row: Mapping[str, Any]) -> Key:
    """Return what tells the trial of a row of the table from others."""
    return (row["task"], row["length"], row["depth"], row["case"], row["repeat"])


@cache
def _recipe(*words: object) -> str:
    return digest(*words)


@dataclass(frozen=True, slots=True)
class DesignCell:
    """Trials of one task at one length and depth.

    Attributes
    ----------
    task : Task
    length : int
        0 for controls, which are not filled to a length.
    depth : float or None
    trials : int
        Cases.
    """

    task: Task
    length: int
    depth: float | None
    trials: int

    def __post_init__(self) -> None:
        """Refuse what cannot be run."""
        check_whole(self.trials, "trials", least=1)
        check_whole(self.length, "length", least=int(self.task.takes_length))
        is_depth = isinstance(self.depth, Real) and 0 <= self.depth <= 1
        if not (is_depth if self.task.takes_depth else self.depth is None):
            raise OptionError(
                describe(
                    f"depth of {self.task.label} is {self.depth!r}",
                    "expected a fraction in [0, 1], 0 being the start of the context"
                    if self.task.takes_depth
                    else "expected none, since this task places its evidence itself",
                    "write depth=0.5, say" if self.task.takes_depth else "leave the depth out",
                )
            )

    def to_dict(self) -> dict[str, Any]:
        """Return JSON-ready values."""
        return {
            "task": self.task.label,
            "length": self.length,
            "depth": self.depth,
            "trials": self.trials,
        }


@dataclass(frozen=True, slots=True)
class PlannedTrial:
    """One trial that is to be run.

    Attributes
    ----------
    task : Task
    length : int
    depth : float or None
    number : int
        Of the case in its cell, from 1.
    repeat : int
        1 for the first time that the case is sent.
    design : Design
        Whose seed, order and stage decide on the case.
    """

    task: Task
    length: int
    depth: float | None
    number: int
    repeat: int
    design: "Design"

    def case(self, filler_digest: str) -> str:
        """Return the case's id: equal for every language model that is asked the same.

        It says by which recipe the case is made (task, seed, filler, order), so that cases of
        different recipes are never taken for pairs.
        """
        own = getattr(self.task, "case_id", None)
        if own is not None:
            return str(own)
        recipe = _recipe(self.task.label, self.design.seed, self.design.order, filler_digest)
        stage = f"{self.design.stage}." if self.design.stage else ""
        return f"{recipe}-{stage}{self.number}"

    def cluster(self, filler_digest: str) -> str | None:
        """Return the name of the haystack that cases of a length share; None without any."""
        if self.design.order == "random" or not self.task.takes_length:
            return None
        return f"{self.length}-{self.case(filler_digest)}"

    def rng(self, purpose: str) -> Generator:
        """Return the random numbers of the case for a purpose, the same for every repeat."""
        at = "" if self.design.order == "prefix" else self.depth
        place = (self.task.label, self.length, at, self.design.stage, self.number)
        return make_rng(self.design.seed, purpose, *place)

    def key(self, filler_digest: str) -> Key:
        """Return what tells this trial from the others of the language model."""
        return (self.task.label, self.length, self.depth, self.case(filler_digest), self.repeat)


@dataclass(frozen=True, slots=True)
class Design:
    """The cells of a sweep and how they are run.

    Attributes
    ----------
    cells : tuple of DesignCell
    seed : int
        Equal seeds give equal prompts, as far as tokenizers agree on where they end.
    repeats : int
        Times that each case is sent.
    order : {"random", "prefix"}
    stage : int
        0 for a design that was fixed in advance; later trials were added after looking.
    plan : str
        Digest of the plan that the cells come from, whose trials are run once; empty for none.

    Raises
    ------
    OptionError
        If there are no cells, one occurs twice, or a number is out of range.
    """

    cells: tuple[DesignCell, ...]
    seed: int = 0
    repeats: int = 1
    order: Order = "random"
    stage: int = 0
    plan: str = ""

    def __post_init__(self) -> None:
        """Refuse what cannot be run."""
        check_whole(self.seed, "seed")
        check_whole(self.repeats, "repeats", least=1)
        check_whole(self.stage, "stage")
        check_option(self.order, Order, "order")
        places = Counter(
            (cell.task.label, cell.length, cell.depth, getattr(cell.task, "case_id", None))
            for cell in self.cells
        )
        twice = [place for place, count in places.items() if count > 1]
        if twice and not self.is_gridlike:
            task, _, _, case = twice[0]
            raise OptionError(
                describe(
                    f"two cases of {task} have the id {case!r}",
                    "expected an id of its own for each, in all files together",
                    "give the files other names, or the cases other ids",
                )
            )
        if not places or twice:
            found = f"the cell {twice[0][:3]} is there twice" if twice else "there are no cells"
            raise OptionError(
                describe(found, "expected each cell once", "write every length and depth once")
            )

    @property
    def is_gridlike(self) -> bool:
        """Whether cases are made by number, and not given one by one."""
        return not any(hasattr(cell.task, "case_id") for cell in self.cells)

    @classmethod
    def grid(
        cls,
        tasks: Iterable[Task],
        lengths: Sequence[int],
        depths: Sequence[float],
        *,
        n_trials: int,
        seed: int = 0,
        repeats: int = 1,
        order: Order = "random",
    ) -> "Design":
        """Return the design of every task at every length and depth.

        Tasks without a depth have one cell for each length, controls a single one.

        Examples
        --------
        >>> from lcstats.runner.tasks import parse_task
        >>> tasks = [parse_task("single-needle"), parse_task("single-needle.closed-book")]
        >>> design = Design.grid(tasks, [512, 1024], [0.0, 0.5, 1.0], n_trials=5)
        >>> len(design.cells), design.n_trials
        (7, 35)
        """
        check_depths(depths)
        whole = [int(length) for length in check_lengths(lengths)]
        cells = (
            DesignCell(task, length, depth, n_trials)
            for task in tasks
            for length in (whole if task.takes_length else [0])
            for depth in (depths if task.takes_depth else [None])
        )
        return cls(tuple(cells), seed, repeats, order)

    @property
    def n_trials(self) -> int:
        """Trials in all, repeats counted."""
        return self.repeats * sum(cell.trials for cell in self.cells)

    def planned(self) -> list[PlannedTrial]:
        """Return every trial once, in the order in which they are to be run."""
        trials = list(self._listed())
        if self.order == "random":
            order = make_rng(self.seed, "order", self.stage).permutation(len(trials))
            return [trials[i] for i in order.tolist()]
        return sorted(trials, key=lambda t: (t.task.label, t.length, t.number, t.depth or 0.0))

    def _listed(self) -> Iterator[PlannedTrial]:
        for repeat in range(1, self.repeats + 1):
            for cell in self.cells:
                for number in range(1, cell.trials + 1):
                    yield PlannedTrial(cell.task, cell.length, cell.depth, number, repeat, self)

    def at_stage(self, stage: int) -> "Design":
        """Return the same design at another stage: its cases are new ones."""
        return replace(self, stage=stage)

    def to_dict(self) -> dict[str, Any]:
        """Return JSON-ready values; equal ones are equal designs."""
        tasks = {cell.task.label: cell.task.describe() for cell in self.cells}
        return {
            "stage": self.stage,
            "seed": self.seed,
            "repeats": self.repeats,
            "order": self.order,
            **({"plan": self.plan} if self.plan else {}),
            "tasks": tasks,
            "cells": [cell.to_dict() for cell in self.cells],
        }
