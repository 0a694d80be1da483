"""
Heatmaps side by side
=====================

Small multiples over language models or tasks, with one scale of colours.
"""

import pandas as pd

import lcstats as lc

lengths, depths = [1024 * 2**k for k in range(8)], [0.0, 0.25, 0.5, 0.75, 1.0]
tables = [
    lc.simulate_trials(truth, lengths, depths, n_trials=10, seed=1).to_frame()
    for truth in ("single-needle", "distractors", "four-values", "two-hop")
]
cells = lc.count_cells(lc.Trials.from_frame(pd.concat(tables)))
axes = lc.plots.plot_heatmaps(cells)
