"""What the residual figure shows: how far every cell lies from the fitted curve."""

import numpy as np
import pandas as pd

from lcstats.fit import CurveFit


def residuals_data(fit: CurveFit) -> pd.DataFrame:
    """Return the Pearson residual of every cell of a fitted curve, holes included.

    Parameters
    ----------
    fit : CurveFit

    Returns
    -------
    DataFrame
        One row per length and depth, ascending, n_lengths * n_depths rows: ``length``,
        ``depth`` (NaN, last: none), ``n_cases`` (0 in a hole), ``accuracy``, ``fitted``,
        ``residual`` (NaN in a hole), and ``is_worst``, true for the one cell farthest from the
        curve.

    Notes
    -----
    With k successes of n cases and the fitted accuracy p, the Pearson residual is
    ``(k - n p) / sqrt(n p (1 - p))``: above 0 where the language model does better than the curve
    says. In cells of few cases it is no standard normal number.

    Examples
    --------
    >>> from lcstats.cells import Cells
    >>> from lcstats.fit import fit_curve
    >>> cells = Cells.from_counts(
    ...     [4096, 8192, 16384], [0.5], n_cases=40, successes=[[36], [36], [4]]
    ... )
    >>> table = residuals_data(fit_curve(cells, terms=("intercept", "length")))
    >>> table[["length", "accuracy", "fitted", "residual", "is_worst"]].round(2)
       length  accuracy  fitted  residual  is_worst
    0    4096       0.9    0.97     -2.83      True
    1    8192       0.9    0.74      2.30     False
    2   16384       0.1    0.18     -1.38     False
    """
    grid = fit.grid
    observed, fitted = grid.accuracy, fit.accuracy
    variance = np.maximum(grid.n_cases * fitted * (1.0 - fitted), 1e-12)
    distance = grid.n_cases * (observed - fitted) / np.sqrt(variance)
    worst = np.zeros(distance.size, dtype=bool)
    worst[np.nanargmax(np.abs(distance))] = True
    return pd.DataFrame(
        {
            "length": np.repeat(grid.lengths, grid.depths.size),
            "depth": np.tile(grid.depths, grid.lengths.size),
            "n_cases": grid.n_cases.ravel(),
            "accuracy": observed.ravel(),
            "fitted": fitted.ravel(),
            "residual": distance.ravel(),
            "is_worst": worst,
        }
    )
