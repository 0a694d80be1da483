"""
All methods on one axis
=======================

What raw cells, the curve and the flexible surface say, each with its set, and the masses below:
disagreement is seen.
"""

import lcstats as lc

trials = lc.simulate_trials(
    "single-needle",
    [1024 * 2**k for k in range(8)],
    [k / 10 for k in range(11)],
    n_trials=20,
    seed=1,
)
cells = lc.count_cells(trials)
answer = lc.effective_length(
    cells, lc.Criterion(0.85), fit=lc.fit_curve(cells), flexible=lc.fit_flexible(cells, seed=1)
)
axes = lc.plots.plot_methods(answer, width="double")
