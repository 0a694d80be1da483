"""LongBench v1's metrics, each from an output to a score in [0, 1].

Written anew from the rules of ``LongBench/metrics.py`` and ``eval.py`` (THUDM/LongBench, commit
2e00731). ROUGE is that of the package ``rouge``, the likeness of code that of ``fuzzywuzzy`` as it
is without ``python-Levenshtein``, which the suite does not ask for; Chinese words need ``jieba``.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from difflib import SequenceMatcher

from lcstats.readers.chinese import bare_words, cut_words
from lcstats.readers.rouge import rouge_l
from lcstats.readers.squad import overlap_f1, squad_words

_NUMBER = re.compile(r"\d+")
_FIRST_LINE = frozenset({"trec", "triviaqa", "samsum", "lsht"})
_NO_CODE = ("`", "#", "//")

Metric = Callable[[str, str, Sequence[str]], float]
"""From output, reference and the classes of the data set to a score."""


def score_output(
    dataset: str, output: str, answers: Sequence[str], classes: Sequence[str]
) -> float:
    """Return the best score of an output over its references, as LongBench has it.

    Parameters
    ----------
    dataset : str
        One of :data:`METRICS`.
    output : str
    answers : sequence of str
        The references.
    classes : sequence of str
        The classes of the data set, where it has any.

    Returns
    -------
    float
        In [0, 1].

    Examples
    --------
    >>> score_output("hotpotqa", "It is the Figs.", ["Figs", "Dolores Park"], [])
    0.5
    """
    if dataset in _FIRST_LINE:
        output = output.lstrip("\n").split("\n")[0]
    metric = METRICS[dataset]
    return max((metric(output, answer, classes) for answer in answers), default=0.0)


def word_f1(output: str, answer: str, classes: Sequence[str] = ()) -> float:
    """Return the F1 of the words of two texts, normalised as SQuAD does.

    Examples
    --------
    >>> word_f1("The red, red house", "a red house")
    0.8
    """
    return overlap_f1(squad_words(output), squad_words(answer))


def chinese_f1(output: str, answer: str, classes: Sequence[str] = ()) -> float:
    """Return the F1 of the words of two Chinese texts, without punctuation.

    Raises
    ------
    MissingExtraError
        If jieba is not installed.

    Examples
    --------
    >>> chinese_f1("北京。", "北京清华大学")
    0.6666666666666666
    """
    return overlap_f1(bare_words(output), bare_words(answer))


def likeness_of_code(output: str, answer: str, classes: Sequence[str] = ()) -> float:
    r"""Return how much the first line of code in an output is like a line, in whole hundredths.

    Examples
    --------
    >>> likeness_of_code("# and so\nreturn a + b", "return a - b")
    0.92
    """
    lines = output.lstrip("\n").split("\n")
    line = next((line for line in lines if not any(mark in line for mark in _NO_CODE)), "")
    return round(100 * SequenceMatcher(None, line, answer).ratio()) / 100


def share_of_class(output: str, answer: str, classes: Sequence[str]) -> float:
    """Return one over the number of classes that an output names, 0 if the right one is not there.

    A class that is part of the right one's name does not count; but of two such in a row the suite
    passes over the second, and so does this.

    Examples
    --------
    >>> share_of_class("Food or Date", "Food", ["Food", "Date", "Speed"])
    0.5
    """
    named = [name for name in classes if name in output]
    place = 0
    while place < len(named):
        if named[place] in answer and named[place] != answer:
            del named[place]
        place += 1
    return 1 / len(named) if answer in named else 0.0


def share_of_numbers(output: str, wanted: str) -> float:
    """Return the share of the numbers in an output that are the wanted one.

    Examples
    --------
    >>> share_of_numbers("7 or 8", "7"), share_of_numbers("none", "7")
    (0.5, 0.0)
    """
    numbers = _NUMBER.findall(output)
    return numbers.count(wanted) / len(numbers) if numbers else 0.0


def _count(output: str, answer: str, classes: Sequence[str]) -> float:
    return share_of_numbers(output, answer)


def _retrieval(output: str, answer: str, classes: Sequence[str]) -> float:
    """Score the number of a paragraph, such as ``Paragraph 15``."""
    numbers = _NUMBER.findall(answer)
    return share_of_numbers(output, numbers[0]) if numbers else 0.0


def _rouge(output: str, answer: str, classes: Sequence[str]) -> float:
    return rouge_l(output, answer)


def _rouge_of_chinese(output: str, answer: str, classes: Sequence[str]) -> float:
    return rouge_l(" ".join(cut_words(output)), " ".join(cut_words(answer)))


METRICS: Mapping[str, Metric] = {
    **dict.fromkeys(("narrativeqa", "qasper", "multifieldqa_en", "triviaqa"), word_f1),
    **dict.fromkeys(("hotpotqa", "2wikimqa", "musique"), word_f1),
    **dict.fromkeys(("trec", "lsht"), share_of_class),
    **dict.fromkeys(("passage_retrieval_en", "passage_retrieval_zh"), _retrieval),
    "passage_count": _count,
    **dict.fromkeys(("gov_report", "qmsum", "multi_news", "samsum"), _rouge),
    **dict.fromkeys(("dureader", "vcsum"), _rouge_of_chinese),
    "multifieldqa_zh": chinese_f1,
    **dict.fromkeys(("lcc", "repobench-p"), likeness_of_code),
}
"""Metric of every data set."""

CHINESE = frozenset({"multifieldqa_zh", "dureader", "vcsum", "lsht", "passage_retrieval_zh"})
"""Data sets whose lengths are in characters; those of the others are in words."""
