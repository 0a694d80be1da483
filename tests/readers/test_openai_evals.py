"""Records of OpenAI's evals: events of samples, whose matches or metrics are scores.

The events are as the recorder of evals 3.0.1 itself writes them (``LocalRecorder``), with other
ids and times.
"""

import json

import pytest

from lcstats.errors import FormatError, TableError
from lcstats.readers import read_trials
from lcstats.readers.sources import SMALL

pytestmark = pytest.mark.filterwarnings("ignore::lcstats.errors.LcstatsWarning")

RUN = "2611301036392XJNJMLI"
SPEC = {
    "completion_fns": ["gpt-x"],
    "eval_name": "niah.test.v1",
    "base_eval": "niah",
    "split": "test",
    "run_config": {"completion_fns": ["gpt-x"], "seed": 1, "max_samples": None},
    "created_by": "me",
    "run_id": RUN,
    "created_at": "2026-11-30 10:36:39.474243",
}
REPORT = {"final_report": {"accuracy": 0.5}, "run_id": RUN}


def event(number, sample, kind, **data):
    return {
        "run_id": RUN,
        "event_id": number,
        "sample_id": f"niah.test.{sample}",
        "type": kind,
        "data": data,
        "created_by": "me",
        "created_at": "2026-11-30 10:36:39.802678+00:00",
    }


def match(number, sample, correct, **extra):
    picked = {"expected": "needle", "picked": "needle" if correct else None}
    return event(number, sample, "match", correct=correct, **picked, **extra)


@pytest.fixture
def write(tmp_path):
    def write(*events, spec=SPEC, report=REPORT, name="run.jsonl"):
        lines = [*[{"spec": spec}] * bool(spec), *events, *[report] * bool(report)]
        path = tmp_path / name
        path.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
        return path

    return write


def codes(trials):
    return {notice.code for notice in trials.notices}


def test_fields(write):
    asked = event(0, 0, "sampling", prompt="p", sampled=["a needle"], usage={"prompt_tokens": 997})
    graded = event(2, 0, "sampling", prompt="right?", sampled=["Yes"])
    found = match(1, 0, True, context_length=1000, depth_percent=50, note="n", options=["x"])
    trials = read_trials(write(asked, found, graded))
    assert trials.reading.format == "openai_evals"
    (row,) = trials.frame.to_dict("records")
    expected = {
        "model": "gpt-x",
        "task": "niah.test.v1",
        "case": "niah.test.0",
        "repeat": 1,
        "length": 1000,
        "depth": 0.5,
        "score": 1,
        "status": "ok",
        "tokens_received": 997,
        "output": "a needle",
        "note": "n",
    }
    assert {name: row[name] for name in expected} == expected
    assert not {"expected", "picked", "options"} & row.keys()
    assert "unfinished-run" not in codes(trials)


def test_the_share_of_matches_is_that_of_the_report(write):
    matches = [match(i, i, i < 6, context_length=1000 * 4 ** (i // 3)) for i in range(9)]
    trials = read_trials(write(*matches, report={"final_report": {"accuracy": 6 / 9}}))
    assert trials.frame["score"].mean() == pytest.approx(6 / 9)
    assert trials.frame.groupby("length")["score"].sum().tolist() == [3, 3, 0]


def test_metrics_are_scores_where_there_is_no_match(write):
    rows = [event(i, i, "metrics", score=i / 4, context_length=8000) for i in range(3)]
    trials = read_trials(write(*rows))
    assert trials.frame["score"].tolist() == [0, 0.25, 0.5]
    assert set(trials.frame["length"]) == {8000}


def test_of_several_metrics_accuracy_is_the_score(write):
    row = event(0, 0, "metrics", f1_score=0.4, accuracy=1.0, context_length=8000)
    trials = read_trials(write(row))
    assert trials.frame[["score", "metrics_f1_score"]].values.tolist() == [[1.0, 0.4]]


def test_other_metrics_are_asked_about(write):
    path = write(event(0, 0, "metrics", f1=0.4, rouge=0.7, context_length=8000))
    with pytest.raises(TableError, match=r"metrics_f1, metrics_rouge.*--map score=THEIRS"):
        read_trials(path)
    assert read_trials(path, columns={"score": "metrics_f1"}).frame["score"].tolist() == [0.4]


def test_lengths_of_raw_samples_and_extra_events(write):
    raw = event(0, 0, "raw_sample", input="q", context_length=4000)
    extra = event(1, 0, "extra", depth=0.25)
    trials = read_trials(write(raw, extra, match(2, 0, True)))
    assert trials.frame[["length", "depth"]].values.tolist() == [[4000, 0.25]]


def test_samples_that_failed_are_unscored_where_their_length_is_known(write):
    failed = event(1, 1, "error", type="RateLimitError", message="slow down")
    raw = event(0, 1, "raw_sample", context_length=4000)
    trials = read_trials(write(raw, failed, match(2, 0, True, context_length=4000)))
    assert sorted(trials.frame["status"]) == ["ok", "rate_limited"]


def test_another_run_knows_the_length_of_a_sample_that_failed(write):
    failed = event(0, 0, "error", type="Timeout", message="timed out")
    other = {**match(0, 0, True, context_length=4000), "run_id": "B"}
    first = write(failed, match(1, 1, True, context_length=8000))
    second = write(other, spec=SPEC | {"run_id": "B"}, name="b.jsonl", report=None)
    trials = read_trials([first, second])
    assert trials.frame["length"].tolist() == [4000, 8000, 4000]
    assert trials.frame["status"].tolist() == ["timeout", "ok", "ok"]
    assert trials.frame["repeat"].tolist() == [1, 1, 2]


def test_samples_that_failed_before_their_length_was_recorded_are_counted(write):
    failed = [event(i, i, "error", type="E", message="m") for i in (1, 2)]
    trials = read_trials(write(match(0, 0, True, context_length=4000), *failed))
    assert trials.n_trials == 1
    (notice,) = (notice for notice in trials.notices if notice.code == "length-unknown")
    assert "2 samples ended before context_length was recorded" in notice.message


def test_a_run_that_was_cut_off_is_told(write):
    trials = read_trials(write(match(0, 0, True, length=8), report=None))
    assert "unfinished-run" in codes(trials)


def test_a_sample_that_was_cut_off_before_its_match_is_left_out_and_counted(write):
    asked = event(1, 1, "sampling", prompt="p", sampled=["needle"])
    trials = read_trials(write(match(0, 0, True, context_length=4000), asked, report=None))
    assert trials.n_trials == 1
    assert {"unfinished-run", "length-unknown"} <= codes(trials)


def test_a_sample_that_was_cut_off_is_unscored_where_its_length_is_known(write):
    raw = event(1, 1, "raw_sample", context_length=8000)
    trials = read_trials(write(match(0, 0, True, context_length=4000), raw, report=None))
    assert trials.frame["status"].tolist() == ["ok", "unparsed"]


def test_matches_of_one_sample_are_trials_each(write):
    rows = [match(i, 0, i == 0, context_length=4000) for i in range(3)]
    trials = read_trials(write(*rows))
    assert trials.frame["repeat"].tolist() == [1, 2, 3]
    assert trials.n_cases == 1
    assert "several-matches" in codes(trials)


def test_a_record_that_was_copied_is_read_once(write):
    events = [match(i, i, True, context_length=4000) for i in range(2)]
    trials = read_trials([write(*events), write(*events, name="copy.jsonl")])
    assert trials.n_trials == 2
    (notice,) = (notice for notice in trials.notices if notice.code == "same-run")
    assert "2 events left out: an earlier one has the same run and id" in notice.message


def test_events_without_a_spec_have_no_language_model(write):
    trials = read_trials(write(match(0, 0, True, context_length=4000), spec=None))
    assert (trials.models, trials.tasks) == (("model",), ("default",))
    assert "model-unnamed" in codes(trials)


def test_prompts_of_megabytes_are_let_go(write):
    long = event(0, 0, "sampling", prompt="x" * SMALL, sampled="a")
    trials = read_trials(write(long, match(1, 0, True, context_length=4000)))
    assert trials.frame["output"].tolist() == ["a"]


def test_a_record_without_samples_is_refused(write):
    with pytest.raises(FormatError, match=r"no events of a sample.*beyond its first line"):
        read_trials(write())


@pytest.mark.parametrize("size", [1, SMALL])
def test_a_report_without_a_run_is_that_of_the_run_before_it(write, size):
    long = event(0, 0, "sampling", prompt="x" * size, sampled="a")
    report = {"final_report": {"accuracy": 1.0}}
    trials = read_trials(write(long, match(1, 0, True, context_length=4000), report=report))
    assert "unfinished-run" not in codes(trials)


def test_a_line_of_something_else_is_no_report(write):
    trials = read_trials(write(match(0, 0, True, length=8), report={"note": "x", "run_id": RUN}))
    assert "unfinished-run" in codes(trials)
