"""The needle table: sources, units, clusters, placements, and what it refuses."""

import numpy as np
import pytest

from lcstats.errors import OptionError, TableError
from lcstats.needles import split_needles, tabulate_needles
from lcstats.trials import Trials

pytestmark = pytest.mark.filterwarnings("ignore::lcstats.errors.LcstatsWarning")


def test_needles_stand_in_the_order_of_their_depths(table_of):
    table = table_of([[1, 0, 0]], needle_depths=[[0.9, 0.1, 0.5]])
    assert table.depths.tolist() == [[0.1, 0.5, 0.9]]
    assert table.found.tolist() == [[0, 0, 1]]
    assert table.kind == "needles"


def test_counts_do_not_say_which(trials_of):
    trials = trials_of([[0, 1, 1], [0, 0, 0]])
    table = tabulate_needles(
        Trials(trials.frame.drop(columns=["needle_found"]), has_case_ids=False)
    )
    assert table.kind == "counts"
    assert table.found.tolist() == [[1, 1, 0], [0, 0, 0]]
    assert table.all_found.tolist() == [0, 0]


def test_shares_of_needles_are_counts(trials_of):
    frame = trials_of([[0, 1, 1], [0, 0, 0]]).frame.drop(columns=["needle_found", "n_found"])
    table = tabulate_needles(Trials(frame))
    assert (table.kind, table.found.sum()) == ("counts", 2)


def test_right_and_wrong_of_several_needles_is_all_or_nothing(trials_of):
    frame = trials_of([[1, 1], [0, 1]]).frame.drop(columns=["needle_found", "n_found"])
    table = tabulate_needles(Trials(frame.assign(score=[1.0, 0.0])))
    assert table.kind == "all_or_nothing"
    assert table.all_found.tolist() == [1, 0]
    assert np.isnan(table.found).all()


def test_folded_repeats_are_one_unit(table_of):
    found = [[1, 0], [1, 1], [0, 0]]
    columns = {"case": ["a", "a", "b"], "repeat": [1, 2, 1]}
    folded, apart = table_of(found, **columns), table_of(found, "independent", **columns)
    assert (folded.n_units, apart.n_units) == (2, 3)
    assert folded.weight.tolist() == [0.5, 0.5, 1]
    assert apart.weight.tolist() == [1, 1, 1]


def test_units_of_a_haystack_share_a_cluster(table_of):
    table = table_of([[1, 0]] * 4, cluster=["h", "h", None, None], case=list("abcd"))
    assert len(set(table.cluster[:2])) == 1
    assert len(set(table.cluster)) == 3


def test_unscored_trials_are_counted_and_left_out(trials_of):
    frame = trials_of([[1, 0], [1, 1]]).frame
    table = tabulate_needles(Trials(frame.assign(score=[0.5, np.nan], status=["ok", "timeout"])))
    assert (table.n_trials, table.n_unscored) == (1, 1)


def test_groups_are_told_apart_by_their_number_of_needles(trials_of):
    frame = trials_of([[1, 0], [1, 1]]).frame
    mixed = Trials(frame.assign(n_needles=[2, 3], needle_found=[[1, 0], [1, 1, 1]]))
    with pytest.raises(OptionError, match="split_needles"):
        tabulate_needles(mixed)
    assert [part.n_trials for part in split_needles(mixed)] == [1, 1]


def test_lists_of_another_size_are_refused(trials_of):
    with pytest.raises(TableError, match="one for each needle"):
        tabulate_needles(Trials(trials_of([[1, 0]]).frame.assign(n_needles=3)))


def test_lists_that_disagree_in_size_are_named_with_their_trial(trials_of):
    frame = trials_of([[1, 0], [1, 1]], case=["a", "b"]).frame.drop(columns=["n_needles"])
    unequal = frame.assign(needle_depths=[[0.1, 0.9], [0.1, 0.5, 0.9]])
    with pytest.raises(TableError, match=r"needle_depths holds 3 values in a trial of 2.*case b"):
        list(split_needles(Trials(unequal)))


def test_lists_are_quoted_in_plain_numbers(trials_of):
    given = [[np.float64(10.0), 90]]
    with pytest.raises(TableError, match=r"needle_depths is .?\[10.0, 90\]"):
        trials_of([[1, 0]], needle_depths=given)
    frame = trials_of([[1, 0]]).frame.assign(needle_depths=given)
    with pytest.raises(TableError, match=r"holds \[10.0, 90\]"):
        tabulate_needles(Trials(frame))


def test_numbers_of_numpy_are_numbers_in_lists(trials_of):
    marks, depths = [[np.int64(1), False]], [[np.float32(0.5), np.int64(1)]]
    table = tabulate_needles(trials_of([[1, 0]], needle_found=marks, needle_depths=depths))
    assert table.found.tolist() == [[1.0, 0.0]]


def test_depths_in_percent_are_refused(trials_of):
    frame = trials_of([[1, 0]]).frame.assign(needle_depths=[[10, 90]])
    with pytest.raises(TableError, match="fractions from 0 to 1"):
        tabulate_needles(Trials(frame))


def test_scores_that_are_no_share_of_needles_are_refused(trials_of):
    frame = trials_of([[1, 0, 0]]).frame.drop(columns=["needle_found", "n_found"])
    with pytest.raises(TableError, match="--map n_found"):
        tabulate_needles(Trials(frame.assign(score=0.4)))


def test_a_table_without_numbers_of_needles_is_refused(trials_of):
    columns = ["needle_found", "n_found", "n_needles"]
    with pytest.raises(TableError, match="--map n_needles"):
        list(split_needles(Trials(trials_of([[1, 0]]).frame.drop(columns=columns))))
