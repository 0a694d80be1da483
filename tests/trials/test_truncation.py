"""Prompts that arrived shorter than they were asked for."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lcstats.errors import TableError
from lcstats.trials import TableOptions, Trials
from lcstats.trials.truncation import find_truncated


def truncated(lengths, received, model="a", unit="tokens"):
    design = pd.DataFrame({"model": model, "length": lengths})
    return find_truncated(design, pd.Series(received, dtype="Int64"), unit)


def test_a_prompt_well_below_its_length_is_truncated():
    found = truncated([4096, 8192, 16384, 16384], [4096, 8100, 16300, 9000])
    assert found.rows.tolist() == [False, False, False, True]


def test_another_tokenizer_is_no_truncation():
    lengths = np.repeat([4096, 8192, 16384], 3)
    assert not truncated(lengths, lengths * 4 // 5).rows.any()
    cut = truncated(lengths, np.minimum(lengths * 4 // 5, 8000)).rows
    assert cut.tolist() == [False] * 6 + [True] * 3


def test_a_ceiling_reached_at_several_lengths_is_found_even_where_little_is_lost():
    lengths, received = [4096, 8192, 8600, 9000], [4096, 8192, 8195, 8200]
    found = truncated(lengths, received)
    assert found.rows.tolist() == [False, False, True, True]
    assert "; 8200 at 2 of 4 lengths" in found.notices[0].message


def test_every_language_model_has_its_own_ceiling():
    found = truncated([4096, 8192] * 2, [4096, 4096, 4000, 8000], model=["a", "a", "b", "b"])
    assert found.rows.tolist() == [False, True, False, False]


def test_what_is_not_counted_in_tokens_or_not_counted_is_left_alone():
    assert not truncated([4096, 8192], [100, 100], unit="words").rows.any()
    assert not truncated([4096, 8192], [None, None]).rows.any()
    assert find_truncated(pd.DataFrame({"length": [1]}), None, "tokens").notices == ()


@pytest.mark.filterwarnings("ignore::lcstats.errors.UnscoredWarning")
def test_truncated_trials_are_unscored_unless_they_are_to_be_kept():
    frame = pd.DataFrame(
        {"length": [4096, 8192], "depth": [0.0, 0.5], "prompt_tokens": [4096, 4096], "score": 0.5}
    )
    with pytest.warns(UserWarning, match=r"left out as truncated; keep_truncated=True"):
        trials = Trials.from_frame(frame)
    assert trials.frame["status"].tolist() == ["ok", "truncated"]
    assert trials.frame["score"].isna().tolist() == [False, True]
    with pytest.warns(UserWarning, match="ratio 0.5"):
        kept = Trials.from_frame(frame, TableOptions(keep_truncated=True))
    assert kept.frame["score"].tolist() == [0.5, 0.5]


def test_a_template_of_so_many_tokens_beside_another_tokenizer_is_no_truncation():
    lengths = np.repeat([512, 4096, 32768, 131072], 3)
    assert not truncated(lengths, (0.88 * lengths + 60).astype(int)).rows.any()


@pytest.mark.parametrize("buffer", [200, 400])
def test_a_buffer_that_is_left_free_is_no_truncation(buffer):
    assert not truncated([1000, 2000, 4000], np.array([1000, 2000, 4000]) - buffer).rows.any()


def test_lengths_that_hardly_differ_have_no_ceiling():
    assert not truncated([4000, 8000, 8020], [3200, 6400, 6416]).rows.any()


LENGTHS = [4096, 8192, 16384, 32768, 65536, 131072]


@pytest.mark.parametrize("ratio", [1.15, 1.25, 1.4])
@pytest.mark.parametrize("template", [0, 300])
def test_a_tokenizer_that_counts_more_does_not_hide_a_ceiling(ratio, template):
    asked = np.repeat(LENGTHS, 2)
    found = truncated(asked, np.minimum(ratio * asked + template, 131072).astype(int))
    assert found.rows.tolist() == [False] * 10 + [True] * 2
    (notice,) = found.notices
    assert "smallest share 1 of the tokens asked for" in notice.message
    assert "131072 at 1 of 6 lengths" in notice.message


def test_lengths_that_were_cut_lead_to_no_expectation():
    found = truncated(LENGTHS, np.minimum(1.25 * np.array(LENGTHS), 65536).astype(int))
    assert found.rows.tolist() == [False] * 4 + [True] * 2


@given(
    ratio=st.floats(0.7, 1.4),
    n_each=st.integers(1, 3),
    seed=st.integers(0, 2**32 - 1),
    start=st.integers(0, 4),
)
@settings(max_examples=40, deadline=None)
def test_a_share_that_is_the_same_at_all_lengths_is_never_a_truncation(ratio, n_each, seed, start):
    asked = np.repeat(LENGTHS[start:], n_each)
    noise = np.random.default_rng(seed).uniform(0.97, 1.03, asked.size)
    assert not truncated(asked, (ratio * asked * noise).astype(int)).rows.any()


@pytest.mark.parametrize("template", [0, 60, 5000])
def test_a_long_template_is_no_truncation_however_the_tokenizer_counts(template):
    asked = np.array(LENGTHS)
    assert not truncated(asked, (1.2 * asked + template).astype(int)).rows.any()


def test_many_different_lengths_are_no_sweep_and_cost_no_time():
    asked = np.arange(1000, 21000)
    assert not truncated(asked, asked * 5 // 4).rows.any()


def test_a_table_of_truncated_trials_alone_names_the_ceiling_and_the_mend():
    frame = pd.DataFrame({"length": [40000, 60000], "prompt_tokens": 32770, "score": 0.0})
    with pytest.raises(
        TableError, match=r"truncated 2.*32770 at 2 of 2 lengths.*keep_truncated=True.*count"
    ):
        Trials.from_frame(frame)


def test_a_share_that_no_tokenizer_gives_is_a_cut_where_no_other_length_was_asked_for():
    assert truncated([8192] * 3, [4096] * 3).rows.all()
    assert not truncated([8192] * 3, [6500] * 3).rows.any()
    assert not truncated([8192] * 2 + [16384] * 2, [4096] * 2 + [8192] * 2).rows.any()


def test_short_prompts_that_lack_far_more_than_long_ones_were_never_full():
    found = truncated([4096] * 2 + [8192] * 2, [20] * 2 + [8192] * 2)
    assert found.rows.tolist() == [True] * 2 + [False] * 2
    assert not truncated([1000, 2000, 4000], [600, 1600, 3600]).rows.any()


def test_a_small_cut_shows_where_all_other_lengths_arrive_exactly():
    lengths = np.repeat([4096, 8192, 16384], 3)
    found = truncated(lengths, np.minimum(lengths, 15000))
    assert found.rows.tolist() == [False] * 6 + [True] * 3
    assert "smallest share 0.916; 15000 at 1 of 3 lengths" in found.notices[0].message
    received = np.where(lengths < 16384, lengths, [15000, 15200, 15900] * 3)
    assert not truncated(lengths, received).rows.any()


def test_a_prompt_without_filler_has_no_share():
    found = truncated([0, 0, 4096, 8192], [60, 60, 4096, 8192])
    assert not found.rows.any()
