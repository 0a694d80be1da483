"""BABILong: the suite's label rule, None as an answer, rows as cases, prompts and copies."""

import pandas as pd
import pytest

from lcstats.cells import count_cells
from lcstats.errors import FormatError
from lcstats.lengths import Criterion, effective_length
from lcstats.readers import read_trials
from lcstats.readers.babilong import LABELS, names_target

pytestmark = pytest.mark.filterwarnings("ignore::lcstats.errors.LcstatsWarning")

PROMPT = "instruction_yes_examples_yes_post_prompt_yes"
HEADER = ",target,output,question"


@pytest.fixture
def babilong(tmp_path):
    """Write files as BABILong does and return the folder of evaluations."""
    folder = tmp_path / "babilong_evals" / "org" / "llama"
    folder.mkdir(parents=True)

    def write(*lines, name=f"qa1_4k_{PROMPT}", header=HEADER):
        (folder / f"{name}.csv").write_text("\n".join([header, *lines, ""]))
        return tmp_path / "babilong_evals"

    return write


def codes(trials):
    return [notice.code for notice in trials.notices]


def right(output, target="office", question="Where is Mary?", task="qa1"):
    texts = [pd.Series([text]) for text in (target, output, question)]
    return names_target(*texts, labels=LABELS[task], is_set=task == "qa8").item()


def test_fields(babilong):
    trials = read_trials(babilong("7,office,The Office.,Where is Mary? "))
    assert trials.reading.format == "babilong"
    row = trials.frame.to_dict("records")[0]
    expected = {
        "model": "org/llama",
        "task": "qa1",
        "case": "7",
        "length": 4096,
        "score": 1.0,
        "status": "ok",
        "guess_rate": pytest.approx(1 / 6),
        "cluster": "7 Where is Mary? office",
        "output": "The Office.",
        "prompt": PROMPT,
    }
    assert {name: row[name] for name in expected} == expected
    assert trials.frame["depth"].isna().all()
    assert codes(trials) == ["length-base"]


@pytest.mark.parametrize(
    ("output", "is_right"),
    [
        ("OFFICE", True),
        ("the office or the garden", False),
        ("the office. Or the garden", True),
        ("office<example>garden", True),
        ("office\n<context>garden", True),
        ("garden", False),
        ("office question: garden", False),
    ],
)
def test_the_target_must_be_the_only_label_of_the_first_sentence(output, is_right):
    assert right(output) == is_right


def test_labels_of_the_question_are_no_answers():
    assert right("Mary gave the milk", "milk", "What did Mary give to Jeff?", task="qa5")
    assert not right("Mary gave Fred", "milk", "What did Mary give to Jeff?", task="qa5")


def test_lists_must_be_complete():
    assert right("milk and apple", "apple,milk", task="qa8")
    assert right("nothing", "nothing", task="qa8")
    assert not right("milk", "apple,milk", task="qa8")
    assert not right("milk, apple, football", "apple,milk", task="qa8")


@pytest.mark.parametrize(
    ("task", "guess_rate"), [("qa1", 1 / 6), ("qa5", 1 / 7), ("qa6", 1 / 2), ("qa10", 1 / 3)]
)
def test_guess_rates(babilong, task, guess_rate):
    trials = read_trials(babilong("0,no,no,Q?", name=f"{task}_4k_{PROMPT}"))
    assert trials.frame["guess_rate"].tolist() == [pytest.approx(guess_rate)]


def test_none_is_an_answer_and_the_official_score_is_at_hand(babilong):
    folder = babilong("0,none,None,How many?", "1,two,,How many?", name=f"qa7_4k_{PROMPT}")
    trials = read_trials(folder)
    assert trials.frame["score"].fillna(-1).tolist() == [1, -1]
    assert trials.frame["status"].tolist() == ["ok", "empty"]
    assert trials.frame["output"].tolist()[0] == "None"
    assert {"empty-outputs", "words-for-missing"} <= set(codes(trials))
    official = read_trials(folder, columns={"score": "official_score"})
    assert official.frame["score"].tolist() == [0, 0]
    assert official.frame["status"].tolist() == ["ok", "ok"]


def test_none_is_not_one():
    assert right("She has none", "none", task="qa7")
    assert not right("She has none", "one", task="qa7")
    assert not right("none or one", "none", task="qa7")
    assert right("one", "one", task="qa7")


def test_no_filler_is_length_0(babilong):
    babilong("0,office,office,Q?", name=f"qa1_0k_{PROMPT}")
    trials = read_trials(babilong("0,office,garden,Q?", name=f"qa1_1M_{PROMPT}"))
    assert trials.frame["length"].tolist() == [0, 1048576]
    assert trials.frame["cluster"].nunique() == 1


def test_lengths_in_thousands(babilong):
    trials = read_trials(babilong("0,office,office,Q?"), length_unit="k1000")
    assert trials.frame["length"].tolist() == [4000]


def test_other_columns_and_lines_in_cells(babilong):
    line = '0,office,"office,\nit is",Q?,1.0'
    trials = read_trials(babilong(line, header="Unnamed: 0,target,output,question,result"))
    assert (trials.n_trials, trials.frame["score"][0]) == (1, 1.0)
    assert trials.frame["result"].tolist() == [1.0]


def test_a_file_without_questions(babilong):
    trials = read_trials(babilong("0,office,office", header=",target,output"))
    assert trials.n_scored == 1
    assert any("no column question" in notice.message for notice in trials.notices)


def test_copies_are_left_out(babilong):
    babilong("0,office,office,Q?")
    trials = read_trials(babilong("0,office,garden,Q?", name=f"qa1_4k_{PROMPT} copy"))
    assert trials.n_trials == 1
    assert "1 copy left out" in trials.notices[0].message


def test_several_prompts_are_tasks_of_their_own(babilong):
    babilong("0,office,office,Q?", name="qa1_4k_a_yes")
    trials = read_trials(babilong("0,office,garden,Q?", name="qa1_4k_a_no"))
    assert trials.tasks == ("qa1 a_no", "qa1 a_yes")
    assert "several-prompts" in codes(trials)


def test_a_header_alone_beside_others(babilong):
    babilong(name=f"qa2_4k_{PROMPT}")
    assert read_trials(babilong("0,office,office,Q?")).n_trials == 1


def test_a_name_without_task_and_length_is_asked_about(babilong):
    with pytest.raises(FormatError, match="give it back the name that BABILong gave it"):
        read_trials(babilong("0,office,office,Q?", name="mine"))


def test_another_folder_is_said(babilong, tmp_path):
    path = next(babilong("0,office,office,Q?").rglob("*.csv"))
    moved = tmp_path / "mine" / path.name
    moved.parent.mkdir()
    moved.write_bytes(path.read_bytes())
    trials = read_trials(moved)
    assert trials.models == ("mine",)
    assert "--model-name NAME" in trials.notices[0].message


@pytest.fixture(scope="module")
def gemini(real_data):
    return read_trials(real_data / "babilong")


def test_published_predictions(gemini):
    assert gemini.n_scored == 36832
    by_task = gemini.frame.groupby(["length", "task"])["score"].mean().unstack()
    means = (100 * by_task.mean(axis=1)).round(1)
    assert means.tolist() == [96.5, 95.4, 93.7, 89.0, 82.3, 74.5, 63.6, 59.4, 48.4, 51.6, 50.6]
    assert max(length for length, mean in means.items() if mean >= 85) == 4096
    assert (100 * by_task["qa1"]).round(1).tolist() == [
        *(100, 99.9, 99.8, 99.5, 99.7, 91.3, 77.2, 75, 66, 61, 57)
    ]


def test_published_predictions_effective_length(gemini):
    cells = count_cells(gemini).select(task="qa1")
    assert cells.grid.lengths.min() == 1024
    assert effective_length(cells, Criterion(0.85)).observed.length == 16384


def test_folders_of_one_name_below_others_are_language_models_of_their_own(tmp_path):
    for organisation, output in (("o1", "office"), ("o2", "garden")):
        folder = tmp_path / organisation / "m"
        folder.mkdir(parents=True)
        text = f",target,output,question\n0,office,{output},Where?\n"
        (folder / "qa1_0k_p.csv").write_text(text)
    trials = read_trials(tmp_path)
    scores = dict(zip(trials.frame["model"], trials.frame["score"], strict=True))
    assert scores == {"o1/m": 1, "o2/m": 0}
    (notice,) = (notice for notice in trials.notices if notice.code == "model-from-folder")
    assert "'o1/m', 'o2/m'" in notice.message
