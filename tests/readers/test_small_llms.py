"""Lost in the middle with small language models: places from 1, and each one's own documents."""

import json

import pytest

from lcstats.errors import TableError
from lcstats.readers import read_trials

pytestmark = pytest.mark.filterwarnings("ignore::lcstats.errors.LcstatsWarning")


def trial(qa_id, position, correct=True, question="Who?"):
    return {
        "correct": correct,
        "response": "Zentrix.",
        "extracted": "Zentrix",
        "gold_answer": "Zentrix",
        "latency_ms": 1037,
        "qa_id": qa_id,
        "question": question,
        "position": position,
    }


def results(timestamp="2026-02-11T09:12:48", total_docs=100, **models):
    return {
        "timestamp": timestamp,
        "config": {"trials_per_position": 72, "positions": [1], "total_docs": total_docs},
        "models": models,
    }


def run(*trials, **changes):
    return {"model_id": "/models/x", "positions": {}, "raw_results": list(trials), **changes}


@pytest.fixture
def files(tmp_path):
    """Write results files and return their folder."""

    def write(*documents):
        for number, document in enumerate(documents):
            (tmp_path / f"results_{number}.json").write_text(json.dumps(document, indent=2))
        return tmp_path

    return write


def test_fields(files):
    trials = read_trials(files(results(gemma=run(trial("q1", 1), model_name="gemma-2b"))))
    assert trials.reading.format == "small_llms"
    assert trials.length_unit == "documents"
    (row,) = trials.frame.to_dict("records")
    names = ("model", "case", "cluster", "repeat", "length", "depth", "score", "output")
    assert {name: row[name] for name in names} == {
        "model": "gemma-2b",
        "case": "q1: Who?",
        "cluster": "q1: Who?",
        "repeat": 1,
        "length": 100,
        "depth": 0.0,
        "score": 1.0,
        "output": "Zentrix.",
    }
    assert row["latency_s"] == 1.037


def test_place_1_is_the_first_document_and_the_last_the_end(files):
    trials = [trial("q1", position) for position in (1, 50, 100)]
    frame = read_trials(files(results(gemma=run(*trials)))).frame
    assert frame["depth"].tolist() == pytest.approx([0, 49 / 99, 1], abs=1e-9)


def test_a_language_models_own_documents_win(files):
    own = {"positions": [1, 70], "total_docs": 70}
    document = results(gemma=run(trial("q1", 100)), llama=run(trial("q1", 70), config=own))
    frame = read_trials(files(document)).frame
    assert dict(zip(frame["model"], frame["length"], strict=True)) == {"gemma": 100, "llama": 70}
    assert frame["depth"].tolist() == [1.0, 1.0]


def test_a_place_beyond_the_documents_is_refused(files):
    with pytest.raises(TableError, match="the first being 1"):
        read_trials(files(results(gemma=run(trial("q1", 101)))))


def test_questions_pair_and_runs_are_repeats(files):
    first, second = (
        results(time, gemma=run(trial("q1", 1, right), trial("q1", 50)))
        for time, right in (("a", True), ("b", False))
    )
    trials = read_trials(files(first, second))
    assert (trials.n_trials, trials.n_cases) == (4, 2)
    assert trials.frame["repeat"].tolist() == [1, 1, 2, 2]
    assert trials.frame["cluster"].nunique() == 1


def test_an_id_with_other_words_is_another_question(files):
    old = results("a", gemma=run(trial("q1", 1, question="What is the capital?")))
    new = results("b", gemma=run(trial("q1", 1, question="What is the current capital?")))
    assert read_trials(files(old, new)).n_cases == 2


def test_parts_without_their_fields_are_named(files):
    with pytest.raises(TableError, match=r"total_docs is missing.*expected a length"):
        read_trials(files(results(gemma=run(trial("q1", 1), config={"positions": [1]}))))
