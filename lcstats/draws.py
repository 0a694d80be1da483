"""Draws: accuracies on the grid, with the coefficients behind them - one type for every method."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from lcstats.cells import CaseIndex, CellGrid
from lcstats.curve import FloatArray, accuracy_from_logit
from lcstats.errors import OptionError, describe
from lcstats.fit import CurveFit, draw_counts, refit
from lcstats.options import DrawKind, check_option, check_type, check_whole
from lcstats.records import freeze_arrays

N_DRAWS = 2000


@dataclass(frozen=True, slots=True, eq=False)
class Draws:
    """Whole draws of a curve; every derived number is computed draw by draw.

    They have no dictionary form: thousands of tables of accuracies come back in a moment, number
    for number, from the fit and the seed.

    Attributes
    ----------
    kind : {"parametric_bootstrap", "cluster_bootstrap"}
    lengths : ndarray of int64, shape (n_lengths,)
    depths : ndarray of float64, shape (n_depths,)
    accuracies : ndarray of float64, shape (n_draws, n_lengths, n_depths)
    coefficients : ndarray of float64, shape (n_draws, n_terms)
    terms : tuple of str
    n_failed : int
        Draws whose fit did not converge; they stay in, where the fit stopped.
    """

    kind: DrawKind
    lengths: NDArray[np.int64]
    depths: FloatArray
    accuracies: FloatArray
    coefficients: FloatArray
    terms: tuple[str, ...]
    n_failed: int

    def __post_init__(self) -> None:
        """Make the arrays read-only."""
        freeze_arrays(self)

    def __len__(self) -> int:
        return int(self.accuracies.shape[0])

    def first(self, n_draws: int) -> "Draws":
        """Return the first draws, all of them if there are no more."""
        return replace(
            self, accuracies=self.accuracies[:n_draws], coefficients=self.coefficients[:n_draws]
        )

    def __repr__(self) -> str:
        return f"Draws({self.kind}, {len(self)} draws, {self.n_failed} failed fits)"


def resample(
    fit: CurveFit,
    *,
    kind: DrawKind = "parametric_bootstrap",
    n_draws: int = N_DRAWS,
    seed: int = 0,
    n_threads: int = 1,
) -> Draws:
    """Fit the curve again to resampled counts.

    Parameters
    ----------
    fit : CurveFit
    kind : {"parametric_bootstrap", "cluster_bootstrap"}
        Counts drawn from the fitted curve, or cases and the clusters they share drawn whole.
        A lapse rate or recency scale that was estimated is held at its estimate.
    n_draws : int
        At least 1.
    seed : int
    n_threads : int
        The result is the same bit for bit on any number.

    Returns
    -------
    Draws

    Raises
    ------
    OptionError
        If `fit` is no fit, `n_draws` is below 1, or cases are to be drawn from a source that only
        has counts.

    Examples
    --------
    >>> from lcstats.cells import Cells
    >>> from lcstats.fit import fit_curve
    >>> cells = Cells.from_counts(
    ...     [4096, 16384, 65536],
    ...     [0.0, 0.5, 1.0],
    ...     n_cases=20,
    ...     successes=[[20, 19, 20], [19, 17, 19], [15, 9, 17]],
    ... )
    >>> resample(fit_curve(cells), n_draws=100, seed=1).accuracies.shape
    (100, 3, 3)
    """
    check_type(fit, CurveFit, "fit")
    check_option(kind, DrawKind, "kind")
    for name, value, least in (
        ("n_draws", n_draws, 1),
        ("seed", seed, 0),
        ("n_threads", n_threads, 1),
    ):
        check_whole(value, name, least=least)
    rng = np.random.default_rng(seed)
    if kind == "parametric_bootstrap":
        n_cases = fit.cells.n_cases
        successes = draw_counts(fit, n_draws, rng)
    else:
        n_cases, successes = _redraw_clusters(fit, _cases_of(fit.grid), n_draws, rng)
    batch = refit(fit, n_cases, successes, n_threads=n_threads)
    return Draws(
        kind=kind,
        lengths=fit.grid.lengths,
        depths=fit.grid.depths,
        accuracies=accuracies_of(fit, batch.coefficients),
        coefficients=batch.coefficients,
        terms=fit.terms,
        n_failed=int((~batch.converged).sum()),
    )


def accuracies_of(fit: CurveFit, coefficients: FloatArray) -> FloatArray:
    """Accuracies on the whole grid, (n_draws, n_terms) to (n_draws, n_lengths, n_depths)."""
    length = fit.grid.lengths.astype(np.float64)[:, None]
    design = fit.law.design(length, fit.grid.depths[None, :])
    logits = np.einsum("...t,nt->n...", design, coefficients)
    return accuracy_from_logit(
        logits, guess_rate=fit.curve.guess_rate, lapse_rate=fit.curve.lapse_rate
    )


def _redraw_clusters(
    fit: CurveFit, cases: CaseIndex, n_draws: int, rng: np.random.Generator
) -> tuple[FloatArray, FloatArray]:
    """Draw clusters with replacement; return cases and successes, (n_draws, n_cells) each."""
    _, cluster = np.unique(cases.cluster, return_inverse=True)
    n_clusters = int(cluster.max()) + 1
    position = np.full(fit.grid.n_cases.size, -1)
    position[fit.cells.flat] = np.arange(fit.cells.flat.size)
    cell = position[cases.cell]
    value = cases.numerator / fit.grid.unit
    n_cases = np.empty((n_draws, fit.cells.flat.size))
    successes = np.empty_like(n_cases)
    for draw in range(n_draws):
        drawn = np.bincount(rng.integers(n_clusters, size=n_clusters), minlength=n_clusters)
        weight = drawn[cluster].astype(np.float64)
        n_cases[draw] = np.bincount(cell, weight, minlength=n_cases.shape[1])
        successes[draw] = np.bincount(cell, weight * value, minlength=n_cases.shape[1])
    return n_cases, successes


def _cases_of(grid: CellGrid) -> CaseIndex:
    if grid.cases is None:
        raise OptionError(
            describe(
                f"{grid.model} on {grid.task} has counts only",
                "expected single cases to draw again",
                "use kind='parametric_bootstrap'",
            )
        )
    return grid.cases
