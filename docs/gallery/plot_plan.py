"""
How many trials
===============

The chance to read off the true length, by the number of trials per cell. It is exact, and it does
not only rise.
"""

import lcstats as lc

plan = lc.plan_trials(
    "single-needle",
    [1024 * 2**k for k in range(8)],
    [k / 10 for k in range(11)],
    lc.Criterion(0.85),
    "hit=0.9",
)
axes = lc.plots.plot_plan(plan, width="double")
