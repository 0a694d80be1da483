"""Comparison of language models on the same cases, and gates on a change.

:func:`compare` says whether a new language model, or a new version of one, is better, worse, tied
or not told apart, task by task; :func:`compare_models` does so for several. Pairs of the same case
decide, which takes far fewer trials than two independent samples. :func:`length_shift` says by how
many doublings the effective length moved, :func:`compare_curves` which term of the curve did.
"""

from lcstats.comparison.arms import Arms
from lcstats.comparison.contrast import Contrast, DifferenceInterval, Slice
from lcstats.comparison.curve_result import CurveComparison, TermDifference
from lcstats.comparison.curves import compare_curves
from lcstats.comparison.door import compare
from lcstats.comparison.gate import Gate, GateTest
from lcstats.comparison.pairs import Pairs, pair_trials
from lcstats.comparison.result import Comparison, TaskComparison
from lcstats.comparison.several import Rank, SeveralComparison, compare_models
from lcstats.comparison.shift import length_shift
from lcstats.comparison.shift_interval import ShiftInterval
from lcstats.comparison.shift_result import LengthShift

__all__ = [
    "Arms",
    "Comparison",
    "Contrast",
    "CurveComparison",
    "DifferenceInterval",
    "Gate",
    "GateTest",
    "LengthShift",
    "Pairs",
    "Rank",
    "SeveralComparison",
    "ShiftInterval",
    "Slice",
    "TaskComparison",
    "TermDifference",
    "compare",
    "compare_curves",
    "compare_models",
    "length_shift",
    "pair_trials",
]
