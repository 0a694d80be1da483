"""Cells of needles and cells of whole trials: what fits, surfaces and lengths are made from."""

import numpy as np
import pandas as pd

from lcstats.cells import Cells, count_cells
from lcstats.needles.data import Floats, NeedleTable, Whole
from lcstats.trials import Trials


def needle_cells(table: NeedleTable, *, digits: int | None = None) -> Cells:
    """Count needles by length and own depth; the needles of a trial share a cluster.

    Every curve, surface, test and figure of cells then speaks of single needles.

    Parameters
    ----------
    table : NeedleTable
        Where nobody knows which needles were found, the share of needles of a trial is one graded
        case at the depth of the trial.
    digits : int, optional
        Decimals that depths are rounded to, so that needles of nearly one place share a cell; as
        they are without it.
    """
    if table.kind == "counts":
        return _count(table, table.found.mean(axis=1)[:, None], table.asked_depth[:, None])
    return _count(
        table, table.found, table.depths if digits is None else table.depths.round(digits)
    )


def joint_cells(table: NeedleTable) -> Cells:
    """Count trials that found all their needles, by length and depth of the trial."""
    return _count(table, table.all_found[:, None], table.asked_depth[:, None])


def _count(table: NeedleTable, scores: Floats, depths: Floats) -> Cells:
    """Count scores, shape (n_trials, n_parts), as cases of `table`'s units."""
    n_parts = scores.shape[1]
    each = np.repeat(np.arange(table.n_trials), n_parts)
    part = np.tile(np.arange(n_parts), table.n_trials)
    unit = table.unit[each]
    frame = pd.DataFrame(
        {
            "model": table.model,
            "task": table.task,
            "case": [f"{own}.{number}" for own, number in zip(unit, part, strict=True)],
            "repeat": _ordinals(table.unit)[each],
            "length": table.length[each],
            "depth": depths.ravel(),
            "score": scores.ravel(),
            "status": "ok",
            "cluster": [f"{code}" for code in table.cluster[unit]],
        }
    )
    return count_cells(Trials(frame, table.length_unit))


def _ordinals(unit: Whole) -> Whole:
    """Number the trials of every unit from 1."""
    return np.asarray(pd.Series(unit).groupby(unit).cumcount(), dtype=np.int64) + 1
