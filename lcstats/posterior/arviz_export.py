"""Posterior draws as the object that ArviZ works with, 0.23 and 1.x alike."""

from collections.abc import Mapping
from importlib import import_module
from typing import Any, Protocol, cast

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln, xlogy

from lcstats.cells import CellGrid
from lcstats.curve import FloatArray
from lcstats.draws import Draws
from lcstats.errors import OptionError, describe
from lcstats.fit import CurveFit
from lcstats.options import check_type, check_whole
from lcstats.posterior.door import sample_posterior

Arrays = dict[str, NDArray[Any]]

DIMENSIONS = {
    "accuracy": ["length", "depth"],
    "coefficients": ["term"],
    "successes": ["cell"],
    "n_cases": ["cell"],
    "cell_length": ["cell"],
    "cell_depth": ["cell"],
}


class GriddedDraws(Protocol):
    """Anything with accuracies of every draw on a grid: :class:`Draws`, a flexible fit."""

    @property
    def accuracies(self) -> FloatArray:
        """Draws of equal weight, shape (n_draws, n_lengths, n_depths)."""


class Fitted(Protocol):
    """Anything fitted to the counts of a grid."""

    @property
    def grid(self) -> CellGrid:
        """The counts."""


def to_arviz(fit: Fitted, draws: GriddedDraws | None = None, *, seed: int = 0) -> Any:
    """Return posterior draws for ArviZ: ``az.summary``, ``az.loo`` and its figures work on them.

    Parameters
    ----------
    fit : CurveFit, FlexibleFit, or anything with ``grid``
        Brings the counts.
    draws : Draws, or anything with ``accuracies``, optional
        Of the posterior. Without it ``sample_posterior(fit, seed=seed)`` for a curve, and the
        accuracies that `fit` itself has for another kind of fit, a :class:`FlexibleFit`, say.
    seed : int
        Of the posterior predictive counts, and of the draws where they are made here.

    Returns
    -------
    arviz.InferenceData or xarray.DataTree
        What the installed ArviZ uses, with these groups. ``posterior``: ``accuracy`` (length,
        depth) and, of a curve, ``coefficients`` (term) and ``lapse_rate`` where it was
        estimated. ``observed_data``: ``successes`` (cell), the cells with data; ``constant_data``:
        their ``n_cases``, ``cell_length`` and ``cell_depth``. ``log_likelihood`` and
        ``posterior_predictive``: ``successes`` (cell). ``sample_stats``: of NUTS. The posterior's
        attributes hold the diagnostics.

        A quasi-posterior (graded scores, folded repeats, clusters) has no law to draw counts from
        and no likelihood to compare by, so it has neither of the two groups.

    Raises
    ------
    OptionError
        If the draws are a bootstrap's, or of another grid.

    Notes
    -----
    The log-likelihood of a cell is ``log C(n, k) + k log p + (n - k) log(1 - p)``: leaving one out
    leaves out a cell, not a case. Importance draws are one chain of independent draws.

    Examples
    --------
    >>> from lcstats.cells import Cells
    >>> from lcstats.fit import fit_curve
    >>> cells = Cells.from_counts([4096, 65536], [0.5], n_cases=9, successes=[[8], [5]])
    >>> fit = fit_curve(cells, terms=("intercept", "length"))
    >>> to_arviz(fit)["posterior"]["accuracy"].dims
    ('chain', 'draw', 'length', 'depth')
    """
    check_whole(seed, "seed")
    if not hasattr(fit, "grid"):
        check_type(fit, CurveFit, "fit")
    if draws is None:
        draws = sample_posterior(fit, seed=seed) if isinstance(fit, CurveFit) else _own(fit)
    _check_match(fit.grid, draws)
    groups = {"posterior": _posterior(draws), **_counts(fit.grid)}
    if not _is_quasi(fit.grid):
        accuracy = _of_cells(fit.grid, draws)
        groups |= _law_of_counts(fit.grid, accuracy, np.random.default_rng(seed))
    statistics: Mapping[str, NDArray[Any]] = getattr(draws, "statistics", {})
    if statistics:
        groups["sample_stats"] = dict(statistics)
    found: Mapping[str, Any] = getattr(draws, "diagnostics", {})
    n_chains = int(found.get("n_chains", 1))
    by_chain = {
        name: group if name in ("observed_data", "constant_data") else _by_chain(group, n_chains)
        for name, group in groups.items()
    }
    return _container(
        by_chain, _coordinates(fit.grid, draws), {"inference_library": "lcstats", **found}
    )


def _posterior(draws: GriddedDraws) -> Arrays:
    arrays: Arrays = {"accuracy": draws.accuracies}
    if isinstance(draws, Draws):
        arrays["coefficients"] = draws.coefficients
        if draws.lapse_rates is not None:
            arrays["lapse_rate"] = draws.lapse_rates
    return arrays


def _coordinates(grid: CellGrid, draws: GriddedDraws) -> dict[str, Any]:
    coordinates: dict[str, Any] = {"length": grid.lengths, "depth": grid.depths}
    if isinstance(draws, Draws):
        coordinates["term"] = list(draws.terms)
    return coordinates


def _counts(grid: CellGrid) -> dict[str, Arrays]:
    row, column = np.nonzero(grid.n_cases)
    return {
        "observed_data": {"successes": grid.successes[row, column]},
        "constant_data": {
            "n_cases": grid.n_cases[row, column],
            "cell_length": grid.lengths[row],
            "cell_depth": grid.depths[column],
        },
    }


def _of_cells(grid: CellGrid, draws: GriddedDraws) -> FloatArray:
    """Accuracies of the cells with data, shape (n_draws, n_cells)."""
    row, column = np.nonzero(grid.n_cases)
    return np.asarray(draws.accuracies[:, row, column])


def _law_of_counts(
    grid: CellGrid, accuracy: FloatArray, rng: np.random.Generator
) -> dict[str, Arrays]:
    """Binomial log-likelihood of every cell, and counts drawn anew."""
    n, k = grid.n_cases[grid.n_cases > 0], grid.successes[grid.n_cases > 0]
    choices = gammaln(n + 1.0) - gammaln(k + 1.0) - gammaln(n - k + 1.0)
    # An accuracy that has rounded to 1 leaves a failure unlikely, not impossible.
    miss = np.maximum(1.0 - accuracy, np.finfo(np.float64).eps / 2.0)
    hit = np.maximum(accuracy, np.finfo(np.float64).tiny)
    log_likelihood = choices + xlogy(k, hit) + xlogy(n - k, miss)
    return {
        "log_likelihood": {"successes": log_likelihood},
        "posterior_predictive": {"successes": rng.binomial(n, accuracy)},
    }


def _is_quasi(grid: CellGrid) -> bool:
    return grid.has_fractions or grid.is_clustered


def _by_chain(group: Arrays, n_chains: int) -> Arrays:
    """(n_draws, ...), the chains taking turns, to (n_chains, n_draws_each, ...)."""
    return {
        name: np.moveaxis(values.reshape(-1, n_chains, *values.shape[1:]), 1, 0)
        for name, values in group.items()
    }


def _container(
    groups: dict[str, Arrays], coordinates: dict[str, Any], attributes: dict[str, Any]
) -> Any:
    arviz = import_module("arviz")
    named: dict[str, Any] = {"coords": coordinates, "dims": DIMENSIONS}
    if arviz.__version__.startswith("0."):
        container = arviz.from_dict(**groups, **named)
    else:
        container = arviz.from_dict(groups, **named)
    container["posterior"].attrs.update(attributes)
    return container


def _own(fit: Fitted) -> GriddedDraws:
    """A fit that has draws of accuracies itself."""
    if not hasattr(fit, "accuracies"):
        raise OptionError(
            describe(
                f"fit is of type {type(fit).__name__} and has no draws of accuracies",
                "expected a CurveFit, or a fit with accuracies",
                "fit cells with fit_curve(cells), or pass draws=",
            )
        )
    return cast("GriddedDraws", fit)


def _check_match(grid: CellGrid, draws: GriddedDraws) -> None:
    kind = draws.kind if isinstance(draws, Draws) else "posterior"
    if kind != "posterior":
        raise OptionError(
            describe(
                f"these draws are of kind {kind}",
                "expected draws of a posterior",
                "pass sample_posterior(fit)",
            )
        )
    same = draws.accuracies.shape[1:] == grid.n_cases.shape
    if same and isinstance(draws, Draws):
        same = np.array_equal(grid.lengths, draws.lengths)
        same &= np.array_equal(grid.depths, draws.depths, equal_nan=True)
    if not same:
        raise OptionError(
            describe(
                f"the draws are not on the lengths and depths of {grid.model} on {grid.task}",
                "expected draws of this very fit",
                "pass sample_posterior(fit)",
            )
        )
