"""Where trials go: unequal numbers under a budget, in one stage or two."""

from lcstats.plan.allocation.allocate import allocate, allocate_for_curve
from lcstats.plan.allocation.result import Allocation
from lcstats.plan.allocation.two_stage import (
    SecondStage,
    TwoStagePlan,
    plan_two_stage,
    second_stage,
)

__all__ = [
    "Allocation",
    "SecondStage",
    "TwoStagePlan",
    "allocate",
    "allocate_for_curve",
    "plan_two_stage",
    "second_stage",
]
