"""What to run next from results so far, on evidence that holds however often one looks."""

from lcstats.plan.adaptive.next import NextCell, NextPlan, Pursuit, plan_next

__all__ = ["NextCell", "NextPlan", "Pursuit", "plan_next"]
