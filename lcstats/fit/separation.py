"""Does some direction of the coefficients only ever improve the fit? Then nothing stops it."""

import numpy as np
from scipy.optimize import linprog

from lcstats.curve import FloatArray
from lcstats.fit.table import CellTable


def separates(
    design: FloatArray, table: CellTable, *, guess_rate: float = 0.0, lapse_rate: float = 0.0
) -> bool:
    """True if plain maximum likelihood has no finite answer (complete or quasi-separation).

    Parameters
    ----------
    design : ndarray of float64, shape (n_cells, n_terms)
        Of full column rank.
    table : CellTable
    guess_rate, lapse_rate : float
        A cell at or below the guess rate pulls its logit down for ever, like one that is all
        wrong, and a cell at or above the ceiling pulls it up.

    Notes
    -----
    Konis (2007): cells that are all right must not lose, cells that are all wrong must not gain,
    mixed cells must not move; if any direction moves a cell under these rules, the likelihood
    rises along it for ever. A linear programme finds it.
    """
    right = table.successes >= (1.0 - lapse_rate) * table.n_cases
    wrong = table.successes <= guess_rate * table.n_cases
    signed = np.where(wrong, -1.0, 1.0)[:, None] * design
    sure = right | wrong
    if not sure.any():
        return False
    programme = linprog(
        -signed[sure].sum(axis=0),
        A_ub=-signed[sure],
        b_ub=np.zeros(int(sure.sum())),
        A_eq=design[~sure] if (~sure).any() else None,
        b_eq=np.zeros(int((~sure).sum())) if (~sure).any() else None,
        bounds=(-1.0, 1.0),
        method="highs",
    )
    return bool(programme.success and -(programme.fun or 0.0) > 1e-7)
