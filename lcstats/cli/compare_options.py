"""The options of ``lcstats compare``."""

from dataclasses import dataclass

import click

from lcstats.cli.options import Function, Wrap, as_record, choice
from lcstats.cli.parameters import DEPTHS, LENGTHS
from lcstats.designs import READY
from lcstats.errors import OptionError, describe
from lcstats.options import GateKind


@dataclass(frozen=True, slots=True)
class CompareOptions:
    """What was asked of a comparison: which language models, on which slice, judged how."""

    old_model: str | None
    new_model: str | None
    reference: str | None
    margin: float
    gate: GateKind | None
    level: float
    design: str | None
    lengths: tuple[int, ...]
    depths: tuple[float, ...]
    junit: str | None
    markdown: str | None

    def slice(self) -> tuple[tuple[int, ...], tuple[float, ...]]:
        """Return the lengths and depths to compare on; empty for all.

        Raises
        ------
        OptionError
            If a design is named beside lengths or depths.
        """
        if self.design is None:
            return self.lengths, self.depths
        if self.lengths or self.depths:
            raise OptionError(
                describe(
                    f"--design {self.design} is given with --lengths or --depths",
                    "expected a design, or lengths and depths",
                    "leave one of them out",
                )
            )
        design = READY[self.design]
        return design.lengths, design.depths


_COMPARE: tuple[Wrap, ...] = (
    click.option(
        "--old-model", metavar="NAME", help="Language model of OLD, where it holds several."
    ),
    click.option(
        "--new-model", metavar="NAME", help="Language model of NEW, where it holds several."
    ),
    click.option(
        "--reference",
        metavar="NAME",
        help="Of several language models, the one that the others are compared with; every pair "
        "unless said.",
    ),
    click.option(
        "--margin",
        type=float,
        default=0.02,
        show_default=True,
        metavar="X",
        help="Difference in accuracy up to which nothing is lost that matters.",
    ),
    click.option(
        "--gate",
        type=choice(GateKind),
        help="regression: exit 1 only if a loss beyond the margin is shown; noninferiority: exit 0 "
        "only if one is excluded.",
    ),
    click.option(
        "--level",
        type=float,
        default=0.95,
        show_default=True,
        metavar="X",
        help="Level of intervals (two-sided) and of the gate (one-sided).",
    ),
    click.option(
        "--design",
        type=click.Choice(list(READY)),
        help="Compare on the lengths and depths of a named design only; regression is 32K and 64K "
        "at three depths.",
    ),
    click.option(
        "--lengths",
        type=LENGTHS,
        default=(),
        metavar="L,L,...",
        help="Compare on these lengths only.",
    ),
    click.option(
        "--depths",
        type=DEPTHS,
        default=(),
        metavar="N|D,D,...",
        help="Compare on these depths only.",
    ),
    click.option(
        "--junit", metavar="FILE", help="Write JUnit XML, for a CI server's page of tests: .xml."
    ),
    click.option(
        "--markdown", metavar="FILE", help="Write a summary for a pull request's page: .md."
    ),
)


def compare_options(function: Function) -> Function:
    """Add the flags of a comparison; the command gets them as ``asked``."""
    return as_record("asked", CompareOptions, _COMPARE)(function)
