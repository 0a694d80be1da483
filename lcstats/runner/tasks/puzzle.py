"""What a task makes: evidence to be placed, a question, and what counts as its answer."""

from dataclasses import dataclass
from typing import Any, Literal, Protocol

from numpy.random import Generator

from lcstats.runner.filler import Filler, Piece

Scorer = Literal["number", "words", "choice"]

READ_ALL = "Read the whole text. A question about it follows at the end."


@dataclass(frozen=True, slots=True)
class Placed:
    """A piece that stands at a place of its own in the context.

    Attributes
    ----------
    piece : Piece
    place : float or None
        Fraction of the filler that stands before it; None for the depth that is asked for.
    is_evidence : bool
        Whether the answer needs it; False for a distractor.
    """

    piece: Piece
    place: float | None = None
    is_evidence: bool = True


@dataclass(frozen=True, slots=True)
class Puzzle:
    """A question with its evidence.

    Attributes
    ----------
    question : str
    answers : tuple of str
        All that has to be named.
    placed : tuple of Placed
        Evidence and distractors, in the order in which they stand where places are equal.
    wrong : tuple of str
        What must not be named.
    scorer : {"number", "words", "choice"}
    begun : str
        First words of the answer, for prompts that begin it.
    guess_rate : float
        Accuracy of choosing one of the candidates blindly.
    filler : Filler or None
        What this task brings in place of the filler that is chosen; None for that one.
    introduction : str
        What stands before the context; empty for chats.
    is_filled : bool
        False for prompts that are not brought to a length.
    prompt : str
        The whole prompt, where it is given and not put together.
    """

    question: str
    answers: tuple[str, ...]
    placed: tuple[Placed, ...] = ()
    wrong: tuple[str, ...] = ()
    scorer: Scorer = "number"
    begun: str = ""
    guess_rate: float = 0.0
    filler: Filler | None = None
    introduction: str = READ_ALL
    is_filled: bool = True
    prompt: str = ""

    @property
    def evidence(self) -> tuple[Placed, ...]:
        """The pieces that the answer needs."""
        return tuple(placed for placed in self.placed if placed.is_evidence)


class Task(Protocol):
    """What makes puzzles."""

    @property
    def label(self) -> str:
        """Name in the table, with the parameters that are not the usual ones."""

    @property
    def takes_depth(self) -> bool:
        """Whether evidence is placed at a depth that is asked for."""

    @property
    def takes_length(self) -> bool:
        """Whether prompts are filled to a length; controls are as long as they are."""

    def make(self, rng: Generator, length: int) -> Puzzle:
        """Make a puzzle; equal generators and lengths give equal ones."""

    def describe(self) -> dict[str, Any]:
        """Return the parameters, for the manifest."""
