"""Counting-Stars: stars as needles, answers in JSON of all kinds, sizes as tokens."""

import json

import pytest

from lcstats.readers import read_trials
from lcstats.readers.counting_stars import read_counts

pytestmark = pytest.mark.filterwarnings("ignore::lcstats.errors.LcstatsWarning")


def row(answer, size=3280, right=(3, 9, 17, 28), **changes):
    return {
        "question": "long",
        "context_size": size,
        "retrieval_question": "How many stars did the little penguin count?",
        "reference_counting_results": list(right),
        "parameters": {},
        "answer": answer,
    } | changes


@pytest.fixture
def read(tmp_path):
    def read(*rows, **options):
        path = tmp_path / "gpt-x.jsonl"
        path.write_text("\n".join(json.dumps(item, ensure_ascii=False) for item in rows))
        return read_trials(path, **options)

    return read


def listed(*numbers):
    return json.dumps({"little_penguin": numbers})


def test_fields(read):
    trials = read(row(listed(3, 17, 5)))
    assert trials.reading.format == "counting_stars"
    (found,) = trials.frame.to_dict("records")
    expected = {
        "model": "gpt-x",
        "task": "counting_stars",
        "length": 4000,
        "score": 0.5,
        "n_needles": 4,
        "n_found": 2,
        "needle_depths": [0.25, 0.5, 0.75, 1.0],
        "needle_found": [1, 0, 1, 0],
    }
    assert {name: found[name] for name in expected} == expected
    assert "model-from-file" in {notice.code for notice in trials.notices}


@pytest.mark.parametrize(
    "answer",
    [
        {"little_penguin": [3, 9]},
        listed(3, 9),
        f"```json\n{listed(3, 9)}\n```",
        '{"little_penguin": [3, 9',
        '{"little_penguin": ["3", "9"],}',
    ],
    ids=["object", "text", "fenced", "cut", "broken"],
)
def test_answers_of_all_kinds(answer):
    assert read_counts(answer) == [3, 9]


def test_answers_without_a_list_are_unscored(read):
    trials = read(row(listed()), row("I saw none.", 6560), row("", 9840), row(None, 13120))
    assert trials.frame["status"].tolist() == ["ok", "unparsed", "empty", "error"]
    assert trials.frame["score"].tolist()[0] == 0


def test_lists_are_cut_to_the_number_of_stars(read):
    trials = read(row(listed(1, 2, 4, 3, 9, 17)), row(listed(3, 3, 3, 3, 9), 6560))
    assert trials.frame["score"].tolist() == [0.25, 0.25]


def test_corrected_counts_have_halves_and_quarters(read):
    wrong = {"wrong_counting_results": [4, 8, 16, 29]}
    trials = read(row(listed(3, 9, 8, 16), 3260, **wrong))
    assert trials.tasks == ("counting_stars_corrected",)
    assert trials.frame["score"].tolist() == [(1 + 0.5 + 0.25 + 0) / 4]
    assert trials.frame[["n_found", "length"]].values.tolist() == [[1, 4000]]


def test_chinese_is_a_task_of_its_own_with_characters_per_token(read):
    trials = read(row('{"小企鹅": [3]}', 2900, retrieval_question="小企鹅数了多少颗★?"))
    assert trials.tasks == ("counting_stars_zh",)
    assert trials.frame["length"].tolist() == [4000]


def test_older_files_name_the_size_otherwise(read):
    old = row(listed(3))
    old["sky_size"] = old.pop("context_size")
    assert read(old).frame["length"].tolist() == [4000]


@pytest.mark.parametrize(
    ("question", "unit"), [("How many stars?", "words"), ("小企鹅数了多少颗星星", "characters")]
)
def test_the_size_itself_is_no_length_in_tokens(read, question, unit):
    trials = read(row(listed(3), retrieval_question=question), columns={"length": "case"})
    assert trials.frame["length"].tolist() == [3280]
    assert trials.length_unit == unit
