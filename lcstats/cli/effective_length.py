"""``lcstats effective-length``: the number, with its set and masses, per (model, task)."""

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from lcstats.cli.commands import define_command
from lcstats.cli.inputs import count_results, read_results
from lcstats.cli.options import (
    AnalysisOptions,
    ReadingOptions,
    analysis_options,
    json_option,
    paths_argument,
    reading_options,
)
from lcstats.cli.output import (
    columns_of_text,
    print_groups,
    print_json,
)
from lcstats.options import percent

if TYPE_CHECKING:
    from lcstats.cells import Cells
    from lcstats.lengths import EffectiveLength, Estimate
    from lcstats.report.fits import FitWithTest

MASS_MEANINGS = {
    "bootstrap": "how often each would come up again",
    "jeffreys": "posterior probability of each",
    "parametric_bootstrap": "how often each would come up in data drawn from the curve",
    "cluster_bootstrap": "how often each comes up in cases drawn again, whole clusters at a time",
    "posterior": "probability of each given these counts and the stated priors",
    "prior": "probability of each under the stated priors alone",
}
SHARE_TO_SHOW = 0.0005


@define_command(
    "effective-length",
    "lcstats effective-length results/ --score-threshold 7 --threshold 0.85 --depth mean",
)
@paths_argument()
@reading_options
@analysis_options
@json_option
def command(reading: ReadingOptions, analysis: AnalysisOptions, as_json: bool) -> None:
    """State the effective length of every (model, task), with its set and masses.

    The effective length is the longest tested length up to which accuracy stays at the threshold
    or above. The set is proved, or built, to hold the true one at the level, as its line says; the
    masses say how often each length would come up again, and are no such set.
    """
    from lcstats.report.documents import effective_length_document
    from lcstats.report.fits import each_group

    analysis.criterion()
    results = read_results(reading, analysis.by)
    cells = count_results(results, reading, average=analysis.average_tasks)
    answers = each_group(
        cells, lambda group: analyse(group, analysis, fit_if_wanted(group, analysis))
    )
    if as_json:
        print_json(effective_length_document(answers, cells.notices))
        return
    print_groups(
        cells.notices,
        [(f"{one.model} on {one.task}", describe_answer(one), one.notices) for one in answers],
    )


def fit_if_wanted(cells: "Cells", analysis: AnalysisOptions) -> "FitWithTest | None":
    """Fit and test the curve of one group, unless ``--method`` leaves it out.

    Where ``--method`` says nothing, a single length has no curve, and an average over tasks none
    either: there is nothing to decay over, and each task has its own.
    """
    from lcstats.report.fits import fit_and_test, has_a_curve

    if not analysis.wants_curve or (not analysis.methods and not has_a_curve(cells)):
        return None
    guess_rate = float(analysis.criterion().exact_guess_rate) or None
    return fit_and_test(cells, penalty=analysis.penalty, guess_rate=guess_rate, seed=analysis.seed)


def analyse(
    cells: "Cells", analysis: AnalysisOptions, tested: "FitWithTest | None" = None
) -> "EffectiveLength":
    """State the effective length of one group as the flags say; a fit's notices join its own."""
    from lcstats.lengths import effective_length
    from lcstats.lengths.notices import notices_on_penalty
    from lcstats.report.fits import sets_to_ask, surface_if_wanted

    answer = effective_length(
        cells,
        analysis.criterion(),
        fit=None if tested is None else tested.fit,
        flexible=surface_if_wanted(cells, analysis.methods, seed=analysis.seed),
        level=analysis.level,
        sets=sets_to_ask(analysis.sets, analysis.methods),
        masses=analysis.masses,
        seed=analysis.seed,
    )
    further = notices_on_penalty(analysis.penalty) if tested is None else tested.notices
    return replace(answer, notices=(*answer.notices, *further))


def describe_answer(answer: "EffectiveLength") -> Iterator[str]:
    """Yield the lines that say an effective length, fit to be read aloud."""
    from lcstats.lengths.answer import SET_MEANINGS
    from lcstats.trials.wording import counted

    estimate = answer.quoted
    unit = answer.length_unit
    yield f"{answer.model} on {answer.task}"
    if answer.members:
        yield f"  Averaged, without weights: {', '.join(answer.members)}"
    yield f"  Threshold: {answer.bar_in_words()}; depth treatment: {answer.depth_in_words()}"
    quote = "" if answer.headline else "; no headline, for raw cells are biased low: quote the set"
    yield f"  Effective length: {estimate.display} {unit} ({estimate.method}{quote})"
    for interval in estimate.sets:
        words = f"{interval.display} {unit} ({interval.kind})"
        if interval.fell_back_from:
            asked = interval.fell_back_from
            words += f"; not {asked.kind}, because {asked.reason}"
        yield f"  {percent(interval.level)} set, {SET_MEANINGS[interval.kind]}: {words}"
    if estimate.longest_passing not in (None, estimate.length):
        yield f"  Longest passing length: {estimate.longest_passing} {unit}, past lengths that fail"
    yield from _mass_lines(estimate)
    for other in answer.beside:
        if other.method == "curve":
            yield from _curve_lines(other, unit, fails=answer.curve_fails)
        else:
            yield from _other_lines(other, unit)
    n_unscored = sum(answer.unscored_by_length.values())
    yield (
        f"  Counts: {counted(answer.n_trials.sum() + n_unscored, 'trial')}, "
        f"{counted(answer.n_cases.sum(), 'case')}, {n_unscored} unscored"
    )
    yield f"  {answer.which_to_quote()}"
    yield ""
    yield "\n".join(f"  {line}" for line in columns_of_text(_rows(answer)).split("\n"))


def _curve_lines(estimate: "Estimate", unit: str, *, fails: bool) -> Iterator[str]:
    """Yield what the fitted curve says beside the observed cells."""
    from lcstats.report.fits import crossing_words

    caution = "; the curve does not fit, so do not quote it" if fails else ""
    yield f"  By the curve: {estimate.display} {unit} ({estimate.method}){caution}"
    yield f"  The curve crosses the threshold: {crossing_words(estimate, unit)}"
    for interval in estimate.sets:
        yield (
            f"  {percent(interval.level)} set of the curve, good only if the curve fits: "
            f"{interval.display} {unit} ({interval.kind})"
        )
    yield from _mass_lines(estimate)


def _other_lines(estimate: "Estimate", unit: str) -> Iterator[str]:
    """Yield what a method says that is not the one to quote."""
    from lcstats.lengths.answer import METHOD_WORDS, SET_MEANINGS

    yield f"  {METHOD_WORDS[estimate.method]}: {estimate.display} {unit} ({estimate.method})"
    for interval in estimate.sets:
        yield (
            f"  {percent(interval.level)} set, {SET_MEANINGS[interval.kind]}: "
            f"{interval.display} {unit} ({interval.kind})"
        )
    yield from _mass_lines(estimate)


def _mass_lines(estimate: "Estimate") -> Iterator[str]:
    from lcstats.lengths import outcome_label

    for kind, mass in estimate.masses.items():
        shares = ", ".join(
            f"{outcome_label(outcome, estimate.lengths)} {100 * share:.1f}%"
            for outcome, share in enumerate(mass.tolist())
            if share >= SHARE_TO_SHOW
        )
        yield f"  Masses, not a set, {kind} ({MASS_MEANINGS[kind]}): {shares}"


def _rows(answer: "EffectiveLength") -> Iterator[tuple[object, ...]]:
    yield "length", "accuracy", "passes", "scored", "cases", "unscored"
    for row in answer.to_frame().itertuples():
        passes = "yes" if row.passes else "no"
        counts = (row.n_trials, row.n_cases, row.n_unscored)
        yield row.length, f"{row.accuracy:.4f}", passes, *counts
