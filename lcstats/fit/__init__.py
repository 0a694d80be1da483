"""The curve fitted to counts, and the test of whether it fits at all."""

from lcstats.fit.door import fit_curve
from lcstats.fit.goodness import GoodnessOfFit, goodness_of_fit
from lcstats.fit.nested import TermTest, compare_terms
from lcstats.fit.refit import draw_counts, refit
from lcstats.fit.result import CurveFit
from lcstats.fit.table import CellTable, DroppedTerm, Law

__all__ = [
    "CellTable",
    "CurveFit",
    "DroppedTerm",
    "GoodnessOfFit",
    "Law",
    "TermTest",
    "compare_terms",
    "draw_counts",
    "fit_curve",
    "goodness_of_fit",
    "refit",
]
