"""Words of an answer as SQuAD's evaluation compares them, which several suites took over."""

import re
import string
from collections import Counter
from collections.abc import Sequence

_ARTICLES = re.compile(r"\b(a|an|the)\b")
_PUNCTUATION = str.maketrans("", "", string.punctuation)


def squad_words(text: str) -> list[str]:
    """Return the words of a text in lower case, without punctuation and articles.

    Examples
    --------
    >>> squad_words("The red, red house!")
    ['red', 'red', 'house']
    """
    return _ARTICLES.sub(" ", text.lower().translate(_PUNCTUATION)).split()


def overlap_f1(given: Sequence[str], wanted: Sequence[str]) -> float:
    """Return the F1 of two bags of words, or of two texts' characters.

    Examples
    --------
    >>> overlap_f1(["red", "red", "house"], ["red", "house"])
    0.8
    """
    n_shared = sum((Counter(given) & Counter(wanted)).values())
    return 2 * n_shared / (len(given) + len(wanted)) if n_shared else 0.0
