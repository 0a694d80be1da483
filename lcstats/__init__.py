"""lcstats: measure how much of a language model's context window works.

Results files become :class:`Trials`, trials become :class:`Cells`, cells become an
:class:`EffectiveLength` with intervals that keep their level:

>>> import lcstats as lc
>>> trials = lc.simulate_trials(
...     "single-needle", [4096, 32768], [0.0, 0.5, 1.0], n_trials=20, seed=1
... )
>>> cells = lc.count_cells(trials)
>>> answer = lc.effective_length(cells, lc.Criterion(0.85))
>>> answer.observed.status
'beyond_tested'

Names are imported when they are first used, so that importing lcstats costs next to nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lcstats import datasets, plots, truths
    from lcstats.cells import Cells, average_tasks, count_cells
    from lcstats.comparison import Comparison, compare
    from lcstats.curve import Curve
    from lcstats.draws import Draws, resample
    from lcstats.fit import CurveFit, fit_curve
    from lcstats.flexible import FlexibleFit, fit_flexible
    from lcstats.lengths import (
        Criterion,
        EffectiveLength,
        Interval,
        effective_length,
    )
    from lcstats.needles import NeedleAnalysis, analyze_needles
    from lcstats.plan import Plan, plan_next, plan_trials
    from lcstats.posterior import sample_posterior
    from lcstats.readers import read_trials
    from lcstats.report import write_report
    from lcstats.runner import run_sweep
    from lcstats.trials import Trials
    from lcstats.truths import simulate_trials

__version__ = "0.1.0"

_HOMES = {
    "Cells": "cells",
    "Comparison": "comparison",
    "Criterion": "lengths",
    "Curve": "curve",
    "CurveFit": "fit",
    "Draws": "draws",
    "EffectiveLength": "lengths",
    "FlexibleFit": "flexible",
    "Interval": "lengths",
    "NeedleAnalysis": "needles",
    "Plan": "plan",
    "Trials": "trials",
    "analyze_needles": "needles",
    "average_tasks": "cells",
    "compare": "comparison",
    "count_cells": "cells",
    "effective_length": "lengths",
    "fit_curve": "fit",
    "fit_flexible": "flexible",
    "plan_next": "plan",
    "plan_trials": "plan",
    "read_trials": "readers",
    "resample": "draws",
    "run_sweep": "runner",
    "sample_posterior": "posterior",
    "simulate_trials": "truths",
    "write_report": "report",
}
_ROOMS = ("datasets", "plots", "truths")

__all__ = [
    "Cells",
    "Comparison",
    "Criterion",
    "Curve",
    "CurveFit",
    "Draws",
    "EffectiveLength",
    "FlexibleFit",
    "Interval",
    "NeedleAnalysis",
    "Plan",
    "Trials",
    "analyze_needles",
    "average_tasks",
    "compare",
    "count_cells",
    "datasets",
    "effective_length",
    "fit_curve",
    "fit_flexible",
    "plan_next",
    "plan_trials",
    "plots",
    "read_trials",
    "resample",
    "run_sweep",
    "sample_posterior",
    "simulate_trials",
    "truths",
    "write_report",
]


def __getattr__(name: str) -> Any:
    if name in _ROOMS:
        return import_module(f"lcstats.{name}")
    if name in _HOMES:
        return getattr(import_module(f"lcstats.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'lcstats' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
