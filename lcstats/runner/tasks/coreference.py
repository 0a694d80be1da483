"""Multi-round coreference: a chat with several turns alike, of which the n-th is asked for."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import ClassVar

from numpy.random import Generator

from lcstats.runner.filler import ListFiller, Turn
from lcstats.runner.tasks.making import new_numbers, new_places, pick_some
from lcstats.runner.tasks.parameters import Parameters
from lcstats.runner.tasks.puzzle import Placed, Puzzle

TOPICS = (
    "herons",
    "umbrellas",
    "bridges",
    "teapots",
    "tunnels",
    "ladders",
    "orchards",
    "lighthouses",
    "bicycles",
    "chimneys",
    "canals",
    "violins",
    "gardens",
    "windmills",
    "snowstorms",
    "harbours",
)
NUMERALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth")
TOKENS_PER_TURN = 24
"""At least: so many turns are made that the longest chat cannot run out of them."""


@dataclass(frozen=True, slots=True)
class Coreference(Parameters):
    """The number that the n-th of several notes on one topic got."""

    NAME: ClassVar[str] = "coreference"
    MOST: ClassVar[Mapping[str, int]] = MappingProxyType({"n_alike": len(NUMERALS)})
    takes_depth: ClassVar[bool] = False

    n_alike: int = 4

    def make(self, rng: Generator, length: int) -> Puzzle:
        """Make a puzzle."""
        topic, *others = pick_some(rng, TOPICS, len(TOPICS))
        n_turns = length // TOKENS_PER_TURN + 1
        values = new_numbers(rng, self.n_alike + n_turns)
        wanted = int(rng.integers(self.n_alike))
        alike = zip(values, new_places(rng, self.n_alike), strict=False)
        filler = [
            _note(others[i], value)
            for i, value in zip(
                rng.integers(len(others), size=n_turns).tolist(),
                values[self.n_alike :],
                strict=True,
            )
        ]
        return Puzzle(
            question=f"What is the number of the {NUMERALS[wanted]} note about {topic} that you "
            "wrote above? Answer with the number only.",
            answers=(values[wanted],),
            placed=tuple(
                Placed(_note(topic, value), place, number == wanted)
                for number, (value, place) in enumerate(alike)
            ),
            wrong=tuple(value for i, value in enumerate(values[: self.n_alike]) if i != wanted),
            begun=f"The number of the {NUMERALS[wanted]} note about {topic} is",
            guess_rate=1.0 / self.n_alike,
            filler=ListFiller(filler),
            introduction="",
        )


def _note(topic: str, value: str) -> Turn:
    return Turn(
        f"Write a short note about {topic}.", f"Note {value}: there is much to say on {topic}."
    )
