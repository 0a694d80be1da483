"""LV-Eval: levels from names, the suite's score, pairs across levels."""

import json
import logging

import jieba
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rouge import Rouge

from lcstats.cells import count_cells
from lcstats.errors import FormatError
from lcstats.readers import read_trials
from lcstats.readers.lv_eval_metrics import score_answer

jieba.setLogLevel(logging.WARNING)
JIEBA = jieba.Tokenizer()

pytestmark = pytest.mark.filterwarnings("ignore::lcstats.errors.LcstatsWarning")


def row(pred="The red house.", answers=("a red house", "barn"), gold="house", question="Where?"):
    names = ("pred", "answers", "gold_ans", "input", "all_classes", "length")
    return dict(zip(names, (pred, list(answers), gold, question, None, 12345), strict=True))


@pytest.fixture
def write(tmp_path):
    folder = tmp_path / "llama"
    folder.mkdir()

    def write(*rows, name="hotpotwikiqa_mixup_16k"):
        path = folder / f"{name}.jsonl"
        path.write_text("".join(f"{json.dumps(item)}\n" for item in rows))
        return folder

    return write


def test_fields(write):
    trials = read_trials(write(row()))
    assert trials.reading.format == "lv_eval"
    assert trials.length_unit == "words"
    row_found = trials.frame.iloc[0]
    names = ["model", "task", "length", "score", "output", "length_in_file"]
    expected = ["llama", "hotpotwikiqa_mixup", 16000, 1, "The red house.", 12345]
    assert row_found[names].tolist() == expected


@pytest.mark.parametrize(
    ("changes", "score"),
    [
        ({"pred": "in the red house"}, 0.8),
        ({"pred": "barn", "gold": None}, 0),
        ({"pred": "the red one", "gold": "house"}, 0),
        ({"pred": "the red one", "gold": None}, 0.5),
        ({"pred": "red of it", "gold": "of it"}, 0),
    ],
    ids=["f1", "only the first answer", "keyword missing", "no keyword", "words passed over"],
)
def test_scores(write, changes, score):
    assert read_trials(write(row(**changes))).frame["score"].tolist() == pytest.approx([score])


def test_facts_have_no_keywords(write):
    trials = read_trials(write(row("red one", gold="house"), name="factrecall_en_256k"))
    assert trials.frame[["length", "score"]].values.tolist() == [[256000, 0.5]]


def test_questions_pair_across_levels_and_are_numbered_within_one(write):
    write(row(), row(question="When?"), row(pred="barn"))
    trials = read_trials(write(row(), name="hotpotwikiqa_mixup_32k"))
    assert trials.frame["case"].nunique() == 3
    assert trials.frame.groupby("case")["length"].nunique().max() == 2


def test_empty_predictions_are_unscored_unless_the_suites_score_is_asked_for(write):
    folder = write(row(), row(pred="", question="When?"), row(pred=None, question="Who?"))
    assert read_trials(folder).frame["status"].tolist() == ["ok", "empty", "error"]
    official = read_trials(folder, columns={"score": "official_score"})
    assert official.frame["score"].tolist()[:2] == [1, 0]
    assert official.frame["status"].tolist() == ["ok", "ok", "error"]


def test_chinese_data_sets_are_left_out_beside_english_ones(write):
    write(row(), name="cmrc_mixup_16k")
    trials = read_trials(write(row()))
    assert trials.tasks == ("hotpotwikiqa_mixup",)
    assert any("name Chinese ones alone" in notice.message for notice in trials.notices)


def test_other_data_sets_are_refused(write):
    with pytest.raises(FormatError, match=r"none of LV-Eval's data sets.*name of its data set"):
        read_trials(write(row(), name="mine_16k"))


@pytest.mark.parametrize(
    ("name", "pred", "gold", "score"),
    [
        ("cmrc_mixup_16k", "在北京。", None, 2 / 3),
        ("cmrc_mixup_16k", "在上海。", None, 0),
        ("lic_mixup_32k", "在北京。", "清华 大学 北京", 0),
        ("lic_mixup_32k", "在北京。", "清华 北京", 2 / 3),
        ("multifieldqa_zh_mixup_16k", "在北京。", "的 在", 0),
        ("factrecall_zh_16k", "在北京。", "清华 大学 上海", 2 / 3),
        ("dureader_mixup_16k", "在北京。", None, 1),
    ],
    ids=["f1", "answer missing", "one third", "one half", "passed over", "no gate", "rouge"],
)
def test_chinese_scores(write, name, pred, gold, score):
    trials = read_trials(write(row(pred, ["北京"], gold), name=name))
    assert trials.length_unit == "characters"
    assert trials.frame["score"].tolist() == pytest.approx([score])


@settings(deadline=None)  # the dictionary is loaded once
@given(
    st.lists(
        st.sampled_from(["我", "来到", "北京", "清华大学", "的", "。", "3.5", "Bell"]), min_size=1
    )
)
def test_rouge_of_chinese_is_that_of_rouge_and_jieba(words):
    texts = ["".join(words), "他来到了北京清华大学。"]
    cut = [JIEBA.lcut(" ".join(JIEBA.lcut(text))) for text in texts]
    kept = [[w.strip(" 。").replace(".", "").lower() for w in text] for text in cut]
    joined = [" ".join(w for w in text if w and w not in {"的", "了"}) for text in kept]
    expected = Rouge().get_scores(*joined)[0]["rouge-l"]["f"] if joined[0] else 0
    assert score_answer("dureader_mixup", texts[0], texts[1:], None) == expected


def test_runs_that_were_appended_are_repeats(write):
    questions = [row(question=f"Where {number}?") for number in range(20)]
    killed = [row(pred="barn", question=f"Where {number}?") for number in range(2)]
    trials = read_trials(write(*questions, *killed))
    assert (trials.n_trials, trials.n_cases) == (22, 20)
    assert count_cells(trials).grid.accuracy[0, 0] == pytest.approx(19 / 20)
    assert "several-runs" in {notice.code for notice in trials.notices}


def test_one_question_asked_of_many_texts_makes_many_cases(write):
    trials = read_trials(write(*[row() | {"length": number} for number in range(12000, 12030)]))
    assert trials.n_cases == 30


def test_a_file_of_another_name_is_refused(write):
    with pytest.raises(FormatError, match=r"does not say data set and level.*give it back"):
        read_trials(write(row(), name="results"))


def test_each_texts_own_length_is_in_words(write):
    trials = read_trials(write(row()), columns={"length": "length"})
    assert (trials.length_unit, trials.frame["length"].tolist()) == ("words", [12345])
