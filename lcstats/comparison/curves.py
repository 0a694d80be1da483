"""``compare_curves``: whether one curve serves two language models, and which term moved."""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

import numpy as np
from scipy.linalg import eigh
from scipy.sparse import csr_array
from scipy.special import chdtrc, stdtr, stdtrit

from lcstats.cells import CellGrid
from lcstats.comparison.curve_result import CurveComparison, TermDifference
from lcstats.comparison.pairs import Pairs
from lcstats.comparison.sides import do_both, fit_quietly, side_notices
from lcstats.comparison.verdict import correct_for_number
from lcstats.curve import FloatArray
from lcstats.errors import DesignWarning, Notice, announce
from lcstats.fit import CurveFit, fit_curve
from lcstats.fit.covariance import (
    accuracy_gradient,
    cluster_scores,
    model_covariance,
    standard_errors,
)
from lcstats.fit.goodness import check_simulations
from lcstats.fit.nested import log_likelihoods, simulated_p_value
from lcstats.options import Penalty, check_level, check_option

N_PERMUTATIONS = 999


def compare_curves(
    pairs: Pairs,
    *,
    penalty: Penalty = "jeffreys",
    level: float = 0.95,
    n_permutations: int = N_PERMUTATIONS,
    seed: int = 0,
    n_threads: int = 1,
) -> CurveComparison:
    """Test whether one curve serves both language models, and say which term differs.

    Parameters
    ----------
    pairs : Pairs
        Of one task.
    penalty : {"jeffreys", "none"}
        As in :func:`lcstats.fit_curve`.
    level : float
        Of the intervals, in (0, 1).
    n_permutations : int
        At least 99.
    seed, n_threads : int
        Equal seeds give the same result bit for bit, on any number of threads.

    Returns
    -------
    CurveComparison

    Raises
    ------
    OptionError
        If an option is out of range.
    FitError
        If plain maximum likelihood has no finite answer.

    Notes
    -----
    The statistic is 2 (l_old + l_new - l_shared), each log-likelihood without penalty at its own
    fit; since a penalty weighs less on the cases of both, it may be a little below 0. Where curves
    are equal, old and new may be swapped within any case, or within what shares a cluster as a
    whole, without changing what could be seen: the p-value is that of such swaps, exact for any
    number of cases, whether the law holds or not. The asymptotic one divides the statistic by what
    pairs and clusters do to it (Rao and Scott 1984, Annals of Statistics 12:46, with
    Satterthwaite's degrees of freedom). Differences of terms have the sandwich covariance of both
    fits together, scores added up by cluster over both language models.

    Examples
    --------
    >>> import pandas as pd
    >>> from lcstats.comparison.pairs import pair_trials
    >>> from lcstats.trials import Trials
    >>> table = pd.DataFrame(
    ...     {
    ...         "case": list(range(40)) * 3,
    ...         "length": [4096] * 40 + [8192] * 40 + [16384] * 40,
    ...         "depth": [0.2, 0.4, 0.6, 0.8] * 30,
    ...         "score": ([1] * 38 + [0] * 2) + ([1] * 35 + [0] * 5) + ([1] * 30 + [0] * 10),
    ...     }
    ... )
    >>> worse = table.assign(score=table["score"] * ([1] * 90 + [0] * 30))
    >>> (pairs,) = pair_trials(Trials.from_frame(table), Trials.from_frame(worse))
    >>> compared = compare_curves(pairs)
    >>> compared.p_value, [difference.term for difference in compared.differences]
    (0.001, ['intercept', 'length', 'middle', 'recency'])
    """
    check_option(penalty, Penalty, "penalty")
    check_level(level)
    check_simulations(n_permutations, seed, n_threads)
    fit = partial(fit_curve, penalty=penalty)
    old, new = do_both(pairs.grids(), lambda grid: fit_quietly(grid, fit))
    shared = fit_quietly(_together(old.grid, new.grid), fit)
    drawn = _swapped_statistics(
        (old, new), shared, n_permutations, np.random.default_rng(seed), n_threads
    )
    statistic, swapped = float(drawn[0]), drawn[1:]
    (old_part, old_alone), (new_part, new_alone) = do_both((old, new), _influences)
    together = _joint_covariance(new_part - old_part)
    effects = _effects(together, old_alone + new_alone)
    notices = tuple(_notices(old, new))
    announce(notices)
    return CurveComparison(
        old=old,
        new=new,
        shared=shared,
        statistic=statistic,
        p_value=simulated_p_value(statistic, swapped),
        asymptotic_p_value=_adjusted_p_value(statistic, effects),
        design_effect=float(effects.mean()),
        n_permutations=n_permutations,
        n_clusters=len(old_part),
        level=level,
        differences=_differences(old, new, together, level, degrees=len(old_part) - 1),
        notices=notices,
    )


def _together(old: CellGrid, new: CellGrid) -> CellGrid:
    """Put the cases of both language models into one grid, as if they were one's."""
    return replace(
        old,
        model=f"{old.model} and {new.model}",
        n_cases=old.n_cases + new.n_cases,
        n_trials=old.n_trials + new.n_trials,
        numerators=old.numerators + new.numerators,
        cases=None,
    )


def _swapped_statistics(
    fits: tuple[CurveFit, CurveFit],
    shared: CurveFit,
    n_permutations: int,
    rng: np.random.Generator,
    n_threads: int,
) -> FloatArray:
    """Return the statistic as it is, and with old and new swapped in a random half of clusters."""
    old, new = fits
    exchanged = _exchanges(old.grid, new.grid)[:, old.cells.flat]
    swaps = rng.integers(2, size=(n_permutations, exchanged.shape[0]), dtype=np.int64)
    moved = np.vstack([np.zeros((1, exchanged.shape[1])), np.asarray(swaps @ exchanged)])
    moved /= old.grid.unit
    # The shared curve is where both begin, so that it does not matter which is old and which new.
    alone = replace(shared, cells=old.cells)
    separate = sum(
        log_likelihoods(alone, fit.cells.successes + sign * moved, n_threads=n_threads)
        for fit, sign in ((old, 1.0), (new, -1.0))
    )
    return np.asarray(2.0 * (separate - shared.log_likelihood))


def _exchanges(old: CellGrid, new: CellGrid) -> csr_array:
    """What swapping each cluster adds to the old counts, (n_clusters, n_cells).

    Clusters that swapping does not change are left out.
    """
    assert old.cases is not None
    assert new.cases is not None
    gain = new.cases.numerator - old.cases.numerator
    _, code = np.unique(old.cases.cluster, return_inverse=True)
    shape = (int(code.max()) + 1, old.n_cases.size)
    exchanged = csr_array((gain, (code, old.cases.cell)), shape=shape)
    exchanged.eliminate_zeros()
    return exchanged[np.diff(exchanged.indptr) > 0]


def _influences(fit: CurveFit) -> tuple[FloatArray, FloatArray]:
    """Return what every cluster adds to the coefficients, and their covariance without clusters.

    Shapes are (n_clusters, n_terms) and (n_terms, n_terms). A cluster's part is its score times the
    inverse information, which is the covariance of independent cases.
    """
    assert fit.grid.cases is not None
    accuracy, gradient = accuracy_gradient(fit.law, fit.cells, fit.curve, ())
    scores = cluster_scores(fit.grid, fit.grid.cases, accuracy, gradient, fit.cells)
    independent = model_covariance(accuracy, gradient, fit.cells, 1.0)
    return np.asarray(scores @ independent), independent


def _joint_covariance(part: FloatArray) -> FloatArray:
    """Sandwich covariance of the differences new - old, shape (n_terms, n_terms).

    Parameters
    ----------
    part : ndarray of float64, shape (n_clusters, n_terms)
        Of every cluster in the differences: its part in the new fit less that in the old one, so
        that what a case does to both cancels.
    """
    n_clusters = len(part)
    if n_clusters < 2:
        return np.full((part.shape[1],) * 2, np.nan)
    return np.asarray(part.T @ part * (n_clusters / (n_clusters - 1)))


def _effects(together: FloatArray, independent: FloatArray) -> FloatArray:
    """By how much contrasts of the curves vary more than in independent cases, (n_terms,).

    Below 1 where pairs agree, above 1 where clusters do. NaN where that cannot be told.
    """
    if not (np.all(np.isfinite(together)) and np.all(np.isfinite(independent))):
        return np.full(len(together), np.nan)
    return np.asarray(eigh(together, independent, eigvals_only=True))


def _adjusted_p_value(statistic: float, effects: FloatArray) -> float:
    """Chi-square tail of the statistic over its mean effect, with Satterthwaite's degrees."""
    total, squares = float(effects.sum()), float((effects**2).sum())
    if not squares > 0.0:
        return float("nan")
    return float(chdtrc(total**2 / squares, max(statistic, 0.0) * total / squares))


def _differences(
    old: CurveFit, new: CurveFit, together: FloatArray, level: float, *, degrees: int
) -> tuple[TermDifference, ...]:
    """Compare term by term, with t quantiles for the clusters there are."""
    errors = standard_errors(together)
    change = new.coefficients - old.coefficients
    with np.errstate(divide="ignore", invalid="ignore"):
        p_values = 2.0 * stdtr(degrees, -np.abs(change / errors))
    reach = stdtrit(degrees, (1.0 + level) / 2.0) * errors
    adjusted = correct_for_number(p_values.tolist())
    return tuple(
        TermDifference(
            term=term,
            old=float(old.coefficients[j]),
            new=float(new.coefficients[j]),
            standard_error=float(errors[j]),
            lower=float(change[j] - reach[j]),
            upper=float(change[j] + reach[j]),
            p_value=float(p_values[j]),
            holm_p=adjusted[j],
        )
        for j, term in enumerate(old.terms)
    )


def _notices(old: CurveFit, new: CurveFit) -> Iterator[Notice]:
    """Say what there is to know of either fit, and when differences of terms mean little."""
    yield from side_notices((old, new))
    if old.separated or new.separated:
        yield Notice(
            "separated-difference",
            "a fit is separated, so differences of its terms come from the penalty and their "
            "intervals are not to be quoted; the p-value by swapping stands",
            DesignWarning,
        )
