"""The counts of one language model on one task: a dense length by depth grid.

Successes are whole numbers of a common unit (``numerators / unit``), so that "17 of 20 is .85"
stays a statement about integers all the way to the threshold.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from lcstats.records import SCHEMA_VERSION, array_of, freeze_arrays, list_numbers, restoring


@dataclass(frozen=True, slots=True, eq=False)
class CaseIndex:
    """The cases behind the counts of a grid, for resampling.

    Attributes
    ----------
    cell : ndarray of int64, shape (n_cases,)
        Flat index ``length_index * n_depths + depth_index``, ascending.
    numerator : ndarray of int64, shape (n_cases,)
        Mean score of the case times the grid's unit.
    cluster : ndarray of int64, shape (n_cases,)
        What cases share beyond their cell; equal codes, also of other tasks in the table, are
        resampled together.
    """

    cell: NDArray[np.int64]
    numerator: NDArray[np.int64]
    cluster: NDArray[np.int64]

    def __post_init__(self) -> None:
        """Make the arrays read-only."""
        freeze_arrays(self)

    @property
    def is_clustered(self) -> bool:
        """True if any two cases share a cluster."""
        return np.unique(self.cluster).size < self.cluster.size


@dataclass(frozen=True, slots=True, eq=False)
class CellGrid:
    """Counts of one language model on one task, a dense length by depth grid.

    Attributes
    ----------
    model, task : str
    length_unit : str
        Unit of `lengths`.
    lengths : ndarray of int64, shape (n_lengths,)
        Ascending; only lengths with at least one scored case.
    depths : ndarray of float64, shape (n_depths,)
        Fractions, ascending; NaN, last, stands for trials without a depth. A depth that was asked
        for and never scored is among them, without cases. Of averaged tasks: every task's own, one
        task after the other.
    n_cases, n_trials : ndarray of int64, shape (n_lengths, n_depths)
        Scored cases and scored trials; 0 where there is no data.
    numerators : ndarray of int64, shape (n_lengths, n_depths)
        Sum of the case means times `unit`.
    unit : int
        1 for 0/1 outcomes.
    unscored : mapping of int to mapping of str to int
        Length to status to number of trials without a score.
    n_missing : ndarray of int64, shape (n_lengths, n_depths), or None
        Cases without any score; None where all are scored.
    guess_rate : float
        Accuracy of guessing, where the table says it.
    members : tuple of str
        Tasks that were averaged; empty for a single task.
    member_of : tuple of int, length n_depths
        Number of each column's task among `members`, ascending. Empty for a single task, and
        where every member has one column.
    cases : CaseIndex or None
        None for sources that only have counts.
    n_adaptive : ndarray of int64, shape (n_lengths, n_depths), or None
        Scored cases that were added after looking at outcomes; None where all were fixed before.
    pilot : CellGrid or None
        Counts of the cases that were fixed before, on the lengths and depths that they have; only
        beside `n_adaptive`.
    """

    model: str
    task: str
    length_unit: str
    lengths: NDArray[np.int64]
    depths: NDArray[np.float64]
    n_cases: NDArray[np.int64]
    n_trials: NDArray[np.int64]
    numerators: NDArray[np.int64]
    unit: int
    unscored: Mapping[int, Mapping[str, int]] = field(default_factory=dict)
    cases: CaseIndex | None = None
    n_missing: NDArray[np.int64] | None = None
    guess_rate: float = 0.0
    members: tuple[str, ...] = ()
    member_of: tuple[int, ...] = ()
    n_adaptive: NDArray[np.int64] | None = None
    pilot: "CellGrid | None" = None

    def __post_init__(self) -> None:
        """Make the arrays read-only."""
        freeze_arrays(self)

    @property
    def successes(self) -> NDArray[np.float64]:
        """Sum of case means per cell, shape (n_lengths, n_depths)."""
        successes: NDArray[np.float64] = self.numerators / self.unit
        return successes

    @property
    def accuracy(self) -> NDArray[np.float64]:
        """Mean score per cell, shape (n_lengths, n_depths); NaN where there is no data."""
        empty = np.full(self.n_cases.shape, np.nan)
        return np.asarray(
            np.divide(self.successes, self.n_cases, out=empty, where=self.n_cases > 0)
        )

    @property
    def member_codes(self) -> NDArray[np.int64]:
        """Number of every column's task among `members`, shape (n_depths,); 0 for a single task."""
        if self.members and not self.member_of:
            return np.arange(len(self.members))
        return np.array(self.member_of or [0] * self.depths.size, dtype=np.int64)

    @property
    def n_unscored(self) -> NDArray[np.int64]:
        """Unscored trials per tested length, shape (n_lengths,)."""
        counts = [sum(self.unscored.get(int(length), {}).values()) for length in self.lengths]
        return np.array(counts, dtype=np.int64)

    @property
    def adaptive(self) -> NDArray[np.bool_]:
        """True for cells whose number of cases depended on outcomes, (n_lengths, n_depths)."""
        if self.n_adaptive is None:
            return np.zeros(self.n_cases.shape, dtype=bool)
        return np.asarray(self.n_adaptive > 0)

    @property
    def is_adaptive(self) -> bool:
        """True if the number of cases of any cell depended on outcomes."""
        return self.n_adaptive is not None

    @property
    def is_clustered(self) -> bool:
        """True if any two cases share a cluster, as far as cases are known."""
        return self.cases is not None and self.cases.is_clustered

    @property
    def has_fractions(self) -> bool:
        """True if some case is worth neither 0 nor 1."""
        if self.cases is None:
            return bool(np.any(self.numerators % self.unit))
        return bool(np.any(self.cases.numerator % self.unit))

    def to_frame(self) -> pd.DataFrame:
        """Return one row per cell with data: model, task, length, depth, counts, accuracy.

        Cells of averaged tasks name theirs as well, in ``averaged_task``.
        """
        row, column = np.nonzero(self.n_cases)
        return pd.DataFrame(
            {
                "model": self.model,
                "task": self.task,
                **self.name_members(column),
                "length": self.lengths[row],
                "depth": self.depths[column],
                "n_trials": self.n_trials[row, column],
                "n_cases": self.n_cases[row, column],
                "successes": self.successes[row, column],
                "accuracy": self.accuracy[row, column],
            }
        )

    def name_members(self, column: NDArray[np.int64]) -> dict[str, NDArray[Any]]:
        """Return the table column that names the averaged task of every cell; none for one task."""
        if not self.members:
            return {}
        return {"averaged_task": np.array(self.members, dtype=object)[self.member_codes[column]]}

    def __repr__(self) -> str:
        shape = f"{self.lengths.size}x{self.depths.size}"
        return f"CellGrid({self.model} on {self.task}: {shape}, {self.n_cases.sum()} cases)"

    def to_dict(self) -> dict[str, Any]:
        """Return JSON-ready values; the depth of trials without one is None."""
        return {
            "schema_version": SCHEMA_VERSION,
            **{name: getattr(self, name) for name in _GRID_WORDS},
            "members": list(self.members),
            "member_of": list(self.member_of),
            "n_missing": None if self.n_missing is None else self.n_missing.tolist(),
            **{name: list_numbers(getattr(self, name)) for name in ("depths", *_GRID_COUNTS)},
            "unscored": {str(length): dict(by) for length, by in self.unscored.items()},
            "n_adaptive": None if self.n_adaptive is None else self.n_adaptive.tolist(),
            "pilot": self.pilot and self.pilot.to_dict(),
            "cases": self.cases
            and {name: getattr(self.cases, name).tolist() for name in _CASE_ARRAYS},
        }

    @classmethod
    def from_dict(cls, document: Mapping[str, Any]) -> "CellGrid":
        """Restore what :meth:`to_dict` returned.

        Raises
        ------
        FormatError
            If it is of an unknown schema version or not whole.
        """
        with restoring("CellGrid", document):
            words: Mapping[str, Any] = {name: document[name] for name in _GRID_WORDS}
            cases, missing = document["cases"], document["n_missing"]
            later, pilot = document.get("n_adaptive"), document.get("pilot")
            return cls(
                **words,
                **_integers(document, _GRID_COUNTS),
                depths=array_of(document["depths"]),
                unscored={int(length): by for length, by in document["unscored"].items()},
                cases=cases and CaseIndex(**_integers(cases, _CASE_ARRAYS)),
                n_missing=None if missing is None else np.array(missing, dtype=np.int64),
                members=tuple(document["members"]),
                member_of=tuple(document["member_of"]),
                n_adaptive=None if later is None else np.array(later, dtype=np.int64),
                pilot=pilot and cls.from_dict(pilot),
            )


_GRID_WORDS = ("model", "task", "length_unit", "unit", "guess_rate")
_GRID_COUNTS = ("lengths", "n_cases", "n_trials", "numerators")
_CASE_ARRAYS = ("cell", "numerator", "cluster")


def _integers(document: Mapping[str, Any], names: tuple[str, ...]) -> dict[str, Any]:
    return {name: np.array(document[name], dtype=np.int64) for name in names}
