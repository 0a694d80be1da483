"""Needle in a needlestack: questions are cases, trials repeats, folders lengths."""

import json

import pytest

from lcstats.cells import count_cells
from lcstats.errors import FormatError
from lcstats.readers import read_trials

pytestmark = pytest.mark.filterwarnings("ignore::lcstats.errors.LcstatsWarning")


def trial(number, passed=True, answer="No"):
    return {
        "trial_number": number,
        "good_answer": "No ",
        "passed": passed,
        "dissent_count": None if passed is None else 1,
        "generated_answer": answer,
        "evaluator_results": [{"model_name": "judge", "passed": passed}] * 5,
    }


def location(position, **questions):
    return {
        "location_token_position": position,
        "question_result_list": [
            {
                "question": {"id": int(number.lstrip("q")), "text": "t", "question": "q"},
                "trial_results": trials,
                "score": 1.0,
            }
            for number, trials in questions.items()
        ],
        "score": 0.8,
    }


def run(*locations, **changes):
    return {
        "date_string": "2024-05-09-11-28-20",
        "model_name": "mistral-small",
        "location_list": list(locations),
        "number_of_trials_per_location": 25,
        "repeat_question_limerick_count": 1,
        "limerick_count_in_prompt": 550,
        "test_exception_list": [],
        "failed_test_count": 0,
        "evaluation_exception_list": [],
        "failed_evaluation_count": 0,
        **changes,
    }


@pytest.fixture
def published(tmp_path):
    """Write runs into folders named after lengths, and return the folder above them."""

    def write(indent=4, **folders):
        for name, document in folders.items():
            folder = tmp_path / name.lstrip("_")
            folder.mkdir(exist_ok=True)
            path = folder / f"{document['model_name']}_full_results.json"
            path.write_text(json.dumps(document, indent=indent))
        return tmp_path

    return write


@pytest.mark.parametrize("indent", [4, None])
def test_fields(published, indent):
    trials = read_trials(published(indent, _16k=run(location(4000, q92599=[trial(0)]))))
    assert trials.reading.format == "needlestack"
    (row,) = trials.frame.to_dict("records")
    names = ("model", "task", "case", "cluster", "repeat", "length", "depth", "score", "output")
    assert {name: row[name] for name in names} == {
        "model": "mistral-small",
        "task": "needlestack",
        "case": "92599",
        "cluster": "92599",
        "repeat": 1,
        "length": 16000,
        "depth": 0.25,
        "score": 1.0,
        "output": "No",
    }
    assert row["dissent_count"] == 1


def test_trials_are_repeats_of_a_question(published):
    trials = [trial(0), trial(1), trial(2, False), trial(3), trial(4)]
    places = [location(place, q1=trials, q2=trials) for place in (240, 23520)]
    read = read_trials(published(_32k=run(*places)))
    assert (read.n_trials, read.n_cases) == (20, 4)
    assert read.frame["repeat"].max() == 5
    grid = count_cells(read).grid
    assert grid.depths.tolist() == [0.0075, 0.735]
    assert grid.n_cases.tolist() == [[2, 2]]
    assert grid.accuracy.tolist() == [[0.8, 0.8]]


def test_failed_requests_and_judges_are_unscored(published):
    trials = [trial(0), trial(1, None, None), trial(2, None, "No")]
    read = read_trials(published(_16k=run(location(150, q1=trials), failed_test_count=1)))
    assert read.frame["status"].tolist() == ["ok", "error", "unparsed"]
    assert any("1 request failed" in notice.message for notice in read.notices)


@pytest.mark.parametrize(
    ("folder", "length"),
    [("110k", 110000), ("110k_gpt4o", 110000), ("Gemini-flash-120k-100x", 120000)],
)
def test_folders_say_the_length(published, folder, length):
    read = read_trials(published(**{folder: run(location(1100, q1=[trial(0)]))}))
    assert read.frame["length"].tolist() == [length]


@pytest.mark.parametrize("folder", ["6-20-24", "16k_32k", "answers"])
def test_folders_that_do_not_are_asked_about(published, folder):
    with pytest.raises(FormatError, match=r"such as 16k .*move the file into such a folder"):
        read_trials(published(**{folder: run(location(1100, q1=[trial(0)]))}))


def test_repeated_limericks_are_another_task(published):
    one, ten = (
        run(location(240, q1=[trial(0)]), repeat_question_limerick_count=n) for n in (1, 10)
    )
    read = read_trials(published(_32k=one, _32k_repeat_limerick_10x=ten))
    assert read.tasks == ("needlestack", "needlestack_10x")


def test_summaries_beside_the_results_are_left_out(published):
    folder = published(_16k=run(location(240, q1=[trial(0)])))
    (folder / "16k" / "model_scores.json").write_text(json.dumps({"model_scores": []}, indent=4))
    read = read_trials(folder)
    assert read.n_trials == 1
    assert any("model_scores.json" in notice.message for notice in read.notices)


def test_parts_without_their_fields_are_named(published):
    broken = run({"location_token_position": 240})
    with pytest.raises(FormatError, match=r"question_result_list is missing.*mend the value"):
        read_trials(published(_16k=broken))
    with pytest.raises(FormatError, match=r"no usable field 'location_list'.*leave out --format"):
        read_trials(published(_16k=run(location_list=None)))
