"""The figures of ``lcstats plot`` that show one (model, task), and several of them together."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from lcstats.cli.plot_options import LookOptions
from lcstats.errors import OptionError, describe

if TYPE_CHECKING:
    from lcstats.cells import Cells
    from lcstats.lengths import EffectiveLength
    from lcstats.report.fits import FitWithTest


def draw_group(
    kind: str,
    cells: "Cells",
    *,
    answer: "EffectiveLength",
    tested: "FitWithTest | None",
    look: LookOptions,
    seed: int,
) -> Any:
    """Draw one language model on one task."""
    from lcstats import plots

    if kind == "heatmap":
        return plots.plot_heatmap(
            cells, effective_length=answer, words=look.words, style=look.style, width=look.width
        )
    if kind == "methods":
        return plots.plot_methods(answer, width=look.width)
    if kind == "masses":
        return plots.plot_masses(answer, width=look.width)
    if kind in ("residuals", "predictive"):
        return _draw_check(kind, cells, tested, look)
    return _draw_with_curve(kind, cells, answer=answer, tested=tested, look=look, seed=seed)


def _draw_with_curve(
    kind: str,
    cells: "Cells",
    *,
    answer: "EffectiveLength",
    tested: "FitWithTest | None",
    look: LookOptions,
    seed: int,
) -> Any:
    from lcstats import plots
    from lcstats.report.fits import plot_options

    curve = plot_options(tested, seed=seed)
    if kind == "depth":
        return plots.plot_depth(cells, width=look.width, **curve)
    return plots.plot_decay(cells, effective_length=answer, width=look.width, **curve)


def _draw_check(kind: str, cells: "Cells", tested: "FitWithTest | None", look: LookOptions) -> Any:
    """Draw how well the curve tells of the counts."""
    from lcstats import plots

    if tested is None:
        why, mend = "was tested at one length", ", or give --method curve to fit depths alone"
        if cells.grid.members:
            why, mend = "averages tasks, each with a curve of its own", ", or leave the tasks apart"
        raise OptionError(
            describe(
                f"{cells.grid.model} on {cells.grid.task} {why}",
                "expected several lengths of one task, so that a curve can be fitted",
                f"draw a heatmap{mend}",
            )
        )
    if kind == "residuals":
        return plots.plot_residuals(tested.fit, goodness=tested.goodness, width=look.width)
    return plots.plot_posterior_predictive(tested.fit, width=look.width)


def draw_together(
    kind: str,
    cells: "Cells",
    answers: "Sequence[EffectiveLength]",
    fits: "Sequence[FitWithTest | None]",
    look: LookOptions,
) -> Any:
    """Draw all language models and tasks in one figure."""
    from lcstats import plots

    if kind == "heatmap":
        words = "none" if look.words == "counts" else look.words
        return plots.plot_heatmaps(
            cells, effective_lengths=answers, words=words, style=look.style, width=look.width
        )[0]
    curves = [tested.fit for tested in fits if tested is not None]
    return plots.plot_decays(cells, effective_lengths=answers, fits=curves, width=look.width)
