"""Sets of raw cells whose numbers of cases depended on outcomes, and what to know about them."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from lcstats.cells import CellGrid
from lcstats.errors import DesignWarning, Notice
from lcstats.lengths.answer import Interval
from lcstats.trials.wording import counted

LATER_CASES = "cases were added after looking at outcomes"
"""Why a set for a fixed number of cases does not speak of all of them."""


def on_all_lengths(interval: Interval, lengths: NDArray[np.int64]) -> Interval:
    """Say of all lengths what a set of a fixed pilot says of those that the pilot tested.

    Parameters
    ----------
    interval : Interval
        Of the pilot.
    lengths : ndarray of int64, shape (n_lengths,)
        Ascending, the pilot's among them.

    Examples
    --------
    The pilot left out 8192, so that 16384 may pass and the effective length be 4096.

    >>> pilot = Interval("certified", 0.95, 2, 2, np.array([4096, 16384, 32768]))
    >>> on_all_lengths(pilot, np.array([4096, 8192, 16384, 32768])).display
    '4096 to 16384'
    """
    tested = np.isin(lengths, interval.lengths)
    passing = np.isin(lengths, interval.lengths[: interval.lower])
    lower = int(np.argmin(np.append(passing, False)))
    failing = interval.lengths[interval.upper : interval.upper + 1]
    upper = int(np.searchsorted(lengths, failing[0])) if failing.size else lengths.size
    found = {**interval.diagnostics, "based_on": "the fixed pilot"}
    if not tested.all():
        found["n_lengths_not_in_pilot"] = int((~tested).sum())
    return replace(interval, lower=lower, upper=upper, lengths=lengths, diagnostics=found)


def notices_on_adaptive(grid: CellGrid) -> Iterator[Notice]:
    """Say what the point, the sets and the masses of such cells rest on."""
    if grid.n_adaptive is None:
        return
    n_later, n_cells = int(grid.n_adaptive.sum()), int(grid.adaptive.sum())
    n_fixed = int(grid.n_cases.sum()) - n_later
    yield Notice(
        "adaptive-cells",
        f"{n_later} of {counted(n_fixed + n_later, 'case')}, in {counted(n_cells, 'cell')}, were "
        "added after looking at outcomes: the point is that of all cases, which such choices "
        "shift; the anytime set holds its level however they were made, sets for a fixed number "
        f"of cases rest on the {n_fixed} of the pilot, and masses and fits take all numbers as "
        "fixed",
        DesignWarning,
    )
