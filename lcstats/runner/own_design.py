"""A design from cases of one's own: each in the row of lengths that holds it."""

from bisect import bisect_left
from collections.abc import Sequence

from lcstats.errors import OptionError, describe
from lcstats.runner.design import Design, DesignCell, Order
from lcstats.runner.prompts import write_messages
from lcstats.runner.tasks.own_cases import OwnCase
from lcstats.runner.tokens import Tokenizer

SHORTEST = 1024
"""First of the lengths that double, where none are given."""


def design_own_cases(
    cases: Sequence[OwnCase],
    lengths: Sequence[int],
    tokenizer: Tokenizer,
    *,
    seed: int = 0,
    repeats: int = 1,
    order: Order = "random",
) -> Design:
    """Return the design of one trial per case, at the shortest length that holds its prompt.

    Parameters
    ----------
    cases : sequence of OwnCase
    lengths : sequence of int
        Empty for doublings of 1024.
    tokenizer : Tokenizer
    seed, repeats, order
        As of :class:`Design`.

    Raises
    ------
    OptionError
        If a prompt is longer than all lengths.
    """
    counts = [
        tokenizer.count_messages(write_messages(case.puzzle, (), "question")) for case in cases
    ]
    rows = sorted(lengths) or _doublings(max(counts))
    n_over = sum(count > rows[-1] for count in counts)
    if n_over:
        raise OptionError(
            describe(
                f"{n_over} of {len(cases)} cases are longer than {rows[-1]} tokens; the longest "
                f"has {max(counts)}",
                "expected lengths that hold every case",
                f"add {max(counts)} to --lengths, or leave --lengths out",
            )
        )
    cells = (
        DesignCell(case, rows[bisect_left(rows, count)], None, 1)
        for case, count in zip(cases, counts, strict=True)
    )
    return Design(tuple(cells), seed, repeats, order)


def _doublings(longest: int) -> list[int]:
    rows = [SHORTEST]
    while rows[-1] < longest:
        rows.append(2 * rows[-1])
    return rows
