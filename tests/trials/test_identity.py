"""Whose trial is this: copies, attempts, repeats, contradictions, and tables without ids."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lcstats.errors import DuplicateWarning, TableError
from lcstats.trials import Trials
from lcstats.trials.identity import combine_codes
from lcstats.trials.origin import Origin, Part

pytestmark = pytest.mark.filterwarnings("ignore::lcstats.errors.LcstatsWarning")


def trials_of(**columns):
    n_rows = len(columns["score"])
    return Trials.from_frame(pd.DataFrame({"length": [4096] * n_rows, **columns}))


def codes(trials):
    return [notice.code for notice in trials.notices]


def test_exact_copies_are_kept_once_with_a_warning():
    with pytest.warns(DuplicateWarning, match="1 exact copy of other rows left out"):
        trials = trials_of(id=["a", "a", "b"], rep=[1, 1, 1], score=[1, 1, 0], note=["x", "x", "y"])
    assert trials.frame["case"].tolist() == ["a", "b"]
    assert trials.reading.n_duplicates == 1


def test_copies_with_lists_in_a_column_are_found():
    assert trials_of(id=["a", "a"], score=[0, 0], used=[[1], [1]]).n_trials == 1


def test_the_same_key_with_another_score_is_an_error_that_lists_the_keys():
    mend = r"--map repeat=THEIRS"
    with pytest.raises(TableError, match=rf"(?s)length 4096, .*case a, repeat 1 .*0, 1; .*{mend}"):
        trials_of(id=["a", "a", "b"], score=[1, 0, 1])


def test_many_contradictions_are_counted():
    with pytest.raises(TableError, match="and 3 more"):
        trials_of(id=[*range(8), *range(8)], score=[0] * 8 + [1] * 8)


def test_a_contradiction_names_the_column_that_tells_the_rows_apart():
    with pytest.raises(TableError, match="differ in 'scorer': keep one value of it"):
        trials_of(id=["a", "a"], score=[1, 0], scorer=["strict", "loose"], note=["x", "x"])


def test_ids_restart_in_every_cell():
    trials = trials_of(id=[0, 1, 0, 1], length=[4096, 4096, 8192, 8192], score=[1, 1, 0, 1])
    assert (trials.n_cases, codes(trials)) == (4, [])


def test_numbered_repeats_are_one_case():
    trials = trials_of(id=["a"] * 3, epoch=[0, 1, 2], score=[1, 0, 1])
    assert trials.frame["repeat"].tolist() == [1, 2, 3]
    assert trials.n_cases == 1


def test_the_same_score_with_other_details_is_a_further_repeat():
    trials = trials_of(id=["a", "a", "a"], rep=[1, 1, 2], score=[1, 1, 1], seconds=[0.5, 0.7, 0.9])
    assert sorted(trials.frame["repeat"]) == [1, 2, 3]
    assert (trials.n_cases, "unnumbered-repeats" in codes(trials)) == (1, True)


@pytest.mark.parametrize("order", [[0, 1], [1, 0]])
def test_a_failed_attempt_gives_way_to_a_scored_one(order):
    table = pd.DataFrame(
        {"id": ["a", "a"], "length": 1, "score": [None, 0], "status": ["timeout", "ok"]}
    )
    trials = Trials.from_frame(table.iloc[order])
    assert trials.frame["score"].tolist() == [0.0]
    assert codes(trials) == ["superseded"]


def test_of_failed_attempts_only_the_last_stays():
    trials = trials_of(
        id=["a", "a", "b"], score=[None, None, 1], status=["timeout", "rate_limited", "ok"]
    )
    assert trials.frame["status"].tolist() == ["rate_limited", "ok"]


def test_a_row_without_id_among_rows_with_one_is_a_fault():
    with pytest.raises(TableError, match=r"id is missing; .*--map case=THEIRS"):
        trials_of(id=["a", None], score=[1, 0])


def test_without_ids_every_row_is_its_own_case():
    trials = trials_of(score=[1, 1, 1, 0])
    assert not trials.has_case_ids
    assert (trials.n_trials, trials.n_cases, codes(trials)) == (4, 4, [])
    assert trials.frame["case"].tolist() == ["1", "2", "3", "4"]


def test_without_ids_a_trial_number_numbers_cases():
    trials = trials_of(trial=[3, 5, 3], length=[1, 1, 2], score=[1, 0, 1])
    assert trials.frame["case"].tolist() == ["3", "5", "3"]
    assert trials.frame["repeat"].tolist() == [1, 1, 1]


def test_without_ids_a_number_that_does_not_tell_rows_apart_is_not_used():
    assert trials_of(trial=[1, 1], score=[1, 0]).frame["case"].tolist() == ["1", "2"]


@given(st.lists(st.tuples(*[st.integers(min_value=-1, max_value=3)] * 3), min_size=1, max_size=40))
def test_combined_codes_are_equal_exactly_where_all_codes_are(rows):
    columns = [np.array(column, dtype=np.int64) for column in zip(*rows, strict=True)]
    combined = combine_codes(columns)
    assert len(set(combined.tolist())) == len(set(rows))
    assert len(set(zip(combined.tolist(), rows, strict=True))) == len(set(rows))


def test_combined_codes_survive_overflow():
    huge = np.array([0, 2**40, 2**40, 1], dtype=np.int64)
    combined = combine_codes([huge, huge, huge, np.array([0, 0, 0, 1])])
    assert combined[1] == combined[2]
    assert len(set(combined.tolist())) == 3


def test_files_that_contradict_each_other_are_named():
    parts = Part("a.jsonl", 2, "line"), Part("b.jsonl", 1, "line")
    frame = pd.DataFrame({"length": 4096, "id": ["x", "y", "x"], "score": [1, 0, 0]})
    mend = r"different files, a\.jsonl and b\.jsonl: read one of them without the others, or number"
    with pytest.raises(TableError, match=mend):
        Trials.from_frame(frame, origin=Origin(parts))
