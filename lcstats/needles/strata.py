"""Which needle outcomes are alike: of one length and place, only chance tells them apart."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lcstats.needles.data import Floats, NeedleTable, Whole, count_members
from lcstats.records import freeze_arrays

N_PARTS = 10
"""Parts of the context in which depths count as alike, where every trial has its own depths."""

SHARED_SHARE = 0.5
"""Share of units that another unit must match place by place for places to be strata."""


@dataclass(frozen=True, slots=True, eq=False)
class Strata:
    """Outcomes that are alike.

    Attributes
    ----------
    code : ndarray of int64, shape (n_trials, n_needles)
    informs : ndarray of bool, shape (n_trials,)
        Whether each stratum of the trial holds another unit: alone, a unit is its own mean.
    words : str
        What makes outcomes alike.
    """

    code: Whole
    informs: NDArray[np.bool_]
    words: str

    def __post_init__(self) -> None:
        """Make the arrays read-only."""
        freeze_arrays(self)


def make_strata(table: NeedleTable) -> Strata:
    """Put outcomes of one place together; where no two trials share places, parts of the context.

    Parameters
    ----------
    table : NeedleTable
        Of needles or counts.
    """
    ordinal = np.arange(table.n_needles)
    is_shared = bool((table.units_by_placement > 1).mean() >= SHARED_SHARE)
    if table.kind == "needles" and (is_shared or not table.has_depths):
        code = table.placement[:, None] * table.n_needles + ordinal
        words = "length and place" if table.has_depths else f"{_known_of_trials(table)} and order"
    elif is_shared or not table.has_depths:
        code = np.repeat(table.placement[:, None], table.n_needles, axis=1)
        words = _known_of_trials(table)
    else:
        part = np.minimum((table.depths * N_PARTS).astype(np.int64), N_PARTS - 1)
        code = np.searchsorted(table.lengths, table.length)[:, None] * N_PARTS + part
        words = "length and tenth of the context"
    code = np.unique(code, return_inverse=True)[1].reshape(code.shape)
    return Strata(code, _informs(table, code), words)


def _known_of_trials(table: NeedleTable) -> str:
    return "length and depth of the trial" if table.has_asked_depths else "length"


def _informs(table: NeedleTable, code: Whole) -> NDArray[np.bool_]:
    unit = np.repeat(table.unit[:, None], table.n_needles, axis=1)
    return np.asarray((count_members(code.ravel(), unit.ravel())[code] > 1).all(axis=1))


def stratum_means(found: Floats, code: Whole, weight: Floats) -> Floats:
    """Return the weighted share found of every stratum, shape (n_strata,); 0 where no weight is.

    Parameters
    ----------
    found : ndarray of float64, shape (n_trials, n_needles)
    code : ndarray of int64, shape (n_trials, n_needles)
    weight : ndarray of float64, shape (n_trials,)
    """
    each = np.broadcast_to(weight[:, None], code.shape).ravel()
    total = np.bincount(code.ravel(), each)
    right = np.bincount(code.ravel(), each * found.ravel())
    return np.divide(right, total, out=np.zeros(total.size), where=total > 0)
