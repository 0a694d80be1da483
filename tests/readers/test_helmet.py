"""HELMET: the length in the name, each data set's metric, judged files in place of others."""

import json

import pytest

from lcstats.errors import FormatError, UnscoredWarning
from lcstats.readers import read_trials

pytestmark = pytest.mark.filterwarnings("ignore::lcstats.errors.LcstatsWarning")


def item(number=0, **metrics):
    row = {"question": f"Q{number}", "answer": ["A"], "output": "A", "parsed_output": "A"}
    return row | {"input_len": 125000, "output_len": 3, "input_text": "long"} | metrics


@pytest.fixture
def helmet(tmp_path):
    """Write a file as HELMET does and return the folder of the language model."""
    folder = tmp_path / "output" / "llama"
    folder.mkdir(parents=True)

    def write(*items, dataset="json_kv", length=131072, name=None, judged=False, **args):
        known = {"datasets": dataset, "model_name_or_path": "meta/llama", "max_test_samples": 1}
        run = {
            "args": known | {"input_max_length": length} | args,
            "data": list(items),
            "metrics": {},
            "averaged_metrics": {},
            "throughput": 1.0,
        }
        stem = name or f"{dataset}_eval_test_in{length}_size1_shots2_sampFalsemax100_42"
        path = folder / f"{stem}{'-gpt4eval_o' if judged else ''}.json"
        path.write_text(json.dumps(run, indent=4))
        return folder

    return write


def test_fields(helmet):
    trials = read_trials(helmet(item(depth=0.25, substring_exact_match=1, exact_match=0, k=1800)))
    assert trials.reading.format == "helmet"
    row = trials.frame.to_dict("records")[0]
    expected = {
        "model": "meta/llama",
        "task": "json_kv",
        "length": 131072,
        "depth": 0.25,
        "score": 1.0,
        "status": "ok",
        "guess_rate": 0.0,
        "output": "A",
        "input_len": 125000,
        "k": 1800,
    }
    assert {name: row[name] for name in expected} == expected
    assert "tokens_received" not in trials.frame
    assert "input_text" not in trials.frame
    assert trials.notices == ()


@pytest.mark.parametrize(
    ("dataset", "metrics", "task", "score", "guess_rate"),
    [
        ("ruler_niah_mv", {"ruler_recall": 0.75}, "ruler_niah_mv", 0.75, 0),
        ("ruler_qa_1", {"substring_exact_match": True, "ruler_recall": 0}, "ruler_qa_1", 1, 0),
        ("icl_trec_coarse_6600shot", {"exact_match": 1}, "trec_coarse", 1, 1 / 6),
        ("infbench_choice_eng_130862", {"exact_match": 0}, "infbench_choice", 0, 1 / 4),
        ("msmarco_rerank_psg", {"NDCG@10": 0.4}, "msmarco_rerank_psg", 0.4, 0),
        ("infbench_qa_eng_130862", {"rougeL_f1": 0.5, "exact_match": 0}, "infbench_qa", 0.5, 0),
    ],
)
def test_each_data_set_has_its_metric(helmet, dataset, metrics, task, score, guess_rate):
    trials = read_trials(helmet(item(**metrics), dataset=dataset))
    row = trials.frame.to_dict("records")[0]
    assert (row["task"], row["score"]) == (task, score)
    assert row["guess_rate"] == pytest.approx(guess_rate)


def test_marks_of_a_judge_are_read_in_place_of_what_was_judged(helmet):
    marked = item(**{"gpt4-scores": {"fluency": 1, "correctness": 2}})
    unmarked = item(1, **{"gpt4-scores": None})
    helmet(item(rougeL_f1=0.1), item(1, rougeL_f1=0.1), dataset="narrativeqa_130772")
    trials = read_trials(helmet(marked, unmarked, dataset="narrativeqa_130772", judged=True))
    assert trials.frame["score"].fillna(-1).tolist() == pytest.approx([2 / 3, -1])
    assert trials.frame["status"].tolist() == ["ok", "unparsed"]
    assert "1 file left out" in trials.notices[0].message


def test_files_without_scores_are_left_out_or_refused(helmet):
    folder = helmet(item(rougeL_f1=0.1), dataset="narrativeqa_130772")
    with pytest.raises(FormatError, match=r"no item with the metric.*-gpt4eval_o\.json"):
        read_trials(folder)
    means = {"substring_exact_match": 100.0, "input_len": 125000.0, "output_len": 3.0}
    (folder / "json_kv.json.score").write_text(json.dumps(means, indent=4))
    trials = read_trials(helmet(item(substring_exact_match=1)))
    assert (trials.tasks, trials.n_trials) == (("json_kv",), 1)
    with pytest.raises(FormatError, match="means alone"):
        read_trials(folder / "json_kv.json.score")


def test_thinking_adds_to_the_length_that_the_file_holds(helmet):
    row = item(substring_exact_match=1)
    trials = read_trials(helmet(row, name="renamed", length=131072 + 32768, thinking=True))
    assert trials.frame["length"].tolist() == [131072]


def test_a_file_without_a_length(helmet):
    with pytest.raises(FormatError, match="give it back the name that HELMET gave it"):
        read_trials(helmet(item(substring_exact_match=1), name="renamed", length=None))


def test_missing_items_are_said(helmet):
    notice = read_trials(helmet(item(substring_exact_match=1), max_test_samples=100)).notices[0]
    assert "1 of up to 100 items there" in notice.message
    assert notice.category is UnscoredWarning


def test_items_that_share_everything_are_cases_of_their_own(helmet):
    row = item(substring_exact_match=1)
    trials = read_trials(helmet(row, row))
    assert trials.n_cases == 2


def test_a_case_has_its_name_at_every_length(helmet):
    helmet(item(substring_exact_match=1), length=65536)
    trials = read_trials(helmet(item(substring_exact_match=0)))
    assert trials.frame["case"].nunique() == 1
    assert sorted(trials.frame["length"]) == [65536, 131072]


def test_a_data_set_without_a_known_metric_is_named(helmet):
    helmet(item(f1=1), dataset="html_to_tsv_0.5k")
    trials = read_trials(helmet(item(substring_exact_match=1)))
    assert trials.tasks == ("json_kv",)
    (notice,) = trials.notices
    assert "not among those with a known metric: " in notice.message
    assert "html_to_tsv" in notice.message
    assert notice.category is UnscoredWarning


def test_seeds_are_repeats_and_copies_are_not(helmet):
    rows = [item(substring_exact_match=1), item(1, substring_exact_match=0)]
    for name, seed in (("a_in4096_size1_42", 42), ("a_in4096_size1_43", 43)):
        folder = helmet(rows[0], item(1, substring_exact_match=seed - 42), name=name, seed=seed)
    helmet(*rows, name="copy_in4096_size1_42", seed=42)
    trials = read_trials(folder)
    assert (trials.n_trials, trials.n_cases, trials.reading.n_duplicates) == (4, 2, 2)
    assert trials.frame["repeat"].tolist() == [1, 1, 2, 2]
    assert trials.frame["score"].tolist() == [1, 0, 1, 1]
    assert [notice.code for notice in trials.notices if "runs" in notice.code] == ["several-runs"]


def test_runs_that_differ_in_more_than_their_seed_say_in_what(helmet):
    helmet(item(substring_exact_match=1), name="a_in4096_size1_42", seed=42, shots=2)
    folder = helmet(item(substring_exact_match=0), name="a_in4096_size1_43", seed=43, shots=5)
    trials = read_trials(folder)
    assert trials.frame["repeat"].tolist() == [1, 2]
    (notice,) = [notice for notice in trials.notices if notice.code == "runs-differ"]
    assert "json_kv at 4096: runs differ in shots; name fewer files" in notice.message
