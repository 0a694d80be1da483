"""Drawing clusters again: the draws of a plain loop, and the finest parts that cut no cluster."""

import numpy as np
import pytest

from lcstats.cells import CaseIndex, redraw_clusters, split_strata

RNG_SEED = 11


@pytest.fixture
def cases():
    rng = np.random.default_rng(3)
    cell = np.sort(rng.integers(6, size=40))
    return CaseIndex(cell, numerator=rng.integers(4, size=40), cluster=rng.integers(9, size=40))


def test_totals_are_those_of_a_plain_loop(cases, monkeypatch):
    values = np.stack([cases.numerator, np.ones(40, dtype=np.int64)])
    monkeypatch.setattr("lcstats.cells.redraw.BLOCK_SIZE", 27)  # three draws at a time
    options = {"n_cells": 6, "n_draws": 50}
    rng = np.random.default_rng(RNG_SEED)
    drawn = redraw_clusters(cases.cell, cases.cluster, values, rng=rng, **options)
    rng = np.random.default_rng(RNG_SEED)
    names = np.unique(cases.cluster)
    for draw in range(50):
        expected = np.zeros((2, 6), dtype=np.int64)
        for chosen in names[rng.integers(names.size, size=names.size)]:
            for case in np.flatnonzero(cases.cluster == chosen):
                expected[:, cases.cell[case]] += values[:, case]
        np.testing.assert_array_equal(drawn[:, draw], expected)


@pytest.mark.parametrize(
    ("cluster", "n_parts"),
    [
        ([0, 1, 2, 3, 4, 5, 6, 7], 4),  # every case its own: cells
        ([0, 1, 0, 1, 2, 3, 2, 3], 2),  # across depths: lengths
        ([0, 1, 2, 3, 0, 1, 2, 3], 1),  # across lengths: the table
    ],
)
def test_parts_are_the_finest_that_cut_no_cluster(cluster, n_parts):
    cell, cluster = np.repeat(np.arange(4), 2), np.array(cluster)
    parts = split_strata(CaseIndex(cell, np.ones(8, dtype=np.int64), cluster), n_depths=2)
    assert len(parts) == n_parts
    assert sorted(np.concatenate(parts)) == list(range(8))
    for part in parts:
        outside = np.setdiff1d(np.arange(8), part)
        assert not set(cluster[part]) & set(cluster[outside])
