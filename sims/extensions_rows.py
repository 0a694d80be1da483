"""Rows of the study of graded, unequal and clustered cases: to CSV and back."""

import csv
import os
from collections.abc import Iterable
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from sims.coverage_rows import nominal_error


@dataclass(frozen=True, slots=True)
class Row:
    """One set in one setting: a line of the CSV.

    `lower_level` and `upper_level` are what the set promises of its ends, the largest over all
    tables; empty where it promises nothing.
    """

    data: str
    truth: str
    cases: str
    treatment: str
    set: str
    kind: str
    true_outcome: float
    seed: int
    simulations: int
    coverage: float
    coverage_error: float
    truth_below: float
    truth_above: float
    lower_level: float | None
    upper_level: float | None
    mean_size: float
    size_error: float

    def falls_short(self, level: float) -> bool:
        """Tell whether the set covers less than the level by over three Monte Carlo errors."""
        return self.coverage < level - 3 * nominal_error(self.simulations, level)

    def breaks_an_end(self) -> bool:
        """Tell whether an end errs more than it promises by over three Monte Carlo errors."""
        ends = ((self.truth_below, self.lower_level), (self.truth_above, self.upper_level))
        return any(
            error > level + 3 * nominal_error(self.simulations, level)
            for error, level in ends
            if level is not None
        )


COLUMNS = tuple(field.name for field in fields(Row))
_TYPES = {field.name: field.type for field in fields(Row)}


def write_rows(rows: Iterable[Row], path: Path) -> None:
    """Write all rows at once: an interrupted study leaves the former file or the new one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(path.name + ".partial")
    with partial.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(asdict(row) for row in rows)
    os.replace(partial, path)


def read_rows(path: Path) -> list[Row]:
    """Read rows back; no file means no rows."""
    if not path.exists():
        return []
    with path.open(encoding="utf-8", newline="") as file:
        lines = list(csv.DictReader(file))
    return [Row(**{name: _parse(name, text) for name, text in line.items()}) for line in lines]


def _parse(name: str, text: str) -> Any:
    """Read one value; an empty one stands for a level that nobody promised."""
    if name in ("lower_level", "upper_level"):
        return float(text) if text else None
    parsers: dict[Any, Any] = {int: int, float: float, str: str}
    return parsers[_TYPES[name]](text)
