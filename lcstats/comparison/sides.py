"""The same thing done for the old and the new language model, and what is said of both."""

import warnings
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TypeVar

from lcstats.cells import CellGrid, Cells
from lcstats.errors import LcstatsWarning, Notice
from lcstats.fit import CurveFit
from lcstats.flexible import FlexibleFit

Given = TypeVar("Given")
Made = TypeVar("Made")


def do_both(pair: tuple[Given, Given], work: Callable[[Given], Made]) -> tuple[Made, Made]:
    """Do the same for the old and the new language model.

    Examples
    --------
    >>> do_both((4, 9), str)
    ('4', '9')
    """
    return work(pair[0]), work(pair[1])


def fit_quietly(grid: CellGrid, fit: Callable[[Cells], Made]) -> Made:
    """Fit a grid without warnings: what there is to know goes into the comparison's notices."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LcstatsWarning)
        return fit(Cells((grid,)))


def side_notices(
    fits: tuple[CurveFit, CurveFit] | tuple[FlexibleFit, FlexibleFit],
) -> Iterator[Notice]:
    """Say of which side each notice on a fit is; what holds for both is said once."""
    old, new = fits
    yield from (notice for notice in old.notices if notice in new.notices)
    for fit, other, side in ((old, new, "old"), (new, old, "new")):
        for notice in fit.notices:
            if notice not in other.notices:
                yield notice_of_side(notice, fit, side)


def notice_of_side(notice: Notice, fit: CurveFit | FlexibleFit, side: str) -> Notice:
    """Return a notice that says of which side's fit it is."""
    return replace(notice, message=f"{side} ({fit.grid.model}): {notice.message}")
