"""Puzzles: answers that nobody can guess, distractors of the same form, controls, own cases."""

import json

import pytest

from lcstats.errors import FormatError, OptionError, TableError
from lcstats.runner import Design, parse_task
from lcstats.runner.keys import make_rng
from lcstats.runner.own_design import design_own_cases
from lcstats.runner.tasks import TASKS
from lcstats.runner.tasks.own_cases import read_own_cases
from lcstats.runner.tokens import BuiltinTokenizer


def puzzles(name, length=2048, count=30):
    task = parse_task(name)
    return [task.make(make_rng(seed, name), length) for seed in range(count)]


@pytest.mark.parametrize("name", TASKS)
def test_answers_are_not_in_the_question_and_differ_between_cases(name):
    made = puzzles(name)
    answers = [answer for puzzle in made for answer in puzzle.answers]
    assert len(set(answers)) > 0.9 * len(answers)
    assert all(answer not in p.question for p in made for answer in p.answers)
    assert all(not set(p.answers) & set(p.wrong) for p in made)


def test_the_number_of_distractors_is_as_asked_or_grows():
    assert len(puzzles("distractors:n_distractors=8")[0].wrong) == 8
    assert len(puzzles("growing-distractors", 4096)[0].wrong) == 16
    assert puzzles("distractors")[0].guess_rate == 0.25


def test_matching_words_do_not_answer_two_hops():
    for puzzle in puzzles("two-hop"):
        answer = next(p.piece for p in puzzle.placed if puzzle.answers[0] in p.piece)
        who = puzzle.question.split(" lives")[0].split()[-1]
        assert who not in answer


def test_a_chain_names_its_value_once_and_in_order():
    for puzzle in puzzles("variable-tracking:n_hops=3"):
        own = [p for p in puzzle.placed if p.is_evidence]
        assert [p.place for p in own] == sorted(p.place for p in own)
        assert sum(puzzle.answers[0] in p.piece for p in puzzle.placed) == 1
        assert own[-1].piece.split()[1] in puzzle.question


@pytest.mark.parametrize("length", [512, 4096])
def test_the_frequent_words_are_the_most_frequent_ones(length):
    from collections import Counter

    from lcstats.runner import NeutralFiller
    from lcstats.runner.prompts import Press

    puzzle = puzzles("aggregation", length)[0]
    prompt = Press(BuiltinTokenizer(), NeutralFiller()).build(puzzle, length, None, rng=make_rng(1))
    text = prompt.messages[0]["content"].partition("\n\n")[2].rpartition("\n\n")[0]
    counts = Counter(text.replace(".", "").split())
    assert {word for word, _ in counts.most_common(3)} == set(puzzle.answers)


def test_controls_take_the_context_away():
    closed = puzzles("single-needle.closed-book")[0]
    bare = puzzles("single-needle.no-filler")[0]
    assert closed.placed == ()
    assert len(bare.placed) == 1
    assert not closed.is_filled
    assert not bare.is_filled


@pytest.mark.parametrize(
    ("label", "mend"),
    [
        ("single-nedle", "pass --task single-needle"),
        ("distractors:n=3", "write distractors:n_distractors=4"),
        ("distractors:n_distractors=x", "write distractors:n_distractors=4"),
        ("two-hop.closed", "write two-hop.closed-book"),
        ("aggregation.no-filler", "write aggregation.closed-book"),
        ("coreference:n_alike=9", "write coreference:n_alike=8"),
        ("distractors:n_distractors=0", "pass n_distractors=1"),
    ],
)
def test_a_wrong_label_is_refused(label, mend):
    with pytest.raises(OptionError, match=mend):
        parse_task(label)


def test_cases_of_ones_own_go_to_the_row_that_holds_them(tmp_path):
    path = tmp_path / "law.jsonl"
    lines = [
        {"id": "a", "context": "word " * 1500, "question": "Which?", "answers": ["42"]},
        {"id": "b", "prompt": "Pick one.", "answer": "B", "choices": ["x", "y", "z", "w"]},
        {"context": "c", "question": "Pick.", "answer": "y", "choices": ["x", "y"], "task": "t"},
    ]
    path.write_text("\n".join(map(json.dumps, lines)) + "\n")
    cases = read_own_cases(path)
    assert [case.label for case in cases] == ["law", "law", "t"]
    assert [case.puzzle.scorer for case in cases] == ["number", "choice", "choice"]
    assert [case.puzzle.guess_rate for case in cases] == [0.0, 0.25, 0.5]
    assert cases[2].puzzle.answers == ("B",)
    assert "A. x\nB. y" in cases[2].puzzle.prompt
    design = design_own_cases(cases, (), BuiltinTokenizer())
    assert [cell.length for cell in design.cells] == [2048, 1024, 1024]
    with pytest.raises(OptionError, match="leave --lengths out"):
        design_own_cases(cases, (1024,), BuiltinTokenizer())


@pytest.mark.parametrize(
    ("text", "error", "mend"),
    [
        ("{}\n", TableError, "add what is missing"),
        ('{"prompt": "p", "answer": "1"}\nnot json\n', FormatError, "take it out"),
        ('{"prompt": "p", "answer": "c", "choices": ["a", "b"]}\n', TableError, "the letter"),
        ('{"prompt": "p", "answer": "a", "choices": ["a"]}\n', TableError, "a list of 2 to 26"),
        ('{"prompt": "p", "answer": "a", "choices": ["a", "a"]}\n', TableError, "2 to 26"),
        ('{"prompt": "p", "answer": "A", "choices": {"A": "a"}}\n', TableError, "as text"),
        ('{"prompt": "p", "answer": "A", "choice_A": "a"}\n', TableError, "there is choice_A"),
        ('{"prompt": "p", "answer": " "}\n', TableError, "write answers as text"),
        ('{"prompt": "p", "answers": [["a"]]}\n', TableError, "write answers as text"),
        ('{"prompt": ["p"], "answer": "a"}\n', TableError, "write prompt as text"),
        ('{"prompt": "\\ud800", "answer": "a"}\n', TableError, "write it again"),
        ('{"prompt": "p", "answer": "1", "id": 1}\n' * 2, TableError, "leave ids out"),
        ("\n", TableError, "name another file"),
    ],
)
def test_cases_that_cannot_be_used_are_refused(tmp_path, text, error, mend):
    path = tmp_path / "cases.jsonl"
    path.write_text(text)
    with pytest.raises(error, match=mend):
        read_own_cases(path)


def test_cases_do_not_depend_on_the_language_model_and_stages_are_new_ones():
    task = parse_task("single-needle")
    design = Design.grid([task], [512], [0.5], n_trials=3, seed=4)
    ids = {trial.case("filler") for trial in design.planned()}
    assert ids == {trial.case("filler") for trial in design.planned()}
    assert not ids & {trial.case("other filler") for trial in design.planned()}
    assert not ids & {trial.case("filler") for trial in design.at_stage(1).planned()}
    assert {trial.cluster("filler") for trial in design.planned()} == {None}


def test_prefix_order_shares_haystacks_and_says_so():
    task = parse_task("single-needle")
    design = Design.grid([task], [512], [0.0, 0.5, 1.0], n_trials=2, order="prefix")
    trials = design.planned()
    clusters = [trial.cluster("filler") for trial in trials]
    assert len(set(clusters)) == 2
    assert clusters == sorted(clusters)
    values = {trial.rng("filler").random() for trial in trials[:3]}
    assert len(values) == 1
