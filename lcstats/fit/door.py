"""``fit_curve``: the door of this room. It orchestrates; numbers happen elsewhere."""

from collections.abc import Iterator, Sequence
from typing import Literal

import numpy as np
from scipy.special import xlogy

from lcstats.cells import CellGrid, Cells
from lcstats.curve import RECENCY_SCALE, TERMS, FloatArray
from lcstats.errors import (
    DesignWarning,
    FitError,
    Notice,
    SeparationWarning,
    announce,
    describe,
)
from lcstats.fit.covariance import accuracy_gradient, model_covariance, robust_covariance
from lcstats.fit.result import CurveFit
from lcstats.fit.separation import separates
from lcstats.fit.solve import Solution, profile_constants, solve
from lcstats.fit.table import CellTable, DroppedTerm, Law, drop_uninformed, law_of, tabulate
from lcstats.options import Penalty, check_option, check_type


def fit_curve(
    cells: Cells,
    *,
    terms: str | Sequence[str] = TERMS,
    penalty: Penalty = "jeffreys",
    guess_rate: float = 0.0,
    lapse_rate: float | Literal["estimate"] = 0.0,
    recency_scale: float | Literal["profile"] = RECENCY_SCALE,
) -> CurveFit:
    """Fit the length, depth and recency law to the counts of one language model on one task.

    Parameters
    ----------
    cells : Cells
        One group. Graded scores are fitted as a quasi-binomial.
    terms : sequence of str
        ``intercept`` and some of ``length``, ``middle``, ``recency``. Terms the data cannot
        inform are dropped and named in the result.
    penalty : {"jeffreys", "none"}
        ``jeffreys`` adds half the log determinant of the Fisher information (Firth 1993), which
        keeps separated data finite; ``none`` is plain maximum likelihood.
    guess_rate : float
        Known floor of accuracy, in [0, 1).
    lapse_rate : float or "estimate"
        The ceiling's distance from 1, in [0, 1).
    recency_scale : float or "profile"
        Fraction of the context over which the recency bonus falls by a factor e.

    Returns
    -------
    CurveFit

    Raises
    ------
    OptionError
        If `cells` are no cells or several groups, or an option is out of range.
    FitError
        If plain maximum likelihood has no finite answer.

    Notes
    -----
    METHOD section 2. Lengths in tokens count doublings from 1024 with a span of 7; other units
    from the shortest tested length with the span of the design.

    Examples
    --------
    >>> cells = Cells.from_counts(
    ...     [4096, 8192, 16384, 32768], [0.5], n_cases=40, successes=[[39], [36], [31], [20]]
    ... )
    >>> fit = fit_curve(cells, terms=("intercept", "length"))
    >>> {name: round(getattr(fit.curve, name), 2) for name in fit.parameters}
    {'intercept': 5.65, 'length': 1.13}
    """
    check_type(cells, Cells, "cells")
    check_option(penalty, Penalty, "penalty")
    penalised = penalty == "jeffreys"
    table = tabulate(cells.grid)
    law = law_of(
        cells.grid,
        (terms,) if isinstance(terms, str) else terms,
        guess_rate=guess_rate,
        lapse_rate=0.0 if lapse_rate == "estimate" else lapse_rate,
        recency_scale=RECENCY_SCALE if recency_scale == "profile" else recency_scale,
    )
    law, dropped = drop_uninformed(law, table)
    wanted = (
        *(("recency_scale",) if recency_scale == "profile" and "recency" in law.terms else ()),
        *(("lapse_rate",) if lapse_rate == "estimate" else ()),
    )
    law = profile_constants(law, table, wanted, penalised=penalised)
    estimated = tuple(name for name in wanted if name != "lapse_rate" or law.lapse_rate > 0)
    solution = solve(law, table, penalised=penalised)
    fit = _summarise(cells.grid, table, law, solution, penalty, estimated, dropped)
    announce(fit.notices)
    return fit


def _summarise(
    grid: CellGrid,
    table: CellTable,
    law: Law,
    solution: Solution,
    penalty: Penalty,
    estimated: tuple[str, ...],
    dropped: tuple[DroppedTerm, ...],
) -> CurveFit:
    """Put the numbers of a solution together."""
    separated = separates(law.design(table.length, table.depth), table)
    if separated and penalty == "none":
        raise FitError(_no_finite_answer(grid))
    curve = law.curve(solution.coefficients)
    accuracy, gradient = accuracy_gradient(law, table, curve, estimated)
    n_parameters = len(law.terms) + len(estimated)
    dispersion = _dispersion(table, accuracy, n_parameters)
    scale = _graded_dispersion(grid, table, accuracy, n_parameters) if grid.has_fractions else 1.0
    return CurveFit(
        curve=curve,
        parameters=(*law.terms, *estimated),
        covariance=model_covariance(accuracy, gradient, table, scale),
        robust_covariance=robust_covariance(grid, accuracy, gradient, table),
        log_likelihood=solution.likelihood.log_likelihood,
        deviance=_deviance(table, solution.likelihood.log_likelihood),
        dispersion=dispersion,
        penalty=penalty,
        separated=separated,
        converged=solution.converged,
        dropped_terms=dropped,
        grid=grid,
        law=law,
        cells=table,
        notices=tuple(_notices(separated, solution.converged, dropped)),
    )


def _dispersion(table: CellTable, accuracy: FloatArray, n_parameters: int) -> float:
    """Pearson chi-square over its degrees of freedom; NaN without any."""
    degrees = accuracy.size - n_parameters
    if degrees < 1:
        return float("nan")
    variance = np.maximum(table.n_cases * accuracy * (1.0 - accuracy), 1e-300)
    return float(((table.successes - table.n_cases * accuracy) ** 2 / variance).sum() / degrees)


def _graded_dispersion(
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


def _deviance(table: CellTable, log_likelihood: float) -> float:
    n, k = table.n_cases, table.successes
    saturated = (xlogy(k, k / n) + xlogy(n - k, 1.0 - k / n)).sum()
    return float(2.0 * (saturated - log_likelihood))


def _no_finite_answer(grid: CellGrid) -> str:
    return describe(
        f"{grid.model} on {grid.task}: the terms separate the right cells from the wrong ones, "
        "so plain maximum likelihood has no finite answer",
        "expected cells that overlap, or a penalty",
        "use penalty='jeffreys' (--penalty jeffreys)",
    )


def _notices(
    separated: bool, converged: bool, dropped: tuple[DroppedTerm, ...]
) -> Iterator[Notice]:
    if separated:
        yield Notice(
            "separated",
            "the terms separate right from wrong cells: some coefficients are bounded on one side "
            "only, and their size comes from the Jeffreys penalty",
            SeparationWarning,
        )
    if not converged:
        yield Notice(
            "not-converged",
            "the fit did not settle: its coefficients are where it stopped",
            DesignWarning,
        )
    for term in dropped:
        yield Notice("dropped-term", f"no {term.term} term: {term.reason}", DesignWarning)
