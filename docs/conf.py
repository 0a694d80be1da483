"""The documentation site: ``python -m sphinx -W -b html docs site``."""

import os
import sys
from pathlib import Path

import lcstats

ROOT = Path(__file__).resolve().parents[1]
# Notebooks run in folders of their own, and find the tutorials' data from the root of the clone and
# their kernel in docs/kernels.
sys.path.insert(0, str(ROOT))
for name, path in (("PYTHONPATH", ROOT), ("JUPYTER_PATH", ROOT / "docs")):
    os.environ[name] = os.pathsep.join(filter(None, [str(path), os.environ.get(name, "")]))

project = "lcstats"
author = "The lcstats authors"
version = release = lcstats.__version__

extensions = [
    "myst_nb",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.mathjax",
    "sphinx_click",
    "sphinx_copybutton",
    "sphinx_gallery.gen_gallery",
]
# Of what the gallery writes, only its pages are pages.
exclude_patterns = [
    "_build",
    "gallery",
    *(f"figures/gallery/*.{s}" for s in ("ipynb", "py", "json")),
]
smartquotes = False

autosummary_generate = True
autodoc_typehints = "none"
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False

myst_enable_extensions = ["colon_fence", "dollarmath"]
myst_heading_anchors = 3
nb_execution_mode = "force"
nb_execution_in_temp = True
nb_merge_streams = True
nb_execution_raise_on_error = True
nb_execution_timeout = 300

sphinx_gallery_conf = {
    "examples_dirs": "gallery",
    "gallery_dirs": "figures/gallery",
    "filename_pattern": r"/plot_",
    "image_scrapers": ("docs.gallery_figures.take_figure",),
    "min_reported_time": 3600,
    "show_signature": False,
    "download_all_examples": False,
    "reset_modules": (),
}

html_theme = "pydata_sphinx_theme"
html_title = "lcstats"
html_theme_options = {
    "header_links_before_dropdown": 7,
    "navigation_with_keys": False,
    "show_toc_level": 2,
    "footer_start": ["copyright"],
    "footer_end": [],
}
