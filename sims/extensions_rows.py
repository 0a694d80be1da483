"""Rows of the study of graded, unequal and clustered cases: to CSV and back."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from sims.coverage_rows import nominal_error
from sims.csv_rows import read_csv, write_csv


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


def write_rows(rows: Iterable[Row], path: Path) -> None:
    """Write all rows at once."""
    write_csv(rows, Row, path)


def read_rows(path: Path) -> list[Row]:
    """Read rows back; no file means no rows."""
    return read_csv(Row, path)
