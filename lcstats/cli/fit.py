"""``lcstats fit``: the curve of every (model, task), and whether it fits."""

from collections.abc import Iterator
from dataclasses import dataclass
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
from lcstats.errors import Notice

if TYPE_CHECKING:
    from lcstats.cells import Cells
    from lcstats.fit import CurveFit, GoodnessOfFit
    from lcstats.options import Penalty


@dataclass(frozen=True, slots=True)
class FitWithTest:
    """A fitted curve with its test; graded scores have none, because they are not binomial."""

    fit: "CurveFit"
    goodness: "GoodnessOfFit | None"

    @property
    def notices(self) -> list[Notice]:
        """What to know about the fit and its test, each thing once."""
        if self.goodness is None:
            test: Notice | None = Notice(
                "no-goodness-of-fit",
                "graded scores or folded repeats are not 0/1 outcomes, so whether the curve fits "
                "is not tested: look at the dispersion",
            )
        else:
            test = self.goodness.notice()
        return list(dict.fromkeys([*self.fit.notices, *([test] if test else [])]))


@define_command("fit", "lcstats fit results/ --score-threshold 7")
@paths_argument()
@reading_options
@fit_options
@json_option
def command(reading: ReadingOptions, fitting: FitOptions, as_json: bool) -> None:
    """Fit the curve of accuracy over length and depth to every (model, task), and test it.

    Numbers of a curve that fails its test are not to be quoted.
    """
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
        for line in describe_fit(one.fit, one.goodness):
            print_text(line)
        grid = one.fit.grid
        name = f"{grid.model} on {grid.task}" if len(tested) > 1 else ""
        print_notices(one.notices, group=name)


def fit_and_test(
    cells: "Cells", *, penalty: "Penalty", guess_rate: float, seed: int
) -> FitWithTest:
    """Fit the curve to one group and, for 0/1 cases, test it."""
    from lcstats.fit import fit_curve, goodness_of_fit

    fit = fit_curve(cells, penalty=penalty, guess_rate=guess_rate)
    return FitWithTest(fit, None if fit.grid.has_fractions else goodness_of_fit(fit, seed=seed))


def describe_fit(fit: "CurveFit", goodness: "GoodnessOfFit | None") -> Iterator[str]:
    """Yield the lines that say a fit, fit to be read aloud."""
    yield f"{fit.grid.model} on {fit.grid.task}"
    table = columns_of_text(_coefficient_rows(fit)).split("\n")
    phrases = ["", *(_meanings(fit)[name] for name in fit.parameters)]
    for row, phrase in zip(table, phrases, strict=True):
        yield f"  {row}  {phrase}".rstrip()
    for dropped in fit.dropped_terms:
        yield f"  Dropped: {dropped.term}, because {dropped.reason}"
    yield (
        f"  Counts: {fit.grid.n_trials.sum()} trials, {fit.grid.n_cases.sum()} cases, "
        f"{fit.cells.length.size} cells"
    )
    degrees = fit.cells.length.size - len(fit.parameters)
    dispersion = f"{fit.dispersion:.2f} (1 is binomial)" if degrees > 0 else "none left to measure"
    yield f"  Log-likelihood: {fit.log_likelihood:.2f}; dispersion: {dispersion}"
    yield f"  Penalty: {fit.penalty}; guess rate: {fit.curve.guess_rate:g}"
    yield f"  Separated: {'yes' if fit.separated else 'no'}"
    yield f"  Goodness of fit: {verdict(goodness)}"


def verdict(goodness: "GoodnessOfFit | None") -> str:
    """Say whether the curve fits, with the p-value and the worst cell."""
    if goodness is None:
        return "not tested, because cases are not 0/1"
    word = "nothing speaks against the curve" if goodness.passes else "the curve does not fit"
    depth = goodness.worst_depth
    where = f"length {goodness.worst_length:g}"
    # A depth that is missing is not equal to itself.
    where += f", depth {depth:g}" if depth == depth else ""
    return (
        f"{word} (p = {goodness.p_value:.3g}; largest residual {goodness.worst_residual:+.1f} at "
        f"{where})"
    )


def _coefficient_rows(fit: "CurveFit") -> Iterator[tuple[str, str, str]]:
    yield "term", "estimate", "standard error"
    for name in fit.parameters:
        yield name, f"{getattr(fit.curve, name):.4g}", f"{fit.standard_errors[name]:.3g}"


def _meanings(fit: "CurveFit") -> dict[str, str]:
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
