"""
Accuracy over depth
===================

Profiles of a few lengths, with the curve's bands: facts in the middle are found less often.
"""

import lcstats as lc

trials = lc.simulate_trials(
    "distractors", [4096, 16384, 65536], [k / 10 for k in range(11)], n_trials=30, seed=1
)
cells = lc.count_cells(trials)
axes = lc.plots.plot_depth(cells, fit=lc.fit_curve(cells), width="double")
