"""Cells: counts per length and depth of one or several (model, task) groups."""

from lcstats.cells.average import average_tasks
from lcstats.cells.clusters import (
    case_residuals,
    design_effect,
    peer_accuracy,
    variance_inflation,
)
from lcstats.cells.counting import (
    cells_from_count_frame,
    cluster_codes,
    count_cells,
    fold_repeats,
    guess_rates,
)
from lcstats.cells.depthless import keep_depths, set_aside_depthless
from lcstats.cells.grid import CaseIndex, CellGrid
from lcstats.cells.lattice import on_lattice
from lcstats.cells.means import Means, Results
from lcstats.cells.redraw import redraw_clusters, split_strata
from lcstats.cells.table import Cells

__all__ = [
    "CaseIndex",
    "CellGrid",
    "Cells",
    "Means",
    "Results",
    "average_tasks",
    "case_residuals",
    "cells_from_count_frame",
    "cluster_codes",
    "count_cells",
    "design_effect",
    "fold_repeats",
    "guess_rates",
    "keep_depths",
    "on_lattice",
    "peer_accuracy",
    "redraw_clusters",
    "set_aside_depthless",
    "split_strata",
    "variance_inflation",
]
