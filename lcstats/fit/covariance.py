"""How far the estimates may be off: model-based, and from the scatter of cases or clusters."""

from collections.abc import Callable

import numpy as np
from scipy.special import expit

from lcstats.cells import CaseIndex, CellGrid
from lcstats.curve import TERMS, Curve, FloatArray
from lcstats.fit.table import CellTable, Law


def standard_errors(covariance: FloatArray) -> FloatArray:
    """Standard errors; NaN where a variance is negative, which says that nothing is determined."""
    variances = np.diag(covariance)
    return np.asarray(np.sqrt(np.where(variances >= 0.0, variances, np.nan)))


def accuracy_gradient(
    law: Law, table: CellTable, curve: Curve, estimated: tuple[str, ...]
) -> tuple[FloatArray, FloatArray]:
    """Return fitted accuracies and their derivatives in every fitted parameter.

    Returns
    -------
    accuracy : ndarray of float64, shape (n_cells,)
    gradient : ndarray of float64, shape (n_cells, n_parameters)
        Terms first, then ``lapse_rate`` and ``recency_scale`` as named in `estimated`.
    """
    design = law.design(table.length, table.depth)
    coefficients = curve.coefficients[[TERMS.index(term) for term in law.terms]]
    sigma = expit((design * coefficients).sum(axis=-1))
    share = 1.0 - law.guess_rate - law.lapse_rate
    slope = share * sigma * (1.0 - sigma)
    extra: dict[str, Callable[[], FloatArray]] = {
        "lapse_rate": lambda: -sigma,
        "recency_scale": lambda: slope * _recency_slope(curve, table),
    }
    columns = [slope[:, None] * design, *(extra[name]()[:, None] for name in estimated)]
    return law.guess_rate + share * sigma, np.hstack(columns)


def _recency_slope(curve: Curve, table: CellTable) -> FloatArray:
    """Derivative of the logit in the recency scale: r exp(-(1-d)/s) (1-d)/s^2."""
    gap = np.where(np.isnan(table.depth), np.inf, 1.0 - table.depth)
    bonus = np.exp(-gap / curve.recency_scale)
    reach = np.where(np.isfinite(gap), gap, 0.0)
    return np.asarray(curve.recency * bonus * reach / curve.recency_scale**2)


def model_covariance(
    accuracy: FloatArray, gradient: FloatArray, table: CellTable, dispersion: float
) -> FloatArray:
    """Return the inverse Fisher information times the dispersion; infinite where singular."""
    weight = table.n_cases / np.maximum(accuracy * (1.0 - accuracy), 1e-300)
    information = gradient.T @ (weight[:, None] * gradient)
    return dispersion * invert_information(information)


def robust_covariance(
    grid: CellGrid, accuracy: FloatArray, gradient: FloatArray, table: CellTable
) -> FloatArray | None:
    """Return the sandwich covariance with cases, or the clusters they share, as units.

    The middle is the sum over clusters of the outer product of their scores, times
    G / (G - 1) for G clusters; None for sources without cases or with a single cluster.
    """
    if grid.cases is None:
        return None
    scores = cluster_scores(grid, grid.cases, accuracy, gradient, table)
    n_clusters = scores.shape[0]
    if n_clusters < 2:
        return None
    bread = model_covariance(accuracy, gradient, table, 1.0)
    middle = scores.T @ scores * (n_clusters / (n_clusters - 1))
    return np.asarray(bread @ middle @ bread)


def cluster_scores(
    grid: CellGrid,
    cases: CaseIndex,
    accuracy: FloatArray,
    gradient: FloatArray,
    table: CellTable,
) -> FloatArray:
    """Sum the score of every case by cluster, shape (n_clusters, n_parameters).

    Clusters are in the order of their codes, so that those of two fits to the same cases match.
    """
    position = np.full(grid.n_cases.size, -1)
    position[table.flat] = np.arange(table.flat.size)
    cell = position[cases.cell]
    residual = cases.numerator / grid.unit - accuracy[cell]
    variance = np.maximum(accuracy * (1.0 - accuracy), 1e-300)
    score = (residual / variance[cell])[:, None] * gradient[cell]
    _, code = np.unique(cases.cluster, return_inverse=True)
    columns = [np.bincount(code, score[:, j]) for j in range(score.shape[1])]
    return np.stack(columns, axis=1)


def invert_information(information: FloatArray) -> FloatArray:
    """Return the inverse; infinite where there is none."""
    try:
        return np.asarray(np.linalg.inv(information))
    except np.linalg.LinAlgError:
        return np.full(information.shape, np.inf)


def graded_dispersion(
    grid: CellGrid, table: CellTable, accuracy: FloatArray, n_parameters: int
) -> float:
    """Variance of graded cases over that of 0/1 cases; 1 where there are no cases to tell."""
    if grid.cases is None or grid.cases.cell.size <= n_parameters:
        return 1.0
    fitted = np.zeros(grid.n_cases.size)
    fitted[table.flat] = accuracy
    mean = fitted[grid.cases.cell]
    squares = (grid.cases.numerator / grid.unit - mean) ** 2 / np.maximum(mean * (1 - mean), 1e-300)
    return float(squares.sum() / (grid.cases.cell.size - n_parameters))
