"""
Several language models or tasks
================================

Decay curves on one axis, their effective lengths and sets below.
"""

import pandas as pd

import lcstats as lc

lengths, depths = [1024 * 2**k for k in range(8)], [0.0, 0.25, 0.5, 0.75, 1.0]
tables = [
    lc.simulate_trials(truth, lengths, depths, n_trials=30, seed=1).to_frame()
    for truth in ("single-needle", "four-values", "two-hop")
]
cells = lc.count_cells(lc.Trials.from_frame(pd.concat(tables)))
fits = [lc.fit_curve(task) for task in cells]
answers = [
    lc.effective_length(task, lc.Criterion(0.7), fit=fit)
    for task, fit in zip(cells, fits, strict=True)
]
axes = lc.plots.plot_decays(cells, fits=fits, effective_lengths=answers, width="double")
