"""Lexical overlap: how many of a question's words lead straight to the evidence."""

import re
from collections.abc import Sequence

from lcstats.runner.answers import folded

COMMON = frozenset(
    (
        *(
            "a",
            "about",
            "above",
            "all",
            "an",
            "and",
            "answer",
            "are",
            "at",
            "been",
            "called",
            "code",
        ),
        *("codes", "for", "has", "have", "in", "is", "it", "most", "name", "number", "of", "often"),
        *("on", "only", "or", "some", "that", "the", "this", "to", "was", "were", "what", "where"),
        *("which", "who", "whose", "with", "words", "you"),
    )
)
"""Words that every question has, or that say how to answer."""

_WORD = re.compile(r"\w+")


def telling_words(text: str) -> frozenset[str]:
    """Return the words of a text that tell it from others.

    Examples
    --------
    >>> sorted(telling_words("What is the code of the amber falcon?"))
    ['amber', 'falcon']
    """
    return frozenset(_WORD.findall(folded(text))) - COMMON


def lexical_overlap(question: str, evidence: Sequence[str]) -> float | None:
    """Return the share of a question's telling words that its evidence holds.

    Returns
    -------
    float or None
        From 0 to 1; None without evidence, or where the question has no telling word.

    Examples
    --------
    >>> lexical_overlap("Who has been to Egypt?", ["Ola took a photograph of the pyramids."])
    0.0
    """
    asked = telling_words(question)
    if not (asked and evidence):
        return None
    held = frozenset[str]().union(*map(telling_words, evidence))
    return len(asked & held) / len(asked)
