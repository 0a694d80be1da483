"""
Where a curve does not fit
==========================

Standardised residuals of each cell. The truth is a cliff, which no curve of length follows.
"""

import lcstats as lc
from lcstats.fit import goodness_of_fit

trials = lc.simulate_trials(
    "cliff", [1024 * 2**k for k in range(8)], [k / 10 for k in range(11)], n_trials=20, seed=1
)
fit = lc.fit_curve(lc.count_cells(trials))
axes = lc.plots.plot_residuals(fit, goodness=goodness_of_fit(fit), width="double")
