"""What there is to see of single trials: question, answer, output, however a table names them."""

from collections.abc import Mapping
from typing import Any

TEXT_COLUMNS = {
    "question": ("question", "query", "retrieval_question", "instruction", "prompt", "input"),
    "answer": (
        "answer",
        "expected_answer",
        "expected",
        "needle",
        "needles",
        "target",
        "reference",
        "gold",
        "ground_truth",
        "answers",
        "label",
        "outputs",
    ),
    "output": ("output",),
}
"""What is shown of a trial, and the columns it may be in, the best first."""

IDENTITY = ("model", "task", "case", "repeat", "length", "depth", "score")


def describe_trial(row: Mapping[Any, Any]) -> dict[str, Any]:
    """Return what there is to see of a trial; what the table lacks is None.

    Examples
    --------
    >>> row = dict.fromkeys(IDENTITY, 1) | {"Query": "Who?", "output": "Nobody"}
    >>> seen = describe_trial(row)
    >>> seen["question"], seen["answer"], seen["output"]
    ('Who?', None, 'Nobody')
    """
    seen: dict[str, Any] = {name: row[name] for name in IDENTITY}
    own_names = {str(name).lower(): name for name in row}
    for name, candidates in TEXT_COLUMNS.items():
        found = next((own_names[c] for c in candidates if c in own_names), None)
        value = row[found] if found is not None else None
        seen[name] = None if value is None or value != value else _as_text(value)
    return seen


def _as_text(value: object) -> str:
    if isinstance(value, list | tuple):
        return "; ".join(map(str, value))
    return str(value)


def shorten(text: str, most: int) -> str:
    """Keep head and tail of a text that is longer than `most`, and say how much is left out.

    Examples
    --------
    >>> shorten("0123456789", 4)
    '01 [... 6 characters ...] 89'
    """
    if len(text) <= most:
        return text
    half = most // 2
    return f"{text[:half]} [... {len(text) - 2 * half} characters ...] {text[-half:]}"
