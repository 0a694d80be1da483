"""
Accuracy over length
====================

Measured accuracies with intervals, the fitted curve with its band, the threshold, and below them
the effective length with its set.
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
fit = lc.fit_curve(cells)
answer = lc.effective_length(cells, lc.Criterion(0.85), fit=fit)
axes = lc.plots.plot_decay(cells, fit=fit, effective_length=answer, width="double")
