"""Draws: accuracies on the grid, with the coefficients behind them - one type for every method."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lcstats.cells import CaseIndex, CellGrid, redraw_clusters
from lcstats.curve import FloatArray, accuracy_from_logit
from lcstats.errors import Notice, OptionError, describe
from lcstats.fit import CurveFit, draw_counts, refit
from lcstats.options import BootstrapKind, DrawKind, check_option, check_type, check_whole
from lcstats.records import freeze_arrays

N_DRAWS = 2000

MOST_UNSETTLED = 0.5
"""Share of failed fits above which draws say where a search stopped, and not what data could be."""


@dataclass(frozen=True, slots=True, eq=False)
class Draws:
    """Whole draws of a curve; every derived number is computed draw by draw.

    They have no dictionary form: thousands of tables of accuracies come back in a moment, number
    for number, from the fit and the seed.

    Attributes
    ----------
    kind : {"parametric_bootstrap", "cluster_bootstrap", "posterior", "prior"}
    lengths : ndarray of int64, shape (n_lengths,)
    depths : ndarray of float64, shape (n_depths,)
    accuracies : ndarray of float64, shape (n_draws, n_lengths, n_depths)
    coefficients : ndarray of float64, shape (n_draws, n_terms)
    terms : tuple of str
    n_failed : int
        Draws whose fit did not converge; they stay in, where the fit stopped.
    lapse_rates : ndarray of float64, shape (n_draws,), or None
        None where the lapse rate is the same in all draws.
    statistics : mapping of str to ndarray, shape (n_draws,)
        What a sampler says of each draw. Several chains take turns: draw i is of chain
        i modulo ``diagnostics["n_chains"]``.
    diagnostics : mapping of str to number or str
        How the draws were made, and how far they can be trusted.
    notices : tuple of Notice
    """

    kind: DrawKind
    lengths: NDArray[np.int64]
    depths: FloatArray
    accuracies: FloatArray
    coefficients: FloatArray
    terms: tuple[str, ...]
    n_failed: int = 0
    lapse_rates: FloatArray | None = None
    statistics: Mapping[str, NDArray[Any]] = field(default_factory=dict)
    diagnostics: Mapping[str, Any] = field(default_factory=dict)
    notices: tuple[Notice, ...] = ()

    def __post_init__(self) -> None:
        """Make the arrays read-only."""
        freeze_arrays(self)

    def __len__(self) -> int:
        return int(self.accuracies.shape[0])

    @property
    def are_settled(self) -> bool:
        """False where most of the fits did not converge: no set is made of such draws."""
        return self.n_failed <= MOST_UNSETTLED * len(self)

    def first(self, n_draws: int) -> "Draws":
        """Return the first draws, all of them if there are no more."""
        lapse = self.lapse_rates
        return replace(
            self,
            accuracies=self.accuracies[:n_draws],
            coefficients=self.coefficients[:n_draws],
            lapse_rates=None if lapse is None else lapse[:n_draws],
            statistics={name: values[:n_draws] for name, values in self.statistics.items()},
        )

    def __repr__(self) -> str:
        said = f"{self.n_failed} failed fits"
        if self.diagnostics:
            pairs = self.diagnostics.items()
            said = ", ".join(
                f"{name} {value:.4g}" if isinstance(value, float) else f"{name} {value}"
                for name, value in pairs
            )
        return f"Draws({self.kind}, {len(self)} draws, {said})"


def resample(
    fit: CurveFit,
    *,
    kind: BootstrapKind = "parametric_bootstrap",
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
    check_option(kind, BootstrapKind, "kind")
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


def accuracies_of(
    fit: CurveFit, coefficients: FloatArray, lapse_rates: FloatArray | None = None
) -> FloatArray:
    """Accuracies on the whole grid, (n_draws, n_terms) to (n_draws, n_lengths, n_depths).

    Lapse rates, shape (n_draws,), stand in for that of the fit.
    """
    length = fit.grid.lengths.astype(np.float64)[:, None]
    design = fit.law.design(length, fit.grid.depths[None, :])
    # Term by term: a matrix product may round differently with the number of threads.
    logits = sum(
        coefficients[:, term, None, None] * design[..., term] for term in range(design.shape[-1])
    )
    if lapse_rates is None:
        return accuracy_from_logit(
            logits, guess_rate=fit.curve.guess_rate, lapse_rate=fit.curve.lapse_rate
        )
    share = 1.0 - fit.curve.guess_rate - lapse_rates[:, None, None]
    return np.asarray(fit.curve.guess_rate + share * accuracy_from_logit(logits))


def _redraw_clusters(
    fit: CurveFit, cases: CaseIndex, n_draws: int, rng: np.random.Generator
) -> tuple[FloatArray, FloatArray]:
    """Draw clusters with replacement; return cases and successes, (n_draws, n_cells) each."""
    position = np.full(fit.grid.n_cases.size, -1)
    position[fit.cells.flat] = np.arange(fit.cells.flat.size)
    numerators, n_cases = redraw_clusters(
        position[cases.cell],
        cases.cluster,
        np.stack([cases.numerator, np.ones_like(cases.numerator)]),
        n_cells=fit.cells.flat.size,
        n_draws=n_draws,
        rng=rng,
    )
    return n_cases.astype(np.float64), numerators / fit.grid.unit


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
