"""LongAlign's keyed object: length and depth from the keys, null marks unscored."""

import json

import pytest

from lcstats.errors import FormatError, OptionError, TableError
from lcstats.readers import read_trials

pytestmark = pytest.mark.filterwarnings("ignore::lcstats.errors.LcstatsWarning")


@pytest.fixture
def keyed(tmp_path):
    """Write {(length, depth key): mark} as the runner does, and return the file."""

    def write(marks, *, indent=4, name="OpenAI_gpt-4_eval.json"):
        document = {
            f"Huggingface_len_{length}_depth_{depth}": {"prediction": "Eat.", "score": mark}
            for (length, depth), mark in marks.items()
        }
        path = tmp_path / name
        path.write_text(json.dumps(document, indent=indent))
        return path

    return write


@pytest.mark.parametrize("indent", [4, None])
def test_fields_are_in_the_keys(keyed, indent):
    marks = {(64000, 8868): 10, (64000, 10000): 3, (1000, 0): 7}
    trials = read_trials(keyed(marks, indent=indent), score_threshold=7)
    assert trials.reading.format == "longalign"
    assert trials.frame["length"].tolist() == [64000, 64000, 1000]
    assert trials.frame["depth"].tolist() == [0.8868, 1, 0]
    assert trials.frame["score"].tolist() == [1, 0, 1]
    assert trials.frame["case"].tolist() == ["needle"] * 3
    assert trials.frame["output"].tolist() == ["Eat."] * 3


def test_the_judge_in_the_file_name_is_not_the_language_model(keyed):
    path = keyed({(1000, 0): 7})
    assert read_trials(path, score_threshold=7).models == ("model",)
    named = read_trials(path, score_threshold=7, model_name="LongAlign-7B-64k")
    assert named.models == ("LongAlign-7B-64k",)


def test_trials_without_a_mark_are_unscored(keyed):
    trials = read_trials(keyed({(1000, 0): None, (1000, 5000): 10}), score_scale="1-10")
    assert trials.frame["status"].tolist() == ["unparsed", "ok"]
    assert trials.n_scored == 1


def test_marks_without_a_meaning_are_asked_about(keyed):
    with pytest.raises(OptionError, match=r"longalign .*--score-threshold 7.*--score-scale 1-10"):
        read_trials(keyed({(1000, 0): 7}))


def test_two_judges_of_one_trial_contradict(keyed, tmp_path):
    keyed({(1000, 0): 7})
    keyed({(1000, 0): 1}, name="OpenAI_gpt-3.5_eval.json")
    with pytest.raises(TableError, match=r"entry 1: the trial .*has the scores 0, 1.*--map repeat"):
        read_trials(tmp_path, score_threshold=7)


def test_entries_of_another_kind_are_not_trials(tmp_path):
    path = tmp_path / "a.json"
    path.write_text(json.dumps({"a": 1}))
    with pytest.raises(FormatError, match=r"1 entry of another kind, such as 'a' is 1.*remove it"):
        read_trials(path, format="longalign", score_threshold=7)
    with pytest.raises(TableError, match=r"header and no rows.*check that the sweep ran"):
        read_trials(path, format="longalign", score_threshold=7, skip_bad_lines=True)


@pytest.mark.parametrize(
    "key", ["b_len_2000_depth_5000", "notes", "b_len_" + "9" * 5000 + "_depth_0"]
)
def test_entries_of_another_kind_are_not_dropped_in_silence(tmp_path, key):
    entry = None if "2000" in key else {"score": 1} if "9" in key else "x"
    path = tmp_path / "a.json"
    path.write_text(json.dumps({"b_len_1000_depth_5000": {"score": 7}, key: entry}))
    options = {"format": "longalign", "score_threshold": 7}
    with pytest.raises(FormatError, match=r"1 entry of another kind.*--skip-bad-lines"):
        read_trials(path, **options)
    trials = read_trials(path, skip_bad_lines=True, **options)
    assert trials.n_trials == 1
    assert any("1 entry of another kind left out" in n.message for n in trials.notices)
