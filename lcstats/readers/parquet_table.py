"""Parquet files as tables; they need pyarrow."""

import io

import pandas as pd

from lcstats.errors import FormatError, describe
from lcstats.extras import load_extra
from lcstats.readers.sources import Source
from lcstats.trials import Origin, Part, RawTable


def columns_of_parquet(source: Source) -> tuple[str, ...]:
    """Return the names of a Parquet file's columns.

    Raises
    ------
    FormatError
        If the file is damaged.
    MissingExtraError
        If pyarrow is not installed.
    """
    parquet = load_extra("pyarrow.parquet", extra="parquet", purpose=f"reading {source.name}")
    try:
        return tuple(parquet.read_schema(_handle(source)).names)
    except (OSError, ValueError) as error:
        raise _damaged(source, error) from None


def load_parquet(source: Source) -> RawTable:
    """Load a Parquet file.

    Raises
    ------
    FormatError
        If the file is damaged.
    """
    try:
        frame = pd.read_parquet(_handle(source), engine="pyarrow")
    except (OSError, ValueError) as error:
        raise _damaged(source, error) from None
    return RawTable(frame.reset_index(drop=True), Origin((Part(source.name, len(frame), "row"),)))


def _handle(source: Source) -> str | io.BytesIO:
    return source.path or io.BytesIO(source.data)


def _damaged(source: Source, error: Exception) -> FormatError:
    reason = str(error).partition("\n")[0]
    return FormatError(
        describe(
            f"{source.name} cannot be read as Parquet: {reason}",
            "expected a complete Parquet file",
            "copy it again, or write it again",
        )
    )
