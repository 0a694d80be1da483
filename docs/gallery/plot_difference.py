"""
Paired differences
==================

Two language models on the same cases, length by length, with Tango's intervals and the margin
that does not matter.
"""

import lcstats as lc

lengths, depths = [4096, 8192, 16384, 32768], [0.0, 0.5, 1.0]
tables = [
    lc.simulate_trials(truth, lengths, depths, n_trials=40, seed=1, model=model).to_frame()
    for truth, model in (("single-needle", "old"), ("ceiling", "new"))
]
old, new = (lc.Trials.from_frame(table.assign(task="recall")) for table in tables)
comparison = lc.compare(old, new, criterion=lc.Criterion(0.85))
axes = lc.plots.plot_difference(comparison, width="double")
