"""What the prior predictive figure shows: accuracy by length before and after the counts."""

from collections.abc import Iterator

import numpy as np
import pandas as pd

from lcstats.draws import Draws
from lcstats.errors import OptionError, describe
from lcstats.fit import CurveFit
from lcstats.options import check_level, check_type
from lcstats.posterior import sample_prior

N_SINGLE = 30
"""Single curves of the prior that are drawn."""
INNER_LEVEL = 0.5


def prior_predictive_data(
    fit: CurveFit,
    *,
    prior: Draws | None = None,
    posterior: Draws | None = None,
    level: float = 0.95,
) -> pd.DataFrame:
    """Return the accuracy, averaged over depths, that the priors allow at every tested length.

    Parameters
    ----------
    fit : CurveFit
        Brings the law, the tested lengths and the counts.
    prior : Draws, optional
        By :func:`lcstats.posterior.sample_prior`; drawn here unless given.
    posterior : Draws, optional
        By :func:`lcstats.posterior.sample_posterior`; adds its rows.
    level : float
        Of the wider interval; the narrower one has level .5.

    Returns
    -------
    DataFrame
        Rows with ``series`` "prior", "posterior" (where given): one per length, with ``median``
        and the ends of equal-tailed intervals ``lower``, ``upper`` (`level`) and ``inner_lower``,
        ``inner_upper`` (.5). With ``series`` "curve": ``median`` is the accuracy of one curve of
        the prior, numbered by ``curve``. With "observed": ``median`` is the mean of the cells
        with data. Elsewhere a number is NaN, ``curve`` -1.

    Raises
    ------
    OptionError
        If `fit` is no fit, or draws are of other kinds or lengths.

    Examples
    --------
    >>> from lcstats.cells import Cells
    >>> from lcstats.fit import fit_curve
    >>> cells = Cells.from_counts([4096, 65536], [0.5], n_cases=9, successes=[[8], [5]])
    >>> table = prior_predictive_data(fit_curve(cells, terms=("intercept", "length")))
    >>> table["series"].value_counts().to_dict()
    {'curve': 60, 'prior': 2, 'observed': 2}
    """
    check_type(fit, CurveFit, "fit")
    check_level(level)
    prior = sample_prior(fit) if prior is None else prior
    rows = [_intervals(fit, prior, "prior", level)]
    if posterior is not None:
        rows.append(_intervals(fit, posterior, "posterior", level))
    rows.extend(_single_curves(fit, prior))
    with np.errstate(invalid="ignore"):
        observed = np.nanmean(fit.grid.accuracy, axis=1)
    rows.append(_frame(fit, "observed", median=observed))
    return pd.concat(rows, ignore_index=True)


def _intervals(fit: CurveFit, draws: Draws, kind: str, level: float) -> pd.DataFrame:
    if draws.kind != kind or not np.array_equal(draws.lengths, fit.grid.lengths):
        raise OptionError(
            describe(
                f"{kind} is draws of kind {draws.kind} on {len(draws.lengths)} lengths",
                f"expected {kind} draws on the lengths of the fit",
                f"pass {kind}=sample_{kind}(fit)",
            )
        )
    means = draws.accuracies.mean(axis=2)
    shares = [share for inside in (level, INNER_LEVEL) for share in _tails(inside)]
    ends = np.quantile(means, shares, axis=0)
    names = ("lower", "upper", "inner_lower", "inner_upper")
    return _frame(fit, kind, median=np.median(means, axis=0), **dict(zip(names, ends, strict=True)))


def _tails(level: float) -> tuple[float, float]:
    return (1.0 - level) / 2.0, (1.0 + level) / 2.0


def _single_curves(fit: CurveFit, prior: Draws) -> Iterator[pd.DataFrame]:
    for number, accuracy in enumerate(prior.accuracies[:N_SINGLE].mean(axis=2)):
        yield _frame(fit, "curve", median=accuracy, curve=number)


def _frame(
    fit: CurveFit, series: str, *, median: np.ndarray, curve: int = -1, **ends: np.ndarray
) -> pd.DataFrame:
    names = ("lower", "upper", "inner_lower", "inner_upper")
    return pd.DataFrame(
        {
            "series": series,
            "curve": curve,
            "length": fit.grid.lengths,
            "median": median,
            **{name: ends.get(name, np.full(len(fit.grid.lengths), np.nan)) for name in names},
        }
    )
