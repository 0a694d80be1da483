"""
Heatmap
=======

Each cell with what was counted in it. Hatched cells hold no data.
"""

import lcstats as lc

trials = lc.simulate_trials(
    "cliff", [1024 * 2**k for k in range(8)], [k / 10 for k in range(11)], n_trials=5, seed=1
)
axes = lc.plots.plot_heatmap(lc.count_cells(trials), width="double")
