"""Aggregation: which words occur most often, in a text made of words alone."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import ClassVar

import numpy as np
from numpy.random import Generator

from lcstats.runner.filler import ListFiller
from lcstats.runner.tasks.making import new_names
from lcstats.runner.tasks.parameters import Parameters
from lcstats.runner.tasks.puzzle import Puzzle

LINE = 3
"""Words of a line: so few that a line of made-up words still fits at the end."""

TIMES = 4
"""How often a frequent word occurs for every time that another one does."""

OTHERS = 20
"""Words that are not frequent."""


@dataclass(frozen=True, slots=True)
class Aggregation(Parameters):
    """The most frequent words; every block of the text holds each of them four times.

    Whatever the length, the frequent words are the same share of the text, so that nothing but
    reading on gets harder. A text of a whole block is enough to tell them.
    """

    NAME: ClassVar[str] = "aggregation"
    MOST: ClassVar[Mapping[str, int]] = MappingProxyType({"n_words": OTHERS})
    takes_depth: ClassVar[bool] = False

    n_words: int = 3

    def make(self, rng: Generator, length: int) -> Puzzle:
        """Make a puzzle."""
        words = [name.lower() for name in new_names(rng, self.n_words + OTHERS)]
        block = words[: self.n_words] * TIMES + words[self.n_words :]
        n_blocks = length // len(block) + 2
        shuffled = rng.permuted(np.tile(np.arange(len(block)), (n_blocks, 1)), axis=1)
        stream = [block[i] for i in shuffled.ravel().tolist()]
        lines = [" ".join(stream[i : i + LINE]) + "." for i in range(0, len(stream), LINE)]
        return Puzzle(
            question=f"Which {self.n_words} words occur most often in the text? Answer with the "
            "words only.",
            answers=tuple(words[: self.n_words]),
            wrong=tuple(words[self.n_words :]),
            scorer="words",
            begun=f"The {self.n_words} words that occur most often are",
            filler=ListFiller(lines),
        )
