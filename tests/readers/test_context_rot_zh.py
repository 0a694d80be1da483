"""The Chinese needle experiment: skipped prompts are not wrong, lengths are characters."""

import json

import pytest

from lcstats.cells import count_cells
from lcstats.readers import read_trials

pytestmark = pytest.mark.filterwarnings("ignore::lcstats.errors.LcstatsWarning")

TRIAL = {
    "experiment_id": 0,
    "model": "gemma3:1b",
    "variant": "traditional",
    "context_length_chars": 500,
    "needle_position": 0.1,
    "trial": 0,
    "needle_id": "N01",
    "question": "鳳梨酥的全球年銷售額是多少？",  # noqa: RUF001
    "expected_answer": "四百七十三億元",
    "model_response": "四百七十三億元。",
    "token_count_actual": 472,
    "token_count_prompt": 472,
    "token_count_output": 8,
    "elapsed_seconds": 2.0,
    "skipped": False,
    "skip_reason": None,
    "model_max_ctx": 32768,
    "evaluation": {"exact_match": True, "char_overlap": 1.0, "is_correct": True},
}
SKIPPED = {
    "context_length_chars": 100000,
    "model_response": None,
    "token_count_prompt": None,
    "skipped": True,
    "skip_reason": "context_length_exceeded",
    "evaluation": {"exact_match": False, "char_overlap": 0.0, "is_correct": False},
}


@pytest.fixture
def rows(tmp_path):
    """Write rows that differ from TRIAL as given, and return their file."""
    path = tmp_path / "gemma3_1b_results.jsonl"

    def write(*changes):
        lines = [json.dumps({**TRIAL, **change}, ensure_ascii=False) for change in changes]
        path.write_text("\n".join([*lines, ""]), encoding="utf-8")
        return path

    return write


def test_fields(rows):
    trials = read_trials(rows({}, {"trial": 5}))
    assert trials.reading.format == "context_rot_zh"
    assert trials.length_unit == "characters"
    row = trials.frame.to_dict("records")[1]
    expected = {
        "model": "gemma3:1b",
        "task": "traditional",
        "case": "N01 trial 5",
        "length": 500,
        "tokens_received": 472,
        "depth": 0.1,
        "score": 1.0,
        "cluster": "N01",
        "output": "四百七十三億元。",
        "latency_s": 2.0,
    }
    assert {name: row[name] for name in expected} == expected
    assert "evaluation" not in trials.frame


def test_skipped_prompts_are_unscored_whatever_the_file_says(rows):
    trials = read_trials(rows({}, SKIPPED, SKIPPED | {"trial": 1, "skip_reason": "other"}))
    assert trials.frame["status"].tolist() == ["ok", "context_exceeded", "skipped"]
    assert trials.frame["score"].isna().tolist() == [False, True, True]
    grid = count_cells(trials).grid
    assert grid.lengths.tolist() == [500]
    assert dict(grid.unscored[100000]) == {"context_exceeded": 1, "skipped": 1}


def test_a_row_without_a_response_is_an_error(rows):
    trials = read_trials(rows({}, {"trial": 1, "model_response": None}))
    assert trials.frame["status"].tolist() == ["ok", "error"]


def test_variants_are_tasks(rows):
    trials = read_trials(rows({}, {"variant": "simplified"}))
    assert trials.tasks == ("traditional", "simplified")
    assert trials.n_cases == 2
