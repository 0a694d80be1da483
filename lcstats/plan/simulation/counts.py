"""Counts of simulated tables, a row or a whole table at a time, from streams of their own."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lcstats.kernels.draws import fill_counts, fill_shared_counts
from lcstats.kernels.streams import BLOCK
from lcstats.plan.truths import PlannedTruth

TASK = 0
"""A plan is of one task; its streams are those of the first."""


@dataclass(frozen=True, slots=True, eq=False)
class CountSource:
    """Where a plan's simulated counts come from.

    Simulation i follows draw i modulo n_draws of an open truth. Its counts depend on the seed, the
    cell, the cell's number of cases and i alone.

    Attributes
    ----------
    planned : PlannedTruth
    n_cases : ndarray of int64, shape (n_lengths, n_depths)
    seed : int
    """

    planned: PlannedTruth
    n_cases: NDArray[np.int64]
    seed: int

    def row(self, i: int, first: int, stop: int) -> NDArray[np.int16]:
        """Return the successes of length number `i`, shape (n_depths, stop - first).

        Whole blocks of simulations are drawn, so `first` is best a multiple of a block.
        """
        block = first // BLOCK
        n_blocks = -(-stop // BLOCK) - block
        counts = np.empty((self.planned.depths.size, n_blocks * BLOCK), dtype=np.int16)
        cells = cell_numbers(i, self.planned.depths.size)
        stream, n_cases = (self.seed, TASK), self.n_cases[i].copy()
        haystack = self.planned.haystack
        if haystack is None:
            rates = np.array(self.planned.accuracies[:, i])
            fill_counts(rates, n_cases, cells, stream, block, counts)
        else:
            curve = haystack.curve
            logits = curve.logit_accuracy(self.planned.lengths[i : i + 1], self.planned.depths)
            law = (float(curve.guess_rate), float(curve.lapse_rate), float(haystack.logit_sd))
            fill_shared_counts(np.exp(-logits[0]), law, n_cases, cells, stream, block, counts)
        return counts[:, first - block * BLOCK : stop - block * BLOCK]

    def tables(self, first: int, stop: int) -> NDArray[np.int64]:
        """Return the successes of whole tables, shape (stop - first, n_lengths, n_depths)."""
        rows = [self.row(i, first, stop) for i in range(self.planned.lengths.size)]
        return np.stack(rows).astype(np.int64).transpose(2, 0, 1)


def cell_numbers(i: int, n_depths: int) -> NDArray[np.int64]:
    """Return the numbers that name the streams of the cells of length number `i`."""
    return i * n_depths + np.arange(n_depths)
