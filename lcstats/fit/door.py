"""``fit_curve``: the door of this room. It orchestrates; numbers happen elsewhere."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Literal

import numpy as np
from scipy.special import xlogy

from lcstats.cells import CellGrid, Cells, keep_depths
from lcstats.curve import RECENCY_SCALE, TERMS, Curve, FloatArray
from lcstats.errors import (
    DesignWarning,
    FitError,
    Notice,
    OptionError,
    SeparationWarning,
    announce,
    describe,
)
from lcstats.fit.covariance import (
    accuracy_gradient,
    graded_dispersion,
    model_covariance,
    robust_covariance,
    standard_errors,
)
from lcstats.fit.result import CurveFit
from lcstats.fit.separation import separates
from lcstats.fit.solve import LARGEST_LAPSE, RECENCY_SCALES, Solution, profile_constants, solve
from lcstats.fit.table import (
    LARGEST_TERM_ERROR,
    CellTable,
    DroppedTerm,
    Law,
    drop_uninformed,
    law_of,
    tabulate,
)
from lcstats.options import Penalty, check_option, check_type
from lcstats.trials.wording import counted

LARGEST_ERROR = {"term": LARGEST_TERM_ERROR, "constant": 1.0}
"""Standard errors from which a parameter is not determined: in log-odds, and for the shares that
lapse rate and recency scale are."""


def fit_curve(
    cells: Cells,
    *,
    terms: str | Sequence[str] = TERMS,
    penalty: Penalty = "jeffreys",
    guess_rate: float | None = None,
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
    guess_rate : float, optional
        Known floor of accuracy, in [0, 1); what the table says, or 0, without it.
    lapse_rate : float or "estimate"
        The ceiling's distance from 1, in [0, 1); estimates are looked for up to .5.
    recency_scale : float or "profile"
        Fraction of the context over which the recency bonus falls by a factor e; profiled from
        .02 to 1.

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
    from the shortest tested length with the span of the design. Cases without a depth beside others
    with one are no evidence on the law, and are left out.

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
    if cells.grid.members:
        raise OptionError(
            describe(
                f"these cells are an average over {len(cells.grid.members)} tasks",
                "expected one task: every task has a curve of its own",
                "fit the tasks before averaging",
            )
        )
    penalised = penalty == "jeffreys"
    grid, n_depthless = keep_depths(cells.grid)
    table = tabulate(grid)
    law = law_of(
        grid,
        (terms,) if isinstance(terms, str) else terms,
        guess_rate=grid.guess_rate if guess_rate is None else guess_rate,
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
    fit = _summarise(grid, table, law, solution, penalty, estimated, dropped)
    fit = replace(fit, notices=(*_notices_on_depthless(n_depthless), *fit.notices))
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
    separated = separates(
        law.design(table.length, table.depth),
        table,
        guess_rate=law.guess_rate,
        lapse_rate=law.lapse_rate,
    )
    if separated and penalty == "none":
        raise FitError(_no_finite_answer(grid))
    curve = law.curve(solution.coefficients)
    accuracy, gradient = accuracy_gradient(law, table, curve, estimated)
    n_parameters = len(law.terms) + len(estimated)
    dispersion = _dispersion(table, accuracy, n_parameters)
    scale = graded_dispersion(grid, table, accuracy, n_parameters) if grid.has_fractions else 1.0
    covariance = model_covariance(accuracy, gradient, table, scale)
    names = (*law.terms, *estimated)
    undetermined = tuple(_undetermined(names, covariance, curve))
    return CurveFit(
        curve=curve,
        parameters=names,
        covariance=covariance,
        robust_covariance=None if separated else robust_covariance(grid, accuracy, gradient, table),
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
        notices=(*_notices(separated, solution.converged, dropped), *undetermined),
    )


def _dispersion(table: CellTable, accuracy: FloatArray, n_parameters: int) -> float:
    """Pearson chi-square over its degrees of freedom; NaN without any."""
    degrees = accuracy.size - n_parameters
    if degrees < 1:
        return float("nan")
    variance = np.maximum(table.n_cases * accuracy * (1.0 - accuracy), 1e-300)
    return float(((table.successes - table.n_cases * accuracy) ** 2 / variance).sum() / degrees)


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


def _undetermined(names: tuple[str, ...], covariance: FloatArray, curve: Curve) -> Iterator[Notice]:
    """Name the parameters whose standard error, or whose place, says that nothing fixes them."""
    edges = {"recency_scale": RECENCY_SCALES, "lapse_rate": (LARGEST_LAPSE,)}
    for name, error in zip(names, standard_errors(covariance).tolist(), strict=True):
        if any(np.isclose(getattr(curve, name), edge, rtol=1e-3) for edge in edges.get(name, ())):
            yield Notice(
                "undetermined",
                f"{name} is at the edge of what is searched, {getattr(curve, name):g}: its value "
                "and standard error are not to be quoted",
                DesignWarning,
            )
            continue
        largest = LARGEST_ERROR["constant" if name in ("lapse_rate", "recency_scale") else "term"]
        if not error < largest:
            yield Notice(
                "undetermined",
                f"the data do not determine {name}: its standard error is {error:.2g}; give it, or "
                "leave it out",
                DesignWarning,
            )


def _notices_on_depthless(n_cases: int) -> Iterator[Notice]:
    if n_cases:
        yield Notice(
            "depthless-not-fitted",
            f"{counted(n_cases, 'case')} without a depth left out of the curve: the law needs to "
            "know where the evidence was; fill in the depths, or fit such trials as a task of "
            "their own",
            DesignWarning,
        )


def _notices(
    separated: bool, converged: bool, dropped: tuple[DroppedTerm, ...]
) -> Iterator[Notice]:
    if separated:
        yield Notice(
            "separated",
            "the terms separate right from wrong cells: some coefficients are bounded on one side "
            "only, and their size comes from the Jeffreys penalty; standard errors say nothing of "
            "such terms, and there are none from the scatter of cases, which do not scatter",
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
