"""Several needles: how often each is found, how they hang together, what a task asks."""

from lcstats.needles.bounded import Bounded
from lcstats.needles.cells import joint_cells, needle_cells
from lcstats.needles.data import NeedleTable, split_needles, tabulate_needles
from lcstats.needles.dependence import Dependence, measure_dependence
from lcstats.needles.door import analyze_needles
from lcstats.needles.rates import LengthRow
from lcstats.needles.required import joint_rate, required_rate
from lcstats.needles.result import NeedleAnalysis
from lcstats.needles.single import SingleNeedle, fit_single_needle
from lcstats.needles.task_length import TaskLength

__all__ = [
    "Bounded",
    "Dependence",
    "LengthRow",
    "NeedleAnalysis",
    "NeedleTable",
    "SingleNeedle",
    "TaskLength",
    "analyze_needles",
    "fit_single_needle",
    "joint_cells",
    "joint_rate",
    "measure_dependence",
    "needle_cells",
    "required_rate",
    "split_needles",
    "tabulate_needles",
]
