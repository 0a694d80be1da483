"""
Several needles
===============

All needles found, against the product of their rates.
"""

import lcstats as lc

lengths = [1024 * 2**k for k in range(6)]
trials = lc.truths.simulate_needles(
    lengths, [0.1, 0.3, 0.5, 0.7, 0.9], n_trials=40, shared_sd=1.0, seed=1
)
axes = lc.plots.plot_needles(lc.analyze_needles(trials, lc.Criterion(0.85)), width="double")
