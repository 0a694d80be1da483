"""The formats that can be read. A new one is a new file and one line here."""

from collections.abc import Mapping
from difflib import get_close_matches

from lcstats.errors import OptionError, describe
from lcstats.readers.counts import COUNTS
from lcstats.readers.formats import Format
from lcstats.readers.generic import CSV, JSON, JSONL, LCSTATS, PARQUET
from lcstats.readers.kamradt import KAMRADT_LIST, KAMRADT_V1
from lcstats.readers.samples import Sample

FORMATS: tuple[Format, ...] = (
    LCSTATS,
    KAMRADT_V1,
    KAMRADT_LIST,
    COUNTS,
    CSV,
    JSONL,
    JSON,
    PARQUET,
)

_BY_RANK = sorted(FORMATS, key=lambda format: format.is_generic)


def list_formats() -> tuple[Format, ...]:
    """Return the formats that can be read, with what each can and cannot carry.

    Examples
    --------
    >>> [format.name for format in list_formats()][:3]
    ['lcstats', 'kamradt_v1', 'kamradt_list']
    """
    return FORMATS


def find_format(sample: Sample, columns: Mapping[str, str]) -> Format | None:
    """Return the format of a file by its content, or None.

    Parameters
    ----------
    sample : Sample
        A look at the file.
    columns : mapping of str to str
        Columns that the caller named.
    """
    return next((format for format in _BY_RANK if format.claims(sample, columns)), None)


def get_format(name: str) -> Format:
    """Return a format by its name.

    Raises
    ------
    OptionError
        If there is none of that name.
    """
    names = [format.name for format in FORMATS]
    if name in names:
        return FORMATS[names.index(name)]
    near = get_close_matches(name, names, n=1) or ["auto"]
    raise OptionError(
        describe(
            f"format is {name!r}",
            f"expected auto or one of {', '.join(names)}",
            f"pass format={near[0]!r} (--format {near[0]})",
        )
    )
