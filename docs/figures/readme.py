"""Make the README's figure: python -m docs.figures.readme, from the root of a clone.

A simulated sweep of the single needle, eight lengths by eleven depths with 20 trials per cell.
"""

from pathlib import Path

import numpy as np

import lcstats as lc


def main() -> None:
    trials = lc.simulate_trials(
        "single-needle", 1024 * 2 ** np.arange(8), np.linspace(0, 1, 11), n_trials=20, seed=1
    )
    cells = lc.count_cells(trials)
    answer = lc.effective_length(cells, lc.Criterion(0.85))
    axes = lc.plots.plot_decay(cells, effective_length=answer, width="double")
    lc.plots.save_figure(axes.figure, Path(__file__).with_suffix(".svg"))


if __name__ == "__main__":
    main()
