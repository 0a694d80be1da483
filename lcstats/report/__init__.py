"""Reports: results in, a page with the answer, figures, tables and JSON out.

:func:`write_report` writes the folder. The JSON objects that scripts rely on are made in
``documents``, which needs no figures; names are imported when they are first used, so that who
only wants those does not wait for the rest.

Examples
--------
>>> import tempfile
>>> from pathlib import Path
>>> from lcstats.cells import Cells
>>> from lcstats.lengths import Criterion
>>> from lcstats.report import write_report
>>> successes = [[20, 19, 20], [17, 15, 19], [9, 4, 12]]
>>> cells = Cells.from_counts([4096, 8192, 16384], [0, 0.5, 1], n_cases=20, successes=successes)
>>> with tempfile.TemporaryDirectory() as folder:
...     page = write_report(cells, Path(folder) / "report", criterion=Criterion(0.85))
...     page.name
'index.html'
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lcstats.report.settings import ReportSettings
    from lcstats.report.write import write_report

_HOMES = {"ReportSettings": "settings", "write_report": "write"}

__all__ = ["ReportSettings", "write_report"]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(f"lcstats.report.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'lcstats.report' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
