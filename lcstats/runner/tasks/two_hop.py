"""Two hops: who keeps the key where, and which code is there. No sentence has both."""

from dataclasses import dataclass
from typing import ClassVar

from numpy.random import Generator

from lcstats.runner.tasks.making import new_keys, new_names, new_numbers, new_places
from lcstats.runner.tasks.parameters import Parameters
from lcstats.runner.tasks.puzzle import Placed, Puzzle


@dataclass(frozen=True, slots=True)
class TwoHop(Parameters):
    """The second fact stands at the depth asked for, the first anywhere; distractors as well.

    The question shares no word with the second fact that the distractors do not share, too.
    """

    NAME: ClassVar[str] = "two-hop"

    n_distractors: int = 3

    def make(self, rng: Generator, length: int) -> Puzzle:
        """Make a puzzle."""
        count = 1 + self.n_distractors
        people, houses, values = (
            new_names(rng, count),
            new_keys(rng, count),
            new_numbers(rng, count),
        )
        first = [
            f"{who} lives in the house called {house}."
            for who, house in zip(people, houses, strict=True)
        ]
        second = [
            f"The door of the house called {house} opens with {value}."
            for house, value in zip(houses, values, strict=True)
        ]
        places = rng.permutation(new_places(rng, 2 * count)).tolist()
        return Puzzle(
            question=f"Which number opens the door where {people[0]} lives? Answer with the number "
            "only.",
            answers=(values[0],),
            placed=(
                Placed(first[0], places[0]),
                Placed(second[0]),
                *(
                    Placed(text, place, False)
                    for text, place in zip(first[1:] + second[1:], places[2:], strict=True)
                ),
            ),
            wrong=tuple(values[1:]),
            begun=f"The number that opens the door where {people[0]} lives is",
            guess_rate=1.0 / count,
        )
