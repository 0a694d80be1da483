"""Requests that failed, whatever score the file gives them."""

import pandas as pd
import pytest

from lcstats.trials import Trials

pytestmark = pytest.mark.filterwarnings("ignore::lcstats.errors.LcstatsWarning")


def statuses(**columns):
    n = len(next(iter(columns.values())))
    frame = pd.DataFrame({"length": [4096] * n, "score": [0] * (n - 1) + [1], **columns})
    return Trials.from_frame(frame).frame["status"].tolist()


def test_an_error_beside_the_score_is_a_failure():
    errors = ["Rate limit reached", {"code": "context_length_exceeded"}, "boom", None, ""]
    found = statuses(error=errors)
    assert found == ["rate_limited", "context_exceeded", "error", "ok", "ok"]


def test_codes_of_http_from_400_are_failures():
    assert statuses(http_status=[400, 429, 504, 200]) == ["error", "rate_limited", "timeout", "ok"]


def test_an_answer_that_is_the_server_s_error_is_none():
    outputs = [
        "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens",
        "Error code: 429 - Rate limit reached for gpt-4",
        "The special number is 429.",
        "The maximum is reached at noon.",
        "The maximum context length is 8192 tokens",
    ]
    found = statuses(output=outputs)
    assert found == ["context_exceeded", "rate_limited", "ok", "ok", "ok"]


def test_the_table_s_own_status_wins():
    assert statuses(status=["timeout", "ok"], error=["boom", None]) == ["timeout", "ok"]
    assert statuses(status=["", "ok"], error=["boom", None]) == ["error", "ok"]


def test_an_ok_beside_an_error_is_believed_only_where_the_answer_is_right():
    found = statuses(status=["ok", "ok"], error=["429 Too many requests", "slow"])
    assert found == ["rate_limited", "ok"]


def test_flags_of_the_file_s_own_are_failures():
    assert statuses(skipped=[True, False, False]) == ["skipped", "ok", "ok"]
    assert statuses(failed=[1, 0, 0]) == ["error", "ok", "ok"]


def test_what_clients_write_in_place_of_an_answer():
    found = statuses(output=["Request timed out.", "<html>502 Bad Gateway", "it timed out", "42"])
    assert found == ["timeout", "error", "ok", "ok"]


def test_an_answer_that_a_filter_or_an_error_ended_is_unscored():
    frame = pd.DataFrame(
        {
            "length": 4096,
            "score": [1, 0, 0, 0],
            "Finish Reason": ["stop", "content_filter", "error", None],
        }
    )
    with pytest.warns(UserWarning, match="no score"):
        trials = Trials.from_frame(frame)
    assert trials.frame["status"].tolist() == ["ok", "refused", "error", "ok"]


def test_answers_that_were_cut_stay_scored_and_are_counted_by_length():
    reasons = ["stop", "length", "max_tokens", "length", "content_filter"]
    frame = pd.DataFrame(
        {"length": [4096, 4096, 8192, 8192, 8192], "score": 0, "finish_reason": reasons}
    )
    with pytest.warns(UserWarning, match="most tokens an answer") as caught:
        trials = Trials.from_frame(frame)
    assert trials.n_scored == 4
    (said,) = (str(w.message) for w in caught if "most tokens" in str(w.message))
    assert said.startswith("3 scored answers of 4 ended")
    assert "1 at 4096, 2 at 8192" in said
    assert said.endswith("let answers be longer and run these again")


def test_a_column_of_fractions_is_a_measure_and_no_error():
    assert statuses(error=[0.8, 0.0]) == ["ok", "ok"]
    frame = pd.DataFrame({"length": [4096] * 2, "score": [0, 1], "error": [0.8, 0.0]})
    notices = Trials.from_frame(frame).notices
    assert any("error holds fractions and was taken for a measure" in n.message for n in notices)
    assert statuses(error=["0.8", "boom", ""]) == ["error", "error", "ok"]
    assert statuses(error=[1, 503, 0]) == ["error", "error", "ok"]


@pytest.mark.parametrize("word", ["no", "No error", "n/a", "-", "ok", "success", False, "none"])
def test_words_for_no_error_are_none(word):
    assert statuses(error=[word, word]) == ["ok", "ok"]


@pytest.mark.parametrize("reason", [["content_filter"], "['content_filter']", ["stop", "error"]])
def test_reasons_in_a_list_are_reasons(reason):
    assert statuses(finish_reason=[reason, ["stop"]])[0] in ("refused", "error")


def test_cut_answers_in_lists_are_counted():
    frame = pd.DataFrame({"length": [4096] * 2, "score": [0, 1]})
    frame["finish_reason"] = [["length"], ["stop"]]
    (said,) = (n.message for n in Trials.from_frame(frame).notices if n.code == "answers-cut")
    assert said.startswith("1 scored answer of 2")
