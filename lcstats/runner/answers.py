"""Reading an answer: without its thinking, in one spelling, as numbers or as words."""

import re
import unicodedata
from dataclasses import dataclass

_THOUGHT = r"(?:think|thinking|thoughts?|reasoning)"
_THOUGHT_END = re.compile(
    rf"</{_THOUGHT}>|\[/think\]|\u25c1/think\u25b7|<\|channel\|>final<\|message\|>", re.IGNORECASE
)
_THOUGHT_START = re.compile(
    rf"<{_THOUGHT}>|\[think\]|\u25c1think\u25b7|<\|channel\|>analysis", re.IGNORECASE
)
_CUT = ("length", "max_tokens", "max_output_tokens")
"""Finish reasons of an answer that was cut at the most tokens it may have."""

_GROUPED = re.compile(r"(?<![\d.,])\d{1,3}(?:([.,_ \u00a0\u202f'\u2019])\d{3})(?:\1\d{3})*(?!\d)")
_NUMBER = re.compile(r"\d+")
_DECLINES = re.compile(
    r"\b(?:can(?:no|')t|won't|will not|not able to|unable to|not comfortable)\b[^.\n]{0,20}?\b"
    r"(?:help|assist|comply|provid(?:e|ing)|shar(?:e|ing)|disclos(?:e|ing)|reveal|fulfil|discuss|"
    r"support|engage|do that|do this)"
)
_MISSES = re.compile(
    r"\b(?:text|passage|context|document|conversation|mention|contain|find|found|appear|specif|state)"
)
"""Words of an answer that looked and did not find: it is wrong, and declines nothing."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What is left of an output to be scored.

    Attributes
    ----------
    text : str
        In NFKC and casefolded.
    status : str
        ok, or why there is nothing to score: empty, budget_exhausted.
    """

    text: str
    status: str = "ok"


def folded(text: str) -> str:
    """Return a text in one spelling: NFKC, casefolded.

    Examples
    --------
    >>> folded("Stra\u00dfe \uff11")
    'strasse 1'
    """
    return unicodedata.normalize("NFKC", text).casefold()


def read_answer(output: str | None, *, finish_reason: str | None = None) -> Answer:
    """Take the thinking out of an output; what is left is the answer.

    Only what stands after the last closing tag counts. Thinking that was never closed leaves no
    answer: its budget was exhausted.

    Examples
    --------
    >>> read_answer("<think>4829173?</think>It is 1111111.").text
    'it is 1111111.'
    >>> read_answer("<think>Let me look at 4829173", finish_reason="length").status
    'budget_exhausted'
    """
    text = output or ""
    ends = list(_THOUGHT_END.finditer(text))
    if ends:
        text = text[ends[-1].end() :]
    if _THOUGHT_START.search(text):
        return Answer("", "budget_exhausted")
    text = folded(text).strip()
    if text:
        return Answer(text)
    return Answer("", "budget_exhausted" if finish_reason in _CUT else "empty")


def read_numbers(text: str) -> tuple[str, ...]:
    """Return the numbers of a text, each once, without what groups their digits.

    Examples
    --------
    >>> read_numbers("4,829,173 or 4 829 173, not 12"), read_numbers("48291730")
    (('4829173', '12'), ('48291730',))
    """
    plain = "".join(str(unicodedata.digit(c)) if c.isdecimal() else c for c in text)
    joined = _GROUPED.sub(lambda match: re.sub(r"\D", "", match[0]), plain)
    return tuple(dict.fromkeys(number.lstrip("0") or "0" for number in _NUMBER.findall(joined)))


def has_words(text: str, words: str) -> bool:
    """Tell whether words stand in a text, whole and in their order, however they are spelled.

    Examples
    --------
    >>> has_words("it was the Amber  Falcon.", "amber falcon"), has_words("ambers", "amber")
    (True, False)
    """
    form = r"\s+".join(map(re.escape, folded(words).split()))
    return re.search(rf"(?<![^\W_]){form}(?![^\W_])", folded(text)) is not None


def is_refusal(text: str) -> bool:
    """Tell whether an answer begins by declining; one that did not find anything does not.

    Examples
    --------
    >>> is_refusal("i'm sorry, but i can't help with that.")
    True
    >>> is_refusal("i'm sorry, i cannot find a code in the text."), is_refusal("4829173")
    (False, False)
    """
    begins = text[:200].replace("\u2019", "'").casefold()
    return _DECLINES.search(begins) is not None and _MISSES.search(begins) is None
