"""LV-Eval's metrics, each from an output to a score in [0, 1].

Written anew from the rules of ``metrics.py``, ``evaluation.py`` and ``config.py``
(infinigence/LVEval, commit 63e7ae9). Words of Chinese need the package jieba.
"""

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence

from lcstats.readers.chinese import bare_text, bare_words, cut_words
from lcstats.readers.longbench_metrics import chinese_f1, word_f1
from lcstats.readers.rouge import rouge_l
from lcstats.readers.squad import squad_words

LEAST_RECALL, LEAST_CHINESE_RECALL = 0.2, 0.4
"""Share of the keywords' words below which an answer is wrong."""

_PASSED_OVER = frozenset(
    {
        *("and", "to", "of", "in", "her", "was", "with", "for", "it", "from", "is", "that", "his"),
        *("he", "by", "she", "they", "or", "at", "because", "be", "on", "are", "their", "what"),
        *("as", "had", "were", "about", "being", "this", "who", "but", "have", "has", "when"),
        *("which", "does"),
    }
)
"""Words that do not count as found keywords."""

_PASSED_OVER_IN_CHINESE = frozenset(
    {
        *("的", "和", "是", "等", "在", "年", "可以", "为", "与", "‰", "了", "或"),
        *("一种", "月", "c", "至", "日", "有", "进行", "于", "不", "中", "×", "根据"),  # noqa: RUF001
        *("小", "由", "亩", "也", "要", "指", "法", "会", "元", "主要", "以及", "通过"),
        *("首先", "对", "然后", "号", "以", "所", "后", "丁", "包括", "无", "将", "用"),
        *("能", "形", "方面", "因素", "位于", "而", "从", "到", "一定", "用于", "但"),
        *("使用", "让", "具有", "并", "亿元", "万元", "上", "类", "基于", "才", "来"),
        *("地", "片", "其他", "个", "或者", "变得", "时", "给", "你", "使", "条", "受"),
        *("已经", "带", "度"),
    }
)

Metric = Callable[[str, str, str], float]
"""From output, answer and keywords, which may be empty, to a score."""


def score_answer(task: str, pred: str, answers: Sequence[str], keywords: object) -> float:
    """Score a prediction by the suite's rule.

    Parameters
    ----------
    task : str
        One of :data:`METRICS`.
    pred : str
    answers : sequence of str
        Of which only the first counts.
    keywords : object
        Words of which some have to be there; anything but a text is none.

    Returns
    -------
    float
        In [0, 1].

    Raises
    ------
    MissingExtraError
        If the task is Chinese and jieba is not installed.

    Examples
    --------
    >>> score_answer("loogle_SD_mixup", "in the red house", ["a red house"], "house")
    0.8
    >>> score_answer("loogle_SD_mixup", "in the red house", ["a red house"], "barn")
    0.0
    """
    if not answers:
        return 0.0
    return METRICS[task](pred, str(answers[0]), keywords if isinstance(keywords, str) else "")


def _gated_f1(pred: str, answer: str, keywords: str) -> float:
    found = _recall(squad_words(pred), squad_words(keywords), _PASSED_OVER)
    return 0.0 if found < LEAST_RECALL else word_f1(pred, answer)


def _gated_chinese_f1(pred: str, answer: str, keywords: str) -> float:
    """Return the F1 of words; without keywords the words of the answer have to be there."""
    wanted = bare_words(keywords or answer)
    found = _recall(bare_words(pred), wanted, _PASSED_OVER_IN_CHINESE)
    return 0.0 if found < LEAST_CHINESE_RECALL else chinese_f1(pred, answer)


def _recall(given: Sequence[str], wanted: Sequence[str], passed_over: Collection[str]) -> float:
    """Return the share of the wanted words that are there; 1 if none is wanted."""
    shared = Counter(given) & Counter(wanted)
    n_found = sum(n for word, n in shared.items() if word not in passed_over)
    return n_found / len(wanted) if wanted else 1.0


def _f1(pred: str, answer: str, keywords: str) -> float:
    return word_f1(pred, answer)


def _chinese_f1(pred: str, answer: str, keywords: str) -> float:
    return chinese_f1(pred, answer)


def _rouge_of_chinese(pred: str, answer: str, keywords: str) -> float:
    return rouge_l(_telling_words(pred), _telling_words(answer))


def _telling_words(text: str) -> str:
    """Return the words that are not passed over; as the suite does, words are cut once more."""
    words = map(bare_text, cut_words(" ".join(cut_words(text))))
    return " ".join(word for word in words if word not in _PASSED_OVER_IN_CHINESE)


_GATED = ("hotpotwikiqa_mixup", "loogle_SD_mixup", "loogle_CR_mixup", "loogle_MIR_mixup")

CHINESE: Mapping[str, Metric] = {
    **dict.fromkeys(("multifieldqa_zh_mixup", "cmrc_mixup", "lic_mixup"), _gated_chinese_f1),
    "factrecall_zh": _chinese_f1,
    "dureader_mixup": _rouge_of_chinese,
}
"""Metric of the data sets whose lengths are in characters; those of the others are in words."""

METRICS: Mapping[str, Metric] = {
    **dict.fromkeys((*_GATED, "multifieldqa_en_mixup"), _gated_f1),
    "factrecall_en": _f1,
    **CHINESE,
}
"""Metric of every data set."""
