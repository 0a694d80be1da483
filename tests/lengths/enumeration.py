"""Every table a small design can give, with its probability: the brute force of these tests."""

import itertools
from collections.abc import Iterator

import numpy as np
from scipy.stats import binom

from lcstats.cells import Cells


def every_table(rates: np.ndarray, n_cases: np.ndarray) -> Iterator[tuple[float, Cells]]:
    """Yield (probability, cells) for every outcome of independent binomial cells."""
    lengths = 1000 * 2 ** np.arange(rates.shape[0])
    depths = np.linspace(0, 1, rates.shape[1])
    for counts in itertools.product(*(range(n + 1) for n in n_cases.ravel())):
        k = np.array(counts).reshape(rates.shape)
        probability = float(binom.pmf(k, n_cases, rates).prod())
        yield probability, Cells.from_counts(lengths, depths, n_cases=n_cases, successes=k)
