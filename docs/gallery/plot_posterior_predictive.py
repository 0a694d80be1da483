"""
Posterior predictive check
==========================

Counts that the fitted curve would give, beside those that were counted.
"""

import lcstats as lc

trials = lc.simulate_trials(
    "cliff", [1024 * 2**k for k in range(8)], [k / 10 for k in range(11)], n_trials=20, seed=1
)
fit = lc.fit_curve(lc.count_cells(trials))
axes = lc.plots.plot_posterior_predictive(fit, width="double")
