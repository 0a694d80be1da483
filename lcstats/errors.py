"""Exceptions, warnings and notices: a leaf that imports nothing of ours.

An error message has three parts: what was found (file, line, column, value), what was
expected, and how to mend it. :func:`describe` puts them together so that none is left out.
"""

import warnings
from collections.abc import Iterable
from dataclasses import dataclass


class LcstatsError(Exception):
    """Base class of every error that lcstats raises on purpose."""


class TableError(LcstatsError, ValueError):
    """A table of trials holds values that cannot be used; all its faults are listed."""


class FormatError(LcstatsError, ValueError):
    """A file or folder could not be recognised or decoded."""


class OptionError(LcstatsError, ValueError):
    """An option has a value outside its range, or options contradict each other."""


class FitError(LcstatsError, ArithmeticError):
    """A fit cannot give an answer that deserves to be printed."""


class RunError(LcstatsError, RuntimeError):
    """A sweep cannot go on: no further request can succeed."""


class MissingExtraError(LcstatsError, ImportError):
    """An optional dependency is needed; the message names the extra that brings it."""


class LcstatsWarning(UserWarning):
    """Base class of every warning that lcstats emits."""


class SeparationWarning(LcstatsWarning):
    """The data separate perfectly: some coefficients are only bounded on one side."""


class SmallSampleWarning(LcstatsWarning):
    """Too few trials or cases for the statement asked for to mean much."""


class UnscoredWarning(LcstatsWarning):
    """Some trials carry no score; they are counted, never taken as wrong."""


class ExtrapolationWarning(LcstatsWarning):
    """A number lies outside the tested range."""


class DuplicateWarning(LcstatsWarning):
    """Exact copies of rows were found and kept once."""


class DesignWarning(LcstatsWarning):
    """The design of the sweep limits what can be said: ragged, one depth, not monotone."""


@dataclass(frozen=True, slots=True)
class Notice:
    """One thing a reader of a result has to know, carried by the result itself.

    Attributes
    ----------
    code : str
        Short, stable, lower case with hyphens; what scripts match on.
    message : str
        One sentence for people.
    category : type
        Warning class under which :func:`announce` emits it.
    """

    code: str
    message: str
    category: type[LcstatsWarning] = LcstatsWarning

    def to_dict(self) -> dict[str, str]:
        """Return ``{"code": ..., "message": ...}``."""
        return {"code": self.code, "message": self.message}


def announce(notices: Iterable[Notice], *, stacklevel: int = 3) -> None:
    """Emit every notice as a Python warning of its own category."""
    for notice in notices:
        warnings.warn(notice.message, notice.category, stacklevel=stacklevel)


def describe(found: str, expected: str, mend: str) -> str:
    """Join the three parts of a message: what was found, what was expected, how to mend it.

    Examples
    --------
    >>> describe("depth is 43", "expected a fraction in [0, 1]", "pass --depth-unit percent")
    'depth is 43; expected a fraction in [0, 1]; pass --depth-unit percent'
    """
    return f"{found}; {expected}; {mend}"
