"""Filler: the text around the evidence, which brings a prompt to its length."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from lcstats.errors import FormatError, OptionError, describe
from lcstats.runner.neutral import NUMBERED, NUMBERS, WHAT, WHEN, WHERE, WHO
from lcstats.runner.tokens import Tokenizer

IntArray = NDArray[np.int64]

NUMBERED_EVERY = 8
"""Every so many sentences of the neutral text one ends with a number."""

CANDIDATES = 64
"""Further sentences among which the last one, which has to fit, is chosen."""

_PARTS = (WHO, WHAT, WHERE, WHEN, NUMBERED)
_PARTS_DIGEST = sha256("".join(word for part in _PARTS for word in part).encode()).hexdigest()[:16]
_SENTENCE = re.compile(
    r"[^.!?\u3002\uff01\uff1f]+(?:[.!?\u3002\uff01\uff1f]+[\"')\]\u201d\u2019]*|$)\s*"
)


@dataclass(frozen=True, slots=True)
class Turn:
    """A user's message with the answer it got: filler of a chat."""

    asked: str
    answered: str


Piece = str | Turn
"""A sentence, or a turn of a chat: what evidence can stand between."""


@dataclass(frozen=True, slots=True, eq=False)
class Pieces:
    """Filler of a prompt.

    Attributes
    ----------
    pieces : tuple of Piece
    counts : ndarray of int64, shape (n_pieces,)
        Tokens of each.
    decoys : tuple of str
        Numbers in them that are there to be mistaken for an answer, each once.
    """

    pieces: tuple[Piece, ...]
    counts: IntArray
    decoys: tuple[str, ...] = ()


class Filler(Protocol):
    """Where filler comes from."""

    @property
    def digest(self) -> str:
        """What tells this filler from others."""

    def draw(self, rng: Generator, room: int, tokenizer: Tokenizer) -> Pieces:
        """Return filler of at most `room` tokens, as near to it as can be.

        Equal generators give texts of which the shorter is the beginning of the longer, but for
        its last sentence.
        """


def choose_rows(counts: IntArray, room: int) -> IntArray:
    """Return the first rows that fit into the room, and the further one that fills it best.

    Parameters
    ----------
    counts : ndarray of int64, shape (n_rows,)
        Tokens of each, more than `room` in all.
    room : int

    Examples
    --------
    >>> choose_rows(np.array([5, 5, 9, 4, 3, 6]), 14).tolist()
    [0, 1, 3]
    """
    n_whole = int(np.searchsorted(np.cumsum(counts), room, side="right"))
    left = room - int(counts[:n_whole].sum())
    further = counts[n_whole : n_whole + CANDIDATES]
    fits = np.flatnonzero(further <= left)
    rows = np.arange(n_whole, dtype=np.int64)
    if not fits.size:
        return rows
    return np.append(rows, n_whole + fits[np.argmax(further[fits])])


class NeutralFiller:
    """Neutral sentences from a grammar of four parts: no famous text, nothing to remember.

    Examples
    --------
    >>> from lcstats.runner.keys import make_rng
    >>> from lcstats.runner.tokens import BuiltinTokenizer
    >>> drawn = NeutralFiller().draw(make_rng(1), 40, BuiltinTokenizer())
    >>> int(drawn.counts.sum()) <= 40
    True
    """

    @property
    def digest(self) -> str:
        """Digest of the parts."""
        return _PARTS_DIGEST

    def draw(self, rng: Generator, room: int, tokenizer: Tokenizer) -> Pieces:
        """Return sentences of at most `room` tokens."""
        tables = _count_parts(tokenizer)
        parts = _draw_parts(rng, int(1.1 * room / _mean_sentence(tokenizer)) + 2 * CANDIDATES)
        is_numbered = np.arange(len(parts)) % NUMBERED_EVERY == 1
        *begun, ends, numbered = (table[part] for table, part in zip(tables, parts.T, strict=True))
        counts = sum(begun) + np.where(is_numbered, numbered, ends)
        chosen = choose_rows(counts, room)
        rows = list(zip(parts[chosen].tolist(), is_numbered[chosen].tolist(), strict=True))
        decoys = (NUMBERS[row[-1] % len(NUMBERS)] for row, is_numbered in rows if is_numbered)
        pieces = tuple(_write(*row, is_numbered=is_numbered) for row, is_numbered in rows)
        return Pieces(pieces, counts[chosen], tuple(dict.fromkeys(decoys)))


@cache
def _count_parts(tokenizer: Tokenizer) -> tuple[IntArray, ...]:
    return tuple(tokenizer.count_texts(part) for part in _PARTS)


@cache
def _mean_sentence(tokenizer: Tokenizer) -> float:
    return sum(float(table.mean()) for table in _count_parts(tokenizer)[:4])


def _draw_parts(rng: Generator, n_rows: int) -> IntArray:
    """Return which words each part of a sentence gets, shape (n_rows, 5); with two ends."""
    return (rng.random((n_rows, len(_PARTS))) * [len(part) for part in _PARTS]).astype(np.int64)


def _write(who: int, what: int, where: int, when: int, number: int, *, is_numbered: bool) -> str:
    end = NUMBERED[number] if is_numbered else WHEN[when]
    return f"{WHO[who]}{WHAT[what]}{WHERE[where]}{end}"[1:]


class TextFiller:
    """Sentences of texts of your own, from a place that is drawn, in their order, around the end.

    Parameters
    ----------
    text : str
    name : str
        Of the file, for messages.

    Raises
    ------
    OptionError
        If a prompt needs more text than there is: none is used twice.
    """

    def __init__(self, text: str, name: str = "the filler") -> None:
        self.name = name
        self._sentences = tuple(
            sentence for sentence in (s.strip() for s in _SENTENCE.findall(text)) if sentence
        )
        if not self._sentences:
            raise OptionError(
                describe(f"{name} holds no text", "expected sentences", "name another file")
            )
        self._digest = sha256(text.encode()).hexdigest()[:16]

    @classmethod
    def from_path(cls, path: str | Path) -> "TextFiller":
        """Read a text file, or all ``.txt`` and ``.md`` files of a folder in order of their names.

        Raises
        ------
        FormatError
            If a file is not UTF-8.
        OptionError
            If there is no text.
        """
        place = Path(path)
        files = [place]
        if place.is_dir():
            files = sorted(p for p in place.rglob("*") if p.suffix.lower() in (".txt", ".md"))
        try:
            texts = [file.read_text(encoding="utf-8-sig") for file in files]
        except UnicodeDecodeError as error:
            raise FormatError(
                describe(
                    f"{place}: not UTF-8 at byte {error.start}",
                    "expected text files in UTF-8",
                    "convert it with: iconv -t UTF-8",
                )
            ) from None
        return cls("\n\n".join(texts), str(path))

    @property
    def digest(self) -> str:
        """Digest of the text."""
        return self._digest

    def draw(self, rng: Generator, room: int, tokenizer: Tokenizer) -> Pieces:
        """Return sentences of at most `room` tokens."""
        counts = _count_sentences(tokenizer, self._sentences)
        if int(counts.sum()) < room:
            raise OptionError(
                describe(
                    f"{self.name} has {int(counts.sum())} tokens, and a prompt needs {room}",
                    "expected filler that is long enough to be used once",
                    "add text, or ask for shorter lengths",
                )
            )
        start = int(rng.integers(len(self._sentences)))
        order = (np.arange(len(self._sentences)) + start) % len(self._sentences)
        chosen = order[choose_rows(counts[order], room)]
        return Pieces(tuple(self._sentences[i] for i in chosen), counts[chosen])


@cache
def _count_sentences(tokenizer: Tokenizer, sentences: tuple[str, ...]) -> IntArray:
    """Count with the space before, which is there in the middle of a text."""
    return tokenizer.count_texts([f" {sentence}" for sentence in sentences])


def open_filler(path: str | None) -> Filler:
    """Return filler by what ``--filler`` says: a text file, a folder, or nothing."""
    return NeutralFiller() if path is None else TextFiller.from_path(path)


class ListFiller:
    """Pieces that a task brings itself, in the order they are to be read, until the room is full.

    Parameters
    ----------
    pieces : sequence of Piece
        As many as the longest prompt takes.
    """

    digest = ""

    def __init__(self, pieces: Sequence[Piece]) -> None:
        self._pieces = tuple(pieces)

    def draw(self, rng: Generator, room: int, tokenizer: Tokenizer) -> Pieces:
        """Return the first pieces that fit, and the further one that fills the room best."""
        counts = self._count(room, tokenizer)
        chosen = choose_rows(counts, room)
        return Pieces(tuple(self._pieces[i] for i in chosen), counts[chosen])

    def _count(self, room: int, tokenizer: Tokenizer) -> IntArray:
        """Count as many pieces as are chosen among, and not all that there are."""
        n_there = len(self._pieces)
        n_pieces = min(2 * CANDIDATES, n_there)
        while True:
            counts = count_pieces(self._pieces[:n_pieces], tokenizer)
            n_whole = int(np.searchsorted(np.cumsum(counts), room, side="right"))
            if n_pieces == n_there or n_whole + CANDIDATES <= n_pieces:
                return counts
            expected = int(1.1 * room / max(float(counts.mean()), 1.0)) + 2 * CANDIDATES
            n_pieces = min(max(expected, n_pieces + CANDIDATES), n_there)


@lru_cache(maxsize=2)
def count_pieces(pieces: tuple[Piece, ...], tokenizer: Tokenizer) -> IntArray:
    """Return the tokens of each piece, shape (n_pieces,), what goes around a turn included."""
    different = list(dict.fromkeys(pieces))
    first = [f" {piece}" if isinstance(piece, str) else piece.asked for piece in different]
    second = ["" if isinstance(piece, str) else piece.answered for piece in different]
    counts = tokenizer.count_texts(first)
    is_turn = np.array([isinstance(piece, Turn) for piece in different], dtype=bool)
    if is_turn.any():
        counts = counts + tokenizer.count_texts(second) + is_turn * _count_around_turn(tokenizer)
    found = dict(zip(different, counts.tolist(), strict=True))
    return np.array([found[piece] for piece in pieces], dtype=np.int64)


def _count_around_turn(tokenizer: Tokenizer) -> int:
    """Return the tokens that a template puts around the two messages of a turn."""
    asked = {"role": "user", "content": "a"}
    turn = [asked, {"role": "assistant", "content": "a"}]
    both = tokenizer.count_messages([*turn, asked]) - tokenizer.count_messages([asked])
    return both - int(tokenizer.count_texts(["a", "a"]).sum())
