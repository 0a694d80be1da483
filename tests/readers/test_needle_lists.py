"""Lists of LWM and MInference: rounds are cases and haystacks, numbers lead to depths."""

import json

import pytest

from lcstats.errors import FormatError
from lcstats.readers import read_trials

pytestmark = pytest.mark.filterwarnings("ignore::lcstats.errors.LcstatsWarning")

ONE = {
    "context_length": 32000,
    "depth_percent": 50.0,
    "response": "It is 1234567.",
    "answer": "1234567",
    "correct": True,
    "seed": 0,
}
SEVERAL = {
    "context_length": 32000,
    "needles_info": {"Lima": ["1111111", 0], "Oslo": ["2222222", 50], "Doha": ["3333333", 100]},
    "question": "What are the special magic numbers for Doha, and Lima?",
    "answer": ["3333333", "1111111"],
    "response": "1111111",
    "correct": [False, True],
    "seed": 1,
}


@pytest.fixture
def listed(tmp_path):
    """Write a list of trials and return its file."""
    path = tmp_path / "results.json"

    def write(*trials):
        path.write_text(json.dumps(trials))
        return path

    return write


def test_one_needle(listed):
    trials = read_trials(listed(ONE, {**ONE, "correct": False, "seed": 1}))
    assert trials.reading.format == "lwm_needle"
    row = trials.frame.to_dict("records")[1]
    expected = {
        "model": "model",
        "task": "default",
        "case": "1",
        "repeat": 1,
        "length": 32000,
        "depth": 0.5,
        "score": 0.0,
        "cluster": "round 1",
        "output": "It is 1234567.",
    }
    assert {name: row[name] for name in expected} == expected


def test_depths_are_percentages_whatever_they_look_like(listed):
    trials = read_trials(listed(ONE | {"depth_percent": 0.0}, ONE | {"depth_percent": 1.0}))
    assert trials.frame["depth"].tolist() == [0, 0.01]


def test_rounds_are_the_cases_of_a_cell_and_share_a_haystack(listed):
    cells = [{"context_length": length, "seed": seed} for length in (1000, 2000) for seed in (0, 1)]
    trials = read_trials(listed(*(ONE | cell for cell in cells)), model_name="LWM-1M")
    assert trials.n_cases == 4
    assert trials.frame["cluster"].tolist() == ["round 0", "round 1"] * 2
    assert trials.models == ("LWM-1M",)


def test_several_needles_are_matched_by_their_number(listed):
    trials = read_trials(listed(SEVERAL))
    assert trials.reading.format == "lwm_needles"
    (row,) = trials.frame.to_dict("records")
    expected = {
        "task": "2 needles",
        "case": "1",
        "score": 0.5,
        "n_needles": 2,
        "n_found": 1,
        "needle_depths": [1.0, 0.0],
        "needle_found": [0, 1],
    }
    assert {name: row[name] for name in expected} == expected
    assert trials.frame["depth"].isna().all()


def test_marks_that_do_not_fit_the_answers_are_unscored(listed):
    trials = read_trials(
        listed(
            SEVERAL, SEVERAL | {"correct": [True], "seed": 2}, SEVERAL | {"answer": 3, "seed": 3}
        )
    )
    assert trials.frame["status"].tolist() == ["ok", "unparsed", "unparsed"]
    assert trials.n_scored == 1


def test_a_number_that_no_needle_has_leaves_the_depths_open(listed):
    trials = read_trials(listed(SEVERAL, SEVERAL | {"answer": ["9", "1111111"], "seed": 2}))
    assert trials.frame["needle_depths"].tolist() == [[1.0, 0.0], None]
    assert trials.n_scored == 2


def test_a_list_that_was_cut_off_says_how_to_close_it(listed):
    path = listed(ONE, ONE)
    path.write_text(path.read_text()[:-40])
    with pytest.raises(FormatError, match=r"close the list after its last complete object"):
        read_trials(path)
