"""Statuses: one word for each thing that can become of a trial; failures never count."""

import numpy as np
import pandas as pd
import pytest

from lcstats.errors import TableError
from lcstats.options import STATUSES
from lcstats.trials.faults import Faults
from lcstats.trials.origin import Origin
from lcstats.trials.status_column import normalise_status, read_statuses


def read(statuses, has_score, has_output=None):
    column = None if statuses is None else pd.Series(statuses, dtype=object)
    faults = Faults(Origin.of_frame(len(has_score)))
    read_ = read_statuses(
        column,
        np.array(has_score),
        has_output=None if has_output is None else np.array(has_output),
        faults=faults,
    )
    faults.raise_any()
    return read_


@pytest.mark.parametrize("status", STATUSES)
def test_the_librarys_own_words_stay(status):
    assert normalise_status(status) == status


@pytest.mark.parametrize(
    ("word", "status"),
    [
        ("OK", "ok"),
        ("success", "ok"),
        (200, "ok"),
        ("http_500", "error"),
        ("HTTP 503", "error"),
        ("oom", "error"),
        ("failed", "error"),
        ("server_error", "error"),
        ("429", "rate_limited"),
        (429.0, "rate_limited"),
        ("Rate Limit", "rate_limited"),
        ("timed out", "timeout"),
        ("read-timeout", "timeout"),
        ("504", "timeout"),
        ("context_length_exceeded", "context_exceeded"),
        ("prompt too long", "context_exceeded"),
        ("refusal", "refused"),
        ("content_filter", "refused"),
        ("cancelled", "skipped"),
        ("parse_error", "unparsed"),
    ],
)
def test_spellings(word, status):
    assert normalise_status(word) == status


def test_without_a_column_a_score_decides():
    statuses = read(None, [True, False, False], [True, True, False])
    assert statuses.values.tolist() == ["ok", "unparsed", "error"]


def test_ok_without_a_score_is_unparsed():
    assert read(["ok", ""], [False, True]).values.tolist() == ["unparsed", "ok"]


def test_a_score_beside_a_failure_is_ignored_and_counted():
    statuses = read(["ok", "http_500"], [True, True])
    assert statuses.counts.tolist() == [True, False]
    (notice,) = statuses.notices
    assert notice.code == "scores-ignored"
    assert notice.message.startswith("1 score beside")


def test_an_unknown_word_without_a_score_is_an_error_and_said():
    statuses = read(["ok", "weird", ["a list"]], [True, False, False])
    assert statuses.values.tolist() == ["ok", "error", "error"]
    assert "weird" in statuses.notices[0].message


def test_an_unknown_word_beside_a_score_is_refused():
    with pytest.raises(TableError, match=r"status is 'pass'; .*--map status=THEIRS"):
        read(["pass", "ok"], [True, True])
