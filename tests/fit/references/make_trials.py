"""Make ``trials.csv``: simulated 0/1 trials, three depths in each haystack, for the references."""

from pathlib import Path

import numpy as np
import pandas as pd

OUT = Path(__file__).with_name("trials.csv")
LENGTHS = (2048, 8192, 32768, 131072)
DEPTHS = (0.0, 0.4, 1.0)
N_HAYSTACKS = 10

if __name__ == "__main__":
    rng = np.random.default_rng(8)
    rows = []
    for length in LENGTHS:
        doublings = np.log2(length / 1024)
        for number in range(N_HAYSTACKS):
            shift = rng.normal()
            for depth in DEPTHS:
                middle = doublings / 7 * 4 * depth * (1 - depth)
                logit = 3.0 - 0.35 * doublings - 1.5 * middle + 0.8 * np.exp((depth - 1) / 0.1)
                right = rng.random() < 1 / (1 + np.exp(-logit - shift))
                rows.append((length, depth, number, f"{length}-{number}", int(right)))
    columns = ["length", "depth", "case", "cluster", "score"]
    pd.DataFrame(rows, columns=columns).to_csv(OUT, index=False, lineterminator="\n")
