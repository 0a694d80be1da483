"""Several codes at once: all values of one key, or the values of several keys."""

from dataclasses import dataclass
from typing import ClassVar

from numpy.random import Generator

from lcstats.runner.tasks.making import in_words, new_keys, new_numbers, new_places
from lcstats.runner.tasks.needles import state_code
from lcstats.runner.tasks.parameters import Parameters
from lcstats.runner.tasks.puzzle import Placed, Puzzle


def _scattered(rng: Generator, wanted: list[str], others: list[str]) -> tuple[Placed, ...]:
    """Place all sentences at random, evidence and distractors alike."""
    places = rng.permutation(new_places(rng, len(wanted) + len(others))).tolist()
    n_wanted = len(wanted)
    return tuple(
        Placed(sentence, place, number < n_wanted)
        for number, (sentence, place) in enumerate(zip(wanted + others, places, strict=True))
    )


@dataclass(frozen=True, slots=True)
class SeveralValues(Parameters):
    """All codes of one key, among as many of other keys; graded by code."""

    NAME: ClassVar[str] = "several-values"
    takes_depth: ClassVar[bool] = False

    n_values: int = 4

    def make(self, rng: Generator, length: int) -> Puzzle:
        """Make a puzzle."""
        keys, values = new_keys(rng, 1 + self.n_values), new_numbers(rng, 2 * self.n_values)
        own, others = values[: self.n_values], values[self.n_values :]
        return Puzzle(
            question=f"What are the {self.n_values} access codes for {keys[0]}? Answer with the "
            "codes only.",
            answers=tuple(own),
            placed=_scattered(
                rng,
                [state_code(keys[0], value) for value in own],
                [state_code(key, value) for key, value in zip(keys[1:], others, strict=True)],
            ),
            wrong=tuple(others),
            begun=f"The access codes for {keys[0]} are",
        )


@dataclass(frozen=True, slots=True)
class SeveralKeys(Parameters):
    """The codes of several keys, among as many that are not asked for; graded by code."""

    NAME: ClassVar[str] = "several-keys"
    takes_depth: ClassVar[bool] = False

    n_keys: int = 4

    def make(self, rng: Generator, length: int) -> Puzzle:
        """Make a puzzle."""
        keys, values = new_keys(rng, 2 * self.n_keys), new_numbers(rng, 2 * self.n_keys)
        sentences = [state_code(key, value) for key, value in zip(keys, values, strict=True)]
        asked = in_words(keys[: self.n_keys])
        return Puzzle(
            question=f"What are the access codes for {asked}? Answer with the codes only.",
            answers=tuple(values[: self.n_keys]),
            placed=_scattered(rng, sentences[: self.n_keys], sentences[self.n_keys :]),
            wrong=tuple(values[self.n_keys :]),
            begun=f"The access codes for {asked} are",
        )
