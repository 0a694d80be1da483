"""Needle results in words: lines that say a number with its task, threshold and method."""

from collections.abc import Iterator, Mapping

from lcstats.fit.joint import JointFit
from lcstats.needles.data import DATA_WORDS
from lcstats.needles.dependence import Dependence
from lcstats.needles.result import NeedleAnalysis
from lcstats.needles.single import SingleNeedle
from lcstats.needles.task_length import TaskLength
from lcstats.options import percent
from lcstats.trials.wording import counted


def describe_needles(analysis: NeedleAnalysis) -> Iterator[str]:
    """Yield the lines that say what is known of a task of several needles.

    Parameters
    ----------
    analysis : NeedleAnalysis

    Examples
    --------
    >>> from lcstats.needles.required import required_rate
    >>> required_words({1: required_rate(0.85, 1), 10: required_rate(0.85, 10)})
    '1: 0.850, 10: 0.984'
    """
    table, observed = analysis.table, analysis.observed
    yield f"{analysis.model} on {analysis.task}: {counted(analysis.n_needles, 'needle')} per trial"
    yield f"  Known: {DATA_WORDS[table.kind]}"
    units = "case" if table.repeats == "fold" else "unit"
    yield (
        f"  Counts: {counted(table.n_trials, 'trial')} of {counted(table.n_units, units)}, "
        f"{table.n_unscored} unscored; repeats: {table.repeats}"
    )
    bar = observed.bar_in_words()
    yield f"  Threshold: {bar}; depth treatment: {observed.depth_in_words()}"
    yield f"  All needles found, observed: {observed_words(analysis)}"
    if analysis.dependence is not None:
        yield from dependence_lines(analysis.dependence, analysis.level)
    if analysis.single is not None:
        yield f"  Curve of a single needle: {curve_words(analysis.single)}"
    required = required_words(analysis.required_rates)
    yield f"  Required rate of each needle, by their number: {required}"


def observed_words(analysis: NeedleAnalysis) -> str:
    """Say the observed effective length with its default set."""
    estimate, unit = analysis.observed.observed, analysis.table.length_unit
    own = estimate.default_set
    return f"{estimate.display} {unit}, {percent(own.level)} {own.kind} set {own.display} {unit}"


def dependence_lines(dependence: Dependence, level: float) -> Iterator[str]:
    """Yield what is known of dependence, with intervals."""
    if not dependence.n_units:
        yield "  Dependence: nothing can be said, no two units are alike in length and place"
        return
    given, ratio = f"given {dependence.strata}; {percent(level)}", dependence.ratio.words()
    yield f"  Dependence ratio, all found over product of rates: {ratio} ({given} score interval)"
    correlation = dependence.intraclass_correlation.words()
    yield f"  Intra-class correlation: {correlation} ({percent(level)} cluster bootstrap)"
    yield (
        f"  Independence: p = {dependence.independence_p:.3g} ({dependence.n_permutations} "
        f"permutations among {counted(dependence.n_units, 'unit')})"
    )
    if dependence.neighbour_effect.is_known:
        yield (
            "  Missing a needle raises the chance to miss the next by "
            f"{dependence.neighbour_effect.words()}, p = {dependence.neighbour_p:.3g}; of pairs "
            f"further apart by {dependence.other_effect.words()}"
        )


def curve_words(single: SingleNeedle) -> str:
    """Say the coefficients with their standard errors, and whether the curve fits."""
    fit = single.fit
    if isinstance(fit, JointFit):
        kind = "model-based" if fit.overdispersion is None else "beta-binomial"
        values, errors = fit.estimates, fit.standard_errors
    else:
        values = {term: getattr(fit.curve, term) for term in fit.parameters}
        robust = fit.robust_standard_errors
        errors, kind = robust or fit.standard_errors, "robust" if robust else "model-based"
    numbers = ", ".join(
        f"{term} {value:.3g} ({errors[term]:.2g})" for term, value in values.items()
    )
    test = single.goodness
    verdict = "fit not tested" if test is None else f"goodness of fit p = {test.p_value:.3g}"
    return f"{numbers} ({kind} standard errors); {verdict}{', does not fit' * single.fails}"


def required_words(rates: Mapping[int, float]) -> str:
    """Write required rates by their number of needles."""
    return ", ".join(f"{number}: {rate:.3f}" for number, rate in rates.items())


def length_rows(analysis: NeedleAnalysis) -> Iterator[tuple[str, ...]]:
    """Yield the rows of the table by length, a header first."""
    yield "length", "rate per needle", "all found", "product", "ratio", "trials", "units"
    ratios = None if analysis.dependence is None else analysis.dependence.ratio_by_length
    for index, row in enumerate(analysis.rows):
        ratio = "-" if ratios is None else _short(ratios[index].value)
        yield (
            str(row.length),
            row.rate.words() if row.rate.is_known else "-",
            row.joint.words(),
            _short(row.product),
            ratio,
            str(row.n_trials),
            str(row.n_units),
        )


def _short(value: float) -> str:
    return "-" if value != value else f"{value:.3g}"


def implied_rows(implied: tuple[TaskLength, ...]) -> Iterator[tuple[str, ...]]:
    """Yield the rows of what single needles imply for a task, a header first."""
    yield "needles", "required rate", "layout", "effective length", "set", "crossing"
    for one in implied:
        sets = one.estimate.sets
        yield (
            str(one.n_needles),
            f"{one.required_rate:.3f}",
            one.layout,
            one.estimate.display,
            f"{sets[0].display} ({sets[0].kind})" if sets else "-",
            "-" if one.crossing is None else f"{one.crossing:.0f}",
        )
