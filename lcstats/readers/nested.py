"""Fields of objects within the records of a table."""

from typing import Any

import pandas as pd


def nested_values(frame: pd.DataFrame, column: str, *keys: str) -> list[Any]:
    """Return what a path of keys leads to in each row, or None where it leads nowhere.

    Examples
    --------
    >>> frame = pd.DataFrame({"score": [{"value": 1.0}, None]})
    >>> nested_values(frame, "score", "value"), nested_values(frame, "usage", "input_tokens")
    ([1.0, None], [None, None])
    """
    if column not in frame:
        return [None] * len(frame)
    values: list[Any] = frame[column].tolist()
    for key in keys:
        values = [value.get(key) if isinstance(value, dict) else None for value in values]
    return values
