"""The look of figures: the style files, presets of width, the theme that is drawn in."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path

import matplotlib as mpl
import matplotlib.style
from matplotlib.colors import Colormap, LinearSegmentedColormap

from lcstats.options import ColumnWidth, HeatmapStyle, Theme, check_option
from lcstats.plots.fonts import fallback_families
from lcstats.plots.palette import PALETTES, Palette

STYLE_FILE = Path(__file__).with_name("lcstats.mplstyle")
DARK_FILE = Path(__file__).with_name("lcstats_dark.mplstyle")
STYLE_FILES = {"light": (STYLE_FILE,), "dark": (STYLE_FILE, DARK_FILE)}


@dataclass(frozen=True, slots=True)
class Preset:
    """The size of a figure of our own.

    Attributes
    ----------
    width : float
        Inches.
    dpi : float
        On the screen; files have three times as many dots.
    height : float or None
        Inches of the whole figure where that is given.
    """

    width: float
    dpi: float = 100.0
    height: float | None = None


PRESETS = {
    "single": Preset(3.3),
    "double": Preset(6.9),
    "slide": Preset(5.0, dpi=200.0, height=2.8),
}
"""One column and the full width of a two-column page; a slide of 10 by 5.6 inches at half its
size, so that text of 8 points is one of 16 where the figure fills the slide."""

FAILING_DASHES = (0, (5, 2))
"""Line of a curve that does not fit."""
GUESS_DASHES = (0, (1, 2))
"""Line of the accuracy of guessing."""
HOLE_HATCH = "//////"

_THEME: ContextVar[str] = ContextVar("lcstats_theme", default="light")


@contextmanager
def figure_style(theme: Theme | None = None) -> Iterator[None]:
    """Draw in the library's style, whatever the user's own settings are.

    Parameters
    ----------
    theme : {"light", "dark"}, optional
        For all figures made within; left out, that of the block around this one, else light.

    Raises
    ------
    OptionError
        If `theme` is unknown.

    Examples
    --------
    >>> with figure_style("dark"):
    ...     mpl.rcParams["svg.fonttype"], palette().paper
    ('none', '#16181C')
    """
    chosen = _THEME.get() if theme is None else check_option(theme, Theme, "theme")
    token = _THEME.set(chosen)
    try:
        with matplotlib.style.context(["default", *map(str, STYLE_FILES[chosen])]):
            mpl.rcParams["font.family"] = ["sans-serif", *fallback_families()]
            yield
    finally:
        _THEME.reset(token)


def palette() -> Palette:
    """Return the colours of the theme that is drawn in."""
    return PALETTES[_THEME.get()]


def preset_of(width: str) -> Preset:
    """Return the size of a figure by its name.

    Raises
    ------
    OptionError
        If `width` is not the name of one.
    """
    return PRESETS[check_option(width, ColumnWidth, "width")]


def accuracy_colors(style: str) -> Colormap:
    """Return the colours for accuracies 0 to 1: safe for everyone, or the well-known classic."""
    if check_option(style, HeatmapStyle, "style") == "classic":
        anchors = ["#F0496E", "#EBB839", "#0CD79F"]
        return LinearSegmentedColormap.from_list("lcstats_classic", anchors)
    return mpl.colormaps["viridis"]


def residual_colors() -> Colormap:
    """Return the colours for residuals: red below 0, blue above, safe for colour-blind readers."""
    return mpl.colormaps["RdBu"]
