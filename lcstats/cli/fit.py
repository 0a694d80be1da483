"""``lcstats fit``: the curve of every (model, task), and whether it fits."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from lcstats.cli.commands import define_command
from lcstats.cli.inputs import count_results, read_results
from lcstats.cli.options import (
    FitOptions,
    ReadingOptions,
    fit_options,
    json_option,
    paths_argument,
    reading_options,
)
from lcstats.cli.output import columns_of_text, print_json, print_notices, print_text

if TYPE_CHECKING:
    from lcstats.report.fits import FitWithTest


@define_command("fit", "lcstats fit results/ --score-threshold 7")
@paths_argument()
@reading_options
@fit_options
@json_option
def command(reading: ReadingOptions, fitting: FitOptions, as_json: bool) -> None:
    """Fit the curve of accuracy over length and depth to every (model, task), and test it.

    Numbers of a curve that fails its test are not to be quoted.
    """
    from lcstats.report.fits import fit_and_test

    cells = count_results(read_results(reading), reading)
    tested = [
        fit_and_test(
            group, penalty=fitting.penalty, guess_rate=fitting.guess_rate, seed=fitting.seed
        )
        for group in cells
    ]
    if as_json:
        from lcstats.report.documents import fit_document

        groups = [(one.fit, one.goodness, one.notices) for one in tested]
        print_json(fit_document(groups, cells.notices))
        return
    print_notices(cells.notices)
    for number, one in enumerate(tested):
        if number:
            print_text()
        for line in describe_fit(one):
            print_text(line)
        grid = one.fit.grid
        name = f"{grid.model} on {grid.task}" if len(tested) > 1 else ""
        print_notices(one.notices, group=name)


def describe_fit(tested: "FitWithTest") -> Iterator[str]:
    """Yield the lines that say a fit, fit to be read aloud."""
    from lcstats.report.fits import coefficient_table, dispersion_words, verdict

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
        f"  Counts: {fit.grid.n_trials.sum()} trials, {fit.grid.n_cases.sum()} cases, "
        f"{fit.cells.length.size} cells"
    )
    yield f"  Log-likelihood: {fit.log_likelihood:.2f}; dispersion: {dispersion_words(fit)}"
    yield f"  Penalty: {fit.penalty}; guess rate: {fit.curve.guess_rate:g}"
    yield f"  Separated: {'yes' if fit.separated else 'no'}"
    yield f"  Goodness of fit: {verdict(tested.goodness)}"
