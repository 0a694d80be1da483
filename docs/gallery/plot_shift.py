"""
Shift of the effective length
=============================

How many doublings longer or shorter, by every method.
"""

import lcstats as lc

lengths, depths = [1024 * 2**k for k in range(8)], [0.0, 0.5, 1.0]
tables = [
    lc.simulate_trials(truth, lengths, depths, n_trials=80, seed=1, model=model).to_frame()
    for truth, model in (("single-needle", "old"), ("ceiling", "new"))
]
old, new = (lc.Trials.from_frame(table.assign(task="recall")) for table in tables)
comparison = lc.compare(old, new, criterion=lc.Criterion(0.85))
axes = lc.plots.plot_shift(comparison.groups[0].effective_length_shift, width="double")
