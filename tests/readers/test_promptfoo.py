"""Results of promptfoo: variables as lengths and depths, failed requests, tests without a verdict.

``written/promptfoo.json.gz`` is what promptfoo 0.121.20 itself wrote: two providers of one stub
language model, a sweep of 1000, 4000 and 16000 tokens by the depths 0 and 50 with ``--repeat 2``,
and a test of two assertions. The stub answers rightly up to its bar, throws once at the bar, and
answers prompts of more than four times the bar with an error. promptfoo counted 4 passed, 6 failed
and 4 errors for the short one, 6 passed, 6 failed and 2 errors for the long one.
"""

import gzip
import json
from pathlib import Path

import pytest

from lcstats.errors import FormatError, TableError
from lcstats.readers import read_trials

pytestmark = pytest.mark.filterwarnings("ignore::lcstats.errors.LcstatsWarning")

WRITTEN = Path(__file__).parent / "written" / "promptfoo.json.gz"
COUNTED = {"stub-short": (4, 6, 4), "stub-long": (6, 6, 2)}
"""What promptfoo counted for each provider: passes, failures, errors."""


def result(**changes):
    row = {
        "id": None,
        "provider": {"id": "openai:gpt-x", "label": ""},
        "prompt": {"raw": "Find it in {{text}}", "label": "Find it in {{text}}"},
        "promptIdx": 0,
        "testIdx": 0,
        "testCase": {"vars": {}, "assert": [{"type": "icontains"}]},
        "vars": {"context_length": 4000, "depth_percent": 50, "text": "x" * 999, "colour": "red"},
        "success": True,
        "score": 1,
        "failureReason": 0,
        "gradingResult": {"pass": True, "score": 1, "reason": "All assertions passed"},
        "response": {"output": "red", "tokenUsage": {"prompt": 3990}},
        "latencyMs": 1500,
    }
    return row | changes


@pytest.fixture
def write(tmp_path):
    """Write results into a file, one per line, or as they are in a file of one object."""

    def write(*rows, name="out.jsonl", **document):
        path = tmp_path / name
        lines = "\n".join(map(json.dumps, rows)) + "\n"
        path.write_text(json.dumps(document, indent=2) if document else lines)
        return path

    return write


def codes(trials):
    return {notice.code for notice in trials.notices}


def test_fields(write):
    trials = read_trials(write(result(), result(score=0, success=False, failureReason=1)))
    assert trials.reading.format == "promptfoo"
    first, second = trials.frame.to_dict("records")
    expected = {
        "model": "openai:gpt-x",
        "task": "default",
        "repeat": 1,
        "length": 4000,
        "depth": 0.5,
        "score": 1,
        "status": "ok",
        "tokens_received": 3990,
        "latency_s": 1.5,
        "output": "red",
        "colour": "red",
        "success": True,
    }
    assert {name: first[name] for name in expected} == expected
    assert (second["score"], second["repeat"]) == (0, 2)
    assert not {"text", "vars", "testCase"} & first.keys()


@pytest.mark.parametrize("is_nested", [True, False], ids=["now", "old"])
def test_a_file_of_one_object(write, is_nested):
    rows = [result(testIdx=number) for number in range(2)]
    inner = {"version": 3, "results": rows, "stats": {}} if is_nested else rows
    trials = read_trials(write(name="out.json", evalId="e", results=inner))
    assert trials.frame["repeat"].tolist() == [1, 2]
    assert trials.n_cases == 1


def test_counts_agree_with_those_of_promptfoo():
    trials = read_trials(WRITTEN, columns={"score": "success"})
    frame = trials.frame
    for model, (n_passed, n_failed, n_errors) in COUNTED.items():
        mine = frame[frame["model"] == model]
        assert (mine["score"] == 1).sum() == n_passed
        assert (mine["score"] == 0).sum() == n_failed
        assert mine["score"].isna().sum() == n_errors
    assert set(frame["repeat"]) == {1, 2}
    assert frame.groupby(["model", "case", "length", "depth"]).size().eq(2).all()


def test_what_promptfoo_wrote():
    trials = read_trials(WRITTEN)
    frame = trials.frame
    assert frame["status"].value_counts().to_dict() == {
        "ok": 22,
        "context_exceeded": 4,
        "error": 2,
    }
    right = frame.groupby(["model", "length"])["score"].sum()
    assert right["stub-short"].tolist() == [4, 1, 0]
    assert right["stub-long"].tolist() == [4, 3, 0]
    assert set(frame["depth"]) == {0, 0.5, 1}
    assert {"n0", "n50"} < set(frame["case"])
    assert "graded-scores" in codes(trials)


def test_a_run_in_two_files_is_read_once(tmp_path):
    document = json.loads(gzip.decompress(WRITTEN.read_bytes()))
    rows = document["results"]["results"]
    (tmp_path / "out.json").write_text(json.dumps(document, indent=2))
    (tmp_path / "out.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    trials = read_trials(tmp_path)
    assert trials.n_trials == 28
    (notice,) = (notice for notice in trials.notices if notice.code == "same-run")
    assert "28 results left out: an earlier one has the same id" in notice.message
    assert trials.frame.equals(read_trials(WRITTEN).frame)


def test_failed_requests_are_no_wrong_answers(write):
    failed = {"success": False, "score": 0, "gradingResult": None, "response": {}}
    rows = [
        result(),
        result(**failed, failureReason=2, error="Rate limit reached", vars={"length": 8}),
        result(**failed, failureReason=2, error="Error: boom\n at RateLimiter", vars={"length": 9}),
        result(**failed, failureReason=None, error="socket hang up", vars={"length": 10}),
    ]
    rows[0]["vars"] = {"length": 7}
    trials = read_trials(write(*rows))
    assert trials.frame["status"].tolist() == ["ok", "rate_limited", "error", "error"]
    assert trials.frame["score"].isna().tolist() == [False, True, True, True]


def test_what_was_not_judged_is_unscored(write):
    reasons = [
        {"reason": "No assertions", "pass": True},
        {"reason": "odd", "componentResults": [{"metadata": {"graderError": True}}]},
        {"reason": "Custom function threw error: x is not defined", "componentResults": [None]},
    ]
    rows = [result(gradingResult=grading, testIdx=i) for i, grading in enumerate(reasons)]
    trials = read_trials(write(result(testIdx=9), *rows))
    assert trials.frame["status"].tolist() == ["ok", "unparsed", "unparsed", "unparsed"]
    (notice,) = (notice for notice in trials.notices if notice.code == "not-judged")
    assert "3 results without assertions, or whose grader failed" in notice.message


def test_gradings_of_another_kind_are_verdicts_all_the_same(write):
    rows = [
        result(testIdx=i, gradingResult=g)
        for i, g in enumerate([{"componentResults": True}, "passed", {"reason": 7}])
    ]
    assert read_trials(write(*rows)).frame["status"].tolist() == ["ok"] * 3


def test_graded_scores_stay_graded_and_the_verdict_can_be_taken(write):
    path = write(result(score=0.5, success=False), result(score=0.8, testIdx=1))
    trials = read_trials(path)
    assert trials.frame["score"].tolist() == [0.5, 0.8]
    (notice,) = (notice for notice in trials.notices if notice.code == "graded-scores")
    assert "--map score=success" in notice.message
    verdicts = read_trials(path, columns={"score": "success"})
    assert verdicts.frame["score"].tolist() == [0, 1]
    assert "graded-scores" not in codes(verdicts)


def test_several_prompts_are_tasks_of_their_own(write):
    prompts = [{"label": "plain"}, {"raw": "r" * 500}, {"label": "plain"}]
    trials = read_trials(write(*(result(prompt=p, testIdx=i) for i, p in enumerate(prompts))))
    assert trials.tasks[0] == "plain" or trials.tasks[1] == "plain"
    assert len(trials.tasks) == 2
    assert max(map(len, trials.tasks)) < 90
    assert sorted(trials.frame["repeat"]) == [1, 1, 2]


def test_metadata_say_what_variables_do_not(write):
    row = result(vars={"depth": 0.25, "score": 3})
    row["testCase"] = {"metadata": {"context_length": 4096, "depth": 0.75, "item": "a"}}
    trials = read_trials(write(row, row | {"testIdx": 1}))
    (depth,) = set(trials.frame["depth"])
    assert (trials.frame["length"][0], depth, trials.frame["case"][0]) == (4096, 0.25, "a")
    assert trials.frame["var_score"].tolist() == [3, 3]


def test_tests_without_the_variable_of_the_case_keep_one(write):
    rows = [result(), result(vars={"context_length": 4000, "item": "a"}, testIdx=1)]
    cases = read_trials(write(*rows)).frame["case"].tolist()
    assert cases[1] == "a"
    assert len(cases[0]) == 8


def test_a_variable_of_any_name_is_the_length_on_request(write):
    row = result(vars={"n": 4000})
    with pytest.raises(TableError, match=r"no column for length.*--map length=THEIRS"):
        read_trials(write(row))
    assert read_trials(write(row), columns={"length": "n"}).frame["length"].tolist() == [4000]


def test_answers_from_the_cache_have_no_duration(write):
    cached = {"output": {"number": 7}, "cached": True, "tokenUsage": {"prompt": 0, "cached": 9}}
    frame = read_trials(write(result(response=cached), result(testIdx=1))).frame
    assert frame["latency_s"].isna().tolist() == [True, False]
    assert frame["output"].tolist() == ['{"number": 7}', "red"]


def test_a_file_without_results_is_refused(write):
    path = write(name="out.json", evalId="e", results={"results": [], "stats": {}})
    with pytest.raises(FormatError, match=r"holds no results.*run promptfoo eval -o again"):
        read_trials(path, format="promptfoo")


def test_scores_run_from_0_to_1(write):
    trials = read_trials(write(result(), result(testIdx=1, vars={"context_length": 2000})))
    assert trials.frame["score"].tolist() == [1, 1]
    assert "score-scale-unclear" not in codes(trials)
    with pytest.raises(TableError, match=r"score is 7; expected a score from 0 to 1.*score_scale"):
        read_trials(write(result(score=7)))


def test_a_judges_mark_in_another_column_has_its_own_scale(write):
    rows = [result(vars={"context_length": 400 * n, "mark": n}) for n in (1, 10)]
    trials = read_trials(write(*rows), columns={"score": "mark"}, score_scale="1-10")
    assert trials.frame["score"].tolist() == [0, 1]
    undeclared = read_trials(write(*rows), columns={"score": "mark"})
    assert "score-scale" in codes(undeclared)
