"""What a report says of tasks with several needles per trial."""

from collections.abc import Iterator
from dataclasses import dataclass

from lcstats.cells import Results
from lcstats.errors import DesignWarning, Notice, TableError
from lcstats.lengths import Criterion
from lcstats.needles import NeedleAnalysis, analyze_needles, split_needles
from lcstats.needles.wording import describe_needles, length_rows
from lcstats.report.settings import ReportSettings
from lcstats.trials import Trials


@dataclass(frozen=True, slots=True, eq=False)
class NeedleContent:
    """The tasks of several needles in a report.

    Attributes
    ----------
    analyses : tuple of NeedleAnalysis
        One per language model, task and number of needles from 2.
    notices : tuple of Notice
        On tasks whose needles are not to be analysed.
    """

    analyses: tuple[NeedleAnalysis, ...] = ()
    notices: tuple[Notice, ...] = ()


def analyze_tasks(
    results: Results, criterion: Criterion, *, level: float, settings: ReportSettings
) -> NeedleContent:
    """Analyse every task that asks for several needles per trial.

    None under a relative rule, which is no target for needles, nor where tasks are averaged or
    lengths are those received.
    """
    analyses: list[NeedleAnalysis] = []
    notices: list[Notice] = []
    for part in _parts(results, criterion, settings):
        try:
            analyses.append(
                analyze_needles(
                    part, criterion, repeats=settings.repeats, level=level, seed=settings.seed
                )
            )
        except TableError as error:
            task = part.frame["task"].iloc[0]
            message = f"the needles of {task} are not analysed: {error}"
            notices.append(Notice("needles-not-analysed", message, DesignWarning))
    return NeedleContent(tuple(analyses), tuple(notices))


def _parts(results: Results, criterion: Criterion, settings: ReportSettings) -> Iterator[Trials]:
    """Yield the trials of every task of several needles."""
    if not isinstance(results, Trials) or criterion.fixed_bar is None:
        return
    says_number = {"n_needles", "needle_found", "needle_depths"} & set(results.frame)
    if not says_number or settings.average_tasks or settings.axis != "asked":
        return
    if results.frame[sorted(says_number)].isna().all(axis=None):
        return
    for part in split_needles(results):
        if part.frame["n_needles"].iloc[0] > 1:
            yield part


def needle_lines(analysis: NeedleAnalysis) -> list[str]:
    """Return what is known of a task of several needles, a line each, without its name."""
    return [line.strip() for line in describe_needles(analysis)][1:]


def needle_rows(analysis: NeedleAnalysis) -> list[tuple[str, ...]]:
    """Return rates, joint rates and products by length, a header first."""
    return list(length_rows(analysis))
