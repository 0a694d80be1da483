"""The runner: seeded cases, sent as they are used, scored strictly, written line by line.

Examples
--------
>>> from lcstats.runner import Design, parse_task
>>> design = Design.grid([parse_task("two-hop")], [4096, 8192], [0.0, 0.5, 1.0], n_trials=20)
>>> design.n_trials
120
"""

from lcstats.runner.backends import Connection, open_backend
from lcstats.runner.design import Design, DesignCell
from lcstats.runner.filler import NeutralFiller, TextFiller, open_filler
from lcstats.runner.settings import Ceiling, Settings
from lcstats.runner.sweep import Progress, SweepResult, run_sweep
from lcstats.runner.tasks import TASKS, parse_task

__all__ = [
    "TASKS",
    "Ceiling",
    "Connection",
    "Design",
    "DesignCell",
    "NeutralFiller",
    "Progress",
    "Settings",
    "SweepResult",
    "TextFiller",
    "open_backend",
    "open_filler",
    "parse_task",
    "run_sweep",
]
