"""How messages write options, values and counts."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from lcstats.options import STATUSES

DECIMAL_COMMA = "for a decimal comma pass decimal=',' (--decimal ,)"
POINTS_GROUP = "if '.' groups thousands pass decimal=',' (--decimal ,)"
"""Ends of messages that :class:`lcstats.trials.faults.Faults` turns where the option is set."""

_N_LISTED = 5

_LONG = 1e16
"""Whole numbers from here on are shown with an exponent: floats do not hold all their digits."""

WITH_DECIMAL_COMMA = {
    DECIMAL_COMMA: "if '.' marks decimals leave out decimal=',' (--decimal ,)",
    POINTS_GROUP: "if ',' groups thousands leave out decimal=',' (--decimal ,)",
}


def flag(option: str, value: str) -> str:
    """Name an option for both doors, Python and the command line.

    Examples
    --------
    >>> flag("depth_unit", "percent")
    "depth_unit='percent' (--depth-unit percent)"
    """
    return f"{option}={value!r} (--{option.replace('_', '-')} {value})"


CASES_PER_CELL = "cases_per_cell=N (--cases-per-cell N)"
"""What says for both doors of how many cases each mean of a table is."""


def switch(option: str) -> str:
    """Name an option that is on or off for both doors.

    Examples
    --------
    >>> switch("keep_truncated")
    'keep_truncated=True (--keep-truncated)'
    """
    return f"{option}=True (--{option.replace('_', '-')})"


def shown(value: object) -> str:
    """Return a cell's value as a message shows it: text quoted and cut, numbers short.

    Examples
    --------
    >>> shown("maybe"), shown(43.0), shown(None)
    ("'maybe'", '43', 'missing')
    """
    if isinstance(value, str):
        return repr(value if len(value) <= 40 else value[:37] + "...") if value else "empty"
    if isinstance(value, (list, dict, tuple, np.ndarray)):
        return repr(value)[:40]
    if value is None or value is pd.NA or value != value:
        return "missing"
    if isinstance(value, float) and value.is_integer() and abs(value) < _LONG:
        return str(int(value))
    return str(value)[:40]


def counted(n: int, noun: str, plural: str | None = None) -> str:
    """Return a count with its noun.

    Examples
    --------
    >>> counted(1, "row"), counted(2, "row"), counted(2, "copy", "copies")
    ('1 row', '2 rows', '2 copies')
    """
    return f"{n} {noun if n == 1 else plural or noun + 's'}"


def listed(values: Sequence[object]) -> str:
    """Write out up to five values, and count the rest.

    Examples
    --------
    >>> listed([4096, 8192]), listed(range(1, 8))
    ('4096, 8192', '1, 2, 3, 4, 5 and 2 more')
    """
    shown = ", ".join(map(str, values[:_N_LISTED]))
    n_more = len(values) - _N_LISTED
    return f"{shown} and {n_more} more" if n_more > 0 else shown


def counts_by_status(statuses: pd.Series) -> str:
    """Return how often each status occurs, in the order of the statuses.

    Examples
    --------
    >>> counts_by_status(pd.Series(["timeout", "error", "timeout"]))
    'error 1, timeout 2'
    """
    counts = statuses.value_counts()
    return ", ".join(f"{status} {counts[status]}" for status in STATUSES if status in counts)
