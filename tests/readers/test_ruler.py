"""RULER: shares of answers, indices that are no identity, summaries as counts, NeMo-Skills."""

import json
import re

import pytest

from lcstats.cells import Cells, count_cells
from lcstats.errors import FormatError, OptionError
from lcstats.readers import read_trials
from lcstats.readers.ruler.summaries import sum_of_mean

pytestmark = pytest.mark.filterwarnings("ignore::lcstats.errors.LcstatsWarning")


def prediction(index, pred, outputs, **more):
    row = {"index": index, "pred": pred, "input": "", "outputs": outputs}
    return row | {"others": {}, "truncation": -1, "length": 4001} | more


@pytest.fixture
def ruler(tmp_path):
    """Write prediction files as RULER does, by length and task, and return the suite's folder."""

    def write(rows, task="niah_multivalue", length=4096, model="llama"):
        folder = tmp_path / model / "synthetic" / str(length) / "pred"
        folder.mkdir(parents=True, exist_ok=True)
        text = "".join(json.dumps(row) + "\n" for row in rows)
        (folder / f"{task}.jsonl").write_text(text)
        return tmp_path / model

    return write


def codes(result):
    return [notice.code for notice in result.notices]


def test_fields(ruler):
    trials = read_trials(ruler([prediction(0, "7 and\x009", ["7", "8", "9", "10"])]))
    assert trials.reading.format == "ruler"
    row = trials.frame.to_dict("records")[0]
    expected = {
        "model": "llama",
        "task": "niah_multivalue",
        "case": "0",
        "repeat": 1,
        "length": 4096,
        "score": 0.5,
        "status": "ok",
        "n_needles": 4,
        "n_found": 2,
        "output": "7 and\x009",
        "length_in_file": 4001,
    }
    assert {name: row[name] for name in expected} == expected
    assert trials.frame["depth"].isna().all()
    assert "tokens_received" not in trials.frame
    assert trials.notices == ()


def test_letter_case_is_set_aside_and_any_answer_will_do_for_questions(ruler):
    ruler([prediction(0, "in PARIS, france", ["Paris", "Rome"])], task="qa_1")
    folder = ruler([prediction(0, "PARIS", ["paris", "rome"])], task="vt")
    trials = read_trials(folder)
    assert dict(zip(trials.frame["task"], trials.frame["score"], strict=True)) == {
        "qa_1": 1.0,
        "vt": 0.5,
    }
    assert trials.frame.set_index("task")["n_needles"].isna()["qa_1"]


def test_an_index_that_several_prompts_share_is_no_identity(ruler):
    rows = [prediction(71, "a", ["a"]), prediction(71, "a", ["b"]), prediction(9, "c", ["c"])]
    trials = read_trials(ruler(rows, task="niah_single_1"))
    assert trials.n_trials == 3
    assert trials.frame["case"].nunique() == 3
    assert trials.frame["case"][2] == "9"
    assert all(re.fullmatch(r"71 \([0-9a-f]{8}\)", case) for case in trials.frame["case"][:2])
    assert trials.frame["repeat"].tolist() == [1, 1, 1]


def test_an_index_of_another_length_or_task_is_another_case(ruler):
    for task in ("niah_single_1", "vt"):
        for length in (4096, 8192):
            folder = ruler([prediction(0, "a", ["a"])], task=task, length=length)
    trials = read_trials(folder)
    assert (trials.n_trials, trials.n_cases) == (4, 4)


def test_copies_are_dropped_and_other_predictions_are_repeats(ruler):
    rows = [prediction(0, "a", ["a"]), prediction(0, "a", ["a"]), prediction(0, "b", ["a"])]
    trials = read_trials(ruler(rows))
    assert trials.frame["repeat"].tolist() == [1, 2]
    assert trials.reading.n_duplicates == 1


def test_empty_predictions_have_no_score(ruler):
    rows = [prediction(0, "a", ["a"]), prediction(1, " \n", ["a"]), prediction(2, None, ["a"])]
    trials = read_trials(ruler(rows))
    assert trials.frame["status"].tolist() == ["ok", "empty", "error"]
    assert trials.n_scored == 1
    assert any("1 output empty" in notice.message for notice in trials.notices)
    official = read_trials(ruler(rows), columns={"score": "official_score"})
    assert official.frame["score"].fillna(-1).tolist() == [1, 0, -1]


def test_chunks_are_one_task(ruler):
    ruler([prediction(0, "a", ["a"])], task="vt-0")
    trials = read_trials(ruler([prediction(1, "a", ["a"])], task="vt-1"))
    assert trials.tasks == ("vt",)
    assert count_cells(trials).grid.n_cases.tolist() == [[2]]


@pytest.mark.parametrize("index", [0, 7, 30])
def test_the_place_of_the_answer_can_be_the_depth(ruler, index):
    rows = [prediction(index, "42", ["42"], input="x" * 30 + "42" + "x" * 8)]
    folder = ruler(rows, task="niah_single_1")
    plain = read_trials(folder)
    assert plain.frame[["answer_position", "answer_tenth"]].values.tolist() == [[0.75, 0.75]]
    assert plain.frame["depth"].isna().all()
    assert "no-depths" in {notice.code for notice in plain.notices}
    trials = read_trials(folder, columns={"depth": "answer_position"})
    assert trials.frame["depth"].tolist() == [0.75]


def test_prompts_are_not_kept(ruler):
    trials = read_trials(ruler([prediction(0, "a", ["a"], input="long")]))
    assert "input" not in trials.frame


def test_large_files_are_read_line_by_line(ruler):
    rows = [prediction(i, "a", ["a"], input="x" * 1000) for i in range(1500)]
    folder = ruler(rows)
    assert read_trials(folder).n_scored == 1500
    path = next(folder.rglob("*.jsonl"))
    path.write_text(path.read_text() + '{"index": 1500, "pr')
    trials = read_trials(folder)
    assert trials.n_scored == 1500
    assert "cut-line" in codes(trials)


def test_a_path_without_a_length_is_asked_about(tmp_path):
    path = tmp_path / "vt.jsonl"
    path.write_text(json.dumps(prediction(0, "a", ["a"])) + "\n")
    with pytest.raises(FormatError, match="give the folders back the names"):
        read_trials(path)
    trials = read_trials(path, columns={"length": "length"})
    assert trials.frame["length"].tolist() == [4001]


def test_folders_that_ruler_did_not_make_are_said(tmp_path):
    folder = tmp_path / "mine" / "suite" / "4096" / "pred"
    folder.mkdir(parents=True)
    (folder / "vt.jsonl").write_text(json.dumps(prediction(0, "a", ["a"])) + "\n")
    trials = read_trials(folder)
    assert trials.models == ("mine",)
    assert "--model-name NAME" in trials.notices[0].message
    assert read_trials(folder, model_name="llama").models == ("llama",)


def test_files_beside_predictions_are_left_out(ruler):
    folder = ruler([prediction(0, "a", ["a"])], task="vt")
    pred = folder / "synthetic" / "4096" / "pred"
    (pred / "summary.csv").write_text("0,1\nTasks,vt\nScore,100.0\nNulls,0/1\n")
    (pred / "submission.csv").write_text("Task,ID,Prediction\nvt,0,a\n")
    data = pred.parent / "data" / "vt"
    data.mkdir(parents=True)
    prompt = {"index": 0, "input": "p", "outputs": ["a"], "length": 4001}
    (data / "validation.jsonl").write_text(json.dumps(prompt) + "\n")
    trials = read_trials(folder)
    assert trials.n_trials == 1
    assert "3 files without trials of their own" in trials.notices[0].message


def test_predictions_without_references_are_refused(tmp_path):
    path = tmp_path / "submission.csv"
    path.write_text("Task,ID,Prediction\nvt,0,a\n")
    with pytest.raises(FormatError, match=r"without their references.*summary\.csv.*name one"):
        read_trials(path)


def summary(tmp_path, text, name="summary.csv"):
    folder = tmp_path / "llama" / "synthetic" / "4096" / "pred"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(text)
    return folder


def test_a_summary_is_cells(tmp_path):
    folder = summary(tmp_path, "0,1,2\nTasks,fwe,avg\nScore,76.67,76.67\nNulls,1/10,\n")
    cells = read_trials(folder)
    assert isinstance(cells, Cells)
    assert cells.aggregate_only
    grid = cells.grid
    assert (grid.model, grid.task, grid.lengths.tolist()) == ("llama", "fwe", [4096])
    assert (grid.n_cases.item(), grid.numerators.item(), grid.unit) == (10, 23, 3)
    assert "1 output empty" in cells.notices[0].message


def test_a_task_of_its_own_gives_way_to_the_summary(tmp_path):
    summary(tmp_path, "0,1\nTasks,vt\nScore,100.0\nNulls,0/2\n", name="summary-vt.csv")
    folder = summary(tmp_path, "0,1\nTasks,vt\nScore,50.0\nNulls,0/10\n")
    cells = read_trials(folder)
    assert (cells.grid.n_cases.item(), cells.grid.successes.item()) == (10, 5)
    assert "summary-twice" in codes(cells)


@pytest.mark.parametrize(
    ("text", "mend"),
    [
        ("0,1\nTasks,vt\nScore,100.0\n", "no row Nulls.*read pred/TASK"),
        (
            "0,1\nTasks,vt\nScore,100.0\nNulls,many\n",
            "nulls 'many'.*such as 0/500.*evaluate.py again",
        ),
        ("0,1\nTasks,vt\nScore,101\nNulls,0/1\n", "a percentage.*evaluate.py again"),
        ("0,1\nTasks,vt\nScore,high\nNulls,0/1\n", "the score 'high'"),
        ("0,1,2\nTasks,vt,\nScore,100.0,50\nNulls,0/1,0/1\n", "task '' has.*expected a name"),
        ("0,1\nTasks,vt\nScore,\nNulls,0/1\n", "the score ''.*evaluate.py again"),
        ("0,1\nTasks,vt\nScore,50.0\nNulls,\n", "the nulls ''.*evaluate.py again"),
        ("0,1\n,vt\nTasks,vt\nScore,50.0\n", "no row Nulls"),
    ],
)
def test_a_summary_that_cannot_be_used(tmp_path, text, mend):
    with pytest.raises(FormatError, match=mend):
        read_trials(summary(tmp_path, text))


def test_means_have_no_threshold(tmp_path):
    folder = summary(tmp_path, "0,1\nTasks,vt\nScore,100.0\nNulls,0/2\n")
    with pytest.raises(OptionError, match="leave out --score-threshold"):
        read_trials(folder, score_threshold=0.5)


def test_a_mean_of_other_parts_is_taken_as_it_is():
    assert sum_of_mean(0.3333, 10, 1) == pytest.approx(3.333)
    assert sum_of_mean(0.9914, 500, 10) == 495.7


def means(cells):
    frame = cells.to_frame()
    return (100 * frame.groupby("length")["accuracy"].mean()).round(2).to_dict()


def test_published_summaries_of_llama(real_data):
    cells = read_trials(real_data / "ruler" / "llama3_8b_262k")
    assert means(cells) == {
        4096: 92.42,
        8192: 89.35,
        16384: 89.23,
        32768: 84.56,
        65536: 78.83,
        131072: 75.17,
    }
    assert len(cells) == 13
    assert cells.to_frame()["n_cases"].sum() == 890
    assert max(length for length, mean in means(cells).items() if mean >= 85.6) == 16384


def test_published_summary_of_mistral(real_data):
    cells = read_trials(real_data / "ruler" / "mistral_7b_4096")
    assert means(cells) == {4096: 93.34}
    assert cells.to_frame()["n_cases"].sum() == 6500


def test_a_summary_with_empty_predictions(cases_dir):
    cells = read_trials(cases_dir / "06-transposed-ruler-summary" / "m-a")
    assert means(cells) == {8192: 83.47, 16384: 76.07}
    assert any("46 outputs empty" in notice.message for notice in cells.notices)


@pytest.fixture
def nemo(tmp_path):
    """Write rows as NeMo-Skills does and return the file."""

    def write(*rows, setup="llama-3_128k", task="qa_1", name="output.jsonl"):
        folder = tmp_path / "eval-results" / f"ruler.{setup}.{task}"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("".join(json.dumps(row) + "\n" for row in rows))
        return tmp_path / "eval-results"

    return write


NEMO = {"index": 3, "question": "q", "expected_answer": ["a", "b"], "length": 131000}


def test_nemo_skills(nemo):
    trials = read_trials(nemo(NEMO | {"generation": "a", "is_correct": 1.0}))
    assert trials.reading.format == "nemo_ruler"
    row = trials.frame.to_dict("records")[0]
    assert (row["model"], row["task"], row["case"]) == ("llama-3", "qa_1", "3")
    assert (row["length"], row["score"], row["output"]) == (131072, 1.0, "a")
    assert codes(trials) == ["length-base"]


def test_nemo_skills_scores_that_are_missing(nemo):
    path = nemo(NEMO | {"generation": "a"}, setup="m-4096", task="vt")
    assert read_trials(path).frame["score"].tolist() == [0.5]


def test_nemo_skills_seeds_are_repeats(nemo):
    for seed in (0, 1):
        folder = nemo(NEMO | {"generation": "a"}, setup="m-4096", name=f"output-rs{seed}.jsonl")
    assert read_trials(folder).frame["repeat"].tolist() == [1, 2]


def test_nemo_skills_in_another_folder(tmp_path):
    path = tmp_path / "output.jsonl"
    path.write_text(json.dumps(NEMO | {"generation": "a"}) + "\n")
    with pytest.raises(FormatError, match="give it back the name that NeMo-Skills gave it"):
        read_trials(path)


def test_chunks_whose_indices_collide_are_cases_of_their_own(ruler):
    ruler([prediction(17, "", ["a1"]), prediction(30, "a2", ["a2"])], task="niah_single_1-0")
    rows = [prediction(17, "no", ["b1"]), prediction(31, "b2", ["b2"])]
    trials = read_trials(ruler(rows, task="niah_single_1-1"))
    assert (trials.n_trials, trials.n_cases, trials.n_scored) == (4, 4, 3)
    assert trials.frame["score"].fillna(-1).tolist() == [-1, 1, 0, 1]
    assert trials.frame["case"].tolist()[1::2] == ["30", "31"]
    assert trials.frame["repeat"].tolist() == [1, 1, 1, 1]


def test_summaries_of_what_has_no_predictions_are_named(ruler):
    folder = ruler([prediction(0, "a", ["a"])], task="vt")
    for length, tasks in ((4096, "vt,fwe"), (8192, "vt")):
        pred = folder / "synthetic" / str(length) / "pred"
        pred.mkdir(parents=True, exist_ok=True)
        scores = ",".join(["50.0"] * len(tasks.split(",")))
        nulls = scores.replace("50.0", "0/4")
        text = f"0,1,2\nTasks,{tasks}\nScore,{scores}\nNulls,{nulls}\n"
        (pred / "summary.csv").write_text(text)
    trials = read_trials(folder)
    assert codes(trials) == ["means-left-out"]
    assert "2 files with means of tasks without predictions" in trials.notices[0].message
    assert "8192/pred/summary.csv; read them by themselves" in trials.notices[0].message


def test_nemo_skills_empty_generations_are_said(nemo):
    rows = [NEMO | {"generation": "", "is_correct": 0.0}, NEMO | {"generation": "a", "index": 4}]
    folder = nemo(*rows, setup="m-4096", task="vt")
    trials = read_trials(folder)
    assert trials.frame["status"].tolist() == ["empty", "ok"]
    assert any("1 output empty" in notice.message for notice in trials.notices)
    official = read_trials(folder, columns={"score": "official_score"})
    assert official.frame["score"].tolist() == [0, 0.5]


@pytest.mark.parametrize("name", ["average score", "AVG.", "task_avg", "wAvg. (inc)", "Mean"])
def test_an_average_is_no_task(tmp_path, name):
    folder = summary(tmp_path, f"0,1,2\nTasks,vt,{name}\nScore,50.0,60.0\nNulls,0/10,0/10\n")
    grid = read_trials(folder).grid
    assert (grid.task, grid.n_cases.item(), grid.successes.item()) == ("vt", 10, 5)


def test_a_task_that_a_summary_lists_twice_is_refused(tmp_path):
    folder = summary(tmp_path, "0,1,2\nTasks,vt,vt\nScore,50.0,60.0\nNulls,0/10,0/10\n")
    with pytest.raises(FormatError, match=r"lists vt more than once.*remove the other columns"):
        read_trials(folder)


@pytest.mark.parametrize("value", [50, -0.5, 1.5])
def test_nemo_skills_shares_outside_0_to_1_are_named(nemo, value):
    rows = [NEMO | {"generation": "a", "is_correct": mark} for mark in (True, value)]
    path = nemo(*rows)
    mend = rf"line 2: is_correct is {value}; expected .*a number from 0 to 1.*mend the value"
    with pytest.raises(FormatError, match=mend):
        read_trials(path)


def roots(ruler, tmp_path):
    """Write two runs of one name, whose second prediction differs, and return their folder."""
    for run, second in (("a", "9"), ("b", "8")):
        rows = [prediction(0, "7", ["7"]), prediction(1, second, ["8"])]
        ruler(rows, task="niah_single_1", model=f"{run}/llama")
    return tmp_path


def test_two_runs_in_folders_of_one_name_are_language_models_of_their_own(ruler, tmp_path):
    trials = read_trials(roots(ruler, tmp_path))
    assert trials.models == ("a/llama", "b/llama")
    assert trials.frame.groupby("model")["score"].mean().tolist() == [0.5, 1]
    (notice,) = trials.notices
    assert "if they are runs of one, pass model_name='llama' (--model-name llama)" in notice.message


def test_two_runs_of_a_named_language_model_are_repeats(ruler, tmp_path):
    trials = read_trials(roots(ruler, tmp_path), model_name="llama")
    assert (trials.n_trials, trials.n_cases) == (4, 2)
    assert sorted(trials.frame["repeat"]) == [1, 1, 2, 2]
    assert codes(trials)[0] == "several-runs"
    assert count_cells(trials).grid.accuracy.tolist() == [[0.75]]


def test_a_name_does_not_join_two_language_models(ruler, tmp_path):
    for model in ("llama", "qwen"):
        ruler([prediction(0, "7", ["7"])], model=model)
    with pytest.raises(OptionError, match="holds 2 language models"):
        read_trials(tmp_path, model_name="mine")


def test_summaries_of_two_runs_of_one_name(tmp_path):
    for run, score in (("a", "50.0"), ("b", "90.0")):
        folder = tmp_path / run / "llama" / "synthetic" / "4096" / "pred"
        folder.mkdir(parents=True)
        (folder / "summary.csv").write_text(f"0,1\nTasks,qa_1\nScore,{score}\nNulls,0/10\n")
    cells = read_trials(tmp_path)
    assert [(grid.model, grid.accuracy[0, 0]) for grid in cells.grids] == [
        ("a/llama", 0.5),
        ("b/llama", 0.9),
    ]
    assert "several-roots" in codes(cells)


def test_nemo_skills_runs_in_folders_of_one_name(nemo, tmp_path):
    for run in ("a", "b"):
        folder = tmp_path / run / "ruler.m-4096.vt"
        folder.mkdir(parents=True)
        (folder / "output.jsonl").write_text(json.dumps(NEMO | {"generation": run}) + "\n")
    assert read_trials(tmp_path).models == ("a/m", "b/m")
    named = read_trials(tmp_path, model_name="m")
    assert (named.n_cases, named.frame["repeat"].tolist()) == (1, [1, 2])
