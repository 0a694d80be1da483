"""Samples of lm-evaluation-harness: each row's own length, filters, depths from the text."""

import json
import shutil

import pytest

from lcstats.cells import count_cells
from lcstats.errors import FormatError, OptionError, TableError
from lcstats.readers import read_trials
from lcstats.readers.sources import SMALL

pytestmark = pytest.mark.filterwarnings("ignore::lcstats.errors.LcstatsWarning")

TIME = "2026-11-30T00-58-39.989346"
PROMPT = "A special magic number is hidden within the following text. "
RESULTS = {
    "results": {},
    "configs": {},
    "versions": {},
    "n-shot": {},
    "model_name": "llama-3",
}


def row(doc_id=0, length=512, **changes):
    """Return a row of a RULER task whose prompt is as long as it says."""
    text = PROMPT + "x" * 40 + "7777777" + "x" * 93
    doc = {"index": doc_id, "input": text, "outputs": ["7777777"], "length": 500}
    doc |= {"max_length": length, "gen_prefix": "The number is"}
    scores = {"4096": -1.0, str(length): 1.0}
    return {
        "doc_id": doc_id,
        "doc": doc,
        "target": "['7777777']",
        "arguments": {"gen_args_0": {"arg_0": text}},
        "resps": [[" 7777777."]],
        "filtered_resps": [" 7777777."],
        "filter": "none",
        "metrics": [*scores],
        "doc_hash": "a",
        **scores,
    } | changes


def plain(doc_id=0, **changes):
    """Return a row of some other task, scored by acc."""
    return {
        "doc_id": doc_id,
        "doc": {"input": "x", "question": "Where?", "target": "kitchen"},
        "resps": [["kitchen"]],
        "filtered_resps": ["kitchen"],
        "filter": "none",
        "metrics": ["acc"],
        "acc": 1.0,
    } | changes


@pytest.fixture
def write(tmp_path):
    """Write the samples of a task, and of a results file where it is given, into a folder."""
    folder = tmp_path / "openai__gpt-x"
    folder.mkdir()

    def write(*rows, task="niah_single_1", results=None):
        path = folder / f"samples_{task}_{TIME}.jsonl"
        path.write_text("\n".join(map(json.dumps, rows)) + "\n")
        if results is not None:
            (folder / f"results_{TIME}.json").write_text(json.dumps(results, indent=2))
        return folder

    return write


def codes(trials):
    return {notice.code for notice in trials.notices}


def test_fields(write):
    trials = read_trials(write(row(), results=RESULTS))
    assert trials.reading.format == "lm_eval"
    (found,) = trials.frame.to_dict("records")
    expected = {
        "model": "llama-3",
        "task": "niah_single_1",
        "case": "0",
        "length": 512,
        "answer_position": 0.5,
        "answer_tenth": 0.55,
        "score": 1.0,
        "n_needles": 1,
        "n_found": 1,
        "output": " 7777777.",
        "doc_length": 500,
    }
    assert {name: found[name] for name in expected} == expected
    assert not {"4096", "512", "doc_input"} & found.keys()
    assert trials.frame["depth"].isna().all()
    (notice,) = (notice for notice in trials.notices if notice.code == "no-depths")
    assert "--map depth=answer_tenth" in notice.message


def test_other_lengths_are_never_scores(write):
    rows = [row(0, 512), row(1, 4096, **{"4096": 0.0}), row(2, 1024)]
    trials = read_trials(write(*rows))
    assert trials.frame[["length", "score"]].values.tolist() == [[512, 1], [4096, 0], [1024, 1]]


@pytest.mark.parametrize("scores", [{"512": -1.0}, {"512": None}], ids=["sentinel", "none"])
def test_a_row_without_its_own_score_is_unscored(write, scores):
    trials = read_trials(write(row(0), row(1, **scores)))
    assert trials.frame["status"].tolist() == ["ok", "unparsed"]


def test_several_filters_are_asked_about(write):
    strict = row(0, filter="strict") | {"512": 0.0}
    folder = write(strict, row(0, filter="flexible"))
    with pytest.raises(OptionError, match=r"strict, flexible.*--filter strict"):
        read_trials(folder)
    assert read_trials(folder, filter_name="flexible").frame["score"].tolist() == [1]


def test_files_that_were_appended_to_hold_rows_twice(write):
    trials = read_trials(write(row(0), row(1), row(0), row(1)))
    assert (trials.n_trials, trials.reading.n_duplicates) == (2, 2)


def test_appended_rows_that_contradict_are_refused(write):
    with pytest.raises(TableError, match=r"has the scores 0, 1.*--map repeat=THEIRS"):
        read_trials(write(row(0), row(0) | {"512": 0.0}))


def test_several_needles_have_places_and_no_depth(write):
    doc = row()["doc"] | {"outputs": ["7777777", "magic", "absent", "x"]}
    trials = read_trials(write(row(doc=doc) | {"512": 0.75}, row(1)))
    first = trials.frame.iloc[0]
    assert (first["n_needles"], first["n_found"]) == (4, 3)
    assert first["needle_depths"] == [0.5, 10 / 200, None, 56 / 200]
    assert trials.frame["answer_position"].isna().tolist() == [True, False]


def test_tenths_of_the_prompt_are_depths_on_request(write):
    trials = read_trials(write(row(0), row(1)), columns={"depth": "answer_tenth"})
    assert trials.frame["depth"].tolist() == [0.55, 0.55]
    assert "no-depths" not in codes(trials)


def test_other_tasks_of_ruler_have_no_depth(write):
    doc = row()["doc"] | {"input": "Memorize and track the chain(s): VAR A = 7777777"}
    trials = read_trials(write(row(doc=doc), task="ruler_vt"))
    assert trials.frame["depth"].isna().all()
    assert not {"n_needles", "needle_depths"} & set(trials.frame)


def test_the_results_file_beside_is_found_where_only_samples_are_named(write):
    folder = write(row(), results=RESULTS)
    assert read_trials(folder / f"samples_niah_single_1_{TIME}.jsonl").models == ("llama-3",)


def test_without_results_the_folder_names_the_language_model(write):
    trials = read_trials(write(row()))
    assert trials.models == ("openai__gpt-x",)
    assert "model-from-folder" in codes(trials)


def test_results_alone_hold_no_samples(write):
    folder = write(row(), results=RESULTS)
    with pytest.raises(FormatError, match=r"holds averages.*--log_samples"):
        read_trials(folder / f"results_{TIME}.json")


def test_babilong_has_its_length_in_the_results(write):
    configs = {"babilong_qa1": {"metadata": {"max_seq_lengths": "4k"}}}
    results = RESULTS | {"configs": configs}
    folder = write(plain(), plain(1, acc=0.0), task="babilong_qa1", results=results)
    trials = read_trials(folder)
    assert trials.frame["length"].tolist() == [4096, 4096]
    assert trials.frame["score"].tolist() == [1, 0]
    assert trials.frame["doc_question"].tolist() == ["Where?"] * 2
    assert trials.frame["guess_rate"].tolist() == [1 / 6] * 2


@pytest.mark.parametrize(
    ("task", "rate"),
    [("babilong_qa5", 1 / 7), ("babilong_qa19", 1 / 12), ("babilong_qa7_0k", 0.25)],
)
def test_babilong_is_guessed_by_its_labels(write, task, rate):
    folder = write(plain(doc={"length": 9}), task=task)
    trials = read_trials(folder, columns={"length": "doc_length"})
    assert trials.frame["guess_rate"].tolist() == [rate]


@pytest.mark.parametrize("task", ["babilong_qa21", "babilong_longctx", "niah_qa1"])
def test_other_tasks_have_no_guess_rate(write, task):
    trials = read_trials(
        write(plain(doc={"length": 9}), task=task), columns={"length": "doc_length"}
    )
    assert "guess_rate" not in trials.frame


def test_a_task_without_lengths_has_them_named(write):
    folder = write(plain(doc={"length": 3000}), task="longbench_hotpotqa")
    with pytest.raises(TableError, match=r"doc_length.*--map length=THEIRS"):
        read_trials(folder)
    trials = read_trials(folder, columns={"length": "doc_length"}, length_unit="words")
    assert (trials.frame["length"].tolist(), trials.length_unit) == ([3000], "words")


def test_several_metrics_are_asked_about(write):
    both = plain(doc={"length": 3000}, metrics=["acc", "acc_norm"], acc_norm=0.0)
    folder = write(both, task="mc")
    with pytest.raises(TableError, match=r"acc_norm.*--map score=THEIRS"):
        read_trials(folder, columns={"length": "doc_length"})
    columns = {"length": "doc_length", "score": "acc_norm"}
    assert read_trials(folder, columns=columns).frame["score"].tolist() == [0]


def test_choices_are_guessed(write):
    likelihoods = [[[-1.5, False]], [[-0.5, True]], [[-3.0, False]], [[-2.0, False]]]
    pairs = [[-1.5, False], [-0.5, True], [-3.0, False], [-2.0, False]]
    chosen = plain(doc={"length": 9}, resps=likelihoods, filtered_resps=pairs)
    trials = read_trials(write(chosen, task="mc"), columns={"length": "doc_length"})
    assert trials.frame["guess_rate"].tolist() == [0.25]


def test_long_files_are_read_too(write):
    long = row(0)
    long["arguments"] = {"gen_args_0": {"arg_0": "x" * SMALL}}
    trials = read_trials(write(long, row(1)))
    assert trials.frame["score"].tolist() == [1, 1]


def test_a_renamed_file_gives_its_name_to_the_task(write):
    folder = write(row())
    (path,) = folder.iterdir()
    shutil.move(path, folder / "mine.jsonl")
    assert read_trials(folder).tasks == ("mine",)


def test_samples_of_the_real_writer(real_data):
    trials = read_trials(real_data / "lm_eval" / "generated")
    assert (trials.n_trials, trials.n_scored) == (144, 144)
    right = trials.frame.groupby(["task", "length"])["score"].agg(["sum", "count"])
    assert set(right["count"]) == {24}
    assert right.loc["niah_multikey_2", "sum"].tolist() == [22, 24, 18]
    assert right.loc["niah_single_1", "sum"].tolist() == [23, 24, 17]
    assert right.index.levels[1].tolist() == [512, 1024, 2048]
    assert trials.models == ("xsmx68iv",)
    assert trials.frame["depth"].isna().all()
    assert trials.frame["answer_position"].between(0, 1).all()
    assert trials.frame["answer_position"].iloc[48] == pytest.approx(0.8903, abs=1e-4)
    assert trials.frame["answer_tenth"].iloc[48] == 0.85


def test_tenths_of_the_real_writers_prompts_make_cells(real_data):
    folder = real_data / "lm_eval" / "generated"
    places = read_trials(folder, columns={"depth": "answer_position"}).select(task="niah_single_1")
    tenths = read_trials(folder, columns={"depth": "answer_tenth"}).select(task="niah_single_1")
    assert (count_cells(places).grid.n_cases > 0).sum() == 67  # of 72 trials
    cells = count_cells(tenths).grid
    assert cells.depths.size <= 10
    assert cells.n_cases.sum(axis=1).tolist() == [24, 24, 24]
    assert cells.numerators.sum(axis=1).tolist() == [23, 24, 17]


def test_choices_that_were_scored_without_their_question_too_count_once(write):
    likelihoods = [[[-float(number), False]] for number in range(8)]
    scores = {"metrics": ["acc", "acc_mutual_info"], "acc_mutual_info": 0.0}
    chosen = plain(doc={"length": 9}, resps=likelihoods, filtered_resps=likelihoods, **scores)
    columns = {"length": "doc_length", "score": "acc"}
    trials = read_trials(write(chosen, task="mc"), columns=columns)
    assert trials.frame["guess_rate"].tolist() == [0.25]


@pytest.mark.parametrize(
    ("arguments", "model"),
    [
        ("base_url=http://x,model=gpt-x,num_concurrent=1", "gpt-x"),
        ({"pretrained": "org/llama", "dtype": "auto"}, "org/llama"),
        ("pretrained=org/llama,peft=org/lora", "org/lora"),
        ("", "openai__gpt-x"),
        (None, "openai__gpt-x"),
    ],
)
def test_the_backend_is_no_language_model(write, arguments, model):
    config = {"model": "local-chat-completions", "model_args": arguments}
    folder = write(row(), results=RESULTS | {"model_name": "", "config": config})
    assert read_trials(folder).models == (model,)


def test_runs_of_other_times_are_repeats(write):
    folder = write(row(0), row(1))
    right = (folder / f"samples_niah_single_1_{TIME}.jsonl").read_text()
    wrong = right.replace('"512": 1.0', '"512": 0.0')
    (folder / "samples_niah_single_1_2026-12-01T00-00-00.000001.jsonl").write_text(wrong)
    trials = read_trials(folder)
    assert (trials.n_trials, trials.n_cases) == (4, 2)
    assert count_cells(trials).grid.accuracy.tolist() == [[0.5]]
    (notice,) = (notice for notice in trials.notices if notice.code == "several-runs")
    assert "2 runs of the same prompts (niah_single_1 with openai__gpt-x)" in notice.message


def test_runs_of_other_lengths_are_no_repeats(write):
    folder = write(row(0))
    other = folder / "samples_niah_single_1_2026-12-01T00-00-00.000001.jsonl"
    other.write_text(json.dumps(row(0, 4096)))
    trials = read_trials(folder)
    assert trials.frame["repeat"].tolist() == [1, 1]
    assert "several-runs" not in {notice.code for notice in trials.notices}


def test_a_run_that_was_copied_is_read_once(write, tmp_path):
    folder = write(row(0), row(1))
    shutil.copytree(folder, tmp_path / "backup" / folder.name)
    trials = read_trials(tmp_path)
    assert (trials.n_trials, trials.reading.n_duplicates) == (2, 2)


@pytest.mark.parametrize("metrics", [[["acc"]], [{}], ["acc", None]])
def test_names_of_metrics_that_are_none_are_passed_over(write, metrics):
    folder = write(plain(doc={"length": 9}, metrics=metrics), task="mc")
    columns = {"length": "doc_length", "score": "acc"} if "acc" in metrics else None
    if columns:
        assert read_trials(folder, columns=columns).frame["score"].tolist() == [1]
    else:
        with pytest.raises(TableError, match="no column for length and score"):
            read_trials(folder)
