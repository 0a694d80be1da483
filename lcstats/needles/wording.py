"""Needle results in words: lines that say a number with its task, threshold and method."""

from collections.abc import Iterator, Mapping, Sequence

from lcstats.needles.bounded import Bounded
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
    '0.850 for 1 needle, 0.984 for 10 needles'
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
        yield from dependence_lines(analysis, analysis.dependence)
    if (step := analysis.depth_step) is not None:
        yield f"  Found: {step.words()} (at {_lengths(step.lengths)})"
    if analysis.single is not None:
        yield f"  Curve of a single needle: {curve_words(analysis.single)}"
    required = required_words(analysis.required_rates)
    yield f"  Required rate of each needle: {required}"


def observed_words(analysis: NeedleAnalysis) -> str:
    """Say the observed effective length with its default set."""
    estimate, unit = analysis.observed.observed, analysis.table.length_unit
    own = estimate.default_set
    return f"{estimate.display} {unit}, {percent(own.level)} {own.kind} set {own.display} {unit}"


def dependence_lines(analysis: NeedleAnalysis, dependence: Dependence) -> Iterator[str]:
    """Yield what is known of dependence, with intervals, and which lengths it rests on."""
    level = analysis.level
    if not dependence.n_units:
        yield "  Dependence: nothing can be said, no two units are alike in length and place"
        return
    given, ratio = f"given {dependence.strata}; {percent(level)}", dependence.ratio.words()
    yield f"  Dependence ratio, all found over product of rates: {ratio} ({given} score interval)"
    yield from _ratio_evidence(analysis)
    correlation = dependence.intraclass_correlation.words()
    yield f"  Intra-class correlation: {correlation} ({percent(level)} cluster bootstrap)"
    yield (
        f"  Independence: p = {dependence.independence_p:.3g} ({dependence.n_permutations} "
        f"permutations among {counted(dependence.n_units, 'unit')})"
    )
    tested = analysis.independence_lengths
    if len(tested) < len(analysis.rows):
        yield (
            f"    rests on {_lengths(tested)}: there needles of one place were found and missed"
            if tested
            else "    rests on no length: in no place were needles both found and missed"
        )
    if dependence.neighbour_effect.is_known:
        yield (
            "  Missing a needle raises the chance to miss the next by "
            f"{dependence.neighbour_effect.words()}, p = {dependence.neighbour_p:.3g}; of pairs "
            f"further apart by {dependence.other_effect.words()}"
        )
    tests = (
        (dependence.intraclass_correlation, dependence.independence_p),
        (dependence.neighbour_effect, dependence.neighbour_p),
    )
    if any(_disagree(stated, p_value, level) for stated, p_value in tests):
        yield (
            "    An interval and its p-value differ here: the test asks whether chance would pair "
            "these outcomes so, the interval draws units again, and draws without the few that "
            "carry an effect show none"
        )


def _ratio_evidence(analysis: NeedleAnalysis) -> Iterator[str]:
    """Yield which lengths the dependence ratio rests on, where some say nothing of it."""
    joint = [row.joint.value for row in analysis.rows]
    n_none, n_all, carrying = joint.count(0.0), joint.count(1.0), analysis.ratio_lengths
    if not n_none + n_all:
        return
    how = (("in no trial", n_none), ("in every trial", n_all))
    where = " and ".join(f"{words} at {number} of {len(joint)}" for words, number in how if number)
    rests = f"it rests on {_lengths(carrying)}" if carrying else "no length carries evidence on it"
    yield f"    all were found {where} lengths: {rests}"


def _disagree(stated: Bounded, p_value: float, level: float) -> bool:
    """Tell whether an interval holds 0 where its test rejects, or the other way round."""
    if not stated.is_known or not stated.lower <= stated.upper or p_value != p_value:
        return False
    return (stated.lower <= 0.0 <= stated.upper) == (p_value < 1.0 - level)


def _lengths(lengths: Sequence[int]) -> str:
    return f"{'length' if len(lengths) == 1 else 'lengths'} {', '.join(map(str, lengths))}"


def curve_words(single: SingleNeedle) -> str:
    """Say the coefficients with their standard errors, and whether the curve fits."""
    errors = single.standard_errors
    if errors is None:
        numbers = ", ".join(f"{term} {value:.3g}" for term, value in single.estimates.items())
        said = f"no standard errors: {single.why_no_errors}"
    else:
        numbers = ", ".join(
            f"{term} {value:.3g} ({errors[term]:.2g})" for term, value in single.estimates.items()
        )
        said = f"{single.error_kind} standard errors"
    test = single.goodness
    verdict = "fit not tested" if test is None else f"goodness of fit p = {test.p_value:.3g}"
    prompts = " for these very prompts" * (test is not None and single.is_of_prompts)
    return f"{numbers} ({said}); {verdict}{prompts}{', does not fit' * single.fails}"


def required_words(rates: Mapping[int, float]) -> str:
    """Write required rates by their number of needles."""
    return ", ".join(f"{rate:.3f} for {counted(k, 'needle')}" for k, rate in rates.items())


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
            _crossing(one),
        )


def _crossing(one: TaskLength) -> str:
    """Write where the mean rate falls below the required one; beyond tested lengths, which side."""
    if one.layout != "spread":
        return "-"
    if one.crossing is not None:
        return f"{one.crossing:.0f}"
    lengths = one.estimate.lengths
    return f">{lengths[-1]}" if one.estimate.outcome else f"<{lengths[0]}"
