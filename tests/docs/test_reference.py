"""The reference lists every column, alias and status that the code knows, and no others."""

import re
from pathlib import Path

import pytest

from lcstats.options import STATUSES
from lcstats.trials.columns import ALIASES, LAST_RESORTS

REFERENCE = Path(__file__).resolve().parents[2] / "docs" / "reference"


def rows(page, header):
    """Return the cells of the table with this header, row by row."""
    lines = (REFERENCE / page).read_text(encoding="utf-8").splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith(f"| {header} |"))
    table = []
    for line in lines[start + 2 :]:
        if not line.startswith("|"):
            return table
        table.append([cell.strip() for cell in line.strip("|").split("|")])
    return table


def words(cell):
    return re.findall(r"`([^`]+)`", cell)


def test_every_column_is_listed_in_order():
    assert [words(row[0]) for row in rows("table.md", "column")] == [[name] for name in ALIASES]


@pytest.mark.parametrize("row", rows("table.md", "column"), ids=lambda row: row[0])
def test_other_names_are_those_that_are_read(row):
    (name,) = words(row[0])
    known = {*ALIASES[name], *LAST_RESORTS.get(name, ())} - {name}
    assert set(words(row[3])) == known


def test_every_status_is_listed():
    assert [words(row[0]) for row in rows("table.md", "status")] == [[name] for name in STATUSES]
