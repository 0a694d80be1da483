"""EvalScope's reviews: metrics, failed scores, groups as repeats, needles and MRCR."""

import json

import pytest

from lcstats.errors import FormatError, OptionError, TableError
from lcstats.readers import read_trials

pytestmark = pytest.mark.filterwarnings("ignore::lcstats.errors.LcstatsWarning")

NEEDLE = {"context": "x" * 500, "context_length": 8000, "depth_percent": 33}


def review(index=0, value=None, metadata=NEEDLE, *, main=None, status="success", **changes):
    speed = {"input_tokens": 7900, "latency": 4.5, "ttft": 0.5, "output_tokens": 9}
    answer = {"role": "assistant", "content": "x", "model": "qwen-x", "perf_metrics": speed}
    score = {"value": {"acc": 0.7} if value is None else value, "prediction": "a sandwich"}
    score |= {"status": status, "main_score_name": main, "explanation": None}
    about = {"score": score, "sample_id": index, "group_id": index, "sample_metadata": metadata}
    return {
        "index": index,
        "target": ["sandwich"],
        "messages": [{"role": "user", "content": "long"}, answer],
        "sample_score": about | changes,
    }


def binned(bin_index, tokens):
    """Return a review of MRCR whose prompt had so many tokens."""
    place = {"desired_msg_index": 3, "total_messages": 9, "n_needles": 2, "bin_index": bin_index}
    row = review(0, {"mrcr_score": 0.7}, place)
    row["messages"][-1]["perf_metrics"]["input_tokens"] = tokens
    return row


@pytest.fixture
def write(tmp_path):
    folder = tmp_path / "reviews" / "qwen-folder"
    folder.mkdir(parents=True)

    def write(*rows, name="needle_haystack_english"):
        path = folder / f"{name}.jsonl"
        path.write_text("\n".join(map(json.dumps, rows)) + "\n")
        return path

    return write


def test_fields(write):
    trials = read_trials(write(review()))
    assert trials.reading.format == "evalscope"
    (row,) = trials.frame.to_dict("records")
    expected = {
        "model": "qwen-x",
        "task": "needle_haystack_english",
        "case": "0",
        "repeat": 1,
        "length": 8000,
        "depth": 0.33,
        "score": 0.7,
        "status": "ok",
        "tokens_received": 7900,
        "latency_s": 4.5,
        "ttft_s": 0.5,
        "output": "a sandwich",
    }
    assert {name: row[name] for name in expected} == expected
    assert "metadata_context" not in row


def test_depths_of_0_and_1_are_percentages(write):
    rows = [
        review(0, metadata=NEEDLE | {"depth_percent": 0}),
        review(1, metadata=NEEDLE | {"depth_percent": 1}),
    ]
    assert read_trials(write(*rows)).frame["depth"].tolist() == [0, 0.01]


def test_scores_that_failed_are_unscored(write):
    trials = read_trials(
        write(review(0), review(1, {}, status="error"), review(2, {}, status=None))
    )
    assert trials.frame["status"].tolist() == ["ok", "error", "unparsed"]


def test_the_main_metric_is_taken_and_several_are_asked_about(write):
    values = {"f1": 0.2, "em": 1.0}
    assert read_trials(write(review(value=values, main="em"))).frame["score"].tolist() == [1]
    assert read_trials(write(review(value=values | {"acc": 0.5}))).frame["score"].tolist() == [0.5]
    path = write(review(0, values), review(1, {}, status="error"))
    with pytest.raises(OptionError, match=r"f1, em.*--filter f1"):
        read_trials(path)
    trials = read_trials(path, filter_name="em")
    assert trials.frame["status"].tolist() == ["ok", "error"]


def test_answers_of_a_group_are_repeats(write):
    rows = [review(0), review(1, {"acc": 0.0}, group_id=0), review(2), review(3, group_id=2)]
    trials = read_trials(write(*rows))
    assert trials.frame["repeat"].tolist() == [1, 2, 1, 2]
    assert trials.n_cases == 2


def test_the_folder_names_the_language_model_where_no_message_does(write):
    row = review()
    row["messages"] = []
    trials = read_trials(write(row))
    assert trials.models == ("qwen-folder",)
    assert "model-from-folder" in {notice.code for notice in trials.notices}


def test_mrcr_has_bins_and_a_task_for_each_number_of_needles(write):
    place = {"desired_msg_index": 721, "total_messages": 772, "bin_index": 5, "n_chars": 708925}
    rows = [
        review(0, {"mrcr_score": 0.41}, place | {"n_needles": 2, "raw_input_tok_cnt": 146252}),
        review(1, {"mrcr_score": 0.9}, place | {"n_needles": 8, "raw_input_tok_cnt": 146252}),
    ]
    trials = read_trials(write(*rows, name="openai_mrcr_default"))
    assert trials.tasks == ("openai_mrcr_default_2needle", "openai_mrcr_default_8needle")
    assert trials.frame["length"].tolist() == [262144] * 2
    assert trials.frame["depth"].isna().all()
    assert trials.frame["answer_position"].tolist() == pytest.approx([721 / 772] * 2)
    assert trials.frame["answer_tenth"].tolist() == [0.95] * 2
    assert "no-depths" in {notice.code for notice in trials.notices}
    assert trials.frame["score"].tolist() == [0.41, 0.9]
    assert "n_needles" not in trials.frame


def test_predictions_are_left_out_or_refused(write):
    prediction = {"index": 0, "model": "qwen-x", "model_output": {}}
    reviews = write(review())
    predictions = write(prediction, name="predictions")
    assert read_trials([reviews, predictions]).n_trials == 1
    with pytest.raises(FormatError, match=r"without scores.*read the folder reviews/"):
        read_trials(predictions)


def test_published_reviews_have_no_length(real_data):
    folder = real_data / "evalscope"
    with pytest.raises(TableError, match=r"no column for length.*metadata_level"):
        read_trials(folder)
    trials = read_trials(folder, columns={"length": "metadata_level"})
    assert trials.frame["score"].tolist() == [1, 1, 1]
    assert trials.models == ("qwen3-max",)
    assert trials.frame["case"].tolist() == ["0", "7", "8"]
    assert "unjudged-files" in {notice.code for notice in trials.notices}


@pytest.mark.parametrize(("bin_index", "tokens", "length"), [(0, 4200, 8192), (1, 8300, 16384)])
def test_prompts_in_the_lower_part_of_their_bin_are_whole(write, bin_index, tokens, length):
    trials = read_trials(write(binned(bin_index, tokens), name="openai_mrcr_default"))
    assert trials.frame[["length", "score", "status"]].values.tolist() == [[length, 0.7, "ok"]]
    assert trials.frame["input_tokens"].tolist() == [tokens]
    assert "below-bin" not in {notice.code for notice in trials.notices}


def test_prompts_shorter_than_their_bin_begins_are_said(write):
    rows = [binned(0, 4200), binned(3, 16000) | {"index": 1}]
    trials = read_trials(write(*rows, name="openai_mrcr_default"))
    (notice,) = (notice for notice in trials.notices if notice.code == "below-bin")
    assert "1 trial received well below the tokens that their bin begins with" in notice.message
    assert "smallest share 0.488" in notice.message


def test_runs_in_several_folders_are_repeats_and_copies_are_one(tmp_path):
    for run, score in (("t1", 0.4), ("t2", 1.0), ("t3", 1.0)):
        folder = tmp_path / run / "reviews" / "qwen"
        folder.mkdir(parents=True)
        rows = [review(0, {"acc": score}), review(0, {"acc": score}, sample_id=1)]
        text = "\n".join(map(json.dumps, rows))
        (folder / "needle_haystack_english.jsonl").write_text(text)
    trials = read_trials(tmp_path)
    assert trials.frame["repeat"].tolist() == [1, 2, 3, 4]
    assert trials.n_cases == 1
    assert trials.frame["score"].mean() == pytest.approx(0.7)
    assert "several-runs" in {notice.code for notice in trials.notices}


def test_a_file_of_several_metrics_is_one_file(write):
    values = {"f1": 0.2, "em": 1.0}
    folder = write(review(0, values), name="a").parent
    write(review(0, values), name="b")
    with pytest.raises(OptionError, match="and 1 more: the filters are f1, em"):
        read_trials(folder)
