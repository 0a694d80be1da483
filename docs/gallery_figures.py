"""How the gallery finds its pictures: figures are drawn outside pyplot, where it would look."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from sphinx_gallery.scrapers import figure_rst

import lcstats as lc

DPI = 200


def take_figure(block: Any, block_vars: Mapping[str, Any], gallery_conf: Mapping[str, Any]) -> str:
    """Save the figure of an example's ``axes``, and return the text that shows it."""
    axes = block_vars["example_globals"].pop("axes", None)
    if axes is None:
        return ""
    first = next(iter(axes)) if isinstance(axes, Iterable) else axes
    path = Path(next(block_vars["image_path_iterator"]))
    lc.plots.save_figure(first.figure, path, dpi=DPI)
    return str(figure_rst([str(path)], gallery_conf["src_dir"]))
