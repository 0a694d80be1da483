"""The figure of ``lcstats plot`` that shows several needles."""

from typing import TYPE_CHECKING, Any

from lcstats.cli.needles import name_of, read_needles
from lcstats.cli.options import AnalysisOptions, ReadingOptions

if TYPE_CHECKING:
    from lcstats.errors import Notice
    from lcstats.options import ColumnWidth


def draw_needles(
    reading: ReadingOptions, analysis: AnalysisOptions, width: "ColumnWidth"
) -> "tuple[list[tuple[str, str, Any]], tuple[Notice, ...]]":
    """Draw how often all needles are found, an axes per language model, task and number of needles.

    Returns
    -------
    list of (language model, task, axes)
    tuple of Notice
    """
    from lcstats import plots
    from lcstats.needles import analyze_needles

    criterion = analysis.criterion()
    trials, parts = read_needles(reading)
    wanted = analysis.methods or ("observed", "curve")
    found = [
        analyze_needles(
            part,
            criterion,
            repeats=reading.repeats,
            methods=wanted,
            level=analysis.level,
            seed=analysis.seed,
        )
        for part in parts
    ]
    drawn = [(one.model, name_of(one), plots.plot_needles(one, width=width)) for one in found]
    return drawn, (*trials.notices, *(notice for one in found for notice in one.notices))
