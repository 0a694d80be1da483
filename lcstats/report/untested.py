"""What a table does not say: lengths, depths and cells that were not tested."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from lcstats.cells import CellGrid
from lcstats.trials.wording import counted, listed

WIDE_GAP = 0.25
"""Depths further apart than this leave a part of the context untested."""


@dataclass(frozen=True, slots=True)
class Untested:
    """What was not tested of one group.

    Attributes
    ----------
    longest : int
        Longest length with a scored trial.
    length_unit : str
    advertised : int or None
        Advertised window in tokens.
    length_gaps : tuple of (int, int)
        Neighbouring tested lengths more than a doubling apart.
    without_scores : tuple of int
        Lengths that were asked for and have no scored trial.
    depth_gaps : tuple of (float, float)
        Stretches of depth, wider than a quarter or at an end, without a tested depth.
    n_depths : int
        Tested depths; 0 where no trial has one.
    n_empty, n_cells : int
        Cells of the grid of lengths and depths without a scored case, and all of them.
    """

    longest: int
    length_unit: str
    advertised: int | None
    length_gaps: tuple[tuple[int, int], ...]
    without_scores: tuple[int, ...]
    depth_gaps: tuple[tuple[float, float], ...]
    n_depths: int
    n_empty: int
    n_cells: int

    @property
    def share_tested(self) -> float | None:
        """Longest tested length as a share of the advertised window; None where not comparable."""
        return share_of_window(self.longest, self.length_unit, self.advertised)

    def sentences(self) -> tuple[str, ...]:
        """Say each thing that was not tested; empty if nothing is missing."""
        return (*self._on_lengths(), *self._on_depths())

    def _on_lengths(self) -> Iterator[str]:
        share = self.share_tested
        if share is not None and share < 1 and self.advertised:
            yield (
                f"nothing above {self.longest} {self.length_unit}, {share:.1%} of the advertised "
                f"{self.advertised}"
            )
        elif self.advertised is None and self.length_unit == "tokens":
            yield f"nothing above {self.longest} tokens, and no advertised window was given"
        if self.length_gaps:
            gaps = [f"{low} and {high}" for low, high in self.length_gaps]
            yield f"no length between {listed(gaps)}, more than a doubling apart"
        if self.without_scores:
            yield f"no trial at {listed(self.without_scores)} is scored"

    def _on_depths(self) -> Iterator[str]:
        if self.n_depths == 0:
            yield "no trial has a depth: nothing is known about where in the context it fails"
        elif self.n_depths == 1:
            yield "one depth only"
        elif self.depth_gaps:
            gaps = [f"{low:.3g} and {high:.3g}" for low, high in self.depth_gaps]
            yield f"no depth between {listed(gaps)}"
        if self.n_empty:
            yield f"{self.n_empty} of {counted(self.n_cells, 'cell')} have no scored trial"

    def to_dict(self) -> dict[str, Any]:
        """Return the ``not_tested`` object of ``report.json``."""
        return {
            **{name: value for name, value in asdict(self).items() if name != "advertised"},
            "share_tested": self.share_tested,
            "sentences": list(self.sentences()),
        }


def share_of_window(length: int | None, unit: str, advertised: int | None) -> float | None:
    """Return a length as a share of a window in tokens; None where they cannot be compared.

    Examples
    --------
    >>> share_of_window(32768, "tokens", 131072), share_of_window(10, "documents", 131072)
    (0.25, None)
    """
    if length is None or advertised is None or unit != "tokens":
        return None
    return length / advertised


def find_untested(grid: CellGrid, advertised: int | None = None) -> Untested:
    """Return what was not tested.

    Examples
    --------
    >>> from lcstats.cells import Cells
    >>> cells = Cells.from_counts([4096, 16384], [0, 0.5], n_cases=5, successes=[[5, 5], [5, 4]])
    >>> for sentence in find_untested(cells.grid, advertised=131072).sentences():
    ...     print(sentence)
    nothing above 16384 tokens, 12.5% of the advertised 131072
    no length between 4096 and 16384, more than a doubling apart
    no depth between 0 and 0.5, 0.5 and 1
    """
    lengths = grid.lengths.tolist()
    depths = np.unique(grid.depths[np.isfinite(grid.depths) & grid.n_cases.any(axis=0)])
    placed = grid.n_cases[:, np.isfinite(grid.depths)]
    return Untested(
        longest=lengths[-1],
        length_unit=grid.length_unit,
        advertised=advertised,
        length_gaps=tuple((low, high) for low, high in pairwise(lengths) if high > 2 * low),
        without_scores=tuple(sorted(set(map(int, grid.unscored)) - set(lengths))),
        depth_gaps=tuple(_gaps(depths.tolist())),
        n_depths=depths.size,
        n_empty=int((placed == 0).sum()),
        n_cells=placed.size,
    )


def _gaps(depths: list[float]) -> Iterator[tuple[float, float]]:
    """Yield the stretches of depth, wider than a quarter or at an end, that no depth lies in."""
    if len(depths) < 2:
        return
    for low, high in pairwise([0.0, *depths, 1.0]):
        at_an_end = low != high and (low < depths[0] or high > depths[-1])
        if at_an_end or high - low > WIDE_GAP:
            yield low, high
