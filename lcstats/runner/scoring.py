"""Scores: what was asked for and nothing that is wrong, or why there is nothing to score.

Strict scoring gives nothing for an answer that hedges: a wrong value of the case beside the right
one makes it wrong, and so does another number of the answer's own form; a year or a page does not.
``contains`` looks for the right values only. The scorer's name is stored with each trial, and
outputs can be scored again.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from lcstats.options import check_option
from lcstats.runner.answers import has_words, is_refusal, read_answer, read_numbers
from lcstats.runner.tasks.puzzle import Scorer

Strictness = Literal["strict", "contains"]

VERSION = 2
"""Of all scorers; raised when one of them changes."""

FORM_DIGITS = 5
"""Digits from which on a number of as many is another answer; of fewer digits are years and pages,
too."""

SHORT_ANSWER = 40
"""Characters up to which every single letter of an answer is taken for a choice."""

_CHOICE = re.compile(r"(?<![a-z])\(?([a-z])\)?(?![a-z'])")
_LETTERS = r"(?:(?:option|choice) )?\(?[a-z]\)?(?![a-z'])"
_SAID = re.compile(rf"answer(?: is|:)\s*({_LETTERS}(?:,? (?:or|and) {_LETTERS})*)")
_EMPHASIS = re.compile(r"[*_`$]+")
_ARTICLE = re.compile(r"\ba\s+(?!and\b)[a-z]{3,}")


@dataclass(frozen=True, slots=True)
class AnswerKey:
    """What counts as an answer.

    Attributes
    ----------
    answers : tuple of str
        All that has to be named.
    wrong : tuple of str
        What must not be; of a choice the other letters, if they are known.
    scorer : {"number", "words", "choice"}
    """

    answers: tuple[str, ...]
    wrong: tuple[str, ...] = ()
    scorer: Scorer = "number"


@dataclass(frozen=True, slots=True)
class Scored:
    """What an answer is worth.

    Attributes
    ----------
    status : str
        ok, or why there is no score.
    score : float or None
        From 0 to 1.
    found : tuple of bool
        Which answers were named; empty without a score.
    """

    status: str
    score: float | None = None
    found: tuple[bool, ...] = ()

    @property
    def marks(self) -> list[int] | None:
        """Which answers were named, as 0 and 1; None without a score."""
        return list(map(int, self.found)) if self.found else None

    @property
    def n_found(self) -> int | None:
        """How many answers were named; None without a score."""
        return sum(self.found) if self.found else None


@dataclass(frozen=True, slots=True)
class _Named:
    """What an answer names: which of the right values, how many wrong ones, and whether any."""

    found: tuple[bool, ...]
    n_wrong: int
    is_parsed: bool = True


def describe_scoring(strictness: Strictness) -> dict[str, Any]:
    """Return what tells a scoring from others, for the manifest."""
    return {"strictness": strictness, "version": VERSION}


def scorer_name(scorer: Scorer, strictness: Strictness = "strict") -> str:
    """Return the name that is stored with a score.

    Examples
    --------
    >>> scorer_name("number")
    'number-strict/2'
    """
    return f"{scorer}-{strictness}/{VERSION}"


def score_output(
    output: str | None,
    key: AnswerKey,
    *,
    finish_reason: str | None = None,
    strictness: Strictness = "strict",
) -> Scored:
    """Score an output.

    Parameters
    ----------
    output : str or None
        As the language model wrote it; thinking is taken out.
    key : AnswerKey
    finish_reason : str, optional
        Why it ended.
    strictness : {"strict", "contains"}

    Returns
    -------
    Scored
        Of several answers the share that was found, each wrong value taking one away.

    Examples
    --------
    >>> key = AnswerKey(("4829173",), ("1234567",))
    >>> score_output("The number is 4,829,173.", key).score
    1.0
    >>> score_output("4829173 or 1234567", key).score
    0.0
    >>> score_output("4829173, as of 2024.", key).score
    1.0
    >>> score_output("four million", key).score, score_output("", key).status
    (0.0, 'empty')
    """
    check_option(strictness, Strictness, "strictness")
    answer = read_answer(output, finish_reason=finish_reason)
    if answer.status != "ok":
        return Scored(answer.status)
    named = _NAMED[key.scorer](answer.text, key)
    if not any(named.found) and is_refusal(answer.text):
        return Scored("refused")
    if not named.is_parsed:
        return Scored("unparsed")
    n_found = sum(named.found) - (named.n_wrong if strictness == "strict" else 0)
    return Scored("ok", max(n_found, 0) / len(key.answers), named.found)


def _name_numbers(text: str, key: AnswerKey) -> _Named:
    named = read_numbers(text)
    right = [read_numbers(answer)[0] for answer in key.answers]
    forms = {len(number) for number in right if len(number) >= FORM_DIGITS}
    wrong = {number for value in key.wrong for number in read_numbers(value)}
    others = [
        number
        for number in named
        if number not in right and (number in wrong or len(number) in forms)
    ]
    return _Named(tuple(number in named for number in right), len(others))


def _name_words(text: str, key: AnswerKey) -> _Named:
    found = tuple(has_words(text, answer) for answer in key.answers)
    return _Named(found, sum(has_words(text, wrong) for wrong in key.wrong))


def _name_choice(text: str, key: AnswerKey) -> _Named:
    """Take the letter of an answer that is one, or that says which is the answer."""
    plain = _EMPHASIS.sub("", text).strip()
    said = _SAID.findall(plain)
    letters = set(_CHOICE.findall(said[-1] if said else _ARTICLE.sub("", _beginning(plain))))
    if key.wrong:
        letters &= {letter.casefold() for letter in key.answers + key.wrong}
    right = tuple(answer.casefold() in letters for answer in key.answers)
    return _Named(right, len(letters) - sum(right), is_parsed=bool(letters))


def _beginning(text: str) -> str:
    """Return a short answer whole, and of a long one what may be its letter."""
    return text if len(text) <= SHORT_ANSWER else text[:2]


_NAMED: Mapping[Scorer, Callable[[str, AnswerKey], _Named]] = {
    "number": _name_numbers,
    "words": _name_words,
    "choice": _name_choice,
}
