"""LongEval's text files: lines as lengths, the last number as answer, verdicts that are missing."""

import pytest

from lcstats.cells import count_cells
from lcstats.errors import FormatError, OptionError
from lcstats.readers import read_trials, write_trials

pytestmark = pytest.mark.filterwarnings("ignore::lcstats.errors.LcstatsWarning")

RIGHT = "Label: 2416, Predict: line a, Parsed: 1, is <2416>., Parsed: 2416, prompt length: 4803\n"
WRONG = "Label: 7, Predict: line b is <8>., Parsed: 8, prompt length: -1\n"
NOTHING = "Label: 9, Predict: I cannot, Parsed: -1, prompt length: 4790\n"
TOPIC = "Label: Rome, Predict: ['Rome, of course'], prompt length: 6472\n"


@pytest.fixture
def answers(tmp_path):
    """Write files of answers as LongEval does, and return their folder."""
    folder = tmp_path / "predictions" / "longchat"
    folder.mkdir(parents=True)

    def write(**files):
        for name, text in files.items():
            (folder / f"{name.lstrip('_')}.txt").write_bytes(text.encode())
        return folder

    return write


def test_fields(answers):
    trials = read_trials(answers(_200_response=RIGHT + WRONG + NOTHING + "Accuracy: 0.33"))
    assert trials.reading.format == "longeval"
    assert (trials.length_unit, trials.models, trials.tasks) == ("lines", ("longchat",), ("lines",))
    frame = trials.frame
    assert frame["length"].tolist() == [200, 200, 200]
    assert frame["case"].tolist() == ["1 (2416)", "2 (7)", "3 (9)"]
    assert frame["score"].tolist() == [1.0, 0.0, 0.0]
    assert frame["output"][0] == "line a, Parsed: 1, is <2416>."
    assert frame["tokens_received"].fillna(0).tolist() == [4803, 0, 4790]
    assert frame["depth"].isna().all()
    assert trials.notices == ()


def test_tokens_of_the_prompt_are_lengths_in_tokens_on_request(answers):
    folder = answers(_200_response=RIGHT + NOTHING + "Accuracy: 0.5")
    trials = read_trials(folder, columns={"length": "prompt length"})
    assert (trials.length_unit, trials.frame["length"].tolist()) == ("tokens", [4803, 4790])


def test_windows_lines_and_empty_ones(answers):
    text = ("\n" + RIGHT + "\n" + WRONG + "Accuracy: 0.5\n\n").replace("\n", "\r\n")
    assert read_trials(answers(_200_response=text)).n_scored == 2


@pytest.mark.parametrize("end", ["", "Label: 9, Predict: I ca"])
def test_a_run_that_was_cut_off_says_so(answers, end):
    trials = read_trials(answers(_200_response=RIGHT + WRONG + end))
    assert trials.n_trials == 2
    assert any("the run was cut off" in notice.message for notice in trials.notices)


def test_bad_lines_are_named_or_left_out(answers):
    folder = answers(_200_response=RIGHT + "out of memory\n" + WRONG + "Accuracy: 0.5")
    with pytest.raises(FormatError, match=r"200_response\.txt line 2: .*--skip-bad-lines"):
        read_trials(folder)
    trials = read_trials(folder, skip_bad_lines=True)
    assert trials.n_trials == 2
    assert any("1 bad line" in notice.message for notice in trials.notices)


def test_topics_have_no_verdict(answers):
    with pytest.raises(FormatError, match="have the answers judged"):
        read_trials(answers(_10_response=TOPIC))


def test_a_name_without_lines_is_asked_about(answers):
    with pytest.raises(FormatError, match="give it back the name"):
        read_trials(answers(renamed=RIGHT + "Accuracy: 1.0"))


def test_folders_of_one_name_are_language_models_of_their_own(tmp_path):
    for run, text in (("a", RIGHT), ("b", WRONG)):
        (tmp_path / run / "longchat").mkdir(parents=True)
        (tmp_path / run / "longchat" / "200_response.txt").write_text(text + "Accuracy: 0.5")
    trials = read_trials(tmp_path)
    assert trials.models == ("a/longchat", "b/longchat")
    assert "'a/longchat', 'b/longchat' were taken" in trials.notices[0].message


@pytest.mark.parametrize("unit", ["tokens", "words", "k1000"])
def test_a_unit_that_lines_are_not_in_is_refused(answers, unit):
    folder = answers(_200_response=RIGHT + "Accuracy: 1.0")
    with pytest.raises(
        OptionError, match=rf"{unit}'.* are in lines.*take other lengths with --map"
    ):
        read_trials(folder, length_unit=unit)
    assert read_trials(folder, length_unit="lines").length_unit == "lines"


def test_another_folder_names_the_language_model_and_says_so(answers, tmp_path):
    path = answers(_200_response=RIGHT + "Accuracy: 1.0") / "200_response.txt"
    moved = tmp_path / "mine" / path.name
    moved.parent.mkdir()
    moved.write_bytes(path.read_bytes())
    trials = read_trials(moved)
    assert trials.models == ("mine",)
    assert "--model-name NAME" in trials.notices[0].message
    assert read_trials(moved, model_name="longchat").models == ("longchat",)


def test_published_answers(real_data):
    trials = read_trials(real_data / "longeval" / "lines")
    assert trials.n_trials == trials.n_scored == 1400
    assert len(trials.models) == 5
    assert trials.length_unit == "lines"
    assert trials.notices == ()
    assert trials.frame["tokens_received"].notna().all()
    asked = trials.frame.groupby("model")["case"].agg(lambda cases: set(cases))
    assert asked["longchat-7b-16k"] == asked["longchat-13b-16k"] == asked["chatglm2-6b"]


def test_published_answers_of_longchat_7b(real_data):
    trials = read_trials(real_data / "longeval" / "lines").select(model="longchat-7b-16k")
    grid = count_cells(trials).grid
    assert grid.lengths.tolist() == [200, 300, 400, 500, 600, 680]
    assert grid.n_cases.sum(axis=1).tolist() == [50] * 6
    assert grid.successes.sum(axis=1).tolist() == [49, 45, 43, 39, 26, 22]
    assert grid.length_unit == "lines"


def test_a_table_of_lines_can_be_written_and_read_again(answers, tmp_path):
    trials = read_trials(answers(_200_response=RIGHT + WRONG + "Accuracy: 0.5"))
    write_trials(trials, tmp_path / "trials.csv")
    assert read_trials(tmp_path / "trials.csv").length_unit == "lines"


@pytest.mark.parametrize("unit", ["tokens", "words"])
def test_another_length_is_in_the_unit_that_is_asked_for(answers, unit):
    path = answers(_200_response=RIGHT + RIGHT.replace("4803", "4790") + "Accuracy: 1")
    trials = read_trials(path, columns={"length": "prompt length"}, length_unit=unit)
    assert trials.frame["length"].tolist() == [4803, 4790]
    assert trials.length_unit == unit
