"""What the posterior predictive check shows: tables the curve would give, beside the one seen."""

import numpy as np
import pandas as pd

from lcstats.curve import FloatArray
from lcstats.draws import Draws
from lcstats.errors import OptionError, describe
from lcstats.fit import CurveFit
from lcstats.options import check_level, check_type
from lcstats.plots.prior_predictive_table import INNER_LEVEL
from lcstats.posterior import sample_posterior

MOST_TABLES = 1000
"""Tables drawn; more move the ends of an interval by less than a line is thick."""


def posterior_predictive_data(
    fit: CurveFit, *, posterior: Draws | None = None, level: float = 0.95, seed: int = 0
) -> pd.DataFrame:
    """Return observed accuracies beside those of tables that the posterior would give.

    Every draw of the posterior gives one table: as many cases per cell as were seen, right or
    wrong independently. Where what was seen lies outside what such tables do, by more lengths or
    depths than chance has, the curve does not tell of these data.

    Parameters
    ----------
    fit : CurveFit
        Brings the law and the counts, of whole cases.
    posterior : Draws, optional
        By :func:`lcstats.posterior.sample_posterior`; drawn here, with `seed`, unless given.
    level : float
        Of the wider interval; the narrower one has level .5.
    seed : int
        Of the tables.

    Returns
    -------
    DataFrame
        Rows with ``by`` "length", one per length (``place``), and "depth", one per known depth:
        ``observed``, the mean of the cells with data; ``median``, ``lower``, ``upper``,
        ``inner_lower``, ``inner_upper`` of the same mean over the tables; ``is_outside``, whether
        what was seen lies outside of `level`. A row "all" has in ``observed`` the share of tables
        that lie at least as far from their curve, by Pearson's chi-squared, as those seen do.

    Raises
    ------
    OptionError
        If scores are graded, or the draws are of another kind or other lengths.

    Notes
    -----
    The last number is a posterior predictive p-value [1]_: near 0 the curve fits less well than
    its own tables do. It is no test of level .05: it is rarely small even then.

    References
    ----------
    .. [1] A. Gelman, X.-L. Meng, H. Stern (1996), Posterior predictive assessment of model
       fitness via realized discrepancies, Statistica Sinica 6.

    Examples
    --------
    >>> from lcstats.cells import Cells
    >>> from lcstats.fit import fit_curve
    >>> cells = Cells.from_counts([4096, 65536], [0.5], n_cases=90, successes=[[80], [50]])
    >>> table = posterior_predictive_data(fit_curve(cells, terms=("intercept", "length")))
    >>> table[["by", "place", "is_outside"]]
           by    place  is_outside
    0  length   4096.0       False
    1  length  65536.0       False
    2   depth      0.5       False
    3     all      NaN       False
    """
    check_type(fit, CurveFit, "fit")
    check_level(level)
    _refuse_graded(fit)
    posterior = sample_posterior(fit, seed=seed) if posterior is None else posterior
    _check_draws(fit, posterior)
    grid = fit.grid
    truths = posterior.accuracies[:MOST_TABLES]
    rng = np.random.default_rng(seed)
    tables = rng.binomial(grid.n_cases, truths) / np.maximum(grid.n_cases, 1)
    tables[:, grid.n_cases == 0] = np.nan
    known = ~np.isnan(grid.depths)
    parts = [
        _rows("length", grid.lengths.astype(np.float64), grid.accuracy, tables, level),
        _rows("depth", grid.depths[known], grid.accuracy.T[known], tables.mT[:, known], level),
        pd.DataFrame({"by": ["all"], "observed": _share_as_far(fit, truths, tables)}),
    ]
    table = pd.concat(parts, ignore_index=True)
    return table.assign(is_outside=table["is_outside"].eq(True))


def _refuse_graded(fit: CurveFit) -> None:
    if fit.grid.has_fractions:
        raise OptionError(
            describe(
                "scores are graded, or repeats are folded",
                "expected cases that are right or wrong, whose tables the curve can draw",
                "count repeats on their own, or say from which score a case counts as right",
            )
        )


def _check_draws(fit: CurveFit, draws: Draws) -> None:
    if draws.kind != "posterior" or draws.accuracies.shape[1:] != fit.grid.n_cases.shape:
        raise OptionError(
            describe(
                f"posterior is draws of kind {draws.kind} on {draws.lengths.size} lengths",
                "expected posterior draws on the cells of the fit",
                "pass posterior=sample_posterior(fit)",
            )
        )


def _rows(
    by: str, places: FloatArray, observed: FloatArray, tables: FloatArray, level: float
) -> pd.DataFrame:
    """Summarise means over the last axis; a place that no cell has is left out."""
    tested = ~np.isnan(observed).all(axis=1)
    means = np.nanmean(tables[:, tested], axis=2)
    seen = np.nanmean(observed[tested], axis=1)
    outside = [(1.0 - share) / 2.0 for share in (level, INNER_LEVEL)]
    shares = [0.5, outside[0], 1.0 - outside[0], outside[1], 1.0 - outside[1]]
    median, lower, upper, inner_lower, inner_upper = np.quantile(means, shares, axis=0)
    return pd.DataFrame(
        {
            "by": by,
            "place": places[tested],
            "observed": seen,
            "median": median,
            "lower": lower,
            "upper": upper,
            "inner_lower": inner_lower,
            "inner_upper": inner_upper,
            "is_outside": (seen < lower) | (seen > upper),
        }
    )


def _share_as_far(fit: CurveFit, truths: FloatArray, tables: FloatArray) -> float:
    seen = _chi_squared(fit.grid.accuracy, truths, fit.grid.n_cases)
    return float(np.mean(_chi_squared(tables, truths, fit.grid.n_cases) >= seen))


def _chi_squared(accuracy: FloatArray, truths: FloatArray, n_cases: np.ndarray) -> FloatArray:
    """Pearson's distance of accuracies from those of every draw, over cells with data."""
    filled = n_cases > 0
    gaps = (accuracy - truths)[:, filled] ** 2 * n_cases[filled]
    distances: FloatArray = (gaps / (truths * (1.0 - truths))[:, filled]).sum(axis=1)
    return distances
