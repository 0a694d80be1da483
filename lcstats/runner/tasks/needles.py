"""Access codes by key: one needle alone, or among distractors of the same form."""

from dataclasses import dataclass
from typing import ClassVar

from numpy.random import Generator

from lcstats.runner.tasks.making import new_keys, new_numbers, new_places
from lcstats.runner.tasks.parameters import Parameters
from lcstats.runner.tasks.puzzle import Placed, Puzzle


def state_code(key: str, value: str) -> str:
    """Return the sentence that holds a code."""
    return f"The access code for {key} is {value}."


def _one_wanted(rng: Generator, n_distractors: int) -> Puzzle:
    keys, values = new_keys(rng, 1 + n_distractors), new_numbers(rng, 1 + n_distractors)
    others = zip(keys[1:], values[1:], new_places(rng, n_distractors), strict=True)
    return Puzzle(
        question=f"What is the access code for {keys[0]}? Answer with the code only.",
        answers=(values[0],),
        placed=(
            Placed(state_code(keys[0], values[0])),
            *(Placed(state_code(key, value), place, False) for key, value, place in others),
        ),
        wrong=tuple(values[1:]),
        begun=f"The access code for {keys[0]} is",
        guess_rate=1.0 / (1 + n_distractors) if n_distractors else 0.0,
    )


@dataclass(frozen=True, slots=True)
class SingleNeedle(Parameters):
    """One code in the text."""

    NAME: ClassVar[str] = "single-needle"

    def make(self, rng: Generator, length: int) -> Puzzle:
        """Make a puzzle."""
        return _one_wanted(rng, 0)


@dataclass(frozen=True, slots=True)
class Distractors(Parameters):
    """One code among others of the same form, as many at every length."""

    NAME: ClassVar[str] = "distractors"

    n_distractors: int = 3

    def make(self, rng: Generator, length: int) -> Puzzle:
        """Make a puzzle."""
        return _one_wanted(rng, self.n_distractors)


@dataclass(frozen=True, slots=True)
class GrowingDistractors(Parameters):
    """One code among others of the same form, more of them in longer texts.

    Their number and the length cannot be told apart in the results.
    """

    NAME: ClassVar[str] = "growing-distractors"

    tokens_each: int = 256

    def make(self, rng: Generator, length: int) -> Puzzle:
        """Make a puzzle."""
        return _one_wanted(rng, max(length // self.tokens_each, 1))
