"""What users put beside a prompt: variables and metadata of any name, some of which say a place."""

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from lcstats.readers.request import ReadRequest
from lcstats.trials.columns import match_columns

SIDE_COLUMNS = (
    "task",
    "case",
    "length",
    "depth",
    "guess_rate",
    "n_documents",
    "n_needles",
    "cluster",
    "length_unit",
)
"""What values beside a prompt may say about its trial, under the usual names."""

_LONGEST_WORD = 200


def cells_of(values: object, taken: Collection[str], prefix: str) -> dict[str, Any]:
    """Return the values that fit into cells, under their own names or, where taken, prefixed ones.

    Parameters
    ----------
    values : object
        An object of values by name; anything else holds none.
    taken : collection of str
        Names that mean something else in the table.
    prefix : str
        What is put before such a name.

    Examples
    --------
    >>> cells_of({"length": 4096, "score": 7, "text": "x" * 999, "list": []}, {"score"}, "var_")
    {'length': 4096, 'var_score': 7}
    """
    if not isinstance(values, dict):
        return {}
    return {
        f"{prefix}{name}" if name in taken else str(name): value
        for name, value in values.items()
        if _is_cell(value)
    }


def _is_cell(value: object) -> bool:
    is_word = isinstance(value, str) and len(value) <= _LONGEST_WORD
    return is_word or isinstance(value, (bool, int, float))


def match_side_columns(
    names: Iterable[str], known: Mapping[str, str], request: ReadRequest, table: str
) -> dict[str, str]:
    """Return what is known about columns with what values beside the prompt add to it.

    Parameters
    ----------
    names : iterable of str
        Names of the values.
    known : mapping of str to str
        Canonical name to the column that holds it; wins over the names of values.
    request : ReadRequest
        What the call asked for: a column that it names is not looked for.
    table : str
        Name of the file, for messages.

    Returns
    -------
    dict of str to str

    Examples
    --------
    >>> match_side_columns(["context_length", "needle"], {"score": "passed"}, ReadRequest(), "a")
    {'score': 'passed', 'length': 'context_length'}
    """
    named = request.table.columns
    wanted = [name for name in SIDE_COLUMNS if name not in known and name not in named]
    return {**known, **match_columns(list(names), wanted, table=table)}
