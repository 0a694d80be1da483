"""Looking rows of the coverage study up, and setting them in Markdown tables."""

from collections.abc import Callable, Iterable, Sequence

import lcstats as lc
from sims.coverage_rows import Row, nominal_error
from sims.coverage_simulation import LENGTHS, LEVEL

Table = dict[tuple[str, str, int, str], Row]
"""Rows by truth, depth treatment, cases per cell and name of the set."""

Column = tuple[str, str]
"""Heading of a column, and the set it shows."""

KEPT = "†"
"""Marks a truth kept for the final check."""


def index_rows(rows: Iterable[Row]) -> Table:
    return {(row.truth, row.treatment, row.n_cases, row.set): row for row in rows}


def rows_of(table: Table, treatment: str, name: str) -> list[Row]:
    """Return the rows of one set for one depth treatment."""
    return [row for row in table.values() if (row.treatment, row.set) == (treatment, name)]


def counts_of(table: Table) -> list[int]:
    return sorted({row.n_cases for row in table.values()})


def truths_of(table: Table, treatment: str) -> list[str]:
    return list(dict.fromkeys(key[0] for key in table if key[1] == treatment))


def falls_short(row: Row) -> bool:
    """Tell whether a set covers less than the level by over three Monte Carlo errors."""
    return row.coverage < LEVEL - 3 * nominal_error(row.simulations, LEVEL)


def truth_label(name: str) -> str:
    return f"{name} {KEPT}" if name in lc.truths.FINAL_CHECK else name


def place(row: Row) -> str:
    """Name a row's truth and number of cases."""
    return f"{truth_label(row.truth)}, n = {row.n_cases}"


def sides(row: Row) -> str:
    return f"({row.truth_below:.3f} / {row.truth_above:.3f})"


def coverage_and_size(row: Row) -> str:
    return f"{row.coverage:.3f} {row.mean_size:.2f}"


def hit_rate(row: Row) -> str:
    return f"{row.hit_rate:.3f}"


def show(row: Row | None, cell: Callable[[Row], str]) -> str:
    return "" if row is None else cell(row)


def by_truth(
    table: Table, treatment: str, columns: Sequence[Column], cell: Callable[[Row], str]
) -> str:
    """One line per truth; for each (heading, set) a column per number of cases."""
    counts = counts_of(table)
    header = ["truth", *(f"{heading}n = {n}" for heading, _ in columns for n in counts)]
    lines = [
        [
            truth_label(truth),
            *(
                show(table.get((truth, treatment, n, name)), cell)
                for _, name in columns
                for n in counts
            ),
        ]
        for truth in truths_of(table, treatment)
    ]
    return markdown(header, lines)


def by_truth_with_length(
    table: Table, treatment: str, name: str, cell: Callable[[Row], str]
) -> str:
    """One line per truth with its true length; a column per number of cases."""
    counts = counts_of(table)
    header = ["truth", "true length", *(f"n = {n}" for n in counts)]
    lines = []
    for truth in truths_of(table, treatment):
        rows = [table.get((truth, treatment, n, name)) for n in counts]
        first = next((row for row in rows if row is not None), None)
        cells = (show(row, cell) for row in rows)
        lines.append([truth_label(truth), show(first, _true_length), *cells])
    return markdown(header, lines)


def markdown(header: Sequence[str], lines: Iterable[Sequence[str]]) -> str:
    rule = ["---"] * len(header)
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (header, rule, *lines))


def _true_length(row: Row) -> str:
    if lc.truths.get_truth(row.truth).draw_cells is not None:
        return "drawn"
    outcome = int(row.true_outcome)
    if outcome == 0:
        return "< 1K"
    return f"{LENGTHS[outcome - 1] // 1024}K" + (" or more" if outcome == LENGTHS.size else "")
