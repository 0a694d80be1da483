"""Rows of a study as lines of a CSV file, whatever dataclass they are."""

import csv
import os
from collections.abc import Iterable
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any, TypeVar

Row = TypeVar("Row")


def write_csv(rows: Iterable[Any], row_type: type[Any], path: Path) -> None:
    """Write all rows at once: an interrupted study leaves the former file or the new one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(path.name + ".partial")
    with partial.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, columns_of(row_type), lineterminator="\n")
        writer.writeheader()
        writer.writerows(asdict(row) for row in rows)
    os.replace(partial, path)


def read_csv(row_type: type[Row], path: Path) -> list[Row]:
    """Read rows back; no file means no rows.

    Raises
    ------
    ValueError
        If the file holds other columns than this study writes.
    """
    if not path.exists():
        return []
    columns = columns_of(row_type)
    with path.open(encoding="utf-8", newline="") as file:
        reader = csv.DictReader(file)
        if tuple(reader.fieldnames or ()) != columns:
            raise ValueError(
                f"{path} has columns {','.join(reader.fieldnames or ())}; "
                f"expected {','.join(columns)}; remove the file or pass another --out"
            )
        return [_parse(row_type, line) for line in reader]


def columns_of(row_type: type[Any]) -> tuple[str, ...]:
    """Return the names of the columns of a dataclass of rows."""
    return tuple(field.name for field in fields(row_type))


def _parse(row_type: type[Row], line: dict[str, str]) -> Row:
    """Make a row of a line; where a number may be missing, an empty text says that it is."""
    types: dict[str, Any] = {field.name: field.type for field in fields(row_type)}  # type: ignore[arg-type]
    return row_type(**{name: _value(types[name], text) for name, text in line.items()})


def _value(kind: Any, text: str) -> Any:
    if kind == float | None:
        return float(text) if text else None
    return kind(text)
