"""Columns beside score and design: whole numbers, lists, clusters, outputs, times."""

import numpy as np
import pandas as pd
import pytest

from lcstats.errors import DesignWarning, TableError
from lcstats.trials import Trials

pytestmark = pytest.mark.filterwarnings("ignore::lcstats.errors.LcstatsWarning")


def frame_of(**columns):
    n_rows = len(next(iter(columns.values())))
    table = {"length": [4096] * n_rows, "score": [0.5] * n_rows, **columns}
    return Trials.from_frame(pd.DataFrame(table)).frame


def test_whole_numbers_may_be_missing():
    frame = frame_of(prompt_tokens=[4100, None, 0], n_needles=["4", "4", ""], n_found=[4, 0, None])
    assert frame["tokens_received"].dtype == frame["n_found"].dtype == "Int64"
    assert frame["tokens_received"].isna().tolist() == [False, True, True]
    assert frame["n_needles"].tolist()[:2] == [4, 4]


@pytest.mark.parametrize("value", [1.5, -1, "many", 1e300, float("inf")])
def test_what_is_no_whole_number_is_refused(value):
    with pytest.raises(TableError, match=r"prompt_tokens is .*--map tokens_received=THEIRS"):
        frame_of(prompt_tokens=pd.Series([value], dtype=object))


def test_no_more_needles_are_found_than_there_are():
    with pytest.raises(TableError, match=r"n_found is 5; expected at most n_needles; .*--map n_"):
        frame_of(n_needles=[4], n_found=[5])


def test_repeats_must_be_whole():
    with pytest.raises(TableError, match=r"rep is 'x'; .*--map repeat=THEIRS"):
        frame_of(id=["a"], rep=["x"])


def test_a_version_that_is_no_number_counts_no_repeats():
    frame = frame_of(id=["a", "b"], version=["2.0.0", "2.0.1"])
    assert frame["version"].tolist() == ["2.0.0", "2.0.1"]
    assert frame["repeat"].tolist() == [1, 1]
    assert frame_of(id=["a", "a"], version=[1, 2])["repeat"].tolist() == [1, 2]


def test_lists_as_lists_or_as_text():
    frame = frame_of(needle_depths=["[0.1, 0.9]", ""], needle_found=[[1, 0], None])
    assert frame["needle_depths"].tolist() == [[0.1, 0.9], None]
    assert frame["needle_found"].tolist() == [[1, 0], None]
    arrays = frame_of(needle_depths=pd.Series([np.array([0.5])], dtype=object))
    assert arrays["needle_depths"].tolist() == [[0.5]]


@pytest.mark.parametrize("value", ["0.1, 0.9", '{"a": 1}', 0.5])
def test_what_is_no_list_is_refused(value):
    with pytest.raises(TableError, match=r"needle_depths is .*expected a list such as"):
        frame_of(needle_depths=[value])


def test_clusters_are_text_and_may_be_missing():
    frame = frame_of(cluster=[1, 1, None])
    assert frame["cluster"].tolist()[:2] == ["1", "1"]
    assert frame["cluster"].isna().tolist() == [False, False, True]
    assert "cluster" not in frame_of(note=["x"])


def test_an_empty_output_is_an_output():
    frame = frame_of(response=["", None, "NA"])
    assert frame["output"].isna().tolist() == [False, True, False]
    assert frame["output"].tolist()[2] == "NA"


def test_times_are_seconds():
    assert frame_of(latency=["0.25", None])["latency_s"].tolist()[0] == 0.25
    with pytest.raises(TableError, match="latency is 'slow'; expected seconds; leave it empty"):
        frame_of(latency=["slow"])


def test_received_lengths_far_from_asked_ones_are_flagged():
    with pytest.warns(DesignWarning, match=r"1 of 3 scored trials received .*ratio 1\.3\).*token"):
        frame_of(prompt_tokens=[4096, 3900, 5325])


def test_an_output_without_score_is_unparsed():
    frame = frame_of(score=[None, None, 1], output=["7", "", "8"])
    assert frame["status"].tolist() == ["unparsed", "error", "ok"]
