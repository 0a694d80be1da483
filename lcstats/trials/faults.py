"""Every fault of a table, gathered column by column and raised together."""

from dataclasses import dataclass, field

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from lcstats.errors import TableError, describe
from lcstats.trials.origin import Origin
from lcstats.trials.values import parse_number
from lcstats.trials.wording import WITH_DECIMAL_COMMA, shown

N_SHOWN = 5


@dataclass(slots=True)
class Faults:
    """Faults of one table; :meth:`raise_any` raises them all in one error.

    Attributes
    ----------
    origin : Origin
    decimal : {".", ","}
        Sign before the decimals in the file; its texts have points by now.

    Examples
    --------
    >>> faults = Faults(Origin.of_frame(3, "trials.csv"))
    >>> depth = pd.Series([0.5, 43.0, 0.1])
    >>> faults.add(depth > 1, "depth", depth, ("expected a fraction", "pass a fraction"))
    >>> len(faults)
    1
    """

    origin: Origin
    decimal: str = "."
    _of_table: list[str] = field(default_factory=list)
    _of_rows: list[tuple[int, str]] = field(default_factory=list)
    _n_by_column: dict[str, int] = field(default_factory=dict)

    def __len__(self) -> int:
        """Count the faults."""
        return len(self._of_table) + sum(self._n_by_column.values())

    def add(
        self,
        wrong: NDArray[np.bool_] | pd.Series,
        column: str,
        values: pd.Series,
        wanted: tuple[str, str],
    ) -> None:
        """Add every row where `wrong` is true.

        Parameters
        ----------
        wrong : bool array, shape (n_rows,)
            Which rows are at fault.
        column : str
            The column's name in the table.
        values : Series, shape (n_rows,)
            The values as the table has them.
        wanted : tuple of str
            What was expected, and how to mend it.
        """
        rows = np.flatnonzero(np.asarray(wrong))
        if not rows.size:
            return
        self._n_by_column[column] = self._n_by_column.get(column, 0) + rows.size
        expected, mend = wanted
        if self.decimal == ",":
            for phrase, turned in WITH_DECIMAL_COMMA.items():
                mend = mend.replace(phrase, turned)
        for row in rows[:N_SHOWN].tolist():
            found = f"{self.origin.place(row)}: {column} is {self._shown(values.iloc[row])}"
            self._of_rows.append((row, describe(found, expected, mend)))

    def _shown(self, value: object) -> str:
        """Show a value as the file has it: with a decimal comma where it was read so."""
        if self.decimal == "," and isinstance(value, str) and parse_number(value) is not None:
            value = value.replace(".", ",")
        return shown(value)

    def add_table(self, found: str, expected: str, mend: str) -> None:
        """Add a fault of the table as a whole."""
        self._of_table.append(describe(f"{self.origin.name}: {found}", expected, mend))

    def raise_any(self) -> None:
        """Raise the faults, if there are any: the first five in full, the rest counted.

        Raises
        ------
        TableError
            If any fault was added.
        """
        if not len(self):
            return
        rows = [text for _, text in sorted(self._of_rows)]
        lines = (self._of_table + rows)[:N_SHOWN]
        n_more = len(self) - len(lines)
        if n_more:
            counts = ", ".join(f"{name} {n}" for name, n in self._n_by_column.items())
            lines.append(f"and {n_more} more (faults by column: {counts})")
        raise TableError("\n".join(lines))
