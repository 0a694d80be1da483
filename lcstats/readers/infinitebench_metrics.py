"""InfiniteBench's rules for right answers, each from output and reference to a score in [0, 1].

Written anew from the rules of ``src/compute_scores.py`` (OpenBMB/InfiniteBench, commit 88b3daa).
"""

import re
from collections.abc import Callable, Mapping
from typing import Any

from lcstats.readers.chinese import bare_text
from lcstats.readers.huge_numbers import read_digits
from lcstats.readers.longbench_metrics import word_f1
from lcstats.readers.rouge import rouge_lsum
from lcstats.readers.squad import overlap_f1

_DIGITS = re.compile(r"[0-9]+")
_NUMBER = re.compile(r"\d+\.\d+|\d+")
_SPACES = re.compile(" {2,}")
_LETTERS = "ABCD"

Metric = Callable[[str, Any], float]
"""From output and reference to a score."""


def score_output(task: str, output: str, reference: Any) -> float:
    """Return the score of an output by the rule of its task.

    Parameters
    ----------
    task : str
        One of :data:`METRICS`.
    output : str
    reference : str, number or list
        A list around the reference, as some files have it, does not matter.

    Returns
    -------
    float
        In [0, 1].

    Examples
    --------
    >>> score_output("passkey", "The pass key is 71432.", ["71432"])
    1.0
    """
    if not output.strip():
        return 0.0
    if task not in _LISTED:
        reference = unlisted(reference)
    return float(METRICS[task](output, reference))


def unlisted(reference: Any) -> Any:
    """Return a reference without the list around it that some files have.

    Examples
    --------
    >>> unlisted(["71432"]), unlisted(["name", "A"])
    ('71432', ['name', 'A'])
    """
    is_around_one = isinstance(reference, list) and len(reference) == 1
    return reference[0] if is_around_one else reference


def is_reference(task: str, reference: Any) -> bool:
    """Tell whether a reference is of the kind that a task's rule compares with.

    Examples
    --------
    >>> is_reference("code_debug", ["name", "A"]), is_reference("code_debug", "A")
    (True, False)
    """
    if task not in _LISTED:
        reference = unlisted(reference)
    if task == "code_debug":
        return isinstance(reference, list) and len(reference) > 1 and _are(reference, str)
    if task == "math_calc":
        return _are(_listed(reference), int)
    if task in ("code_run", "math_find"):
        return _are([reference], int | float)
    if task in ("longbook_choice_eng", *_LISTED):
        return _are(_listed(reference), str)
    return _are([reference], str | int)


def _are(items: list[Any], kinds: Any) -> bool:
    return bool(items) and all(
        isinstance(item, kinds) and not isinstance(item, bool) for item in items
    )


def _is_first_number(output: str, reference: Any) -> bool:
    match = _DIGITS.search(output)
    return match is not None and match[0] == str(reference)


def _is_among_words(output: str, reference: Any) -> bool:
    return str(reference) in _without(output, "\n:\"'.,?!{}").split()


def _is_speaker(output: str, reference: Any) -> bool:
    speaker = reference[0] if isinstance(reference, list) else reference
    return speaker in _without(output, "\n:\"'.,?!{}").upper().split()


def _is_last_number(output: str, reference: Any) -> bool:
    words = _without(output, "\n.`'\":").split()
    try:
        return bool(words) and int(words[-1]) == reference
    except ValueError:
        return False


def _is_found_number(output: str, reference: Any) -> bool:
    match = _NUMBER.search(output)
    return match is not None and float(match[0]) == reference


def _share_of_leading_numbers(output: str, reference: Any) -> float:
    """Return the share of the numbers that are right before the first that is not."""
    numbers = list(map(read_digits, _DIGITS.findall(output)))
    wanted = _listed(reference)
    n_right = 0
    while n_right < min(len(numbers), len(wanted)) and numbers[n_right] == wanted[n_right]:
        n_right += 1
    return n_right / len(wanted)


def _is_choice(output: str, reference: Any) -> bool:
    """Tell whether a choice is right; the reference is its text and its letter."""
    output = output.strip()
    if output[:1] and output[0] in _LETTERS:
        return output[0] in reference
    if output in reference:
        return True
    text = _SPACES.sub(" ", _without(output, "\n\"'.,?!{}"))
    prefixes = ("answer is:", "answer:", "answer is", "option is")
    said = _after_first(text, prefixes)
    if said is not None:
        return any(said.startswith(word) for word in reference)
    first = next((word for word in text.split() if word in _LETTERS), None)
    return first is not None and first in reference


def _is_bug(output: str, reference: Any) -> bool:
    """Tell whether a function was found; the reference is its name and its letter."""
    name, letter = reference[0], reference[1]
    output = output.strip()
    if output[:2] in (f"{letter}.", f"{letter}:"):
        return True
    text = _without(output, "\n`'\"-*").replace("Option", " ").replace("option", " ")
    prefixes = ("answer is:", "is:", "answer:", "correct option is:")
    said = _after_first(_SPACES.sub(" ", text), prefixes)
    return said is not None and said.startswith((letter, name))


def _after_first(text: str, prefixes: tuple[str, ...]) -> str | None:
    """Return what follows the first of the prefixes that is there, and one character more."""
    for prefix in prefixes:
        place = text.find(prefix)
        if place >= 0:
            return text[place + len(prefix) + 1 :]
    return None


def _best_word_f1(output: str, reference: Any) -> float:
    return max((word_f1(output, answer) for answer in _listed(reference)), default=0.0)


def _best_character_f1(output: str, reference: Any) -> float:
    return max((_character_f1(output, answer) for answer in _listed(reference)), default=0.0)


def _character_f1(output: str, answer: str) -> float:
    return overlap_f1(bare_text(output), bare_text(answer))


def _rouge(output: str, reference: Any) -> float:
    return rouge_lsum(output, str(reference))


def _listed(reference: Any) -> list[Any]:
    return reference if isinstance(reference, list) else [reference]


def _without(text: str, marks: str) -> str:
    return text.translate(str.maketrans(marks, " " * len(marks)))


_LISTED = frozenset({"longbook_qa_eng", "longbook_qa_chn", "longdialogue_qa_eng"})
"""Tasks whose reference is a list of answers, which may be one."""

EXPECTED: Mapping[str, str] = {
    **dict.fromkeys(("passkey", "number_string"), "a text of digits"),
    **dict.fromkeys(("kv_retrieval", "kv_retrieval_prefix", "kv_retrieval_both"), "a text"),
    **dict.fromkeys(("code_run", "math_find"), "a number"),
    "code_debug": "a list of the function's name and its letter",
    "math_calc": "a list of whole numbers",
    "longbook_choice_eng": "the choice, or a list of it and its letter",
    "longbook_sum_eng": "a text",
    **dict.fromkeys(_LISTED, "an answer, or a list of answers"),
}
"""What the references of a task are."""

METRICS: Mapping[str, Metric] = {
    **dict.fromkeys(("passkey", "number_string"), _is_first_number),
    **dict.fromkeys(("kv_retrieval", "kv_retrieval_prefix", "kv_retrieval_both"), _is_among_words),
    "code_run": _is_last_number,
    "code_debug": _is_bug,
    "math_find": _is_found_number,
    "math_calc": _share_of_leading_numbers,
    "longbook_choice_eng": _is_choice,
    "longbook_sum_eng": _rouge,
    "longbook_qa_eng": _best_word_f1,
    "longbook_qa_chn": _best_character_f1,
    "longdialogue_qa_eng": _is_speaker,
}
"""Rule of every task that can be scored here."""
