"""LV-Eval: levels from names, the suite's score, pairs across levels."""

import json

import pytest

from lcstats.cells import count_cells
from lcstats.errors import FormatError
from lcstats.readers import read_trials

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


def test_chinese_data_sets_are_left_out_or_refused(write):
    folder = write(row(), name="cmrc_mixup_16k")
    with pytest.raises(FormatError, match=r"jieba.*evaluation\.py"):
        read_trials(folder)
    trials = read_trials(write(row()))
    assert trials.n_trials == 1
    assert "other-files" in {notice.code for notice in trials.notices}


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
