"""Cells: counts per length and depth of one or several (model, task) groups.

Successes are whole numbers of a common unit (``numerators / unit``), so that "17 of 20 is .85"
stays a statement about integers all the way to the threshold.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from math import gcd, lcm
from typing import Any, cast

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from lcstats.errors import Notice, OptionError, TableError, UnscoredWarning, announce, describe
from lcstats.options import Axis, Repeats, check_option
from lcstats.trials import Reading, Trials

LARGEST_DENOMINATOR = 1000
"""A score within 1e-9 of a fraction with a denominator up to this is that fraction."""

FINEST_UNIT = 10**9
"""Scores on no common lattice coarser than this are held to nine decimals."""

GROUP = ("model", "task")


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
        What cases share beyond their cell; equal codes are resampled together.
    """

    cell: NDArray[np.int64]
    numerator: NDArray[np.int64]
    cluster: NDArray[np.int64]

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
        Fractions, ascending; NaN, last, stands for trials without a depth.
    n_cases, n_trials : ndarray of int64, shape (n_lengths, n_depths)
        Scored cases and scored trials; 0 where there is no data.
    numerators : ndarray of int64, shape (n_lengths, n_depths)
        Sum of the case means times `unit`.
    unit : int
        1 for 0/1 outcomes.
    unscored : mapping of int to mapping of str to int
        Length to status to number of trials without a score.
    cases : CaseIndex or None
        None for sources that only have counts.
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
    def n_unscored(self) -> NDArray[np.int64]:
        """Unscored trials per tested length, shape (n_lengths,)."""
        counts = [sum(self.unscored.get(int(length), {}).values()) for length in self.lengths]
        return np.array(counts, dtype=np.int64)

    @property
    def has_fractions(self) -> bool:
        """True if some case is worth neither 0 nor 1."""
        if self.cases is None:
            return bool(np.any(self.numerators % self.unit))
        return bool(np.any(self.cases.numerator % self.unit))

    def to_frame(self) -> pd.DataFrame:
        """Return one row per cell with data: model, task, length, depth, counts, accuracy."""
        row, column = np.nonzero(self.n_cases)
        return pd.DataFrame(
            {
                "model": self.model,
                "task": self.task,
                "length": self.lengths[row],
                "depth": self.depths[column],
                "n_trials": self.n_trials[row, column],
                "n_cases": self.n_cases[row, column],
                "successes": self.successes[row, column],
                "accuracy": self.accuracy[row, column],
            }
        )


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
        lengths = np.asarray(lengths, dtype=np.int64)
        depths = np.asarray(depths, dtype=np.float64)
        counted = np.asarray(successes)
        cases = np.broadcast_to(np.asarray(n_cases, dtype=np.int64), counted.shape)
        _check_counts(lengths, depths, cases, counted)
        numerators, unit = _on_lattice(counted.ravel())
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
        return f"Cells({len(self.grids)} groups: {sizes}{more})"

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


def count_cells(
    trials: Trials | Cells, *, repeats: Repeats = "fold", axis: Axis = "asked"
) -> Cells:
    """Count cases and successes per model, task, length and depth.

    Parameters
    ----------
    trials : Trials or Cells
        Cells are returned as they are.
    repeats : {"fold", "independent"}
        ``fold`` makes the mean score of a case one observation (METHOD section 1);
        ``independent`` counts every row as a trial of its own.
    axis : {"asked", "received"}
        ``received`` puts each asked-for length at the median number of tokens received there.

    Returns
    -------
    Cells
        Independent of the order of the rows.

    Raises
    ------
    TableError
        If no trial is scored, or the received axis has no counts to use.

    Examples
    --------
    >>> import pandas as pd
    >>> from lcstats.trials import Trials
    >>> frame = pd.DataFrame(
    ...     {"length": [4096] * 4, "depth": [0.0, 0.0, 0.5, 0.5], "score": [1, 0, 1, 1]}
    ... )
    >>> count_cells(Trials.from_frame(frame)).grid.n_cases.tolist()
    [[2, 2]]
    """
    if isinstance(trials, Cells):
        return trials
    check_option(repeats, Repeats, "repeats")
    check_option(axis, Axis, "axis")
    frame = trials.frame if axis == "asked" else _at_received_lengths(trials.frame)
    scored = frame[frame["score"].notna()]
    if scored.empty:
        raise TableError(
            describe(
                f"no scored trials among {len(frame)} rows",
                "expected at least one row with a score",
                "look at the status column, or at --map score=COLUMN",
            )
        )
    observed, unit = _observe(scored, fold=repeats == "fold" and trials.has_case_ids)
    unscored = _count_unscored(frame)
    grids = tuple(
        _grid_of(*names, group, trials.length_unit, unit, unscored.get(names))
        for names, group in _grouped(observed)
    )
    notices = _notices_on_unscored(unscored, grids)
    announce(notices)
    return Cells(grids=grids, reading=trials.reading, notices=(*trials.notices, *notices))


def cells_from_count_frame(
    frame: pd.DataFrame,
    *,
    length_unit: str = "tokens",
    reading: Reading | None = None,
    notices: tuple[Notice, ...] = (),
) -> Cells:
    """Make cells from a table that only has counts.

    Parameters
    ----------
    frame : DataFrame
        Columns model, task, length, depth (may be missing), n_cases, successes; rows of one
        cell are added up.

    Returns
    -------
    Cells
        With ``aggregate_only`` set.
    """
    counted = frame[frame["n_cases"] > 0]
    numerators, unit = _on_lattice(counted["successes"].to_numpy())
    counted = counted.assign(numerator=numerators, n_trials=counted["n_cases"])
    grids = tuple(_grid_of(*names, group, length_unit, unit) for names, group in _grouped(counted))
    return Cells(grids=grids, aggregate_only=True, reading=reading, notices=notices)


def _grouped(frame: pd.DataFrame) -> Iterator[tuple[tuple[str, str], pd.DataFrame]]:
    """Split a table by (model, task), in the order of their names."""
    for names, group in frame.groupby(list(GROUP), sort=True):
        model, task = cast("tuple[str, str]", names)
        yield (str(model), str(task)), group


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


def _on_lattice(values: NDArray[Any]) -> tuple[NDArray[np.int64], int]:
    """Write `values` as whole multiples of one over a unit; the unit is 1 for whole numbers."""
    distinct = np.unique(values)
    unit = 1
    if not np.array_equal(distinct, np.rint(distinct)):
        unit = _common_unit(distinct)
    return np.rint(np.asarray(values, dtype=np.float64) * unit).astype(np.int64), unit


def _common_unit(distinct: NDArray[np.float64]) -> int:
    unit = 1
    for value in distinct[: LARGEST_DENOMINATOR * 10]:
        nearest = Fraction(float(value)).limit_denominator(LARGEST_DENOMINATOR)
        unit = lcm(unit, nearest.denominator)
        if abs(float(nearest) - value) > 1e-9 or unit > FINEST_UNIT:
            return FINEST_UNIT
    return unit if distinct.size <= LARGEST_DENOMINATOR * 10 else FINEST_UNIT


def _observe(scored: pd.DataFrame, *, fold: bool) -> tuple[pd.DataFrame, int]:
    """Return one row per case (or per trial), and the unit of its numerators."""
    numerators, unit = _on_lattice(scored["score"].to_numpy())
    observed = scored[[*GROUP, "length", "depth", "case"]].assign(
        numerator=numerators, n_trials=1, cluster=_cluster_codes(scored)
    )
    if fold and (scored["repeat"] != 1).any():
        return _fold(observed, unit)
    return observed, unit


def _fold(observed: pd.DataFrame, unit: int) -> tuple[pd.DataFrame, int]:
    """Replace the repeats of a case by their mean."""
    keys = [*GROUP, "length", "depth", "case"]
    cases = (
        observed.groupby(keys, sort=True, dropna=False)
        .agg(
            numerator=("numerator", "sum"),
            n_trials=("n_trials", "sum"),
            cluster=("cluster", "first"),
        )
        .reset_index()
    )
    n_repeats = cases["n_trials"].to_numpy()
    common = lcm(*(int(count) for count in np.unique(n_repeats)))
    if unit * common > FINEST_UNIT:
        means = cases["numerator"].to_numpy() / (unit * n_repeats)
        numerators, unit = np.rint(means * FINEST_UNIT).astype(np.int64), FINEST_UNIT
    else:
        numerators, unit = cases["numerator"].to_numpy() * (common // n_repeats), unit * common
    shared = gcd(unit, int(np.gcd.reduce(numerators)))
    return cases.assign(numerator=numerators // shared), unit // shared


def _cluster_codes(frame: pd.DataFrame) -> NDArray[np.int64]:
    """Number the clusters; a row without one is a cluster of its own."""
    if "cluster" not in frame:
        return np.arange(len(frame), dtype=np.int64)
    codes = pd.factorize(frame["cluster"], sort=True)[0].astype(np.int64)
    alone = codes < 0
    codes[alone] = codes.max(initial=-1) + 1 + np.arange(alone.sum())
    return codes


def _grid_of(
    model: str,
    task: str,
    observed: pd.DataFrame,
    length_unit: str,
    unit: int,
    unscored: Mapping[int, Mapping[str, int]] | None = None,
) -> CellGrid:
    """Tabulate the observations of one group."""
    lengths, row = np.unique(observed["length"].to_numpy(np.int64), return_inverse=True)
    depths, column = np.unique(observed["depth"].to_numpy(np.float64), return_inverse=True)
    flat = row * depths.size + column
    shape = (lengths.size, depths.size)
    is_cases = "cluster" in observed
    n_cases = np.ones(len(observed), np.int64) if is_cases else observed["n_cases"].to_numpy()
    return CellGrid(
        model=model,
        task=task,
        length_unit=length_unit,
        lengths=lengths,
        depths=depths,
        n_cases=_add_up(flat, n_cases, shape),
        n_trials=_add_up(flat, observed["n_trials"].to_numpy(), shape),
        numerators=_add_up(flat, observed["numerator"].to_numpy(), shape),
        unit=unit,
        unscored=unscored or {},
        cases=_index_cases(flat, observed) if is_cases else None,
    )


def _add_up(
    flat: NDArray[np.int64], values: NDArray[Any], shape: tuple[int, int]
) -> NDArray[np.int64]:
    total = np.zeros(shape[0] * shape[1], dtype=np.int64)
    np.add.at(total, flat, values.astype(np.int64))
    return total.reshape(shape)


def _index_cases(flat: NDArray[np.int64], observed: pd.DataFrame) -> CaseIndex:
    numerator = observed["numerator"].to_numpy(np.int64)
    cluster = observed["cluster"].to_numpy(np.int64)
    order = np.lexsort((cluster, numerator, flat))
    return CaseIndex(cell=flat[order], numerator=numerator[order], cluster=cluster[order])


def _at_received_lengths(frame: pd.DataFrame) -> pd.DataFrame:
    """Put every asked-for length at the median number of tokens received there."""
    received = frame.get("tokens_received")
    if received is None or received.isna().all():
        raise TableError(
            describe(
                "the table has no tokens_received",
                "expected the number of tokens the server counted, for axis='received'",
                "use axis='asked', or map the column with --map tokens_received=COLUMN",
            )
        )
    keys = [*GROUP, "length"]
    median = received.astype("Float64").groupby([frame[key] for key in keys]).transform("median")
    return frame.assign(length=median.round().fillna(frame["length"]).astype("int64"))


def _count_unscored(frame: pd.DataFrame) -> dict[tuple[str, str], dict[int, dict[str, int]]]:
    """Count trials without a score per group, length and status."""
    missing = frame[frame["score"].isna()]
    counts: dict[tuple[str, str], dict[int, dict[str, int]]] = {}
    for names, group in _grouped(missing):
        sizes = group.groupby(["length", "status"], sort=True).size().reset_index(name="size")
        for length, status, size in sizes.itertuples(index=False):
            by_length = counts.setdefault(names, {})
            by_length.setdefault(int(length), {})[str(status)] = int(size)
    return counts


def _notices_on_unscored(
    unscored: Mapping[tuple[str, str], Mapping[int, Mapping[str, int]]],
    grids: tuple[CellGrid, ...],
) -> tuple[Notice, ...]:
    """Name the lengths at which trials were asked for and none is scored."""
    tested = {(grid.model, grid.task): set(grid.lengths.tolist()) for grid in grids}
    notices = []
    for (model, task), by_length in unscored.items():
        for length, statuses in by_length.items():
            if length in tested.get((model, task), set()):
                continue
            reasons = ", ".join(f"{count} {status}" for status, count in statuses.items())
            message = (
                f"{model}, {task}: no trial at length {length} is scored ({reasons}); "
                "it is not a tested length"
            )
            notices.append(Notice("length-unscored", message, UnscoredWarning))
    return tuple(notices)
