"""Truths: known accuracies by length and depth, and trials simulated from them.

:data:`TASKS` are five tasks built from the :class:`~lcstats.curve.Curve`; :data:`COVERAGE` are the
truths on which an interval has to hold its level, and :data:`HARD` harder ones; those named in
:data:`FINAL_CHECK` are never tuned on. :func:`get_truth` finds one by name.

Examples
--------
>>> trials = simulate_trials(FOUR_VALUES, [4096, 8192], [0.0, 0.5], n_trials=5, seed=1)
>>> trials.n_trials
20
"""

from lcstats.truths.coverage import COVERAGE, FINAL_CHECK, HARD, cells_deviate, shared_haystack
from lcstats.truths.needles import draw_found, shared_rates, simulate_needles
from lcstats.truths.registry import get_truth, names
from lcstats.truths.simulation import check_axes, simulate_cells, simulate_trials
from lcstats.truths.tasks import (
    AGGREGATE_TEN,
    DISTRACTORS,
    FOUR_VALUES,
    SINGLE_NEEDLE,
    TASKS,
    TWO_HOP,
    WORKED_CURVE,
    aggregate_ten,
    close_places,
    distractors,
    four_values,
    joint_accuracy,
    mirrored_places,
    single_needle,
    spread_places,
    two_hop,
)
from lcstats.truths.truth import AccuracyTable, SharedHaystack, Truth

__all__ = [
    "AGGREGATE_TEN",
    "COVERAGE",
    "DISTRACTORS",
    "FINAL_CHECK",
    "FOUR_VALUES",
    "HARD",
    "SINGLE_NEEDLE",
    "TASKS",
    "TWO_HOP",
    "WORKED_CURVE",
    "AccuracyTable",
    "SharedHaystack",
    "Truth",
    "aggregate_ten",
    "cells_deviate",
    "check_axes",
    "close_places",
    "distractors",
    "draw_found",
    "four_values",
    "get_truth",
    "joint_accuracy",
    "mirrored_places",
    "names",
    "shared_haystack",
    "shared_rates",
    "simulate_cells",
    "simulate_needles",
    "simulate_trials",
    "single_needle",
    "spread_places",
    "two_hop",
]
