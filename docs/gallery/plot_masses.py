"""
Masses
======

How often each outcome would come up if the sweep were run again. They are not a set (:doc:`why
</explanation/masses-and-sets>`).
"""

import lcstats as lc

trials = lc.simulate_trials(
    "plateau", [1024 * 2**k for k in range(8)], [k / 10 for k in range(11)], n_trials=20, seed=1
)
answer = lc.effective_length(lc.count_cells(trials), lc.Criterion(0.85))
axes = lc.plots.plot_masses(answer, width="double")
