"""The flags of figures: size, colours, what stands in cells, one figure for all."""

from dataclasses import dataclass

import click

from lcstats.cli.options import Function, Wrap, as_record, choice
from lcstats.errors import OptionError, describe
from lcstats.options import ColumnWidth, HeatmapStyle, HeatmapWords, Theme

TOGETHER = ("heatmap", "decay")
"""Kinds that show several language models and tasks in one figure on request."""
DEFAULT_WORDS: HeatmapWords = "counts"


@dataclass(frozen=True, slots=True)
class LookOptions:
    """What was asked of the look of a figure."""

    width: ColumnWidth
    theme: Theme
    style: HeatmapStyle
    words: HeatmapWords
    together: bool

    def check(self, kind: str) -> None:
        """Refuse what a kind of figure cannot show, instead of ignoring it.

        Raises
        ------
        OptionError
        """
        if self.together and kind not in TOGETHER:
            raise OptionError(
                describe(
                    f"--together is given for plot {kind}",
                    f"expected it for {' or '.join(TOGETHER)}",
                    "leave it out: forest shows several language models in any case",
                )
            )
        if kind != "heatmap" and (self.style != "default" or self.words != DEFAULT_WORDS):
            raise OptionError(
                describe(
                    f"--style or --words is given for plot {kind}",
                    "expected them for heatmap, which has cells",
                    "leave them out, or draw a heatmap",
                )
            )


_LOOK: tuple[Wrap, ...] = (
    click.option(
        "--width",
        type=choice(ColumnWidth),
        default="single",
        show_default=True,
        help="A column of 3.3 inches, a page of 6.9, or a slide.",
    ),
    click.option(
        "--theme", type=choice(Theme), default="light", show_default=True, help="Paper or screen."
    ),
    click.option(
        "--style",
        type=choice(HeatmapStyle),
        default="default",
        show_default=True,
        help="Colours of a heatmap; classic is red-yellow-green.",
    ),
    click.option(
        "--words",
        type=choice(HeatmapWords),
        default=DEFAULT_WORDS,
        show_default=True,
        help="What stands in the cells of a heatmap; half-width is of the 95% interval.",
    ),
    click.option(
        "--together",
        is_flag=True,
        help="All language models and tasks in one figure: decay curves, or small heatmaps.",
    ),
)


def look_options(function: Function) -> Function:
    """Add the flags of a figure's look; the command gets them as ``look``."""
    return as_record("look", LookOptions, _LOOK)(function)
