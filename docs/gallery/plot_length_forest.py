"""
Effective lengths side by side
==============================

One row per language model and task; arrows where nothing tested bounds the length.
"""

import lcstats as lc

lengths, depths = [1024 * 2**k for k in range(8)], [0.0, 0.25, 0.5, 0.75, 1.0]
answers = [
    lc.effective_length(
        lc.count_cells(lc.simulate_trials(truth, lengths, depths, n_trials=40, seed=1)),
        lc.Criterion(0.85),
    )
    for truth in ("all-99", "single-needle", "distractors", "two-hop")
]
axes = lc.plots.plot_length_forest(answers, width="double")
