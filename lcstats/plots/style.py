"""The look of figures: the style file, widths of columns, colours."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

import matplotlib as mpl
import matplotlib.style
from matplotlib.colors import Colormap, LinearSegmentedColormap

from lcstats.options import check_option
from lcstats.plots.fonts import fallback_families

STYLE_FILE = Path(__file__).with_name("lcstats.mplstyle")

ColumnWidth = Literal["single", "double"]
HeatmapStyle = Literal["default", "classic"]

WIDTHS = {"single": 3.3, "double": 6.9}
"""Inches: one column and the full width of a two-column page."""

POINT_COLOR = "#0072B2"
CELL_COLOR = "#9A9A9A"
CURVE_COLOR = "#009E73"
BAR_COLOR = "#D55E00"
ANSWER_COLOR = "#222222"
SET_COLOR = "#6B6B6B"
FAILING_DASHES = (0, (5, 2))
"""Line of a curve that does not fit."""
HOLE_FACE = "#E6E6E6"
HOLE_EDGE = "#8A8A8A"
HOLE_HATCH = "//////"
PROFILE_COLORS = ("#0072B2", "#009E73", "#E69F00", "#D55E00")
"""From short to long contexts."""
MASS_COLORS = {
    "bootstrap": "#0072B2",
    "jeffreys": "#E69F00",
    "parametric_bootstrap": "#009E73",
    "cluster_bootstrap": "#CC79A7",
    "posterior": "#56B4E9",
    "prior": "#9A9A9A",
}
SET_COLORS = {
    "certified": "#222222",
    "anytime": "#0072B2",
    "jeffreys": "#E69F00",
    "hybrid": "#D55E00",
    "strict": "#8A3D00",
    "posterior": "#56B4E9",
    "parametric_bootstrap": "#009E73",
    "cluster_bootstrap": "#CC79A7",
}
"""The masses' colours where a set is cut from masses."""


@contextmanager
def figure_style() -> Iterator[None]:
    """Draw in the library's style, whatever the user's own settings are.

    Examples
    --------
    >>> with figure_style():
    ...     mpl.rcParams["svg.fonttype"]
    'none'
    """
    with matplotlib.style.context(["default", str(STYLE_FILE)]):
        mpl.rcParams["font.family"] = ["sans-serif", *fallback_families()]
        yield


def width_inches(width: str) -> float:
    """Return the width of a column in inches.

    Raises
    ------
    OptionError
        If `width` is not the name of one.
    """
    return WIDTHS[check_option(width, ColumnWidth, "width")]


def accuracy_colors(style: str) -> Colormap:
    """Return the colours for accuracies 0 to 1: safe for everyone, or the well-known classic."""
    if check_option(style, HeatmapStyle, "style") == "classic":
        anchors = ["#F0496E", "#EBB839", "#0CD79F"]
        return LinearSegmentedColormap.from_list("lcstats_classic", anchors)
    return mpl.colormaps["viridis"]


def residual_colors() -> Colormap:
    """Return the colours for residuals: red below 0, blue above, safe for colour-blind readers."""
    return mpl.colormaps["RdBu"]
