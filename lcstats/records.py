"""What public records share: arrays that nobody writes into, and a dictionary to come back from."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lcstats import errors
from lcstats.errors import FormatError, LcstatsError, LcstatsWarning, Notice, describe

SCHEMA_VERSION = 1
"""Of every dictionary that a record writes; raised where a reader of the old one would err."""


def freeze_arrays(record: Any) -> None:
    """Make the arrays of a frozen dataclass read-only, those in its mappings too.

    The record keeps views; whoever passed an array in can still write to it, so what a caller
    keeps has to be copied before.
    """
    for field in fields(record):
        value = getattr(record, field.name)
        frozen = _frozen(value)
        if frozen is not value:
            object.__setattr__(record, field.name, frozen)


def _frozen(value: Any) -> Any:
    if isinstance(value, Mapping) and any(isinstance(v, np.ndarray) for v in value.values()):
        return {key: _frozen(item) for key, item in value.items()}
    if not isinstance(value, np.ndarray) or not value.flags.writeable:
        return value
    view = value.view()
    view.flags.writeable = False
    return view


@contextmanager
def restoring(name: str, document: object) -> Iterator[None]:
    """Check a dictionary's schema version, and say so in one message if it is not whole.

    Parameters
    ----------
    name : str
        The class that is restored.
    document : object
        What ``from_dict`` was given.

    Raises
    ------
    FormatError
        If it is no such dictionary.
    """
    version = document.get("schema_version") if isinstance(document, Mapping) else None
    if version != SCHEMA_VERSION:
        found = "nothing with" if version is None else repr(version) + " as"
        raise FormatError(_no_record(name, f"found {found} a schema_version"))
    try:
        yield
    except LcstatsError:
        raise
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        found = f"a part is missing or wrong ({type(error).__name__}: {error})"
        raise FormatError(_no_record(name, found)) from error


def _no_record(name: str, found: str) -> str:
    return describe(
        found,
        f"expected what {name}.to_dict() returns, schema_version {SCHEMA_VERSION}",
        f"make the {name} again, or read it with the version of lcstats that wrote it",
    )


def finite_or_none(value: float) -> float | None:
    """Return a number as JSON has it: None where it is not finite.

    Examples
    --------
    >>> finite_or_none(0.5), finite_or_none(float("nan"))
    (0.5, None)
    """
    return float(value) if np.isfinite(value) else None


def list_numbers(array: NDArray[Any]) -> list[Any]:
    """Return an array as lists; what is not finite, which JSON has no word for, is None.

    Examples
    --------
    >>> list_numbers(np.array([0.5, np.nan]))
    [0.5, None]
    """
    plain = array.astype(object)
    plain[~np.isfinite(array)] = None
    return list(plain.tolist())


def array_of(numbers: Any, *, missing: float = np.nan) -> NDArray[np.float64]:
    """Return lists as an array; None becomes `missing`.

    Examples
    --------
    >>> array_of([[0.5, None]]).tolist()
    [[0.5, nan]]
    """
    array = np.array(numbers, dtype=np.float64)
    return np.where(np.isnan(array), missing, array)


def list_notices(notices: Iterable[Notice]) -> list[dict[str, str]]:
    """Return notices with the name of their category."""
    return [{**notice.to_dict(), "category": notice.category.__name__} for notice in notices]


def notices_of(documents: Iterable[Mapping[str, str]]) -> tuple[Notice, ...]:
    """Return notices from what :func:`list_notices` wrote."""
    return tuple(
        Notice(document["code"], document["message"], _category(document["category"]))
        for document in documents
    )


def _category(name: str) -> type[LcstatsWarning]:
    category = getattr(errors, name, LcstatsWarning)
    is_ours = isinstance(category, type) and issubclass(category, LcstatsWarning)
    return category if is_ours else LcstatsWarning
