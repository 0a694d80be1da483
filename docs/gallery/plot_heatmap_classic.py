"""
Heatmap in the classic colours
==============================

Red, yellow and green, as everyone knows them; they cannot be told apart by one reader in twenty.
"""

import lcstats as lc

trials = lc.simulate_trials(
    "cliff", [1024 * 2**k for k in range(8)], [k / 10 for k in range(11)], n_trials=1, seed=1
)
axes = lc.plots.plot_heatmap(lc.count_cells(trials), style="classic", width="double")
