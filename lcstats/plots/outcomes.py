"""Sets of outcomes and points on a log2 axis of lengths, with arrows for what lies outside."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from numpy.typing import NDArray

from lcstats.plots.panel import log_limits
from lcstats.plots.style import FAILING_DASHES, palette

LONE_CAP = 12.0
"""Points that the caps of a set of one outcome are high: the point on it hides shorter ones."""
BELOW = 0.6
"""Where "no tested length passes" stands: this share of the way from the shortest to the edge."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where things stand on the log2 axis.

    Attributes
    ----------
    lengths : ndarray of float64, shape (n_lengths,)
    edges : (float, float)
        Ends of the axis.
    """

    lengths: NDArray[np.float64]
    edges: tuple[float, float]

    @classmethod
    def on(cls, lengths: NDArray[np.int64]) -> "Place":
        """Return the places on the axis that :func:`start_log_axis` makes for these lengths."""
        return cls(lengths.astype(np.float64), log_limits(lengths))

    @property
    def below(self) -> float:
        """Where "no tested length passes" stands."""
        return float(self.lengths[0] * (self.edges[0] / self.lengths[0]) ** BELOW)

    def of(self, length: float) -> float:
        """Place a length; NaN is "no tested length passes"."""
        return self.below if np.isnan(length) else length

    def sets(self, lower: float, upper: float) -> tuple[tuple[float, float], tuple[bool, bool]]:
        """Return the ends of a set and which are open: no tested length passes, or all do."""
        is_open = (bool(np.isnan(lower)), bool(upper == self.lengths[-1]))
        first = self.edges[0] if is_open[0] else lower
        return (first, self.edges[1] if is_open[1] else self.of(upper)), is_open

    @property
    def narrowest(self) -> float:
        """Smallest distance between neighbouring outcomes, as a share of the axis."""
        places = np.log2([self.below, *self.lengths])
        first, last = np.log2(self.edges)
        return float(np.diff(places).min() / (last - first))


def draw_set(
    ax: Axes, row: Any, place: Place, height: float, *, fails: bool, color: str | None = None
) -> Line2D:
    """Draw a set as a bar, in the colour of its kind; an end outside the tested is an arrow."""
    ends, open_ends = place.sets(row.lower, row.upper)
    look: dict[str, Any] = {
        "color": color or palette().sets[row.kind],
        "clip_on": False,
        "zorder": 4,
    }
    cap = 7.0 if ends[0] < ends[1] else LONE_CAP
    for end, is_open, arrow in zip(ends, open_ends, "<>", strict=True):
        size = 5.0 if is_open else cap
        ax.plot([end], [height], arrow if is_open else "|", markersize=size, **look)
    return ax.plot(
        ends,
        [height, height],
        linestyle=FAILING_DASHES if fails else "-",
        linewidth=3.0 if row.quoted else 1.3,
        solid_capstyle="butt",
        **look,
    )[0]


def draw_point(
    ax: Axes,
    point: Any,
    place: Place,
    height: float,
    *,
    status: str,
    color: str | None = None,
) -> Line2D:
    """Mark a method's point: filled if it is to be quoted, hollow if not."""
    marker = {"below_tested": "<", "beyond_tested": ">"}.get(status, "D")
    color = color or palette().ink
    return ax.plot(
        [place.of(point.length)],
        [height],
        marker,
        color=color,
        markerfacecolor=color if point.quoted else palette().paper,
        markeredgecolor=color,
        markeredgewidth=0.8,
        markersize=5.5 if point.quoted else 4.0,
        linestyle="none",
        clip_on=False,
        zorder=5,
    )[0]
