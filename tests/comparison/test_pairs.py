"""Pairs: the same case on both sides, whatever the order, and nothing else."""

import numpy as np
import pandas as pd
import pytest

from lcstats.cells import count_cells
from lcstats.comparison import pair_trials
from lcstats.errors import OptionError, TableError
from lcstats.trials import Trials


def test_cases_pair_by_task_length_depth_and_id(trials_of):
    old = trials_of([1, 0, 1, 0], length=[4096, 4096, 8192, 8192], case=["a", "b", "a", "b"])
    new = trials_of([0, 0, 1], length=[4096, 8192, 8192], case=["a", "a", "z"], model="new")
    (pairs,) = pair_trials(old, new)
    assert list(zip(pairs.length, pairs.case, pairs.old, pairs.new, strict=True)) == [
        (4096, "a", 1, 0),
        (8192, "a", 1, 0),
    ]
    assert (pairs.n_unmatched_old, pairs.n_unmatched_new) == (2, 1)


def test_pairs_do_not_depend_on_the_order_of_rows(trials_of):
    rng = np.random.default_rng(3)
    columns = {"length": [4096, 8192] * 20, "case": [f"c{i // 2}" for i in range(40)]}
    old = trials_of(rng.integers(0, 2, 40).tolist(), **columns)
    new = trials_of(rng.integers(0, 2, 40).tolist(), model="new", **columns)
    shuffled = Trials.from_frame(new.frame.sample(frac=1, random_state=1))
    first, again = pair_trials(old, new)[0], pair_trials(old, shuffled)[0]
    for name in ("length", "case", "old", "new", "cluster"):
        np.testing.assert_array_equal(getattr(first, name), getattr(again, name))


def test_cases_without_a_depth_pair(trials_of):
    sides = (trials_of([1, 0], depth=[None, 0.5], model=model) for model in ("old", "new"))
    (pairs,) = pair_trials(*sides)
    assert pairs.n_pairs == 2
    np.testing.assert_array_equal(pairs.depth, [0.5, np.nan])


def test_repeats_are_folded_to_one_lattice(trials_of):
    old = trials_of([1, 0, 1], case=["a", "a", "b"], repeat=[1, 2, 1])
    new = trials_of([1, 1, 0, 0], case=["a", "a", "a", "b"], repeat=[1, 2, 3, 1], model="new")
    (pairs,) = pair_trials(old, new)
    np.testing.assert_allclose(pairs.old / pairs.unit, [0.5, 1.0])
    np.testing.assert_allclose(pairs.new / pairs.unit, [2 / 3, 0.0])
    assert pairs.has_fractions


def test_independent_repeats_pair_by_their_number(trials_of):
    old = trials_of([1, 0], case=["a", "a"], repeat=[1, 2])
    new = trials_of([0, 1], case=["a", "a"], repeat=[2, 3], model="new")
    (pairs,) = pair_trials(old, new, repeats="independent")
    assert (pairs.old.tolist(), pairs.new.tolist()) == ([0], [0])


def test_clusters_of_either_side_keep_pairs_together(trials_of):
    old = trials_of([1, 1, 0, 0], cluster=["h1", "h1", "h2", None])
    new = trials_of([1, 0, 1, 0], cluster=["h1", "h2", "h2", None], model="new")
    (pairs,) = pair_trials(old, new)
    assert pairs.is_clustered
    assert np.unique(pairs.cluster[:3]).size == 1
    assert pairs.cluster[3] != pairs.cluster[0]


def test_pairs_that_share_nothing_are_clusters_of_their_own(two_sides):
    (pairs,) = pair_trials(*two_sides(2, 1, 1, 2))
    assert not pairs.is_clustered
    assert np.unique(pairs.cluster).size == pairs.n_pairs == 6


def test_grids_hold_the_counts_of_the_pairs_in_their_order(trials_of):
    columns = {"length": [4096, 4096, 8192], "depth": [0.0, 0.5, 0.0], "case": ["a", "a", "b"]}
    old, new = (trials_of(s, model=m, **columns) for s, m in (([1, 0, 1], "x"), ([1, 1, 0], "y")))
    (pairs,) = pair_trials(old, new)
    grids = pairs.grids()
    for grid, trials in zip(grids, (old, new), strict=True):
        expected = count_cells(trials).grid
        np.testing.assert_array_equal(grid.numerators, expected.numerators)
        np.testing.assert_array_equal(grid.n_cases, expected.n_cases)
    weights = np.array([2, 0, 1])
    for grid, side in zip(grids, (pairs.old, pairs.new), strict=True):
        resampled = np.bincount(grid.cases.cell, weights * grid.cases.numerator, minlength=4)
        places = [0, 1, 2]
        np.testing.assert_array_equal(resampled[places], weights * side)


def test_no_shared_case_is_no_pairs(trials_of):
    assert pair_trials(trials_of([1, 0]), trials_of([1, 0], case=["y", "z"])) == ()


def test_several_language_models_on_a_side_are_refused(trials_of):
    mixed = trials_of([1, 0], model=["a", "b"])
    with pytest.raises(OptionError, match="--old-model"):
        pair_trials(mixed, trials_of([1, 0]))


def test_a_table_without_ids_is_refused(trials_of):
    frame = pd.DataFrame({"length": [4096, 4096], "score": [1, 0]})
    with pytest.raises(TableError, match="--map case=COLUMN"):
        pair_trials(trials_of([1, 0]), Trials.from_frame(frame))


def test_units_of_length_must_agree(trials_of):
    trials = trials_of([1, 0])
    words = Trials(trials.frame, "words")
    with pytest.raises(TableError, match="--length-unit"):
        pair_trials(trials, words)
