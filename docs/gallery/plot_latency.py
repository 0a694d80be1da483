"""
Time to first token
===================

Median and band over trials, where the table has times.
"""

import numpy as np

import lcstats as lc

trials = lc.simulate_trials(
    "single-needle", [4096 * 2**k for k in range(6)], [0.0, 0.5, 1.0], n_trials=20, seed=1
)
frame = trials.to_frame()
noise = np.random.default_rng(1).lognormal(0, 0.3, len(frame))
frame["ttft_s"] = (0.08 + frame["length"] / 20_000) * noise
axes = lc.plots.plot_latency(lc.Trials.from_frame(frame), width="double")
