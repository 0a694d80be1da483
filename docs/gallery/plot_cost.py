"""
Cost of a query
===============

Median and band over trials, from prices per million tokens or from the table's own costs.
"""

import numpy as np

import lcstats as lc
from lcstats.plan import Prices

trials = lc.simulate_trials(
    "single-needle", [4096 * 2**k for k in range(6)], [0.0, 0.5, 1.0], n_trials=20, seed=1
)
frame = trials.to_frame()
share = np.random.default_rng(1).uniform(0.97, 1.0, len(frame))
frame["tokens_received"] = (frame["length"] * share).astype(int)
axes = lc.plots.plot_cost(
    lc.Trials.from_frame(frame),
    prices=Prices(input_usd=2.5, output_usd=10, output_tokens=20),
    width="double",
)
