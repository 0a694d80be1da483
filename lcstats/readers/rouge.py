"""ROUGE-L of a summary, as each of two Python packages has it, to the last digit.

Suites quote the numbers of a package, and the packages differ: in what a sentence and a word are,
in whether a word counts once, in which of several longest common subsequences they take. Neither
is needed here. ``rouge`` builds its subsequences by recursion and fails on sentences of about a
thousand words, which suites then score 0; here they have their score.

References
----------
C.-Y. Lin (2004), "ROUGE: a package for automatic evaluation of summaries", section 3.2.
"""

import re
from collections import Counter
from collections.abc import Sequence

import numpy as np

_NEAR_ZERO = 1e-8
"""What ``rouge`` adds below the line of F, against a division by 0."""

_NO_WORD = re.compile(r"[^a-z0-9]+")


def rouge_l(output: str, reference: str) -> float:
    """Return the F of ROUGE-L as ``rouge`` 1.0.1 has it.

    Sentences end with a full stop. Words are compared as they are written, and each counts once.

    Parameters
    ----------
    output, reference : str

    Returns
    -------
    float
        In [0, 1]; 0 where one of the texts has no sentence.

    Examples
    --------
    >>> round(rouge_l("The red house. It burns.", "The house burns."), 6)
    0.75
    """
    given, wanted = _between_stops(output), _between_stops(reference)
    if not given or not wanted:
        return 0.0
    found = {
        sentence[place]
        for sentence in wanted
        for place in _common_places(sentence, given, drops_wanted=False)
    }
    precision = len(found) / len(set().union(*given))
    recall = len(found) / len(set().union(*wanted))
    return 2 * precision * recall / (precision + recall + _NEAR_ZERO)


def rouge_lsum(output: str, reference: str) -> float:
    r"""Return the F of summary-level ROUGE-L as ``rouge_score`` 0.1.2 has it, without stemming.

    Sentences are lines. Words are letters and digits of ASCII in lower case, and each counts as
    often as it is there.

    Parameters
    ----------
    output, reference : str

    Returns
    -------
    float
        In [0, 1].

    Examples
    --------
    >>> round(rouge_lsum("The red house.\nIt burns.", "The house burns!"), 6)
    0.75
    """
    given, wanted = _lines(output), _lines(reference)
    n_given, n_wanted = sum(map(len, given)), sum(map(len, wanted))
    found: Counter[str] = Counter()
    for sentence in wanted:
        places = _common_places(sentence, given, drops_wanted=True)
        found.update(sentence[place] for place in places)
    n_found = (found & Counter(word for line in given for word in line)).total()
    return 2 * n_found / (n_given + n_wanted) if n_found else 0.0


def _between_stops(text: str) -> list[list[str]]:
    """Return the words of each sentence; blanks between two stops are an empty word."""
    return [part.split() or [""] for part in text.split(".") if part]


def _lines(text: str) -> list[list[str]]:
    return [_NO_WORD.sub(" ", line.lower()).split() for line in text.split("\n")]


def _common_places(
    wanted: Sequence[str], given: Sequence[Sequence[str]], *, drops_wanted: bool
) -> set[int]:
    """Return the places in a sentence of its longest common subsequence with each of others.

    Where the last word of either can be dropped, `drops_wanted` says whose is.
    """
    lengths, starts = _common_lengths(wanted, given)
    places = set()
    for other, start in zip(given, starts, strict=True):
        row, column = len(wanted), start + len(other)
        while row and column > start:
            without_wanted, without_given = lengths[row - 1][column], lengths[row][column - 1]
            if wanted[row - 1] == other[column - start - 1]:
                row, column = row - 1, column - 1
                places.add(row)
            elif without_wanted >= without_given + (not drops_wanted):
                row -= 1
            else:
                column -= 1
    return places


def _common_lengths(
    wanted: Sequence[str], given: Sequence[Sequence[str]]
) -> tuple[list[list[int]], list[int]]:
    """Return how long the common subsequences of all beginnings of sentences are.

    The other sentences stand in one row, each after a column for none of its words. What each adds
    to its lengths is above all lengths of the one before, so that a running maximum starts anew.

    Returns
    -------
    lengths : list of list of int, shape (len(wanted) + 1, n_columns)
    starts : list of int, shape (len(given),)
        First column of each of the other sentences.
    """
    numbers = {word: number for number, word in enumerate(dict.fromkeys(wanted))}
    words = np.array([numbers.get(word, -1) for other in given for word in ("", *other)])
    starts = np.cumsum([0, *(len(other) + 1 for other in given)])
    words[starts[:-1]] = -1
    table = np.empty((len(wanted) + 1, len(words)), dtype=np.int32)
    table[0] = np.repeat(np.arange(len(given)) * (len(wanted) + 1), np.diff(starts))
    for above, row, word in zip(table[:-1], table[1:], wanted, strict=True):
        row[0] = 0
        np.maximum(above[1:], above[:-1] + (words[1:] == numbers[word]), out=row[1:])
        np.maximum.accumulate(row, out=row)
    return table.tolist(), starts[:-1].tolist()
