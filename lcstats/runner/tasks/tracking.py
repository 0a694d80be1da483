"""Variable tracking: a value that is handed on from variable to variable, among decoy chains."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar

from numpy.random import Generator

from lcstats.runner.tasks.making import new_names, new_numbers, new_places
from lcstats.runner.tasks.parameters import Parameters
from lcstats.runner.tasks.puzzle import Placed, Puzzle


@dataclass(frozen=True, slots=True)
class VariableTracking(Parameters):
    """The value at the end of a chain; its last sentence names a variable and no value."""

    NAME: ClassVar[str] = "variable-tracking"
    takes_depth: ClassVar[bool] = False

    n_hops: int = 2
    n_chains: int = 4

    def make(self, rng: Generator, length: int) -> Puzzle:
        """Make a puzzle."""
        size = self.n_hops + 1
        names = [name.upper() for name in new_names(rng, size * self.n_chains)]
        values = new_numbers(rng, self.n_chains)
        chains = [names[i * size : (i + 1) * size] for i in range(self.n_chains)]
        placed = [
            Placed(sentence, place, number == 0)
            for number, (chain, value) in enumerate(zip(chains, values, strict=True))
            for sentence, place in zip(_state(chain, value), new_places(rng, size), strict=True)
        ]
        return Puzzle(
            question=f"What is the value of variable {chains[0][-1]}? Answer with the number only.",
            answers=(values[0],),
            placed=tuple(placed),
            wrong=tuple(values[1:]),
            begun=f"The value of variable {chains[0][-1]} is",
            guess_rate=1.0 / self.n_chains,
        )


def _state(chain: list[str], value: str) -> Iterator[str]:
    yield f"Variable {chain[0]} is set to {value}."
    for earlier, later in pairwise(chain):
        yield f"Variable {later} takes its value from variable {earlier}."
