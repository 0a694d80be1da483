"""Pairs: the same case scored on two language models, brought together."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from lcstats.cells import CaseIndex, CellGrid, cluster_codes, fold_repeats, guess_rates, on_lattice
from lcstats.errors import OptionError, TableError, describe
from lcstats.options import Repeats, check_option, check_type
from lcstats.records import freeze_arrays
from lcstats.trials import Trials
from lcstats.trials.wording import listed

KEY = ("task", "length", "depth", "case")
"""What names a case on both sides; ids that restart in every cell are different cases."""

COLUMNS = ("length", "depth", "case", "old", "new", "cluster")
"""Attributes of :class:`Pairs` with one value per pair."""


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """The cases of one task that both language models were scored on, one row each.

    Rows are sorted by length, depth (none last) and case, so that they do not depend on the order
    of the tables they come from.

    Attributes
    ----------
    old_model, new_model, task : str
    length_unit : str
    length : ndarray of int64, shape (n_pairs,)
    depth : ndarray of float64, shape (n_pairs,)
        Fractions; NaN where a case has none.
    case : ndarray of object, shape (n_pairs,)
        Ids.
    old, new : ndarray of int64, shape (n_pairs,)
        The case's mean score over its repeats, times `unit`.
    unit : int
        1 for 0/1 scores without repeats.
    cluster : ndarray of int64, shape (n_pairs,)
        Pairs with equal codes are resampled together; a pair that shares nothing has its own.
        Codes are common to the tasks of one table.
    n_unmatched_old, n_unmatched_new : int
        Scored cases of the task without a partner.
    guess_rate : float
        Of the old language model's table.
    """

    old_model: str
    new_model: str
    task: str
    length_unit: str
    length: NDArray[np.int64]
    depth: NDArray[np.float64]
    case: NDArray[np.object_]
    old: NDArray[np.int64]
    new: NDArray[np.int64]
    unit: int
    cluster: NDArray[np.int64]
    n_unmatched_old: int
    n_unmatched_new: int
    guess_rate: float = 0.0

    def __post_init__(self) -> None:
        """Make the arrays read-only."""
        freeze_arrays(self)

    @property
    def n_pairs(self) -> int:
        """How many cases both language models were scored on."""
        return int(self.length.size)

    @property
    def is_clustered(self) -> bool:
        """True if any two pairs share a cluster."""
        return bool(np.unique(self.cluster).size < self.n_pairs)

    @property
    def has_fractions(self) -> bool:
        """True if some case is worth neither 0 nor 1 to either language model."""
        return bool(np.any(self.old % self.unit) or np.any(self.new % self.unit))

    def select(self, kept: NDArray[np.bool_]) -> "Pairs":
        """Return some of the pairs; what has no partner is not counted for them."""
        parts: dict[str, Any] = {name: getattr(self, name)[kept] for name in COLUMNS}
        return replace(self, **parts, n_unmatched_old=0, n_unmatched_new=0)

    def grids(self) -> tuple[CellGrid, CellGrid]:
        """Return the counts of both language models on these pairs alone, old first.

        Both have the same lengths and depths, and their cases are in the pairs' order, so that one
        vector of case or cluster weights resamples both.
        """
        return self._grid(self.old_model, self.old), self._grid(self.new_model, self.new)

    def _grid(self, model: str, numerator: NDArray[np.int64]) -> CellGrid:
        lengths, row = np.unique(self.length, return_inverse=True)
        depths, column = np.unique(self.depth, return_inverse=True)
        shape = (lengths.size, depths.size)
        cell = row * depths.size + column
        n_cases, numerators = np.zeros((2, *shape), dtype=np.int64)
        np.add.at(n_cases, (row, column), 1)
        np.add.at(numerators, (row, column), numerator)
        return CellGrid(
            model=model,
            task=self.task,
            length_unit=self.length_unit,
            lengths=lengths,
            depths=depths,
            n_cases=n_cases,
            n_trials=n_cases,
            numerators=numerators,
            unit=self.unit,
            cases=CaseIndex(cell=cell, numerator=numerator, cluster=self.cluster),
            guess_rate=self.guess_rate,
        )

    def __repr__(self) -> str:
        return f"Pairs({self.old_model} and {self.new_model} on {self.task}: {self.n_pairs} pairs)"


def pair_trials(old: Trials, new: Trials, *, repeats: Repeats = "fold") -> tuple[Pairs, ...]:
    """Bring together the cases that two language models were both scored on.

    Parameters
    ----------
    old, new : Trials
        Of one language model each; the names may be equal, as for two runs of one.
    repeats : {"fold", "independent"}
        ``fold`` makes the mean score of a case one observation; ``independent`` pairs every
        repeat with the other side's repeat of the same number.

    Returns
    -------
    tuple of Pairs
        One per task that has pairs, by name. Empty where no case is shared.

    Raises
    ------
    OptionError
        If a table holds several language models, or an option is unknown.
    TableError
        If a table has no case ids, or lengths are in different units.

    Examples
    --------
    >>> table = pd.DataFrame({"case": ["a", "b", "c"], "length": 4096, "score": [1, 1, 0]})
    >>> old = Trials.from_frame(table)
    >>> new = Trials.from_frame(table.assign(score=[1, 0, 0]).iloc[:2])
    >>> (pairs,) = pair_trials(old, new)
    >>> pairs.old.tolist(), pairs.new.tolist(), pairs.n_unmatched_old
    ([1, 1], [1, 0], 1)
    """
    check_option(repeats, Repeats, "repeats")
    for trials, name in ((old, "old"), (new, "new")):
        check_type(trials, Trials, name)
        _check_pairable(trials, name)
    check_units(old.length_unit, new.length_unit)
    cases, unit = _cases_of_both(old, new, fold=repeats == "fold")
    keys = [*KEY] if repeats == "fold" else [*KEY, "repeat"]
    sides = [cases[cases["model"] == side].drop(columns="model") for side in ("old", "new")]
    paired = sides[0].merge(sides[1], on=keys, suffixes=("_old", "_new")).sort_values(keys)
    paired = paired.assign(cluster=_clusters_of(paired))
    n_cases = [side["task"].value_counts() for side in sides]
    rates = guess_rates(scored_cases(old))
    return tuple(
        _pairs_of(str(task), group, unit, n_cases, rates, old, new)
        for task, group in paired.groupby("task", sort=True)
    )


def pool_pairs(parts: Sequence[Pairs]) -> Pairs:
    """Put the pairs of several tasks of one table together, under the first one's name.

    Parameters
    ----------
    parts : sequence of Pairs
        What :func:`pair_trials` returned, or some of it: one unit and common cluster codes.
    """
    columns: dict[str, Any] = {
        name: np.concatenate([getattr(part, name) for part in parts]) for name in COLUMNS
    }
    return replace(parts[0], **columns)


def check_one_model(models: Sequence[str], side: str) -> None:
    """Refuse a side that is not of a single language model.

    Raises
    ------
    OptionError
        If it holds several.
    """
    if len(models) > 1:
        raise OptionError(
            describe(
                f"{side} holds {len(models)} language models: {listed(models)}",
                "expected one on each side",
                f"choose one: {side}.select(model=...), or --{side}-model on the command line",
            )
        )


def check_units(old: str, new: str) -> None:
    """Refuse lengths in different units.

    Raises
    ------
    TableError
        If they are.
    """
    if old != new:
        raise TableError(
            describe(
                f"lengths are in {old} on the old side and in {new} on the new",
                "expected one unit, since cases are matched by their length",
                "read both with the same --length-unit",
            )
        )


def scored_cases(trials: Trials) -> pd.DataFrame:
    """Return the scored rows of a table whose length is a tested one."""
    frame = trials.frame
    return frame[frame["score"].notna() & (frame["length"] > 0)]


def _check_pairable(trials: Trials, name: str) -> None:
    check_one_model(trials.models, name)
    if not trials.has_case_ids:
        raise TableError(
            describe(
                f"the {name} table has no case ids",
                "expected ids that name the same case in both tables, without which nothing pairs",
                "map the column that holds them with --map case=COLUMN",
            )
        )


def _cases_of_both(old: Trials, new: Trials, *, fold: bool) -> tuple[pd.DataFrame, int]:
    """Return the scored cases of both sides, their scores on one lattice, and its unit."""
    parts = [scored_cases(old).assign(model="old"), scored_cases(new).assign(model="new")]
    columns = ["model", *KEY, "repeat", "score"]
    scored = pd.concat([_with_cluster(part)[[*columns, "cluster"]] for part in parts])
    numerators, unit = on_lattice(scored["score"].to_numpy())
    observed = scored.assign(
        numerator=numerators, n_trials=1, cluster=cluster_codes(scored["cluster"])
    )
    return fold_repeats(observed, unit) if fold else (observed, unit)


def _with_cluster(frame: pd.DataFrame) -> pd.DataFrame:
    return frame if "cluster" in frame else frame.assign(cluster=None)


def _clusters_of(paired: pd.DataFrame) -> NDArray[np.int64]:
    """Number what pairs share, shape (n_pairs,): pairs connected on either side are together."""
    if not len(paired):
        return np.empty(0, dtype=np.int64)
    ends = [paired[f"cluster_{side}"].to_numpy(np.int64) for side in ("old", "new")]
    n_codes = int(max(part.max() for part in ends)) + 1
    links = coo_array((np.ones(len(paired)), tuple(ends)), shape=(n_codes, n_codes))
    labels = connected_components(links, directed=False)[1]
    return np.asarray(pd.factorize(labels[ends[0]])[0], dtype=np.int64)


def _pairs_of(
    task: str,
    group: pd.DataFrame,
    unit: int,
    n_cases: list["pd.Series[int]"],
    rates: Mapping[tuple[str, str], float],
    old: Trials,
    new: Trials,
) -> Pairs:
    n_old, n_new = (int(counts[task]) - len(group) for counts in n_cases)
    return Pairs(
        old_model=old.models[0],
        new_model=new.models[0],
        task=task,
        length_unit=old.length_unit,
        length=group["length"].to_numpy(np.int64),
        depth=group["depth"].to_numpy(np.float64),
        case=group["case"].to_numpy(object),
        old=group["numerator_old"].to_numpy(np.int64),
        new=group["numerator_new"].to_numpy(np.int64),
        unit=unit,
        cluster=group["cluster"].to_numpy(np.int64),
        n_unmatched_old=n_old,
        n_unmatched_new=n_new,
        guess_rate=rates.get((old.models[0], task), 0.0),
    )
