"""Any table of any shape, loaded: what formats build on."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from lcstats.readers.csv_table import load_csv
from lcstats.readers.decimals import read_decimal_commas
from lcstats.readers.json_records import load_json
from lcstats.readers.parquet_table import load_parquet
from lcstats.readers.request import ReadRequest
from lcstats.readers.samples import Sample
from lcstats.trials import RawTable
from lcstats.trials.columns import kinds_of_columns


def load_tables(samples: Sequence[Sample], request: ReadRequest) -> list[RawTable]:
    """Load files of any shape; JSON files with the same fields become one table.

    Parameters
    ----------
    samples : sequence of Sample
        At least one.
    request : ReadRequest
        What the call asked for.

    Returns
    -------
    list of RawTable

    Raises
    ------
    FormatError
        If a file cannot be decoded or split into rows.
    """
    tables = [load_json(group, request) for group in _json_groups(samples)]
    for sample in samples:
        if sample.shape == "csv":
            tables.append(load_csv(sample, request))
        elif sample.shape == "parquet":
            tables.append(load_parquet(sample.source))
    if request.decimal == ",":
        tables = [_with_points(table, request.table.columns) for table in tables]
    return tables


def _json_groups(samples: Sequence[Sample]) -> list[list[Sample]]:
    """Put together the files of one object each, and the others by their fields."""
    groups: dict[tuple[str, ...] | None, list[Sample]] = {}
    for sample in samples:
        if sample.shape in ("json", "jsonl"):
            groups.setdefault(None if sample.is_single else sample.columns, []).append(sample)
    return list(groups.values())


def _with_points(table: RawTable, overrides: Mapping[str, str]) -> RawTable:
    kinds = kinds_of_columns([str(name) for name in table.frame.columns], overrides)
    return replace(
        table,
        frame=read_decimal_commas(table.frame, kinds),
        knowledge=replace(table.knowledge, decimal=","),
    )
