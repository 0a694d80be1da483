"""OpenAI MRCR: bins as lengths, numbers of needles as tasks, grades that stay graded."""

import json

import pandas as pd
import pytest

from lcstats.cells import count_cells
from lcstats.errors import FormatError, TableError
from lcstats.readers import read_trials

pytestmark = pytest.mark.filterwarnings("ignore::lcstats.errors.LcstatsWarning")

ROW = {
    "prompt": "[]",
    "answer": "abcA poem about tapirs",
    "random_string_to_prepend": "abc",
    "n_needles": 4,
    "desired_msg_index": 60,
    "total_messages": 240,
    "n_chars": 24000,
    "model": "gpt-x",
}


@pytest.fixture
def write(tmp_path):
    def write(*changes):
        path = tmp_path / "rows.jsonl"
        path.write_text("\n".join(json.dumps(ROW | change) for change in changes))
        return path

    return write


def codes(trials):
    return {notice.code for notice in trials.notices}


def test_fields(write):
    trials = read_trials(write({"bin_index": 0, "response": "abcA poem", "grade": 0.5}))
    assert trials.reading.format == "mrcr"
    (row,) = trials.frame.to_dict("records")
    expected = {
        "model": "gpt-x",
        "task": "mrcr_4needle",
        "length": 8192,
        "answer_position": 0.25,
        "answer_tenth": 0.25,
        "score": 0.5,
        "output": "abcA poem",
        "bin_middle": 5793,
        "needles_alike": 4,
    }
    assert {name: row[name] for name in expected} == expected
    assert row["case"].startswith("60 of 240 #")
    assert not {"n_needles", "n_found", "prompt"} & row.keys()
    assert trials.frame["depth"].isna().all()
    assert "no-depths" in codes(trials)


def test_tenths_of_the_conversation_are_depths_on_request(write):
    trials = read_trials(
        write({"bin_index": 0, "response": "abc", "desired_msg_index": 239}),
        columns={"depth": "answer_tenth"},
    )
    assert trials.frame["depth"].tolist() == [0.95]
    assert "no-depths" not in codes(trials)


def test_case_23_bins_and_needles(cases_dir):
    (folder,) = cases_dir.glob("23-*")
    trials = read_trials(folder / "in.csv")
    assert trials.reading.format == "mrcr"
    assert "length-bins" in codes(trials)
    frame = trials.frame.set_index(["task", "length"])["score"].sort_index()
    assert trials.tasks == ("mrcr_2needle", "mrcr_8needle")
    assert frame["mrcr_2needle", 8192].tolist() == [0.98, 0.0]
    assert frame["mrcr_2needle", 8192].mean() == pytest.approx(0.49)
    assert frame["mrcr_2needle", 131072] == 0.41
    assert frame["mrcr_8needle"].mean() == pytest.approx(0.43)
    cells = count_cells(trials.select(task="mrcr_8needle"))
    assert cells.grid.lengths.tolist() == [8192]
    assert cells.grid.accuracy.ravel().tolist() == pytest.approx([0.43])
    middles = read_trials(folder / "in.csv", columns={"length": "bin_middle"})
    assert sorted(set(middles.frame["length"])) == [5793, 92682]


def test_answers_without_a_grade_are_graded_by_the_suites_rule(write):
    answers = [ROW["answer"], "A poem about tapirs", "abc", "abcA poem about llamas", None]
    changes = [
        {"bin_index": 0, "response": text, "desired_msg_index": i} for i, text in enumerate(answers)
    ]
    trials = read_trials(write(*changes))
    scores = trials.frame["score"].tolist()
    assert scores[:3] == [1, 0, 0]
    assert 0.5 < scores[3] < 1
    assert trials.frame["status"].tolist() == ["ok"] * 4 + ["error"]
    assert "scored-here" in codes(trials)
    assert read_trials(write(*changes), score_threshold=0.9).frame["score"].sum() == 1


@pytest.mark.parametrize(
    ("fields", "length", "unit"),
    [
        ({"raw_input_tok_cnt": 146252}, 262144, "tokens"),
        ({"token_count": 8192}, 8192, "tokens"),
        ({"token_count": 8193}, 16384, "tokens"),
        ({"context_length": 8000}, 8000, "tokens"),
        ({}, 32768, "characters"),
        ({"bin": "(4096,8192]"}, 8192, "tokens"),
        ({"bin": "(65,536, 131,072]"}, 131072, "tokens"),
    ],
)
def test_lengths(write, fields, length, unit):
    other = {"score": 0.5, "n_chars": 30000, "desired_msg_index": 61}
    trials = read_trials(write({"score": 1.0, **fields}, other | fields))
    assert (trials.frame["length"].unique().tolist(), trials.length_unit) == ([length], unit)
    assert "tokens_received" not in trials.frame


def test_bins_that_are_none_are_refused(write):
    with pytest.raises(FormatError, match=r"line 2: bin is 'long'.*--map length=THEIRS"):
        read_trials(write({"bin": "(4096, 8192]", "score": 1}, {"bin": "long", "score": 1}))


def test_without_any_length_one_is_asked_for(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("n_needles,desired_msg_index,total_messages,score\n2,1,10,0.5\n")
    with pytest.raises(TableError, match=r"no column for length.*--map length=THEIRS"):
        read_trials(path)


def test_a_task_of_its_own_keeps_its_name(write):
    assert read_trials(write({"task": "v2", "bin_index": 0, "score": 1})).tasks == ("v2_4needle",)


def test_tables_of_other_shapes(tmp_path):
    frame = pd.DataFrame([ROW | {"bin_index": 1, "score": 0.25}])
    frame.to_parquet(tmp_path / "a.parquet")
    frame.to_csv(tmp_path / "a.csv", index=False)
    for name in ("a.parquet", "a.csv"):
        trials = read_trials(tmp_path / name)
        assert trials.reading.format == "mrcr"
        assert trials.frame[["length", "score"]].values.tolist() == [[16384, 0.25]]


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"bin_index": -1}, "bin_index is -1; expected one of 0 to 7"),
        ({"bin_index": 8}, "bin_index is 8; expected one of 0 to 7"),
        ({"bin_index": None}, "bin_index is .*; expected one of 0 to 7"),
        ({"bin_index": 1.5}, r"bin_index is 1\.5"),
        ({"token_count": 0}, "token_count is 0; expected a number of at least 1"),
        ({"n_chars": -5}, "n_chars is -5"),
    ],
)
def test_values_that_tell_no_length_are_named(write, fields, message):
    good = dict.fromkeys(fields, 3)
    with pytest.raises(FormatError, match=rf"line 2: {message}.*--map length=THEIRS"):
        read_trials(write(good | {"score": 1}, fields | {"score": 1}))


def test_the_last_bin_ends_at_a_million_tokens(write):
    trials = read_trials(write({"bin_index": 7, "score": 1}))
    assert trials.frame["length"].tolist() == [1048576]


def test_a_grade_of_another_name_is_taken_and_said(write):
    trials = read_trials(write({"bin_index": 0, "response": "abc", "mrcr_score": 0.7}))
    assert trials.frame["score"].tolist() == [0.7]
    assert {"grade-by-name"} <= codes(trials)
    assert "scored-here" not in codes(trials)
    both = {"bin_index": 0, "response": "abc", "mrcr_score": 0.7, "my_ratio": 0.2}
    trials = read_trials(write(both))
    assert trials.frame["score"].tolist() == [0]
    assert {"grade-by-name", "scored-here"} <= codes(trials)
    assert read_trials(write(both), columns={"score": "my_ratio"}).frame["score"].tolist() == [0.2]


@pytest.mark.parametrize(
    ("fields", "theirs", "length", "unit"),
    [
        ({"token_count": 5000}, "n_chars", 30000, "characters"),
        ({"token_count": 5000}, "token_count", 5000, "tokens"),
        ({"bin_index": 8}, "n_chars", 30000, "characters"),
        ({}, "bin_middle", 23170, "characters"),
        ({"bin_index": 0}, "bin_middle", 5793, "tokens"),
    ],
)
def test_another_length_has_its_own_unit(write, fields, theirs, length, unit):
    path = write({"score": 1.0, "n_chars": 30000, **fields})
    trials = read_trials(path, columns={"length": theirs})
    assert (trials.frame["length"].tolist(), trials.length_unit) == ([length], unit)
    assert "length-bins" not in codes(trials)
