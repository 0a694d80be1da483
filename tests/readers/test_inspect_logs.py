"""Inspect's logs: archives and JSON, epochs, several scorers, errors and NaN unscored."""

import copy
import json

import pandas as pd
import pytest

from lcstats.cells import count_cells
from lcstats.errors import FormatError, OptionError, TableError
from lcstats.readers import read_trials

pytestmark = pytest.mark.filterwarnings("ignore::lcstats.errors.LcstatsWarning")

JUDGE = "custom_model_graded_qa_with_history_scorer"
SAMPLE = {
    "id": "niah_1",
    "epoch": 1,
    "input": "long",
    "target": "eat a sandwich",
    "messages": [{"role": "user", "content": "long"}],
    "output": {"completion": "a sandwich", "usage": {"input_tokens": 2040, "output_tokens": 5}},
    "scores": {"judge": {"value": "10", "answer": "a sandwich"}},
    "metadata": {
        "target_context_length": 2000,
        "target_position": 28,
        "position": 577,
        "run": 0,
        "all_target_positions": [0, 28],
    },
    "total_time": 1.5,
    "uuid": "u1",
}
HEADER = {
    "version": 2,
    "status": "success",
    "eval": {
        "eval_id": "e1",
        "task": "niah",
        "task_id": "t1",
        "model": "openai/gpt-x",
        "dataset": {"samples": 3},
        "config": {"epochs": 1},
        "scorers": [{"name": "judge"}],
    },
}


def sample(number=1, **changes):
    return {**copy.deepcopy(SAMPLE), "id": f"niah_{number}", "uuid": f"u{number}", **changes}


def scored(value, number=1, **changes):
    return sample(number, scores={"judge": {"value": value}}, **changes)


def log(*samples, status="success", **header):
    return {**HEADER, "status": status, "eval": {**HEADER["eval"], **header}, "samples": samples}


@pytest.fixture
def write(tmp_path):
    """Write logs as JSON, and return their folder."""

    def write(*logs):
        for number, document in enumerate(logs):
            (tmp_path / f"{number}.json").write_text(json.dumps(document, indent=2))
        return tmp_path

    return write


def archive_of(document):
    """Return the members of the archive that holds a log."""
    members = {"_journal/start.json": document | {"samples": None}}
    for item in document["samples"]:
        members[f"samples/{item['id']}_epoch_{item['epoch']}.json"] = item
    members["summaries.json"] = [{"id": item["id"]} for item in document["samples"]]
    members["header.json"] = {k: v for k, v in document.items() if k != "samples"}
    return {name: json.dumps(member).encode() for name, member in members.items()}


def test_fields(write):
    trials = read_trials(write(log(sample())), score_threshold=7)
    assert trials.reading.format == "inspect"
    (row,) = trials.frame.to_dict("records")
    expected = {
        "model": "openai/gpt-x",
        "task": "niah",
        "case": "niah_1",
        "repeat": 1,
        "length": 2000,
        "depth": 0.28,
        "score": 1.0,
        "status": "ok",
        "tokens_received": 2040,
        "output": "a sandwich",
        "latency_s": 1.5,
        "metadata_position": 577,
    }
    assert {name: row[name] for name in expected} == expected
    assert "metadata_all_target_positions" not in row
    assert "guess_rate" not in row


def test_an_archive_gives_what_the_json_log_gives(write, tmp_path, zip_zstd):
    document = log(sample(), scored("3", 2), scored(float("nan"), 3))
    from_json = read_trials(write(document), score_threshold=7)
    path = tmp_path / "run.eval"
    path.write_bytes(zip_zstd(archive_of(document)))
    from_archive = read_trials(path, score_threshold=7)
    pd.testing.assert_frame_equal(from_archive.frame, from_json.frame)
    assert from_archive.reading.files == (str(path),)


def test_a_run_that_was_cut_off_has_samples_and_no_header(tmp_path, zip_zstd):
    members = archive_of(log(sample(), scored("3", 2), status="started"))
    del members["header.json"], members["summaries.json"]
    (tmp_path / "run.eval").write_bytes(zip_zstd(members))
    trials = read_trials(tmp_path, score_threshold=7)
    assert trials.n_scored == 2
    (notice,) = [notice for notice in trials.notices if notice.code == "unfinished-run"]
    assert "'started', and the log holds 2 of 3 samples" in notice.message


def test_an_archive_with_a_member_that_is_no_object_is_refused(tmp_path, zip_zstd):
    members = archive_of(log(sample())) | {"samples/x_epoch_1.json": b"[]"}
    (tmp_path / "run.eval").write_bytes(zip_zstd(members))
    with pytest.raises(FormatError, match=r"run\.eval cannot be decompressed: .*copy it again"):
        read_trials(tmp_path)


@pytest.mark.parametrize(
    ("value", "score"),
    [("C", 1), ("I", 0), ("P", 0.5), ("N", 0), (True, 1), (0.25, 0.25), ("0.5", 0.5), (1, 1)],
)
def test_values_of_all_kinds(write, value, score):
    assert read_trials(write(log(scored(value)))).frame["score"].tolist() == [score]


def test_words_that_are_no_scores_are_refused_by_their_place(write):
    with pytest.raises(TableError, match=r"sample 2: score is 'maybe'.*mend the value"):
        read_trials(write(log(scored("C"), scored("maybe", 2))))


def test_marks_without_a_meaning_are_asked_about(write):
    with pytest.raises(TableError, match="--score-threshold 7"):
        read_trials(write(log(scored("3"), scored("7", 2))))


def test_errors_nan_and_lists_are_unscored(write):
    error = sample(2, scores={}, error={"message": "context window exceeded"}, output={})
    old_error = sample(4, scores=None, error={"message": "boom"}, output=None)
    trials = read_trials(
        write(log(sample(), error, scored(float("nan"), 3), old_error, scored([1, 0], 5))),
        score_threshold=7,
    )
    assert trials.frame["status"].tolist() == ["ok", "error", "unparsed", "error", "unparsed"]
    assert trials.n_scored == 1
    assert trials.frame["error"].tolist()[1] == "context window exceeded"


@pytest.mark.parametrize(
    ("limit", "status"),
    [("token", "budget_exhausted"), ("time", "timeout"), ("context", "context_exceeded")],
)
def test_a_limit_before_scoring_leaves_a_sample_unscored(write, limit, status):
    stopped = sample(2, scores={}, limit={"type": limit, "limit": 10})
    stopped_and_scored = sample(3, limit={"type": limit, "limit": 10})
    trials = read_trials(write(log(sample(), stopped, stopped_and_scored)), score_threshold=7)
    assert trials.frame["status"].tolist() == ["ok", status, "ok"]


def test_epochs_are_repeats_and_fold(write):
    trials = read_trials(write(log(scored("C"), scored("I", epoch=2, uuid="u2"))))
    assert trials.frame["repeat"].tolist() == [1, 2]
    assert trials.n_cases == 1
    assert count_cells(trials).grid.n_cases.sum() == 1


def test_several_scorers_are_asked_about_and_errors_count_for_each(write):
    both = {"judge": {"value": "C"}, "includes": {"value": "I"}}
    parts = {"judge": {"value": "I"}, "includes": {"value": {"a": 1, "b": 0}}}
    failed = sample(3, scores={}, error={"message": "boom"})
    folder = write(log(sample(scores=both), sample(2, scores=parts), failed))
    with pytest.raises(OptionError, match=r"judge, includes, includes/a, .*--filter judge"):
        read_trials(folder)
    trials = read_trials(folder, filter_name="judge")
    assert trials.frame["status"].tolist() == ["ok", "ok", "error"]
    assert trials.frame["score"].tolist()[:2] == [1, 0]
    assert read_trials(folder, filter_name="includes/b").frame["score"].sum() == 0


def test_a_run_that_is_there_twice_is_read_once(write, tmp_path, zip_zstd):
    document = log(sample(), scored("3", 2))
    folder = write(document)
    (tmp_path / "run.eval").write_bytes(zip_zstd(archive_of(document)))
    trials = read_trials(folder, score_threshold=7)
    assert trials.n_trials == 2
    assert "same-run" in {notice.code for notice in trials.notices}


def test_a_retried_run_gives_way_and_another_run_repeats(write):
    failed = sample(2, scores={}, error={"message": "boom"}, uuid="u2")
    first = log(scored("C"), failed, status="error")
    retried = log(scored("C"), scored("I", 2, uuid="u9"), eval_id="e2")
    trials = read_trials(write(first, retried))
    assert trials.frame["status"].tolist() == ["ok", "ok"]
    other = log(scored("I", uuid="v1"), scored("I", 2, uuid="v2"), eval_id="e3", task_id="t2")
    trials = read_trials(write(first, retried, other))
    assert trials.frame.groupby("case")["repeat"].apply(sorted).tolist() == [[1, 2], [1, 2]]
    assert "several-runs" in {notice.code for notice in trials.notices}


def test_metadata_of_other_tasks(write):
    places = {"context_length": 2048, "depth": 0.5, "tokens": 4000}
    trials = read_trials(write(log(scored("C", metadata=places))))
    assert trials.frame[["length", "depth"]].values.tolist() == [[2048, 0.5]]
    named = read_trials(
        write(log(scored("C", metadata={"tokens": 2000}))), columns={"length": "metadata_tokens"}
    )
    assert named.frame["length"].tolist() == [2000]
    with pytest.raises(TableError, match=r"metadata_tokens.*--map length=THEIRS"):
        read_trials(write(log(scored("C", metadata={"tokens": 4000}))))


def test_choices_are_guessed(write):
    trials = read_trials(write(log(scored("C", choices=["a", "b", "c", "d"]))))
    assert trials.frame["guess_rate"].tolist() == [0.25]


def test_the_mock_language_model_counts_no_tokens(write):
    trials = read_trials(write(log(sample(), model="mockllm/model")), score_threshold=7)
    assert "tokens_received" not in trials.frame


def test_a_log_without_samples_is_refused(write):
    with pytest.raises(FormatError, match=r"holds no samples.*--no-log-samples"):
        read_trials(write(log()))


def test_logs_without_samples_are_left_out_beside_others(write):
    trials = read_trials(write(log(), log(scored("C"), eval_id="e2")))
    assert trials.n_trials == 1
    assert "empty-files" in {notice.code for notice in trials.notices}


def test_the_archive_of_the_real_writer(real_data):
    (path,) = (real_data / "inspect" / "generated").glob("*.eval")
    with pytest.raises(OptionError, match=f"--filter {JUDGE}"):
        read_trials(path)
    trials = read_trials(path, score_threshold=7, filter_name=JUDGE)
    assert (trials.n_trials, trials.n_scored, trials.n_cases) == (60, 56, 30)
    assert trials.frame["status"].value_counts().to_dict() == {"ok": 56, "error": 2, "unparsed": 2}
    grid = count_cells(trials).grid
    assert grid.lengths.tolist() == [2000, 4000, 8000]
    assert grid.depths.tolist() == [0, 0.25, 0.5, 0.75, 1]
    assert grid.n_cases.sum(axis=1).tolist() == [10, 10, 8]
    assert (grid.successes.sum(axis=1) / grid.n_cases.sum(axis=1)).tolist() == [1, 1, 0.5]


def test_counts_agree_with_those_of_inspect(real_data):
    """The header says .551724 of 58 samples for one scorer, a mean of 9 of 28 ids for the other."""
    (path,) = (real_data / "inspect" / "generated").glob("*.eval")
    includes = read_trials(path, filter_name="includes").frame["score"]
    assert (includes.count(), includes.mean()) == (58, pytest.approx(0.5517241379310345))
    judged = read_trials(path, filter_name=JUDGE, score_scale="1-10").frame
    by_case = judged.groupby("case")["score"].mean().dropna()
    assert (len(by_case), 1 + 9 * by_case.mean()) == (28, pytest.approx(9))


def test_the_json_log_of_the_real_writer(real_data):
    (path,) = (real_data / "inspect" / "generated").glob("*.json")
    trials = read_trials(path, score_threshold=7, filter_name=JUDGE)
    assert (trials.n_trials, trials.n_scored, trials.n_cases) == (30, 28, 30)
    assert trials.frame["status"].value_counts().to_dict() == {"ok": 28, "error": 1, "unparsed": 1}
    assert trials.models == ("mockllm/model",)


def test_a_folder_of_runs(real_data):
    trials = read_trials(real_data / "inspect" / "generated", score_threshold=7, filter_name=JUDGE)
    assert (trials.n_trials, trials.n_cases) == (90, 30)
    assert set(trials.frame["repeat"]) == {1, 2, 3}
