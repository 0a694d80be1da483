"""Where in the context needles are found: a step in depth, if there is one."""

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from lcstats.needles.data import NeedleTable
from lcstats.needles.strata import N_PARTS

HALF = 0.5
ALMOST_NOTHING = 0.1
SMALLEST_STEP = 0.5
"""Difference of rates before and after a step below which it is none."""


@dataclass(frozen=True, slots=True)
class DepthStep:
    """Needles are found on one side of a depth and missed on the other.

    Attributes
    ----------
    depth : float
        Where the first tenth of the context begins whose rate is on the other side of one half.
    before, after : float
        Share of needles found before that depth, and from there on.
    lengths : tuple of int
        At which needles were both found and missed: only these count.
    """

    depth: float
    before: float
    after: float
    lengths: tuple[int, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return JSON-ready values."""
        return {**asdict(self), "lengths": list(self.lengths)}

    def words(self) -> str:
        """Say how much was found on both sides.

        Examples
        --------
        >>> DepthStep(0.4, 0.03, 0.96, (8192,)).words()
        'almost nothing before depth 0.4 (3%), 96% from there on'
        """
        before, after = f"{self.before:.0%}", f"{self.after:.0%} from there on"
        if self.before < ALMOST_NOTHING:
            return f"almost nothing before depth {self.depth:g} ({before}), {after}"
        return f"{before} before depth {self.depth:g}, {after}"


def find_depth_step(table: NeedleTable) -> DepthStep | None:
    """Return the step in the rate of needles over their depth; None without one.

    Parameters
    ----------
    table : NeedleTable
        Of known needles with depths; others have no step.
    """
    if table.kind != "needles" or not table.has_depths:
        return None
    share = table.found.mean(axis=1)
    lengths = tuple(
        length
        for length in table.lengths.tolist()
        if 0.0 < share[table.length == length].mean() < 1.0
    )
    own = np.isin(table.length, lengths)
    part = np.minimum((table.depths[own] * N_PARTS).astype(np.int64), N_PARTS - 1)
    weight = np.repeat(table.weight[own][:, None], table.n_needles, axis=1)
    total = np.bincount(part.ravel(), weight.ravel(), minlength=N_PARTS)
    found = np.bincount(part.ravel(), (weight * table.found[own]).ravel(), minlength=N_PARTS)
    parts = np.flatnonzero(total)
    is_high = found[parts] >= HALF * total[parts]
    turned = np.flatnonzero(is_high != is_high[:1])
    if not turned.size:
        return None
    first = int(parts[turned[0]])
    before, after = (
        float(found[side].sum() / total[side].sum())
        for side in (slice(None, first), slice(first, None))
    )
    if abs(after - before) < SMALLEST_STEP:
        return None
    return DepthStep(first / N_PARTS, before, after, lengths)
