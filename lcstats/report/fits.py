"""The fitted curve as reports and commands say it: with its test, and in words."""

import os
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import pandas as pd

from lcstats.cells import Cells
from lcstats.errors import FitError, LcstatsWarning, Notice
from lcstats.fit import (
    CurveFit,
    GoodnessOfFit,
    TermTest,
    compare_terms,
    fit_curve,
    goodness_of_fit,
)
from lcstats.flexible import FlexibleFit, fit_flexible, is_quick
from lcstats.lengths import Estimate
from lcstats.lengths.curve_estimate import draw_curves
from lcstats.options import Method, Penalty, SetKind, percent

MOST_REFUSED = 5
Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class FitWithTest:
    """A fitted curve with its test; graded scores have none, because they are not binomial.

    Attributes
    ----------
    fit : CurveFit
    goodness : GoodnessOfFit or None
    term_tests : tuple of TermTest
        Each term but the intercept against the curve without it, where that was asked for.
    """

    fit: CurveFit
    goodness: GoodnessOfFit | None
    term_tests: tuple[TermTest, ...] = ()

    @property
    def fails(self) -> bool:
        """True if the test speaks against the curve."""
        return self.goodness is not None and not self.goodness.passes

    @property
    def notices(self) -> list[Notice]:
        """What to know about the fit and its test, each thing once."""
        if self.goodness is None:
            why = (
                "graded scores or folded repeats are not 0/1 outcomes"
                if self.fit.grid.has_fractions
                else "the curve has as many parameters as there are cells"
            )
            test: Notice | None = Notice(
                "no-goodness-of-fit",
                f"{why}, so whether the curve fits is not tested: do not take it as settled",
            )
        else:
            test = self.goodness.notice()
        return list(dict.fromkeys([*self.fit.notices, *([test] if test else [])]))


def has_a_curve(cells: Cells) -> bool:
    """Tell whether there is something to fit: several lengths, of one task and no average."""
    return cells.grid.lengths.size > 1 and not cells.grid.members


def surface_if_wanted(cells: Cells, methods: Sequence[Method], *, seed: int) -> FlexibleFit | None:
    """Fit the smooth surface where it is named; where nothing is, if it takes no time."""
    if "flexible" in methods or (not methods and is_quick(cells.grid)):
        return fit_flexible(cells, seed=seed)
    return None


def sets_to_ask(sets: Sequence[SetKind], methods: Sequence[Method]) -> tuple[SetKind, ...]:
    """Leave out the default set, which may need a surface, where methods are named without one.

    The default set of raw cells is made in any case.

    Examples
    --------
    >>> sets_to_ask(("default", "jeffreys"), ("observed",)), sets_to_ask(("default",), ())
    (('jeffreys',), ('default',))
    """
    if not methods or "flexible" in methods:
        return tuple(sets)
    return tuple(kind for kind in sets if kind != "default")


def plot_options(tested: FitWithTest | None, *, seed: int) -> dict[str, Any]:
    """Return what figures of a curve take: the fit, its test and its bootstrap draws.

    Nothing, where there is no curve or its refits did not settle: there is no band to draw.
    """
    draws = None if tested is None else draw_curves(tested.fit, seed=seed)
    if tested is None or draws is None or not draws.are_settled:
        return {}
    return {"fit": tested.fit, "goodness": tested.goodness, "draws": draws}


def fit_and_test(
    cells: Cells, *, penalty: Penalty, guess_rate: float | None, seed: int
) -> FitWithTest:
    """Fit the curve to one group and, for 0/1 cases, test it."""
    fit = fit_curve(cells, penalty=penalty, guess_rate=guess_rate)
    testable = not fit.grid.has_fractions and fit.cells.length.size > len(fit.parameters)
    return FitWithTest(
        fit, goodness_of_fit(fit, seed=seed, n_threads=os.cpu_count() or 1) if testable else None
    )


def with_term_tests(cells: Cells, tested: FitWithTest, *, seed: int) -> FitWithTest:
    """Test every term but the intercept against the curve without it."""
    fit = tested.fit
    tests = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LcstatsWarning)
        for term in fit.terms[1:]:
            smaller = fit_curve(
                cells,
                terms=tuple(other for other in fit.terms if other != term),
                penalty=fit.penalty,
                guess_rate=fit.curve.guess_rate,
            )
            tests.append(compare_terms(smaller, fit, seed=seed))
    return replace(tested, term_tests=tuple(tests))


def each_group(cells: Cells, work: Callable[[Cells], Result]) -> list[Result]:
    """Return what `work` makes of every group.

    Raises
    ------
    FitError
        If some cannot be fitted: all of them, the first five named.
    """
    done, refused = [], []
    for group in cells:
        try:
            done.append(work(group))
        except FitError as error:
            refused.append(str(error))
    if refused:
        more = [f"and {len(refused) - MOST_REFUSED} more"] * (len(refused) > MOST_REFUSED)
        raise FitError("\n".join([*refused[:MOST_REFUSED], *more]))
    return done


def coefficient_table(fit: CurveFit) -> pd.DataFrame:
    """Return one row per fitted parameter: estimate, standard errors, what it means.

    Examples
    --------
    >>> cells = Cells.from_counts(
    ...     [4096, 8192, 16384], [0.5], n_cases=40, successes=[[39], [36], [20]]
    ... )
    >>> fit = fit_curve(cells, terms=("intercept", "length"))
    >>> coefficient_table(fit)["meaning"].tolist()[1]
    'cost of every doubling of length'
    """
    robust = fit.robust_standard_errors
    meanings = _meanings(fit)
    return pd.DataFrame(
        [
            {
                "term": name,
                "estimate": getattr(fit.curve, name),
                "standard_error": fit.standard_errors[name],
                "robust_standard_error": None if robust is None else robust[name],
                "meaning": meanings[name],
            }
            for name in fit.parameters
        ]
    )


def _meanings(fit: CurveFit) -> dict[str, str]:
    """One phrase for every parameter, in log-odds of a right answer."""
    base = f"{fit.curve.base_length:g} {fit.grid.length_unit}"
    return {
        "intercept": f"log-odds of a right answer at {base}, without recency",
        "length": "cost of every doubling of length",
        "middle": f"further cost in the middle, {fit.curve.span_doublings:.3g} doublings on",
        "recency": "bonus at the very end of the context",
        "lapse_rate": "share of failures at any length",
        "recency_scale": "fraction of the context over which the bonus falls by a factor e",
    }


def verdict(goodness: GoodnessOfFit | None) -> str:
    """Say whether the curve fits, with the p-value and the worst cell."""
    if goodness is None:
        return "not tested: cases are not 0/1, or there are no more cells than parameters"
    word = "nothing speaks against the curve" if goodness.passes else "the curve does not fit"
    depth = goodness.worst_depth
    where = f"length {goodness.worst_length:.10g}"
    # A depth that is missing is not equal to itself.
    where += f", depth {depth:g}" if depth == depth else ""
    return (
        f"{word} (p = {goodness.p_value:.3g}; largest residual {goodness.worst_residual:+.1f} at "
        f"{where})"
    )


def dispersion_words(fit: CurveFit) -> str:
    """Say the dispersion, or that no degrees of freedom are left for it."""
    degrees = fit.cells.length.size - len(fit.parameters)
    return f"{fit.dispersion:.2f} (1 is binomial)" if degrees > 0 else "none left to measure"


def crossing_words(estimate: Estimate, unit: str) -> str:
    """Say where a curve crosses, with its interval, and whether beyond what was tested."""
    crossing = estimate.crossing
    if crossing is None:
        if estimate.crossing_status == "starts_below":
            return "nowhere: it is below it at the shortest length and at all shorter ones in reach"
        return "nowhere: it does not fall below it in reach"
    words = f"at {crossing.value:.0f} {unit}"
    if crossing.lower is None and crossing.upper is None:
        words += "; the data do not bound it"
    else:
        lower, upper = crossing.lower, crossing.upper
        first = f"<{estimate.lengths[0]}" if lower is None else f"{lower:.0f}"
        ends = f"{first} to " + (f">{estimate.lengths[-1]}" if upper is None else f"{upper:.0f}")
        words += f", {percent(crossing.level)} interval {ends}"
    return f"{words} (extrapolated)" if crossing.extrapolated else words
