"""
Where to spend trials
=====================

Unequal trials per cell for one budget: many where accuracy is near the threshold and tokens are
cheap, few where nothing is in doubt.
"""

import lcstats as lc
from lcstats.plan import Budget, allocate, planned_truth

lengths = [1024 * 2**k for k in range(8)]
depths = [k / 10 for k in range(11)]
planned = planned_truth("single-needle", lengths, depths)
spent = allocate(planned, lc.Criterion(0.85), Budget(20 * 11 * sum(lengths)))
axes = lc.plots.plot_allocation(spent, width="double")
