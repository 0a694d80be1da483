"""A smooth surface over length and depth, with cells that scatter and rare holes."""

from lcstats.flexible.conditional import ConditionalCells
from lcstats.flexible.door import fit_flexible, is_quick
from lcstats.flexible.result import (
    FlexibleFit,
    conditional_cells,
    draw_accuracies,
    pass_probabilities,
)
from lcstats.flexible.settings import SETTINGS, Setting

__all__ = [
    "SETTINGS",
    "ConditionalCells",
    "FlexibleFit",
    "Setting",
    "conditional_cells",
    "draw_accuracies",
    "fit_flexible",
    "is_quick",
    "pass_probabilities",
]
