"""LongBench v1: the suite's metrics, runs that were appended, lengths in words or characters."""

import json
import logging

import jieba
import pytest
from rouge import Rouge

from lcstats.errors import FormatError
from lcstats.readers import read_trials
from lcstats.readers.longbench_metrics import score_output, share_of_class, word_f1

jieba.setLogLevel(logging.WARNING)
JIEBA = jieba.Tokenizer()

pytestmark = pytest.mark.filterwarnings("ignore::lcstats.errors.LcstatsWarning")


def row(pred, *answers, length=5000, classes=None):
    return {"pred": pred, "answers": answers, "all_classes": classes, "length": length}


@pytest.fixture
def longbench(tmp_path):
    """Write predictions as LongBench does and return the folder of the language model."""
    folder = tmp_path / "pred" / "llama"
    folder.mkdir(parents=True)

    def write(*rows, dataset="hotpotqa"):
        text = "".join(json.dumps(item) + "\n" for item in rows)
        (folder / f"{dataset}.jsonl").write_text(text)
        return folder

    return write


def test_fields(longbench):
    trials = read_trials(longbench(row("The red house", "red", "blue")))
    assert trials.reading.format == "longbench_v1"
    frame_row = trials.frame.to_dict("records")[0]
    expected = {
        "model": "llama",
        "task": "hotpotqa",
        "length": 8000,
        "score": pytest.approx(2 / 3),
        "status": "ok",
        "output": "The red house",
        "length_in_file": 5000,
    }
    assert {name: frame_row[name] for name in expected} == expected
    assert trials.length_unit == "words"
    assert [notice.code for notice in trials.notices] == ["length-classes"]


def test_each_texts_own_length(longbench):
    trials = read_trials(longbench(row("a", "b")), columns={"length": "length"})
    assert trials.frame["length"].tolist() == [5000]
    assert "length-classes" not in {notice.code for notice in trials.notices}
    assert (trials.length_unit, trials.notices) == ("words", ())


def test_a_length_that_was_added_is_in_tokens(longbench):
    path = longbench(row("a", "b") | {"n_tokens": 7000})
    trials = read_trials(path, columns={"length": "n_tokens"})
    assert (trials.length_unit, trials.frame["length"].tolist()) == ("tokens", [7000])
    assert trials.notices == ()


@pytest.mark.parametrize(
    ("dataset", "output", "answer", "score"),
    [
        ("triviaqa", "\nParis\nLondon", "paris", 1),
        ("hotpotqa", "Paris\nLondon", "paris", 2 / 3),
        ("passage_count", "3 or 4, so 4", "4", 2 / 3),
        ("passage_count", "many", "4", 0),
        ("passage_retrieval_en", "Paragraph 15", "Paragraph 15", 1),
        ("passage_retrieval_zh", "段落15", "段落15", 1),
        ("hotpotqa", "the", "a", 0),
    ],
)
def test_metrics(dataset, output, answer, score):
    assert score_output(dataset, output, [answer], []) == pytest.approx(score)


def test_words_are_counted_as_often_as_they_are_there():
    assert word_f1("yes yes", "yes") == pytest.approx(2 / 3)


def test_classes():
    classes = ["NUM", "NUM ber", "NUM ber of", "City"]
    assert share_of_class("City", "City", classes) == 1
    assert share_of_class("NUM ber", "City", classes) == 0
    assert share_of_class("NUM ber of", "NUM ber of", classes) == 0.5
    assert score_output("trec", "City\nNUM", ["City"], classes) == 1


def test_the_last_rows_classes_are_those_of_all(longbench):
    rows = [row("Food", "Food", classes=[]), row("Date", "Food", classes=["Food", "Date"])]
    assert read_trials(longbench(*rows, dataset="trec")).frame["score"].tolist() == [1, 0]


def test_empty_predictions_are_unscored(longbench):
    rows = [row(" ", "a"), row(None, "b"), row("c", "c")]
    trials = read_trials(longbench(*rows))
    assert trials.frame["status"].tolist() == ["empty", "error", "ok"]
    assert any("1 output empty" in notice.message for notice in trials.notices)
    official = read_trials(longbench(*rows), columns={"score": "official_score"})
    assert official.frame["score"].fillna(-1).tolist() == [0, -1, 1]


def test_runs_that_were_appended_are_repeats(longbench):
    rows = [row("a", "a"), row("b", "b"), row("a", "a"), row("c", "b")]
    trials = read_trials(longbench(*rows))
    assert trials.n_cases == 2
    assert trials.frame["repeat"].tolist() == [1, 1, 2]
    assert trials.reading.n_duplicates == 1


def test_a_run_that_was_killed_early_makes_no_cases(longbench):
    rows = [row("x" if number % 2 else str(number), str(number)) for number in range(40)]
    trials = read_trials(longbench(*rows, *rows[:3]))
    assert (trials.n_trials, trials.n_cases, trials.reading.n_duplicates) == (40, 40, 3)
    assert trials.frame["score"].mean() == 0.5
    assert "several-runs" in {notice.code for notice in trials.notices}


def test_few_prompts_with_the_same_answer_and_length_are_cases_of_their_own(longbench):
    rows = [row("x", str(number)) for number in range(20)] + [row("0", "0")]
    trials = read_trials(longbench(*rows))
    assert trials.n_cases == 21
    assert (trials.frame["repeat"] == 1).all()


def test_language_models_share_cases(longbench):
    first = read_trials(longbench(row("a", "a"))).frame["case"][0]
    assert read_trials(longbench(row("b", "a"))).frame["case"][0] == first


def test_chinese_and_unknown_data_sets_are_left_out_beside_english_ones(longbench):
    longbench(row("a", "a"), dataset="mine")
    longbench(row("a", "段落1"), dataset="passage_retrieval_zh")
    trials = read_trials(longbench(row("a", "a")))
    assert trials.tasks == ("hotpotqa",)
    assert "left out: mine, passage_retrieval_zh; name Chinese ones" in trials.notices[0].message


def test_chinese_data_sets_are_in_characters(longbench):
    trials = read_trials(longbench(row("段落1", "段落1"), dataset="passage_retrieval_zh"))
    assert trials.length_unit == "characters"
    assert trials.frame["score"].tolist() == [1]


def test_other_data_sets_are_refused(longbench):
    with pytest.raises(FormatError, match=r"no data set 'mine'.*name of its data set, or score it"):
        read_trials(longbench(row("a", "a"), dataset="mine"))


@pytest.mark.parametrize("dataset", ["gov_report", "qmsum", "multi_news", "samsum"])
def test_summaries_are_scored_by_the_package_rouge(longbench, dataset):
    output, answers = "The red house. It burns", ["the house. It burns", "a barn"]
    scores = Rouge().get_scores([output] * 2, answers)
    trials = read_trials(longbench(row(output, *answers), dataset=dataset))
    best = max(score["rouge-l"]["f"] for score in scores)
    assert trials.frame["score"].tolist() == [best]


@pytest.mark.parametrize("dataset", ["dureader", "vcsum"])
def test_chinese_summaries_are_scored_by_rouge_of_words(longbench, dataset):
    output, answer = "他来到了北京清华大学。", "他在北京大学。"
    words = [" ".join(JIEBA.cut(text)) for text in (output, answer)]
    expected = Rouge().get_scores(*words)[0]["rouge-l"]["f"]
    trials = read_trials(longbench(row(output, answer), dataset=dataset))
    assert trials.length_unit == "characters"
    assert 0 < expected < 1
    assert trials.frame["score"].tolist() == [expected]


def test_chinese_answers_are_compared_by_words(longbench):
    trials = read_trials(longbench(row("在北京。", "北京"), dataset="multifieldqa_zh"))
    assert trials.frame["score"].tolist() == pytest.approx([2 / 3])


# Made with fuzzywuzzy 0.18.0, without python-Levenshtein: fuzz.ratio(output, answer) / 100
@pytest.mark.parametrize(
    ("output", "answer", "score"),
    [
        ("return a + b", "return a - b", 0.92),
        ("x", "yy", 0),
        ("", "", 1),
        ("", "a", 0),
        ("    for i in range(10):", "    for j in range(len(items)):", 0.74),
        ("print(value)" * 30, "print(values)" * 28, 0.03),
    ],
)
def test_code_is_scored_by_its_likeness(output, answer, score):
    assert score_output("lcc", output, [answer], []) == score
    assert score_output("repobench-p", f"\n# so\n```py\n{output}\nx", [answer], []) == score


@pytest.mark.parametrize("model", ["llama2-7b-chat-4k", "llama3-8b-instruct"])
def test_published_scores(real_data, model):
    folder = real_data / "longbench_v1" / "pred" / model
    published = json.loads((folder / "result.json").read_text())
    trials = read_trials(folder)
    means = (100 * trials.frame.groupby("task")["score"].mean()).round(2).to_dict()
    assert means == {task: published[task] for task in means}
    assert set(means) == {path.stem for path in folder.glob("*.jsonl")}
    assert trials.n_scored == trials.n_cases == 1400


def test_published_runs_that_were_appended(real_data):
    trials = read_trials(real_data / "longbench_v1" / "appended_reruns")
    assert trials.n_trials == trials.n_cases == 200
    assert trials.reading.n_duplicates == 200


@pytest.mark.parametrize("classes", [None, []])
def test_classes_that_are_missing_are_asked_for(longbench, classes):
    rows = row("Food", "Food") | {"all_classes": classes}
    with pytest.raises(FormatError, match=r"the last row has none.*fill it in from the data set"):
        read_trials(longbench(rows, dataset="trec"))


@pytest.mark.parametrize("classes", [7, [None], ["Food", None]])
def test_classes_of_another_kind_are_refused(longbench, classes):
    rows = [row("Food", "Food"), row("Food", "Food") | {"all_classes": classes}]
    with pytest.raises(FormatError, match=r"all_classes.*mend the value"):
        read_trials(longbench(*rows, dataset="trec"))
