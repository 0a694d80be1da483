"""What a task asks for, and its counts: how many facts, where they lie, what is counted."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from lcstats.cells import CellGrid
from lcstats.curve import Compound, FloatArray
from lcstats.errors import OptionError, describe
from lcstats.records import array_of, freeze_arrays, list_numbers

Counted = Literal["all", "facts"]
"""What a success is: a trial that found all its facts, or a single fact that was found."""


@dataclass(frozen=True, slots=True, eq=False)
class TaskCounts:
    """Counts of one task by cell, with the places of the facts that a trial needs.

    Attributes
    ----------
    name : str
    length : ndarray of float64, shape (n_cells,)
    places : ndarray of float64, shape (n_cells, n_places)
        Depths; NaN where there is none.
    n_cases, successes : ndarray of float64, shape (n_cells,)
        Trials, or facts in all trials where facts are counted.
    n_facts : int
        That a trial needs.
    are_placed : bool
        True where `places` are those of the facts, one each. False where each fact lies at any of
        the places, independently and with the same chance: rates are then averaged over them.
    counted : {"all", "facts"}
    combines : bool
        Whether found facts have still to be combined, with a chance that is to be estimated.
    own_terms : tuple of str
        Terms of the law in which the task differs from the others.
    tallies : ndarray of float64, shape (n_cells, n_facts + 1), or None
        Trials that found 0, 1, ... n_facts facts, n_facts at least 2, where facts are counted and
        that is known.
    """

    name: str
    length: FloatArray
    places: FloatArray
    n_cases: FloatArray
    successes: FloatArray
    n_facts: int = 1
    are_placed: bool = True
    counted: Counted = "all"
    combines: bool = False
    own_terms: tuple[str, ...] = ()
    tallies: FloatArray | None = None

    def __post_init__(self) -> None:
        """Refuse places that are not those of the facts, and make the arrays read-only."""
        freeze_arrays(self)
        if self.are_placed and self.places.shape[1] != self.n_facts:
            raise OptionError(
                describe(
                    f"{self.name} has {self.places.shape[1]} places for {self.n_facts} facts",
                    "expected one for each",
                    "pass are_placed=False where the places of facts are not known",
                )
            )

    @classmethod
    def from_grid(
        cls,
        grid: CellGrid,
        places: FloatArray | None = None,
        *,
        n_facts: int | None = None,
        combines: bool = False,
        own_terms: tuple[str, ...] = (),
    ) -> "TaskCounts":
        """Take the cells of a grid; their trials' facts lie at places that depend on the depth.

        Parameters
        ----------
        grid : CellGrid
        places : ndarray of float64, shape (n_facts, n_depths), optional
            Places for every depth of the grid; without them a single fact lies at the depth itself.
        n_facts : int, optional
            Where given, `places`, shape (n_places,), are all that a fact can lie at.
        combines, own_terms
            As the attributes.

        Examples
        --------
        >>> from lcstats.cells import Cells
        >>> cells = Cells.from_counts([4096], [0.0, 0.5], n_cases=20, successes=[[20, 11]])
        >>> two_hop = TaskCounts.from_grid(cells.grid, np.stack([[0.0, 0.5], [1.0, 0.5]]))
        >>> two_hop.places.tolist()
        [[0.0, 1.0], [0.5, 0.5]]
        """
        row, column = np.nonzero(grid.n_cases)
        if n_facts is not None and places is not None:
            own = np.repeat(np.asarray(places, np.float64)[None], row.size, axis=0)
        else:
            own = (grid.depths[None] if places is None else places).T[column]
        return cls(
            name=grid.task,
            length=grid.lengths[row].astype(np.float64),
            places=np.ascontiguousarray(own, dtype=np.float64),
            n_cases=grid.n_cases[row, column].astype(np.float64),
            successes=grid.successes[row, column],
            n_facts=own.shape[1] if n_facts is None else n_facts,
            are_placed=n_facts is None,
            combines=combines,
            own_terms=own_terms,
        )

    def to_dict(self) -> dict[str, Any]:
        """Return JSON-ready values."""
        return {
            **{name: getattr(self, name) for name in _AS_THEY_ARE},
            **{name: list_numbers(getattr(self, name)) for name in _ARRAYS},
            "own_terms": list(self.own_terms),
            "tallies": None if self.tallies is None else list_numbers(self.tallies),
        }

    @classmethod
    def from_dict(cls, document: Mapping[str, Any]) -> "TaskCounts":
        """Restore what :meth:`to_dict` returned; a place that is None is NaN."""
        plain: dict[str, Any] = {name: document[name] for name in _AS_THEY_ARE}
        arrays: dict[str, Any] = {name: array_of(document[name]) for name in _ARRAYS}
        tallies = document.get("tallies")
        return cls(
            **plain,
            **arrays,
            own_terms=tuple(document["own_terms"]),
            tallies=None if tallies is None else array_of(tallies),
        )

    @property
    def n_factors(self) -> int:
        """Facts whose chances are multiplied: one where facts are counted."""
        return 1 if self.counted == "facts" else self.n_facts

    def compound(self, design: FloatArray, combining: FloatArray) -> Compound:
        """Return how the facts make an outcome.

        Parameters
        ----------
        design : ndarray of float64, shape (n_cells, n_places, n_terms)
        combining : ndarray of float64, shape (n_cells, n_combining)
        """
        if self.are_placed and self.counted == "all":
            return Compound.of_places(design, combining)
        return Compound.of_unknown_places(design, self.n_factors, combining)


_AS_THEY_ARE = ("name", "n_facts", "are_placed", "counted", "combines")
_ARRAYS = ("length", "places", "n_cases", "successes")


def tallies_of(tasks: Sequence[TaskCounts]) -> FloatArray | None:
    """Return trials by number of found facts, where a single task says it; None elsewhere."""
    return tasks[0].tallies if len(tasks) == 1 else None


def excess_scatter(tasks: Sequence[TaskCounts], dispersion: float) -> float:
    """Return how many times the binomial variance counts have.

    More than 1 for facts alone, and not where tallies are known: their likelihood has the scatter.
    """
    if tallies_of(tasks) is not None:
        return 1.0
    counts_facts = any(task.counted == "facts" for task in tasks)
    return max(dispersion, 1.0) if counts_facts and np.isfinite(dispersion) else 1.0


def join_compounds(parts: list[Compound]) -> Compound:
    """Put the cells of several tasks into one."""
    points = np.cumsum([0, *(part.design.shape[0] for part in parts)])
    factors = np.cumsum([0, *(part.powers.size for part in parts)])
    return Compound(
        design=np.concatenate([part.design for part in parts]),
        factor_starts=_chain([part.factor_starts for part in parts], points),
        powers=np.concatenate([part.powers for part in parts]),
        cell_starts=_chain([part.cell_starts for part in parts], factors),
        combining=np.concatenate([part.combining for part in parts]),
    )


def _chain(starts: list[NDArray[np.int64]], offsets: NDArray[np.int64]) -> NDArray[np.int64]:
    shifted = [own[:-1] + offset for own, offset in zip(starts, offsets[:-1], strict=True)]
    return np.append(np.concatenate(shifted), offsets[-1])
