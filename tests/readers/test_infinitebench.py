"""InfiniteBench: the suite's rules, depth from ids, other data, accuracies of its README."""

import json

import pytest

from lcstats.errors import FormatError
from lcstats.readers import read_trials
from lcstats.readers.infinitebench_metrics import score_output

pytestmark = pytest.mark.filterwarnings("ignore::lcstats.errors.LcstatsWarning")

FIRST_PAIR = "5e6b7b90-710d-4953-9b18-3e96b2cadbf2"
HUNDREDTH_PAIR = "4a356d9e-e230-475c-93f5-83a6df14f254"


def row(number, output, reference):
    return {"id": number, "prediction": output, "ground_truth": reference}


@pytest.fixture
def infinitebench(tmp_path):
    """Write predictions as InfiniteBench does and return the folder of results."""
    folder = tmp_path / "results" / "kimi"
    folder.mkdir(parents=True)

    def write(*rows, name="preds_passkey"):
        text = "".join(json.dumps(item) + "\n" for item in rows)
        (folder / f"{name}.jsonl").write_text(text)
        return tmp_path / "results"

    return write


def test_fields(infinitebench):
    trials = read_trials(infinitebench(row(580, "It is 71432.", "71432")))
    assert trials.reading.format == "infinitebench"
    frame_row = trials.frame.to_dict("records")[0]
    expected = {
        "model": "kimi",
        "task": "passkey",
        "case": "580",
        "length": 122400,
        "depth": 1.0,
        "score": 1.0,
        "status": "ok",
        "guess_rate": 0.0,
        "output": "It is 71432.",
    }
    assert {name: frame_row[name] for name in expected} == expected
    assert [notice.code for notice in trials.notices] == ["mean-lengths"]


def test_other_names_of_the_fields_and_parts_of_a_task(infinitebench):
    rows = {"id": 7, "pred": "B", "label": ["So.", "B"]}
    trials = read_trials(infinitebench(rows, name="preds_longbook_choice_eng_0-100"))
    assert trials.tasks == ("longbook_choice_eng",)
    assert trials.frame[["score", "guess_rate"]].values.tolist() == [[1.0, 0.25]]
    assert trials.frame["depth"].isna().all()


def test_ten_prompts_share_a_place(infinitebench):
    rows = [row(number, "1", "1") for number in (0, 9, 10, 590)]
    depths = read_trials(infinitebench(*rows)).frame["depth"]
    assert depths.fillna(-1).tolist() == pytest.approx([0, 0, 1 / 58, -1])


def test_pairs_lie_where_their_id_says(infinitebench):
    rows = [row(0, FIRST_PAIR, FIRST_PAIR), row(100, "x", HUNDREDTH_PAIR)]
    trials = read_trials(infinitebench(*rows, name="preds_kv_retrieval"))
    assert trials.frame["depth"].tolist() == [0, 0.2]
    assert trials.frame["score"].tolist() == [1, 0]


def test_pairs_of_other_data_have_no_depth(infinitebench):
    trials = read_trials(infinitebench(row(0, "x", "x"), name="preds_kv_retrieval"))
    assert trials.frame["depth"].isna().all()
    assert any("not those of the released data" in notice.message for notice in trials.notices)


def test_empty_predictions(infinitebench):
    folder = infinitebench(row(0, " ", "1"), row(1, None, "1"), row(2, "1", "1"))
    trials = read_trials(folder)
    assert trials.frame["status"].tolist() == ["empty", "error", "ok"]
    assert "scores-ignored" not in {notice.code for notice in trials.notices}
    official = read_trials(folder, columns={"score": "official_score"})
    assert official.frame["score"].fillna(-1).tolist() == [0, -1, 1]


@pytest.mark.parametrize(
    ("task", "output", "reference", "score"),
    [
        ("number_string", "first 12, then 34", "12", 1),
        ("number_string", "first 34", ["12"], 0),
        ("kv_retrieval", 'It is "ab-c".', "ab-c", 1),
        ("kv_retrieval", "ab-cd", "ab-c", 0),
        ("math_find", "about 3.5 or 4", 3.5, 1),
        ("math_find", "3.5", 3, 0),
        ("math_calc", "1, 2, 4, 4", [1, 2, 3, 4], 0.5),
        ("math_calc", "none", [1], 0),
        ("code_run", "The answer is: 7.", 7, 1),
        ("code_run", "seven", 7, 0),
        ("code_debug", "B: f", ["f", "B"], 1),
        ("code_debug", "The answer is: f", ["f", "B"], 1),
        ("code_debug", "The answer is: g", ["f", "B"], 0),
        ("code_debug", "I think f", ["f", "B"], 0),
        ("longbook_choice_eng", "B. So.", ["So.", "B"], 1),
        ("longbook_choice_eng", "A", ["So.", "B"], 0),
        ("longbook_choice_eng", "The answer is B", ["So.", "B"], 1),
        ("longbook_choice_eng", "So I take B or C", ["So.", "B"], 1),
        ("longbook_choice_eng", "none", ["So.", "B"], 0),
        ("longdialogue_qa_eng", "It is Jane!", ["JANE"], 1),
        ("longbook_qa_eng", "the red house", ["red", "blue"], 2 / 3),
        ("longbook_qa_chn", "他是王。", ["王"], 1 / 2),
        ("passkey", "", "1", 0),
    ],
)
def test_rules(task, output, reference, score):
    assert score_output(task, output, reference) == pytest.approx(score)


def test_folders_of_one_name_are_language_models_of_their_own(tmp_path):
    for run in ("a", "b"):
        (tmp_path / run / "kimi").mkdir(parents=True)
        text = json.dumps(row(0, run, "a"))
        (tmp_path / run / "kimi" / "preds_kv_retrieval.jsonl").write_text(text)
    trials = read_trials(tmp_path)
    assert trials.models == ("a/kimi", "b/kimi")
    assert "'a/kimi', 'b/kimi' were taken" in trials.notices[0].message


def test_summaries_are_scored_by_rouge(infinitebench):
    summary = row(0, "The red house.\nIt burns.", ["The house burns!"])
    trials = read_trials(infinitebench(summary, name="preds_longbook_sum_eng"))
    assert trials.frame[["length", "score"]].values.tolist() == [[171500, 0.75]]


@pytest.mark.parametrize("name", ["preds_mine", "mine"])
def test_a_task_that_cannot_be_scored(infinitebench, name):
    with pytest.raises(FormatError, match="give it back the name that InfiniteBench gave it"):
        read_trials(infinitebench(row(0, "1", "1"), name=name))


@pytest.fixture(scope="module")
def published(real_data):
    return read_trials(real_data / "infinitebench" / "results").frame


def test_published_accuracies(published):
    means = (100 * published.groupby(["task", "model"])["official_score"].mean()).round(2)
    assert means["passkey"].to_dict() == {"claude2": 97.80, "kimi": 98.14, "yarn-mistral": 92.71}
    assert means["number_string"].to_dict() == {
        "claude2": 98.14,
        "kimi": 95.42,
        "yarn-mistral": 56.61,
    }
    assert means["longbook_choice_eng"].to_dict() == {
        "claude2": 62.88,
        "kimi": 72.49,
        "yarn-mistral": 27.95,
    }
    assert means["math_find"].to_dict() == {"claude2": 32.29, "kimi": 12.57}
    assert means["kv_retrieval"].to_dict() == {"claude2": 65.40, "kimi": 53.60, "yarn-mistral": 0}


def test_published_counts(published):
    kimi = published[published["model"] == "kimi"]
    counts = kimi["task"].value_counts()
    assert counts[["kv_retrieval", "passkey", "number_string"]].tolist() == [500, 590, 590]
    assert (published["status"] == "empty").sum() == 28


def test_published_pairs_of_kimi_by_depth(published):
    pairs = published[(published["model"] == "kimi") & (published["task"] == "kv_retrieval")]
    tenths = (10 * pairs["depth"]).astype(int)
    by_tenth = 100 * pairs.groupby(tenths)["score"].mean()
    assert by_tenth.tolist() == pytest.approx([2, 26, 30, 48, 44, 46, 74, 86, 80, 100])


def test_parts_of_the_released_pairs_have_depths(infinitebench):
    rows = [row(1, "x", "f1ec3dd8-b6e7-4af5-a589-fda0b7693f93")]
    rows += [row(2, "x", ["bbf3fa73-6217-4e6e-923c-8349bd286c3d"])]
    trials = read_trials(infinitebench(*rows, name="preds_kv_retrieval_1-99"))
    assert trials.frame["depth"].tolist() == [1 / 500, 2 / 500]
    assert [notice.code for notice in trials.notices] == ["mean-lengths"]


@pytest.mark.parametrize(
    ("task", "reference", "mend"),
    [
        ("code_debug", "A", "a list of the function's name and its letter"),
        ("code_debug", ["f"], "a list of the function's name and its letter"),
        ("longbook_choice_eng", 3, "the choice"),
        ("longdialogue_qa_eng", [], "a list of answers"),
        ("longbook_qa_eng", [None], "a list of answers"),
        ("math_calc", [], "a list of whole numbers"),
        ("code_run", "7", "a number"),
        ("passkey", {"a": 1}, "a text of digits"),
    ],
)
def test_references_of_another_kind_are_refused(infinitebench, task, reference, mend):
    with pytest.raises(FormatError, match=rf"jsonl: ground_truth is .*{mend}.*remove the row"):
        read_trials(infinitebench(row(0, "A", reference), name=f"preds_{task}"))


def test_a_pass_key_as_a_number(infinitebench):
    assert read_trials(infinitebench(row(0, "71432", 71432))).frame["score"].tolist() == [1]
