"""OpenCompass NeedleBench: cells by name, trials by item, scores of wrong answers."""

import json

import pytest

from lcstats.errors import FormatError
from lcstats.readers import read_trials

pytestmark = pytest.mark.filterwarnings("ignore::lcstats.errors.LcstatsWarning")

CELL = "Length8000Depth50_origin_en_128k"
PARALLEL = {"Depth0": 100.0, "Depth50": 40.0, "details": [], "average_score": 70.0}


def cell(*scores, **changes):
    details = [{"pred": f"p{score}", "answer": "needle", "score": score} for score in scores]
    return {"score": sum(scores) / len(scores), "details": details, **changes}


@pytest.fixture
def results(tmp_path):
    """Write files as OpenCompass does, and return the folder of a language model."""
    folder = tmp_path / "results" / "internlm2-7b"
    folder.mkdir(parents=True)

    def write(**files):
        for name, document in files.items():
            text = json.dumps(document, indent=4, ensure_ascii=False)
            (folder / f"{name}.json").write_text(text, encoding="utf-8")
        return folder

    return write


def test_fields(results):
    trials = read_trials(results(**{CELL: cell(100, 0)}))
    assert trials.reading.format == "opencompass"
    assert trials.notices == ()
    rows = trials.frame.to_dict("records")
    names = ("model", "task", "case", "cluster", "length", "depth", "score", "output")
    assert {name: rows[0][name] for name in names} == {
        "model": "internlm2-7b",
        "task": "origin_en_128k",
        "case": "1",
        "cluster": "1",
        "length": 8000,
        "depth": 0.5,
        "score": 1.0,
        "output": "p100",
    }
    assert (rows[1]["case"], rows[1]["score"]) == ("2", 0.0)


def test_an_item_is_the_same_needle_at_every_length_and_depth(results):
    names = [
        f"Length{length}Depth{depth}_origin_zh_128k" for length in (1, 2) for depth in (0, 100)
    ]
    trials = read_trials(results(**dict.fromkeys(names, cell(100, 0, 100))))
    assert trials.n_cases == 12
    assert trials.frame["cluster"].nunique() == 3


def test_wrong_answers_of_the_first_version_keep_their_score_and_say_so(results):
    folder = results(**{CELL: cell(100, 17.5, 0)})
    trials = read_trials(folder)
    assert trials.frame["score"].tolist() == [1.0, 0.175, 0.0]
    assert "--score-threshold 100" in trials.notices[0].message
    assert read_trials(folder, score_threshold=100).frame["score"].tolist() == [1.0, 0.0, 0.0]


def test_graded_scores_of_several_needles_are_no_likeness(results):
    trials = read_trials(results(Length8000Depth50_2needle_en_128k=cell(100, 60)))
    assert trials.frame["score"].tolist() == [1.0, 0.6]
    assert trials.notices == ()


def test_parallel_needles_are_left_out_or_refused(results):
    folder = results(**{CELL: cell(100), "Length8000_parallel_en_128k": PARALLEL})
    trials = read_trials(folder)
    assert trials.n_trials == 1
    assert any("1 file of several needles" in notice.message for notice in trials.notices)
    with pytest.raises(FormatError, match="make a table of counts"):
        read_trials(folder / "Length8000_parallel_en_128k.json")


def test_a_name_without_length_and_depth_is_asked_about(results):
    with pytest.raises(FormatError, match="give it back the name"):
        read_trials(results(renamed=cell(100)))


def test_another_folder_names_the_language_model_and_says_so(results, tmp_path):
    path = results(**{CELL: cell(100)}) / f"{CELL}.json"
    moved = tmp_path / "mine" / path.name
    moved.parent.mkdir()
    moved.write_bytes(path.read_bytes())
    trials = read_trials(moved)
    assert trials.models == ("mine",)
    assert "--model-name NAME" in trials.notices[0].message


def test_items_without_their_fields_are_named(results):
    document = cell(100, 0)
    del document["details"][1]["score"]
    with pytest.raises(FormatError, match=r"item 2: no usable field 'score'.*--format"):
        read_trials(results(**{CELL: document}))
