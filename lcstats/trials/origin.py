"""Where rows came from: turns a row number into words such as ``trials.csv line 118``."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Part:
    """A run of rows from one file.

    Attributes
    ----------
    file : str
        The file's name, as shown in messages.
    n_rows : int
        How many rows came from it.
    unit : str
        What people count in such a file: line, item or row; empty if the file is the trial.
    number_of : callable, optional
        Row within the part to the number people count; left out, rows count from 1.
    """

    file: str
    n_rows: int
    unit: str = "row"
    number_of: Callable[[int], int] | None = None

    def place(self, row: int) -> str:
        """Return the place of the part's row `row` (from 0) in words.

        Examples
        --------
        >>> Part("trials.csv", 10, "line", lambda row: row + 2).place(0)
        'trials.csv line 2'
        """
        if not self.unit:
            return self.file
        number = row + 1 if self.number_of is None else self.number_of(row)
        return f"{self.file} {self.unit} {number}"

    def select(self, rows: NDArray[np.int64]) -> "Part":
        """Return the part that holds only some of its rows, given by their numbers from 0."""

        def number_of(row: int) -> int:
            old = int(rows[row])
            return old + 1 if self.number_of is None else self.number_of(old)

        return Part(self.file, len(rows), self.unit, number_of)


@dataclass(frozen=True, slots=True)
class Origin:
    """The parts, in order, that a table was put together from."""

    parts: tuple[Part, ...]

    @classmethod
    def of_frame(cls, n_rows: int, name: str = "table") -> "Origin":
        """Return the origin of a table in memory, whose rows count from 0 as in pandas."""
        return cls((Part(name, n_rows, "row", lambda row: row),))

    @classmethod
    def join(cls, origins: Iterable["Origin"]) -> "Origin":
        """Return the origin of tables put one below the other."""
        return cls(tuple(part for origin in origins for part in origin.parts))

    @property
    def ends(self) -> NDArray[np.int64]:
        """Row after the last one of every part, shape (n_parts,)."""
        return np.cumsum([part.n_rows for part in self.parts], dtype=np.int64)

    def files_without(
        self, mark: NDArray[np.bool_], *, where: NDArray[np.bool_]
    ) -> tuple[str, ...]:
        """Name the files of several rows of which some are in `where` and none is marked."""
        if len(self.parts) < 2:
            return ()
        ends = np.concatenate([[0], self.ends])
        n_marked, n_rows = (np.diff(_running_count(rows)[ends]) for rows in (mark & where, where))
        lacking = (n_marked == 0) & (n_rows > 0) & (np.diff(ends) > 1)
        return tuple(self.parts[part].file for part in np.flatnonzero(lacking).tolist())

    def files_of(self, rows: NDArray[np.int64]) -> list[str]:
        """Return the name of the file of each of some rows, shape (n,), counted from 0.

        Examples
        --------
        >>> Origin((Part("a.csv", 3), Part("b.csv", 2))).files_of(np.array([0, 4]))
        ['a.csv', 'b.csv']
        """
        parts = np.searchsorted(self.ends, rows, side="right")
        return [self.parts[part].file for part in parts.tolist()]

    def select(self, kept: NDArray[np.bool_]) -> "Origin":
        """Return the origin of the rows in `kept`, shape (n_rows,)."""
        ends = self.ends
        rows_by_part = np.split(np.asarray(kept), ends[:-1])
        return Origin(
            tuple(
                part.select(np.flatnonzero(rows))
                for part, rows in zip(self.parts, rows_by_part, strict=True)
            )
        )

    @property
    def files(self) -> tuple[str, ...]:
        """Names of the files, each once: a file of several scores per answer has several parts."""
        return tuple(dict.fromkeys(part.file for part in self.parts))

    @property
    def name(self) -> str:
        """Name of the whole: the file, or the first of several and how many more.

        Examples
        --------
        >>> Origin((Part("a", 3), Part("b", 2), Part("a", 3), Part("b", 2))).name
        'a and 1 more'
        """
        if not self.parts:
            return "nothing"
        first, n_more = self.files[0], len(self.files) - 1
        return first if not n_more else f"{first} and {n_more} more"

    def place(self, row: int) -> str:
        """Return the place of row `row` (from 0) in words.

        Examples
        --------
        >>> Origin((Part("a.csv", 3), Part("b.csv", 2))).place(4)
        'b.csv row 2'
        """
        ends = self.ends
        part = int(np.searchsorted(ends, row, side="right"))
        return self.parts[part].place(row - int(ends[part]) + self.parts[part].n_rows)


def _running_count(rows: NDArray[np.bool_]) -> NDArray[np.int64]:
    return np.concatenate([[0], np.cumsum(rows, dtype=np.int64)])
