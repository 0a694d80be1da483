"""What a table says of needles that cannot be: none asked for, marks that are no 0 and 1."""

import math
from collections.abc import Callable
from numbers import Real

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from lcstats.trials.faults import Faults
from lcstats.trials.naming import NamedTable
from lcstats.trials.status_column import normalise_status
from lcstats.trials.values import Kind, parse_column

WHERE_UNKNOWN = "leave the cell empty where it is unknown"


def refuse_faulty_needles(
    named: NamedTable, sides: dict[str, pd.Series], faults: Faults
) -> dict[str, pd.Series]:
    """Check the columns on needles against what can be.

    Parameters
    ----------
    named : NamedTable
        The table.
    sides : dict of str to Series, shape (n_rows,)
        Its optional columns as they were read.
    faults : Faults
        Gets every value that cannot be used.

    Returns
    -------
    dict of str to Series
        `sides`, where an empty list of a trial that failed is a missing one.
    """
    lists = {name: _without_empty(sides[name], named) for name in _VALUES if name in sides}
    for name, column in lists.items():
        usable, values = _VALUES[name]
        faults.add(
            column.map(lambda cell, usable=usable: _is_faulty(cell, usable), na_action=None),
            named.named(name),
            named.frame[name].map(_in_plain_numbers),
            (f"expected a list with {values} for each needle", WHERE_UNKNOWN),
        )
    if "n_needles" in sides:
        faults.add(
            (sides["n_needles"] == 0).fillna(False).to_numpy(dtype=bool),
            named.named("n_needles"),
            named.frame["n_needles"],
            ("expected at least 1 needle", "leave the cell empty for trials without needles"),
        )
    return sides | lists


def _in_plain_numbers(cell: object) -> object:
    return f"[{', '.join(map(str, cell))}]" if isinstance(cell, list) else cell


def _is_mark(value: object) -> bool:
    return isinstance(value, Real) and value in (0, 1)


def _is_depth(value: object) -> bool:
    """Tell whether a value is a depth; None is one that nobody knows."""
    if value is None:
        return True
    if isinstance(value, bool) or not isinstance(value, Real):
        return False
    depth = float(value)
    return math.isnan(depth) or 0.0 <= depth <= 1.0


_VALUES: dict[str, tuple[Callable[[object], bool], str]] = {
    "needle_depths": (_is_depth, "a fraction from 0 to 1"),
    "needle_found": (_is_mark, "0 or 1"),
}
"""Columns of lists: whether a value can stand there, and which do."""


def _without_empty(column: pd.Series, named: NamedTable) -> pd.Series:
    """Take the empty list of a trial that failed for none."""
    empty = np.array([cell == [] for cell in column], dtype=bool)
    return column.mask(empty & _has_failed(named), None) if empty.any() else column


def _is_faulty(cell: object, usable: Callable[[object], bool]) -> bool:
    return isinstance(cell, list) and not (cell and all(map(usable, cell)))


def _has_failed(named: NamedTable) -> NDArray[np.bool_]:
    """Tell which trials say that they failed, or have a cell for a score and no score in it."""
    failed = np.zeros(len(named.frame), dtype=bool)
    status = named.column("status")
    if status is not None:
        words = status.fillna("").astype("str").str.strip()
        failed |= np.asarray((words != "") & words.map(normalise_status).ne("ok"))
    if named.mapping["score"] != named.mapping.get("needle_found"):
        failed |= parse_column(named.frame["score"]).is_kind(Kind.MISSING)
    return failed
