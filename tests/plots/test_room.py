"""The room as a whole: what it exports, and what its tables need."""

import subprocess
import sys

import matplotlib as mpl
import pytest

from lcstats import plots
from lcstats.plots.style import STYLE_FILE, figure_style

TABLES = """
import sys
from lcstats.cells import Cells
from lcstats.lengths import Criterion, effective_length
from lcstats.plots import decay_data, heatmap_data, length_label, masses_data, methods_data
cells = Cells.from_counts([4096, 8192], [0.0, 1.0], n_cases=40, successes=[[40, 40], [9, 9]])
tables = [heatmap_data(cells), decay_data(cells)]
answer = effective_length(cells, Criterion(0.85))
tables += [masses_data(answer), methods_data(answer)]
loaded = sorted(name for name in sys.modules if name.split(".")[0] == "matplotlib")
print([len(table) for table in tables], length_label(4096), loaded)
"""


def test_tables_need_no_matplotlib():
    run = subprocess.run(
        [sys.executable, "-c", TABLES], capture_output=True, text=True, timeout=120, check=False
    )
    assert (run.returncode, run.stdout) == (0, "[4, 6, 6, 8] 4K []\n"), run.stderr


def test_every_exported_name_is_there():
    assert sorted(plots.__all__) == dir(plots)
    for name in plots.__all__:
        assert callable(getattr(plots, name))


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'plot_pie'"):
        plots.plot_pie  # noqa: B018


def test_the_style_file_is_read_without_complaint():
    settings = mpl.rc_params_from_file(STYLE_FILE, use_default_template=False)
    assert settings["svg.fonttype"] == "none"
    assert settings["pdf.fonttype"] == 42
    assert settings["svg.hashsalt"]
    with figure_style():
        assert all(
            mpl.rcParams[key] == value for key, value in settings.items() if "family" not in key
        )
