"""From a puzzle to a prompt of a length: filler drawn, evidence placed, tokens counted."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.random import Generator

from lcstats.errors import OptionError, describe
from lcstats.runner.filler import Filler, IntArray, Piece, Pieces, Turn
from lcstats.runner.keys import digest
from lcstats.runner.overlap import lexical_overlap
from lcstats.runner.tasks.puzzle import Placed, Puzzle
from lcstats.runner.tokens import Message, Tokenizer

Style = Literal["question", "begun"]
"""How a prompt ends: with the question, or with the first words of its answer."""

MOST_TRIES = 8
"""Times that filler is drawn for one prompt."""

NEAR = 16
"""Tokens below the length asked for that need no second try."""

MARGIN = 4
"""Tokens left free at first: where texts are joined, a tokenizer may count a few more."""


@dataclass(frozen=True, slots=True, eq=False)
class Prompt:
    """A prompt, and what is known about it.

    Attributes
    ----------
    messages : tuple of Message
    puzzle : Puzzle
    n_tokens : int
        By the tokenizer, template included.
    depth : float or None
        Where the evidence that was placed by depth really stands: tokens of filler before it over
        all of them.
    evidence_depths : tuple of float
        The same for every piece of evidence.
    overlap : float or None
        Share of the question's words that the evidence holds; None without evidence.
    filler_counts : ndarray of int64, shape (n_pieces,)
        Tokens of each piece of filler.
    decoys : tuple of str
        Numbers that the filler has so that repeating what was seen is no answer.
    """

    messages: tuple[Message, ...]
    puzzle: Puzzle
    n_tokens: int
    depth: float | None
    evidence_depths: tuple[float, ...]
    overlap: float | None
    filler_counts: IntArray
    decoys: tuple[str, ...] = ()

    @property
    def wrong(self) -> tuple[str, ...]:
        """What must not be named: the puzzle's wrong values, beside a number the decoys, too."""
        decoys = self.decoys if self.puzzle.scorer == "number" else ()
        return (*self.puzzle.wrong, *decoys)

    @property
    def digest(self) -> str:
        """Digest of the messages: equal ones are the same prompt."""
        words = (word for m in self.messages for word in (m["role"], m["content"]))
        return digest(*words, n_bytes=8)


@dataclass(frozen=True, slots=True, eq=False)
class Press:
    """What prompts are made with.

    Attributes
    ----------
    tokenizer : Tokenizer
    filler : Filler
    style : {"question", "begun"}
    """

    tokenizer: Tokenizer
    filler: Filler
    style: Style = "question"

    def build(self, puzzle: Puzzle, length: int, depth: float | None, *, rng: Generator) -> Prompt:
        """Build a prompt of at most `length` tokens, and as near to it as can be.

        Parameters
        ----------
        puzzle : Puzzle
        length : int
            Tokens, chat template included; ignored by prompts without filler.
        depth : float or None
            Where the evidence goes that has no place of its own.
        rng : Generator
            Of the filler.

        Raises
        ------
        OptionError
            If not even question and evidence fit, the filler runs out, or nothing is counted.

        Examples
        --------
        >>> from lcstats.runner.filler import NeutralFiller
        >>> from lcstats.runner.keys import make_rng
        >>> from lcstats.runner.tasks import parse_task
        >>> from lcstats.runner.tokens import BuiltinTokenizer
        >>> press = Press(BuiltinTokenizer(), NeutralFiller())
        >>> puzzle = parse_task("single-needle").make(make_rng(1), 512)
        >>> prompt = press.build(puzzle, 512, 0.5, rng=make_rng(2))
        >>> 496 <= prompt.n_tokens <= 512
        True
        """
        if not puzzle.is_filled:
            return self._finish(puzzle, Pieces((), np.zeros(0, dtype=np.int64)), depth)
        return self._fill(puzzle, length, depth, rng)

    def _fill(self, puzzle: Puzzle, length: int, depth: float | None, rng: Generator) -> Prompt:
        filler = puzzle.filler or self.filler
        room = length - self._smallest(puzzle, length) - MARGIN
        start = rng.bit_generator.state
        best: Prompt | None = None
        drawn = Pieces((), np.zeros(0, dtype=np.int64))
        for attempt in range(MOST_TRIES):
            rng.bit_generator.state = start
            before, drawn = drawn, filler.draw(rng, max(room, 0), self.tokenizer)
            if attempt and drawn.pieces == before.pieces:
                break
            prompt = self._finish(puzzle, drawn, depth)
            spare = length - prompt.n_tokens
            is_second = best is not None
            if spare >= 0 and (best is None or prompt.n_tokens > best.n_tokens):
                best = prompt
            if 0 <= spare <= NEAR or (spare >= 0 and is_second) or room <= 0:
                break
            # From what was drawn, not from the room: the next one must differ from this one.
            room = int(drawn.counts.sum()) + spare
        if best is None:
            raise _no_fit(self.tokenizer.name, length)
        return best

    def _smallest(self, puzzle: Puzzle, length: int) -> int:
        """Return the tokens without filler; refuse a length that does not hold them."""
        texts = [p.piece for p in puzzle.placed]
        fixed = self.tokenizer.count_messages(write_messages(puzzle, texts, self.style))
        if fixed < 1:
            raise OptionError(
                describe(
                    f"the tokenizer {self.tokenizer.name} counts {fixed} tokens of a question",
                    "expected a number above 0",
                    "pass --tokenizer with the language model's own tokenizer",
                )
            )
        if length < fixed:
            raise OptionError(
                describe(
                    f"a prompt of {length} tokens is asked for, and question and evidence alone "
                    f"take {fixed}",
                    f"expected at least {fixed}",
                    f"ask for lengths from {fixed} on, or for another task",
                )
            )
        return fixed

    def _finish(self, puzzle: Puzzle, filler: Pieces, depth: float | None) -> Prompt:
        gaps = [find_gap(filler.counts, _place(placed, depth)) for placed in puzzle.placed]
        pieces = insert_pieces(filler.pieces, puzzle.placed, gaps, depth)
        messages = write_messages(puzzle, pieces, self.style)
        stands = [stands_at(filler.counts, gap) for gap in gaps]
        by_depth = [d for d, p in zip(stands, puzzle.placed, strict=True) if p.place is None]
        return Prompt(
            messages=messages,
            puzzle=puzzle,
            n_tokens=self.tokenizer.count_messages(messages),
            depth=by_depth[0] if by_depth and filler.pieces else None,
            evidence_depths=tuple(
                d for d, p in zip(stands, puzzle.placed, strict=True) if p.is_evidence
            ),
            overlap=lexical_overlap(puzzle.question, [_text(p.piece) for p in puzzle.evidence]),
            filler_counts=filler.counts,
            decoys=filler.decoys,
        )


def find_gap(counts: IntArray, place: float) -> int:
    """Return before which piece a place is: the gap whose share of tokens before it is nearest.

    Examples
    --------
    >>> find_gap(np.array([10, 10, 10]), 0.5), find_gap(np.array([10, 10, 10]), 1.0)
    (1, 3)
    """
    before = np.concatenate(([0], np.cumsum(counts)))
    return int(np.argmin(np.abs(before - place * before[-1])))


def stands_at(counts: IntArray, gap: int) -> float:
    """Return the share of the filler's tokens that stands before a gap; 0 without filler."""
    total = int(counts.sum())
    return int(counts[:gap].sum()) / total if total else 0.0


def insert_pieces(
    filler: Sequence[Piece], placed: Sequence[Placed], gaps: Sequence[int], depth: float | None
) -> list[Piece]:
    """Put pieces into the gaps of the filler; those of one gap in order of their places."""
    order = sorted(range(len(placed)), key=lambda i: (gaps[i], _place(placed[i], depth)))
    pieces: list[Piece] = []
    done = 0
    for i in order:
        pieces += filler[done : gaps[i]]
        pieces.append(placed[i].piece)
        done = max(done, gaps[i])
    return [*pieces, *filler[done:]]


def write_messages(puzzle: Puzzle, pieces: Sequence[Piece], style: Style) -> tuple[Message, ...]:
    """Write a chat: earlier turns, if the pieces are such, then the question with its text."""
    messages: list[Message] = []
    for piece in pieces:
        if isinstance(piece, Turn):
            messages.append({"role": "user", "content": piece.asked})
            messages.append({"role": "assistant", "content": piece.answered})
    text = " ".join(piece for piece in pieces if isinstance(piece, str))
    parts = [puzzle.introduction, text, puzzle.question] if text else [puzzle.question]
    content = puzzle.prompt or "\n\n".join(part for part in parts if part)
    messages.append({"role": "user", "content": content})
    if style == "begun" and puzzle.begun:
        messages.append({"role": "assistant", "content": puzzle.begun})
    return tuple(messages)


def check_places(counts: IntArray, depths: Sequence[float], length: int) -> None:
    """Refuse depths of which two are one place in a text.

    Parameters
    ----------
    counts : ndarray of int64, shape (n_pieces,)
        Tokens of the pieces of filler between which evidence can stand.
    depths : sequence of float
    length : int
        For the message.

    Raises
    ------
    OptionError
        If there are fewer places than depths where they are needed.
    """
    n_places = len({find_gap(counts, depth) for depth in depths})
    if n_places < len(depths):
        raise OptionError(
            describe(
                f"at {length} tokens {len(depths)} depths fall on {n_places} places between the "
                f"{len(counts)} sentences",
                "expected a place of its own for every depth",
                "ask for fewer depths, or for longer texts",
            )
        )


def _place(placed: Placed, depth: float | None) -> float:
    place = depth if placed.place is None else placed.place
    return 0.0 if place is None else place


def _text(piece: Piece) -> str:
    return piece if isinstance(piece, str) else f"{piece.asked} {piece.answered}"


def _no_fit(name: str, length: int) -> OptionError:
    return OptionError(
        describe(
            f"{MOST_TRIES} texts in a row came out longer than {length} tokens by {name}",
            "expected a tokenizer that counts a text as the sum of its sentences, nearly",
            "ask for a longer length, or pass another --tokenizer",
        )
    )
