"""Associative needles: the question shares no telling word with the evidence.

Who was in a country is to be told from a landmark: what Modarressi and others (2025, NoLiMa) call
low lexical overlap. Which landmark stands where has to be known; the names are made up.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import ClassVar

from numpy.random import Generator

from lcstats.runner.tasks.making import new_names, new_places
from lcstats.runner.tasks.parameters import Parameters
from lcstats.runner.tasks.puzzle import Placed, Puzzle

LANDMARKS = (
    ("France", "the Eiffel Tower"),
    ("Italy", "the Colosseum"),
    ("Egypt", "the pyramids of Giza"),
    ("India", "the Taj Mahal"),
    ("Peru", "Machu Picchu"),
    ("Greece", "the Parthenon"),
    ("Spain", "the Alhambra"),
    ("Jordan", "the ruins of Petra"),
    ("Cambodia", "the temples of Angkor"),
    ("Germany", "the Brandenburg Gate"),
    ("Russia", "the Kremlin"),
    ("Japan", "Mount Fuji"),
)


@dataclass(frozen=True, slots=True)
class Associative(Parameters):
    """A person is asked for by country, and told of by landmark."""

    NAME: ClassVar[str] = "associative"

    MOST: ClassVar[Mapping[str, int]] = MappingProxyType({"n_distractors": len(LANDMARKS) - 1})

    n_distractors: int = 3

    def make(self, rng: Generator, length: int) -> Puzzle:
        """Make a puzzle."""
        count = 1 + self.n_distractors
        people = new_names(rng, count)
        chosen = [LANDMARKS[i] for i in rng.choice(len(LANDMARKS), count, replace=False).tolist()]
        sentences = [
            f"{who} took a photograph of {landmark} last year."
            for who, (_, landmark) in zip(people, chosen, strict=True)
        ]
        others = zip(sentences[1:], new_places(rng, self.n_distractors), strict=True)
        country = chosen[0][0]
        return Puzzle(
            question=f"Who has been to {country}? Answer with the name only.",
            answers=(people[0],),
            placed=(Placed(sentences[0]), *(Placed(text, place, False) for text, place in others)),
            wrong=tuple(people[1:]),
            scorer="words",
            begun=f"The one who has been to {country} is",
            guess_rate=1.0 / count,
        )
