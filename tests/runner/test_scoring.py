"""Scores of answers as people and language models write them."""

import json

import pytest

from lcstats.errors import OptionError
from lcstats.runner.scoring import AnswerKey, score_output, scorer_name

KEY = AnswerKey(("4829173",), ("1234567",))


def cases_of(folder):
    lines = (folder / "in.jsonl").read_text(encoding="utf-8").splitlines()
    return {case["id"]: case for case in map(json.loads, lines)}


def test_numbers_however_they_are_written(cases_dir):
    right = set("abcdikl")
    cases = cases_of(cases_dir / "53-number-answers")
    scores = {
        name: score_output(case["output"], AnswerKey((case["target"],))).score
        for name, case in cases.items()
    }
    assert scores == {name: float(name in right) for name in "abcdefghijkl"}


def test_contains_forgives_hedging():
    hedged = "4829173 or 1234567"
    assert score_output(hedged, KEY).score == 0.0
    assert score_output(hedged, KEY, strictness="contains").score == 1.0
    assert score_output("48291730", KEY, strictness="contains").score == 0.0


def test_thinking_is_taken_out(cases_dir):
    cases = cases_of(cases_dir / "52-thinking-output")
    scored = {
        name: score_output(
            case["output"], AnswerKey((case["target"],)), finish_reason=case["finish_reason"]
        )
        for name, case in cases.items()
    }
    assert {name: result.score for name, result in scored.items()} == {
        "a": 1.0,
        "b": 0.0,
        "c": None,
        "d": None,
        "e": 1.0,
        "f": 1.0,
    }
    assert scored["c"].status == scored["d"].status == "budget_exhausted"


def test_wording_is_not_measured(cases_dir):
    cases = cases_of(cases_dir / "56-judge-measures-wording")
    scores = [score_output(c["output"], AnswerKey((c["key"],))).score for c in cases.values()]
    assert scores == [1.0, 1.0, 1.0, 0.0]


@pytest.mark.parametrize(
    ("output", "status"),
    [
        ("", "empty"),
        (None, "empty"),
        ("  \n", "empty"),
        ("I'm sorry, but I can't help with that.", "refused"),
        ("I cannot assist with this request.", "refused"),
        ("I\u2019m sorry, but I can\u2019t help with that.", "refused"),
        ("I can't provide access codes.", "refused"),
        ("I cannot be sure, but it is 4829173.", "ok"),
        ("The text does not say.", "ok"),
    ],
)
def test_what_is_no_answer_has_a_status(output, status):
    scored = score_output(output, KEY)
    assert scored.status == status
    assert (scored.score is None) == (status != "ok")


@pytest.mark.parametrize(
    "output",
    [
        "I cannot find the access code for amber falcon in the text.",
        "I'm sorry, but the text does not mention it.",
        "I am unable to determine the code from the passage.",
        "I cannot provide the code because it is not in the document.",
    ],
)
def test_what_was_looked_for_and_not_found_is_wrong_and_no_refusal(output):
    assert score_output(output, KEY).score == 0.0


@pytest.mark.parametrize(
    "output",
    [
        "[THINK]1234567[/THINK]4829173",
        "\u25c1think\u25b71234567\u25c1/think\u25b74829173",
        "<|channel|>analysis<|message|>1234567<|end|><|channel|>final<|message|>4829173",
    ],
)
def test_thinking_in_other_tags_is_taken_out(output):
    assert score_output(output, KEY).score == 1.0
    open_one = score_output(output.replace("4829173", "<think>4829173"), KEY)
    assert open_one.status == "budget_exhausted"


def test_small_numbers_beside_the_answer_do_not_contradict_it():
    assert score_output("1. The code, on line 12, is 4829173.", KEY).score == 1.0


@pytest.mark.parametrize(
    ("output", "score"),
    [
        ("4829173 (as of 2024)", 1.0),
        ("4829173, on page 2135", 1.0),
        ("4829173; there are 12345 others", 1.0),
        ("4829173 for crate 1574", 0.0),
        ("4829173 or 7654321", 0.0),
        ("4829173 or 1234567", 0.0),
        ("2024", 0.0),
    ],
)
def test_only_wrong_values_and_numbers_of_its_form_contradict_an_answer(output, score):
    key = AnswerKey(("4829173",), ("1234567", "1574"))
    assert score_output(output, key).score == score


def test_a_short_number_has_no_form_of_its_own():
    assert score_output("42 of 50", AnswerKey(("42",))).score == 1.0
    assert score_output("42 or 50", AnswerKey(("42",), ("50",))).score == 0.0


def test_several_answers_are_graded_and_wrong_ones_take_away():
    key = AnswerKey(("1111111", "2222222", "3333333", "4444444"), ("5555555",))
    assert score_output("1111111 and 2222222", key).score == 0.5
    assert score_output("1111111, 2222222, 5555555", key).score == 0.25
    assert score_output("5555555, 6666666", key).score == 0.0
    assert score_output("1,111,111; 2222222; 3333333; 4444444", key).score == 1.0
    assert score_output("1111111", key).found == (True, False, False, False)


def test_words_are_whole_words_in_any_case():
    key = AnswerKey(("Fenika",), ("Doren",), "words")
    assert score_output("It was FENIKA.", key).score == 1.0
    assert score_output("Fenika\u200a", key).score == 1.0
    assert score_output("Fenikas", key).score == 0.0
    assert score_output("_Fenika_", key).score == 1.0
    assert score_output("Fenika or Doren", key).score == 0.0


@pytest.mark.parametrize(
    ("output", "score"),
    [
        ("B", 1.0),
        ("(b)", 1.0),
        ("B. The second", 1.0),
        ("The answer is B", 1.0),
        ("Because of A, the answer is (B).", 1.0),
        ("C", 0.0),
        ("A or B", 0.0),
        ("I think B", 1.0),
        ("I choose B.", 1.0),
        ("**B. The second, which goes on for more than forty characters**", 1.0),
        ("The correct answer is **B** because the text says so further down.", 1.0),
        ("The correct answer is option B because the text says so further down.", 1.0),
        ("The answer is A or B, nobody can tell which of these two is right.", 0.0),
        ("The answer is C", 0.0),
    ],
)
def test_choices(output, score):
    key = AnswerKey(("B",), ("A", "C", "D"), scorer="choice")
    assert score_output(output, key).score == score


def test_a_choice_that_is_none_is_unparsed():
    scored = score_output(
        "All of these have something to be said for them.", AnswerKey(("B",), scorer="choice")
    )
    assert scored.status == "unparsed"


def test_the_scorer_has_a_name_with_a_version():
    assert scorer_name("words", "contains") == "words-contains/2"
    with pytest.raises(OptionError, match="strictness='strict'"):
        score_output("a", KEY, strictness="lenient")
