"""Lengths at which nothing is scored: no tested ones, and the sentence says so."""

import pandas as pd
import pytest

from lcstats.cells import count_cells
from lcstats.lengths import Criterion, EffectiveLength, effective_length
from lcstats.trials import Trials

pytestmark = pytest.mark.filterwarnings("ignore::lcstats.errors.LcstatsWarning")


def answer(right):
    """Return the answer on 20 cases a length; None for a length whose requests all failed."""
    rows = [
        {
            "length": length,
            "depth": 0.5,
            "score": None if n_right is None else int(case < n_right),
            "status": "timeout" if n_right is None else "ok",
        }
        for length, n_right in right.items()
        for case in range(20)
    ]
    cells = count_cells(Trials.from_frame(pd.DataFrame(rows)))
    return effective_length(cells, Criterion(0.85))


@pytest.mark.parametrize(
    ("right", "passed_over", "said"),
    [
        ({4096: 20, 8192: None, 16384: 20, 32768: 0}, (8192,), "passes over 8192, where nothing"),
        ({4096: None, 8192: None, 16384: 20}, (4096, 8192), "passes over 4096 and 8192, where"),
        ({4096: 20, 8192: 0, 16384: None}, (16384,), "No trial at 16384 tokens is scored: nothing"),
        ({4096: 0, 8192: None, 16384: 0}, (8192,), "No trial at 8192 tokens is scored: nothing"),
        (
            {4096: 20, 8192: None, 16384: 20, 32768: None},
            (8192, 32768),
            "No trial at 8192 and 32768 tokens is scored: the answer passes over 8192, where",
        ),
    ],
    ids=["between", "below", "beyond", "none passes", "both"],
)
def test_the_sentence_names_them_and_those_the_answer_reaches_across(right, passed_over, said):
    found = answer(right)
    assert found.passed_over == passed_over
    assert said in found.sentence()
    assert EffectiveLength.from_dict(found.to_dict()).sentence() == found.sentence()


def test_a_length_with_some_scores_is_a_tested_one():
    found = answer({4096: 20, 8192: 20})
    assert found.passed_over == ()
    assert "is scored" not in found.sentence()
