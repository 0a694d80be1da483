"""
Prior predictive
================

Curves that the stated priors allow before any data, and after them.
"""

import lcstats as lc

trials = lc.simulate_trials(
    "single-needle", [1024 * 2**k for k in range(8)], [0.0, 0.5, 1.0], n_trials=20, seed=1
)
fit = lc.fit_curve(lc.count_cells(trials))
axes = lc.plots.plot_prior_predictive(fit, width="double")
