"""Parquet files as tables; they need pyarrow."""

import io

import pandas as pd

from lcstats.errors import FormatError, describe
from lcstats.readers.samples import Sample
from lcstats.trials import Origin, Part, RawTable


def load_parquet(sample: Sample) -> RawTable:
    """Load a Parquet file.

    Raises
    ------
    FormatError
        If the file is damaged.
    """
    source = sample.source
    try:
        frame = pd.read_parquet(source.path or io.BytesIO(source.data), engine="pyarrow")
    except (OSError, ValueError) as error:
        raise FormatError(
            describe(
                f"{sample.name} cannot be read as Parquet: {str(error).partition(chr(10))[0]}",
                "expected a complete Parquet file",
                "copy it again, or write it again",
            )
        ) from None
    return RawTable(frame.reset_index(drop=True), Origin((Part(sample.name, len(frame), "row"),)))
