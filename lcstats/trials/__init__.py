"""The validated table of trials, and what a call asks for when it reads one."""

from lcstats.trials.origin import Origin, Part
from lcstats.trials.raw import Knowledge, RawTable
from lcstats.trials.records import Reading, TableOptions
from lcstats.trials.table import Trials, build_trials

__all__ = [
    "Knowledge",
    "Origin",
    "Part",
    "RawTable",
    "Reading",
    "TableOptions",
    "Trials",
    "build_trials",
]
