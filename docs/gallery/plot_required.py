"""
What each needle needs
======================

The rate that each of several needles needs for all to come back, and where the curve of single
needles meets it.
"""

import lcstats as lc

lengths = [1024 * 2**k for k in range(6)]
trials = lc.truths.simulate_needles(lengths, [0.1, 0.3, 0.5, 0.7, 0.9], n_trials=40, seed=1)
axes = lc.plots.plot_required(lc.analyze_needles(trials, lc.Criterion(0.85)), width="double")
