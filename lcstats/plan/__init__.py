"""Planning: how many trials per cell, where, at what price, and what next.

:func:`plan_trials` finds the trials per cell that reach a :class:`Target`, or says what given
numbers lead to: exactly for observed lengths, by simulation for fitted methods. :func:`allocate`
spends a :class:`Budget` unequally over the cells, :func:`plan_two_stage` after a pilot, and
:func:`plan_next` says from results so far what to run next.
"""

from lcstats.plan.adaptive import NextCell, NextPlan, Pursuit, plan_next
from lcstats.plan.allocation import (
    Allocation,
    SecondStage,
    TwoStagePlan,
    allocate,
    allocate_for_curve,
    plan_two_stage,
    second_stage,
)
from lcstats.plan.budget import Budget
from lcstats.plan.cost import Cost, Prices, cost_of
from lcstats.plan.door import plan_trials
from lcstats.plan.result import Plan
from lcstats.plan.row import PlanRow
from lcstats.plan.simulation import Simulation
from lcstats.plan.target import Target
from lcstats.plan.truths import PlannedTruth, planned_truth

__all__ = [
    "Allocation",
    "Budget",
    "Cost",
    "NextCell",
    "NextPlan",
    "Plan",
    "PlanRow",
    "PlannedTruth",
    "Prices",
    "Pursuit",
    "SecondStage",
    "Simulation",
    "Target",
    "TwoStagePlan",
    "allocate",
    "allocate_for_curve",
    "cost_of",
    "plan_next",
    "plan_trials",
    "plan_two_stage",
    "planned_truth",
    "second_stage",
]
