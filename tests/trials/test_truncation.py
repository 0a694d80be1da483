"""Prompts that arrived shorter than they were asked for."""

import numpy as np
import pandas as pd
import pytest

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
    with pytest.warns(UserWarning, match="ratios 0.5 to 0.5"):
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
