"""Does the curve fit at all? A parametric bootstrap of four kinds of residual.

With five cases a cell no reference distribution can be trusted, so the curve's own is simulated:
counts drawn from the fit, fitted again, and their residuals compared with the observed ones.
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lcstats.curve import FloatArray, accuracy_from_logit
from lcstats.errors import Notice, OptionError, describe
from lcstats.fit.refit import draw_counts, refit
from lcstats.fit.result import CurveFit
from lcstats.options import check_type, check_whole
from lcstats.records import (
    SCHEMA_VERSION,
    array_of,
    finite_or_none,
    freeze_arrays,
    list_numbers,
)

N_SIMULATIONS = 999
LEVEL = 0.05
STATISTICS = ("by_length", "by_depth", "cell_wise", "largest_cell")


@dataclass(frozen=True, slots=True, eq=False)
class GoodnessOfFit:
    """How surprising the residuals are under the fitted curve.

    Its dictionary is a summary without the residuals; the fit and the seed give the whole again.

    Attributes
    ----------
    p_value : float
        How often a table drawn from the curve has a smallest p-value as small as the observed
        one: a calibrated combination of `p_values`, which are correlated.
    p_values : mapping of str to float
        Per statistic, ``(1 + #{simulated >= observed}) / (1 + n_simulations)``; residuals pooled
        by length or by depth only where there are several.
    worst_residual : float
        Largest absolute Pearson residual of a cell, with its sign.
    worst_length, worst_depth : float
        Where it is.
    residuals : ndarray of float64, shape (n_lengths, n_depths)
        Pearson residuals; NaN where there is no data.
    n_simulations, n_failed : int
        Simulations, and those whose fit did not converge (they stay in).
    """

    p_value: float
    p_values: Mapping[str, float]
    worst_residual: float
    worst_length: float
    worst_depth: float
    residuals: FloatArray
    n_simulations: int
    n_failed: int

    def __post_init__(self) -> None:
        """Make the residuals read-only."""
        freeze_arrays(self)

    def __repr__(self) -> str:
        return f"GoodnessOfFit(p = {self.p_value:.3g}, {self.n_simulations} simulations)"

    @property
    def passes(self) -> bool:
        """True if nothing speaks against the curve at level .05."""
        return self.p_value >= LEVEL

    def to_dict(self) -> dict[str, Any]:
        """Return the ``goodness_of_fit`` object of the ``fit`` JSON."""
        return {
            "schema_version": SCHEMA_VERSION,
            "p_value": self.p_value,
            "p_values": dict(self.p_values),
            "worst_residual": self.worst_residual,
            "worst_length": self.worst_length,
            "worst_depth": finite_or_none(self.worst_depth),
            "passes": self.passes,
            "n_simulations": self.n_simulations,
        }

    def to_record(self) -> dict[str, Any]:
        """Return every field, JSON-ready, for :meth:`from_record`."""
        return {
            **{field.name: getattr(self, field.name) for field in fields(self)},
            "worst_depth": finite_or_none(self.worst_depth),
            "p_values": dict(self.p_values),
            "residuals": list_numbers(self.residuals),
        }

    @classmethod
    def from_record(cls, document: Mapping[str, Any]) -> "GoodnessOfFit":
        """Restore what :meth:`to_record` returned."""
        arrays = {
            "worst_depth": float(array_of(document["worst_depth"])),
            "residuals": array_of(document["residuals"]),
        }
        return cls(**{**document, **arrays})

    def notice(self) -> Notice | None:
        """Say that the curve fails and where, or nothing."""
        if self.passes:
            return None
        worst = min(self.p_values, key=lambda name: self.p_values[name])
        depth = "" if np.isnan(self.worst_depth) else f", depth {self.worst_depth:g}"
        return Notice(
            "curve-does-not-fit",
            f"the curve does not fit (p = {self.p_value:.3g}, {worst.replace('_', ' ')} residuals; "
            f"largest {self.worst_residual:+.1f} at length {self.worst_length:.10g}{depth}): "
            "do not quote its numbers",
        )


def goodness_of_fit(
    fit: CurveFit, *, n_simulations: int = N_SIMULATIONS, seed: int = 0, n_threads: int = 1
) -> GoodnessOfFit:
    """Test a fitted curve on residuals pooled by length, by depth, cell by cell, and the largest.

    Parameters
    ----------
    fit : CurveFit
        Of 0/1 cases.
    n_simulations : int
        At least 99.
    seed, n_threads : int

    Returns
    -------
    GoodnessOfFit

    Notes
    -----
    Every simulated table gets four p-values of its own, from its ranks among the others. The
    overall p-value is the rank of the observed smallest p-value among theirs (Westfall and Young's
    minimum p), so that the correlation of the four statistics costs no power.

    Raises
    ------
    OptionError
        If `fit` is no fit, scores are graded (their scatter is not binomial) or there are too few
        simulations.

    Examples
    --------
    >>> from lcstats.cells import Cells
    >>> from lcstats.fit import fit_curve
    >>> cells = Cells.from_counts(
    ...     [4096, 8192, 16384, 32768], [0.5], n_cases=40, successes=[[40], [40], [39], [2]]
    ... )
    >>> fit = fit_curve(cells, terms=("intercept", "length"))
    >>> goodness_of_fit(fit, seed=1).passes
    True
    """
    _check(fit)
    check_simulations(n_simulations, seed, n_threads)
    rng = np.random.default_rng(seed)
    fitted = fit.accuracy.ravel()[fit.cells.flat]
    counts = draw_counts(fit, n_simulations, rng)
    batch = refit(fit, fit.cells.n_cases, counts, n_threads=n_threads)
    refitted = accuracy_from_logit(
        batch.coefficients @ fit.design.T,
        guess_rate=fit.curve.guess_rate,
        lapse_rate=fit.curve.lapse_rate,
    )
    used = _informative(fit)
    observed = statistics(fit, fit.cells.successes[None], fitted[None])[used]
    simulated = statistics(fit, counts, refitted)[used]
    ranks = upper_ranks(np.concatenate([observed, simulated], axis=1))
    smallest = ranks.min(axis=0)
    names = [name for name, is_used in zip(STATISTICS, used, strict=True) if is_used]
    p_values = dict(zip(names, (ranks[:, 0] / (1 + n_simulations)).tolist(), strict=True))
    p_value = float((smallest <= smallest[0]).mean())
    return _summarise(fit, fitted, p_value, p_values, n_simulations, int((~batch.converged).sum()))


def _informative(fit: CurveFit) -> list[bool]:
    """Tell which statistics can differ: residuals of one length, or one depth, sum to nothing."""
    lengths, depths = np.unique(fit.cells.length), np.unique(fit.cells.depth)
    return [lengths.size > 1, depths.size > 1, True, True]


def statistics(fit: CurveFit, counts: FloatArray, accuracy: FloatArray) -> FloatArray:
    """Return the four statistics of every replicate, shape (4, n_replicates).

    Parameters
    ----------
    counts, accuracy : ndarray of float64, shape (n_replicates, n_cells)
    """
    n = fit.cells.n_cases
    residual = counts - n * accuracy
    variance = np.maximum(n * accuracy * (1.0 - accuracy), 1e-12)
    row, column = np.divmod(fit.cells.flat, fit.grid.depths.size)
    cell_wise = residual**2 / variance
    return np.stack(
        [
            _pooled(residual, variance, row),
            _pooled(residual, variance, column),
            cell_wise.sum(axis=1),
            cell_wise.max(axis=1),
        ]
    )


def upper_ranks(values: FloatArray) -> NDArray[np.int64]:
    """Count the members of each row that reach each of them, up to rounding; itself included.

    Rounding leaves about 1e-28 of a chi-square that is 0.

    Parameters
    ----------
    values : ndarray of float64, shape (n_statistics, n_replicates)
        Not negative.

    Examples
    --------
    >>> upper_ranks(np.array([[3.0, 1.0, 3.0, 2.0]])).tolist()
    [[2, 4, 2, 3]]
    """
    ordered = np.sort(values, axis=1)
    below = [
        np.searchsorted(row, own * (1 - 1e-9) - 1e-9)
        for row, own in zip(ordered, values, strict=True)
    ]
    return np.asarray(values.shape[1] - np.stack(below), dtype=np.int64)


def _pooled(residual: FloatArray, variance: FloatArray, group: NDArray[np.int64]) -> FloatArray:
    """Chi-square of residuals summed within groups, shape (n_replicates,)."""
    member = (group[:, None] == np.unique(group)).astype(np.float64)
    return np.asarray(((residual @ member) ** 2 / (variance @ member)).sum(axis=1))


def _summarise(
    fit: CurveFit,
    fitted: FloatArray,
    p_value: float,
    p_values: Mapping[str, float],
    n_simulations: int,
    n_failed: int,
) -> GoodnessOfFit:
    n, k = fit.cells.n_cases, fit.cells.successes
    pearson = (k - n * fitted) / np.sqrt(np.maximum(n * fitted * (1.0 - fitted), 1e-12))
    residuals = np.full(fit.grid.n_cases.shape, np.nan)
    residuals.ravel()[fit.cells.flat] = pearson
    worst = int(np.abs(pearson).argmax())
    return GoodnessOfFit(
        p_value=p_value,
        p_values=p_values,
        worst_residual=float(pearson[worst]),
        worst_length=float(fit.cells.length[worst]),
        worst_depth=float(fit.cells.depth[worst]),
        residuals=residuals,
        n_simulations=n_simulations,
        n_failed=n_failed,
    )


def _check(fit: CurveFit) -> None:
    check_type(fit, CurveFit, "fit")
    if fit.grid.has_fractions:
        raise OptionError(
            describe(
                f"{fit.grid.model} on {fit.grid.task} has graded scores or fractional cases",
                "expected 0/1 cases, whose scatter is binomial",
                "pass a score threshold, or look at the dispersion and the residuals",
            )
        )
    if fit.cells.length.size <= len(fit.parameters):
        raise OptionError(
            describe(
                f"{fit.grid.model} on {fit.grid.task} has {fit.cells.length.size} cells and the "
                f"curve {len(fit.parameters)} parameters",
                "expected more cells than parameters, for something to be left to test",
                "fit fewer terms with terms=..., or test more lengths and depths",
            )
        )


def check_simulations(n_simulations: int, seed: int, n_threads: int) -> None:
    """Refuse too few simulations to resolve p = .05, and seeds and threads that are none.

    Raises
    ------
    OptionError
        If there are fewer than 99, or a number is no whole one.
    """
    check_whole(n_simulations, "n_simulations", least=99)
    check_whole(seed, "seed")
    check_whole(n_threads, "n_threads", least=1)
