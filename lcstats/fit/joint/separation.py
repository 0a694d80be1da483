"""Whether trials separate right from wrong: nothing but a penalty then holds coefficients."""

import numpy as np
from numpy.typing import NDArray

from lcstats.curve import Compound, FloatArray
from lcstats.fit.separation import separates
from lcstats.fit.table import CellTable


def separates_facts(compound: Compound, n_cases: FloatArray, successes: FloatArray) -> bool:
    """True if some direction of the coefficients improves every cell that it moves.

    Parameters
    ----------
    compound : Compound
    n_cases, successes : ndarray of float64, shape (n_cells,)

    Notes
    -----
    Sufficient: along the direction no fact of an all-right cell gets worse, none of an all-wrong
    cell better, and none of a mixed cell moves. A cell without a single success could also be
    reached by a direction that moves only one of its facts.

    Examples
    --------
    >>> flat = Compound.of_places(np.ones((2, 3, 1)))
    >>> separates_facts(flat, np.array([5.0, 5.0]), np.array([5.0, 5.0]))
    True
    >>> separates_facts(flat, np.array([5.0, 5.0]), np.array([5.0, 4.0]))
    False
    """
    design, cell = compound.design, _cell_of_points(compound)
    mixed = ((successes > 0.0) & (successes < n_cases))[cell]
    if np.linalg.matrix_rank(design[mixed]) == design.shape[1]:
        return False
    none = np.full(cell.size, np.nan)
    table = CellTable(none, none, n_cases[cell], successes[cell], cell)
    return separates(design, table)


def _cell_of_points(compound: Compound) -> NDArray[np.int64]:
    """Return the cell of every row of the design, shape (n_points,)."""
    starts = compound.factor_starts[compound.cell_starts]
    return np.repeat(np.arange(starts.size - 1), np.diff(starts))
