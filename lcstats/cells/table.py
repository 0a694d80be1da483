"""`Cells`: the counts of every (model, task) group of a table."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from lcstats.cells.grid import CellGrid
from lcstats.cells.lattice import on_lattice
from lcstats.errors import Notice, OptionError, TableError, describe
from lcstats.options import check_type
from lcstats.records import SCHEMA_VERSION, list_notices, notices_of, restoring
from lcstats.trials import Reading
from lcstats.trials.wording import counted


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """Counts of every (model, task) group of a table.

    Attributes
    ----------
    grids : tuple of CellGrid
        One per group, sorted by model and task.
    aggregate_only : bool
        True if the source had no single trials: no pairing, no clusters.
    reading : Reading or None
    notices : tuple of Notice
    """

    grids: tuple[CellGrid, ...]
    aggregate_only: bool = False
    reading: Reading | None = None
    notices: tuple[Notice, ...] = ()

    def __post_init__(self) -> None:
        """Refuse what is no tuple of grids, such as a table.

        Raises
        ------
        OptionError
            The message names the ways to cells.
        """
        check_type(self.grids, tuple, "grids", mend_as="Cells")

    @classmethod
    def from_counts(
        cls,
        lengths: ArrayLike,
        depths: ArrayLike,
        *,
        n_cases: ArrayLike,
        successes: ArrayLike,
        model: str = "model",
        task: str = "default",
        length_unit: str = "tokens",
    ) -> "Cells":
        """Make the cells of one group from arrays of counts.

        Parameters
        ----------
        lengths : array_like of int, shape (n_lengths,)
            Ascending.
        depths : array_like of float, shape (n_depths,)
            Fractions in [0, 1], ascending.
        n_cases : array_like of int, shape (n_lengths, n_depths) or a single number
        successes : array_like, shape (n_lengths, n_depths)
            Whole numbers, or sums of graded scores.

        Raises
        ------
        TableError
            If shapes disagree, an axis is not ascending, or successes lie outside 0..n_cases.

        Examples
        --------
        >>> cells = Cells.from_counts(
        ...     [4096, 8192], [0.0, 0.5], n_cases=20, successes=[[20, 19], [17, 12]]
        ... )
        >>> cells.grid.accuracy.tolist()
        [[1.0, 0.95], [0.85, 0.6]]
        """
        # Copied, for the caller may write to them again.
        lengths = np.array(lengths, dtype=np.int64)
        depths = np.array(depths, dtype=np.float64)
        counted = np.asarray(successes)
        cases = np.broadcast_to(np.asarray(n_cases, dtype=np.int64), counted.shape)
        _check_counts(lengths, depths, cases, counted)
        numerators, unit = on_lattice(counted.ravel())
        grid = CellGrid(
            model=model,
            task=task,
            length_unit=length_unit,
            lengths=lengths,
            depths=depths,
            n_cases=cases.copy(),
            n_trials=cases.copy(),
            numerators=numerators.reshape(counted.shape),
            unit=unit,
        )
        return cls(grids=(grid,), aggregate_only=True)

    @property
    def models(self) -> tuple[str, ...]:
        """Names of the language models."""
        return tuple(dict.fromkeys(grid.model for grid in self.grids))

    @property
    def grid(self) -> CellGrid:
        """The only group's grid.

        Raises
        ------
        OptionError
            If there are several groups; the message names them.
        """
        if len(self.grids) == 1:
            return self.grids[0]
        names = "; ".join(f"model {g.model!r} task {g.task!r}" for g in self.grids[:5])
        more = f" and {len(self.grids) - 5} more" if len(self.grids) > 5 else ""
        raise OptionError(
            describe(
                f"found {len(self.grids)} groups: {names}{more}",
                "expected one language model on one task",
                "take one with cells.select(model=..., task=...) or loop over the cells",
            )
        )

    def __iter__(self) -> Iterator["Cells"]:
        """Iterate over the groups, each as cells of its own."""
        return (replace(self, grids=(grid,)) for grid in self.grids)

    def __len__(self) -> int:
        return len(self.grids)

    def __repr__(self) -> str:
        sizes = ", ".join(
            f"{g.model}/{g.task} {g.lengths.size}x{g.depths.size}" for g in self.grids[:3]
        )
        more = ", ..." if len(self.grids) > 3 else ""
        return f"Cells({counted(len(self.grids), 'group')}: {sizes}{more})"

    def select(self, *, model: str | None = None, task: str | None = None) -> "Cells":
        """Return the groups of one model, one task or both.

        Raises
        ------
        OptionError
            If nothing matches.
        """
        kept = tuple(
            grid
            for grid in self.grids
            if (model is None or grid.model == model) and (task is None or grid.task == task)
        )
        if not kept:
            known = "; ".join(f"model {g.model!r} task {g.task!r}" for g in self.grids)
            raise OptionError(
                describe(
                    f"no group has model {model!r} and task {task!r}",
                    f"expected one of: {known}",
                    "pass names as they are written there",
                )
            )
        return replace(self, grids=kept)

    def to_frame(self) -> pd.DataFrame:
        """Return one row per cell of every group."""
        return pd.concat([grid.to_frame() for grid in self.grids], ignore_index=True)

    def to_dict(self) -> dict[str, Any]:
        """Return JSON-ready values: every count, and every case where there are single ones."""
        return {
            "schema_version": SCHEMA_VERSION,
            "aggregate_only": self.aggregate_only,
            "grids": [grid.to_dict() for grid in self.grids],
            "reading": self.reading and asdict(self.reading),
            "notices": list_notices(self.notices),
        }

    @classmethod
    def from_dict(cls, document: Mapping[str, Any]) -> "Cells":
        """Restore what :meth:`to_dict` returned.

        Raises
        ------
        FormatError
            If it is of an unknown schema version or not whole.

        Examples
        --------
        >>> cells = Cells.from_counts([4096], [0.5], n_cases=20, successes=[[17]])
        >>> Cells.from_dict(cells.to_dict()).grid.accuracy.item()
        0.85
        """
        with restoring("Cells", document):
            reading = document["reading"]
            return cls(
                grids=tuple(map(CellGrid.from_dict, document["grids"])),
                aggregate_only=document["aggregate_only"],
                reading=reading and Reading(**{**reading, "files": tuple(reading["files"])}),
                notices=notices_of(document["notices"]),
            )


def _check_counts(
    lengths: NDArray[np.int64],
    depths: NDArray[np.float64],
    n_cases: NDArray[np.int64],
    successes: NDArray[Any],
) -> None:
    if successes.shape != (lengths.size, depths.size):
        raise TableError(
            describe(
                f"successes have shape {successes.shape}",
                f"expected ({lengths.size}, {depths.size}), lengths by depths",
                "transpose the array or correct the axes",
            )
        )
    if np.any(np.diff(lengths) <= 0) or np.any(np.diff(depths) <= 0):
        raise TableError(
            describe(
                "lengths or depths are not strictly ascending",
                "expected each value once, smallest first",
                "sort the axes together with the counts",
            )
        )
    if np.any((successes < 0) | (successes > n_cases)):
        row, column = np.argwhere((successes < 0) | (successes > n_cases))[0]
        raise TableError(
            describe(
                f"length {lengths[row]}, depth {depths[column]:g}: "
                f"{successes[row, column]} successes of {n_cases[row, column]} cases",
                "expected 0 <= successes <= n_cases",
                "check that the two arrays are not swapped",
            )
        )
