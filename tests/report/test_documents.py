import json

import numpy as np
import pandas as pd
import pytest

from lcstats.cells import Cells, count_cells
from lcstats.errors import Notice
from lcstats.lengths import Criterion, effective_length
from lcstats.report.documents import (
    effective_length_document,
    list_warnings,
    read_document,
    to_json,
)
from lcstats.trials import Trials

NOT_TOLD = "ignore::lcstats.errors.LcstatsWarning"


def trials_with_gaps() -> Trials:
    frame = pd.DataFrame(
        {
            "length": [4096, 4096, 8192, 8192, 16384],
            "depth": [0.5, None, 0.5, 0.25, 0.5],
            "score": [1, 0, None, 1, None],
            "status": ["ok", "ok", "timeout", "ok", "error"],
        }
    )
    return Trials.from_frame(frame)


def test_json_is_strict_and_plain():
    document = {
        "a": np.float64("nan"), "b": np.int64(3), "c": (1, np.inf), "d": np.array([0.5]),
        "e": {4096: np.bool_(True)}, "f": "\u30e2\ud800",
    }  # fmt: skip
    text = to_json(document)
    assert text.isascii()
    parsed = json.loads(text, parse_constant=lambda word: pytest.fail(f"{word} in JSON"))
    assert parsed["a"] is None
    assert (parsed["b"], parsed["c"], parsed["d"]) == (3, [1, None], [0.5])
    assert parsed["e"] == {"4096": True}


@pytest.mark.filterwarnings(NOT_TOLD)
def test_trials_are_counted_scored_or_not():
    document = read_document(trials_with_gaps())
    assert (document["n_trials"], document["n_scored"], document["n_unscored"]) == (5, 3, 2)
    assert document["unscored_by_status"] == {"error": 1, "timeout": 1}
    assert document["unscored_by_length"] == {"8192": 1, "16384": 1}
    assert document["n_trials_by_length"] == {"4096": 2, "8192": 2, "16384": 1}
    assert document["depths"] == [0.25, 0.5]
    assert document["n_without_depth"] == 1


@pytest.mark.filterwarnings(NOT_TOLD)
def test_cells_say_the_same_as_the_trials_they_were_counted_from():
    trials = trials_with_gaps()
    document, counted = read_document(trials), read_document(count_cells(trials))
    for field in ("n_trials", "n_scored", "n_unscored", "unscored_by_status", "lengths", "depths",
                  "unscored_by_length", "models", "tasks", "n_trials_by_length"):  # fmt: skip
        assert counted[field] == document[field], field


@pytest.mark.filterwarnings(NOT_TOLD)
def test_needles_are_listed():
    frame = pd.DataFrame(
        {"length": [4096, 8192], "score": [1, 0], "n_needles": [4, 10], "n_found": [4, 3]}
    )
    assert read_document(Trials.from_frame(frame))["n_needles"] == [4, 10]


def test_warnings_are_listed_once():
    notice = Notice("code", "message")
    assert list_warnings([notice, notice]) == [{"code": "code", "message": "message"}]


@pytest.mark.filterwarnings(NOT_TOLD)
def test_shared_warnings_come_first_and_without_group():
    shared = Notice("about-the-table", "said once")
    cells = Cells.from_counts([4096], [0.5], n_cases=1, successes=[[1]])
    cells = Cells(grids=cells.grids, notices=(shared,))
    document = effective_length_document([effective_length(cells, Criterion(0.85))], (shared,))
    assert document["warnings"][0] == shared.to_dict()
    assert all("model" in warning for warning in document["warnings"][1:])
    assert len(document["warnings"]) > 1
