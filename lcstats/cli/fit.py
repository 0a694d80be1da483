"""``lcstats fit``: the curve of every (model, task), and whether it fits."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from lcstats.cli.commands import define_command
from lcstats.cli.inputs import (
    count_results,
    read_results,
    single_trials,
)
from lcstats.cli.options import (
    FitOptions,
    ReadingOptions,
    fit_options,
    json_option,
    paths_argument,
    reading_options,
)
from lcstats.cli.output import (
    columns_of_text,
    print_groups,
    print_json,
    working_on,
)

if TYPE_CHECKING:
    from lcstats.cells import Cells, Results
    from lcstats.fit import TermTest
    from lcstats.needles.joint import JointComparison
    from lcstats.report.fits import FitWithTest


@define_command("fit", "lcstats fit results/ --score-threshold 7")
@paths_argument()
@reading_options
@fit_options
@click.option(
    "--joint",
    "joint",
    multiple=True,
    metavar="TASK[:TERM,...]",
    help="Fit one curve to several tasks, one flag for each; after the colon the terms in which a "
    "task differs, and combine where found facts have still to be combined, as in two hops.",
)
@json_option
def command(
    reading: ReadingOptions, fitting: FitOptions, joint: tuple[str, ...], as_json: bool
) -> None:
    """Fit the curve of accuracy over length and depth to every (model, task), and test it.

    Numbers of a curve that fails its test are not to be quoted. Every term is tested against the
    curve without it: is there a dip in the middle at all?
    """
    from lcstats.report.fits import each_group, fit_and_test, with_term_tests

    results = read_results(reading)
    if joint:
        _print_joint(_compare(results, reading, fitting, joint), results, as_json=as_json)
        return
    cells = count_results(results, reading)

    def fit(group: "Cells") -> "FitWithTest":
        tested = fit_and_test(
            group, penalty=fitting.penalty, guess_rate=fitting.exact_guess_rate, seed=fitting.seed
        )
        return with_term_tests(group, tested, seed=fitting.seed)

    tested = each_group(cells, fit)
    if as_json:
        from lcstats.report.documents import fit_document

        print_json(fit_document(tested, cells.notices))
        return
    print_groups(
        cells.notices,
        [
            (f"{one.fit.grid.model} on {one.fit.grid.task}", describe_fit(one), one.notices)
            for one in tested
        ],
    )


def _aic_words(test: "TermTest") -> str:
    """Say how Akaike's criterion changes without a term; graded scores have none."""
    if test.aic_difference is None:
        return ""
    change = -test.aic_difference
    return f"AIC {'higher' if change > 0 else 'lower'} by {abs(change):.1f}, "


def describe_fit(tested: "FitWithTest") -> Iterator[str]:
    """Yield the lines that say a fit, fit to be read aloud."""
    from lcstats.report.fits import coefficient_table, dispersion_words, verdict
    from lcstats.trials.wording import counted

    fit = tested.fit
    yield f"{fit.grid.model} on {fit.grid.task}"
    table = coefficient_table(fit)
    numbers = zip(table["term"], table["estimate"], table["standard_error"], strict=True)
    rows = [("term", "estimate", "standard error")]
    rows += [(str(term), f"{value:.4g}", f"{error:.3g}") for term, value, error in numbers]
    phrases = ["", *table["meaning"]]
    for row, phrase in zip(columns_of_text(rows).split("\n"), phrases, strict=True):
        yield f"  {row}  {phrase}".rstrip()
    for dropped in fit.dropped_terms:
        yield f"  Dropped: {dropped.term}, because {dropped.reason}"
    yield (
        f"  Counts: {counted(fit.grid.n_trials.sum(), 'trial')}, "
        f"{counted(fit.grid.n_cases.sum(), 'case')}, {counted(fit.cells.length.size, 'cell')}"
    )
    yield f"  Log-likelihood: {fit.log_likelihood:.2f}; dispersion: {dispersion_words(fit)}"
    yield f"  Penalty: {fit.penalty}; guess rate: {fit.curve.guess_rate:g}"
    yield f"  Separated: {'yes' if fit.separated else 'no'}"
    yield f"  Goodness of fit: {verdict(tested.goodness)}"
    for test in tested.term_tests:
        yield f"  Without {test.terms[0]}: {_aic_words(test)}p = {test.p_value:.3g}"


def _compare(
    results: "Results", reading: ReadingOptions, fitting: FitOptions, joint: tuple[str, ...]
) -> "list[JointComparison]":
    """Compare the tasks of every language model."""
    from lcstats.needles.joint import TaskPart, compare_tasks

    trials = single_trials(
        results,
        "expected trials, which say where the facts of each lay",
        "give the runner's own results, one row per trial, or leave --joint out",
    )
    parts = [TaskPart.parse(text) for text in joint]
    with working_on("Comparing tasks"):
        return [
            compare_tasks(
                trials.select(model=model),
                parts,
                repeats=reading.repeats,
                penalty=fitting.penalty,
                guess_rate=fitting.exact_guess_rate or 0.0,
                seed=fitting.seed,
            )
            for model in trials.models
        ]


def _print_joint(compared: "list[JointComparison]", results: "Results", *, as_json: bool) -> None:
    if as_json:
        from lcstats.report.documents import joint_document

        print_json(joint_document(compared, results.notices))
        return
    print_groups(
        results.notices,
        [(one.model, describe_joint(one), one.fit.notices) for one in compared],
    )


def describe_joint(compared: "JointComparison") -> Iterator[str]:
    """Yield the lines that say a joint fit and its tests."""
    fit = compared.fit
    names = " and ".join(task.name for task in fit.tasks)
    yield f"{compared.model}: one curve of single facts for {names}"
    errors = fit.standard_errors
    rows = [("term", "estimate", "standard error")]
    rows += [(name, f"{value:.4g}", f"{errors[name]:.3g}") for name, value in fit.estimates.items()]
    for row in columns_of_text(rows).split("\n"):
        yield f"  {row}".rstrip()
    for dropped in fit.dropped_terms:
        yield f"  Dropped: {dropped.term}, because {dropped.reason}"
    for task in fit.tasks:
        if task.combines:
            chances = compared.combining_by_length(task)
            shortest, longest = min(chances), max(chances)
            yield (
                f"  Combining found facts in {task.name}: succeeds {chances[shortest]:.3g} of the "
                f"time at length {shortest}, {chances[longest]:.3g} at {longest}"
            )
    yield f"  Log-likelihood: {fit.log_likelihood:.2f}; penalty: {fit.penalty}"
    for test in compared.tests:
        yield f"  Without {', '.join(test.terms)}: {_aic_words(test)}p = {test.p_value:.3g}"
