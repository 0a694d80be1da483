"""Cells: counts per length and depth of one or several (model, task) groups."""

from lcstats.cells.average import average_tasks
from lcstats.cells.counting import cells_from_count_frame, count_cells
from lcstats.cells.depthless import set_aside_depthless
from lcstats.cells.grid import CaseIndex, CellGrid
from lcstats.cells.table import Cells

__all__ = [
    "CaseIndex",
    "CellGrid",
    "Cells",
    "average_tasks",
    "cells_from_count_frame",
    "count_cells",
    "set_aside_depthless",
]
